"""Rows to cluster: soft constraints, and rows that must be one."""

import numpy as np
import pytest

from crossdoc.cluster.contexts.criteria import CODES
from crossdoc.cluster.contexts.partitioning import Search
from crossdoc.cluster.contexts.spaces import ContextMatrix
from crossdoc.model.evidence_protocol import Constraints

from .test_criteria import by_definition
from .test_partitioning import rows_of, space_of


@pytest.mark.parametrize("criterion", list(CODES))
def test_soft_constraints_add_their_weight_to_the_similarity(criterion):
    rows = rows_of(8, n=10)
    n = len(rows)
    soft = np.array([[0, 1], [2, 3], [4, 5]], dtype=np.int32)
    weights = np.array([0.8, -0.6, 0.5])
    leaned = rows @ rows.T
    for (a, b), weight in zip(soft, weights, strict=True):
        leaned[a, b] += weight
        leaned[b, a] += weight
    limits = Constraints(n, np.arange(n, dtype=np.int32), soft=soft, soft_weight=weights)
    found = space_of(rows, limits).refine(np.arange(n) % 3, 3, CODES[criterion], 0)
    sign = -1 if criterion == "e1" else 1
    reached = sign * by_definition(criterion, leaned, found)
    for row in range(n):
        for other in range(3):
            moved = np.where(np.arange(n) == row, other, found)
            if len(np.unique(moved)) == 3:
                assert sign * by_definition(criterion, leaned, moved) <= reached + 1e-6 * abs(reached)


def test_rows_that_must_be_one_are_their_weighted_sum():
    rows = rows_of(3, n=6)
    space = ContextMatrix.of(rows).space(np.array([1.0, 2, 1, 1, 1, 1]), Constraints(6, np.array([0, 0, 1, 2, 3, 3])))
    assert space.weight.tolist() == [3, 1, 1, 2]
    np.testing.assert_allclose(space.matrix.toarray()[0], rows[0] + 2 * rows[1])
    found = Search(CODES["i2"]).measured(space, np.array([0, 0, 1, 1]), 2)
    each = np.array([0, 0, 0, 0, 1, 1, 1])
    repeated = rows[[0, 1, 1, 2, 3, 4, 5]]
    assert found.value == pytest.approx(by_definition("i2", repeated @ repeated.T, each))
