"""SoftTFIDF against its definition written out, and its specialist on bags of every kind."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import JaroWinkler

from crossdoc.compare.specialists import RelatedNames
from crossdoc.compare.specialists.coding import counted, letters
from crossdoc.compare.specialists.soft_tfidf import soft_tfidf, weighted
from crossdoc.model import Profile, Profiles, Relation

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
