"""The fuzzy loop against loops written out, explicit points, and scikit-fuzzy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from crossdoc.cluster.fuzzy import ARCA, FRC, KARC
from crossdoc.cluster.fuzzy.gram_means import Gram, dealt_anew, kxbi, settle, spread_rows, update

seeds = st.integers(0, 2**32 - 1)


def fill(distance, fuzzifier, sizes=None):
    membership, weight = np.empty_like(distance), np.empty_like(distance)
    sizes = np.ones(len(distance)) if sizes is None else sizes
    return membership, weight, update(distance, sizes, fuzzifier, membership, weight)


@given(seed=seeds, n=st.integers(1, 6), k=st.integers(1, 5), m=st.floats(1.05, 4))
@settings(max_examples=100, deadline=None)
def test_memberships_are_those_of_equation_4(seed, n, k, m):
    rng = np.random.default_rng(seed)
    distance, sizes = rng.uniform(0.01, 2, (n, k)), rng.uniform(0.5, 3, n)
    membership, weight, total = fill(distance, m, sizes)
    for j in range(n):
        for i in range(k):
            expected = 1 / sum((distance[j, i] / distance[j, h]) ** (1 / (m - 1)) for h in range(k))
            assert membership[j, i] == pytest.approx(expected)
            assert weight[j, i] == pytest.approx(sizes[j] * expected**m)
    assert total == pytest.approx((weight * distance).sum())


def test_a_row_at_distance_zero_is_shared_equally():
    membership, weight, total = fill(np.array([[0.0, 1.0, 0.0], [1.0, 1.0, 1.0]]), 2.0)
    assert membership.tolist() == [[0.5, 0.0, 0.5], [pytest.approx(1 / 3)] * 3]
    assert weight[0].tolist() == [0.25, 0.0, 0.25]
    assert total == pytest.approx(1 / 3)


def test_a_negative_distance_is_as_near_as_can_be():
    assert fill(np.array([[-0.1, 0.2]]), 1.6)[0].tolist() == [[1.0, 0.0]]


@pytest.mark.parametrize("m", [1.0001, 1.001, 1.01, 50.0])
def test_no_power_overflows(m):
    distance = np.array([[1e-300, 1.0, 2.0], [1e-8, 1e8, 1e-8], [2.0, 1.0, 1.0 + 1e-12]])
    membership, weight, total = fill(distance, m)
    assert np.isfinite(membership).all()
    assert np.isfinite(weight).all()
    assert np.isfinite(total)
    np.testing.assert_allclose(membership.sum(axis=1), 1.0)


@given(seed=seeds, n=st.integers(2, 15), k=st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_exact_distances_are_those_of_points_to_weighted_means(seed, n, k):
    rng = np.random.default_rng(seed)
    points, weight = rng.normal(size=(n, 3)), rng.uniform(0.01, 1, (n, k))
    distance, between = Gram(points @ points.T).to_centres(weight)
    centres = (weight / weight.sum(axis=0)).T @ points
    np.testing.assert_allclose(distance, cdist(points, centres, "sqeuclidean"), atol=1e-9)
    np.testing.assert_allclose(between, cdist(centres, centres, "sqeuclidean"), atol=1e-9)


@given(seed=seeds, n=st.integers(2, 8), k=st.integers(1, 4))
@settings(max_examples=40, deadline=None)
def test_the_papers_distance_is_equation_6(seed, n, k):
    rng = np.random.default_rng(seed)
    points, weight = rng.normal(size=(n, 3)), rng.uniform(0.01, 1, (n, k))
    kernel = np.exp(-0.5 * cdist(points, points, "sqeuclidean"))
    distance, _ = Gram(kernel, unit_centres=True).to_centres(weight)
    for j in range(n):
        for i in range(k):
            mean = sum(weight[h, i] * kernel[j, h] for h in range(n)) / sum(weight[h, i] for h in range(n))
            assert distance[j, i] == pytest.approx(2 - 2 * mean)


@given(seed=seeds, n=st.integers(3, 30), k=st.integers(2, 6), m=st.floats(1.05, 3))
@settings(max_examples=80, deadline=None)
def test_the_exact_objective_never_rises(seed, n, k, m):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, 4))
    gram = Gram(np.exp(-0.3 * cdist(points, points, "sqeuclidean")))
    first = gram.to_rows(rng.choice(n, size=min(k, n), replace=False))
    settled = settle(gram, first, rng.uniform(0.5, 2, n), m, 0.0, 40)
    falls = np.diff(settled.history)
    assert (falls <= 1e-9 * max(settled.history[0], 1.0)).all()
    assert settled.objective == settled.history[-1]


@pytest.mark.parametrize("m", [1.005, 1.6])
@pytest.mark.parametrize("unit_centres", [True, False])
def test_no_cluster_is_ever_empty(m, unit_centres):
    rng = np.random.default_rng(3)
    points = np.repeat(rng.normal(size=(4, 2)), 5, axis=0)
    gram = Gram(np.exp(-cdist(points, points, "sqeuclidean")), unit_centres)
    settled = settle(gram, gram.to_rows(np.arange(8)), np.ones(20), m, 1e-6, 60)
    assert (settled.membership.sum(axis=0) > 0).all()
    assert np.isfinite(settled.membership).all()


@pytest.mark.parametrize("m", [1.3, 1.6, 2.0])
def test_c_means_on_rows_equals_scikit_fuzzy(m):
    skfuzzy = pytest.importorskip("skfuzzy")
    rng = np.random.default_rng(0)
    points = rng.normal(size=(40, 6)) + 4 * rng.normal(size=(3, 6))[rng.integers(0, 3, 40)]
    start = rng.dirichlet(np.ones(3), 40)
    _, theirs, *_ = skfuzzy.cmeans(points.T, 3, m, error=1e-10, maxiter=500, init=start.T)
    gram = Gram(points @ points.T)
    ours = settle(gram, gram.to_centres(start**m)[0], np.ones(40), m, 1e-10, 500)
    np.testing.assert_allclose(ours.membership, theirs.T, atol=1e-6)
    assert len(ours.history) < 500


def test_spread_rows_are_distinct_and_far_apart():
    rng = np.random.default_rng(0)
    points = np.repeat([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]], 10, axis=0) + rng.normal(scale=0.01, size=(30, 2))
    for seed in range(5):
        chosen = spread_rows(Gram(points @ points.T), 3, np.random.default_rng(seed))
        assert sorted(chosen // 10) == [0, 1, 2]
    same = spread_rows(Gram(np.ones((4, 4))), 4, np.random.default_rng(0))
    assert sorted(same) == [0, 1, 2, 3]


def test_the_centre_of_a_cluster_without_members_is_that_of_all():
    rows = np.random.default_rng(0).random((5, 3))
    gram = Gram(rows @ rows.T, unit_centres=False)
    weight = np.zeros((5, 2))
    weight[:, 0] = 1.0
    distance, between = gram.to_centres(weight)
    np.testing.assert_allclose(distance[:, 1], distance[:, 0])
    np.testing.assert_allclose(distance[:, 0], ((rows - rows.mean(axis=0)) ** 2).sum(axis=1))
    np.testing.assert_allclose(between, 0.0, atol=1e-12)


def blocks(sizes, inside=0.8, across=0.1, noise=0.05, seed=0):
    rng = np.random.default_rng(seed)
    which = np.repeat(np.arange(len(sizes)), sizes)
    matrix = np.where(which[:, None] == which, inside, across) + rng.normal(scale=noise, size=(len(which),) * 2)
    matrix = np.clip(np.triu(matrix, 1) + np.triu(matrix, 1).T, 0, 1)
    np.fill_diagonal(matrix, 1)
    return matrix, which


@given(seed=seeds, k=st.integers(2, 4), m=st.floats(1.2, 2.5))
@settings(max_examples=40, deadline=None)
def test_kxbi_is_the_xie_beni_index_of_the_points(seed, k, m):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(12, 3))
    gram = Gram(points @ points.T)
    settled = settle(gram, gram.to_rows(np.arange(k)), np.ones(12), m, 1e-12, 3000)
    weight = settled.membership**m
    centres = (weight / weight.sum(axis=0)).T @ points
    apart = cdist(centres, centres, "sqeuclidean")[np.triu_indices(k, 1)].min()
    if apart < 1e-6 or len(settled.history) == 3000:
        return
    scatter = (weight * cdist(points, centres, "sqeuclidean")).sum()
    assert kxbi(settled, 12) == pytest.approx(scatter / (12 * apart), rel=1e-4)


def test_coincident_centres_count_as_infinite():
    gram = Gram(np.ones((4, 4)))
    settled = settle(gram, np.ones((4, 2)), np.ones(4), 2.0, 1e-6, 5)
    assert kxbi(settled, 4) == np.inf


@given(seed=seeds, n=st.integers(3, 12))
@settings(max_examples=20, deadline=None)
def test_strengths_dealt_anew_are_the_same_strengths(seed, n):
    rng = np.random.default_rng(seed)
    matrix, _ = blocks([n], seed=seed)
    dealt = dealt_anew(matrix, rng)
    assert np.array_equal(dealt, dealt.T)
    above = np.triu_indices(n, 1)
    assert np.array_equal(np.sort(dealt[above]), np.sort(matrix[above]))
    assert np.array_equal(dealt.diagonal(), matrix.diagonal())


@pytest.mark.parametrize("method", [ARCA, FRC])
@pytest.mark.parametrize("sizes", [(8, 8), (10, 6, 8)])
def test_clear_clusters_are_found(method, sizes):
    matrix, which = blocks(sizes)
    found = method().fit(matrix)
    assert found.n_clusters_ == len(sizes)
    assert found.labels_.tolist() == which.tolist()
    assert found.validity_.chosen == len(sizes)


@pytest.mark.parametrize("seed", range(5))
def test_one_cluster_can_be_the_answer(seed):
    matrix, _ = blocks([20], inside=0.6, noise=0.1, seed=seed)
    for clusterer in (ARCA(), FRC()):
        found = clusterer.fit(matrix)
        assert found.n_clusters_ == 1
        assert found.labels_.tolist() == [0] * 20
        assert len(found.validity_.references) > 1


@pytest.mark.parametrize("seed", range(3))
def test_the_papers_comparison_never_chooses_one(seed):
    matrix, _ = blocks([15], inside=0.6, noise=0.1, seed=seed)
    for distance in ("paper", "exact"):
        found = KARC(variant="paper", distance=distance).fit(matrix)
        assert found.n_clusters_ > 1
        # A uniform membership already gives J_C = C^(1−m)·J_1.
        objective = found.validity_.objective
        assert (objective[1:] <= found.validity_.n_clusters[1:] ** -0.6 * objective[0] * (1 + 1e-9)).all()


def test_the_curve_is_kept():
    matrix, _ = blocks([6, 6, 6])
    found = ARCA(max_clusters=9).fit(matrix).validity_
    assert found.n_clusters.tolist() == [1, 2, 3, 4]
    assert np.isnan(found.kxbi[0])
    assert found.kxbi[3] > found.kxbi[2] < found.kxbi[1]
    assert found.chosen == 3
    assert ARCA(max_clusters=2).fit(matrix).validity_.n_clusters.tolist() == [1, 2]
