"""Neighbours by context, against all cosines."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.preprocessing import normalize

from crossdoc.compare.neighbours import context_neighbours
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.model import Profile, Profiles, Vectors


def random_vectors(rows, words, seed):
    """Words of very different frequency, as text has them."""
    random = np.random.default_rng(seed)
    counts = random.poisson(np.minimum(8 / np.arange(1, words + 1), 1), size=(rows, words))
    # Rows in tens that share some rare words, so that there are neighbours to find.
    for row in range(rows):
        counts[row, words - 1 - (row // 10) % (words // 2)] += 2
    idf = np.log(rows / (1 + (counts > 0).sum(axis=0))) + 1
    return Vectors(normalize(sparse.csr_matrix(counts * idf, dtype=np.float32)))


def nearest_by_all_cosines(vectors, count):
    cosines = vectors.matrix.astype(np.float64) @ vectors.matrix.T.astype(np.float64)
    dense = cosines.toarray()
    np.fill_diagonal(dense, -1)
    return dense, np.sort(dense, axis=1)[:, ::-1][:, :count]


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 30), st.integers(2, 20), st.integers(1, 4), st.integers(0, 10_000), st.sampled_from([1, 2, 5]))
def test_exact_where_all_postings_are_looked_at(rows, words, count, seed, threads):
    vectors = random_vectors(rows, words, seed)
    dense, best = nearest_by_all_cosines(vectors, count)
    pairs = context_neighbours(vectors, count, postings=rows, threads=threads)
    assert (pairs[:, 0] < pairs[:, 1]).all()
    assert len(np.unique(pairs, axis=0)) == len(pairs)
    listed = {tuple(pair) for pair in pairs.tolist()}
    for row in range(rows):
        near = {other for other in range(rows) if (min(row, other), max(row, other)) in listed}
        # Every neighbour at least as near as the last wanted, unless it is wanted from the other side.
        for other in near:
            floor = min(best[row, -1], best[other, -1])
            assert dense[row, other] >= floor - 1e-6
        clear = {int(other) for other in np.flatnonzero(dense[row] > max(best[row, -1], 0) + 1e-6)}
        assert clear <= near


def test_few_postings_find_most_neighbours():
    vectors = random_vectors(3000, 1200, 3)
    exact = {tuple(pair) for pair in context_neighbours(vectors, 5, postings=3000).tolist()}
    few = {tuple(pair) for pair in context_neighbours(vectors, 5, postings=40).tolist()}
    assert len(exact & few) / len(exact) > 0.85
    assert few != exact


def test_weights_that_cancel_each_other():
    matrix = normalize(np.random.default_rng(0).choice([-1.0, 1.0], size=(60, 4)))
    vectors = Vectors(sparse.csr_matrix(matrix))
    dense, best = nearest_by_all_cosines(vectors, 2)
    for a, b in context_neighbours(vectors, 2, postings=60):
        assert dense[a, b] >= min(best[a, -1], best[b, -1]) - 1e-6


def test_the_same_for_any_number_of_threads():
    vectors = random_vectors(500, 100, 5)
    one, many = (context_neighbours(vectors, 3, 50, threads) for threads in (1, 7))
    np.testing.assert_array_equal(one, many)


def test_people_of_different_names_meet_by_what_is_said_of_them():
    texts = ["cars engines Detroit", "engines cars Toledo", "squid boats lamps", "boats squid Falmouth", ""]
    profiles = Profiles.of(Profile(str(i), str(i), f"name{i}", context=text) for i, text in enumerate(texts))
    vectors = ContextVectoriser().fit([texts]).transform(profiles)
    assert context_neighbours(vectors, 1).tolist() == [[0, 1], [2, 3]]


def test_nothing_to_compare():
    assert context_neighbours(Vectors(sparse.csr_matrix((1, 3))), 2).shape == (0, 2)
    assert context_neighbours(Vectors(sparse.csr_matrix((4, 3))), 2).shape == (0, 2)
    with pytest.raises(ValueError, match="1 or more"):
        context_neighbours(Vectors(sparse.csr_matrix((4, 3))), 0)
