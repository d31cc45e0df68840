"""numba kernels of weighted graphs as rows of neighbours: building, contracting, costs; nothing validated.

numba kernels that find violated cycles: a pair that wants to be apart, and a short path that holds it together.
"""

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


HOP = 1e-7
"""Added to the length of every edge, so that of equally long paths that with fewer edges is found."""


@njit(cache=True, nogil=True)
def push(heap_key, heap_node, length, key, v):  # type: ignore[no-untyped-def]
    i = length
    while i > 0:
        up = (i - 1) >> 1
        if heap_key[up] <= key:
            break
        heap_key[i] = heap_key[up]
        heap_node[i] = heap_node[up]
        i = up
    heap_key[i] = key
    heap_node[i] = v
    return length + 1


@njit(cache=True, nogil=True)
def drop_first(heap_key, heap_node, length):  # type: ignore[no-untyped-def]
    length -= 1
    key, v = heap_key[length], heap_node[length]
    i = 0
    while True:
        child = 2 * i + 1
        if child >= length:
            break
        if child + 1 < length and heap_key[child + 1] < heap_key[child]:
            child += 1
        if heap_key[child] >= key:
            break
        heap_key[i] = heap_key[child]
        heap_node[i] = heap_node[child]
        i = child
    heap_key[i] = key
    heap_node[i] = v
    return length


@njit(cache=True, nogil=True)
def violated_cycles(  # type: ignore[no-untyped-def]
    starts, neighbour, weight, size, penalty, kind_starts, kind, n_kinds,
    path_starts, path_neighbour, path_edge, x, part_starts, part_node, part_value,
    cluster, inside, most, farthest, tolerance,
):  # fmt: skip
    """For each node u up to `most` pairs (u, v), v > u, that want to be apart and are nearer than they may be.

    The graph of the attractive pairs (path_…) has edges of length x. A pair is violated if the shortest path between
    u and v is below 1 − y_uv − tolerance, where y_uv = part_value (0 for pairs that are not among the parts of u).
    Returns the pairs, their weights (inf: never together) and the edges of each path.
    """
    n = len(size)
    far = 1.0 - tolerance
    distance = np.full(n, np.inf)
    step = np.zeros(n, dtype=np.int32)
    by_edge = np.empty(n, dtype=np.int64)
    came = np.empty(n, dtype=np.int32)
    settled = np.full(n, -1, dtype=np.int32)
    reached = np.empty(n, dtype=np.int32)
    net = np.zeros(n)
    slack = np.zeros(n)
    kind_mark = np.full(n_kinds, -1, dtype=np.int32)
    heap_key = np.empty(len(path_neighbour) + 1)
    heap_node = np.empty(len(path_neighbour) + 1, dtype=np.int32)
    pair = np.empty((1024, 2), dtype=np.int32)
    apart = np.empty(1024)
    row_starts = np.zeros(1025, dtype=np.int64)
    edges = np.empty(4096, dtype=np.int64)
    rows = 0
    everywhere = penalty > 0.0 or len(kind) > 0
    for u in range(n):
        for p in range(part_starts[u], part_starts[u + 1]):
            slack[part_node[p]] = part_value[p]
        targets = 0
        for p in range(starts[u], starts[u + 1]):
            v = neighbour[p]
            net[v] = weight[p]
            given = slack[v] + (inside if cluster[u] == cluster[v] else 0.0)
            if v > u and weight[p] < penalty * size[u] * size[v] and given < far:
                targets += 1
        for i in range(kind_starts[u], kind_starts[u + 1]):
            kind_mark[kind[i]] = u
        found = 0
        if (targets > 0 or everywhere) and path_starts[u + 1] > path_starts[u]:
            distance[u] = 0.0
            step[u] = 0
            n_reached = 1
            n_settled = 0
            reached[0] = u
            length = push(heap_key, heap_node, 0, 0.0, u)
            while length > 0:
                v = heap_node[0]
                length = drop_first(heap_key, heap_node, length)
                if settled[v] == u:
                    continue
                settled[v] = u
                n_settled += 1
                if n_settled > farthest:
                    break
                if v > u:
                    # The weight with which the pair wants to be apart; infinite: never together.
                    wish = max(penalty * size[u] * size[v] - net[v], 0.0)
                    for i in range(kind_starts[v], kind_starts[v + 1]):
                        if kind_mark[kind[i]] == u:
                            wish = np.inf
                    given = slack[v] + (inside if cluster[u] == cluster[v] else 0.0)
                    if wish > 0.0 and distance[v] + given < far:
                        if rows + 1 >= len(apart):
                            pair = np.concatenate((pair, np.empty_like(pair)))
                            apart = np.concatenate((apart, np.empty_like(apart)))
                            row_starts = np.concatenate((row_starts, np.zeros_like(row_starts)))
                        if row_starts[rows] + step[v] > len(edges):
                            edges = np.concatenate((edges, np.empty(len(edges) + step[v], dtype=np.int64)))
                        pair[rows, 0] = u
                        pair[rows, 1] = v
                        apart[rows] = wish
                        to = row_starts[rows]
                        w = v
                        longer = (1.0 - distance[v] - given) / (step[v] + 1)
                        while w != u:
                            edges[to] = by_edge[w]
                            x[by_edge[w]] += longer
                            to += 1
                            w = came[w]
                        rows += 1
                        row_starts[rows] = to
                        found += 1
                        if found == most:
                            break
                    if net[v] < penalty * size[u] * size[v] and given < far:
                        targets -= 1
                        if targets == 0 and not everywhere:
                            break
                for p in range(path_starts[v], path_starts[v + 1]):
                    w = path_neighbour[p]
                    longer = distance[v] + x[path_edge[p]] + HOP
                    if longer < far and longer < distance[w]:
                        if distance[w] == np.inf:
                            reached[n_reached] = w
                            n_reached += 1
                        distance[w] = longer
                        step[w] = step[v] + 1
                        came[w] = v
                        by_edge[w] = path_edge[p]
                        length = push(heap_key, heap_node, length, longer, w)
            for i in range(n_reached):
                distance[reached[i]] = np.inf
        for p in range(starts[u], starts[u + 1]):
            net[neighbour[p]] = 0.0
        for p in range(part_starts[u], part_starts[u + 1]):
            slack[part_node[p]] = 0.0
    return pair[:rows], apart[:rows], row_starts[: rows + 1], edges[: row_starts[rows]]
