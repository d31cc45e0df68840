"""The factor graph of Singh et al. 2011: nodes with sparse rows, affinity ψ = cos + name terms − bias, limits.

Σψ over the pairs within entities is S, and log p = 2S up to a constant: a pair within adds ψ, a pair across −ψ. Rows
are integers (multiples of 1/scale), which the paper's are not: sums of integers are exact, so that the energy kept from
move to move is the energy, however long the chain. Nodes are mentions, mentions that must be one, or blocks of them.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from numba import njit
from scipy import sparse

from crossdoc.cluster.estimators import checked_limits, symmetric_rows
from crossdoc.cluster.sampling.entity_tables import NodeRows, row_dot
from crossdoc.model.evidence_protocol import Constraints

Found = TypeVar("Found")
IntVector = npt.NDArray[np.int64]
MOST_BITS = 15


def in_pieces(work: Callable[..., Found], n: int, threads: int, *arguments: Any) -> list[Found]:
    """work(*arguments, first, last) for as many ranges as there are threads, which together are the numbers below n.

    >>> in_pieces(lambda first, last: list(range(first, last)), 5, 2)
    [[0, 1], [2, 3, 4]]
    """
    bounds = [int(bound) for bound in np.linspace(0, n, threads + 1)]
    if threads == 1:
        return [work(*arguments, 0, n)]
    with ThreadPoolExecutor(threads) as pool:
        return [done.result() for done in [pool.submit(work, *arguments, *piece) for piece in pairwise(bounds)]]


@dataclass(frozen=True, slots=True)
class FactorGraph:
    """Nodes 0 … n−1 with integer rows; a node's size is how many mentions it is.

    `unit_value` is the affinity of one unit of a product of rows. `inner_dot` and `inner_pairs` are the sums over pairs
    of mentions inside nodes, which no move changes.
    """

    rows: NodeRows
    n_features: int
    unit_value: float
    inner_dot: int = 0
    inner_pairs: int = 0

    @property
    def n(self) -> int:
        return len(self.rows.size)

    @classmethod
    def of(
        cls,
        stored: sparse.csr_matrix,
        query: sparse.csr_matrix | None = None,
        constraints: Constraints | None = None,
        scale: float | None = None,
    ) -> FactorGraph:
        """The graph of rows whose products (query · stored, symmetric) are the affinities before the bias.

        `scale` is that of the integers where these are some of the rows (:func:`scale_for` all); left out: theirs.

        >>> graph = FactorGraph.of(sparse.csr_matrix(np.array([[1.0, 0], [0.6, 0.8], [0, 1]])))
        >>> round(graph.energy(np.array([0, 0, 1]), bias=0.1), 3)
        0.5
        """
        if scale is None:
            totals = column_totals(stored)
            scale = scale_for(totals, totals if query is None else column_totals(query))
        held = _cells(stored, scale)
        asked = held if query is None else _cells(query, scale)
        rows = _node_rows(held, asked, np.ones(stored.shape[0], dtype=np.int64))
        graph = cls(rows, stored.shape[1], 1.0 / scale**2)
        return graph if constraints is None else graph._limited(constraints)

    def _limited(self, constraints: Constraints) -> FactorGraph:
        """Contract must-links, and store cannot-links and soft ones with the rows."""
        _, group = np.unique(checked_limits(constraints, self.n).group, return_inverse=True)
        graph = self.contract(group.astype(np.int32)) if group.max(initial=-1) + 1 < self.n else self
        pairs = group[np.concatenate([constraints.cannot, constraints.soft]).astype(np.int64)]
        weight = np.concatenate([np.full(len(constraints.cannot), -np.inf), constraints.soft_weight])
        return graph.with_limits(pairs, weight)

    def with_limits(self, pairs: npt.NDArray[Any], weight: npt.NDArray[np.float64]) -> FactorGraph:
        """The graph with a weight added to the affinity of some pairs of nodes (−inf: never together)."""
        apart = pairs[:, 0] != pairs[:, 1]
        start, other, total = symmetric_rows(self.n, pairs[apart, 0], pairs[apart, 1], weight[apart])
        return replace(self, rows=self.rows._replace(limit_start=start, limit_other=other, limit_weight=total))

    def contract(self, group: npt.NDArray[np.int32]) -> FactorGraph:
        """One node for each group (numbers 0 … g−1), its row the sum of its members'."""
        order, bounds = members_of(group)
        old = self.rows
        held = _summed(old.start, old.cells, order, bounds, self.n_features)
        asked = held
        if old.query_cells is not old.cells:
            asked = _summed(old.query_start, old.query_cells, order, bounds, self.n_features)
        size = np.add.reduceat(old.size[order], bounds[:-1]) if len(order) else old.size
        rows = _node_rows(held, asked, size)
        dot = int(rows.own.sum() - old.own.sum()) // 2
        pairs = int((size**2).sum() - (old.size**2).sum()) // 2
        inner = self.inner_dot + dot, self.inner_pairs + pairs
        graph = FactorGraph(rows, self.n_features, self.unit_value, *inner)
        if not len(old.limit_other):
            return graph
        left = np.repeat(np.arange(self.n), np.diff(old.limit_start))
        once = left < old.limit_other
        pairs_of = np.stack([group[left[once]], group[old.limit_other[once]]], axis=1)
        return graph.with_limits(pairs_of, old.limit_weight[once])

    def restricted(self, nodes: IntVector) -> FactorGraph:
        """The graph of some of the nodes (ascending), with the limits between them.

        Its arrays are new ones, which numba takes for what they are: arrays of an object store cannot be written to,
        and every kernel would be compiled for those once more.
        """
        rows = self.rows
        held = taken((rows.start, rows.cells), nodes)
        asked = held if rows.query_cells is rows.cells else taken((rows.query_start, rows.query_cells), nodes)
        start, other, weight = taken((rows.limit_start, rows.limit_other, rows.limit_weight), nodes)
        at = np.minimum(np.searchsorted(nodes, other), len(nodes) - 1)
        here = nodes[at] == other
        limits = starts_among(start, here), at[here].astype(np.int32), weight[here]
        few = NodeRows._make((*held, *asked, rows.size[nodes], rows.own[nodes], *limits))
        return FactorGraph(few, self.n_features, self.unit_value)

    def sums(self, labels: npt.NDArray[Any]) -> tuple[int, int]:
        """Σ query·stored and Σ size·size over pairs of mentions within entities, exactly."""
        entities = self.contract(np.unique(labels, return_inverse=True)[1].astype(np.int32))
        return entities.inner_dot, entities.inner_pairs

    def soft_sum(self, labels: npt.NDArray[Any]) -> float:
        """Return the sum of soft limits within entities; −inf if a cannot-link is violated."""
        rows = self.rows
        left = np.repeat(np.arange(self.n), np.diff(rows.limit_start))
        return float(rows.limit_weight[labels[left] == labels[rows.limit_other]].sum() / 2)

    def energy(self, labels: npt.NDArray[Any], bias: float) -> float:
        """S = Σ ψ over pairs of mentions within entities, computed afresh."""
        return self.value(*self.sums(labels), bias) + self.soft_sum(labels)

    def value(self, dot: int, pairs: int, bias: float) -> float:
        return dot * self.unit_value - bias * pairs


