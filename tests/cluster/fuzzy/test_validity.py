"""KXBI against explicit points, the first minimum, and whether one cluster can be the answer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from crossdoc import errors
from crossdoc.cluster.contexts.criteria import criterion_value
from crossdoc.cluster.fuzzy import ARCA, FRC, KARC
from crossdoc.cluster.fuzzy.gram_means import Gram, settle
from crossdoc.cluster.fuzzy.validity import dealt_anew, kxbi, stopped

seeds = st.integers(0, 2**32 - 1)


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
    if apart < 1e-6 or not settled.converged:
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
    for clusterer in (ARCA(), FRC(), KARC(variant="paper", one_cluster="reference")):
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
    found = ARCA(full_curve=True, max_clusters=9).fit(matrix).validity_
    assert found.n_clusters.tolist() == list(range(1, 10))
    assert np.isnan(found.kxbi[0])
    assert not np.isnan(found.kxbi[1:]).any()
    assert found.chosen == 3
    short = ARCA(max_clusters=9).fit(matrix).validity_
    assert short.n_clusters.tolist() == [1, 2, 3, 4]
    assert short.kxbi[1:].tolist() == found.kxbi[1:4].tolist()


@pytest.mark.parametrize("rule", ["pk1", "pk2", "pk3"])
def test_the_stopping_rules_of_contexts(rule):
    matrix, which = blocks([8, 8, 8], inside=0.8, across=0.05)
    for clusterer in (ARCA(choose=rule), FRC(choose=rule), KARC(variant="paper", start="spread", choose=rule)):
        clusterer.set_params(max_clusters=8).fit(matrix)
        found = clusterer.validity_
        assert clusterer.n_clusters_ == found.chosen
        assert len(found.criterion) == 8
        labels = clusterer.set_params(n_clusters=3).fit(matrix).labels_
        assert labels.tolist() == which.tolist()
        assert found.criterion[2] == pytest.approx(criterion_value("h2", matrix, labels, space="similarity"), rel=1e-5)
        assert found.chosen == stopped(rule, found.criterion)
    assert ARCA(choose="pk2").fit(matrix).labels_.tolist() == which.tolist()
    with pytest.raises(errors.UsageError, match="choose"):
        ARCA(choose="best").fit(matrix)
