"""Every solver against the paper's example and against all partitions; bounds below, heuristics above the optimum."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[3] / "experiments"))
from cases import (
    TOY,
    disagreements,
    honours,
    optimum,
    random_constraints,
    random_groups,
    random_weights,
    with_soft,
)
from correlation_instances import languages, planted

from crossdoc.cluster.correlation import build, exact, full_program, local_search, relaxation
from crossdoc.cluster.correlation.local_search import packing_bound
from crossdoc.cluster.correlation.problem import noise_of, relative_gap
from crossdoc.cluster.hierarchical import LinkageClustering
from crossdoc.model import Relations
from crossdoc.model.constraints import Constraints

SOLVERS = {
    "exact": exact.solve,
    "lp": relaxation.solve,
    "moves": local_search.solve,
    "full": full_program.solve,
    "chunking": partial(full_program.solve, chunk=full_program.CHUNK_ROWS),
}
seeds = st.integers(0, 2**32 - 1)
NEAR = 1e-6


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_example_of_the_paper(solver):
    solution = SOLVERS[solver](build(TOY))
    assert solution.labels.tolist() == [0, 1, 1, 1]
    assert solution.objective == pytest.approx(30)
    assert solution.lower_bound == pytest.approx(30)
    assert solution.gap == 0


def test_what_linkage_makes_of_the_example():
    never = Constraints(4, np.arange(4, dtype=np.int32), np.array([[0, 1]], dtype=np.int32))
    scaled = TOY / 1000
    chained = LinkageClustering("single", 1e-9).fit(scaled).labels_
    constrained = LinkageClustering("single", 1e-9).fit(scaled, constraints=never).labels_
    average = LinkageClustering("average", 1e-9).fit(scaled).labels_
    assert chained.tolist() == [0, 0, 0, 0]
    assert constrained.tolist() == average.tolist() == [0, 1, 0, 1]
    assert disagreements(TOY, constrained) == 40


@given(seed=seeds, n=st.integers(1, 7), density=st.floats(0.2, 1), shift=st.floats(-0.5, 0.5))
@settings(max_examples=20, deadline=None)
def test_bounds_and_costs_enclose_the_optimum(seed, n, density, shift):
    rng = np.random.default_rng(seed)
    weights, limits = random_weights(rng, n, density, shift), random_constraints(rng, n)
    groups = random_groups(rng, limits)
    best = optimum(with_soft(weights, limits), limits, groups)
    problem = build(weights, constraints=limits, groups=groups)
    assert packing_bound(problem) <= best + NEAR
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


@given(seed=seeds, n=st.integers(2, 24), bias=st.floats(0.1, 0.9), share=st.floats(0.05, 1), missing=st.booleans())
@settings(max_examples=25, deadline=None)
def test_the_lazy_program_has_the_optimum_of_the_full_one(seed, n, bias, share, missing):
    rng = np.random.default_rng(seed)
    weights = random_weights(rng, n, share)
    problem = build(weights, bias=bias if missing else None, groups=rng.integers(0, 6, n) if seed % 2 else None)
    lazy, whole = relaxation.solve(problem), full_program.solve(problem)
    assert lazy.lower_bound == pytest.approx(min(whole.lower_bound, lazy.objective), abs=NEAR)


@pytest.mark.parametrize(("n", "positive"), [(64, 0.05), (64, 0.3), (128, 0.03)])
def test_the_lazy_program_on_languages(n, positive):
    drawn = languages(n, 8, positive)
    problem = build(drawn.similarity, bias=drawn.bias, groups=drawn.language)
    lazy = relaxation.solve(problem)
    if n == 64:
        assert lazy.lower_bound == pytest.approx(full_program.solve(problem).lower_bound, abs=1e-5)
    assert lazy.lower_bound <= exact.solve(problem).objective + NEAR <= lazy.objective + 2 * NEAR


@pytest.mark.slow
@pytest.mark.parametrize("positive", [0.03, 0.1])
def test_the_lazy_program_equals_the_full_one_at_128(positive):
    drawn = languages(128, 8, positive)
    problem = build(drawn.similarity, bias=drawn.bias, groups=drawn.language)
    assert relaxation.solve(problem).lower_bound == pytest.approx(full_program.solve(problem).lower_bound, abs=1e-5)


@pytest.mark.parametrize("rows", [100, 700, 5000])
@given(seed=seeds, n=st.integers(8, 18))
@settings(max_examples=5, deadline=None)
def test_chunks_have_the_optimum_of_all_rows(rows, seed, n):
    problem = build(random_weights(np.random.default_rng(seed), n))
    chunks, whole = full_program.solve(problem, chunk=rows), full_program.solve(problem)
    assert chunks.lower_bound == pytest.approx(whole.lower_bound, abs=1e-5)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_a_cost_that_is_rounding_is_nothing(solver, scale):
    # Two cliques without a disagreement, whose weights do not add up to the last digit.
    strengths = scale * np.random.default_rng(5).uniform(0.2, 0.9, (12, 12))
    left, right = (side.astype(np.int32) for side in np.triu_indices(12, 1))
    kept = (left < 6) == (right < 6)
    pairs = Relations(12, left[kept], right[kept], strengths[left[kept], right[kept]].astype(np.float32))
    problem = build(pairs, bias=0.1 * scale)
    two = np.repeat(np.arange(2, dtype=np.int32), 6)
    drifted = replace(problem, offset=problem.offset + 5e-16 * scale)
    for given_ in (problem, drifted, replace(problem, offset=problem.offset - 5e-14 * scale)):
        solution = SOLVERS[solver](given_)
        assert solution.labels.tolist() == two.tolist()
        assert (solution.objective, solution.lower_bound, solution.gap) == (0, 0, 0)
        assert "time limit" not in solution.note
    apart = two.copy()
    apart[0] = 2
    assert problem.cost(apart) > 0.1 * scale


def test_a_gap_is_rounding_by_the_measure_of_all_weights():
    assert relative_gap(1e-13, 0.0, noise_of(1.0)) == 0
    assert relative_gap(1e-13, 0.0, noise_of(1e-3)) == 1
    assert relative_gap(-1e-16, -1e-15, noise_of(1.0)) == 0
    assert relative_gap(1e-16, 0.0) == 1


def test_a_time_limit_leaves_a_true_bound():
    drawn = languages(160, 8, 0.5, seed=3)
    problem = build(drawn.similarity, bias=drawn.bias)
    stopped = exact.solve(problem, time_limit=0.3)
    assert "time limit" in stopped.note
    assert 0 < stopped.gap < 1
    assert stopped.lower_bound <= stopped.objective


@pytest.mark.parametrize("seed", range(3))
def test_the_same_seed_gives_the_same_answer(seed):
    pairs, _ = planted(2_000, seed=seed)
    problem = build(pairs, missing="sparse")
    for solve in (local_search.solve, relaxation.solve):
        assert (solve(problem, seed=seed).labels == solve(problem, seed=seed).labels).all()


def test_moves_find_what_was_planted_and_more():
    pairs, planted_clusters = planted(5_000)
    problem = build(pairs, missing="sparse")
    solution = local_search.solve(problem)
    assert solution.lower_bound <= solution.objective < problem.cost(planted_clusters)
    assert relaxation.solve(problem).gap < 0.01


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
