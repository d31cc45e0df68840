"""What a user gives to cluster (vectors, matrices, relations), checked, as a matrix that the spaces take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.preprocessing import normalize

from crossdoc import errors
from crossdoc.cluster.contexts.spaces import Floats, Ints, Limits, SimilaritySpace, Space, VectorSpace, added
from crossdoc.cluster.inputs import checked_matrix
from crossdoc.model import Relations, Vectors


@dataclass(frozen=True)
class Given:
    """Rows as given (`raw`) and of unit length, or similarities as far as they are above `offset`."""

    raw: sparse.csr_matrix
    matrix: sparse.csr_matrix
    vectors: bool
    offset: float = 0.0

    def space(self, group: Ints, weight: Floats, limits: Limits) -> Space:
        """Rows of one group become their weighted sum."""
        n, groups = len(group), limits.cannot.shape[0]
        sizes = added(group, weight, groups)
        gather = sparse.csr_matrix((weight, (group, np.arange(n))), shape=(groups, n))
        if self.vectors:
            return VectorSpace.of(gather @ self.matrix, sizes, limits)
        return SimilaritySpace.of(gather @ self.matrix @ gather.T, self.offset, sizes, limits)


def given_rows(X: Any) -> Given:
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
    return Given(raw, normalize(raw) if min(raw.shape) else raw, True)


def given_similarities(X: Any) -> Given:
    """Relations, or a square matrix."""
    if isinstance(X, Vectors):
        raise errors.bad_similarities("they are vectors; use space='vector'")
    if isinstance(X, Relations):
        pairs, n, offset = X.checked(), X.n, float(X.default_strength)
        above = pairs.strength.astype(np.float64) - offset
        where = np.concatenate([pairs.left, pairs.right]), np.concatenate([pairs.right, pairs.left])
        matrix = sparse.csr_matrix((np.concatenate([above, above]), where), shape=(n, n))
        matrix = sparse.csr_matrix(matrix + (1 - offset) * sparse.identity(n))
        return Given(matrix, matrix, False, offset)
    matrix = sparse.csr_matrix(checked_matrix(X.toarray() if sparse.issparse(X) else X), dtype=np.float64)
    return Given(matrix, matrix, False)
