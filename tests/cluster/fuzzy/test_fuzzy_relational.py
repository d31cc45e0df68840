"""Fuzzy clusterers go on from an earlier answer: what is new is placed among the centres that are there."""

from __future__ import annotations

import numpy as np
import pytest

from crossdoc.cluster.fuzzy import ARCA, FRC, KARC
from crossdoc.constraints import Constraints
from crossdoc.model import Judgement

START = np.array([4, 4, 4, 4, 9, 9, 9, 9, -1, -1])


def strengths() -> np.ndarray:
    """Two clusters of four, one row more that is like the second, and one between them, nearer to the first."""
    matrix = np.full((10, 10), 0.1)
    matrix[:4, :4] = matrix[4:9, 4:9] = 0.9
    matrix[9, :4], matrix[9, 4:9] = 0.7, 0.5
    matrix = np.maximum(matrix, matrix.T)
    np.fill_diagonal(matrix, 1.0)
    return matrix


@pytest.mark.parametrize("method", [ARCA(), FRC(), KARC(variant="paper"), KARC()])
def test_what_is_new_joins_the_centres_that_are_there(method):
    labels = method.fit(strengths(), start=START).labels_
    assert len(set(labels[:4])) == len(set(labels[4:9])) == 1
    assert labels[0] != labels[4]
    assert method.validity_.why == "those of an earlier answer"


@pytest.mark.parametrize(("method", "inner"), [(ARCA(max_iter=1), "rows"), (FRC(max_iter=1), "dissimilarities")])
def test_memberships_are_those_of_the_update_formula(method, inner):
    """u_ij ∝ d_ij^(−1/(m−1)), d the squared distance to the mean of the rows that a cluster had."""
    matrix = strengths()
    distance = np.empty((10, 2))
    for column, rows in enumerate((np.arange(4), np.arange(4, 8))):
        if inner == "rows":
            distance[:, column] = np.square(matrix - matrix[rows].mean(axis=0)).sum(axis=1)
        else:
            d = 1 - matrix
            distance[:, column] = d[:, rows].mean(axis=1) - d[np.ix_(rows, rows)].mean() / 2
    share = np.maximum(distance, 1e-12) ** (-1 / 0.6)
    expected = share / share.sum(axis=1, keepdims=True)
    found = method.fit(matrix, start=START).partition_.membership.toarray()
    assert found[8:] == pytest.approx(expected[8:], abs=1e-6)


def test_linkage_goes_on_from_the_clusters_there_are():
    """Rows of a cluster stay together however weak they are; what is like nobody is by itself."""
    matrix = strengths()
    matrix[:4, :4] = np.where(np.eye(4), 1.0, 0.2)
    matrix[9, :9] = matrix[:9, 9] = 0.0
    assert KARC().fit(matrix).labels_[0] != KARC().fit(matrix).labels_[1]
    labels = KARC().fit(matrix, start=START).labels_
    assert len(set(labels[:4])) == 1
    assert list(labels).count(labels[9]) == 1


@pytest.mark.parametrize("method", [FRC(), KARC()])
def test_a_cluster_that_a_judgement_splits_is_no_start(method):
    said = Constraints.compile([Judgement("0", "1", "different")], {str(row): row for row in range(10)}, 10)
    labels = method.fit(strengths(), start=START, constraints=said).labels_
    assert labels[0] != labels[1]
    nobody = np.full(10, -1)
    assert (method.fit(strengths(), start=nobody).labels_ == method.fit(strengths()).labels_).all()
