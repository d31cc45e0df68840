"""Evidence as it passes from comparing to clustering: constraints, relations, vectors, and the protocol.

A contradiction among hard judgements is found before any clustering and reported with the chain that contradicts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order, connected_components

from crossdoc import errors
from crossdoc.model.rows import FloatArray, IntArray, Judgement

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

    @classmethod
    def none(cls, n: int) -> Constraints:
        return cls(n, np.arange(n, dtype=np.int32))

    @classmethod
    def compile(cls, judgements: Iterable[Judgement], position: Mapping[str, int], n: int) -> Constraints:
        """Take the closure of the hard judgements between known profiles; raise where they contradict each other."""
        pairs = [(position[j.a], position[j.b], j) for j in judgements if j.a in position and j.b in position]
        must = [(a, b, j) for a, b, j in pairs if j.hard and j.verdict == "same"]
        cannot = [(a, b, j) for a, b, j in pairs if j.hard and j.verdict == "different"]
        group = connected_components(_graph(n, must), directed=False)[1].astype(np.int32) if must else cls.none(n).group
        for a, b, judgement in cannot:
            if group[a] == group[b]:
                raise errors.contradiction([*_path(a, b, must, n), judgement])
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
        soft = np.concatenate([self.soft, pairs.astype(np.int32).reshape(-1, 2)])
        return replace(self, soft=soft, soft_weight=np.concatenate([self.soft_weight, np.full(len(pairs), weight)]))

    def linked_rows(self) -> list[npt.NDArray[np.int64]]:
        """The must-link groups of two rows or more."""
        _, number, many = np.unique(self.group, return_inverse=True, return_counts=True)
        linked = np.flatnonzero(many[number] > 1)
        order = linked[np.argsort(self.group[linked], kind="stable")]
        starts = np.flatnonzero(np.diff(self.group[order], prepend=-1))
        return np.split(order, starts[1:]) if len(order) else []

    def chain(self, a: int, b: int) -> list[str]:
        """The shortest chain of judgements that makes two rows one; empty where no judgements are known."""
        return [str(judgement) for judgement in _path(a, b, self.must, self.n)]

    def violated_by(self, labels: npt.ArrayLike) -> int:
        """How many hard constraints a hard partition breaks."""
        given = np.asarray(labels)
        apart = sum(len(np.unique(given[rows])) - 1 for rows in self.linked_rows())
        return int(apart + (given[self.cannot[:, 0]] == given[self.cannot[:, 1]]).sum())


def _pair_array(pairs: Iterable[tuple[int, int]]) -> npt.NDArray[np.int32]:
    listed = list(pairs)
    return np.array(listed, dtype=np.int32) if listed else _NO_PAIRS


def _graph(n: int, must: Iterable[tuple[int, int, Judgement]]) -> sparse.coo_matrix:
    a, b = np.array([(a, b) for a, b, _ in must], dtype=np.int32).reshape(-1, 2).T
    return sparse.coo_matrix((np.ones(len(a)), (a, b)), shape=(n, n))


def _path(start: int, goal: int, must: Sequence[tuple[int, int, Judgement]], n: int) -> list[Judgement]:
    """The shortest chain of "same" judgements from one row to another; empty where there is none."""
    between = {frozenset((a, b)): judgement for a, b, judgement in must}
    before = breadth_first_order(_graph(n, must).tocsr(), start, directed=False)[1].tolist()
    path: list[Judgement] = []
    while goal != start and before[goal] >= 0:
        path.append(between[frozenset((goal, before[goal]))])
        goal = before[goal]
    return path[::-1]


ROWS_AT_ONCE = 1024
"""Rows of a product that are computed at a time."""


@dataclass(frozen=True, slots=True)
class Relations:
    """Pairs of profiles (row numbers, each pair once) with a strength in [0, 1]: 1 surely one entity, 0 surely two.

    A pair that is not listed was not compared; methods that need a value for it take `default_strength`.

    Parameters
    ----------
    n : int
        The number of rows.
    left : ndarray
        The smaller row number of each pair.
    right : ndarray
        The larger row number of each pair.
    strength : ndarray
        The strength of each pair.
    default_strength : float, default 0.0
        The strength of a pair that is not listed.

    Notes
    -----
    16 bytes or fewer a pair; `dense` needs 4n² bytes.

    Examples
    --------
    >>> Relations.from_dense(np.array([[1.0, 0.4], [0.4, 1.0]])).strength
    array([0.4], dtype=float32)
    """

    n: int
    left: IntArray
    right: IntArray
    strength: npt.NDArray[np.float32]
    default_strength: float = 0.0

    @classmethod
    def from_dense(cls, matrix: FloatArray) -> Relations:
        """All pairs of a square, symmetric similarity matrix."""
        n = len(matrix)
        # Row by row, since np.triu_indices needs several times the matrix.
        counts = np.arange(n - 1, -1, -1)
        left = np.repeat(np.arange(n, dtype=np.int32), counts)
        right = np.empty(len(left), dtype=np.int32)
        strength = np.empty(len(left), dtype=np.float32)
        ends = np.cumsum(counts)
        for row, (end, count) in enumerate(zip(ends, counts, strict=True)):
            right[end - count : end] = np.arange(row + 1, n)
            strength[end - count : end] = matrix[row, row + 1 :]
        return cls(n, left, right, strength)

    def checked(self) -> Relations:
        """These relations, or a message that says what is wrong with them; a method checks the range of strengths."""
        if not (np.shape(self.left) == np.shape(self.right) == np.shape(self.strength) == (len(self),)):
            raise errors.bad_similarities("left, right and strength differ in length")
        ends = (self.left, self.right)
        if len(self) and (min(end.min() for end in ends) < 0 or max(end.max() for end in ends) >= self.n):
            raise errors.bad_similarities(f"a pair names a row that is not among the {self.n:,}")
        if (self.left == self.right).any():
            raise errors.bad_similarities("a row is paired with itself")
        bad = np.flatnonzero(~np.isfinite(self.strength))
        if len(bad):
            where = f"rows {self.left[bad[0]]} and {self.right[bad[0]]}"
            raise errors.bad_similarities(f"{len(bad):,} of them are not finite, the first at {where}")
        if not np.isfinite(self.default_strength):
            raise errors.bad_similarities("default_strength is not finite")
        return self

    def dense(self) -> npt.NDArray[np.float32]:
        matrix = np.full((self.n, self.n), self.default_strength, dtype=np.float32)
        matrix[self.left, self.right] = self.strength
        matrix[self.right, self.left] = self.strength
        np.fill_diagonal(matrix, 1.0)
        return matrix

    def __len__(self) -> int:
        return len(self.left)


@dataclass(frozen=True, slots=True)
class Vectors:
    """Unit-length sparse rows, one per profile (an empty context is a row of zeros).

    Parameters
    ----------
    matrix : scipy.sparse.csr_matrix
        The rows.
    features : ndarray or None, default None
        What each column stands for, if it has a name.

    Examples
    --------
    >>> Vectors(sparse.csr_matrix(np.eye(2))).cosine().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    matrix: sparse.csr_matrix
    features: npt.NDArray[np.object_] | None = None

    def __len__(self) -> int:
        return int(self.matrix.shape[0])

    def cosine(self, rows: npt.NDArray[Any] | None = None) -> npt.NDArray[np.float32]:
        """All cosines between the rows (or some of them), the diagonal set to 1."""
        matrix = self.matrix if rows is None else self.matrix[rows]
        n = matrix.shape[0]
        cosines = np.empty((n, n), dtype=np.float32)
        others = matrix.T.tocsr()
        # Some rows at a time, since the product of many is nearly full and sparse is then larger than dense.
        for start in range(0, n, ROWS_AT_ONCE):
            cosines[start : start + ROWS_AT_ONCE] = (matrix[start : start + ROWS_AT_ONCE] @ others).toarray()
        np.clip(cosines, 0.0, 1.0, out=cosines)
        np.fill_diagonal(cosines, 1.0)
        return cosines


