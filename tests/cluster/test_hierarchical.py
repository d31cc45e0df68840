"""Linkage against SciPy, against a slow reference with constraints, and the example of Van Gael & Zhu 2007."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from sklearn.base import clone

from crossdoc import errors
from crossdoc.cluster.hierarchical import LinkageClustering, renumber
from crossdoc.model import Relations
from crossdoc.model.evidence_protocol import Constraints

TEXTBOOK = ("single", "complete", "average")
LINKAGES = (*TEXTBOOK, "mean-max")
seeds = st.integers(0, 2**32 - 1)


def random_matrix(rng, n, low=0.0, high=1.0):
    values = rng.uniform(low, high, n * (n - 1) // 2)
    return squareform(values.astype(np.float32)).astype(np.float64) + np.eye(n)


def random_limits(rng, n, n_must, n_cannot):
    """Must-links first; cannot-links only between different groups."""
    group = np.arange(n)
    for a, b in rng.integers(0, n, (n_must, 2)):
        group[group == group[a]] = group[b]
    pairs = rng.integers(0, n, (n_cannot, 2))
    pairs = pairs[group[pairs[:, 0]] != group[pairs[:, 1]]]
    return Constraints(n, np.unique(group, return_inverse=True)[1].astype(np.int32), pairs.astype(np.int32))


def estimator_of(kind, threshold=0.5, **more):
    return LinkageClustering(kind, threshold, **more)


def labels_of(matrix, kind, threshold, **how):
    return estimator_of(kind, threshold).fit(matrix, **how).labels_.tolist()


def reference(matrix, kind, threshold, limits, weight):
    """The definition: the similarity of two clusters from all pairs of their rows, the best allowed pair merged."""
    join = {"single": max, "complete": min}
    clusters = [np.flatnonzero(limits.group == g).tolist() for g in dict.fromkeys(limits.group)]
    forbidden = {frozenset(map(int, pair)) for pair in limits.cannot}

    def similarity(a, b):
        if any(frozenset((i, j)) in forbidden for i in a for j in b):
            return -np.inf
        mean = np.average(matrix[np.ix_(a, b)], weights=np.outer(weight[a], weight[b]))
        if kind == "average":
            return mean
        if kind == "mean-max":
            return (mean + matrix[np.ix_(a, b)].max()) / 2
        return join[kind](matrix[i, j] for i in a for j in b)

    while len(clusters) > 1:
        pairs = [(similarity(a, b), x, y) for x, a in enumerate(clusters) for y, b in enumerate(clusters[:x])]
        *_, (second, *_), (best, x, y) = [(-np.inf, 0, 0), *sorted(pairs)]
        # Single precision could decide otherwise.
        assume(best - second > 1e-5 or best == -np.inf)
        assume(abs(best - threshold) > 1e-5)
        if best < threshold:
            break
        clusters[y] = clusters[y] + clusters.pop(x)
    labels = np.empty(len(matrix), dtype=int)
    for number, rows in enumerate(clusters):
        labels[rows] = number
    return renumber(labels).tolist()


@pytest.mark.parametrize("kind", LINKAGES)
@pytest.mark.parametrize("n", [2, 30])
def test_a_pair_of_exactly_the_threshold_joins_and_one_below_does_not(kind, n):
    exactly = np.float32(0.6)
    for strength, together in ((exactly, True), (np.nextafter(exactly, np.float32(0)), False)):
        matrix = np.full((n, n), 0.1, dtype=np.float32)
        matrix[0, 1] = matrix[1, 0] = strength
        pair = Relations(n, np.array([0], np.int32), np.array([1], np.int32), np.array([strength]))
        for given_ in (matrix, pair):
            labels = labels_of(given_, kind, 0.6)
            assert labels == ([0, 0, *range(1, n - 1)] if together else [*range(n)])


@pytest.mark.parametrize("kind", TEXTBOOK)
@given(seed=seeds, n=st.integers(2, 40), threshold=st.floats(0.05, 0.95))
@settings(max_examples=60, deadline=None)
def test_equals_scipy(kind, seed, n, threshold):
    matrix = random_matrix(np.random.default_rng(seed), n)
    tree = linkage(squareform(1 - matrix, checks=False), kind)
    if np.abs(tree[:, 2] - (1 - threshold)).min() < 1e-5:
        return
    expected = renumber(fcluster(tree, 1 - threshold, "distance")).tolist()
    assert labels_of(matrix, kind, threshold) == expected
    assert labels_of(Relations.from_dense(matrix), kind, threshold) == expected


@pytest.mark.parametrize("kind", LINKAGES)
@given(seed=seeds, n=st.integers(2, 9), threshold=st.floats(-0.5, 0.95), must=st.integers(0, 3), no=st.integers(0, 5))
@settings(max_examples=60, deadline=None)
def test_equals_the_definition_under_constraints_and_weights(kind, seed, n, threshold, must, no):
    rng = np.random.default_rng(seed)
    matrix, limits = random_matrix(rng, n, low=-1.0), random_limits(rng, n, must, no)
    weight = rng.integers(1, 4, n).astype(float)
    expected = reference(matrix, kind, threshold, limits, weight)
    assert labels_of(matrix, kind, threshold, constraints=limits, sample_weight=weight) == expected


def test_a_merged_cluster_may_be_nearer_to_a_third_than_its_parts():
    """To {2, 3}, row 0 is at ½ · .3 + ½ · .6 = .45, row 1 at .42, and both together at ½ · .36 + ½ · .6 = .48."""
    matrix = squareform(np.array([0.9, 0.6, 0.0, 0.42, 0.42, 0.9])) + np.eye(4)
    assert labels_of(matrix, "mean-max", 0.479) == [0, 0, 0, 0]
    assert labels_of(matrix, "mean-max", 0.481) == [0, 0, 1, 1]


def test_one_pair_that_a_rule_keeps_apart_is_not_hidden_by_a_stronger_one():
    matrix = np.full((4, 4), 0.9)
    limits = Constraints.none(4).with_soft(np.array([[0, 3]]), -1.0)
    for kind in ("single", "mean-max"):
        found = labels_of(matrix, kind, 0.5, constraints=limits)
        assert found[0] != found[3]


@pytest.mark.parametrize("kind", LINKAGES)
@given(seed=seeds, n=st.integers(2, 60), threshold=st.floats(0.0, 1.0), must=st.integers(0, 20), no=st.integers(0, 40))
@settings(max_examples=40, deadline=None)
def test_never_violates_a_hard_constraint(kind, seed, n, threshold, must, no):
    rng = np.random.default_rng(seed)
    # Coarse values: many ties.
    matrix, limits = np.round(random_matrix(rng, n), 1), random_limits(rng, n, must, no)
    assert limits.violated_by(labels_of(matrix, kind, threshold, constraints=limits)) == 0


@pytest.mark.parametrize("kind", LINKAGES)
@given(seed=seeds, n=st.integers(1, 8))
@settings(max_examples=40, deadline=None)
def test_a_weight_is_that_many_copies_that_must_be_one(kind, seed, n):
    rng = np.random.default_rng(seed)
    matrix, copies = random_matrix(rng, n), rng.integers(1, 4, n)
    rows = np.repeat(np.arange(n), copies)
    group = Constraints(len(rows), rows.astype(np.int32))
    weighted = labels_of(matrix, kind, 0.5, sample_weight=copies)
    copied = labels_of(matrix[np.ix_(rows, rows)], kind, 0.5, constraints=group)
    assert copied == renumber(np.array(weighted)[rows]).tolist()


@pytest.mark.parametrize("kind", LINKAGES)
@pytest.mark.parametrize("default", [0.0, 0.3, 0.7, -1.0])
@given(seed=seeds, n=st.integers(2, 25), share=st.floats(0, 1))
@settings(max_examples=15, deadline=None)
def test_pairs_left_out_have_the_default_strength(kind, default, seed, n, share):
    rng = np.random.default_rng(seed)
    full = Relations.from_dense(random_matrix(rng, n))
    kept = rng.random(len(full)) < share
    few = Relations(n, full.left[kept], full.right[kept], full.strength[kept], default)
    # Pairs left out are all equally strong: where these join, cannot-links make the answer a matter of order.
    limits = random_limits(rng, n, 2, 0 if default > 0.5 else 3).with_soft(rng.permutation(n)[None, :2], 0.25)
    assert labels_of(few, kind, 0.5, constraints=limits) == labels_of(few.dense(), kind, 0.5, constraints=limits)


@pytest.mark.parametrize("kind", LINKAGES)
def test_the_order_of_rows_changes_nothing_but_numbers(kind):
    rng = np.random.default_rng(3)
    matrix, limits = random_matrix(rng, 50), random_limits(rng, 50, 5, 30)
    order = rng.permutation(50)
    there = np.array(labels_of(matrix[np.ix_(order, order)], kind, 0.6, constraints=limits.restrict(order)))
    assert there.tolist() == renumber(np.array(labels_of(matrix, kind, 0.6, constraints=limits))[order]).tolist()


class TestVanGaelAndZhu:
    """Section 4.1: one link of −1000 decides; the weights, not the greedy order, should."""

    weights = squareform(np.array([-1000.0, 30, 0, 25, 20, 15]))
    apart = Constraints(4, np.arange(4, dtype=np.int32), np.array([[0, 1]], dtype=np.int32))

    def test_constrained_single_link(self):
        assert labels_of(self.weights, "single", 1e-6, constraints=self.apart) == [0, 1, 0, 1]

    def test_single_link_without_the_constraint_joins_all(self):
        assert labels_of(self.weights, "single", 1e-6) == [0, 0, 0, 0]

    def test_average_link_cut_at_zero(self):
        assert labels_of(self.weights, "average", 0.0) == [0, 1, 0, 1]


def test_soft_constraints_lean():
    matrix = np.array([[1, 0.45, 0.55], [0.45, 1, 0.2], [0.55, 0.2, 1]])
    for kind in LINKAGES:
        assert labels_of(matrix, kind, 0.5) == [0, 1, 0]
        leaning = Constraints.none(3).with_soft(np.array([[1, 0]]), 0.5).with_soft(np.array([[0, 2]]), -0.2)
        assert labels_of(matrix, kind, 0.5, constraints=leaning) == [0, 0, 1]


def test_average_link_of_a_chain_of_weak_pairs_does_not_join_its_ends():
    pairs = np.arange(99, dtype=np.int32)
    chain = Relations(100, pairs, pairs + 1, np.full(99, 0.9, dtype=np.float32))
    assert max(labels_of(chain, "single", 0.5)) == 0
    assert max(labels_of(chain, "average", 0.5)) > 10


def test_only_a_connected_set_counts_towards_the_limit():
    n = np.arange(0, 100, 2, dtype=np.int32)
    couples = Relations(100, n, n + 1, np.full(50, 0.9, dtype=np.float32))
    assert max(LinkageClustering(max_block=2).fit(couples).labels_) == 49
    with pytest.raises(errors.CrossdocError, match=r"100 profiles .* at most 99"):
        LinkageClustering(max_block=99).fit(np.ones((100, 100)))
    assert LinkageClustering("single", max_block=99).fit(np.ones((100, 100))).labels_.max() == 0


def test_is_an_estimator():
    estimator = LinkageClustering("single", threshold=0.7)
    assert estimator.get_params() == {"linkage": "single", "threshold": 0.7, "max_block": 20_000}
    copy = clone(estimator).set_params(threshold=0.2)
    assert (copy.threshold, estimator.threshold) == (0.2, 0.7)
    assert copy.fit_predict(np.ones((2, 2))).tolist() == [0, 0]


def test_no_row_and_one_row():
    for kind in LINKAGES:
        none = estimator_of(kind).fit(Relations.from_dense(np.zeros((0, 0))))
        assert none.labels_.tolist() == []
        assert len(none.partition_) == 0
        one = estimator_of(kind).fit(np.ones((1, 1)))
        assert one.labels_.tolist() == [0]
        assert one.partition_.membership.toarray().tolist() == [[1.0]]


NAN, INFINITE, LOPSIDED = np.ones((3, 3)), np.ones((3, 3)), np.ones((3, 3))
NAN[0, 1] = NAN[1, 0] = np.nan
INFINITE[0, 1] = INFINITE[1, 0] = np.inf
LOPSIDED[2, 0] = 0.25


def some(left, right, strength, default=0.0):
    columns = np.array(left, np.int32), np.array(right, np.int32), np.array(strength, np.float32)
    return Relations(3, *columns, default)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (np.ones((2, 3)), r"\(2, 3\) is not square"),
        (np.ones(4), "2D array"),
        (NAN, "not finite"),
        (INFINITE, "not finite"),
        (LOPSIDED, "not symmetric"),
        ([["a", "b"], ["c", "d"]], "string to float"),
        (some([0], [1, 2], [0.5]), "differ in length"),
        (some([0], [3], [0.5]), "not among the 3"),
        (some([-1], [0], [0.5]), "not among the 3"),
        (some([1], [1], [0.5]), "paired with itself"),
        (some([0], [1], [np.nan]), "not finite"),
        (some([0], [1], [0.5], np.nan), "not finite"),
    ],
)
def test_bad_similarities_are_refused(given, told):
    with pytest.raises(errors.InputError, match=told):
        LinkageClustering().fit(given)


@pytest.mark.parametrize("weights", [[1, 1], [1, 1, 0], [1, 1, -2], [1, 1, np.nan], [[1], [1], [1]]])
def test_bad_weights_are_refused(weights):
    with pytest.raises(errors.InputError, match="sample_weight"):
        LinkageClustering().fit(np.ones((3, 3)), sample_weight=weights)


def test_constraints_of_other_rows_are_refused():
    with pytest.raises(errors.InputError, match="about 4 rows"):
        LinkageClustering().fit(np.ones((3, 3)), constraints=Constraints.none(4))


def test_an_unknown_linkage_is_refused():
    with pytest.raises(errors.UsageError, match="no linkage 'ward'"):
        LinkageClustering("ward").fit(np.ones((3, 3)))


def test_a_block_of_no_rows_is_refused():
    with pytest.raises(errors.UsageError, match="max_block is"):
        LinkageClustering(max_block=0).fit(np.ones((3, 3)))
