"""numba kernels of local search: nodes move between clusters, and clusters are rebuilt; nothing is validated.

A cluster holds a kind at most once; which kinds it holds is a set of the numbers cluster · n_kinds + kind, kept in a
table with open addresses.
"""

from __future__ import annotations

import numpy as np
from numba import njit

FREE = -1
MOST_NODES = 48
"""Nodes of clusters that are taken apart together."""
SCORE_BLUR = 1.0


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
    at = _home(table, key)
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


@njit(cache=True, nogil=True)
def _next(state):  # type: ignore[no-untyped-def]
    """The next number in [0, 1) of a xorshift generator."""
    s = state[0]
    s ^= s << np.uint64(13)
    s ^= s >> np.uint64(7)
    s ^= s << np.uint64(17)
    state[0] = s
    return np.float64(s >> np.uint64(11)) / 9007199254740992.0


@njit(cache=True, nogil=True)
def _greedy(matrix, k, label):  # type: ignore[no-untyped-def]
    """Join the two of the highest value, again and again; `matrix` is overwritten."""
    alive = np.arange(k)
    for i in range(k):
        label[i] = i
    m = k
    best_of = np.empty(k, dtype=np.int64)
    for i in range(k):
        best_of[i] = -1
        top = 0.0
        for j in range(k):
            if j != i and matrix[i, j] > top:
                top, best_of[i] = matrix[i, j], j
    while m > 1:
        top = 0.0
        a = -1
        for t in range(m):
            i = alive[t]
            if best_of[i] >= 0 and matrix[i, best_of[i]] > top:
                top, a = matrix[i, best_of[i]], i
        if a < 0:
            break
        b = best_of[a]
        at = 0
        for t in range(m):
            if alive[t] != b:
                alive[at] = alive[t]
                at += 1
        m = at
        for i in range(k):
            if label[i] == b:
                label[i] = a
        for t in range(m):
            i = alive[t]
            if i != a:
                matrix[a, i] += matrix[b, i]
                matrix[i, a] = matrix[a, i]
        for t in range(m):
            i = alive[t]
            stale = i == a or best_of[i] == a or best_of[i] == b
            if stale:
                best_of[i] = -1
                high = 0.0
                for s in range(m):
                    j = alive[s]
                    if j != i and matrix[i, j] > high:
                        high, best_of[i] = matrix[i, j], j
            elif matrix[i, a] > 0.0 and (best_of[i] < 0 or matrix[i, a] > matrix[i, best_of[i]]):
                best_of[i] = a


@njit(cache=True, nogil=True)
def _settle(matrix, k, label, total):  # type: ignore[no-untyped-def]
    """Move single nodes while that helps; returns the weight inside clusters."""
    changed = True
    rounds = 0
    while changed and rounds < 20:
        changed = False
        rounds += 1
        for i in range(k):
            for c in range(k):
                total[c] = 0.0
            for j in range(k):
                if j != i:
                    total[label[j]] += matrix[i, j]
            best, top = label[i], total[label[i]] + 1e-9
            for c in range(k):
                if total[c] > top:
                    best, top = c, total[c]
            if best == label[i] and top < 0.0:
                # A cluster of its own: an unused number.
                for c in range(k):
                    used = False
                    for j in range(k):
                        if j != i and label[j] == c:
                            used = True
                            break
                    if not used:
                        best = c
                        break
            if best != label[i]:
                label[i] = best
                changed = True
    inside = 0.0
    for i in range(k):
        for j in range(i):
            if label[i] == label[j]:
                inside += matrix[i, j]
    return inside


@njit(cache=True, nogil=True)
def recreate(  # type: ignore[no-untyped-def]
    starts, neighbour, weight, size, penalty, kind_starts, kind, cluster, left, right, tries, seed, smallest
):
    """Take two or three neighbouring clusters apart and cluster their nodes again, if that helps.

    The first two hold the ends of a random one of the cut attractive pairs (left, right). `cluster` changes in place;
    returns the gain.
    """
    n = len(size)
    state = np.array([seed * 2 + 88172645463325252], dtype=np.uint64)
    first = np.full(n, -1, dtype=np.int32)
    following = np.full(n, -1, dtype=np.int32)
    count = np.zeros(n, dtype=np.int32)
    for v in range(n):
        following[v] = first[cluster[v]]
        first[cluster[v]] = v
        count[cluster[v]] += 1
    empty = np.empty(n, dtype=np.int32)
    n_empty = 0
    for c in range(n):
        if count[c] == 0:
            empty[n_empty] = c
            n_empty += 1
    where = np.full(n, -1, dtype=np.int32)
    node = np.empty(MOST_NODES, dtype=np.int32)
    matrix = np.empty((MOST_NODES, MOST_NODES))
    noisy = np.empty((MOST_NODES, MOST_NODES))
    label = np.empty(MOST_NODES, dtype=np.int64)
    number = np.empty(MOST_NODES, dtype=np.int32)
    total = np.empty(MOST_NODES)
    chosen = np.empty(3, dtype=np.int32)
    gained = 0.0
    for _ in range(tries):
        e = int(_next(state) * len(left))
        u, v = left[e], right[e]
        if cluster[u] == cluster[v] or count[cluster[u]] + count[cluster[v]] > MOST_NODES:
            continue
        chosen[0], chosen[1] = cluster[u], cluster[v]
        n_chosen = 2
        if _next(state) < 0.5:
            # A third cluster that the first end's neighbours lead to.
            for _attempt in range(4):
                w = neighbour[starts[u] + int(_next(state) * (starts[u + 1] - starts[u]))]
                c = cluster[w]
                if c != chosen[0] and c != chosen[1] and count[chosen[0]] + count[chosen[1]] + count[c] <= MOST_NODES:
                    chosen[2] = c
                    n_chosen = 3
                    break
        k = 0
        for t in range(n_chosen):
            w = first[chosen[t]]
            while w >= 0:
                node[k] = w
                where[w] = k
                number[k] = t
                k += 1
                w = following[w]
        for i in range(k):
            for j in range(k):
                matrix[i, j] = -penalty * size[node[i]] * size[node[j]]
        for i in range(k):
            a = node[i]
            for p in range(starts[a], starts[a + 1]):
                j = where[neighbour[p]]
                if j >= 0:
                    matrix[i, j] += weight[p]
            for j in range(i):
                b = node[j]
                for s in range(kind_starts[a], kind_starts[a + 1]):
                    for r in range(kind_starts[b], kind_starts[b + 1]):
                        if kind[s] == kind[r]:
                            matrix[i, j] = -np.inf
                            matrix[j, i] = -np.inf
        before = 0.0
        for i in range(k):
            where[node[i]] = -1
            for j in range(i):
                if number[i] == number[j]:
                    before += matrix[i, j]
                factor = 1.0 + SCORE_BLUR * (_next(state) - 0.5)
                noisy[i, j] = matrix[i, j] * factor
                noisy[j, i] = noisy[i, j]
        _greedy(noisy, k, label)
        after = _settle(matrix, k, label, total)
        if after <= before + smallest:
            continue
        gained += after - before
        for t in range(n_chosen):
            c = chosen[t]
            first[c] = -1
            count[c] = 0
            empty[n_empty] = c
            n_empty += 1
        for i in range(k):
            number[i] = -1
        for i in range(k):
            if number[label[i]] < 0:
                n_empty -= 1
                number[label[i]] = empty[n_empty]
            c = number[label[i]]
            cluster[node[i]] = c
            following[node[i]] = first[c]
            first[c] = node[i]
            count[c] += 1
    return gained
