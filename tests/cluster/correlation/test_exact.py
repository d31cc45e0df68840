"""Every solver against the paper's example and against all partitions; bounds below, heuristics above the optimum."""

from __future__ import annotations

import numpy as np
import pytest
from correlation_instances import languages
from hypothesis import given, settings
from hypothesis import strategies as st

from crossdoc.cluster.correlation import build, exact

from .cases import (
    NEAR,
    SOLVERS,
    disagreements,
    honours,
    optimum,
    random_constraints,
    random_groups,
    random_weights,
    seeds,
    with_soft,
)


@given(seed=seeds, n=st.integers(1, 7), density=st.floats(0.2, 1), shift=st.floats(-0.5, 0.5))
@settings(max_examples=20, deadline=None)
def test_bounds_and_costs_enclose_the_optimum(seed, n, density, shift):
    rng = np.random.default_rng(seed)
    weights, limits = random_weights(rng, n, density, shift), random_constraints(rng, n)
    groups = random_groups(rng, limits)
    best = optimum(with_soft(weights, limits), limits, groups)
    problem = build(weights, constraints=limits, groups=groups)
    for name, solve in SOLVERS.items():
        solution = solve(problem)
        assert honours(solution.labels, limits, groups)
        assert solution.objective == pytest.approx(disagreements(with_soft(weights, limits), solution.labels))
        assert solution.lower_bound <= best + NEAR
        assert solution.objective >= best - NEAR
        if name == "exact":
            assert solution.objective == pytest.approx(best, abs=NEAR)
            assert solution.gap == 0


@given(seed=seeds)
@settings(max_examples=4, deadline=None)
def test_nine_rows_against_all_partitions(seed):
    rng = np.random.default_rng(seed)
    weights, limits = random_weights(rng, 9), random_constraints(rng, 9)
    groups = random_groups(rng, limits)
    best = optimum(with_soft(weights, limits), limits, groups)
    solution = exact.solve(build(weights, constraints=limits, groups=groups))
    assert solution.objective == pytest.approx(best, abs=NEAR)


def test_a_time_limit_leaves_a_true_bound():
    drawn = languages(160, 8, 0.5, seed=3)
    problem = build(drawn.similarity, bias=drawn.bias)
    stopped = exact.solve(problem, time_limit=0.3)
    assert "time limit" in stopped.note
    assert 0 < stopped.gap <= 1
    assert stopped.lower_bound <= stopped.objective
