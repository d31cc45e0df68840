"""Profiles of similar contexts, whatever their names: candidates that no name would bring together.

Approximate, as in an inverted index with pruned, impact-ordered postings (Moffat & Zobel 1996): of each word only the
rows in which it weighs most are looked at, and the best by what those say are then compared exactly.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from crossdoc.compare import _neighbour_kernels
from crossdoc.model import Vectors

Pairs = npt.NDArray[np.int32]
PARTS_A_THREAD = 8


class Rows(NamedTuple):
    """A sparse matrix by rows."""

    start: npt.NDArray[np.int64]
    columns: npt.NDArray[np.int32]
    values: npt.NDArray[np.float32]


def context_neighbours(vectors: Vectors, count: int, postings: int = 500, threads: int | None = None) -> Pairs:
    """Pair each row with the `count` rows of the highest cosine: each pair once, the smaller row first, sorted.

    Rows that share no word are not neighbours.

    Parameters
    ----------
    vectors : Vectors
        The rows.
    count : int
        How many neighbours of each row.
    postings : int, default 500
        How many rows are looked at for each word; where no word has more, the answer is exact.
    threads : int or None, default None
        Threads at work; None is one per core.

    Returns
    -------
    Pairs
        Row numbers, pairs × 2.

    Notes
    -----
    Time grows with rows × words of a row × postings, and memory with the vectors.

    Examples
    --------
    >>> from scipy import sparse
    >>> context_neighbours(Vectors(sparse.csr_matrix([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]])), 1).tolist()
    [[0, 1], [1, 2]]
    """
    if count < 1 or postings < 1:
        raise ValueError(f"neighbours and postings must be 1 or more, not {count} and {postings}")
    n = len(vectors)
    if n < 2:
        return np.zeros((0, 2), dtype=np.int32)
    rows, heaviest = _rows(vectors), _heaviest(vectors, postings)
    found = np.full((n, count), -1, dtype=np.int32)
    workers = threads or os.cpu_count() or 1
    bounds = np.linspace(0, n, min(n, workers * PARTS_A_THREAD) + 1).astype(int).tolist()
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(lambda part: _neighbour_kernels.nearest(rows, heaviest, *part, found), pairwise(bounds)))
    left = np.repeat(np.arange(n, dtype=np.int32), count)
    pairs = np.sort(np.column_stack([left, found.ravel()])[found.ravel() >= 0], axis=1)
    return np.unique(pairs, axis=0)


def _rows(vectors: Vectors) -> Rows:
    matrix = vectors.matrix
    return Rows(
        matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data.astype(np.float32, copy=False)
    )


def _heaviest(vectors: Vectors, most: int) -> Rows:
    """Return the rows in which each word has the largest weight, heaviest first; ties go to the smaller row."""
    turned = vectors.matrix.T.tocsr()
    word = np.repeat(np.arange(turned.shape[0]), np.diff(turned.indptr))
    order = np.lexsort((turned.indices, -turned.data, word))
    rank = np.arange(len(order)) - np.repeat(turned.indptr[:-1], np.diff(turned.indptr))
    kept = order[rank < most]
    start = np.concatenate([[0], np.cumsum(np.minimum(np.diff(turned.indptr), most))]).astype(np.int64)
    return Rows(start, turned.indices[kept].astype(np.int32), turned.data[kept].astype(np.float32))
