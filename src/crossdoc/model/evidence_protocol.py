"""Evidence as it passes from comparing to clustering: relations, vectors, and the protocol."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt
from scipy import sparse

if TYPE_CHECKING:
    from crossdoc.model.constraints import Constraints
from crossdoc import errors
from crossdoc.model.rows import FloatArray, IntArray

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
        """All pairs of a square, symmetric similarity matrix.

        >>> Relations.from_dense(np.array([[1.0, 0.4], [0.4, 1.0]])).strength
        array([0.4], dtype=float32)
        """
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
        """These relations, or a message that says what is wrong with them; what clusters them asks for it once.

        Signed weights are let through: which strengths it takes, and whether a row may be paired with itself, is for
        a method to say (correlation clustering takes both).
        """
        if not (np.shape(self.left) == np.shape(self.right) == np.shape(self.strength) == (len(self),)):
            raise errors.bad_similarities("left, right and strength differ in length")
        ends = (self.left, self.right)
        if len(self) and (min(end.min() for end in ends) < 0 or max(end.max() for end in ends) >= self.n):
            raise errors.bad_similarities(f"a pair names a row that is not among the {self.n:,}")
        if (self.left == self.right).any():
            raise errors.bad_similarities("a row is paired with itself")
        if not (np.isfinite(self.strength).all() and np.isfinite(self.default_strength)):
            raise errors.bad_similarities("some are not finite (NaN or infinite)")
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

    Made by `compare`, asked by `cluster`; :class:`crossdoc.compare.evidence.ProfileEvidence` is that of profiles, and
    :class:`crossdoc.cluster.graph_clustering.GraphEvidence` that of a graph on its own.

    Notes
    -----
    A method asks for what it needs: all pairs are compared only where `relations` is called.

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
