"""Rows of contexts to cluster, checked and contracted.

Rows that must be one are contracted to their sum, which leaves every criterion as it is defined over single rows. A
soft constraint adds its weight to the similarity of its pair.
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
from crossdoc.model import Relations, Vectors
from crossdoc.model.evidence_protocol import Constraints

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
NO_OTHERS = (0.0, 0.0)
LEAST_GAIN, MOST_PASSES, REPAIR_ROUNDS = 1e-7, 100, 5


@dataclass(frozen=True)
class Space:
    """Rows to cluster: sums of unit rows that must be one, with their limits."""

    matrix: sparse.csr_matrix
    weight: Floats
    itself: Floats
    """x_i·x_i."""
    total: Floats
    """x_i·S of all rows."""
    cannot: sparse.csr_matrix
    """Pairs that may not be together; symmetric."""
    lean: sparse.csr_matrix
    """Weights added to the similarities of pairs; symmetric."""

    @classmethod
    def of(cls, matrix: sparse.csr_matrix, weight: Floats, cannot: sparse.csr_matrix, lean: sparse.csr_matrix) -> Space:
        matrix = sparse.csr_matrix(matrix, dtype=np.float64)
        matrix.sort_indices()
        itself = np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel()
        total = np.asarray(matrix @ np.asarray(matrix.sum(axis=0)).ravel()).ravel()
        return cls(matrix, weight, itself, total, cannot, lean)

    def __len__(self) -> int:
        return int(self.matrix.shape[0])

    def subset(self, rows: Ints) -> Space:
        return replace(
            self, matrix=self.matrix[rows], weight=self.weight[rows], itself=self.itself[rows], total=self.total[rows],
            cannot=_among(self.cannot, rows), lean=_among(self.lean, rows),
        )  # fmt: skip

    def refine(self, labels: Ints, k: int, code: int, seed: int, others: tuple[float, float] = NO_OTHERS) -> Ints:
        """Better labels, row by row; `others` are the criterion's parts of clusters outside a subset."""
        labels = labels.copy()
        sums = self._sums(labels, k)
        cells = self.lean.tocoo()
        inside = labels[cells.row] == labels[cells.col]
        square = (sums**2).sum(axis=0) + added(labels[cells.row[inside]], cells.data[inside], k)
        total = self.leaned_total()
        refine(
            *pointers(self.matrix), self.weight, self.itself, total, *pointers(self.lean), *pointers(self.cannot)[:2],
            labels, sums, added(labels, self.weight, k), square, added(labels, total, k), np.array(others), code,
            LEAST_GAIN, MOST_PASSES, seed,
        )  # fmt: skip
        return labels

    def nearness(self, rows: Ints) -> Floats:
        """The cosine of every row to each of some rows."""
        length = np.sqrt(np.where(self.itself > 0, self.itself, 1))
        return np.asarray(self.matrix @ self.matrix[rows].toarray().T) / length[:, None] / length[rows]

    def products(self, labels: Ints, k: int) -> Floats:
        """x_i · S_r of every row and cluster, without what soft constraints add."""
        return np.asarray(self.matrix @ self._sums(labels, k))

    def leaned_total(self) -> Floats:
        """x_i·S with what soft constraints add."""
        return np.asarray(self.total + np.asarray(self.lean.sum(axis=1)).ravel())

    def _sums(self, labels: Ints, k: int) -> Floats:
        """Features × clusters."""
        sums = np.zeros((self.matrix.shape[1], k))
        sum_rows(*pointers(self.matrix), labels, sums)
        return sums


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
    cannot = space.cannot
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
    cannot = space.cannot
    if not cannot.nnz:
        return 1
    order = np.argsort(-np.diff(cannot.indptr), kind="stable")
    return int(assign_allowed(np.zeros((len(space), 1)), *pointers(cannot)[:2], order)[1])


def _without_gaps(labels: Ints) -> tuple[Ints, int]:
    used, dense = np.unique(labels, return_inverse=True)
    return dense.astype(np.int64), len(used)


def pointers(matrix: sparse.csr_matrix) -> tuple[Ints, npt.NDArray[np.int32], Floats]:
    """Return arrays of the types that the kernels are compiled for."""
    return (
        matrix.indptr.astype(np.int64, copy=False),
        matrix.indices.astype(np.int32, copy=False),
        matrix.data.astype(np.float64, copy=False),
    )


def _among(pairs: sparse.csr_matrix, rows: Ints) -> sparse.csr_matrix:
    return pairs[rows][:, rows] if pairs.nnz else sparse.csr_matrix((len(rows), len(rows)))


def _symmetric(pairs: npt.NDArray[Any], weight: Floats, n: int) -> sparse.csr_matrix:
    kept = pairs[:, 0] != pairs[:, 1]
    a, b = pairs[kept].T.astype(np.int64)
    both = np.concatenate([weight[kept], weight[kept]]), (np.concatenate([a, b]), np.concatenate([b, a]))
    return sparse.csr_matrix(both, shape=(n, n))


@dataclass(frozen=True)
class ContextMatrix:
    """Rows as given (`raw`) and of unit length."""

    raw: sparse.csr_matrix
    unit: sparse.csr_matrix

    @classmethod
    def of(cls, X: Any) -> ContextMatrix:
        """Vectors, a sparse or a dense matrix."""
        if isinstance(X, Relations):
            raise errors.bad_rows("they are relations, which `crossdoc.cluster.cluster_graph` takes")
        matrix = X.matrix if isinstance(X, Vectors) else X
        raw = sparse.csr_matrix(matrix, dtype=np.float64)
        raw.sum_duplicates()
        if not np.isfinite(raw.data).all():
            raise errors.bad_rows("some numbers are not finite (NaN or infinite)")
        return cls(raw, normalize(raw) if min(raw.shape) else raw)

    def space(self, weight: Floats, constraints: Constraints) -> Space:
        """Rows of one must-link group become their weighted sum. A soft weight of −1 or less outweighs any similarity
        and so forbids."""
        group = np.unique(constraints.group, return_inverse=True)[1]
        n = int(group.max(initial=-1)) + 1
        forbids = constraints.soft_weight <= -1
        apart = group[np.concatenate([constraints.cannot, constraints.soft[forbids]])].reshape(-1, 2)
        cannot = _symmetric(apart, np.ones(len(apart)), n)
        cannot.data[:] = 1.0
        lean = _symmetric(group[constraints.soft[~forbids]].reshape(-1, 2), constraints.soft_weight[~forbids], n)
        gather = sparse.csr_matrix((weight, (group, np.arange(len(group)))), shape=(n, len(group)))
        return Space.of(gather @ self.unit, added(group, weight, n), cannot, lean)
