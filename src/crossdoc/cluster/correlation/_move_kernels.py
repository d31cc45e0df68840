"""numba kernels of local search: nodes move between clusters while that lowers the cost; nothing validated.

A cluster holds a kind at most once; which kinds it holds is a set of the numbers cluster · n_kinds + kind, kept in a
table with open addresses.
"""

from __future__ import annotations

import numpy as np
from numba import njit

FREE = -1


@njit(cache=True, nogil=True)
def kinds_table(count):  # type: ignore[no-untyped-def]
    """An empty set with room for so many numbers."""
    room = 8
    while room < 3 * count:
        room *= 2
    return np.full(room, FREE, dtype=np.int64)


@njit(cache=True, nogil=True)
def _slot(table, key):  # type: ignore[no-untyped-def]
    """Return the slot of a number, or the slot where it belongs."""
    mask = len(table) - 1
    at = (key * 7046029254386353131) & mask
    at = (at ^ (key >> 7)) & mask
    while table[at] != FREE and table[at] != key:
        at = (at + 1) & mask
    return at


@njit(cache=True, nogil=True)
def _home(table, key):  # type: ignore[no-untyped-def]
    mask = len(table) - 1
    return (((key * 7046029254386353131) & mask) ^ (key >> 7)) & mask


@njit(cache=True, nogil=True)
def take_out(table, key):  # type: ignore[no-untyped-def]
    """Remove a number; those that were put further on because of it move up."""
    mask = len(table) - 1
    hole = _slot(table, key)
    if table[hole] == FREE:
        return
    at = hole
    while True:
        at = (at + 1) & mask
        if table[at] == FREE:
            break
        home = _home(table, table[at])
        if ((at - home) & mask) >= ((at - hole) & mask):
            table[hole] = table[at]
            hole = at
    table[hole] = FREE


@njit(cache=True, nogil=True)
def holds_any(table, c, n_kinds, kind, begin, end):  # type: ignore[no-untyped-def]
    """Whether cluster c holds one of the kinds."""
    found = False
    for i in range(begin, end):
        found |= table[_slot(table, c * n_kinds + kind[i])] != FREE
    return found


@njit(cache=True, nogil=True)
def put_in(table, c, n_kinds, kind, begin, end):  # type: ignore[no-untyped-def]
    for i in range(begin, end):
        key = c * n_kinds + kind[i]
        table[_slot(table, key)] = key


@njit(cache=True, nogil=True)
def local_moves(  # type: ignore[no-untyped-def]
    starts, neighbour, weight, size, penalty, kind_starts, kind, n_kinds, cluster, within, order, smallest
):
    """Move nodes, from a queue, to the cluster that lowers the cost most, or to one of their own; returns the gain.

    `cluster` (numbers below n) is changed in place. A node joins only nodes u with within[u] equal to its own. A node
    comes back into the queue when a neighbour left for another cluster.
    """
    n = len(size)
    total = np.zeros(n)
    touched = np.empty(n, dtype=np.int32)
    seen = np.full(n, -1, dtype=np.int32)
    mass = np.zeros(n)
    count = np.zeros(n, dtype=np.int32)
    for v in range(n):
        mass[cluster[v]] += size[v]
        count[cluster[v]] += 1
    empty = np.empty(n, dtype=np.int32)
    n_empty = 0
    for c in range(n):
        if count[c] == 0:
            empty[n_empty] = c
            n_empty += 1
    table = kinds_table(len(kind))
    for v in range(n):
        put_in(table, cluster[v], n_kinds, kind, kind_starts[v], kind_starts[v + 1])
    queue = order.copy()
    waits = np.ones(n, dtype=np.bool_)
    head, length = 0, n
    gained = 0.0
    while length > 0:
        v = queue[head]
        head = head + 1 if head + 1 < n else 0
        length -= 1
        waits[v] = False
        own = cluster[v]
        m = 0
        mine = within[v]
        for p in range(starts[v], starts[v + 1]):
            u = neighbour[p]
            if within[u] != mine:
                continue
            c = cluster[u]
            if seen[c] != v:
                seen[c] = v
                touched[m] = c
                m += 1
                total[c] = weight[p]
            else:
                total[c] += weight[p]
        s = penalty * size[v]
        stay = (total[own] if seen[own] == v else 0.0) - s * (mass[own] - size[v])
        best = own
        top = stay + smallest
        if count[own] > 1 and top < 0.0:
            best = -1
            top = 0.0
        for t in range(m):
            c = touched[t]
            if c == own:
                continue
            value = total[c] - s * mass[c]
            if value > top and not holds_any(table, c, n_kinds, kind, kind_starts[v], kind_starts[v + 1]):
                top = value
                best = c
        # The marks are of this visit alone: the node may come back.
        for t in range(m):
            seen[touched[t]] = -1
        if best == own:
            continue
        gained += (top if best >= 0 else 0.0) - stay
        if best < 0:
            n_empty -= 1
            best = empty[n_empty]
        for i in range(kind_starts[v], kind_starts[v + 1]):
            take_out(table, own * n_kinds + kind[i])
        put_in(table, best, n_kinds, kind, kind_starts[v], kind_starts[v + 1])
        cluster[v] = best
        mass[own] -= size[v]
        mass[best] += size[v]
        count[own] -= 1
        count[best] += 1
        if count[own] == 0:
            mass[own] = 0.0
            empty[n_empty] = own
            n_empty += 1
        for p in range(starts[v], starts[v + 1]):
            u = neighbour[p]
            if not waits[u] and cluster[u] != best and within[u] == mine:
                waits[u] = True
                tail = head + length
                queue[tail if tail < n else tail - n] = u
                length += 1
    return gained


@njit(cache=True, nogil=True)
def numbered(cluster):  # type: ignore[no-untyped-def]
    """Number clusters (below n) from 0 in order of first appearance, in place; returns how many."""
    number = np.full(len(cluster), -1, dtype=np.int32)
    k = 0
    for v in range(len(cluster)):
        c = cluster[v]
        if number[c] < 0:
            number[c] = k
            k += 1
        cluster[v] = number[c]
    return k


@njit(cache=True, nogil=True)
def merge_kinds(kind_starts, kind, cluster, k):  # type: ignore[no-untyped-def]
    """The kinds of each cluster, from those of its nodes."""
    starts = np.zeros(k + 1, dtype=np.int64)
    for v in range(len(cluster)):
        starts[cluster[v] + 1] += kind_starts[v + 1] - kind_starts[v]
    for c in range(k):
        starts[c + 1] += starts[c]
    fill = starts[:-1].copy()
    merged = np.empty_like(kind)
    for v in range(len(cluster)):
        for i in range(kind_starts[v], kind_starts[v + 1]):
            merged[fill[cluster[v]]] = kind[i]
            fill[cluster[v]] += 1
    return starts, merged
