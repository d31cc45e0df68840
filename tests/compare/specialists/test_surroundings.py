"""SoftTFIDF against its definition written out, and its specialist on bags of every kind.

Cosine of contexts and of full documents.
"""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import JaroWinkler
from scipy import sparse

from crossdoc.compare.specialists import (
    Contacts,
    Contexts,
    CoOccurring,
    RelatedNames,
    kernels,
)
from crossdoc.compare.specialists.base import counted, letters
from crossdoc.compare.specialists.kernels import soft_tfidf
from crossdoc.compare.specialists.surroundings import weighted
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.model import EntityType, Profile, Profiles, Relation

WORDS = st.sampled_from(["anna", "anne", "annie", "johnson", "johnsson", "jonson", "li", "liu", "maria", "marie", "x"])
BAGS = st.lists(st.lists(WORDS, max_size=6), min_size=2, max_size=5)


def by_definition(s: list[str], t: list[str], corpus: list[list[str]], threshold: float) -> float:
    """Cohen, Ravikumar & Fienberg 2003, section 2.4, with the smoothed idf; of equally near words the weightiest."""
    full = [bag for bag in corpus if bag]

    def vector(bag: list[str]) -> dict[str, float]:
        df = {word: sum(word in other for other in full) for word in bag}
        raw = {
            word: math.log(1 + count) * (math.log((1 + len(full)) / (1 + df[word])) + 1)
            for word, count in Counter(bag).items()
        }
        norm = math.sqrt(sum(value**2 for value in raw.values()))
        return {word: value / norm for word, value in raw.items()}

    v, w = vector(s), vector(t)
    total = 0.0
    for word, weight in v.items():
        near = [(JaroWinkler.similarity(word, other), w[other]) for other in w]
        similarity, other_weight = max(near)
        if similarity >= threshold - 1e-9:
            total += weight * other_weight * similarity
    return total


def encoded(bags: list[list[str]]) -> tuple[list[str], object, object]:
    words = sorted({word for bag in bags for word in bag})
    rows = [row for row, bag in enumerate(bags) for _ in bag]
    counts = counted(rows, [words.index(word) for bag in bags for word in bag], len(bags))
    return words, letters(words), weighted(counts)


@settings(deadline=None)
@given(BAGS, st.sampled_from([0.8, 0.9, 0.95]))
def test_the_definition(bags: list[list[str]], threshold: float) -> None:
    _, coded, weights = encoded(bags)
    found = soft_tfidf(coded, weights, np.array([[0, 1]], dtype=np.int32), threshold)[0]  # type: ignore[arg-type]
    if not bags[0] or not bags[1]:
        assert np.isnan(found).all()
    else:
        wanted = [by_definition(a, b, bags, threshold) for a, b in ((bags[0], bags[1]), (bags[1], bags[0]))]
        assert found == pytest.approx(wanted, abs=1e-9)


def test_no_pair_of_words_is_passed_over() -> None:
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("abcdefghijkl"), rng.integers(1, 12))) for _ in range(400)]
    # Words that differ by a letter or an ending are those near the threshold.
    words += [word[:cut] + ending for word in words for cut in (4, 6) for ending in ("", "xy", word[cut + 1 :])]
    words = sorted({word for word in words if word})
    bags = weighted(counted(np.arange(len(words)), np.arange(len(words)), len(words)))
    pairs = np.array([(i, j) for i in range(0, len(words), 5) for j in range(len(words))], dtype=np.int32)
    found = soft_tfidf(letters(words), bags, pairs, 0.9)[:, 0]
    similarity = np.array([JaroWinkler.similarity(words[i], words[j]) for i, j in pairs])
    assert (similarity >= 0.9).sum() > 500
    assert found == pytest.approx(np.where(similarity >= 0.9 - 1e-9, similarity, 0.0), abs=1e-9)


@pytest.mark.parametrize("heavier", ["marthab", "marthac"])
def test_of_words_that_are_equally_near_the_weightiest_counts(heavier: str) -> None:
    bags = [["martha"], ["marthab", "marthac", heavier]]
    _, coded, weights = encoded(bags)
    found = soft_tfidf(coded, weights, np.array([[0, 1]], dtype=np.int32), 0.9)[0]  # type: ignore[arg-type]
    assert found[0] == pytest.approx(by_definition(*bags, bags, 0.9))


def test_a_similarity_of_exactly_the_threshold_counts() -> None:
    # Jaro-Winkler of these is 0.9, and 0.8999999999999999 in floating point.
    _, coded, weights = encoded([["wang"], ["wuyang"]])
    found = soft_tfidf(coded, weights, np.array([[0, 1]], dtype=np.int32), 0.9)  # type: ignore[arg-type]
    assert found[0] == pytest.approx([0.9, 0.9])


