"""Soft memberships of hard clusters: what they sum to, what they harden to, and how constraints show in them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossdoc.cluster.estimators import MOST_ALTERNATIVES, MOST_SHARED, kept_apart, leaned, soften
from crossdoc.cluster.hierarchical import LinkageClustering
from crossdoc.model import Judgement, Relations
from crossdoc.model.evidence_protocol import Constraints


def close_pairs(rng, n, share):
    full = Relations.from_dense(np.maximum(a := rng.random((n, n)), a.T).round(2))
    kept = rng.random(len(full)) < share
    return Relations(n, full.left[kept], full.right[kept], full.strength[kept])


def limits_of(rng, n, must, no):
    group = np.arange(n)
    for a, b in rng.integers(0, n, (must, 2)):
        group[group == group[a]] = group[b]
    pairs = rng.integers(0, n, (no, 2))
    pairs = pairs[group[pairs[:, 0]] != group[pairs[:, 1]]]
    return Constraints(n, np.unique(group, return_inverse=True)[1].astype(np.int32), pairs.astype(np.int32))


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 50),
    share=st.sampled_from([0.05, 0.3, 1.0]),
    threshold=st.sampled_from([0.0, 0.3, 0.7, 0.95, 1.1]),
    must=st.integers(0, 10),
    no=st.integers(0, 60),
)
@settings(max_examples=200, deadline=None)
def test_what_holds_for_all(seed, n, share, threshold, must, no):
    rng = np.random.default_rng(seed)
    limits = limits_of(rng, n, must, no)
    fitted = LinkageClustering("average", threshold).fit(close_pairs(rng, n, share), constraints=limits)
    partition, dense = fitted.partition_, fitted.partition_.membership.toarray()
    assert np.allclose(dense.sum(axis=1), 1.0)
    assert ((dense >= 0) & (dense <= 1)).all()
    assert partition.labels.tolist() == fitted.labels_.tolist()
    assert (np.diff(partition.membership.indptr) <= MOST_ALTERNATIVES + 1).all()
    for rows in limits.linked_rows():
        assert (dense[rows] == dense[rows[0]]).all()
    for a, b in limits.cannot:
        assert np.minimum(dense[a], dense[b]).max() <= MOST_SHARED


def test_rows_that_may_not_meet_are_not_both_at_home_with_a_third():
    strengths = np.eye(4)
    for a, b in [(0, 2), (1, 2), (0, 3), (1, 3)]:
        strengths[a, b] = strengths[b, a] = 0.49
    strengths[2, 3] = strengths[3, 2] = 0.9
    free = LinkageClustering(threshold=0.5).fit(strengths)
    assert (free.partition_.membership.toarray()[:2, 2] > 0.4).all()
    limits = Constraints(4, np.arange(4, dtype=np.int32), np.array([[0, 1]], dtype=np.int32))
    kept = LinkageClustering(threshold=0.5).fit(strengths, constraints=limits).partition_.membership.toarray()
    assert sorted(kept[:2, 2] > MOST_SHARED) == [False, True]
    assert np.allclose(kept.sum(axis=1), 1)


def test_cannot_link_reaches_the_must_linked():
    """0 may not be with 2, and 1 is 0: so 1 has nothing in 2's cluster however alike they are."""
    strengths = np.ones((3, 3))
    limits = Constraints(3, np.array([0, 0, 1], dtype=np.int32), np.array([[0, 2]], dtype=np.int32))
    fitted = LinkageClustering(threshold=0.5).fit(strengths, constraints=limits)
    assert fitted.partition_.membership.toarray().tolist() == [[1, 0], [1, 0], [0, 1]]


def test_a_sure_row_stays_sure_among_many_weak_clusters():
    n = 400
    strengths = np.full((n, n), 0.2)
    strengths[:5, :5] = 0.9
    np.fill_diagonal(strengths, 1)
    partition = LinkageClustering(threshold=0.5).fit(strengths).partition_
    assert (partition.labels >= 0).all()
    assert (partition.membership[:5, 0].toarray() > 0.5).all()


def test_membership_is_proportional_to_the_power_of_mean_strength():
    strengths = np.array([[1, 0.8, 0.3], [0.8, 1, 0.2], [0.3, 0.2, 1]])
    dense = LinkageClustering(threshold=0.5).fit(strengths).partition_.membership.toarray()
    power = 1 / 0.6
    for row, (own, other) in enumerate([(0.8, 0.3), (0.8, 0.2), (0.5, 0.25)]):
        expected = np.array([own, other]) ** power / (own**power + other**power)
        assert np.sort(dense[row])[::-1] == pytest.approx(expected, abs=1e-6)


