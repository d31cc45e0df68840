"""The bias: what a sweep tries, and what is chosen without gold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossdoc.crosslingual.bias import choose_bias, positive_share, sweep_biases
from crossdoc.model import Relations

from .common import relations


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
