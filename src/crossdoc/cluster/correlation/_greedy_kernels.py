"""numba kernel of greedy additive edge contraction: the most attractive pair of clusters is joined, again and again.

Keuper et al. 2015 (doi:10.1109/ICCV.2015.204). Here with a penalty that all pairs share, edges of weight −∞, and kinds
of which a cluster holds one each.
"""

from __future__ import annotations

import numpy as np
from numba import njit

FREE = -1


@njit(cache=True, nogil=True, inline="always")
def _first_slot(key, mask):  # type: ignore[no-untyped-def]
    return ((key * 7046029254386353131) >> 20) & mask


@njit(cache=True, nogil=True)
def _find(keys, key):  # type: ignore[no-untyped-def]
    mask = len(keys) - 1
    at = _first_slot(key, mask)
    while keys[at] != FREE and keys[at] != key:
        at = (at + 1) & mask
    return at


@njit(cache=True, nogil=True)
def _remove(keys, values, key):  # type: ignore[no-untyped-def]
    mask = len(keys) - 1
    hole = _find(keys, key)
    if keys[hole] == FREE:
        return
    at = hole
    while True:
        at = (at + 1) & mask
        if keys[at] == FREE:
            break
        if ((at - _first_slot(keys[at], mask)) & mask) >= ((at - hole) & mask):
            keys[hole] = keys[at]
            values[hole] = values[at]
            hole = at
    keys[hole] = FREE


@njit(cache=True, nogil=True)
def _sift_down(score, edge, length, i, s, e):  # type: ignore[no-untyped-def]
    while True:
        child = 2 * i + 1
        if child >= length:
            break
        if child + 1 < length and score[child + 1] > score[child]:
            child += 1
        if score[child] <= s:
            break
        score[i] = score[child]
        edge[i] = edge[child]
        i = child
    score[i] = s
    edge[i] = e


@njit(cache=True, nogil=True)
def contract_greedily(starts, neighbour, weight, size, penalty, kind_starts, kind, n_kinds):  # type: ignore[no-untyped-def]
    """The cluster of each node (a node's number) when no pair of clusters attracts each other any more."""
    n = len(size)
    m = len(neighbour) // 2
    end = np.empty((m, 2), dtype=np.int32)
    value = np.empty(m)
    following = np.full(2 * m, -1, dtype=np.int32)
    head = np.full(n, -1, dtype=np.int32)
    degree = np.zeros(n, dtype=np.int64)
    room = 8
    while room < 2 * m:
        room *= 2
    keys = np.full(room, FREE, dtype=np.int64)
    found = np.empty(room, dtype=np.int32)
    mass = size.copy()
    score = np.empty(m + 16)
    edge = np.empty(m + 16, dtype=np.int32)
    length = 0
    e = 0
    for v in range(n):
        for p in range(starts[v], starts[v + 1]):
            u = neighbour[p]
            if u <= v:
                continue
            end[e, 0] = v
            end[e, 1] = u
            value[e] = weight[p]
            following[2 * e] = head[v]
            head[v] = 2 * e
            following[2 * e + 1] = head[u]
            head[u] = 2 * e + 1
            degree[v] += 1
            degree[u] += 1
            at = _find(keys, np.int64(v) * n + u)
            keys[at] = np.int64(v) * n + u
            found[at] = e
            net = value[e] - penalty * size[v] * size[u]
            if net > 0:
                score[length] = net
                edge[length] = e
                length += 1
            e += 1
    for i in range(length // 2 - 1, -1, -1):
        _sift_down(score, edge, length, i, score[i], edge[i])
    parent = np.arange(n).astype(np.int32)
    held = np.full(8, FREE, dtype=np.int64)
    if len(kind):
        room = 8
        while room < 2 * len(kind):
            room *= 2
        held = np.full(room, FREE, dtype=np.int64)
    unused = np.empty(len(held), dtype=np.int32)
    # The kinds of a cluster are a chain through the nodes that have some.
    last = np.arange(n).astype(np.int32)
    next_node = np.full(n, -1, dtype=np.int32)
    for v in range(n):
        for i in range(kind_starts[v], kind_starts[v + 1]):
            held[_find(held, np.int64(v) * n_kinds + kind[i])] = np.int64(v) * n_kinds + kind[i]
    while length > 0:
        s, e = score[0], edge[0]
        length -= 1
        if length > 0:
            _sift_down(score, edge, length, 0, score[length], edge[length])
        a, b = end[e, 0], end[e, 1]
        if a < 0:
            continue
        net = value[e] - penalty * mass[a] * mass[b]
        if net <= 0:
            continue
        if net < s * (1 - 1e-12):
            # Its ends have grown: back into the heap.
            length = _add(score, edge, length, net, e)
            continue
        if degree[a] < degree[b]:
            a, b = b, a
        clash = False
        v = b
        while v >= 0 and not clash and len(kind):
            for i in range(kind_starts[v], kind_starts[v + 1]):
                if held[_find(held, np.int64(a) * n_kinds + kind[i])] != FREE:
                    clash = True
                    break
            v = next_node[v]
        if clash:
            value[e] = -np.inf
            continue
        if len(kind):
            v = b
            while v >= 0:
                for i in range(kind_starts[v], kind_starts[v + 1]):
                    _remove(held, unused, np.int64(b) * n_kinds + kind[i])
                    held[_find(held, np.int64(a) * n_kinds + kind[i])] = np.int64(a) * n_kinds + kind[i]
                v = next_node[v]
        next_node[last[a]] = b
        last[a] = last[b]
        parent[b] = a
        mass[a] += mass[b]
        h = head[b]
        while h >= 0:
            after = following[h]
            f = h >> 1
            if end[f, 0] >= 0:
                c = end[f, 1 - (h & 1)]
                low, high = min(b, c), max(b, c)
                _remove(keys, found, np.int64(low) * n + high)
                if c == a:
                    end[f, 0] = -1
                    degree[a] -= 1
                else:
                    low, high = min(a, c), max(a, c)
                    at = _find(keys, np.int64(low) * n + high)
                    if keys[at] == FREE:
                        keys[at] = np.int64(low) * n + high
                        found[at] = f
                        end[f, h & 1] = a
                        following[h] = head[a]
                        head[a] = h
                        degree[a] += 1
                    else:
                        g = found[at]
                        more = value[f] > 0
                        value[g] += value[f]
                        end[f, 0] = -1
                        degree[c] -= 1
                        net = value[g] - penalty * mass[a] * mass[c]
                        if more and net > 0:
                            if length == len(score):
                                score = np.concatenate((score, np.empty_like(score)))
                                edge = np.concatenate((edge, np.empty_like(edge)))
                            length = _add(score, edge, length, net, g)
            h = after
    for v in range(n):
        root = v
        while parent[root] != root:
            root = parent[root]
        w = v
        while parent[w] != root:
            parent[w], w = root, parent[w]
    return parent


@njit(cache=True, nogil=True)
def _add(score, edge, length, s, e):  # type: ignore[no-untyped-def]
    i = length
    while i > 0:
        up = (i - 1) >> 1
        if score[up] >= s:
            break
        score[i] = score[up]
        edge[i] = edge[up]
        i = up
    score[i] = s
    edge[i] = e
    return length + 1