class Evidence(Protocol):
    """All that a clusterer may ask about the profiles of one entity type (its rows), in memory and on demand.

    :class:`crossdoc.compare.evidence.ProfileEvidence` is that of profiles, and
    :class:`crossdoc.cluster.graph_clustering.GraphEvidence` that of a graph. All pairs are compared only where
    `relations` is called.

    Examples
    --------
    >>> from crossdoc import Profile, Profiles, compare_profiles
    >>> people = [Profile("a", "1", "Ann Lee", "person"), Profile("b", "2", "Bo Lee", "person")]
    >>> evidence = compare_profiles(Profiles.of(people))["person"]
    >>> evidence.ids.tolist(), evidence.relations().dense().shape
    (['a', 'b'], (2, 2))
    """

    @property
    def ids(self) -> npt.NDArray[np.object_]: ...

    @property
    def entity_type(self) -> str | None: ...

    @property
    def names(self) -> list[str] | None:
        """Names of the rows; None if all rows share one asked-for name."""

    @property
    def vectors(self) -> Vectors:
        """The contexts."""

    @property
    def even(self) -> float | None:
        """The cosine equally frequent among contexts of one entity and of two, if known."""

    @property
    def same_name(self) -> float:
        """Cosine to which sharing a name is equivalent."""

    @property
    def constraints(self) -> Constraints:
        """Constraints from judgements."""

    @property
    def limits(self) -> Constraints:
        """Constraints from judgements, and the rule that keeps clashing names apart."""

    def __len__(self) -> int: ...

    def part(self, rows: npt.NDArray[Any]) -> Evidence:
        """Return the evidence about some of the rows."""

    def components(self) -> list[npt.NDArray[np.int64]]:
        """The rows that candidates connect, every row in exactly one component."""

    def blocks(self) -> list[npt.NDArray[np.int64]]:
        """The rows that may have to be compared all with all, every row in exactly one block."""

    def relations(self) -> Relations:
        """The strengths of all pairs."""

    def candidates(self) -> Relations:
        """The strengths of the pairs that may be one entity, where all pairs would be too many."""

    def same_spelling(self) -> list[str]:
        """For each row what its name is when case, accents and spaces are nothing."""

    def agreeing(self, names: Sequence[str]) -> npt.NDArray[np.int64]:
        """Which of these n names can be one entity's: sorted codes a·n + b, each name with itself among them."""


class PortionedEvidence(Evidence, Protocol):
    """Evidence whose candidate pairs can be compared a portion at a time."""

    def compared_portions(self) -> Iterator[tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]]:
        """Yield the pairs that may be one entity with their strengths, a million at a time."""
