"""What no specialist reads is counted by its own spelling, batch after batch, and named to the user."""

from __future__ import annotations

from crossdoc.compare.specialists import default_specialists, specialist
from crossdoc.compare.unread import has_more, types_read, unread_evidence, unread_notes
from crossdoc.model import Profile, Profiles, Relation
from crossdoc.names.evidence_types import ATTRIBUTES, RELATIONS, SHOWN_ATTRIBUTES, SHOWN_RELATIONS

JUDGES = default_specialists()


@specialist("shoe", attributes={"shoe_size": "of the left foot"}, relations={"shoe-shop": ""})
def shoe(a: Profile, b: Profile) -> float | None:
    return None


def profile(id: str, *attributes: str, relations: tuple[str, ...] = ()) -> Profile:
    links = tuple(Relation(type, "IBM") for type in relations)
    return Profile(id, "d", "Ann", attributes={type: ["x"] for type in attributes}, relations=links)


def test_counts_over_batches_and_within_slices():
    first = Profiles.of([profile("0", "hat"), profile("1", "hat", relations=("employer:boss", "Employer", "employer"))])
    second = Profiles.of([profile("2", "hat", "Hat", relations=("employment", "employer "))])
    assert unread_evidence([first, second], JUDGES) == {
        ("attribute", "hat"): 3,
        ("attribute", "Hat"): 1,
        ("relation", "employer"): 3,
        ("relation", "Employer"): 1,
    }
    assert unread_evidence([first.take([1])], JUDGES)["attribute", "hat"] == 1
    sliced = Profiles(first.arrow.slice(0, 1))
    assert unread_evidence([sliced], JUDGES) == {("attribute", "hat"): 1}


def test_what_is_read_or_kept_for_people_is_no_news():
    known = profile("1", *ATTRIBUTES, *SHOWN_ATTRIBUTES, relations=(*RELATIONS, *SHOWN_RELATIONS, "Family:wife"))
    assert not unread_evidence([Profiles.of([known])], JUDGES)
    assert unread_notes({}, JUDGES) == []


def test_an_attribute_is_no_relation():
    """A type that is read as one kind of evidence is not read as the other."""
    mixed = profile("1", "employment", relations=("party",))
    assert unread_evidence([Profiles.of([mixed])], JUDGES) == {("attribute", "employment"): 1, ("relation", "party"): 1}


def test_a_users_specialist_reads_what_it_declares():
    own = Profiles.of([profile("1", "Shoe Size", relations=("shoe_shop",))])
    assert set(unread_evidence([own], JUDGES)) == {("attribute", "Shoe Size"), ("relation", "shoe_shop")}
    assert not unread_evidence([own], [*JUDGES, shoe])
    assert types_read("attribute", [*JUDGES, shoe])["shoe_size"] == ("of the left foot", ["shoe"])


def test_notes_name_the_commonest_first_and_what_is_known():
    counts = {("relation", "employer"): 2, ("relation", "boss"): 1_500, ("attribute", "hat"): 1}
    attributes, relations = unread_notes(counts, [*JUDGES, shoe])
    assert "the attribute types 'hat' (1)," in attributes
    assert "known types are age, born, descriptor" in attributes
    assert "the relation types 'boss' (1,500), 'employer' (2)," in relations
    assert relations.index("known types are citizen, employment") < relations.index("shoe-shop")
    assert "crossdoc formats" in relations


def test_a_long_list_is_cut():
    (note,) = unread_notes({("attribute", f"type {number:02}"): 1 for number in range(12)}, default_specialists())
    assert "'type 09' (1), … and 2 more" in note
    assert "'type 10'" not in note


def test_more_than_what_is_read():
    def one(**said):
        return Profiles.of([Profile("1", "d", "Ann"), Profile("2", "d", "Bo", **said)])

    assert not has_more(one(), [], ["list"])
    assert not has_more(one(relations=(Relation("List:author", "Cy"),)), [], ["list"])
    assert has_more(one(relations=(Relation("list", "Cy"), Relation("family", "Di"))), [], ["list"])
    assert has_more(one(attributes={"born": ["1931"]}), [], ["list"])
    assert not has_more(one(attributes={"Gender-Confidence": ["1"]}), ["gender_confidence"], [])
    assert not has_more(one(attributes={"first": ["Bo"]}, relations=(Relation("education", "MIT"),)), [], [])
