import numpy as np
import pytest

from crossdoc.compare.context_strength import ContextStrength
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.self_training import (
    MOST_DOCUMENTS,
    PRIOR_NAMES,
    adapted,
    conflated_pairs,
    joined_contexts,
    learn_contexts,
    with_related_people,
)
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.model import Profile, Profiles, Relation

PRIOR = ContextStrength(intercept=-2, root=10, slope=2)


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


def test_the_curve_separates_the_collections_own_pairs() -> None:
    profiles = collection(150, 3)
    vectoriser = counted(profiles)
    curve, names = learn_contexts(profiles, joined_contexts(profiles), vectoriser, PRIOR)
    assert names == 150
    strength = curve(vectoriser.transform(profiles).cosine())
    names_of = np.array(profiles.column("name").to_pylist())
    same = names_of[:, None] == names_of[None, :]
    upper = np.triu_indices(len(profiles), 1)
    right = ((strength > 0.5) == same)[upper]
    assert right[same[upper]].mean() > 0.9
    assert right[~same[upper]].mean() > 0.9


def test_few_names_lean_on_the_prior() -> None:
    profiles = collection(3, 2)
    curve, names = learn_contexts(profiles, joined_contexts(profiles), counted(profiles), PRIOR)
    assert names == 3
    own, _ = learn_contexts(
        profiles, joined_contexts(profiles), counted(profiles), PRIOR.model_copy(update={"root": 0})
    )
    assert curve.root - own.root == pytest.approx(10 * PRIOR_NAMES / (PRIOR_NAMES + 3), abs=1e-3)


def test_without_names_the_prior_stays() -> None:
    profiles = Profiles.of([Profile("1", "d", "Ann Poe", "person", "a word"), Profile("2", "e", "", "person", "")])
    assert learn_contexts(profiles, joined_contexts(profiles), counted(profiles), PRIOR) == (PRIOR, 0)
    shipped = LearnedModel.default()
    assert adapted(shipped, profiles, joined_contexts(profiles), counted(profiles)) == shipped


def test_the_same_seed_learns_the_same() -> None:
    profiles = collection(30, MOST_DOCUMENTS + 2)
    learned = [
        learn_contexts(profiles, joined_contexts(profiles), counted(profiles), PRIOR, seed) for seed in (5, 5, 6)
    ]
    assert learned[0] == learned[1]
    assert learned[0] != learned[2]


def test_a_model_says_that_it_was_adapted() -> None:
    profiles = collection(40, 2)
    model = adapted(LearnedModel.default(), profiles, joined_contexts(profiles), counted(profiles))
    assert model.learned_on["contexts"].startswith("40 full names of this collection")
    assert model.contexts != LearnedModel.default().contexts


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