def test_next_to_nothing_is_left_out():
    strengths = np.array([[1, 0.8, 0.1], [0.8, 1, 0.1], [0.1, 0.1, 1]])
    dense = LinkageClustering(threshold=0.5).fit(strengths).partition_.membership.toarray()
    assert dense[0].tolist() == dense[1].tolist() == [1.0, 0.0]


def test_soft_constraints_lean_either_way():
    strengths = np.array([[1, 0.8, 0.3], [0.8, 1, 0.3], [0.3, 0.3, 1]])
    plain, closer, farther = (
        LinkageClustering(threshold=0.5)
        .fit(strengths, constraints=Constraints.none(3).with_soft(np.array([[0, 2]]), weight))
        .partition_.membership.toarray()[0, 1]
        for weight in (0.0, 0.1, -0.1)
    )
    assert farther < plain < closer


def test_a_rule_against_empties_the_cluster():
    strengths = np.array([[1, 0.8, 0.4], [0.8, 1, 0.4], [0.4, 0.4, 1]])
    limits = Constraints.none(3).with_soft(np.array([[0, 2]]), -1000.0)
    dense = LinkageClustering(threshold=0.5).fit(strengths, constraints=limits).partition_.membership.toarray()
    assert dense[0].tolist() == [1.0, 0.0]
    assert dense[1, 1] > 0.1


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 12), default=st.sampled_from([0.0, 0.25]))
@settings(max_examples=50, deadline=None)
def test_leaned_adds_weights_to_strengths(seed, n, default):
    rng = np.random.default_rng(seed)
    pairs = close_pairs(rng, n, 0.5)
    pairs = Relations(n, pairs.left, pairs.right, pairs.strength, default)
    soft = rng.integers(0, n, (5, 2)).astype(np.int32)
    soft = soft[soft[:, 0] != soft[:, 1]]
    weight = rng.normal(size=len(soft))
    expected = pairs.dense().astype(np.float64)
    for (a, b), w in zip(soft, weight, strict=True):
        expected[a, b] += w
        expected[b, a] += w
    limits = Constraints(n, np.arange(n, dtype=np.int32), soft=soft, soft_weight=weight)
    assert np.allclose(leaned(pairs, limits).dense(), expected, atol=1e-5)


def test_sparse_and_full_pairs_give_the_same():
    rng = np.random.default_rng(1)
    few = close_pairs(rng, 60, 0.1)
    labels = LinkageClustering(threshold=0.8).fit(few).labels_
    sparsely = soften(few, labels, Constraints.none(60), 0.8)
    fully = soften(Relations.from_dense(few.dense()), labels, Constraints.none(60), 0.8)
    assert np.allclose(sparsely.toarray(), fully.toarray())


def test_what_is_said_of_a_pair_counts_together():
    """A rule keeps apart, unless what was judged of the same pair, in either order, outweighs it."""
    said = [Judgement("a", "b", "different"), Judgement("d", "c", "same", hard=False, weight=5.0),
            Judgement("a", "d", "same", hard=False, weight=0.5)]  # fmt: skip
    limits = Constraints.compile(said, {id: row for row, id in enumerate("abcd")}, 4)
    rule = limits.with_soft(np.array([[2, 3], [0, 3], [1, 2]], dtype=np.int32), -2.0)
    assert sorted(map(tuple, kept_apart(rule).tolist())) == [(0, 1), (0, 3), (1, 2)]
    assert kept_apart(rule).dtype == np.int32
    assert kept_apart(Constraints.none(3)).shape == (0, 2)


@pytest.mark.parametrize(
    "estimator", [LinkageClustering("mean-max"), LinkageClustering("single"), LinkageClustering("average")]
)
def test_a_soft_judgement_outweighs_the_rule_for_every_linkage(estimator):
    said = [Judgement("a", "b", "same", hard=False, weight=5000.0)]
    limits = Constraints.compile(said, {"a": 0, "b": 1}, 2).with_soft(np.array([[0, 1]], dtype=np.int32), -1000.0)
    strengths = np.array([[1.0, 0.0], [0.0, 1.0]])
    assert estimator.fit(strengths, constraints=limits).labels_.tolist() == [0, 0]
    ruled = Constraints.none(2).with_soft(np.array([[0, 1]], dtype=np.int32), -1000.0)
    assert estimator.fit(np.ones((2, 2)), constraints=ruled).labels_.tolist() == [0, 1]