def with_others(id: str, *names: str, type: str = "list") -> Profile:
    return Profile(id, "d", "Ann", "person", relations=tuple(Relation(type, name) for name in names))


def scores(specialist: RelatedNames, profiles: list[Profile], *pairs: tuple[int, int]) -> list[float]:
    table = Profiles.of(profiles)
    return specialist.score(table, table, pairs).tolist()


def test_spelling_order_and_script_do_not_matter_much() -> None:
    same, variant, other = scores(
        RelatedNames("list_names", "list"),
        [
            with_others("1", "Иван Чернов", "Mary Johnson"),
            with_others("2", "Johnson, Mary", "Ivan Chernov"),
            with_others("3", "Ivan Tchernov", "Marie Johnsson"),
            with_others("4", "Peter Brown"),
        ],
        (0, 1),
        (0, 2),
        (0, 3),
    )
    assert same == pytest.approx(1.0)
    assert 0.3 < variant < 1.0
    assert other == 0.0


def test_asleep_unless_both_have_the_relation() -> None:
    profiles = [
        with_others("1", "Bo"),
        with_others("2", "Bo", type="family:wife"),
        with_others("3", "?!"),
        with_others("4"),
    ]
    listed, kin = RelatedNames("list_names", "list"), RelatedNames("family_names", "family")
    assert np.isnan(scores(listed, profiles, (0, 1), (0, 2), (0, 3), (2, 2))).all()
    assert scores(kin, profiles, (1, 1)) == [1.0]


def test_a_name_said_twice_counts_once() -> None:
    once = [with_others("1", "Bo Li"), with_others("2", "Bo Ma")]
    twice = [with_others("1", "Bo Li", "Bo Li"), with_others("2", "Bo Ma")]
    specialist = RelatedNames("list_names", "list")
    assert scores(specialist, once, (0, 1)) == scores(specialist, twice, (0, 1))


def test_ten_thousand_relations() -> None:
    rng = np.random.default_rng(0)
    names = ["".join(rng.choice(list("abcdefghijklmnopqrstuvwxyz"), 8)) for _ in range(10_000)]
    many = scores(
        RelatedNames("list_names", "list"), [with_others("1", *names), with_others("2", *names[::-1])], (0, 1)
    )
    assert many == pytest.approx([1.0])


def test_a_table_without_relations() -> None:
    assert np.isnan(scores(RelatedNames("list_names", "list"), [with_others("1"), with_others("2")], (0, 1))).all()


NAMES = st.sets(st.sampled_from([f"Name{letter} Last{letter}" for letter in "ABCDEFGH"]))


def beside(id: str, names: set[str]) -> Profile:
    return Profile(id, "d", id, "person", relations=tuple(Relation("list", name) for name in sorted(names)))


@settings(deadline=None)
@given(NAMES, NAMES)
def test_is_jaccard_of_sets(one: set[str], other: set[str]) -> None:
    table = Profiles.of([beside("1", one), beside("2", other)])
    found = CoOccurring("others", None).score(table, table, [(0, 1), (1, 0)])
    if one and other:
        assert found.tolist() == pytest.approx([len(one & other) / len(one | other)] * 2)
    else:
        assert np.isnan(found).all()


def test_the_type_is_that_of_the_profile_then_that_of_the_name() -> None:
    table = Profiles.of(
        [
            Profile(
                "1",
                "d",
                "Ann",
                "person",
                relations=(
                    Relation("list", "Washington", "p"),
                    Relation("list", "Acme Inc."),
                    Relation("list", "Nowhere"),
                ),
            ),
            Profile("2", "d", "Ann", "person", relations=(Relation("list", "Washington"), Relation("list", "Acme"))),
            Profile("p", "e", "Washington", "place"),
            Profile("q", "e", "Washington", "place"),
            Profile("r", "e", "Washington", "person"),
            Profile("o", "e", "ACME", "organisation"),
            Profile("o2", "e", "Acme Inc.", "organisation"),
        ]
    )
    kinds: list[EntityType | None] = ["person", "organisation", "place", None]
    found = {kind: CoOccurring(str(kind), kind).score(table, table, [(0, 1)])[0] for kind in kinds}
    assert found["organisation"] == 1.0
    assert found["place"] == 1.0
    # Washington is a place for most, and only one of the two stands beside Nowhere.
    assert np.isnan(found["person"])
    assert np.isnan(found[None])


def test_people_meet_without_middle_names_and_titles() -> None:
    table = Profiles.of(
        [
            beside("1", {"Mr. John Q. Smith"}),
            beside("2", {"John Smith"}),
            Profile("3", "d", "John Smith", "person"),
            Profile("4", "d", "Mr. John Q. Smith", "person"),
        ]
    )
    assert CoOccurring("people", "person").score(table, table, [(0, 1)]) == [1.0]


