"""Texts → the numbers of their words, by one pass over the bytes of an Arrow column, as `raw_words` splits them.

Lower-cased ASCII without apostrophes, which is nearly all there is, is split by a numba kernel; of other texts the
words are found by `raw_words` and only numbered here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from numba import config, njit

BYTES_AT_ONCE = 2**20
"""Bytes of text per batch. Arrays have room for all words of a batch; a small table stays in the cache."""
PLAIN, ODD, SPLIT = 0, 1, 2
"""A text that the kernel can split, one that it cannot, and words that are split by spaces already."""
NONE, LETTER, DIGIT, APOSTROPHE, FOREIGN = range(5)
KIND = np.full(256, NONE, dtype=np.uint8)
KIND[[*range(ord("a"), ord("z") + 1), *range(ord("A"), ord("Z") + 1)]] = LETTER
KIND[ord("0") : ord("9") + 1] = DIGIT
KIND[ord("'")] = APOSTROPHE
KIND[128:] = FOREIGN
LOWER = np.arange(256, dtype=np.uint8)
LOWER[ord("A") : ord("Z") + 1] += 32

Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]


class Coded(NamedTuple):
    """Some texts: text i has the words code[start[i]:start[i + 1]], in order."""

    start: Ints
    code: npt.NDArray[np.int32]


class WordTable:
    """Distinct words, numbered in order of first occurrence.

    >>> table = WordTable(str.split)
    >>> [coded] = table.codes(pa.chunked_array([["The F16, the 90s", "F16"]]))
    >>> coded.start.tolist(), coded.code.tolist(), table.words()
    ([0, 4, 5], [0, 1, 0, 2, 1], ['the', 'f16', 's'])
    """

    def __init__(self, split: Callable[[str], list[str]]) -> None:
        self.split = split
        self._slot = np.full(1024, -1, dtype=np.int32)
        self._hash = np.empty(512, dtype=np.uint64)
        self._ends = np.zeros(513, dtype=np.int64)
        self._letters = np.empty(4096, dtype=np.uint8)
        self._many = 0

    def __len__(self) -> int:
        return self._many

    def words(self, first: int = 0) -> list[str]:
        """Return the words numbered `first` and above."""
        ends = self._ends[first : self._many + 1]
        letters, ends = self._letters[ends[0] : ends[-1]].tobytes(), (ends - ends[0]).tolist()
        return [letters[begin:end].decode() for begin, end in pairwise(ends)]

    def codes(self, texts: pa.ChunkedArray) -> Iterator[Coded]:
        """Yield the words of the texts, a megabyte at a time; a missing text has none."""
        for chunk in texts.chunks:
            column = chunk.cast(pa.large_string())
            first = 0
            while first < len(column):
                last = _until(column, first)
                yield self._numbered(column.slice(first, last - first))
                first = last

    def _numbered(self, texts: pa.LargeStringArray) -> Coded:
        offsets, buffer = _buffers(texts)
        how = np.empty(len(texts), dtype=np.int8)
        kinds_of(buffer, offsets, KIND, how)
        if (how == ODD).any():
            plain = [
                " ".join(self.split(text.as_py() or "")) if odd else text.as_py()
                for text, odd in zip(texts, how == ODD, strict=True)
            ]
            offsets, buffer = _buffers(pa.array(plain, pa.large_string()))
            how[how == ODD] = SPLIT
        self._make_room(len(buffer))
        start = np.zeros(len(texts) + 1, dtype=np.int64)
        code = np.empty(len(buffer) // 2 + len(texts) + 1, dtype=np.int32)
        self._many = number_words(
            buffer,
            offsets,
            how,
            KIND,
            LOWER,
            self._slot,
            self._hash,
            self._ends,
            self._letters,
            self._many,
            start,
            code,
        )
        return Coded(start, code[: start[-1]].copy())

    def _make_room(self, more: int) -> None:
        """Make room for all words of `more` bytes, so that the kernel need not check; slots are twice the words.

        Room doubles, or grows to the size of one long text and no further.
        """
        words, needed = self._many + more // 2 + 2, int(self._ends[self._many]) + more
        if needed > len(self._letters):
            self._letters = _grown(self._letters, needed)
        if words > len(self._hash):
            self._hash, self._ends = _grown(self._hash, words), _grown(self._ends, words + 1)
        if 2 * words > len(self._slot):
            self._slot = np.full(1 << (2 * words - 1).bit_length(), -1, dtype=np.int32)
            place(self._slot, self._hash, self._many)


def _grown(array: npt.NDArray[Any], least: int) -> npt.NDArray[Any]:
    size = max(least, 2 * len(array))
    return np.concatenate([array, np.empty(size - len(array), dtype=array.dtype)])


class UncompiledWordTable(WordTable):
    """The table without a kernel, for runs that compile none: going byte by byte would take Python seconds.

    >>> table = UncompiledWordTable(str.split)
    >>> [coded] = table.codes(pa.chunked_array([["the car", None, "car"]]))
    >>> coded.start.tolist(), coded.code.tolist(), table.words()
    ([0, 2, 2, 3], [0, 1, 1], ['the', 'car'])
    """

    def __init__(self, split: Callable[[str], list[str]]) -> None:
        self.split = split
        self._number: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._number)

    def words(self, first: int = 0) -> list[str]:
        return list(self._number)[first:]

    def codes(self, texts: pa.ChunkedArray) -> Iterator[Coded]:
        for chunk in texts.chunks:
            split = [self.split(text or "") for text in chunk.to_pylist()]
            start = np.cumsum([0, *map(len, split)], dtype=np.int64)
            found = [self._number.setdefault(word, len(self._number)) for words in split for word in words]
            yield Coded(start, np.array(found, dtype=np.int32))


def word_table(split: Callable[[str], list[str]]) -> WordTable:
    return (UncompiledWordTable if config.DISABLE_JIT else WordTable)(split)


def _until(column: pa.LargeStringArray, first: int) -> int:
    """Return the end of the next batch of texts, at least one."""
    offsets = np.frombuffer(column.buffers()[1], dtype=np.int64)[column.offset : column.offset + len(column) + 1]
    return max(first + 1, int(np.searchsorted(offsets, offsets[first] + BYTES_AT_ONCE, side="right")) - 1)


def _buffers(texts: pa.LargeStringArray) -> tuple[Ints, Bytes]:
    _, where, what = texts.buffers()
    offsets = np.frombuffer(where, dtype=np.int64)[texts.offset : texts.offset + len(texts) + 1]
    buffer = np.zeros(0, dtype=np.uint8) if what is None else np.frombuffer(what, dtype=np.uint8)
    # New arrays: numba would compile another kernel for read-only ones.
    return offsets - offsets[0], buffer[offsets[0] : offsets[-1]].copy()


@njit(cache=True, nogil=True)
def kinds_of(buffer, offsets, kind, how):  # type: ignore[no-untyped-def]
    """Mark texts that are ASCII without apostrophes."""
    for i in range(len(how)):
        how[i] = PLAIN
        for at in range(offsets[i], offsets[i + 1]):
            if kind[buffer[at]] >= APOSTROPHE:
                how[i] = ODD
                break


@njit(cache=True, nogil=True)
def place(slot, hashes, many):  # type: ignore[no-untyped-def]
    """Put words into empty slots."""
    mask = np.uint64(len(slot) - 1)
    for code in range(many):
        at = hashes[code] & mask
        while slot[at] >= 0:
            at = (at + np.uint64(1)) & mask
        slot[at] = code


@njit(cache=True, nogil=True)
def number_words(buffer, offsets, how, kind, lower, slot, hashes, ends, words, many, start, code):  # type: ignore[no-untyped-def]
    """The words of each text; new ones get the next numbers. Returns how many words there are."""
    mask = np.uint64(len(slot) - 1)
    found = 0
    for i in range(len(how)):
        at, end = offsets[i], offsets[i + 1]
        while at < end:
            # A word from a letter on to the end of letters and digits; of what begins with a digit runs of letters.
            if how[i] == SPLIT:
                first = at
                while at < end and buffer[at] != 32:
                    at += 1
            elif kind[buffer[at]] == LETTER and (at == offsets[i] or kind[buffer[at - 1]] != DIGIT):
                first = at
                while at < end and kind[buffer[at]] != NONE:
                    at += 1
            else:
                while at < end and kind[buffer[at]] != LETTER:
                    at += 1
                if at == end or at == offsets[i] or kind[buffer[at - 1]] != DIGIT:
                    continue
                first = at
                while at < end and kind[buffer[at]] == LETTER:
                    at += 1
            if at == first:
                at += 1
                continue
            z = np.uint64(0xCBF29CE484222325)
            for k in range(first, at):
                z = (z ^ np.uint64(lower[buffer[k]])) * np.uint64(0x100000001B3)
            z ^= z >> np.uint64(32)
            here = z & mask
            while slot[here] >= 0:
                known = slot[here]
                if hashes[known] == z and same(words, ends[known], ends[known + 1], buffer, first, at, lower):
                    break
                here = (here + np.uint64(1)) & mask
            if slot[here] < 0:
                slot[here] = many
                hashes[many] = z
                for k in range(first, at):
                    words[ends[many] + k - first] = lower[buffer[k]]
                ends[many + 1] = ends[many] + at - first
                many += 1
            code[found] = slot[here]
            found += 1
        start[i + 1] = found
    return many


@njit(cache=True, nogil=True, inline="always")
def same(words, first, last, buffer, begin, end, lower):  # type: ignore[no-untyped-def]
    if last - first != end - begin:
        return False
    at = 0
    while at < last - first and words[first + at] == lower[buffer[begin + at]]:
        at += 1
    return at == last - first


@njit(cache=True, nogil=True)
def count_texts(start, code, seen, texts, first):  # type: ignore[no-untyped-def]
    """Add the texts that have each word to its count; `seen` is the last text that had it."""
    for i in range(len(start) - 1):
        for c in range(start[i], start[i + 1]):
            if seen[code[c]] != first + i:
                seen[code[c]] = first + i
                texts[code[c]] += 1


@njit(cache=True, nogil=True)
def clear_cells(start, column, value, rows, columns):  # type: ignore[no-untyped-def]
    """Set some cells of sorted rows to 0, if they exist."""
    for k in range(len(rows)):
        low, high = start[rows[k]], start[rows[k] + 1]
        end = high
        while low < high:
            middle = (low + high) >> 1
            if column[middle] < columns[k]:
                low = middle + 1
            else:
                high = middle
        if low < end and column[low] == columns[k]:
            value[low] = 0
