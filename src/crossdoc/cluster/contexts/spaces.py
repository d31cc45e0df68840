"""One interface for vectors and similarities, `VectorSpace` and `SimilaritySpace`, and checked matrices for both.

Rows that must be one are contracted to their sum, which leaves every criterion as it is defined over single rows. A
soft constraint adds its weight to the similarity of its pair, in both spaces alike.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.preprocessing import normalize

from crossdoc import errors
from crossdoc.cluster.contexts.criteria import assign_allowed, refine, sum_rows
from crossdoc.cluster.estimators import checked_matrix
from crossdoc.model import Relations, Vectors
from crossdoc.model.evidence_protocol import Constraints

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
NO_OTHERS = (0.0, 0.0)
LEAST_GAIN, MOST_PASSES, REPAIR_ROUNDS = 1e-7, 100, 5


@dataclass(frozen=True)
class ContextLimits:
    """Pairs of (contracted) rows that may not be together, and weights added to pairs' similarities; both symmetric."""

    cannot: sparse.csr_matrix
    lean: sparse.csr_matrix

    @classmethod
    def of(cls, constraints: Constraints, group: Ints, n: int) -> ContextLimits:
        """Between must-link groups. A soft weight of −1 or less outweighs any similarity and so forbids."""
        forbids = constraints.soft_weight <= -1
        apart = group[np.concatenate([constraints.cannot, constraints.soft[forbids]])].reshape(-1, 2)
        leaning = group[constraints.soft[~forbids]].reshape(-1, 2)
        weight = constraints.soft_weight[~forbids]
        between = leaning[:, 0] != leaning[:, 1]
        cannot = _symmetric(apart[apart[:, 0] != apart[:, 1]], None, n)
        cannot.data[:] = 1.0
        return cls(cannot, _symmetric(leaning[between], weight[between], n))

    def subset(self, rows: Ints) -> ContextLimits:
        return ContextLimits(
            *(part[rows][:, rows] if part.nnz else _none(len(rows)) for part in (self.cannot, self.lean))
        )


@dataclass(frozen=True)
class Space:
    """Rows to cluster, the base of two kinds; `offset` is the similarity of pairs that are not listed."""

    matrix: sparse.csr_matrix
    weight: Floats
    itself: Floats
    """x_i·x_i."""
    total: Floats
    """x_i·S of all rows."""
    limits: ContextLimits
    offset: float = 0.0

    def __len__(self) -> int:
        return int(self.matrix.shape[0])

    def subset(self, rows: Ints) -> Space:
        return replace(
            self, matrix=self._only(rows), weight=self.weight[rows], itself=self.itself[rows],
            total=self.total[rows], limits=self.limits.subset(rows),
        )  # fmt: skip

    def refine(self, labels: Ints, k: int, code: int, seed: int, others: tuple[float, float] = NO_OTHERS) -> Ints:
        """Better labels, row by row; `others` are the criterion's parts of clusters outside a subset."""
        labels = labels.copy()
        matrix, table, square, lean = self._begin(labels, k)
        total = self.total + np.asarray(self.limits.lean.sum(axis=1)).ravel()
        refine(
            *pointers(matrix), isinstance(self, VectorSpace), self.offset, self.weight, self.itself, total,
            *pointers(lean), *pointers(self.limits.cannot)[:2], labels, table, added(labels, self.weight, k), square,
            added(labels, total, k), np.array(others), code, LEAST_GAIN, MOST_PASSES, seed,
        )  # fmt: skip
        return labels

    def nearness(self, rows: Ints) -> Floats:
        """The cosine of every row to each of some rows."""
        raise NotImplementedError

    def products(self, labels: Ints, k: int) -> Floats:
        """x_i · S_r of every row and cluster, without what soft constraints add."""
        raise NotImplementedError

    def all_products(self) -> Floats:
        """The similarities of all pairs, with what soft constraints add."""
        raise NotImplementedError

    def _only(self, rows: Ints) -> sparse.csr_matrix:
        raise NotImplementedError

    def _begin(self, labels: Ints, k: int) -> tuple[sparse.csr_matrix, Floats, Floats, sparse.csr_matrix]:
        """The kernel's matrix and table, ‖S_r‖² of each cluster, and soft constraints that are not in the matrix."""
        raise NotImplementedError


def parts(space: Space, labels: Ints, k: int) -> tuple[Floats, Floats, Floats]:
    """Each cluster's n_r, ‖S_r‖² and S_r·S, as defined."""
    own = space.products(labels, k)[np.arange(len(labels)), labels]
    return added(labels, space.weight, k), added(labels, own, k), added(labels, space.total, k)


def added(labels: Ints, values: Floats, k: int) -> Floats:
    """The values' sum in each cluster."""
    return np.bincount(labels, weights=values, minlength=k).astype(np.float64)


