"""Problems and solutions: the example of the paper, costs and gaps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from crossdoc.cluster.correlation import build
from crossdoc.cluster.correlation.problem import relative_gap
from crossdoc.cluster.hierarchical import LinkageClustering
from crossdoc.model import Relations
from crossdoc.model.evidence_protocol import Constraints

from .cases import (
    SOLVERS,
    TOY,
    disagreements,
)


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_example_of_the_paper(solver):
    solution = SOLVERS[solver](build(TOY))
    assert solution.labels.tolist() == [0, 1, 1, 1]
    assert solution.objective == pytest.approx(30)
    assert solution.lower_bound == pytest.approx(0 if solver == "moves" else 30)
    assert solution.gap == (solver == "moves")


def test_what_linkage_makes_of_the_example():
    never = Constraints(4, np.arange(4, dtype=np.int32), np.array([[0, 1]], dtype=np.int32))
    scaled = TOY / 1000
    chained = LinkageClustering("single", 1e-9).fit(scaled).labels_
    constrained = LinkageClustering("single", 1e-9).fit(scaled, constraints=never).labels_
    average = LinkageClustering("average", 1e-9).fit(scaled).labels_
    assert chained.tolist() == [0, 0, 0, 0]
    assert constrained.tolist() == average.tolist() == [0, 1, 0, 1]
    assert disagreements(TOY, constrained) == 40


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
    assert relative_gap(1e-13, 0.0, 1e-12) == 0
    assert relative_gap(1e-13, 0.0, 1e-15) == 1
    assert relative_gap(-1e-16, -1e-15, 1e-12) == 0
    assert relative_gap(1e-16, 0.0) == 1
    pairs = Relations(2, np.array([0], np.int32), np.array([1], np.int32), np.array([1.0], np.float32))
    assert build(pairs, bias=0.5).noise == pytest.approx(2e-12)