def test_other_relations_are_not_co_occurrence() -> None:
    kin = Profile("1", "d", "Ann", "person", relations=(Relation("family:wife", "Bo"),))
    table = Profiles.of([kin, kin])
    assert np.isnan(CoOccurring("others", None).score(table, table, [(0, 1)])).all()


Said = dict[str, list[str]]
HASH = "0123456789abcdef0123456789abcdef"


def shared(a: Said, b: Said) -> bool:
    table = Profiles.of([Profile("1", "d", "Ann", attributes=a), Profile("2", "d", "Ann", attributes=b)])
    found = Contacts().score(table, table, [(0, 1), (1, 0)])
    assert found[0] == found[1] == 1.0 or np.isnan(found).all()
    return bool(found[0] == 1.0)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ({"email": ["ann@example.org"]}, {"email": ["bo@example.org", "Ann@Example.ORG "]}),
        ({"phone": ["(212) 555-0100"]}, {"phone": ["+1 212 555 0100"]}),
        ({"phone": ["(212) 555-0100"]}, {"phone": ["12125550100"]}),
        ({"url": ["http://www.example.org/ann/"]}, {"url": ["example.org/ann"]}),
        ({"email": [HASH]}, {"email": [HASH]}),
    ],
)
def test_shared(a: Said, b: Said) -> None:
    assert shared(a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ({"email": ["ann@example.org"]}, {"email": ["bo@example.org"]}),
        ({"email": [HASH]}, {"phone": [HASH]}),
        ({"email": [""]}, {"email": [" "]}),
        ({"url": []}, {}),
    ],
)
def test_no_opinion(a: Said, b: Said) -> None:
    assert not shared(a, b)


def test_the_evidence_does_not_show_the_detail() -> None:
    ann = Profile("1", "d", "Ann", attributes={"email": ["ann@example.org"]})
    assert Contacts().evidence(ann, ann) == "the same email"


TEXTS = ["a poet in Paris", "the poet of Paris, Texas", "car makers in Detroit", "", "Ann the car maker"]


def table(texts: list[str]) -> Profiles:
    return Profiles.of(Profile(str(i), f"d{i}", "Ann", "person", text) for i, text in enumerate(texts))


@settings(deadline=None)
@given(st.integers(0, 2**31), st.integers(2, 12), st.integers(1, 30))
def test_the_kernel_is_a_dense_product(seed: int, n: int, width: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = sparse.random(n, width, density=0.3, format="csr", dtype=np.float32, rng=rng)
    dense = matrix.toarray()
    norm = np.linalg.norm(dense, axis=1)
    unit = sparse.csr_matrix(dense / np.where(norm > 0, norm, 1)[:, None])
    pairs = rng.integers(0, n, (50, 2)).astype(np.int32)
    found = kernels.sparse_cosine(
        unit.indptr.astype(np.int64), unit.indices.astype(np.int32), unit.data.astype(np.float32), width, pairs
    )
    wanted = (unit @ unit.T).toarray()[pairs[:, 0], pairs[:, 1]]
    empty = (norm[pairs] == 0).any(axis=1)
    assert np.isnan(found[empty]).all()
    assert found[~empty] == pytest.approx(wanted[~empty], abs=1e-5)


def test_agrees_with_the_vectoriser() -> None:
    profiles = table(TEXTS)
    vectoriser = ContextVectoriser().fit([TEXTS])
    wanted = vectoriser.transform(profiles).cosine()
    pairs = [(i, j) for i in range(len(TEXTS)) for j in range(len(TEXTS)) if i != 3 != j]
    found = Contexts(vectoriser).score(profiles, profiles, pairs)
    assert found == pytest.approx([wanted[pair] for pair in pairs], abs=1e-6)
    assert found == pytest.approx(Contexts().score(profiles, profiles, pairs), abs=1e-6)


def test_asleep_without_words() -> None:
    profiles = table(["", "the of and", "Ann", "a poet"])
    assert np.isnan(Contexts().score(profiles, profiles, [(0, 3), (1, 3), (2, 3), (0, 0)])).all()


def test_frequencies_of_the_collection_count() -> None:
    profiles = table(["poet car", "poet boat"])
    common = ContextVectoriser().fit([["poet"] * 50 + ["car", "boat"]])
    rare = ContextVectoriser().fit([["car boat"] * 50 + ["poet"]])
    assert Contexts(common).score(profiles, profiles, [(0, 1)]) < Contexts(rare).score(profiles, profiles, [(0, 1)])
