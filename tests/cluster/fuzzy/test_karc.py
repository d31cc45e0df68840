"""KARC as printed and mended: kernels, what a user gets, and every kind of bad input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.base import clone

from crossdoc import errors
from crossdoc.cluster.fuzzy import ARCA, FRC, KARC
from crossdoc.cluster.fuzzy.fuzzy_relational import contract
from crossdoc.cluster.fuzzy.karc import in_kernel, product_kernel, rbf_kernel, spread_memberships
from crossdoc.cluster.graph_clustering import cluster_graph
from crossdoc.model import Relations
from crossdoc.model.evidence_protocol import Constraints

from .test_gram_means import blocks

seeds = st.integers(0, 2**32 - 1)
EVERY = [KARC(), KARC(variant="paper"), KARC(variant="paper", distance="exact"), ARCA(), FRC()]


def random_strengths(rng, n):
    matrix = rng.uniform(size=(n, n))
    matrix = (matrix + matrix.T) / 2
    np.fill_diagonal(matrix, 1)
    return matrix


def contracted(matrix, limits=None):
    relations = Relations.from_dense(matrix)
    return contract(relations, limits or Constraints.none(relations.n), np.ones(relations.n))


def test_algorithm_1_written_out():
    """Start, equation 4, equation 6, in loops over the same random start."""
    matrix, _ = blocks([4, 3], seed=1)
    n, k, m, gamma = 7, 2, 1.6, 0.8
    kernel = np.exp(-gamma * cdist(matrix, matrix, "sqeuclidean"))
    start = np.random.default_rng(5).choice(n, size=k, replace=False)
    distance = np.array([[2 - 2 * kernel[j, c] for c in start] for j in range(n)])
    for _ in range(6):
        u = np.zeros((n, k))
        for j in range(n):
            zero = [i for i in range(k) if distance[j, i] <= 1e-15]
            for i in range(k):
                if zero:
                    u[j, i] = (i in zero) / len(zero)
                else:
                    u[j, i] = 1 / sum((distance[j, i] / distance[j, h]) ** (1 / (m - 1)) for h in range(k))
        for j in range(n):
            for i in range(k):
                total = sum(u[h, i] ** m for h in range(n))
                distance[j, i] = 2 - 2 * sum(u[h, i] ** m * kernel[j, h] for h in range(n)) / total
    karc = KARC(k, m, variant="paper", gamma=gamma, max_iter=6, n_init=1, tol=0, random_state=5).fit(matrix)
    assert karc.n_iter_ == 6
    found = karc.partition_.membership.toarray()
    order = np.argsort([u[:, i].argmax() for i in range(k)])
    assert np.allclose(found, u[:, order], atol=1e-6) or np.allclose(found, u[:, order[::-1]], atol=1e-6)


@given(seed=seeds, n=st.integers(1, 12), gamma=st.floats(0.01, 5))
@settings(max_examples=30, deadline=None)
def test_rbf_kernel(seed, n, gamma):
    matrix = random_strengths(np.random.default_rng(seed), n)
    expected = np.exp(-gamma * cdist(matrix, matrix, "sqeuclidean"))
    np.testing.assert_allclose(rbf_kernel(matrix, gamma), expected, atol=1e-12)


@given(seed=seeds, n=st.integers(1, 12))
@settings(max_examples=30, deadline=None)
def test_product_kernel(seed, n):
    matrix = random_strengths(np.random.default_rng(seed), n)
    sharp = matrix**4
    kernel = product_kernel(matrix)
    for j in range(n):
        for k in range(n):
            cosine = sharp[j] @ sharp[k] / np.linalg.norm(sharp[j]) / np.linalg.norm(sharp[k])
            assert kernel[j, k] == pytest.approx(sharp[j, k] * cosine)


@given(t=st.floats(0, 1))
def test_the_threshold_is_that_of_a_pair_with_no_other_relation(t):
    pair = np.array([[1.0, t], [t, 1.0]])
    assert product_kernel(pair)[0, 1] == pytest.approx(in_kernel(t))


@given(seed=seeds, n=st.integers(2, 9), k=st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_linked_memberships_are_shares_of_cosines_without_the_row_itself(seed, n, k):
    rng = np.random.default_rng(seed)
    points = np.abs(rng.normal(size=(n, 5)))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    home = rng.integers(0, k, n)
    _, home = np.unique(home, return_inverse=True)
    found = spread_memberships(points @ points.T, contracted(np.eye(n)), home, 0.1, 1.3, 1)
    for j in range(n):
        cosine = np.zeros(home.max() + 1)
        for i in range(home.max() + 1):
            others = [h for h in range(n) if home[h] == i and h != j]
            if others and (home == i).sum() > 1:
                centre = points[others].sum(axis=0)
                cosine[i] = points[j] @ centre / np.linalg.norm(centre)
        own = max(cosine[home[j]], 0.1)
        cosine[home[j]] = 0
        cosine[home[j]] = max(own, cosine.max() * (1 + 1e-9))
        np.testing.assert_allclose(found[j], cosine / cosine.sum(), atol=1e-6)


@given(seed=seeds, n=st.integers(2, 25), t=st.floats(0.05, 0.95), passes=st.integers(1, 6))
@settings(max_examples=60, deadline=None)
def test_linked_keeps_the_clusters_it_starts_from(seed, n, t, passes):
    matrix = random_strengths(np.random.default_rng(seed), n)
    once, often = (KARC(threshold=t, passes=p).fit(matrix) for p in (1, passes))
    assert once.labels_.tolist() == often.labels_.tolist()
    np.testing.assert_allclose(often.partition_.membership.sum(axis=1), 1.0)


@pytest.mark.parametrize("clusterer", EVERY, ids=str)
def test_clusters_of_one_size(clusterer):
    matrix, which = blocks([6, 6])
    found = clone(clusterer).set_params(n_clusters=2).fit(matrix)
    assert found.labels_.tolist() == which.tolist()
    assert found.n_clusters_ == 2
    assert found.labels_.dtype == np.int32
    assert found.objective_ > 0
    np.testing.assert_allclose(found.partition_.membership.sum(axis=1), 1.0)
    assert (found.partition_.harden().labels == found.labels_).all()


def test_linked_finds_one_many_and_the_wanted_number_of_clusters():
    matrix, which = blocks([5, 4, 3, 1], inside=0.9, across=0.2)
    assert KARC().fit(matrix).labels_.tolist() == which.tolist()
    assert KARC().fit(blocks([9], inside=0.8)[0]).n_clusters_ == 1
    assert KARC(threshold=1.0).fit(matrix).n_clusters_ == 13
    for wanted in range(1, 14):
        assert KARC(wanted).fit(matrix).n_clusters_ == wanted


def test_karc_s_overlaps_and_karc_h_does_not():
    matrix, _ = blocks([4, 4], inside=0.9, across=0.1, noise=0)
    matrix = np.pad(matrix, (0, 1), constant_values=0.7)
    matrix[-1, -1] = 1
    karc = KARC().fit(matrix)
    u = karc.partition_.membership.toarray()[-1]
    assert np.abs(u[0] - u[1]) < 0.1
    assert karc.partition_.threshold(karc.theta).membership[8].nnz == 2
    assert karc.partition_.harden().membership[8].nnz == 1


@pytest.mark.parametrize("clusterer", EVERY, ids=str)
def test_the_same_seed_gives_the_same_answer(clusterer):
    matrix = random_strengths(np.random.default_rng(0), 30)
    first, second = (clone(clusterer).set_params(random_state=3).fit(matrix) for _ in range(2))
    assert np.array_equal(first.partition_.membership.toarray(), second.partition_.membership.toarray())
    assert first.objective_ == second.objective_


@pytest.mark.parametrize("clusterer", EVERY, ids=str)
def test_matrix_and_relations_give_the_same(clusterer):
    matrix = random_strengths(np.random.default_rng(1), 12).astype(np.float32)
    one = clone(clusterer).fit(matrix).partition_.membership.toarray()
    assert np.array_equal(one, clone(clusterer).fit(Relations.from_dense(matrix)).partition_.membership.toarray())


@pytest.mark.parametrize("clusterer", EVERY, ids=str)
def test_small_and_degenerate_input(clusterer):
    empty = clone(clusterer).fit(Relations.from_dense(np.zeros((0, 0))))
    assert (empty.n_clusters_, len(empty.labels_)) == (0, 0)
    one = clone(clusterer).fit(np.ones((1, 1)))
    assert (one.n_clusters_, one.labels_.tolist()) == (1, [0])
    assert one.partition_.membership.toarray().tolist() == [[1.0]]
    two = clone(clusterer).fit(np.array([[1, 0.9], [0.9, 1]]))
    assert set(two.labels_) <= {0, 1}
    for value in (0.0, 0.5, 1.0):
        equal = np.full((9, 9), value)
        np.fill_diagonal(equal, 1)
        found = clone(clusterer).fit(equal)
        np.testing.assert_allclose(found.partition_.membership.sum(axis=1), 1.0)
        if value == 1.0 and clusterer is not EVERY[1]:
            assert found.n_clusters_ == 1 or clusterer.get_params().get("variant") == "paper"
    assert KARC().fit(np.eye(9)).n_clusters_ == 9
    with pytest.raises(errors.UsageError, match="10 clusters"):
        clone(clusterer).set_params(n_clusters=10).fit(equal)


@pytest.mark.parametrize("clusterer", EVERY, ids=str)
@pytest.mark.parametrize(
    ("matrix", "told"),
    [
        (np.ones((2, 3)), "square"),
        (np.array([[1, 0.2], [0.4, 1]]), "symmetric"),
        (np.array([[1, np.nan], [np.nan, 1]]), "finite"),
        (np.array([[1, 1.5], [1.5, 1]]), r"outside \[0, 1\]"),
        (np.array([[1, -0.5], [-0.5, 1]]), r"outside \[0, 1\]"),
        (np.array([["a", "b"], ["b", "a"]]), "numbers"),
    ],
)
def test_bad_matrices(clusterer, matrix, told):
    with pytest.raises(errors.InputError, match=told):
        clone(clusterer).fit(matrix)


def test_blocks_beyond_the_limit_name_another_method():
    with pytest.raises(errors.CrossdocError, match="single-linkage"):
        KARC(max_block=5).fit(np.eye(6))
    with pytest.raises(errors.CrossdocError, match="at most 10,000"):
        cluster_graph(Relations(10_001, *(np.zeros(0, t) for t in "iif")), [str(i) for i in range(10_001)], "karc")


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"m": 1.0}, "m is 1.0"),
        ({"theta": 1.5}, "theta"),
        ({"n_clusters": 0}, "n_clusters"),
        ({"n_clusters": 1.5}, "n_clusters"),
        ({"threshold": -0.1}, "threshold"),
        ({"passes": 0}, "passes"),
        ({"variant": "best"}, "best"),
        ({"variant": "paper", "passes": 3}, "passes cannot be used with the variant"),
        ({"gamma": 0.1}, "gamma cannot be used with the variant"),
        ({"variant": "paper", "threshold": 0.5}, "threshold cannot be used with the variant"),
        ({"variant": "paper", "gamma": 0.0}, "gamma"),
        ({"variant": "paper", "gamma": "auto"}, "gamma"),
        ({"variant": "paper", "max_iter": 0}, "max_iter"),
        ({"variant": "paper", "max_iter": "many"}, "max_iter"),
        ({"variant": "paper", "max_iter": np.inf}, "max_iter"),
    ],
)
def test_bad_parameters(how, told):
    with pytest.raises(errors.UsageError, match=told):
        KARC(**how).fit(np.eye(3))


def test_bad_choices_of_the_others():
    with pytest.raises(errors.UsageError, match="one_cluster"):
        FRC(one_cluster="never").fit(np.eye(3))


@pytest.mark.parametrize("clusterer", EVERY, ids=str)
def test_a_weight_is_that_many_copies(clusterer):
    matrix, _ = blocks([3, 2], seed=4)
    copies = np.array([1, 3, 2, 1, 2])
    rows = np.repeat(np.arange(5), copies)
    weighted = clone(clusterer).set_params(n_clusters=2).fit(matrix, sample_weight=copies.astype(float))
    copied = (
        clone(clusterer)
        .set_params(n_clusters=2)
        .fit(matrix[np.ix_(rows, rows)], constraints=Constraints(len(rows), rows.astype(np.int32)))
    )
    assert np.allclose(weighted.partition_.membership.toarray()[rows], copied.partition_.membership.toarray())


@pytest.mark.parametrize("method", ["karc", "arca", "frc"])
def test_memberships_for_resolve_sum_to_one_and_keep_the_labels(method):
    matrix = random_strengths(np.random.default_rng(2), 40)
    parameters = {"threshold": 0.6} if method == "karc" else {}
    found = cluster_graph(
        Relations.from_dense(matrix), [str(i) for i in range(40)], method, parameters=parameters
    ).partition.membership
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert found.data.min() >= 0.01 or found.nnz == 40
    clusterer = {"karc": KARC(), "arca": ARCA(), "frc": FRC()}[method].fit(Relations.from_dense(matrix))
    ours, theirs = found.toarray().argmax(axis=1), clusterer.labels_
    assert len(set(zip(ours, theirs, strict=True))) == len(set(ours)) == len(set(theirs))
