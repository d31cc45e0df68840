"""numba kernel of Kernighan-Lin moves between two clusters, or a cluster and an empty one.

Keuper et al. 2015 (doi:10.1109/ICCV.2015.204), algorithm 2: the best node changes sides, again and again, also while
the cost rises; the best moment is kept. Here only nodes with an edge across are looked at, and a sequence ends after
`patience` moves without a new best.
"""

from __future__ import annotations

import numpy as np
from numba import njit

LONGEST_SEQUENCE = 400
CLASH = 1000.0
"""Two that may not be together cost this times the largest sum of a node's weights: no sequence can earn it."""


@njit(cache=True, nogil=True)
def _unlink(first, following, previous, c, v):  # type: ignore[no-untyped-def]
    if previous[v] >= 0:
        following[previous[v]] = following[v]
    else:
        first[c] = following[v]
    if following[v] >= 0:
        previous[following[v]] = previous[v]


@njit(cache=True, nogil=True)
def _link(first, following, previous, c, v):  # type: ignore[no-untyped-def]
    following[v] = first[c]
    previous[v] = -1
    if first[c] >= 0:
        previous[first[c]] = v
    first[c] = v


@njit(cache=True, nogil=True)
def exchange(  # type: ignore[no-untyped-def]
    starts, neighbour, weight, size, penalty, kind_starts, kind, n_kinds, cluster, pair, patience, smallest
):
    """Improve each pair of clusters (−1: an empty one); `cluster` (below n) changes in place; returns the gain."""
    n = len(size)
    first = np.full(n, -1, dtype=np.int32)
    following = np.full(n, -1, dtype=np.int32)
    previous = np.full(n, -1, dtype=np.int32)
    mass = np.zeros(n)
    count = np.zeros(n, dtype=np.int32)
    largest = 0.0
    for v in range(n):
        _link(first, following, previous, cluster[v], v)
        mass[cluster[v]] += size[v]
        count[cluster[v]] += 1
        row = 0.0
        for p in range(starts[v], starts[v + 1]):
            if weight[p] > -np.inf:
                row += abs(weight[p])
        largest = max(largest, row)
    total = size.sum()
    clash = CLASH * (largest + penalty * size.max() * total + 1.0) if n else 1.0
    empty = np.empty(n, dtype=np.int32)
    n_empty = 0
    for c in range(n):
        if count[c] == 0:
            empty[n_empty] = c
            n_empty += 1
    gain = np.zeros(n)
    state = np.zeros(n, dtype=np.int8)
    candidate = np.empty(n, dtype=np.int32)
    moved = np.empty(LONGEST_SEQUENCE, dtype=np.int32)
    kinds = np.zeros((2, n_kinds), dtype=np.int32)
    gained = 0.0
    for t in range(len(pair)):
        a, b = pair[t, 0], pair[t, 1]
        if count[a] == 0 or (b >= 0 and count[b] == 0) or a == b:
            continue
        fresh = b < 0
        if fresh:
            if count[a] < 2 or n_empty == 0:
                continue
            n_empty -= 1
            b = empty[n_empty]
        m = 0
        small = a if fresh or count[a] <= count[b] else b
        other = b if small == a else a
        v = first[small]
        while v >= 0:
            if fresh:
                state[v] = 1
                candidate[m] = v
                m += 1
            else:
                for p in range(starts[v], starts[v + 1]):
                    u = neighbour[p]
                    if weight[p] > 0 and cluster[u] == other:
                        if state[u] == 0:
                            state[u] = 1
                            candidate[m] = u
                            m += 1
                        if state[v] == 0:
                            state[v] = 1
                            candidate[m] = v
                            m += 1
            v = following[v]
        for i in range(m):
            gain[candidate[i]] = _gain(starts, neighbour, weight, cluster, a, b, candidate[i], clash)
        if len(kind):
            for c in (a, b):
                v = first[c]
                while v >= 0:
                    for i in range(kind_starts[v], kind_starts[v + 1]):
                        kinds[0 if c == a else 1, kind[i]] += 1
                    v = following[v]
        steps = 0
        best_steps = 0
        running = 0.0
        best = 0.0
        while steps < LONGEST_SEQUENCE and steps - best_steps < patience:
            chosen = -1
            top = -np.inf
            for i in range(m):
                v = candidate[i]
                if state[v] != 1:
                    continue
                own, to = (a, b) if cluster[v] == a else (b, a)
                value = gain[v] - penalty * size[v] * (mass[to] - mass[own] + size[v])
                if len(kind):
                    own_side = 0 if own == a else 1
                    for s in range(kind_starts[v], kind_starts[v + 1]):
                        value -= clash * (kinds[1 - own_side, kind[s]] - kinds[own_side, kind[s]] + 1)
                if value > top:
                    top = value
                    chosen = v
            if chosen < 0:
                break
            v = chosen
            own, to = (a, b) if cluster[v] == a else (b, a)
            _turn(first, following, previous, mass, count, size, cluster, kinds, kind_starts, kind, a, own, to, v)
            state[v] = 2
            moved[steps] = v
            steps += 1
            running += top
            for p in range(starts[v], starts[v + 1]):
                u = neighbour[p]
                if cluster[u] != a and cluster[u] != b:
                    continue
                w = weight[p] if weight[p] > -np.inf else -clash
                if state[u] == 1:
                    gain[u] += 2 * w if cluster[u] == own else -2 * w
                elif state[u] == 0 and w > 0:
                    state[u] = 1
                    candidate[m] = u
                    m += 1
                    gain[u] = _gain(starts, neighbour, weight, cluster, a, b, u, clash)
            if running > best + smallest:
                best = running
                best_steps = steps
        for i in range(steps - 1, best_steps - 1, -1):
            v = moved[i]
            own, to = (a, b) if cluster[v] == a else (b, a)
            _turn(first, following, previous, mass, count, size, cluster, kinds, kind_starts, kind, a, own, to, v)
        gained += best
        for i in range(m):
            state[candidate[i]] = 0
        if len(kind):
            for c in (a, b):
                v = first[c]
                while v >= 0:
                    for i in range(kind_starts[v], kind_starts[v + 1]):
                        kinds[0, kind[i]] = 0
                        kinds[1, kind[i]] = 0
                    v = following[v]
        for c in (a, b):
            if count[c] == 0:
                mass[c] = 0.0
                empty[n_empty] = c
                n_empty += 1
    return gained


@njit(cache=True, nogil=True)
def _gain(starts, neighbour, weight, cluster, a, b, v, clash):  # type: ignore[no-untyped-def]
    """Return the gain in edge weights if v changes sides."""
    own = cluster[v]
    total = 0.0
    for p in range(starts[v], starts[v + 1]):
        c = cluster[neighbour[p]]
        if c == a or c == b:
            w = weight[p] if weight[p] > -np.inf else -clash
            total += -w if c == own else w
    return total


@njit(cache=True, nogil=True)
def _turn(first, following, previous, mass, count, size, cluster, kinds, kind_starts, kind, a, own, to, v):  # type: ignore[no-untyped-def]
    """Move v from one side to the other."""
    _unlink(first, following, previous, own, v)
    _link(first, following, previous, to, v)
    mass[own] -= size[v]
    mass[to] += size[v]
    count[own] -= 1
    count[to] += 1
    cluster[v] = to
    for s in range(kind_starts[v], kind_starts[v + 1]):
        kinds[0 if own == a else 1, kind[s]] -= 1
        kinds[0 if to == a else 1, kind[s]] += 1