def seeds(space: Space, k: int, rng: np.random.Generator) -> Floats:
    """Cosines of all rows to k rows chosen far from each other: of some rows drawn with a chance in proportion to
    1 − cosine to the nearest seed so far the best (greedy k-means++, Arthur & Vassilvitskii 2007, for unit vectors)."""
    n = len(space)
    tries = 2 + int(np.log(k))
    near = np.empty((n, k))
    near[:, 0] = space.nearness(rng.integers(n, size=1))[:, 0]
    far = np.maximum(1 - near[:, 0], 0)
    for number in range(1, k):
        chance = np.cumsum(far * space.weight)
        drawn = np.minimum(np.searchsorted(chance, rng.random(tries) * chance[-1], side="right"), n - 1)
        found = space.nearness(drawn)
        left = np.minimum(far[:, None], np.maximum(1 - found, 0))
        best = int((space.weight @ left).argmin())
        near[:, number], far = found[:, best], left[:, best]
    return near


def start(space: Space, k: int, rng: np.random.Generator) -> tuple[Ints, int]:
    """Each row with the nearest of k centres, and the number of clusters: more than k if cannot-links ask for more.

    The centres are seeds first, then the sums of the rows that are like them at all (spherical k-means).
    """
    near = seeds(space, k, rng)
    for _ in range(REPAIR_ROUNDS):
        near = _centred(space, np.where(near.max(axis=1) > 0, near.argmax(axis=1), k), k)
    # A row that is like no centre more than like another goes to any, rather than all such rows to the first.
    near += 1e-9 * rng.random(near.shape)
    cannot = space.limits.cannot
    if cannot.nnz:
        labels, _ = assign_allowed(near, *pointers(cannot)[:2], rng.permutation(len(space)))
    else:
        labels = near.argmax(axis=1).astype(np.int64)
    return _without_gaps(labels)


def _centred(space: Space, labels: Ints, k: int) -> Floats:
    """Each row's product with each cluster's sum scaled to unit length; rows of cluster k count for none."""
    products = space.products(labels, k + 1)
    own = products[np.arange(len(labels)), labels]
    length = np.sqrt(np.maximum(added(labels, own, k + 1), 1e-12))
    return products[:, :k] / length[:k]


def fewest(space: Space) -> int:
    """A number of clusters that the cannot-links allow: colours, those with the most links first."""
    cannot = space.limits.cannot
    if not cannot.nnz:
        return 1
    order = np.argsort(-np.diff(cannot.indptr), kind="stable")
    return int(assign_allowed(np.zeros((len(space), 1)), *pointers(cannot)[:2], order)[1])


def _without_gaps(labels: Ints) -> tuple[Ints, int]:
    used, dense = np.unique(labels, return_inverse=True)
    return dense.astype(np.int64), len(used)


class VectorSpace(Space):
    """Sparse rows (groups' sums of unit rows)."""

    @classmethod
    def of(cls, matrix: sparse.csr_matrix, weight: Floats, limits: ContextLimits) -> VectorSpace:
        matrix = sparse.csr_matrix(matrix, dtype=np.float64)
        matrix.sort_indices()
        itself = np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel()
        total = np.asarray(matrix @ np.asarray(matrix.sum(axis=0)).ravel()).ravel()
        return cls(matrix, weight, itself, total, limits)

    def nearness(self, rows: Ints) -> Floats:
        length = np.sqrt(np.where(self.itself > 0, self.itself, 1))
        return np.asarray(self.matrix @ self.matrix[rows].toarray().T) / length[:, None] / length[rows]

    def products(self, labels: Ints, k: int) -> Floats:
        return np.asarray(self.matrix @ self._sums(labels, k))

    def all_products(self) -> Floats:
        return (self.matrix @ self.matrix.T + self.limits.lean).toarray()

    def _only(self, rows: Ints) -> sparse.csr_matrix:
        return self.matrix[rows]

    def _sums(self, labels: Ints, k: int) -> Floats:
        """Features × clusters."""
        sums = np.zeros((self.matrix.shape[1], k))
        sum_rows(*pointers(self.matrix), labels, sums)
        return sums

    def _begin(self, labels: Ints, k: int) -> tuple[sparse.csr_matrix, Floats, Floats, sparse.csr_matrix]:
        sums = self._sums(labels, k)
        square = (sums**2).sum(axis=0)
        cells = self.limits.lean.tocoo()
        inside = labels[cells.row] == labels[cells.col]
        square += added(labels[cells.row[inside]], cells.data[inside], k)
        return self.matrix, sums, square, self.limits.lean


