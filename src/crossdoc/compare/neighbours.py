"""Profiles of similar contexts, whatever their names: candidates that no name would bring together.

Approximate, as in an inverted index with pruned, impact-ordered postings (Moffat & Zobel 1996): of each word only the
rows in which it weighs most are looked at, and the best by what those say are then compared exactly.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from numba import njit

from crossdoc.compare.specialists.base import SparseRows, sparse_rows
from crossdoc.model import Vectors

LOOKED_AT = 4
"""Candidates per wanted neighbour that are compared exactly."""


@njit(cache=True, nogil=True)
def nearest(rows, postings, begin, end, found):  # type: ignore[no-untyped-def]
    """Write the rows of the highest cosine with each row from begin to end into `found`, best first."""
    n, count = found.shape
    partial = np.zeros(n, dtype=np.float32)
    touched, seen = np.empty(n, dtype=np.int32), np.zeros(n, dtype=np.bool_)
    width = len(postings.start) - 1
    spread = np.zeros(width, dtype=np.float32)
    for row in range(begin, end):
        met = 0
        for i in range(rows.start[row], rows.start[row + 1]):
            word, weight = rows.columns[i], rows.values[i]
            spread[word] = weight
            for j in range(postings.start[word], postings.start[word + 1]):
                other = postings.columns[j]
                if other == row:
                    continue
                if not seen[other]:
                    seen[other] = True
                    touched[met] = other
                    met += 1
                partial[other] += weight * postings.values[j]
        best = _best(partial, touched[:met], LOOKED_AT * count)
        for k in range(met):
            partial[touched[k]], seen[touched[k]] = 0.0, False
        for k in range(len(best)):
            total = np.float32(0.0)
            for i in range(rows.start[best[k]], rows.start[best[k] + 1]):
                total += rows.values[i] * spread[rows.columns[i]]
            partial[best[k]] = total
        chosen = _best(partial, best, count)
        for k in range(len(best)):
            partial[best[k]] = 0.0
        for k in range(len(chosen)):
            found[row, k] = chosen[k]
        for i in range(rows.start[row], rows.start[row + 1]):
            spread[rows.columns[i]] = 0.0


@njit(cache=True, nogil=True)
def _best(value, rows, count):  # type: ignore[no-untyped-def]
    """Return the rows of the highest value, best first; ties go to the smaller row."""
    kept = np.empty(min(count, len(rows)), dtype=np.int32)
    size = 0
    for k in range(len(rows)):
        row = rows[k]
        if size == len(kept) and not _before(value, row, kept[size - 1]):
            continue
        place = size if size < len(kept) else size - 1
        while place > 0 and _before(value, row, kept[place - 1]):
            kept[place] = kept[place - 1]
            place -= 1
        kept[place] = row
        size = min(size + 1, len(kept))
    return kept


@njit(cache=True, nogil=True)
def _before(value, a, b):  # type: ignore[no-untyped-def]
    return value[a] > value[b] or (value[a] == value[b] and a < b)


Pairs = npt.NDArray[np.int32]
PARTS_A_THREAD = 8


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
    rows, heaviest = sparse_rows(vectors), _heaviest(vectors, postings)
    found = np.full((n, count), -1, dtype=np.int32)
    workers = threads or os.cpu_count() or 1
    bounds = np.linspace(0, n, min(n, workers * PARTS_A_THREAD) + 1).astype(int).tolist()
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(lambda part: nearest(rows, heaviest, *part, found), pairwise(bounds)))
    left = np.repeat(np.arange(n, dtype=np.int32), count)
    pairs = np.sort(np.column_stack([left, found.ravel()])[found.ravel() >= 0], axis=1)
    return np.unique(pairs, axis=0)


def _heaviest(vectors: Vectors, most: int) -> SparseRows:
    """Return the rows in which each word has the largest weight, heaviest first; ties go to the smaller row."""
    turned = vectors.matrix.T.tocsr()
    word = np.repeat(np.arange(turned.shape[0]), np.diff(turned.indptr))
    order = np.lexsort((turned.indices, -turned.data, word))
    rank = np.arange(len(order)) - np.repeat(turned.indptr[:-1], np.diff(turned.indptr))
    kept = order[rank < most]
    start = np.concatenate([[0], np.cumsum(np.minimum(np.diff(turned.indptr), most))]).astype(np.int64)
    rows, values = turned.indices[kept].astype(np.int32), turned.data[kept].astype(np.float32)
    return SparseRows(start, rows, values, turned.shape[1])
