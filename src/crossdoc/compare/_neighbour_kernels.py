"""numba kernels of `neighbours`."""

from __future__ import annotations

import numpy as np
from numba import njit

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