class SimilaritySpace(Space):
    """Similarities of pairs as far as they differ from `offset`, the diagonal among them."""

    @classmethod
    def of(cls, matrix: sparse.csr_matrix, offset: float, weight: Floats, limits: ContextLimits) -> SimilaritySpace:
        matrix = sparse.csr_matrix(matrix, dtype=np.float64)
        itself = matrix.diagonal() + offset * weight**2
        total = np.asarray(matrix.sum(axis=1)).ravel() + offset * weight * weight.sum()
        return cls(matrix, weight, itself, total, limits, offset)

    def nearness(self, rows: Ints) -> Floats:
        length = np.sqrt(np.maximum(self.itself, 1e-12))
        found = self.matrix[:, rows].toarray() + self.offset * np.outer(self.weight, self.weight[rows])
        return np.asarray(found / length[:, None] / length[rows])

    def products(self, labels: Ints, k: int) -> Floats:
        size = added(labels, self.weight, k)
        return _table(self.matrix, labels, k) + self.offset * np.outer(self.weight, size)

    def all_products(self) -> Floats:
        return (self.matrix + self.limits.lean).toarray() + self.offset * np.outer(self.weight, self.weight)

    def _only(self, rows: Ints) -> sparse.csr_matrix:
        return self.matrix[rows][:, rows]

    def _begin(self, labels: Ints, k: int) -> tuple[sparse.csr_matrix, Floats, Floats, sparse.csr_matrix]:
        leaned = sparse.csr_matrix(self.matrix + self.limits.lean) if self.limits.lean.nnz else self.matrix
        table, size = _table(leaned, labels, k), added(labels, self.weight, k)
        own = table[np.arange(len(labels)), labels] + self.offset * self.weight * size[labels]
        return leaned, table, added(labels, own, k), _none(len(labels))


def _table(matrix: sparse.csr_matrix, labels: Ints, k: int) -> Floats:
    """The sum of each row's values in each cluster."""
    belongs = sparse.csr_matrix((np.ones(len(labels)), (np.arange(len(labels)), labels)), shape=(len(labels), k))
    return np.ascontiguousarray((matrix @ belongs).toarray())


def pointers(matrix: sparse.csr_matrix) -> tuple[Ints, npt.NDArray[np.int32], Floats]:
    """Return arrays of the types that the kernels are compiled for."""
    return (
        matrix.indptr.astype(np.int64, copy=False),
        matrix.indices.astype(np.int32, copy=False),
        matrix.data.astype(np.float64, copy=False),
    )


def _symmetric(pairs: npt.NDArray[Any], weight: Floats | None, n: int) -> sparse.csr_matrix:
    a, b = pairs.T.astype(np.int64)
    values = np.ones(len(a)) if weight is None else weight
    both = (np.concatenate([values, values]), (np.concatenate([a, b]), np.concatenate([b, a])))
    return sparse.csr_matrix(both, shape=(n, n))


def _none(n: int) -> sparse.csr_matrix:
    return sparse.csr_matrix((n, n))


@dataclass(frozen=True)
class ContextMatrix:
    """Rows as given (`raw`) and of unit length, or similarities as far as they are above `offset`."""

    raw: sparse.csr_matrix
    matrix: sparse.csr_matrix
    vectors: bool
    offset: float = 0.0

    def space(self, group: Ints, weight: Floats, limits: ContextLimits) -> Space:
        """Rows of one group become their weighted sum."""
        n, groups = len(group), limits.cannot.shape[0]
        sizes = added(group, weight, groups)
        gather = sparse.csr_matrix((weight, (group, np.arange(n))), shape=(groups, n))
        if self.vectors:
            return VectorSpace.of(gather @ self.matrix, sizes, limits)
        return SimilaritySpace.of(gather @ self.matrix @ gather.T, self.offset, sizes, limits)


def given_rows(X: Any) -> ContextMatrix:
    """Vectors, a sparse or a dense matrix."""
    if isinstance(X, Relations):
        raise errors.bad_rows("they are relations; use space='similarity'")
    matrix = X.matrix if isinstance(X, Vectors) else X
    if not sparse.issparse(matrix):
        try:
            matrix = np.asarray(matrix, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise errors.bad_rows(f"they are not numbers ({error})") from error
        if matrix.ndim != 2:
            raise errors.bad_rows(f"the shape {matrix.shape} is not that of rows and columns")
    raw = sparse.csr_matrix(matrix, dtype=np.float64)
    raw.sum_duplicates()
    if not np.isfinite(raw.data).all():
        raise errors.bad_rows("some numbers are not finite (NaN or infinite)")
    return ContextMatrix(raw, normalize(raw) if min(raw.shape) else raw, True)


def given_similarities(X: Any) -> ContextMatrix:
    """Relations, or a square matrix."""
    if isinstance(X, Vectors):
        raise errors.bad_similarities("they are vectors; use space='vector'")
    if isinstance(X, Relations):
        pairs, n, offset = X.checked(), X.n, float(X.default_strength)
        above = pairs.strength.astype(np.float64) - offset
        where = np.concatenate([pairs.left, pairs.right]), np.concatenate([pairs.right, pairs.left])
        matrix = sparse.csr_matrix((np.concatenate([above, above]), where), shape=(n, n))
        matrix = sparse.csr_matrix(matrix + (1 - offset) * sparse.identity(n))
        return ContextMatrix(matrix, matrix, False, offset)
    matrix = sparse.csr_matrix(checked_matrix(X.toarray() if sparse.issparse(X) else X), dtype=np.float64)
    return ContextMatrix(matrix, matrix, False)