def column_totals(matrix: sparse.csr_matrix) -> npt.NDArray[np.float64]:
    return np.bincount(matrix.indices, np.abs(matrix.data), matrix.shape[1]).astype(np.float64)


def scale_for(totals: npt.NDArray[np.float64], others: npt.NDArray[np.float64]) -> float:
    """The largest power of two, at most 2^15, with which no sum over any set of rows can overflow.

    The columns of the stored and the query rows add up to `totals` and `others`.
    """
    largest = max(totals.max(initial=0.0), others.max(initial=0.0), 1e-9)
    product = max(float(np.abs(totals).dot(np.abs(others))), 1e-9)
    # Half a unit of rounding in each cell is why two bits are left free.
    bits = min(MOST_BITS, int(np.floor(29 - np.log2(largest))), int(np.floor((60 - np.log2(product)) / 2)))
    return float(2.0**bits)


def _cells(matrix: sparse.csr_matrix, scale: float) -> tuple[IntVector, npt.NDArray[np.int32]]:
    """Return where each row begins, and cells of (feature + 1, integer value), without those that round to 0."""
    value = np.rint(matrix.data * scale).astype(np.int32)
    kept = value != 0
    cells = np.empty((np.count_nonzero(kept), 2), dtype=np.int32)
    np.add(matrix.indices[kept], 1, out=cells[:, 0], casting="same_kind")
    cells[:, 1] = value[kept]
    return starts_among(matrix.indptr, kept), cells


