import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from crossdoc.cluster.contexts.context_clustering import ContextClustering
from crossdoc.cluster.contexts.gap import reference_rows, reference_similarities


def matrix(seed, n=12, d=7):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 4, (n, d)) * (rng.random((n, d)) < 0.5)


@given(st.integers(0, 500))
def test_counts_keep_both_marginals_exactly_and_stay_counts(seed):
    counts = matrix(seed)
    drawn = reference_rows(sparse.csr_matrix(counts), np.random.default_rng(seed)).toarray()
    assert drawn.sum(axis=0).tolist() == counts.sum(axis=0).tolist()
    assert drawn.sum(axis=1).tolist() == counts.sum(axis=1).tolist()
    assert (drawn == np.round(drawn)).all()


def test_other_numbers_keep_their_marginals_too():
    values = np.random.default_rng(0).random((40, 20)) * (np.random.default_rng(1).random((40, 20)) < 0.6)
    drawn = reference_rows(sparse.csr_matrix(values), np.random.default_rng(2)).toarray()
    np.testing.assert_allclose(drawn.sum(axis=0), values.sum(axis=0), rtol=1e-3)
    np.testing.assert_allclose(drawn.sum(axis=1), values.sum(axis=1), rtol=1e-3)
    assert not np.allclose(drawn, values)
    assert (drawn >= 0).all()


def test_negative_numbers_keep_their_columns():
    values = np.random.default_rng(0).normal(size=(15, 4))
    drawn = reference_rows(sparse.csr_matrix(values), np.random.default_rng(1)).toarray()
    np.testing.assert_allclose(np.sort(drawn, axis=0), np.sort(values, axis=0))
    assert not np.allclose(drawn, values)


def test_similarities_keep_symmetry_diagonal_and_row_sums():
    rng = np.random.default_rng(3)
    rows = rng.random((15, 6))
    given_ones = rows @ rows.T / 10
    drawn = reference_similarities(given_ones, rng)
    np.testing.assert_allclose(drawn, drawn.T)
    np.testing.assert_allclose(np.diag(drawn), np.diag(given_ones))
    np.testing.assert_allclose(drawn.sum(axis=1), given_ones.sum(axis=1), rtol=1e-3)
    assert not np.allclose(drawn, given_ones)


def test_nothing_to_deal_out():
    assert reference_rows(sparse.csr_matrix((3, 2)), np.random.default_rng(0)).nnz == 0
    assert reference_similarities(np.ones((1, 1)), np.random.default_rng(0)).tolist() == [[1.0]]


@pytest.mark.parametrize("criterion", ["i1", "i2", "e1", "h1", "h2"])
def test_the_gap_finds_clean_blocks_by_any_criterion(criterion):
    rng = np.random.default_rng(0)
    rows = np.kron(np.eye(3), np.ones((15, 8))) * (rng.random((45, 24)) < 0.7)
    found = ContextClustering(stop="gap", criterion=criterion, references=3, max_clusters=8, method="rbr").fit(rows)
    assert found.n_clusters_ == 3
    assert found.stopping_["gap"].support > 0.5
    similarity = (lambda unit: unit @ unit.T)(rows / np.linalg.norm(rows, axis=1, keepdims=True))
    found = ContextClustering(
        stop="gap", criterion=criterion, references=3, space="similarity", max_clusters=8, method="rbr"
    ).fit(similarity)
    assert found.n_clusters_ == 3
