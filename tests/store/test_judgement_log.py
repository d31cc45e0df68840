"""The log of judgements finds its profiles again, or says that it does not."""

from __future__ import annotations

import pytest

from crossdoc import errors
from crossdoc.model import Document, Documents, Judgement, Mention, Mentions, Profile, Profiles
from crossdoc.store import Store
from crossdoc.store.judgement_log import CandidateProfile, Entry, ProfilePlace, cancelled, locate


def judged(store: Store, *, standing: bool = True) -> list[tuple[int, Judgement]]:
    return [(entry.number, each) for entry in store.entries(standing=standing) for each in entry.judgements]


def fill(store: Store, *told: tuple[str, str, int, str], type: str | None = "person") -> Store:
    """Profiles of (document, name, place, id)."""
    spans = [(id, document, name, at) for document, name, at, id in told]
    store.add(
        Documents.of(Document(id, "text") for id in sorted({document for document, *_ in told})),
        Mentions.of(Mention(id, d, at, at + len(name), name, type, "name", id) for id, d, name, at in spans),
        Profiles.of(Profile(id, d, name, type) for id, d, name, at in spans),
    )
    return store


@pytest.fixture
def store():
    with fill(Store.memory(), ("a", "Ann Lee", 0, "a:0"), ("b", "A. Lee", 0, "b:0"), ("c", "Bo", 3, "c:3")) as made:
        yield made


def test_an_entry_has_all_its_pairs_and_what_they_are_about(store):
    said = (Judgement("a:0", "b:0", "same"), Judgement("a:0", "c:3", "different"))
    assert store.record("split", who="ann", why="seen", judgements=said) == 1
    assert store.record("rename", profile="c:3", name="Bo Li") == 2
    split, renamed = store.entries()
    assert (split.act, split.who, split.why, len(split.judgements)) == ("split", "ann", "seen", 2)
    assert [(j.a, j.b, j.verdict, j.hard) for j in split.judgements] == [(j.a, j.b, j.verdict, j.hard) for j in said]
    assert split.places == {
        "a:0": ProfilePlace("a", "Ann Lee", "person", 0, 7),
        "b:0": ProfilePlace("b", "A. Lee", "person", 0, 6),
        "c:3": ProfilePlace("c", "Bo", "person", 3, 5),
    }
    assert (renamed.profile, renamed.name, renamed.judgements) == ("c:3", "Bo Li", ())
    assert renamed.places == {"c:3": ProfilePlace("c", "Bo", "person", 3, 5)}
    assert str(split) == "split: 1 pair same, 1 pair different (ann)"
    assert str(renamed) == "the identity of c:3 is called Bo Li"


def test_undoing_is_another_entry(store):
    store.judge([Judgement("a:0", "b:0", "same")])
    store.record("rename", profile="a:0", name="Ms Lee")
    assert store.undo(who="bo", why="wrong").number == 2
    assert [entry.number for entry in store.entries()] == [1]
    assert [(e.number, e.act, e.undoes) for e in store.entries(standing=False)][-1] == (3, "undo", 2)
    assert store.undo().number == 1
    with pytest.raises(errors.UsageError, match="nothing to undo"):
        store.undo()
    with pytest.raises(errors.UsageError, match="no judgement number 3"):
        store.undo(3)


@pytest.mark.parametrize(
    ("log", "range"),
    [
        ([None, 1], (1, 2)), ([None, None, 2], (2, 3)), ([None, None, 1], (1, 1)), ([None, None, 1, 2], (1, 4)),
        ([None, 1, None, 3], (3, 4)), ([None, None, 2, None, 4, 1], (1, 6)), ([None, None, None, 1, 3], (3, 3)),
    ],
)  # fmt: skip
def test_entries_that_cancel_each_other_out(log, range):
    entries = [Entry(n, "undo" if undoes else "judge", "", "", "", undoes=undoes) for n, undoes in enumerate(log, 1)]
    assert cancelled(entries) == range


def test_new_names_do_not_count_among_entries_that_cancel_each_other_out():
    acts = [("merge", None), ("rename", None), ("undo", 1), ("undo", 2)]
    entries = [Entry(n, act, "", "", "", undoes=undoes) for n, (act, undoes) in enumerate(acts, 1)]
    assert cancelled(entries[:3]) == (1, 3)
    assert cancelled(entries) == (4, 4)


@pytest.mark.parametrize(
    ("now", "wanted"),
    [
        (("a", "Ann Lee", 0, "a:0"), "a:0"),
        (("a", "Ann Lee", 20, "a:20"), "a:20"),
        (("a", "Lee", 0, "a:0"), "a:0"),
        (("a", "Ms. Lee", 2, "a:2"), "a:2"),
        (("a", "Bo Kim", 0, "a:0"), None),
        (("z", "Ann Lee", 0, "z:0"), None),
    ],
    ids=["the same", "moved", "another name at its id", "found otherwise", "somebody else at its id", "elsewhere"],
)
def test_a_judgement_finds_its_profile_in_an_edited_document(store, now, wanted):
    store.judge([Judgement("a:0", "b:0", "same")])
    store.record("rename", profile="a:0", name="Ms Lee")
    with fill(Store.memory(), now, ("b", "A. Lee", 0, "b:0")) as other:
        held = other.located(store.entries())
    if wanted is None:
        assert (held.judgements, held.names) == ([], {})
        assert [(entry.number, told) for entry, told in held.unmatched] == [
            (1, ["a:0 (Ann Lee in a)"]), (2, ["a:0 (Ann Lee in a)"])
        ]  # fmt: skip
    else:
        assert [(said.a, said.b, said.verdict) for said in held.judgements] == [(wanted, "b:0", "same")]
        assert held.names == {wanted: (2, "Ms Lee")}
        assert held.unmatched == []