def starts_among(start: npt.NDArray[Any], kept: npt.NDArray[np.bool_]) -> IntVector:
    """Return where rows begin, once only some of their cells are kept.

    >>> starts_among(np.array([0, 2, 3]), np.array([True, False, True])).tolist()
    [0, 1, 2]
    """
    return start.astype(np.int64) - np.searchsorted(np.flatnonzero(~kept), start)


def taken(column: tuple[npt.NDArray[Any], ...], rows: IntVector) -> tuple[npt.NDArray[Any], ...]:
    """Some rows of a ragged column: where each begins, and the values.

    >>> taken((np.array([0, 2, 3]), np.array([1, 2, 3])), np.array([1]))
    (array([0, 1]), array([3]))
    """
    start, *values = column
    many = np.diff(start)[rows]
    begins = np.concatenate([[0], np.cumsum(many)]).astype(np.int64)
    cells = np.repeat(start[rows] - begins[:-1], many) + np.arange(begins[-1])
    return begins, *(each[cells] for each in values)


def _node_rows(held: tuple[Any, Any], asked: tuple[Any, Any], size: IntVector) -> NodeRows:
    """Rows without limits."""
    none = np.zeros(len(size) + 1, dtype=np.int64), np.zeros(0, dtype=np.int32), np.zeros(0)
    return NodeRows(*held, *asked, size, own_dots(*held, *asked), *none)


def members_of(group: npt.NDArray[np.int32], groups: int = 0) -> tuple[IntVector, IntVector]:
    """Nodes in the order of their groups (numbers 0 … g−1), and where each group begins and the last ends."""
    shape = 1, max(groups, int(group.max(initial=-1)) + 1)
    # A transposition sorts by counting.
    row = sparse.csr_matrix((np.arange(len(group)), group, [0, len(group)]), shape=shape).tocsc()
    return row.data, row.indptr.astype(np.int64)


def _summed(
    start: IntVector, cells: npt.NDArray[np.int32], order: IntVector, bounds: IntVector, width: int
) -> tuple[IntVector, npt.NDArray[np.int32]]:
    """The sum of the rows of each group, without features whose sum is 0."""
    rows = sparse.csr_matrix((cells[:, 1], cells[:, 0], start), shape=(len(start) - 1, width + 1))
    ones = np.ones(len(order), dtype=np.int32)
    found = sparse.csr_matrix((ones, order, bounds), shape=(len(bounds) - 1, len(order))) @ rows
    found.eliminate_zeros()
    # Two transpositions sort faster than each row by itself.
    found = found.tocsc().tocsr()
    return found.indptr.astype(np.int64), np.stack([found.indices, found.data], axis=1).astype(np.int32)


@njit(cache=True, nogil=True)
def own_dots(start, cells, query_start, query_cells):  # type: ignore[no-untyped-def]
    """Each node's query · its own stored row."""
    own = np.empty(len(start) - 1, dtype=np.int64)
    for i in range(len(own)):
        own[i] = row_dot(query_cells, query_start, cells, start, i, i)
    return own
