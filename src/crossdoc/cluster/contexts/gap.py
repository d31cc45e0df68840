"""Reference data for the adapted Gap statistic (Pedersen & Kulkarni 2006, section 5): what would come of rows that
have nothing to do with each other but keep the observed marginals.

Counts are shuffled one by one, which keeps every row's and every column's sum exactly. Other numbers are dealt
out as they are and then scaled until the sums are right (Deming & Stephan 1940); where some are negative, as after a
singular value decomposition, each column is shuffled by itself, which keeps the columns' sums and the rows' on average.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np
from scipy import sparse

from crossdoc.cluster.contexts.partitioning import Method, Search, clusterings
from crossdoc.cluster.contexts.spaces import ContextLimits, ContextMatrix, Floats, given_rows, given_similarities
from crossdoc.model.evidence_protocol import Constraints

MOST_SCALINGS = 50
CLOSE_ENOUGH = 1e-6


def reference_values(
    given: ContextMatrix, weight: Floats, method: Method, search: Search, first: int, count: int, references: int
) -> Floats:
    """The criterion's values for k = first, … on each of some reference data sets, clustered as the data itself.

    References know nothing of constraints. If one has fewer rows than clusters, its last value is repeated.
    """
    values = np.empty((references, count))
    for number in range(references):
        rng = np.random.default_rng([search.seed, 1, number])
        drawn = given_rows(reference_rows(given.raw, rng)) if given.vectors else None
        if drawn is None:
            drawn = given_similarities(reference_similarities(given.raw.toarray() + given.offset, rng))
        n = len(weight)
        space = drawn.space(np.arange(n), weight, ContextLimits.of(Constraints.none(n), np.arange(n), n))
        filled = np.flatnonzero(space.itself > 0)
        curve = [each.value for each in islice(clusterings(space.subset(filled), method, search, first), count)]
        values[number] = [*curve, *[curve[-1]] * (count - len(curve))]
    return values


def reference_rows(matrix: sparse.csr_matrix, rng: np.random.Generator) -> sparse.csr_matrix:
    """Random rows with the row and column sums of the given ones.

    >>> counts = sparse.csr_matrix(np.array([[2, 1, 0], [0, 1, 3]]))
    >>> drawn = reference_rows(counts, np.random.default_rng(0))
    >>> drawn.sum(axis=0).tolist(), drawn.sum(axis=1).tolist()
    ([[2.0, 2.0, 3.0]], [[3.0], [4.0]])
    """
    given = sparse.csr_matrix(matrix, dtype=np.float64).tocoo()
    if not given.nnz:
        return given.tocsr()
    if (given.data < 0).any():
        return sparse.csr_matrix(rng.permuted(given.toarray(), axis=0))
    if (given.data == np.round(given.data)).all():
        times = given.data.astype(np.int64)
        rows, columns = np.repeat(given.row, times), np.repeat(given.col, times)
        return sparse.csr_matrix((np.ones(len(rows)), (rows, rng.permutation(columns))), shape=given.shape)
    order = rng.permutation(given.nnz)
    dealt = sparse.csr_matrix((given.data[order], (given.row, given.col[order])), shape=given.shape)
    return _scaled(dealt, _sums(given, 1), _sums(given, 0))


def reference_similarities(matrix: Floats, rng: np.random.Generator) -> Floats:
    """Random similarities, symmetric and with the diagonal and the row sums of the given ones.

    If some are negative, the pairs are only shuffled, since no scaling would keep their signs and reach the sums.
    """
    left, right = np.triu_indices(len(matrix), k=1)
    dealt = np.zeros_like(matrix)
    dealt[left, right] = rng.permutation(matrix[left, right])
    dealt += dealt.T
    wanted = matrix.sum(axis=1) - np.diag(matrix)
    if len(left) and matrix[left, right].min() >= 0:
        for _ in range(MOST_SCALINGS):
            factor = np.sqrt(_quotient(wanted, dealt.sum(axis=1)))
            dealt *= factor[:, None] * factor
            if np.abs(factor - 1).max() < CLOSE_ENOUGH:
                break
    np.fill_diagonal(dealt, np.diag(matrix))
    return dealt


def _scaled(matrix: sparse.csr_matrix, rows: Floats, columns: Floats) -> sparse.csr_matrix:
    for _ in range(MOST_SCALINGS):
        by_row = _quotient(rows, _sums(matrix, 1))
        matrix = sparse.diags(by_row) @ matrix
        by_column = _quotient(columns, _sums(matrix, 0))
        matrix = matrix @ sparse.diags(by_column)
        if np.abs(by_row - 1).max() < CLOSE_ENOUGH:
            break
    return sparse.csr_matrix(matrix)


def _sums(matrix: Any, axis: int) -> Floats:
    return np.asarray(matrix.sum(axis=axis), dtype=np.float64).ravel()


def _quotient(above: Floats, below: Floats) -> Floats:
    return np.divide(above, below, out=np.ones(len(above)), where=below > 0)
