"""Baselines: each profile alone, all together and one entity per name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin

from crossdoc.cluster.hierarchical import renumber
from crossdoc.model import IntArray, Partition
from crossdoc.model.evidence_protocol import Constraints


def string_match(keys: Sequence[str]) -> IntArray:
    """The same key is the same entity; :func:`crossdoc.names.fold` makes keys of names.

    >>> string_match(["john smith", "john smith", "j smith"]).tolist()
    [0, 0, 1]
    """
    return renumber(np.unique(np.asarray(keys, dtype=str), return_inverse=True)[1])


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
