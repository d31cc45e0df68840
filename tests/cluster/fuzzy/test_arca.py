"""FRC against its formula, and against c-means on points."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from crossdoc.cluster.fuzzy import FRC
from crossdoc.cluster.fuzzy.gram_means import Gram, settle

seeds = st.integers(0, 2**32 - 1)


@given(seed=seeds, n=st.integers(2, 8), k=st.integers(1, 3))
@settings(max_examples=40, deadline=None)
def test_distances_are_those_of_dave_and_sen(seed, n, k):
    rng = np.random.default_rng(seed)
    strengths = rng.uniform(size=(n, n))
    strengths = (strengths + strengths.T) / 2
    np.fill_diagonal(strengths, 1)
    weight, d = rng.uniform(0.01, 1, (n, k)), 1 - strengths
    found, _ = FRC()._gram(strengths).to_centres(weight)
    for i in range(k):
        s = weight[:, i].sum()
        inside = sum(weight[h, i] * weight[g, i] * d[h, g] for h in range(n) for g in range(n)) / (2 * s * s)
        for j in range(n):
            assert found[j, i] == pytest.approx(sum(weight[h, i] * d[j, h] for h in range(n)) / s - inside)


def test_squared_distances_of_points_give_c_means_of_the_points():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(30, 3)) + 6 * rng.normal(size=(3, 3))[rng.integers(0, 3, 30)]
    squared = cdist(points, points, "sqeuclidean")
    points /= np.sqrt(squared.max())
    strengths = 1 - squared / squared.max()
    start = rng.dirichlet(np.ones(3), 30)
    both = [
        settle(gram, gram.to_centres(start**1.6)[0], np.ones(30), 1.6, 1e-10, 500).membership
        for gram in (FRC()._gram(strengths), Gram(points @ points.T))
    ]
    np.testing.assert_allclose(*both, atol=1e-6)


def test_relations_that_no_space_has():
    """Triangle inequalities are broken, and some a_ij are negative; memberships stay memberships."""
    strengths = np.array([[1, 1, 0, 1], [1, 1, 1, 0], [0, 1, 1, 1], [1, 0, 1, 1.0]])
    gram = FRC()._gram(strengths)
    weight = np.array([[1.0, 0.01], [0.01, 1], [1, 0.01], [0.01, 1]])
    assert (gram.to_centres(weight)[0] < 0).any()
    found = FRC(2).fit(strengths)
    np.testing.assert_allclose(found.partition_.membership.sum(axis=1), 1.0)
