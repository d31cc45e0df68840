"""Judgements → what every clusterer needs: groups that must be one, pairs that may not, weights that lean either way.

A contradiction among hard judgements is found before any clustering and reported with the chain that contradicts.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from crossdoc import errors
from crossdoc.model import IntArray, Judgement

_NO_PAIRS: npt.NDArray[np.int32] = np.zeros((0, 2), dtype=np.int32)


@dataclass(frozen=True, slots=True)
class Constraints:
    """Constraints on rows 0 … n−1; `Constraints.between` makes them from judgements.

    Parameters
    ----------
    n : int
        The number of rows.
    group : ndarray
        The must-link group of each row, with the closure already taken.
    cannot : ndarray, optional
        Pairs of rows that are never together.
    soft : ndarray, optional
        Pairs of rows whose strength is changed.
    soft_weight : ndarray, optional
        What is added to the strength of each soft pair; negative keeps apart.
    must : tuple[tuple[int, int, Judgement], ...], default ()
        The must-links as they were judged, for messages.

    Examples
    --------
    >>> said = [Judgement("a", "b", "same"), Judgement("b", "c", "different")]
    >>> constraints = Constraints.between(["a", "b", "c"], said)
    >>> constraints.group.tolist(), constraints.cannot.tolist()
    ([0, 0, 1], [[1, 2]])
    """

    n: int
    group: IntArray
    cannot: npt.NDArray[np.int32] = field(default_factory=lambda: _NO_PAIRS)
    soft: npt.NDArray[np.int32] = field(default_factory=lambda: _NO_PAIRS)
    soft_weight: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    must: tuple[tuple[int, int, Judgement], ...] = ()
    """The judgements behind `group`, where there are some: a contradiction is reported with them."""

    @classmethod
    def none(cls, n: int) -> Constraints:
        return cls(n, np.arange(n, dtype=np.int32))

    @classmethod
    def compile(cls, judgements: Iterable[Judgement], position: Mapping[str, int], n: int) -> Constraints:
        """Take the closure of the hard judgements between known profiles; raise where they contradict each other.

        >>> said = [Judgement("a", "b", "same"), Judgement("b", "c", "same"), Judgement("a", "d", "different")]
        >>> constraints = Constraints.compile(said, {"a": 0, "b": 1, "c": 2, "d": 3}, 4)
        >>> constraints.group.tolist(), constraints.cannot.tolist()
        ([0, 0, 0, 1], [[0, 3]])
        """
        known = [j for j in judgements if j.a in position and j.b in position]
        pairs = [(position[j.a], position[j.b], j) for j in known]
        must = [(a, b, j) for a, b, j in pairs if j.hard and j.verdict == "same"]
        cannot = [(a, b, j) for a, b, j in pairs if j.hard and j.verdict == "different"]
        group = _components(n, [(a, b) for a, b, _ in must])
        for a, b, judgement in cannot:
            if group[a] == group[b]:
                raise errors.contradiction([*_path(a, b, must), judgement])
        soft = [(a, b, j.weight if j.verdict == "same" else -j.weight) for a, b, j in pairs if not j.hard]
        return cls(
            n,
            group,
            _pair_array((a, b) for a, b, _ in cannot),
            _pair_array((a, b) for a, b, _ in soft),
            np.array([weight for *_, weight in soft], dtype=np.float64),
            tuple(must),
        )

    @classmethod
    def between(
        cls,
        ids: Sequence[str] | npt.NDArray[Any],
        judgements: Iterable[Judgement],
        where: str | PathLike[str] = "The constraints",
    ) -> Constraints:
        """Compiled for rows of these ids; judgements on others are refused, `where` being what named them."""
        position = {id: row for row, id in enumerate(ids)}
        listed = list(judgements)
        unknown = sorted({id for judgement in listed for id in (judgement.a, judgement.b)} - set(position))
        if unknown:
            raise errors.unknown_profiles(where, unknown)
        return cls.compile(listed, position, len(ids))

    @property
    def empty(self) -> bool:
        return not len(self.cannot) and not len(self.soft) and len(np.unique(self.group)) == self.n

    def restrict(self, rows: npt.NDArray[Any]) -> Constraints:
        """The constraints among some of the rows, renumbered."""
        _, group = np.unique(self.group[rows], return_inverse=True)
        if not (len(self.cannot) or len(self.soft) or self.must):
            return Constraints(len(rows), group.astype(np.int32))
        where = np.full(self.n, -1, dtype=np.int64)
        where[rows] = np.arange(len(rows))
        cannot, soft = where[self.cannot], where[self.soft]
        kept = (soft >= 0).all(axis=1)
        return Constraints(
            len(rows),
            group.astype(np.int32),
            cannot[(cannot >= 0).all(axis=1)].astype(np.int32),
            soft[kept].astype(np.int32),
            self.soft_weight[kept],
            tuple((int(where[a]), int(where[b]), j) for a, b, j in self.must if min(where[a], where[b]) >= 0),
        )

    def with_soft(self, pairs: npt.NDArray[Any], weight: float) -> Constraints:
        """More soft constraints of one weight, as a rule gives them."""
        return Constraints(
            self.n,
            self.group,
            self.cannot,
            np.concatenate([self.soft, pairs.astype(np.int32).reshape(-1, 2)]),
            np.concatenate([self.soft_weight, np.full(len(pairs), weight)]),
            self.must,
        )

    def linked_rows(self) -> list[npt.NDArray[np.int64]]:
        """The must-link groups of two rows or more."""
        _, number, many = np.unique(self.group, return_inverse=True, return_counts=True)
        linked = np.flatnonzero(many[number] > 1)
        order = linked[np.argsort(self.group[linked], kind="stable")]
        starts = np.flatnonzero(np.diff(self.group[order], prepend=-1))
        return np.split(order, starts[1:]) if len(order) else []

    def chain(self, a: int, b: int) -> list[str]:
        """The shortest chain of judgements that makes two rows one; empty where no judgements are known."""
        return [str(judgement) for judgement in _path(a, b, self.must)]

    def violated_by(self, labels: npt.ArrayLike) -> int:
        """How many hard constraints a hard partition breaks."""
        given = np.asarray(labels)
        apart = sum(len(np.unique(given[rows])) - 1 for rows in self.linked_rows())
        return int(apart + (given[self.cannot[:, 0]] == given[self.cannot[:, 1]]).sum())


def _pair_array(pairs: Iterable[tuple[int, int]]) -> npt.NDArray[np.int32]:
    listed = list(pairs)
    return np.array(listed, dtype=np.int32) if listed else _NO_PAIRS


def _components(n: int, links: list[tuple[int, int]]) -> IntArray:
    if not links:
        return np.arange(n, dtype=np.int32)
    a, b = np.array(links).T
    graph = sparse.coo_matrix((np.ones(len(a)), (a, b)), shape=(n, n))
    return connected_components(graph, directed=False)[1].astype(np.int32)


def _path(start: int, goal: int, must: Iterable[tuple[int, int, Judgement]]) -> list[Judgement]:
    """The shortest chain of "same" judgements from one row to another; empty where there is none."""
    neighbours: dict[int, list[tuple[int, Judgement]]] = {}
    for a, b, judgement in must:
        neighbours.setdefault(a, []).append((b, judgement))
        neighbours.setdefault(b, []).append((a, judgement))
    came_from: dict[int, tuple[int, Judgement]] = {}
    queue = deque([start])
    while queue and goal not in came_from:
        row = queue.popleft()
        for other, judgement in neighbours.get(row, []):
            if other != start and other not in came_from:
                came_from[other] = (row, judgement)
                queue.append(other)
    path: list[Judgement] = []
    while goal != start and goal in came_from:
        goal, judgement = came_from[goal]
        path.append(judgement)
    return path[::-1]
