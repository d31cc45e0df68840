"""Strings and lists of them as plain arrays, in the shapes that the kernels take."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
from scipy import sparse

Ints = npt.NDArray[np.int32]
Key = TypeVar("Key", bound=Hashable)


class Lists(NamedTuple):
    """Row i has `values[start[i] : start[i + 1]]`, ascending, each once."""

    start: npt.NDArray[np.int64]
    values: Ints


class Letters(NamedTuple):
    """The code points of each word, how many, and 64 bits of which one is set for each letter that occurs."""

    start: npt.NDArray[np.int64]
    points: npt.NDArray[np.uint32]
    length: Ints
    present: npt.NDArray[np.uint64]


class Bags(NamedTuple):
    """Lists with a weight for each value."""

    start: npt.NDArray[np.int64]
    values: Ints
    weights: npt.NDArray[np.float64]


def counted(rows: npt.ArrayLike, codes: npt.ArrayLike, n: int) -> sparse.csr_matrix:
    """Count each code in each row."""
    r, c = np.asarray(rows, dtype=np.int64), np.asarray(codes, dtype=np.int64)
    width = int(c.max()) + 1 if len(c) else 1
    matrix = sparse.csr_matrix((np.ones(len(r)), (r, c)), shape=(n, width))
    matrix.sum_duplicates()
    return matrix


def lists(rows: npt.ArrayLike, codes: npt.ArrayLike, n: int) -> Lists:
    """
    >>> lists([2, 0, 2, 2], [7, 5, 1, 7], 3)
    Lists(start=array([0, 1, 1, 3]), values=array([5, 1, 7], dtype=int32))
    """
    matrix = counted(rows, codes, n)
    return Lists(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32))


def lists_of(items: Sequence[Iterable[int]]) -> Lists:
    """Return lists of numbers in their order."""
    rows = [list(item) for item in items]
    start = np.concatenate([[0], np.cumsum([len(row) for row in rows], dtype=np.int64)]).astype(np.int64)
    return Lists(start, np.array([value for row in rows for value in row], dtype=np.int32))


def letters(words: Sequence[str]) -> Letters:
    length = np.array([len(word) for word in words], dtype=np.int32)
    start = np.concatenate([[0], np.cumsum(length, dtype=np.int64)]).astype(np.int64)
    text = "".join(words).encode("utf-32-le", "surrogatepass")
    # A copy, since numba compiles its kernels a second time for read-only arrays.
    points = np.frombuffer(text, dtype=np.uint32).copy()
    present = np.zeros(len(words), dtype=np.uint64)
    bits = np.uint64(1) << (points % 64).astype(np.uint64)
    np.bitwise_or.at(present, np.repeat(np.arange(len(words)), length), bits)
    return Letters(start, points, length, present)


def codes_of(values: Iterable[Key]) -> dict[Key, int]:
    """Number the distinct values in order of first occurrence."""
    return {value: code for code, value in enumerate(dict.fromkeys(values))}
