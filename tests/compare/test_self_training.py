import numpy as np
import pytest

from crossdoc.compare.self_training import (
    MOST_DOCUMENTS,
    ConflatedPairs,
    all_pairs,
    balanced,
    conflated_pairs,
    joined_contexts,
    labelled_pairs,
    with_related_people,
    without_names,
)
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.errors import InputError
from crossdoc.model import Profile, Profiles, Relation


def collection(people: int, documents_each: int, seed: int = 0, shared: float = 0.3) -> Profiles:
    """Made-up people, each with words of their own in some of the places, one a document."""
    random = np.random.default_rng(seed)
    common = [f"common{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(400)]
    rows = []
    for person in range(people):
        surname = "".join(chr(97 + int(c)) for c in f"{person:04d}") + "son"
        own = [f"own{surname}{chr(97 + i)}" for i in range(20)]
        for number in range(documents_each):
            words = [str(random.choice(own if random.random() < shared else common)) for _ in range(40)]
            rows.append(
                Profile(f"{person}-{number}", f"d{person}-{number}", f"Ann {surname}", "person", " ".join(words))
            )
    return Profiles.of(rows)


def counted(profiles: Profiles) -> ContextVectoriser:
    return ContextVectoriser().fit([profiles.column("context").to_pylist()])


def test_labels_follow_from_the_names() -> None:
    profiles = collection(20, 3)
    found = conflated_pairs(profiles, joined_contexts(profiles), counted(profiles))
    assert found is not None
    names = np.array(profiles.column("name").to_pylist())
    assert ((names[found.pairs[:, 0]] == names[found.pairs[:, 1]]) == (found.same == 1)).all()
    assert found.same.sum() == 20 * 3
    assert found.names == 20


def test_both_labels_and_all_names_count_alike() -> None:
    many = collection(10, 2)
    often = Profiles.of(
        [*many, *(Profile(f"x{i}", f"x{i}", "Bob Often", "person", f"often word{chr(97 + i)}") for i in range(5))]
    )
    found = conflated_pairs(often, joined_contexts(often), counted(often))
    assert found is not None
    assert found.weight[found.same == 1].sum() == pytest.approx(found.weight[found.same == 0].sum())
    of_bob = np.array([often[int(a)].name == "Bob Often" for a, _ in found.pairs]) & (found.same == 1)
    assert found.weight[of_bob].sum() == pytest.approx(1 / found.names)


def test_people_of_one_document_are_no_example_of_different_contexts() -> None:
    rows = [
        Profile(f"{n}{i}", f"d{i}", f"Ann {n}son", "person", f"{n} word{chr(97 + i)}") for n in "ab" for i in (0, 1)
    ]
    rows += [Profile(f"c{i}", f"e{i}", "Ann cson", "person", f"c thing{chr(97 + i)}") for i in (0, 1)]
    profiles = Profiles.of(rows)
    found = conflated_pairs(profiles, joined_contexts(profiles), counted(profiles))
    assert found is not None
    names = {tuple(sorted(profiles[int(row)].name for row in pair)) for pair in found.pairs[found.same == 0]}
    assert names == {("Ann ason", "Ann cson"), ("Ann bson", "Ann cson")}


def test_copies_of_a_story_are_left_out() -> None:
    copies = [Profile(f"a{i}", f"a{i}", "Ann Copyson", "person", "ship iceberg sank north cold") for i in (0, 1)]
    rest = list(collection(5, 2, shared=0.2))
    profiles = Profiles.of([*copies, *rest])
    found = conflated_pairs(profiles, joined_contexts(profiles), counted(profiles))
    assert found is not None
    assert not ({0, 1} & set(found.pairs[found.same == 1].ravel().tolist()))


def test_surnames_with_several_first_names_are_left_out() -> None:
    rows = [
        Profile(f"a{i}", f"a{i}", f"{first} Poe", "person", f"w{first}") for i, first in enumerate(("Ann", "Bob") * 2)
    ]
    profiles = Profiles.of(rows)
    assert conflated_pairs(profiles, joined_contexts(profiles), counted(profiles)) is None


def test_the_same_seed_chooses_the_same_pairs() -> None:
    profiles = collection(30, MOST_DOCUMENTS + 2)
    chosen = [conflated_pairs(profiles, joined_contexts(profiles), counted(profiles), seed) for seed in (5, 5, 6)]
    told = [found.pairs.tolist() for found in chosen if found is not None]
    assert told[0] == told[1] != told[2]


def test_people_named_beside_a_profile_get_one_of_their_own() -> None:
    links = (
        Relation("List", "Bo Li"),
        Relation("list", "Cy Ode"),
        Relation("list", "Di Ode", "p7"),
        Relation("x", "Ed Ott"),
    )
    *_, bo, cy = with_related_people(Profiles.of([Profile("p1", "d", "Ann Wu", "person", "poets", relations=links)]))
    assert [(p.id, p.document, p.name, p.context) for p in (bo, cy)] == [
        ("p1~Bo Li", "d", "Bo Li", "poets"),
        ("p1~Cy Ode", "d", "Cy Ode", "poets"),
    ]
    assert [link.name for link in bo.relations] == ["Ann Wu", "Cy Ode"]


def own_words(name: str, number: int, many: int = 30) -> str:
    return " ".join(f"{name}{chr(97 + number)}{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(many))


def in_documents(**documents_of: int) -> Profiles:
    """People by surname, each in so many documents that share no word."""
    return Profiles.of(
        Profile(f"{name}{i}", f"{name}{i}", f"Ann {name}son", "person", f"{name} {own_words(name, i)}")
        for name, many in documents_of.items()
        for i in range(many)
    )


def of_name(profiles: Profiles, found: ConflatedPairs, name: str) -> int:
    """How many pairs of one name there are."""
    named = [profiles[int(a)].name == f"Ann {name}son" for a, _ in found.pairs]
    return int((np.array(named) & (found.same == 1)).sum())


def test_at_most_five_documents_of_a_name_are_used() -> None:
    profiles = in_documents(few=4, five=5, many=7)
    found = conflated_pairs(profiles, joined_contexts(profiles), counted(profiles))
    assert found is not None
    assert [of_name(profiles, found, name) for name in ("few", "five", "many")] == [6, 10, 10]


def test_a_name_in_more_than_twenty_documents_is_not_used() -> None:
    profiles = in_documents(rare=20, often=21, two=2)
    found = conflated_pairs(profiles, joined_contexts(profiles), counted(profiles))
    assert found is not None
    assert found.names == 2
    assert [of_name(profiles, found, name) for name in ("rare", "often", "two")] == [10, 0, 1]


def test_documents_of_a_cosine_of_a_half_or_more_are_one_story() -> None:
    """Of each name the two documents share some words, from none to all of them."""
    rows, told = [], {}
    for share in range(0, 41):
        name = f"n{chr(97 + share // 26)}{chr(97 + share % 26)}"
        for i in (0, 1):
            told[f"{name}{i}"] = " ".join([own_words(name, 25, share), own_words(name, i, 40 - share)])
            rows.append(Profile(f"{name}{i}", f"{name}{i}", f"Ann {name}son", "person", own_words(name, i)))
    profiles = Profiles.of(rows)
    vectoriser = ContextVectoriser().fit([list(told.values())])
    found = conflated_pairs(profiles, lambda ids: {id: told[id] for id in ids}, vectoriser)
    assert found is not None
    whole = vectoriser.transform(Profiles.of(Profile(id, id, "", None, text) for id, text in told.items())).cosine()
    cosines = {rows[2 * i].name: float(whole[2 * i, 2 * i + 1]) for i in range(41)}
    assert any(0.45 < cosine < 0.5 for cosine in cosines.values())
    assert any(0.5 < cosine < 0.55 for cosine in cosines.values())
    used = {profiles[int(a)].name for a, _ in found.pairs[found.same == 1]}
    assert used == {name for name, cosine in cosines.items() if cosine < 0.5}


def test_what_many_names_say_is_sampled() -> None:
    profiles = in_documents(**{f"{chr(97 + i // 26)}{chr(97 + i % 26)}": 5 for i in range(120)})
    found = conflated_pairs(profiles, joined_contexts(profiles), counted(profiles))
    assert found is not None
    assert found.same.sum() == 120 * 10
    assert (found.same == 0).sum() == 60_000
    assert len(np.unique(found.pairs, axis=0)) == len(found.pairs)


def test_only_full_names_of_people_teach() -> None:
    rows = [
        Profile(f"{kind}{name}{i}", f"{name}{i}", name, kind, own_words(f"{kind}{name[0]}", i))
        for kind, name in (("place", "Ann Poe"), ("person", "Roe"), ("person", "A. Doe"), (None, "Ann Moe"))
        for i in (0, 1)
    ]
    profiles = Profiles.of([*rows, *in_documents(one=2, two=2)])
    found = conflated_pairs(profiles, joined_contexts(profiles), counted(profiles))
    assert found is not None
    assert found.names == 2


def test_one_recurring_name_alone_teaches_nothing() -> None:
    profiles = in_documents(one=3, once=1)
    assert conflated_pairs(profiles, joined_contexts(profiles), counted(profiles)) is None
    copies = Profiles.of([*in_documents(one=2), *in_documents(two=2)])
    same_text = {row.document: own_words("one", 0) for row in copies}
    assert conflated_pairs(copies, lambda ids: {id: same_text[id] for id in ids}, counted(copies)) is None


def test_people_named_beside_teach_too() -> None:
    beside = (Relation("list", "Bob Roe"), Relation("list", "Eve Doe"))
    others = (Relation("list", "Li"), Relation("friend", "Jim Poe"), Relation("list", "Sue Moe", "elsewhere"))
    profile = Profile("p", "d", "Ann Lee", "person", "context", "en", relations=(*beside, *others))
    shown = with_related_people(Profiles.of([profile]))
    assert shown.ids.tolist() == ["p", "p~Bob Roe", "p~Eve Doe"]
    bob = shown[1]
    assert (bob.document, bob.name, bob.type, bob.context, bob.language) == ("d", "Bob Roe", "person", "context", "en")
    assert [(r.type, r.name) for r in bob.relations] == [("list", "Ann Lee"), ("list", "Eve Doe")]
    alone = Profiles.of([Profile("q", "d", "Ann Lee", "person")])
    assert with_related_people(alone) is alone


def test_names_are_masked_wherever_they_stand() -> None:
    profile = Profile(
        "p", "d", "José Lee", "person", "Jose met JOSÉ Lee’s sister Leena",
        relations=(Relation("list", "Ann Lee"), Relation("list", "Lee")),
    )  # fmt: skip
    (masked,) = without_names(Profiles.of([profile]))
    assert masked.name == ""
    assert masked.context.split() == ["met", "’s", "sister", "Leena"]
    assert [relation.name for relation in masked.relations] == ["Ann"]


def test_labels_come_from_shared_entities_and_never_from_one_document():
    profiles = Profiles.of(Profile(str(i), document, "x") for i, document in enumerate(["a", "a", "b", "c", "d"]))
    gold = {"0": {"x"}, "1": {"y"}, "2": {"x", "y"}, "3": {"z"}}
    pairs, labels = labelled_pairs(profiles, gold, all_pairs([np.arange(5)]))
    told = {tuple(pair): label for pair, label in zip(pairs.tolist(), labels, strict=True)}
    assert told == {(0, 2): 1, (1, 2): 1, (0, 3): 0, (1, 3): 0, (2, 3): 0}


def test_a_balanced_sample_has_as_many_of_each_kind():
    labels = np.array([1.0] * 10 + [0.0] * 90)
    chosen = balanced(labels, 1000, seed=3)
    assert labels[chosen].sum() == 10
    assert len(chosen) == 20
    assert len(balanced(labels, 8, seed=3)) == 8
    np.testing.assert_array_equal(chosen, balanced(labels, 1000, seed=3))


def test_one_kind_alone_teaches_nothing():
    with pytest.raises(InputError, match="learning needs both kinds"):
        balanced(np.ones(5), 10, seed=0)
