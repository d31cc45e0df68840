"""Baselines: each profile alone, all together, one entity per name, and Subsquare."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
from numba import njit
from sklearn.base import BaseEstimator, ClusterMixin

from crossdoc.cluster.estimators import symmetric_rows
from crossdoc.cluster.hierarchical import renumber
from crossdoc.model import IntArray, Partition, Relations
from crossdoc.model.evidence_protocol import Constraints


def string_match(keys: Sequence[str]) -> IntArray:
    """The same key is the same entity; :func:`crossdoc.names.fold` makes keys of names.

    >>> string_match(["john smith", "john smith", "j smith"]).tolist()
    [0, 0, 1]
    """
    return renumber(np.unique(np.asarray(keys, dtype=str), return_inverse=True)[1])


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


def with_constraints(labels: IntArray, constraints: Constraints) -> IntArray:
    """Mend a labelling so that hard constraints hold: link what must be one, then split off what may not be together.

    >>> limits = Constraints(3, np.array([0, 0, 1], dtype=np.int32), cannot=np.array([[0, 2]], dtype=np.int32))
    >>> with_constraints(np.array([0, 1, 1], dtype=np.int32), limits).tolist()
    [0, 0, 1]
    """
    if constraints.empty:
        return labels
    forbidden: dict[int, set[int]] = {}
    for a, b in constraints.group[constraints.cannot]:
        forbidden.setdefault(int(a), set()).add(int(b))
        forbidden.setdefault(int(b), set()).add(int(a))
    _, first = np.unique(constraints.group, return_index=True)
    chosen: dict[int, tuple[int, int]] = {}
    inside: dict[tuple[int, int], set[int]] = {}
    for row in np.sort(first):
        group, split = int(constraints.group[row]), 0
        while inside.get((int(labels[row]), split), set()) & forbidden.get(group, set()):
            split += 1
        chosen[group] = (int(labels[row]), split)
        inside.setdefault(chosen[group], set()).add(group)
    numbers = {key: number for number, key in enumerate(dict.fromkeys(chosen.values()))}
    return renumber(np.array([numbers[chosen[int(group)]] for group in constraints.group]))


class StringMatch(ClusterMixin, BaseEstimator):
    """The same name is the same entity; X holds a name (or whatever stands for it) for each row."""

    def fit(self, X: Sequence[str], y: object = None, *, constraints: Constraints | None = None) -> Self:
        limits = constraints or Constraints.none(len(X))
        self.labels_ = with_constraints(self._labels(X), limits)
        self.partition_ = Partition.from_labels([str(row) for row in range(len(X))], self.labels_)
        return self

    def _labels(self, names: Sequence[str]) -> IntArray:
        return string_match(names)


class OneInOne(StringMatch):
    """Every row an entity of its own."""

    def _labels(self, names: Sequence[str]) -> IntArray:
        return np.arange(len(names), dtype=np.int32)


class AllInOne(StringMatch):
    """One entity for everything."""

    def _labels(self, names: Sequence[str]) -> IntArray:
        return np.zeros(len(names), dtype=np.int32)
