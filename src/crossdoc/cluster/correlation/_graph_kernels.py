"""numba kernels of weighted graphs as rows of neighbours: building, contracting, costs; nothing validated."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def rows_of_pairs(n, left, right, weight):  # type: ignore[no-untyped-def]
    """Rows of a symmetric graph, neighbours ascending, from pairs in any order; a pair listed twice stands twice.

    A stable counting sort by the one end, then (unless the pairs came in order) by the other.
    """
    m = len(left)
    starts = np.zeros(n + 1, dtype=np.int64)
    in_order = True
    for e in range(m):
        starts[left[e] + 1] += 1
        starts[right[e] + 1] += 1
        if left[e] >= right[e] or (e > 0 and (left[e - 1], right[e - 1]) > (left[e], right[e])):
            in_order = False
    for v in range(n):
        starts[v + 1] += starts[v]
    neighbour = np.empty(2 * m, dtype=np.int32)
    value = np.empty(2 * m, dtype=weight.dtype)
    fill = starts[:-1].copy()
    for e in range(m):
        a, b = left[e], right[e]
        neighbour[fill[a]] = b
        value[fill[a]] = weight[e]
        fill[a] += 1
        neighbour[fill[b]] = a
        value[fill[b]] = weight[e]
        fill[b] += 1
    if in_order:
        return starts, neighbour, value
    sorted_neighbour = np.empty(2 * m, dtype=np.int32)
    sorted_value = np.empty(2 * m, dtype=weight.dtype)
    fill[:] = starts[:-1]
    for v in range(n):
        for p in range(starts[v], starts[v + 1]):
            u = neighbour[p]
            sorted_neighbour[fill[u]] = v
            sorted_value[fill[u]] = value[p]
            fill[u] += 1
    return starts, sorted_neighbour, sorted_value


@njit(cache=True, nogil=True)
def merge_repeated(starts, neighbour, weight):  # type: ignore[no-untyped-def]
    """Add up the weights of neighbours that are listed several times; the arrays are overwritten."""
    n = len(starts) - 1
    merged = np.zeros(n + 1, dtype=np.int64)
    to = 0
    for v in range(n):
        for p in range(starts[v], starts[v + 1]):
            if to > merged[v] and neighbour[to - 1] == neighbour[p]:
                weight[to - 1] += weight[p]
            else:
                neighbour[to], weight[to] = neighbour[p], weight[p]
                to += 1
        merged[v + 1] = to
    if to == len(neighbour):
        return merged, neighbour, weight
    return merged, neighbour[:to].copy(), weight[:to].copy()


@njit(cache=True, nogil=True)
def contract(starts, neighbour, weight, cluster, k):  # type: ignore[no-untyped-def]
    """The graph between k clusters: weights summed, those inside a cluster left out."""
    n = len(cluster)
    members = np.empty(n, dtype=np.int32)
    begin = np.zeros(k + 1, dtype=np.int64)
    for v in range(n):
        begin[cluster[v] + 1] += 1
    for c in range(k):
        begin[c + 1] += begin[c]
    fill = begin[:-1].copy()
    for v in range(n):
        members[fill[cluster[v]]] = v
        fill[cluster[v]] += 1
    new_starts = np.zeros(k + 1, dtype=np.int64)
    seen = np.full(k, -1, dtype=np.int32)
    for c in range(k):
        count = 0
        for i in range(begin[c], begin[c + 1]):
            v = members[i]
            for p in range(starts[v], starts[v + 1]):
                d = cluster[neighbour[p]]
                if d != c and seen[d] != c:
                    seen[d] = c
                    count += 1
        new_starts[c + 1] = new_starts[c] + count
    new_neighbour = np.empty(new_starts[k], dtype=np.int32)
    new_weight = np.empty(new_starts[k], dtype=weight.dtype)
    total = np.zeros(k)
    seen[:] = -1
    for c in range(k):
        to = new_starts[c]
        for i in range(begin[c], begin[c + 1]):
            v = members[i]
            for p in range(starts[v], starts[v + 1]):
                d = cluster[neighbour[p]]
                if d == c:
                    continue
                if seen[d] != c:
                    seen[d] = c
                    new_neighbour[to] = d
                    to += 1
                    total[d] = weight[p]
                else:
                    total[d] += weight[p]
        for p in range(new_starts[c], to):
            new_weight[p] = total[new_neighbour[p]]
    return new_starts, new_neighbour, new_weight


@njit(cache=True, nogil=True)
def joined_weight(starts, neighbour, weight, cluster):  # type: ignore[no-untyped-def]
    """The sum of the weights inside clusters (−inf where two that may never be together are)."""
    total = 0.0
    for v in range(len(cluster)):
        c = cluster[v]
        row = 0.0
        for p in range(starts[v], starts[v + 1]):
            u = neighbour[p]
            if u > v and cluster[u] == c:
                row += weight[p]
        total += row
    return total


@njit(cache=True, nogil=True)
def positive_pairs(starts, neighbour, weight, size, penalty):  # type: ignore[no-untyped-def]
    """The pairs (smaller end first) whose weight less the uniform penalty is above 0, in order."""
    n = len(size)
    count = 0
    for v in range(n):
        for p in range(starts[v], starts[v + 1]):
            if neighbour[p] > v and weight[p] > penalty * size[v] * size[neighbour[p]]:
                count += 1
    left = np.empty(count, dtype=np.int32)
    right = np.empty(count, dtype=np.int32)
    net = np.empty(count, dtype=np.float64)
    e = 0
    for v in range(n):
        for p in range(starts[v], starts[v + 1]):
            u = neighbour[p]
            uniform = penalty * size[v] * size[u]
            if u > v and weight[p] > uniform:
                left[e], right[e], net[e] = v, u, weight[p] - uniform
                e += 1
    return left, right, net
