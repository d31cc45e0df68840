"""Small groups that join a large one: the definition by hand, copies, what is kept apart, and who opens no door."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cluster.test_hierarchical import random_limits, random_matrix

from crossdoc.cluster.gathering import LARGE, gathered
from crossdoc.cluster.hierarchical import MeanMaxClustering, renumber
from crossdoc.constraints import Constraints
from crossdoc.model import Relations

seeds = st.integers(0, 2**32 - 1)


def reference(matrix, labels, small):
    """Cosines of sums, from the whole matrix; None where two answers are too near to tell in single precision."""
    groups = [np.flatnonzero(labels == g) for g in range(labels.max() + 1)]

    def like(a, b):
        between = matrix[np.ix_(a, b)].sum()
        return between / np.sqrt(matrix[np.ix_(a, a)].sum() * matrix[np.ix_(b, b)].sum())

    bars = {g: min(like([i], rows[rows != i]) for i in rows) for g, rows in enumerate(groups) if len(rows) >= LARGE}
    found = labels.copy()
    for rows in groups:
        if len(rows) > small or not bars:
            continue
        ranked = sorted(((like(rows, groups[b]) - bar, b) for b, bar in bars.items()), reverse=True)
        if abs(ranked[0][0]) < 1e-5 or (len(ranked) > 1 and ranked[0][0] - ranked[1][0] < 1e-5):
            return None
        if ranked[0][0] >= 0:
            found[rows] = ranked[0][1]
    return found.tolist()


def gather(matrix, labels, *, small=3, limits=None, weights=None, default=None):
    pairs = Relations.from_dense(matrix.astype(np.float32))
    if default is not None:
        keep = pairs.strength != np.float32(default)
        pairs = Relations(pairs.n, pairs.left[keep], pairs.right[keep], pairs.strength[keep], default)
    n = len(matrix)
    limits = Constraints.none(n) if limits is None else limits
    return gathered(pairs, labels, limits, np.ones(n) if weights is None else weights, small).tolist()


def some_labels(rng, n):
    """Two large groups and small ones."""
    return renumber(rng.permutation(np.r_[np.zeros(7, int), np.ones(6, int), rng.integers(2, 7, n - 13)]))


@settings(deadline=None)
@given(seeds, st.integers(1, 4), st.sampled_from([None, 0.0, 0.2]))
def test_by_definition(seed, small, default):
    rng = np.random.default_rng(seed)
    labels = some_labels(rng, 20)
    matrix = random_matrix(rng, 20)
    if default is not None:
        rare = np.triu(rng.random((20, 20)) < 0.4, 1)
        matrix[rare | rare.T] = np.float32(default)
    expected = reference(matrix, labels, small)
    assert expected is None or gather(matrix, labels, small=small, default=default) == expected


@settings(deadline=None)
@given(seeds)
def test_a_weight_is_so_many_copies(seed):
    rng = np.random.default_rng(seed)
    labels, matrix = some_labels(rng, 20), random_matrix(rng, 20, 0.1, 0.9)
    weights = rng.integers(1, 4, 20)
    copies = np.repeat(np.arange(20), weights)
    many = matrix[np.ix_(copies, copies)]
    once = np.array(gather(matrix, labels, weights=weights.astype(float)))
    assert once[copies].tolist() == gather(many, labels[copies])


def near(*strengths):
    """Five rows of .9 to each other but for the fifth, of .5; then rows of so much to these and .1 to each other."""
    n = 5 + len(strengths)
    matrix = np.full((n, n), 0.1)
    matrix[:5, :5] = 0.9
    matrix[4, :4] = matrix[:4, 4] = 0.5
    for row, strength in enumerate(strengths, 5):
        matrix[row, :5] = matrix[:5, row] = strength
    np.fill_diagonal(matrix, 1.0)
    return matrix, np.r_[np.zeros(5), np.arange(1, n - 4)].astype(np.int32)


def test_no_nearer_than_its_farthest_member_and_nobody_lowers_the_bar():
    matrix, labels = near(0.52, 0.42)
    # By hand: the fifth row has 4 · .5 / √(4 + 12 · .9) = .520; a row of s has 5 s / √(5 + 12 · .9 + 8 · .5) = 1.124 s.
    assert gather(matrix, labels) == [0, 0, 0, 0, 0, 0, 2]
    assert gather(*near(0.45, 0.47)) == [0, 0, 0, 0, 0, 1, 0]
    # With 0.52 a member, the rest is less alike, and .42 would be enough.
    matrix[6, 5] = matrix[5, 6] = 0.9
    assert gather(matrix, labels) == [0, 0, 0, 0, 0, 0, 2]


def test_only_small_groups_join_and_only_large_ones_are_joined():
    matrix, labels = near(0.6, 0.6, 0.6)
    together = np.where(labels > 0, 1, 0).astype(np.int32)
    matrix[5:, 5:] = 0.9
    np.fill_diagonal(matrix, 1.0)
    assert gather(matrix, together, small=3) == [0] * 8
    assert gather(matrix, together, small=2) == together.tolist()
    few = np.r_[0, 1:8]
    assert gather(matrix[np.ix_(few[1:], few[1:])], together[1:]) == together[1:].tolist()


@pytest.mark.parametrize("by_rule", [False, True])
def test_what_is_kept_apart_stays_apart_also_from_one_that_joined_before(by_rule):
    def limits(*pairs):
        pairs = np.array(pairs, dtype=np.int32)
        if by_rule:
            return Constraints(7, np.arange(7, dtype=np.int32), soft=pairs, soft_weight=np.full(len(pairs), -1000.0))
        return Constraints(7, np.arange(7, dtype=np.int32), pairs)

    matrix, labels = near(0.6, 0.7)
    assert gather(matrix, labels) == [0] * 7
    assert gather(matrix, labels, limits=limits((2, 5))) == [0, 0, 0, 0, 0, 1, 0]
    assert gather(matrix, labels, limits=limits((6, 5))) == [0, 0, 0, 0, 0, 1, 0]


@pytest.mark.parametrize("low", [-1.0, -0.2])
def test_weights_below_0_give_no_bar_and_no_warning(low):
    matrix = random_matrix(np.random.default_rng(3), 12, low, 0.1)
    labels = np.r_[np.zeros(6), 1, 1, 2, 3, 4, 5].astype(np.int32)
    assert len(gather(matrix, labels)) == 12


@settings(deadline=None)
@given(seeds)
def test_the_estimator_gathers_after_linkage_and_within_limits(seed):
    rng = np.random.default_rng(seed)
    n = 24
    matrix = random_matrix(rng, n, 0.2, 0.8)
    core = rng.permutation(n)[:10]
    matrix[np.ix_(core, core)] = 0.7
    np.fill_diagonal(matrix, 1.0)
    limits = random_limits(rng, n, 3, 12)
    plain = MeanMaxClustering(threshold=0.62).fit(matrix, constraints=limits)
    found = MeanMaxClustering(threshold=0.62, gather=3).fit(matrix, constraints=limits)
    pairs = Relations.from_dense(matrix.astype(np.float32))
    assert found.labels_.tolist() == renumber(gathered(pairs, plain.labels_, limits, np.ones(n), 3)).tolist()
    assert (found.labels_[limits.cannot[:, 0]] != found.labels_[limits.cannot[:, 1]]).all()
    assert found.partition_.labels.tolist() == found.labels_.tolist()
