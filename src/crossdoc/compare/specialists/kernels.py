"""numba kernels of the specialists: plain arrays in, one score a pair out, nothing validated."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

ROUNDING = 1e-9
"""A similarity of 0.9 comes out as 0.8999999999999999 as often as not."""


@njit(cache=True, nogil=True)
def jaro_winkler(letters, a, b, taken):  # type: ignore[no-untyped-def]
    """Jaro-Winkler of words a and b; `taken` is scratch space of 2 × the longest word.

    As in Winkler 1990: prefix scale 0.1 of at most four letters, above a Jaro similarity of 0.7. Symmetric, since for
    each letter the greedy matching is that of two pointers which skip whatever has left the other's window.
    """
    la, lb = letters.length[a], letters.length[b]
    if la == 0 or lb == 0:
        return 1.0 if la == lb else 0.0
    x, y = letters.start[a], letters.start[b]
    window = max(max(la, lb) // 2 - 1, 0)
    taken[0, :la] = 0
    taken[1, :lb] = 0
    matches = 0
    for i in range(la):
        for j in range(max(0, i - window), min(lb, i + window + 1)):
            if taken[1, j] == 0 and letters.points[x + i] == letters.points[y + j]:
                taken[0, i] = 1
                taken[1, j] = 1
                matches += 1
                break
    if matches == 0:
        return 0.0
    misplaced = 0
    j = 0
    for i in range(la):
        if taken[0, i]:
            while not taken[1, j]:
                j += 1
            if letters.points[x + i] != letters.points[y + j]:
                misplaced += 1
            j += 1
    jaro = (matches / la + matches / lb + (matches - misplaced // 2) / matches) / 3
    if jaro > 0.7:
        prefix = 0
        while prefix < min(la, lb, 4) and letters.points[x + prefix] == letters.points[y + prefix]:
            prefix += 1
        jaro += 0.1 * prefix * (1 - jaro)
    return jaro


@njit(cache=True, nogil=True)
def _bits(x):  # type: ignore[no-untyped-def]
    x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit(cache=True, nogil=True)
def _may_reach(letters, a, b, threshold):  # type: ignore[no-untyped-def]
    """Whether Jaro-Winkler could reach the threshold: a letter that the other word lacks can never match.

    Nearly all pairs of words end here, at the cost of two popcounts. The bound is exact on the safe side: letters that
    share a bit of `present` only make it looser.
    """
    la, lb = letters.length[a], letters.length[b]
    only_a = _bits(letters.present[a] & ~letters.present[b])
    only_b = _bits(letters.present[b] & ~letters.present[a])
    common = min(la - only_a, lb - only_b)
    jaro = (common / la + common / lb + 1) / 3
    return jaro + 0.4 * (1 - jaro) >= threshold - ROUNDING


@njit(cache=True, nogil=True)
def soft_tfidf(letters, bags, pairs, threshold):  # type: ignore[no-untyped-def]
    """Both directed SoftTFIDF scores of each pair, NaN if a bag is empty.

    If several words match a word equally well, the one with the largest weight counts, so that the order of words does
    not matter.
    """
    out = np.full((len(pairs), 2), np.nan)
    longest = 1
    for i in range(len(letters.length)):
        longest = max(longest, letters.length[i])
    largest = 1
    for i in range(len(bags.start) - 1):
        largest = max(largest, bags.start[i + 1] - bags.start[i])
    taken = np.empty((2, longest), dtype=np.uint8)
    near = np.empty((2, largest))
    weight = np.empty((2, largest))
    for k in range(len(pairs)):
        p, p_end = bags.start[pairs[k, 0]], bags.start[pairs[k, 0] + 1]
        q, q_end = bags.start[pairs[k, 1]], bags.start[pairs[k, 1] + 1]
        if p == p_end or q == q_end:
            continue
        n, m = p_end - p, q_end - q
        near[0, :n] = 0.0
        near[1, :m] = 0.0
        _match_equal(bags, p, n, q, m, near, weight)
        for i in range(n):
            a = bags.columns[p + i]
            for j in range(m):
                # A word that is in both bags has its best match already.
                if near[0, i] == 1.0 and near[1, j] == 1.0:
                    continue
                b = bags.columns[q + j]
                if a == b or not _may_reach(letters, a, b, threshold):
                    continue
                similarity = jaro_winkler(letters, a, b, taken)
                if similarity < threshold - ROUNDING:
                    continue
                w = bags.values[q + j]
                if similarity > near[0, i] or (similarity == near[0, i] and w > weight[0, i]):
                    near[0, i] = similarity
                    weight[0, i] = w
                w = bags.values[p + i]
                if similarity > near[1, j] or (similarity == near[1, j] and w > weight[1, j]):
                    near[1, j] = similarity
                    weight[1, j] = w
        out[k] = 0.0
        for i in range(n):
            if near[0, i] > 0.0:
                out[k, 0] += bags.values[p + i] * weight[0, i] * near[0, i]
        for j in range(m):
            if near[1, j] > 0.0:
                out[k, 1] += bags.values[q + j] * weight[1, j] * near[1, j]
    return out


@njit(cache=True, nogil=True)
def _match_equal(bags, p, n, q, m, near, weight):  # type: ignore[no-untyped-def]
    i = j = 0
    while i < n and j < m:
        a, b = bags.columns[p + i], bags.columns[q + j]
        if a == b:
            near[0, i] = near[1, j] = 1.0
            weight[0, i] = bags.values[q + j]
            weight[1, j] = bags.values[p + i]
        if a <= b:
            i += 1
        if b <= a:
            j += 1


@njit(cache=True, nogil=True)
def sparse_dot(start, columns, values, width, pairs):  # type: ignore[no-untyped-def]
    """Dot products of sparse rows, NaN where either is empty.

    The left row is spread out over the vocabulary until another one comes: pairs that are sorted by their left row pay
    for it once, and a lookup is cheaper than the mispredicted branches of a merge in any case.
    """
    out = np.full(len(pairs), np.nan, dtype=np.float32)
    spread = np.zeros(width, dtype=np.float32)
    current = -1
    for k in range(len(pairs)):
        a, b = pairs[k, 0], pairs[k, 1]
        if start[a] == start[a + 1] or start[b] == start[b + 1]:
            continue
        if a != current:
            if current >= 0:
                for i in range(start[current], start[current + 1]):
                    spread[columns[i]] = 0.0
            for i in range(start[a], start[a + 1]):
                spread[columns[i]] = values[i]
            current = a
        total = np.float32(0.0)
        for i in range(start[b], start[b + 1]):
            total += spread[columns[i]] * values[i]
        out[k] = total
    return out


def sparse_cosine(start: Any, columns: Any, values: Any, width: int, pairs: Any) -> npt.NDArray[np.float32]:
    """Cosines of unit-length sparse rows, NaN where either is empty."""
    found: npt.NDArray[np.float32] = sparse_dot(start, columns, values, width, pairs)
    np.minimum(found, np.float32(1.0), out=found)
    return found


def jaccard(sets: Any, pairs: Any) -> npt.NDArray[np.float32]:
    """|A ∩ B| / |A ∪ B|, NaN where either is empty."""
    common = sparse_dot(*sets, pairs)
    union = np.diff(sets.start)[pairs].sum(axis=1) - common
    return np.asarray(common / union, dtype=np.float32)


def shared(sets: Any, pairs: Any, if_shared: float, if_not: float) -> npt.NDArray[np.float32]:
    """One value where two sets meet, another where both are there and do not, NaN where either is empty."""
    common = sparse_dot(*sets, pairs)
    scores = np.where(np.isnan(common), common, np.where(common > 0, if_shared, if_not))
    return scores.astype(np.float32)
