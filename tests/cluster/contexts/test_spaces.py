"""Spaces of vectors and of similarities: limits, and rows that are too many."""

import numpy as np
import pytest
from scipy import sparse

from crossdoc.cluster.contexts.criteria import CODES, criterion_value
from crossdoc.cluster.contexts.spaces import ContextLimits, SimilaritySpace
from crossdoc.model.evidence_protocol import Constraints

from .test_partitioning import SPACES, rows_of, space_of


def test_soft_constraints_add_their_weight_to_the_similarity():
    rows = rows_of(8, n=10)
    n = len(rows)
    soft = np.array([[0, 1], [2, 3], [4, 5]], dtype=np.int32)
    weights = np.array([0.8, -0.6, 0.5])
    limits = ContextLimits.of(
        Constraints(n, np.arange(n, dtype=np.int32), soft=soft, soft_weight=weights), np.arange(n), n
    )
    leaned = rows @ rows.T
    for (a, b), weight in zip(soft, weights, strict=True):
        leaned[a, b] += weight
        leaned[b, a] += weight
    plain = SimilaritySpace.of(
        sparse.csr_matrix(leaned), 0.0, np.ones(n), ContextLimits.of(Constraints.none(n), np.arange(n), n)
    )
    start = np.arange(n) % 3
    for criterion, code in CODES.items():
        wanted = plain.refine(start, 3, code, 0)
        for kind in SPACES:
            found = space_of(kind, rows, limits).refine(start, 3, code, 0)
            reached, best = (criterion_value(criterion, leaned, each, space="similarity") for each in (found, wanted))
            assert reached == pytest.approx(best)
            assert found.tolist() == wanted.tolist()
