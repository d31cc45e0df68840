"""Strengths of pairs and vectors: what is refused, and dense matrices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.preprocessing import normalize

from crossdoc import errors
from crossdoc.model import (
    Relations,
    Vectors,
)


@pytest.mark.parametrize(
    ("left", "right", "strength", "default", "told"),
    [
        ([0, 1], [1], [0.5], 0.0, "differ in length"),
        ([0], [1], [[0.5]], 0.0, "differ in length"),
        ([0], [3], [0.5], 0.0, "not among the 3"),
        ([3], [0], [0.5], 0.0, "not among the 3"),
        ([-1], [0], [0.5], 0.0, "not among the 3"),
        ([0], [-1], [0.5], 0.0, "not among the 3"),
        ([0, 1], [1, 1], [0.5, 0.5], 0.0, "paired with itself"),
        ([0, 1], [1, 2], [0.5, np.nan], 0.0, "not finite"),
        ([0], [1], [np.inf], 0.0, "not finite"),
        ([0], [1], [0.5], np.nan, "not finite"),
    ],
)
def test_bad_relations_are_refused(left, right, strength, default, told):
    columns = np.array(left, np.int32), np.array(right, np.int32), np.array(strength, np.float32)
    with pytest.raises(errors.InputError, match=told):
        Relations(3, *columns, default).checked()


def test_good_relations_are_themselves():
    none = np.zeros(0, np.int32)
    signed = Relations(3, np.array([0, 2], np.int32), np.array([2, 1], np.int32), np.array([-3.0, 1.0], np.float32))
    for good in (Relations(0, none, none, none.astype(np.float32)), signed):
        assert good.checked() is good


@given(st.integers(0, 9), st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_relations_from_dense_and_back(n, seed):
    upper = np.triu(np.random.default_rng(seed).random((n, n)).astype(np.float32), 1)
    matrix = upper + upper.T + np.eye(n, dtype=np.float32)
    found = Relations.from_dense(matrix)
    assert len(found) == n * (n - 1) // 2
    left, right = np.triu_indices(n, k=1)
    assert (found.left.tolist(), found.right.tolist()) == (left.tolist(), right.tolist())
    assert (found.dense() == matrix).all()


def test_relations_not_listed_have_the_default_strength():
    few = Relations(3, np.array([2], np.int32), np.array([0], np.int32), np.array([0.5], np.float32), 0.25)
    assert few.dense().tolist() == [[1, 0.25, 0.5], [0.25, 1, 0.25], [0.5, 0.25, 1]]


@pytest.mark.parametrize("n", [0, 1, 7, 2500])
def test_cosine_equals_scikit_learn(n):
    matrix = normalize(sparse.random(n, 40, density=0.2, format="csr", random_state=0)) if n else np.zeros((0, 40))
    vectors = Vectors(sparse.csr_matrix(matrix))
    expected = cosine_similarity(matrix) if n else np.zeros((0, 0))
    np.fill_diagonal(expected, 1.0)
    found = vectors.cosine()
    assert found.dtype == np.float32
    assert np.allclose(found, expected, atol=1e-6)
    rows = np.arange(n)[::-2]
    assert np.allclose(vectors.cosine(rows), expected[np.ix_(rows, rows)], atol=1e-6)
