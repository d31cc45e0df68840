"""Contexts that are one passage: two that share half of the words of the longer, in memory and over parts.

Candidates are found by min-hashing (Broder 1997, doi:10.1109/SEQUEN.1997.666900), and looked at. Over parts the keys
are dealt, those that share one become pairs, and the row of the first of a pair goes where the second is, so that only
rows with a candidate ever leave their part. Passages that were found, a few numbers each, are put together in one task.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from crossdoc.cluster.sampling.factor_graph import in_pieces
from crossdoc.cluster.sampling.rounds import Ints, Shard, hashed, own

FEWEST_WORDS, BANDS = 6, 12
"""Contexts of fewer words may be the same by chance; of pairs with two thirds in common one in thirty is missed."""


def first_alike(start: npt.NDArray[Any], feature: npt.NDArray[Any], threads: int = 1) -> Ints:
    """For each row the first with which it shares half of the words of the longer, or that does with one that does."""
    rows = np.flatnonzero(np.diff(start) >= FEWEST_WORDS)
    pairs = [_neighbours(key, rows) for key in _keys(start, feature, rows, threads)]
    n = len(start) - 1
    # As numbers: to sort pairs takes ten times as long.
    left, right = np.divmod(np.unique(np.concatenate([a * n + b for a, b in pairs])), max(n, 1))
    alike = _alike(start, feature, left, right)
    return _firsts(left[alike], right[alike], n)


def _keys(start: Any, feature: Any, rows: Ints, threads: int) -> Iterator[npt.NDArray[np.uint64]]:
    """For each band a key of each row: alike rows often share it."""
    seeds = np.random.default_rng(0).integers(0, 2**63, 2 * BANDS, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    least = np.empty((len(start) - 1, 2), dtype=np.uint64)
    for band in range(BANDS):
        args = start, feature, seeds[2 * band : 2 * band + 2], least
        in_pieces(lambda first, last, args=args: least_hashes(*args, first, last), len(least), threads)  # type: ignore[misc]
        yield least[rows, 0] ^ (least[rows, 1] * np.uint64(0x9E3779B97F4A7C15))


def _neighbours(key: npt.NDArray[np.uint64], rows: Ints) -> Ints:
    """Rows that follow each other among those with the same key, given in ascending order."""
    order = np.argsort(key, kind="stable")
    same = np.flatnonzero(key[order][1:] == key[order][:-1])
    return np.stack([rows[order[same]], rows[order[same + 1]]])


def _alike(start: Any, feature: Any, left: Ints, right: Ints) -> npt.NDArray[np.bool_]:
    length, common = np.diff(start), np.empty(len(left), dtype=np.int64)
    in_common(start, feature, left, right, common)
    return 2 * common >= np.maximum(length[left], length[right])  # type: ignore[no-any-return]


def _firsts(left: Ints, right: Ints, n: int) -> Ints:
    links = sparse.csr_matrix((np.ones(len(left)), (left, right)), shape=(n, n))
    passage = connected_components(links, directed=False)[1]
    return np.unique(passage, return_index=True)[1][passage]


@njit(cache=True, nogil=True)
def least_hashes(start, feature, seeds, least, first, last):  # type: ignore[no-untyped-def]
    """For each row the least of its features' hashes, by each seed: rows share them as often as they are alike."""
    for i in range(first, last):
        for k in range(len(seeds)):
            lowest = np.uint64(0xFFFFFFFFFFFFFFFF)
            for c in range(start[i], start[i + 1]):
                z = (np.uint64(feature[c]) + np.uint64(1)) * seeds[k]
                z = (z ^ (z >> np.uint64(31))) * np.uint64(0xBF58476D1CE4E5B9)
                lowest = min(lowest, z ^ (z >> np.uint64(29)))
            least[i, k] = lowest


@njit(cache=True, nogil=True)
def in_common(start, feature, left, right, out):  # type: ignore[no-untyped-def]
    """How many features the rows of each pair share; rows are sorted."""
    for k in range(len(left)):
        i, j = start[left[k]], start[right[k]]
        end_i, end_j = start[left[k] + 1], start[right[k] + 1]
        out[k] = 0
        while i < end_i and j < end_j:
            f, g = feature[i], feature[j]
            out[k] += f == g
            i += f <= g
            j += g <= f


