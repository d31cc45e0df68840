"""Rounding: integral cuts come back, hard constraints hold, and the paper's behaviour at x = ½."""

from __future__ import annotations

import numpy as np
import pytest
from correlation_instances import languages, planted
from hypothesis import given, settings
from hypothesis import strategies as st

from crossdoc.cluster.correlation import build, exact, local_search, relaxation
from crossdoc.cluster.correlation.relaxation import grow_regions, region
from crossdoc.cluster.hierarchical import renumber

from .cases import (
    NEAR,
)


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 30))
@settings(max_examples=20, deadline=None)
def test_integral_cuts_come_back(seed, n):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 5, n)
    together = labels[:, None] == labels[None, :]
    problem = build(np.where(together, 1.0, rng.choice([1.0, -1.0])))
    left, right, _ = problem.positive
    found = region(problem, (labels[left] != labels[right]).astype(float))
    assert renumber(found).tolist() == renumber(labels).tolist()


def test_balls_stay_below_a_half():
    """Three mutual halves leave three singletons: the recall that turns back in Figure 3 of the paper."""
    problem = build(np.array([[0, 1, 1], [1, 0, 1], [1, 1, 0.0]]))
    assert len(set(region(problem, np.full(3, 0.5)).tolist())) == 3
    assert len(set(region(problem, np.full(3, 0.0)).tolist())) == 1


def edges(n, cuts):
    """A problem whose attractive pairs are those of `cuts`, each of weight 1, and how far they are cut."""
    weights = np.zeros((n, n))
    for a, b in cuts:
        weights[a, b] = weights[b, a] = 1
    problem = build(weights)
    left, right, _ = problem.positive
    return problem, np.array([cuts[pair] for pair in zip(left.tolist(), right.tolist(), strict=True)])


@pytest.mark.parametrize(("far", "expected"), [(1.0, [0, 1, 2, 3]), (0.4, [0, 0, 1, 2])])
def test_a_ball_begins_with_its_share_of_the_whole_volume(far, expected):
    """Ball {0}: cut 1, volume F/4 + 0.1, F = 0.1 + far, c·ln 5 = 3.22: it stops where 3.22·(F/4 + 0.1) ≥ 1."""
    assert (2 * np.log(5) * ((0.1 + far) / 4 + 0.1) >= 1) == (expected[1] == 1)
    assert region(*edges(4, {(0, 1): 0.1, (2, 3): far})).tolist() == expected


@pytest.mark.parametrize(("last", "expected"), [(0.28, [0, 0, 0]), (0.3, [0, 0, 1]), (0.6, [0, 0, 1])])
def test_no_ball_reaches_a_half_however_much_it_cuts(last, expected):
    problem, x = edges(3, {(0, 1): 0.2, (1, 2): last})
    assert grow_regions(*problem.paths, problem.positive[2], x, 0.0).tolist() == expected


@pytest.mark.parametrize("positive", [0.05, 0.3, 0.7])
def test_hard_constraints_hold_without_moves(positive):
    drawn = languages(60, 3, positive, seed=5)
    problem = build(drawn.similarity, bias=drawn.bias, groups=drawn.language)
    solution = relaxation.solve(problem, polish=False)
    clusters = np.zeros(problem.n_nodes, dtype=np.int32)
    clusters[problem.node] = solution.labels
    assert problem.allows(clusters)
    assert relaxation.solve(problem).objective <= solution.objective + 1e-9


@given(seed=st.integers(0, 2**32 - 1), positive=st.floats(0.02, 0.6))
@settings(max_examples=15, deadline=None)
def test_region_growing_keeps_its_promise(seed, positive):
    """Cost ≤ c · ln(n + 1) · LP on the cut side, and joined pairs cost at most twice (d < 1): O(log n) in all."""
    drawn = languages(40, 4, positive, seed=seed % 1000)
    problem = build(drawn.similarity, bias=drawn.bias)
    solution = relaxation.solve(problem, polish=False)
    assert solution.objective <= (2.1 * np.log(41) + 1) * solution.lower_bound + 1e-6


def test_the_relaxation_is_cut_short_but_right_on_a_sparse_graph():
    pairs, _ = planted(1_500, reach=0, flipped=0.02)
    problem = build(pairs, missing="sparse")
    whole, short = relaxation.solve(problem), relaxation.solve(problem, time_limit=1e-3)
    assert short.lower_bound <= whole.lower_bound + NEAR
    assert whole.lower_bound <= exact.solve(problem, time_limit=20).objective + NEAR


@pytest.mark.parametrize("seed", [0, 1])
def test_the_relaxation_where_most_nodes_are_one_attractive_component(seed):
    problem = build(planted(1200, reach=0, flipped=0.03, seed=seed)[0], missing="sparse")
    program, whole = relaxation.relax(problem, local_search.search(problem, restarts=0))
    assert whole
    assert program.constant < program.value <= exact.solve(problem, time_limit=20).objective + NEAR
