"""Subsquare (Bshouty & Long 2010), the baseline of Singh et al. 2011; used by wikipedia_links.py."""

from __future__ import annotations

import numpy as np
from numba import njit

from crossdoc.cluster.estimators import symmetric_rows
from crossdoc.cluster.hierarchical import renumber
from crossdoc.model import IntArray, Relations


def subsquare(relations: Relations, overlap: float = 0.3, sweeps: int = 20, seed: int = 0) -> IntArray:
    """A random vertex takes the cluster of a neighbour if they share enough of their neighbourhoods, again and again.

    Bshouty & Long 2010, the baseline of Singh et al. 2011, as the latter describe it: the neighbour is drawn by the
    strength of its pair, and what two neighbourhoods share is Σ min / Σ max over their strengths, each vertex being its
    own neighbour with strength 1. Pairs that were not compared are no neighbours.

    >>> pairs = Relations(4, *np.array([[0, 2], [1, 3]], np.int32), np.array([0.9, 0.8], np.float32))
    >>> subsquare(pairs).tolist()
    [0, 0, 1, 1]
    """
    n = relations.n
    kept = relations.strength > 0
    own = np.arange(n, dtype=np.int32)
    left, right = np.concatenate([relations.left[kept], own]), np.concatenate([relations.right[kept], own])
    # A vertex is listed twice as its own neighbour.
    strength = np.concatenate([relations.strength[kept], np.full(n, 0.5, dtype=np.float32)])
    return renumber(_subsquare(*symmetric_rows(n, left, right, strength), overlap, sweeps, seed))


@njit(cache=True, nogil=True)
def _subsquare(start, other, strength, overlap, sweeps, seed):  # type: ignore[no-untyped-def]
    np.random.seed(seed)
    n = len(start) - 1
    labels = np.arange(n).astype(np.int32)
    for _ in range(sweeps * n):
        v = np.random.randint(n)
        drawn = np.random.random() * (strength[start[v] : start[v + 1]].sum() - 1)
        u = v
        for at in range(start[v], start[v + 1]):
            if other[at] != v:
                u = other[at]
                drawn -= strength[at]
                if drawn <= 0:
                    break
        if u == v or labels[u] == labels[v]:
            continue
        a, b, shared, either = start[v], start[u], 0.0, 0.0
        while a < start[v + 1] or b < start[u + 1]:
            if b == start[u + 1] or (a < start[v + 1] and other[a] < other[b]):
                either += strength[a]
                a += 1
            elif a == start[v + 1] or other[b] < other[a]:
                either += strength[b]
                b += 1
            else:
                shared += min(strength[a], strength[b])
                either += max(strength[a], strength[b])
                a += 1
                b += 1
        if shared >= overlap * either:
            labels[v] = labels[u]
    return labels