def test_of_several_of_one_name_the_one_at_the_place_or_the_nearest():
    was = ProfilePlace("d", "Ann Lee", "person", 40, 47)
    here = [CandidateProfile(f"d:{at}", "Ann Lee", "person", [(at, at + 7)]) for at in (0, 30, 44, 90)]
    assert locate("d:40", was, here, known=False) == "d:44"
    assert locate("d:40", was, [here[0], here[1], here[3]], known=False) == "d:30"


def test_a_profile_of_another_type_is_not_the_one_that_was_judged():
    was = ProfilePlace("d", "Lincoln", "person", 0, 7)
    assert locate("d:0", was, [CandidateProfile("d:0", "Lincoln", "place", [(0, 7)])], known=True) is None
    assert locate("d:0", was, [CandidateProfile("d:0", "Lincoln", None, [(0, 7)])], known=True) == "d:0"


def test_of_two_that_may_be_meant_none_is_taken():
    was = ProfilePlace("d", "Lee", "person", 90, 93)
    here = [
        CandidateProfile(f"d:{at}", name, "person", [(at, at + 7)]) for at, name in ((0, "Ann Lee"), (30, "Bob Lee"))
    ]
    assert locate("d:90", was, here, known=False) is None
    assert locate("d:90", was, here[:1], known=False) == "d:0"


def test_two_that_have_become_one_profile(store):
    store.judge([Judgement("a:0", "b:0", "same"), Judgement("a:0", "c:3", "different")])
    entries = store.entries()
    place = ProfilePlace("d", "Ann Lee")
    moved = [Entry(e.number, e.act, "", "", "", e.judgements, places=dict.fromkeys(e.about, place)) for e in entries]
    with fill(Store.memory(), ("d", "Ann Lee", 0, "d:0")) as other:
        held = other.located(moved)
    assert held.judgements == []
    assert [entry.number for entry, _ in held.unmatched] == [2]
    assert "one profile now" in held.unmatched[0][1][0]


def test_a_judgement_without_a_place_is_about_its_id(store):
    entry = Entry(1, "judge", "", "", "", (Judgement("a:0", "gone", "same"),))
    held = store.located([entry])
    assert held.judgements == []
    assert held.unmatched[0][1] == ["gone"]


SAME = Judgement("d1:0:10", "d2:0:15", "same", who="ann", why="seen both", when="2024-05-06T07:08:09+00:00")
DIFFERENT = Judgement("d1:0:10", "it's", "different", hard=False, weight=0.5, when="2024-05-06T07:08:10+00:00")


def test_judgements_are_carried_over_and_numbered_on(result, made):
    with Store.open(result, write=True) as store:
        store.judge([SAME, DIFFERENT])
        store.undo(1, who="bob", why="a mistake")
    with Store.begin(result, "two") as store:
        made.write(store)
        store.stage_judgements([DIFFERENT])
        store.stage_judgements([SAME])
        store.finish()
        assert judged(store) == [(2, DIFFERENT), (4, SAME)]
    with Store.open(result, write=True) as store:
        store.judge([DIFFERENT])
        store.undo(4)
        assert judged(store) == [(2, DIFFERENT), (5, DIFFERENT)]
        assert judged(store, standing=False) == [(1, SAME), (2, DIFFERENT), (4, SAME), (5, DIFFERENT)]
        assert store.count("judgements") == 6
        assert len(store.runs()) == 2


def test_what_a_staged_judgement_takes_back_moves_with_it(result, made):
    with Store.open(result, write=True) as store:
        store.judge([SAME])
    with Store.begin(result, "two") as store:
        store.stage_judgements([DIFFERENT, SAME])
        store.undo(1)
        store.finish()
        assert judged(store) == [(1, SAME), (3, SAME)]


@pytest.mark.parametrize("number", [0, 2, 3])
def test_only_a_judgement_can_be_taken_back(result, number):
    with Store.open(result, write=True) as store:
        store.judge([SAME])
        store.undo(1)
        with pytest.raises(errors.UsageError, match=f"no judgement number {number}"):
            store.undo(number)
        assert store.count("judgements") == 2


def test_a_judgement_without_a_time_gets_one(result):
    with Store.open(result, write=True) as store:
        store.judge([Judgement("d1:0:10", "it's", "same")])
        assert judged(store)[0][1].when.startswith("20")


def test_many_judgements_take_little_time(result):
    with Store.open(result, write=True) as store:
        store.judge(Judgement(f"a{i}", f"b{i}", "same") for i in range(50_000))
        assert judged(store)[-1][0] == 50_000


def test_an_entry_of_several_pairs_is_one(result):
    with Store.open(result, write=True) as store:
        store.record("merge", judgements=(SAME, Judgement("d2:0:15", "it's", "same")))
        assert store.count("judgements") == 2
        assert store.sizes()["judgements"] == 1
