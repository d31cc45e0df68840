"""numba kernels of the linkage clusterers: plain arrays in, labels out, nothing validated."""

from __future__ import annotations

import numpy as np
from numba import njit

SINGLE, COMPLETE, AVERAGE = 0, 1, 2


@njit(cache=True)
def link_dense(similarity, sizes, first_of_group, threshold, linkage):  # type: ignore[no-untyped-def]
    """Merge the most similar pair until none reaches the threshold; −inf marks pairs that may never be together.

    `similarity` is overwritten. Each live row keeps its best partner, so that a merge costs O(n) plus a rescan of the
    rows that lost theirs. −inf survives every update of complete and average link by arithmetic alone.
    """
    n = len(similarity)
    sizes = sizes.copy()
    parent = np.arange(n)
    alive = np.ones(n, dtype=np.bool_)
    for i in range(n):
        similarity[i, i] = -np.inf
    for i in range(n):
        keeper = first_of_group[i]
        if keeper != i:
            _join(similarity, sizes, alive, parent, keeper, i, linkage)
    best = np.full(n, -1)
    value = np.full(n, -np.inf, dtype=np.float32)
    for i in range(n):
        if alive[i]:
            _rescan(similarity, alive, i, best, value)
    while True:
        a = -1
        top = -np.inf
        for i in range(n):
            if alive[i] and best[i] >= 0 and value[i] > top:
                top = value[i]
                a = i
        if a < 0 or top < threshold:
            break
        b = best[a]
        if b < a:
            a, b = b, a
        _join(similarity, sizes, alive, parent, a, b, linkage)
        _rescan(similarity, alive, a, best, value)
        for i in range(n):
            if not alive[i] or i == a:
                continue
            if best[i] == a or best[i] == b:
                _rescan(similarity, alive, i, best, value)
            elif similarity[i, a] > value[i]:
                value[i] = similarity[i, a]
                best[i] = a
    labels = np.empty(n, dtype=np.int32)
    for i in range(n):
        root = i
        while parent[root] != root:
            root = parent[root]
        labels[i] = root
    return labels


@njit(cache=True)
def _join(similarity, sizes, alive, parent, a, b, linkage):  # type: ignore[no-untyped-def]
    """Put row b into row a and update a's similarities."""
    share = sizes[a] / (sizes[a] + sizes[b])
    for i in range(len(similarity)):
        if not alive[i] or i == a or i == b:
            continue
        x = similarity[a, i]
        y = similarity[b, i]
        if linkage == SINGLE:
            joined = -np.inf if x == -np.inf or y == -np.inf else max(x, y)
        elif linkage == COMPLETE:
            joined = min(x, y)
        else:
            joined = np.float32(share * x + (1.0 - share) * y)
        similarity[a, i] = joined
        similarity[i, a] = joined
    sizes[a] += sizes[b]
    alive[b] = False
    parent[b] = a


@njit(cache=True)
def _rescan(similarity, alive, i, best, value):  # type: ignore[no-untyped-def]
    best[i] = -1
    value[i] = -np.inf
    for j in range(len(similarity)):
        if alive[j] and j != i and similarity[i, j] > value[i]:
            value[i] = similarity[i, j]
            best[i] = j


@njit(cache=True)
def link_single(group, left, right, cannot):  # type: ignore[no-untyped-def]
    """Join pairs in the order given unless that would join a cannot-link; returns each row's root.

    The cannot-links of a cluster are a linked list of partners; the shorter list is checked and spliced into the other.
    """
    n = len(group)
    parent = np.arange(n)
    first_row = np.full(n, -1)
    for i in range(n):
        if first_row[group[i]] < 0:
            first_row[group[i]] = i
        parent[i] = first_row[group[i]]
    m = len(cannot)
    partner = np.empty(2 * m, dtype=np.int64)
    following = np.full(2 * m, -1)
    head = np.full(n, -1)
    tail = np.full(n, -1)
    count = np.zeros(n, dtype=np.int64)
    for k in range(m):
        for side in range(2):
            root = _root(parent, cannot[k, side])
            slot = 2 * k + side
            partner[slot] = cannot[k, 1 - side]
            following[slot] = head[root]
            if head[root] < 0:
                tail[root] = slot
            head[root] = slot
            count[root] += 1
    for k in range(len(left)):
        a = _root(parent, left[k])
        b = _root(parent, right[k])
        if a == b:
            continue
        if count[a] < count[b]:
            a, b = b, a
        forbidden = False
        slot = head[b]
        while slot >= 0:
            if _root(parent, partner[slot]) == a:
                forbidden = True
                break
            slot = following[slot]
        if forbidden:
            continue
        parent[b] = a
        if head[b] >= 0:
            following[tail[b]] = head[a]
            if head[a] < 0:
                tail[a] = tail[b]
            head[a] = head[b]
            count[a] += count[b]
    labels = np.empty(n, dtype=np.int32)
    for i in range(n):
        labels[i] = _root(parent, i)
    return labels


@njit(cache=True)
def _root(parent, i):  # type: ignore[no-untyped-def]
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i