# -- over parts ------------------------------------------------------------------------------------------------------


class ContextRows(NamedTuple):
    """Some rows of the corpus by ascending numbers: the row that each is one with (itself, or the first of those that
    must be), its name (−1: none), and which words it has."""

    row: Ints
    node: Ints
    code: npt.NDArray[np.int32]
    start: Ints
    word: npt.NDArray[np.int32]


class Owners(NamedTuple):
    """Parts of rows: the part with the last start at or before a row; `apart` rows are in an extra last part."""

    begins: Ints
    apart: Ints

    @property
    def parts(self) -> int:
        return len(self.begins) + 1

    def of(self, row: Ints) -> Ints:
        """
        >>> Owners(np.array([0, 5]), np.array([6])).of(np.array([4, 5, 6]))
        array([0, 1, 2])
        """
        part = np.searchsorted(self.begins, row, side="right") - 1
        return np.where(np.isin(row, self.apart), len(self.begins), part)


class Marks(NamedTuple):
    """Rows of passages of several rows, by ascending numbers: the first of each, and whether names differ there."""

    row: Ints
    first: Ints
    shared: npt.NDArray[np.bool_]


def dealt_keys(contexts: ContextRows, into: int) -> tuple[list[Shard], int]:
    rows = np.flatnonzero(np.diff(contexts.start) >= FEWEST_WORDS)
    start, word = own([contexts.start, contexts.word])
    key = np.concatenate(list(_keys(start, word, rows, 1)))
    found = Shard({"node": np.tile(contexts.row[rows], BANDS), "key": key}, {})
    return found.split(hashed(key, 0, into), into), len(rows)


def candidates(held: Sequence[Shard], owners: Owners) -> tuple[list[Shard], int]:
    """Pairs that share a key, by where their first rows are."""
    flat = Shard.united(held).flat
    left, right = np.unique(_neighbours(flat["key"], flat["node"]), axis=1)
    return Shard({"node": left, "right": right}, {}).split(owners.of(left), owners.parts), len(left)


def sent_rows(held: Sequence[Any], owners: Owners) -> tuple[list[Shard], int]:
    """The rows of pairs whose first is here, by where the second is."""
    contexts, *pairs = held
    flat = Shard.united(pairs).flat
    left, right = np.unique(np.stack([flat["node"], flat["right"]]), axis=1)
    at = np.searchsorted(contexts.row, left)
    rows = Shard({"code": contexts.code}, {"words": (contexts.start, contexts.word)}).take(at)
    found = rows._replace(flat={**rows.flat, "node": right, "left": left})
    return found.split(owners.of(right), owners.parts), len(left)


def alike_pairs(held: Sequence[Any]) -> Shard:
    """Return the pairs, of those whose second row is here, that are one passage."""
    contexts, *sent = held
    pairs = Shard.united(sent)
    start, word = pairs.ragged["words"]
    at = np.searchsorted(contexts.row, pairs.flat["node"])
    both = np.concatenate([start[:-1], contexts.start + len(word)]), np.concatenate([word, contexts.word])
    alike = np.flatnonzero(_alike(*both, np.arange(pairs.n), pairs.n + at))
    other = contexts.code[at[alike]]
    return Shard({**{name: each[alike] for name, each in pairs.flat.items()}, "other": other}, {})


def marked(held: Sequence[Shard], owners: Owners) -> tuple[list[Marks], int]:
    """The passages, by where their rows are."""
    flat = Shard.united(held).flat
    row, place = np.unique(np.stack([flat["left"], flat["node"]]), return_inverse=True)
    left, right = place.reshape(2, -1)
    first = _firsts(left, right, len(row))
    code = np.empty(len(row), dtype=np.int32)
    code[left], code[right] = flat["code"], flat["other"]
    shared = np.zeros(len(row), dtype=np.bool_)
    shared[first[code != code[first]]] = True
    owner = owners.of(row)
    found = [np.flatnonzero(owner == part) for part in range(owners.parts)]
    return [Marks(row[some], row[first[some]], shared[first[some]]) for some in found], len(row)
