"""Cells of rows become those of columns, on several threads: holders by feature, and features by holder.

A piece has the cells of some rows, one after the other. Each column has room for those of the first piece, then for
those of the second, and so on, so that pieces are put there side by side, and rows are ascending in every column.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit


class Piece(NamedTuple):
    """The cells (begins[r]:begins[r + 1]) of rows base, base + 1, …: their columns, how often, and at what odds."""

    begins: npt.NDArray[np.int64]
    column: npt.NDArray[np.int32]
    times: npt.NDArray[np.int32]
    odds: npt.NDArray[np.float32]
    base: int


Columns = tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.float32]]


def by_column(pieces: Sequence[Piece], columns: int) -> Columns:
    """Return the bounds of each column, and the row, count and odds of its cells.

    >>> cells = np.array([0, 2, 0], dtype=np.int32), np.array([4, 5, 6], dtype=np.int32), np.ones(3, dtype=np.float32)
    >>> ends, row, times, _ = by_column([Piece(np.array([0, 2, 3]), *cells, base=7)], 3)
    >>> ends.tolist(), row.tolist(), times.tolist()
    ([0, 2, 2, 3], [7, 8, 7], [4, 6, 5])
    """
    with ThreadPoolExecutor(len(pieces)) as pool:
        found = list(pool.map(lambda piece: cells_of_columns(piece.begins, piece.column, columns), pieces))
        ends = np.concatenate([[0], np.cumsum(sum(found[1:], found[0]))])
        row, times = np.empty(ends[-1], dtype=np.int32), np.empty(ends[-1], dtype=np.int32)
        odds = np.empty(ends[-1], dtype=np.float32)
        places = list(accumulate(found[:-1], initial=ends[:-1].copy()))
        list(pool.map(lambda piece, place: put(*piece, place, row, times, odds), pieces, places))
    return ends, row, times, odds


@njit(cache=True, nogil=True)
def cells_of_columns(begins, column, columns):  # type: ignore[no-untyped-def]
    found = np.zeros(columns, dtype=np.int64)
    for k in range(begins[0], begins[-1]):
        found[column[k]] += 1
    return found


@njit(cache=True, nogil=True)
def put(begins, column, times, odds, base, place, row_out, times_out, odds_out):  # type: ignore[no-untyped-def]
    """Cells go where their columns have room, which `place` says."""
    for r in range(len(begins) - 1):
        for k in range(begins[r], begins[r + 1]):
            at = place[column[k]]
            row_out[at] = base + r
            times_out[at] = times[k]
            odds_out[at] = odds[k]
            place[column[k]] = at + 1


@njit(cache=True, nogil=True)
def united_features(start, feature, count, odds, holds, order, label, width):  # type: ignore[no-untyped-def]
    """Return the features of each entity, their counts, and their odds (the least of the members').

    `order` has the nodes of some entities, by entity: their features are put together while they are in the cache.
    """
    cells, entities = 0, 0
    base = label[order[0]] if len(order) else 0
    for i in order:
        entities = label[i] + 1 - base
        if holds[i]:
            cells += start[i + 1] - start[i]
    place = np.full(width, -1, dtype=np.int64)
    own = np.empty(cells, dtype=np.int32)
    times = np.empty(cells, dtype=np.int32)
    least = np.empty(cells, dtype=np.float32)
    begins = np.zeros(entities + 1, dtype=np.int64)
    many = 0
    for i in order:
        begun = begins[label[i] - base]
        if holds[i]:
            for c in range(start[i], start[i + 1]):
                f = feature[c]
                k = place[f]
                if k >= begun:
                    times[k] += count[c]
                    least[k] = min(least[k], odds[c])
                else:
                    place[f] = many
                    own[many] = f
                    times[many] = count[c]
                    least[many] = odds[c]
                    many += 1
        begins[label[i] - base + 1] = many
    return begins, own, times, least, base


@njit(cache=True, nogil=True)
def renumbered(start, feature, number, begins, out):  # type: ignore[no-untyped-def]
    """The features of rows by other numbers, without those that have none (−1); how many are left."""
    many = 0
    for i in range(len(start) - 1):
        for c in range(start[i], start[i + 1]):
            if number[feature[c]] >= 0:
                out[many] = number[feature[c]]
                many += 1
        begins[i + 1] = many
    return many
