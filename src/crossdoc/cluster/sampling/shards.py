"""Shards: nodes of one partition, which move to other partitions between rounds.

After a round, an entity is assigned by super-entity (a canopy, `hierarchy.py`), by its name, or at random. The
assignment depends on the entity and the round only, so that no task has to see all entities.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
HASH_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


class Shard(NamedTuple):
    """Some nodes: `flat` has a value for each, among them `node` (its number in the corpus) and `label` (the number of
    one node of its entity); of `ragged` columns each has where its values begin, and the values."""

    flat: Mapping[str, npt.NDArray[Any]]
    ragged: Mapping[str, tuple[npt.NDArray[Any], ...]]

    @property
    def n(self) -> int:
        return len(self.flat["node"])

    def take(self, rows: Ints) -> Shard:
        """
        >>> shard = Shard({"node": np.array([5, 7])}, {"rows": (np.array([0, 2, 3]), np.array([1, 2, 3]))})
        >>> shard.take(np.array([1])).ragged["rows"]
        (array([0, 1]), array([3]))
        """
        return Shard(
            {name: column[rows] for name, column in self.flat.items()},
            {name: _taken(column, rows) for name, column in self.ragged.items()},
        )

    def with_labels(self, labels: Ints) -> Shard:
        return self._replace(flat={**self.flat, "label": labels})

    def split(self, goes_to: Ints, into: int) -> list[Shard]:
        """The nodes by where they go."""
        order = np.argsort(goes_to, kind="stable")
        bounds = np.searchsorted(goes_to[order], np.arange(into + 1))
        return [self.take(order[first:last]) for first, last in pairwise(bounds.tolist())]

    @classmethod
    def united(cls, pieces: Sequence[Shard]) -> Shard:
        """Pieces in one, by ascending numbers of nodes; the arrays are new ones, which numba takes for what they are.

        Arrays of an object store cannot be written to: of those every kernel would be compiled once more.
        """
        first = pieces[0]
        flat = {name: np.concatenate([each.flat[name] for each in pieces]) for name in first.flat}
        ragged = {name: _joined([each.ragged[name] for each in pieces]) for name in first.ragged}
        whole = cls(flat, ragged)
        order = np.argsort(flat["node"], kind="stable")
        return whole if (np.diff(order) == 1).all() else whole.take(order)

    def local_labels(self) -> npt.NDArray[np.int32]:
        """The entities numbered 0, 1, … here."""
        return np.unique(self.flat["label"], return_inverse=True)[1].astype(np.int32)

    def limits_here(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.float64]]:
        """The judgements between nodes that are both here, by their places."""
        start, other, weight = self.ragged["limits"]
        node = self.flat["node"]
        at = np.minimum(np.searchsorted(node, other), max(len(node) - 1, 0))
        here = node[at] == other if len(node) else np.zeros(0, dtype=np.bool_)
        kept = np.concatenate([[0], np.cumsum(here)])[start].astype(np.int64)
        return kept, at[here].astype(np.int32), weight[here]


def own(arrays: Iterable[npt.NDArray[Any]]) -> tuple[npt.NDArray[Any], ...]:
    """New arrays, for kernels: see `Shard.united`."""
    return tuple(np.array(each) for each in arrays)


def _taken(column: tuple[npt.NDArray[Any], ...], rows: Ints) -> tuple[npt.NDArray[Any], ...]:
    start, *values = column
    many = np.diff(start)[rows]
    begins = np.concatenate([[0], np.cumsum(many)]).astype(np.int64)
    cells = np.repeat(start[rows] - begins[:-1], many) + np.arange(begins[-1])
    return begins, *(each[cells] for each in values)


def _joined(columns: Sequence[tuple[npt.NDArray[Any], ...]]) -> tuple[npt.NDArray[Any], ...]:
    ends = np.cumsum([0, *(column[0][-1] for column in columns)])
    start = [column[0][:-1] + end for column, end in zip(columns, ends, strict=False)]
    values = (np.concatenate(each) for each in zip(*(column[1:] for column in columns), strict=True))
    return np.concatenate([*start, ends[-1:]]).astype(np.int64), *values


def global_labels(shard: Shard, labels: npt.NDArray[Any]) -> Ints:
    """Entities that were found here by the number of their first node, which no other partition has."""
    first = np.full(int(labels.max(initial=-1)) + 1, -1, dtype=np.int64)
    first[labels[::-1]] = shard.flat["node"][::-1]
    return first[labels]


def hashed(key: npt.NDArray[Any], seed: int, into: int) -> Ints:
    """A number below `into` for each key, another with another seed."""
    mixed = (key.astype(np.uint64) + np.uint64(seed * int(HASH_MULTIPLIER) % 2**64)) * HASH_MULTIPLIER
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    return ((mixed >> np.uint64(33)) % np.uint64(into)).astype(np.int64)


def partitions_for(n: int) -> int:
    """How many partitions n nodes are dealt to, whatever machine they are on: one, two from 5,000 on, then as √n.

    With more of them those that belong together meet in fewer rounds; with fewer each is larger.

    >>> [partitions_for(n) for n in (4_000, 5_000, 200_000, 1_500_000, 40_000_000)]
    [1, 2, 4, 11, 57]
    """
    return 1 if n < 5_000 else max(2, round((n / 12_500) ** 0.5))
