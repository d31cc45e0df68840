"""numba kernel that takes two or three neighbouring clusters apart and clusters their nodes again if that helps."""

from __future__ import annotations

import numpy as np
from numba import njit

MOST_NODES = 48
SCORE_BLUR = 1.0


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
    """Try random ones of the cut attractive pairs (left, right); `cluster` changes in place; returns the gain."""
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
