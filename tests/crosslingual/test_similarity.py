"""TF-IDF over features, against the paper's formula and scikit-learn."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics.pairwise import cosine_similarity

from crossdoc.crosslingual.groups import FEATURE_KINDS
from crossdoc.crosslingual.similarity import BestMatches, choose_bias, positive_share, similarities, sweep_biases
from crossdoc.model import Relations

from .common import relations


def said(*texts):
    return [{kind: Counter(text.split() if kind == "word" else ()) for kind in FEATURE_KINDS} for text in texts]


def test_the_papers_inner_product():
    groups = said("a a b", "a c", "b d d", "a b e")
    languages = np.array([0, 0, 1, 1], dtype=np.int32)
    inner = similarities(groups, languages, measure="inner")
    log = {"a": np.log(4 / 3), "b": np.log(4 / 3)}
    expected = {(0, 2): log["b"] ** 2, (0, 3): 2 * log["a"] ** 2 + log["b"] ** 2, (1, 3): log["a"] ** 2}
    top = max(expected.values())
    found = dict(zip(zip(inner.left.tolist(), inner.right.tolist(), strict=True), inner.strength, strict=True))
    assert found == {pair: pytest.approx(value / top, rel=1e-6) for pair, value in expected.items()}


def test_only_pairs_of_different_languages():
    groups = said("x y", "x z", "x y", "x z")
    relations = similarities(groups, np.array([0, 0, 1, 1], dtype=np.int32))
    assert list(zip(relations.left, relations.right, relations.strength, strict=True)) == [(0, 2, 1.0), (1, 3, 1.0)]


def test_kinds():
    one = {kind: Counter() for kind in FEATURE_KINDS}
    counted = [("ab", "1"), ("ac", "1"), ("b", ""), ("c", "2")]
    groups = [one | {"word": Counter(letters), "number": Counter(digits)} for letters, digits in counted]
    languages = np.array([0, 1, 2, 3], dtype=np.int32)
    word, number, both = (
        similarities(groups, languages, kinds, measure="inner") for kinds in (["word"], ["number"], ["number", "word"])
    )
    assert (len(word), len(number), len(both)) == (3, 1, 3)
    assert both.dense()[0, 1] > both.dense()[0, 2]
    assert word.dense()[0, 1] == pytest.approx(word.dense()[0, 2])


def test_relative_to_the_best_matches():
    groups = said("a b c d", "a b x", "c d y", "z x y")
    languages = np.array([0, 1, 1, 0], dtype=np.int32)
    cosine = similarities(groups, languages, measure="cosine").dense()
    found = similarities(groups, languages, measure="relative").dense()
    best = {
        row: max(cosine[row, other] for other in range(4) if languages[other] != languages[row]) for row in range(4)
    }
    for a, b in [(0, 1), (0, 2), (1, 3), (2, 3)]:
        share = cosine[a, b] ** 2 / (best[a] * best[b])
        assert found[a, b] == pytest.approx(cosine[a, b] * share**2, rel=1e-5)


def test_nothing_in_common_and_nothing_at_all():
    languages = np.array([0, 1], dtype=np.int32)
    assert len(similarities(said("a", "b"), languages)) == 0
    assert len(similarities(said("", ""), languages)) == 0
    assert similarities([], np.zeros(0, dtype=np.int32)).n == 0


@given(st.lists(st.tuples(st.text("abcdef ", max_size=12), st.integers(0, 2)), min_size=2, max_size=8))
def test_cosine_against_scikit_learn(rows):
    texts, languages = [text for text, _ in rows], np.array([language for _, language in rows], dtype=np.int32)
    vocabulary = sorted({letter for text in texts for letter in text.split()})
    counts = np.array([[text.split().count(word) for word in vocabulary] for text in texts], dtype=float)
    if not vocabulary:
        return
    seen = [
        len({language for row, language in zip(counts[:, i], languages, strict=True) if row})
        for i in range(len(vocabulary))
    ]
    weight = np.log(len(texts) / (counts > 0).sum(axis=0)) * (np.array(seen) > 1)
    expected = cosine_similarity(counts * weight)
    expected[languages[:, None] == languages[None, :]] = 0
    found = similarities(said(*texts), languages, measure="cosine").dense()
    np.fill_diagonal(found, 0)
    assert found == pytest.approx(expected, abs=1e-6)


def test_best_matches():
    language = np.array([0, 0, 1, 1, 2], dtype=np.int32)
    matrix = np.zeros((5, 5))
    for a, b, value in [(0, 2, 0.9), (0, 3, 0.5), (1, 2, 0.6), (0, 4, 0.3), (2, 4, 0.2), (1, 4, 0.8)]:
        matrix[a, b] = matrix[b, a] = value
    best = BestMatches.from_relations(relations(matrix, language), language)
    assert best.match.tolist() == [[-1, 2, 4], [-1, 2, 4], [0, -1, 4], [0, -1, -1], [1, 2, -1]]
    assert best.first[0].tolist() == pytest.approx([0, 0.9, 0.3])
    assert best.second[0].tolist() == pytest.approx([0, 0.5, 0])
    # 0–2, 1–4 and 2–4 are mutual. 1–4 agree on 2, 2–4 do not on language 0, and nothing is near enough to 0–2.
    similarity, agreement = best.agreement()
    assert sorted(zip(similarity.round(6).tolist(), agreement.tolist(), strict=True)) == [(0.2, 0), (0.8, 1)]


def planted(seed, groups=60, languages=4, kept=0.6, true=(0.4, 0.9), false=(0.0, 0.4)):
    """Groups with a node in some languages; true pairs are more similar than nearly all false ones."""
    rng = np.random.default_rng(seed)
    entity, language = np.divmod(np.arange(groups * languages), languages)
    there = rng.random(len(entity)) < kept
    entity, language = entity[there], language[there].astype(np.int32)
    matrix = rng.uniform(*false, (len(entity), len(entity)))
    same = entity[:, None] == entity[None, :]
    matrix[same] = rng.uniform(*true, same.sum())
    matrix = np.triu(matrix, 1)
    return matrix + matrix.T, language, entity


@given(st.lists(st.floats(0, 1, width=32), min_size=0, max_size=40), st.integers(0, 30), st.floats(0.01, 1))
def test_a_sweep_makes_more_and_more_pairs_positive(strengths, more, until):
    pairs = len(strengths) + more
    given_ = Relations(
        2, np.zeros(len(strengths), np.int32), np.ones(len(strengths), np.int32), np.array(strengths, np.float32)
    )
    biases = sweep_biases(given_, pairs, step=0.05, until=until)
    counts = [(given_.strength > bias).sum() for bias in biases]
    assert counts == sorted(set(counts))
    if any(strength > 0 for strength in strengths):
        assert counts[0] == (given_.strength == given_.strength.max()).sum()
    else:
        assert not len(biases)


def test_the_papers_steps():
    strengths = np.linspace(1, 0.001, 1000, dtype=np.float32)
    many = Relations(2, np.zeros(1000, np.int32), np.ones(1000, np.int32), strengths)
    biases = sweep_biases(many, 10_000, step=0.001, until=0.1)
    shares = [positive_share(many, 10_000, bias) for bias in biases]
    assert shares[0] == pytest.approx(1e-4)
    assert shares[1] == pytest.approx(0.0011)
    assert len(shares) == 100
    assert shares[-1] <= 0.1


@pytest.mark.parametrize("seed", range(5))
def test_the_chosen_bias_parts_true_from_false(seed):
    matrix, language, _ = planted(seed)
    chosen = choose_bias(relations(matrix, language), language)
    assert chosen.rule == "third languages agree"
    # Best matches of 0.38 to 0.40 are false ones, of 0.45 and more nearly all true.
    assert 0.3 <= chosen.bias <= 0.55


def test_it_moves_with_the_similarities():
    matrix, language, _ = planted(0)
    low = choose_bias(relations(matrix / 2, language), language).bias
    assert low == pytest.approx(choose_bias(relations(matrix, language), language).bias / 2, rel=1e-3)


def test_two_languages_have_no_third():
    matrix, language, _ = planted(1, languages=2, groups=200)
    chosen = choose_bias(relations(matrix, language), language)
    assert chosen.rule == "second-best matches"
    assert 0.2 <= chosen.bias <= 0.6


def test_nothing_in_common():
    language = np.array([0, 1], dtype=np.int32)
    chosen = choose_bias(relations(np.zeros((2, 2)), language), language)
    assert (chosen.bias, chosen.matches) == (1.0, 0)
