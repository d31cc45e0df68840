"""Fuzzy clusterers honour constraints."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from crossdoc import errors
from crossdoc.cluster.fuzzy import ARCA, FRC, KARC
from crossdoc.cluster.fuzzy.fuzzy_relational import keep_apart
from crossdoc.cluster.graph_clustering import cluster_graph
from crossdoc.model import Relations
from crossdoc.model.evidence_protocol import Constraints

from .test_gram_means import blocks

seeds = st.integers(0, 2**32 - 1)
EVERY = [KARC(), KARC(variant="paper", n_init=1), ARCA(n_init=1), FRC(n_init=1)]


def random_case(seed, n, n_must, n_cannot):
    rng = np.random.default_rng(seed)
    matrix = np.round(rng.uniform(size=(n, n)), 1)
    matrix = np.triu(matrix, 1) + np.triu(matrix, 1).T + np.eye(n)
    group = np.arange(n)
    for a, b in rng.integers(0, n, (n_must, 2)):
        group[group == group[a]] = group[b]
    pairs = rng.integers(0, n, (n_cannot, 2))
    pairs = pairs[group[pairs[:, 0]] != group[pairs[:, 1]]]
    return matrix, Constraints(n, np.unique(group, return_inverse=True)[1].astype(np.int32), pairs.astype(np.int32))


def assert_honoured(membership, limits, theta):
    for rows in limits.linked_rows():
        assert np.allclose(membership[rows], membership[rows[0]])
    labels = membership.argmax(axis=1)
    for a, b in limits.cannot:
        assert labels[a] != labels[b]
        assert not ((membership[a] > theta + 1e-12) & (membership[b] > theta + 1e-12)).any()
    np.testing.assert_allclose(membership.sum(axis=1), 1.0)


@pytest.mark.parametrize("clusterer", EVERY, ids=str)
@given(
    seed=seeds, n=st.integers(2, 14), must=st.integers(0, 5), no=st.integers(0, 12), theta=st.sampled_from([0.1, 0.3])
)
@settings(max_examples=40, deadline=None)
def test_hard_constraints_hold(clusterer, seed, n, must, no, theta):
    matrix, limits = random_case(seed, n, must, no)
    found = clone(clusterer).set_params(theta=theta).fit(matrix, constraints=limits)
    assert_honoured(found.partition_.membership.toarray(), limits, theta)
    assert limits.violated_by(found.labels_) == 0


@pytest.mark.parametrize("method", ["karc", "arca", "frc"])
@given(seed=seeds, n=st.integers(2, 14), must=st.integers(0, 5), no=st.integers(0, 12))
@settings(max_examples=20, deadline=None)
def test_they_hold_as_resolve_gets_them(method, seed, n, must, no):
    matrix, limits = random_case(seed, n, must, no)
    ids = [str(i) for i in range(n)]
    found = cluster_graph(Relations.from_dense(matrix), ids, method, constraints=limits).partition.membership.toarray()
    assert_honoured(found, limits, 0.3)


@given(seed=seeds, n=st.integers(2, 8), k=st.integers(1, 5), no=st.integers(1, 10), theta=st.floats(0, 0.9))
@settings(max_examples=100, deadline=None)
def test_keep_apart_changes_only_rows_that_are_bound(seed, n, k, no, theta):
    rng = np.random.default_rng(seed)
    membership = rng.dirichlet(np.ones(k), n)
    pairs = np.unique(np.sort(rng.integers(0, n, (no, 2)), axis=1), axis=0)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    kept = keep_apart(membership, pairs, theta)
    assert_honoured(kept, Constraints(n, np.arange(n, dtype=np.int32), pairs.astype(np.int32)), theta)
    free = np.setdiff1d(np.arange(n), pairs)
    assert np.array_equal(kept[free, :k], membership[free])


@pytest.mark.parametrize("clusterer", [KARC(), ARCA(2), FRC(2)], ids=str)
def test_soft_constraints_lean(clusterer):
    matrix, which = blocks([6, 6], inside=0.85, across=0.2, noise=0.02)
    pairs = np.array([[0, other] for other in range(6, 12)], dtype=np.int32)
    away = np.array([[0, other] for other in range(1, 6)], dtype=np.int32)
    limits = Constraints.none(12).with_soft(pairs, 0.7).with_soft(away, -0.7)
    plain = clone(clusterer).fit(matrix).labels_
    assert plain.tolist() == which.tolist()
    leaned = clone(clusterer).fit(matrix, constraints=limits).labels_
    assert leaned[0] == leaned[6] != leaned[1]


def test_a_rule_keeps_apart_unless_a_person_disagrees():
    matrix = np.full((3, 3), 0.9)
    np.fill_diagonal(matrix, 1)
    rule = Constraints.none(3).with_soft(np.array([[0, 1]]), -1000.0)
    assert KARC().fit(matrix, constraints=rule).labels_[0] != KARC().fit(matrix, constraints=rule).labels_[1]
    person = Constraints(3, np.array([0, 0, 1], dtype=np.int32)).with_soft(np.array([[0, 1]]), -1000.0)
    found = KARC().fit(matrix, constraints=person)
    assert found.labels_[0] == found.labels_[1]


def test_constraints_of_other_rows():
    with pytest.raises(errors.InputError):
        KARC().fit(np.eye(3), constraints=Constraints.none(4))


def test_rows_that_must_be_one_count_once():
    limits = Constraints(3, np.array([0, 0, 1], dtype=np.int32))
    with pytest.raises(errors.UsageError, match="only 2 rows"):
        KARC(3).fit(np.eye(3), constraints=limits)
