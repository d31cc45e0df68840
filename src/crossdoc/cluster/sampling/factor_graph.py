"""The factor graph of Singh et al. 2011: nodes with sparse rows, affinity ψ = cos + name terms − bias, limits.

Σψ over the pairs within entities is S, and log p = 2S up to a constant: a pair within adds ψ, a pair across −ψ. Rows
are integers (multiples of 1/scale), which the paper's are not: sums of integers are exact, so that the energy kept from
move to move is the energy, however long the chain. Nodes are mentions, mentions that must be one, or blocks of them.

Kernels that look at a range of nodes, on several threads.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from numba import njit
from scipy import sparse

from crossdoc import errors
from crossdoc.cluster.estimators import checked_weights
from crossdoc.cluster.sampling.entity_tables import NodeRows, entities_of, entity_dot
from crossdoc.model.evidence_protocol import Constraints

Found = TypeVar("Found")


def in_pieces(work: Callable[[int, int], Found], n: int, threads: int) -> list[Found]:
    """work(first, last) for as many ranges as there are threads, which together are the numbers below n.

    >>> in_pieces(lambda first, last: list(range(first, last)), 5, 2)
    [[0, 1], [2, 3, 4]]
    """
    bounds = [int(bound) for bound in np.linspace(0, n, threads + 1)]
    if threads == 1:
        return [work(0, n)]
    with ThreadPoolExecutor(threads) as pool:
        return [done.result() for done in [pool.submit(work, *piece) for piece in pairwise(bounds)]]


MOST_BITS = 15
WEIGHT_UNIT = 2.0**-10
"""Row weights that are not integers are rounded to multiples of this."""

IntVector = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class FactorGraph:
    """Nodes 0 … n−1 with integer rows.

    `unit_value` is the affinity of one unit of a product of rows, `size_unit` the size of one unit; `inner_dot` and
    `inner_pairs` are the sums over pairs of mentions inside nodes, which no move changes.
    """

    rows: NodeRows
    n_features: int
    unit_value: float
    size_unit: float = 1.0
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
        weights: npt.NDArray[Any] | None = None,
        scale: float | None = None,
    ) -> FactorGraph:
        """The graph of rows whose products (query · stored, symmetric) are the affinities before the bias.

        `scale` is that of the integers where these are some of the rows (:func:`scale_for` all); left out: theirs.

        >>> graph = FactorGraph.of(sparse.csr_matrix(np.array([[1.0, 0], [0.6, 0.8], [0, 1]])))
        >>> round(graph.energy(np.array([0, 0, 1]), bias=0.1), 3)
        0.5
        """
        n = stored.shape[0]
        sizes, size_unit = _sizes(weights, n)
        weight = np.asarray(sizes * size_unit, dtype=np.float64)
        scale = _scale(stored, query, weight) if scale is None else scale
        start, cells = _cells(stored, scale, weight)
        if query is None:
            query_start, query_cells = start, cells
        else:
            query_start, query_cells = _cells(query, scale, weight)
        none = np.zeros(n + 1, dtype=np.int64), np.zeros(0, dtype=np.int32), np.zeros(0)
        rows = NodeRows(start, cells, query_start, query_cells, sizes, np.zeros(n, dtype=np.int64), *none)
        rows = rows._replace(own=own_dots(rows))
        graph = cls(rows, stored.shape[1], 1.0 / scale**2, size_unit)
        return graph if constraints is None else graph._limited(constraints)

    def _limited(self, constraints: Constraints) -> FactorGraph:
        """Contract must-links, and store cannot-links and soft ones with the rows."""
        if constraints.n != self.n:
            raise errors.constraints_of_other_rows(constraints.n, self.n)
        _, group = np.unique(constraints.group, return_inverse=True)
        graph = self.contract(group.astype(np.int32)) if group.max(initial=-1) + 1 < self.n else self
        pairs = group[np.concatenate([constraints.cannot, constraints.soft]).astype(np.int64)]
        weight = np.concatenate([np.full(len(constraints.cannot), -np.inf), constraints.soft_weight])
        return graph.with_limits(pairs, weight)

    def with_limits(self, pairs: npt.NDArray[Any], weight: npt.NDArray[np.float64]) -> FactorGraph:
        """The graph with a weight added to the affinity of some pairs of nodes (−inf: never together)."""
        apart = pairs[:, 0] != pairs[:, 1]
        both = np.concatenate([pairs[apart], pairs[apart][:, ::-1]]).astype(np.int64)
        key, where = np.unique(both[:, 0] * self.n + both[:, 1], return_inverse=True)
        total = np.zeros(len(key))
        np.add.at(total, where, np.concatenate([weight[apart]] * 2))
        start = np.searchsorted(key // max(self.n, 1), np.arange(self.n + 1)).astype(np.int64)
        other = (key % max(self.n, 1)).astype(np.int32)
        rows = self.rows._replace(limit_start=start, limit_other=other, limit_weight=total)
        return FactorGraph(rows, self.n_features, self.unit_value, self.size_unit, self.inner_dot, self.inner_pairs)

    def contract(self, group: npt.NDArray[np.int32], threads: int = 1) -> FactorGraph:
        """One node for each group (numbers 0 … g−1), its row the sum of its members'."""
        order, bounds = members_of(group)
        groups = len(bounds) - 1
        old = self.rows
        start, cells = _summed(old.start, old.cells, order, bounds, self.n_features, threads)
        if old.query_cells is old.cells:
            query_start, query_cells = start, cells
        else:
            query_start, query_cells = _summed(
                old.query_start, old.query_cells, order, bounds, self.n_features, threads
            )
        size = np.add.reduceat(old.size[order], bounds[:-1]) if groups else old.size
        none = np.zeros(groups + 1, dtype=np.int64), np.zeros(0, dtype=np.int32), np.zeros(0)
        rows = NodeRows(start, cells, query_start, query_cells, size, np.zeros(groups, dtype=np.int64), *none)
        rows = rows._replace(own=own_dots(rows))
        dot = (_exact_sum(rows.own) - _exact_sum(old.own)) // 2
        pairs = (_exact_squares(size) - _exact_squares(old.size)) // 2
        inner = self.inner_dot + dot, self.inner_pairs + pairs
        graph = FactorGraph(rows, self.n_features, self.unit_value, self.size_unit, *inner)
        if not len(old.limit_other):
            return graph
        left = np.repeat(np.arange(self.n), np.diff(old.limit_start))
        once = left < old.limit_other
        pairs_of = np.stack([group[left[once]], group[old.limit_other[once]]], axis=1)
        return graph.with_limits(pairs_of, old.limit_weight[once])

    def sums(self, labels: npt.NDArray[Any]) -> tuple[int, int]:
        """Σ query·stored and Σ size·size over pairs of mentions within entities, exactly."""
        numbers = np.unique(labels, return_inverse=True)[1].astype(np.int32) if len(labels) else labels
        per_entity = _dots_within(self.rows, numbers)
        masses = np.bincount(numbers, weights=self.rows.size).astype(np.int64) if len(labels) else self.rows.size
        dot = (_exact_sum(per_entity) - _exact_sum(self.rows.own)) // 2
        pairs = (_exact_squares(masses) - _exact_squares(self.rows.size)) // 2
        return dot + self.inner_dot, pairs + self.inner_pairs

    def soft_sum(self, labels: npt.NDArray[Any]) -> float:
        """Return the sum of soft limits within entities; −inf if a cannot-link is violated."""
        rows = self.rows
        left = np.repeat(np.arange(self.n), np.diff(rows.limit_start))
        return float(rows.limit_weight[labels[left] == labels[rows.limit_other]].sum() / 2)

    def energy(self, labels: npt.NDArray[Any], bias: float) -> float:
        """S = Σ ψ over pairs of mentions within entities, computed afresh."""
        return self.value(*self.sums(labels), bias) + self.soft_sum(labels)

    def value(self, dot: int, pairs: int, bias: float) -> float:
        return dot * self.unit_value - bias * pairs * self.size_unit**2

    @property
    def scaled_bias(self) -> float:
        """Factor of the bias for kernels, which count sizes in units."""
        return self.size_unit**2


def _sizes(weights: npt.NDArray[Any] | None, n: int) -> tuple[IntVector, float]:
    if weights is None:
        return np.ones(n, dtype=np.int64), 1.0
    given = checked_weights(weights, n)
    size_unit = 1.0 if (given == np.round(given)).all() else WEIGHT_UNIT
    return np.maximum(np.round(given / size_unit), 1).astype(np.int64), size_unit


def _scale(stored: sparse.csr_matrix, query: sparse.csr_matrix | None, weight: npt.NDArray[np.float64]) -> float:
    """The largest power of two, at most 2^15, with which no sum over any set of rows can overflow."""
    totals = column_totals(stored.indptr, stored.indices, stored.data, weight, stored.shape[1])
    others = totals
    if query is not None:
        others = column_totals(query.indptr, query.indices, query.data, weight, query.shape[1])
    return scale_for(totals, others)


def scale_for(totals: npt.NDArray[np.float64], others: npt.NDArray[np.float64]) -> float:
    """The scale for stored and query rows whose columns add up to these."""
    largest = max(totals.max(initial=0.0), others.max(initial=0.0), 1e-9)
    product = max(float(np.abs(totals).dot(np.abs(others))), 1e-9)
    # Half a unit of rounding in each cell is why two bits are left free.
    bits = min(MOST_BITS, int(np.floor(29 - np.log2(largest))), int(np.floor((60 - np.log2(product)) / 2)))
    return float(2.0**bits)


def _cells(
    matrix: sparse.csr_matrix, scale: float, weight: npt.NDArray[np.float64]
) -> tuple[IntVector, npt.NDArray[np.int32]]:
    # numpy asks for huge pages, numba does not: rows are read at random.
    cells = np.empty((matrix.nnz, 2), dtype=np.int32)
    indptr, indices = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32, copy=False)
    start = quantise(indptr, indices, matrix.data, weight, scale, cells)
    return start, cells[: start[-1]]


def members_of(group: npt.NDArray[np.int32]) -> tuple[IntVector, IntVector]:
    """Nodes in the order of their groups (numbers 0 … g−1), and where each group begins and the last ends."""
    bounds = np.concatenate([[0], np.cumsum(np.bincount(group))]).astype(np.int64)
    return in_order(group, bounds), bounds


def _summed(
    start: IntVector, cells: npt.NDArray[np.int32], order: IntVector, bounds: IntVector, width: int, threads: int
) -> tuple[IntVector, npt.NDArray[np.int32]]:
    """The sum of the rows of each group; a thread leaves its sums where the first row of its groups would begin."""
    out = np.empty((len(cells), 2), dtype=np.int32)
    room = np.concatenate([[0], np.cumsum(np.diff(start)[order])])

    def some(first: int, last: int) -> IntVector:
        return sum_rows(start, cells, order, bounds[first : last + 1], width, out[room[bounds[first]] :])

    ends, at, first = [np.zeros(1, dtype=np.int64)], 0, 0
    for piece in in_pieces(some, len(bounds) - 1, threads):
        begins, many = room[bounds[first]], piece[-1]
        out[at : at + many] = out[begins : begins + many]
        ends.append(piece[1:] + at)
        at, first = at + many, first + len(piece) - 1
    return np.concatenate(ends), out[:at]


def _exact_sum(numbers: IntVector) -> int:
    """A sum that may exceed 64 bits."""
    high, low = numbers >> np.int64(32), numbers & np.int64(0xFFFFFFFF)
    return (int(high.sum()) << 32) + int(low.sum())


def _exact_squares(numbers: IntVector) -> int:
    values, counts = np.unique(numbers, return_counts=True)
    return sum(int(v) * int(v) * int(c) for v, c in zip(values, counts, strict=True))


def _dots_within(rows: NodeRows, numbers: npt.NDArray[np.int32]) -> IntVector:
    return dots_within(rows, entities_of(rows, np.arange(len(numbers), dtype=np.int32), numbers), numbers)


@njit(cache=True, nogil=True)
def column_totals(indptr, indices, data, weight, width):  # type: ignore[no-untyped-def]
    totals = np.zeros(width)
    for i in range(len(indptr) - 1):
        for c in range(indptr[i], indptr[i + 1]):
            totals[indices[c]] += abs(data[c]) * weight[i]
    return totals


@njit(cache=True, nogil=True)
def quantise(indptr, indices, data, weight, scale, cells):  # type: ignore[no-untyped-def]
    """Fill rows of interleaved integers, and give where each begins; what rounds to nothing is left out."""
    n = len(indptr) - 1
    start = np.zeros(n + 1, dtype=np.int64)
    at = 0
    for i in range(n):
        for c in range(indptr[i], indptr[i + 1]):
            value = np.int32(np.rint(data[c] * weight[i] * scale))
            if value != 0:
                cells[at, 0] = indices[c] + 1
                cells[at, 1] = value
                at += 1
        start[i + 1] = at
    return start


@njit(cache=True, nogil=True)
def own_dots(rows):  # type: ignore[no-untyped-def]
    """Each node's query · its own stored row."""
    n = len(rows.size)
    own = np.zeros(n, dtype=np.int64)
    widest = 1
    for i in range(n):
        for c in range(rows.start[i], rows.start[i + 1]):
            widest = max(widest, rows.cells[c, 0] + 1)
    dense = np.zeros(widest, dtype=np.int64)
    for i in range(n):
        for c in range(rows.start[i], rows.start[i + 1]):
            dense[rows.cells[c, 0]] = rows.cells[c, 1]
        for c in range(rows.query_start[i], rows.query_start[i + 1]):
            if rows.query_cells[c, 0] < widest:
                own[i] += dense[rows.query_cells[c, 0]] * rows.query_cells[c, 1]
        for c in range(rows.start[i], rows.start[i + 1]):
            dense[rows.cells[c, 0]] = 0
    return own


@njit(cache=True, nogil=True)
def in_order(group, bounds):  # type: ignore[no-untyped-def]
    order = np.empty(len(group), dtype=np.int64)
    at = bounds[:-1].copy()
    for i in range(len(group)):
        order[at[group[i]]] = i
        at[group[i]] += 1
    return order


@njit(cache=True, nogil=True)
def sum_rows(start, cells, order, bounds, width, out):  # type: ignore[no-untyped-def]
    """The sum of the rows order[bounds[g]:bounds[g + 1]] of each group, sorted."""
    groups = len(bounds) - 1
    out_start = np.zeros(groups + 1, dtype=np.int64)
    dense = np.zeros(width + 1, dtype=np.int32)
    seen = np.full(width + 1, -1, dtype=np.int32)
    touched = np.empty(width + 1, dtype=np.int32)
    at = 0
    for g in range(groups):
        many = 0
        for k in range(bounds[g], bounds[g + 1]):
            for c in range(start[order[k]], start[order[k] + 1]):
                key = cells[c, 0]
                if seen[key] != g:
                    seen[key] = g
                    dense[key] = 0
                    touched[many] = key
                    many += 1
                dense[key] += cells[c, 1]
        touched[:many] = np.sort(touched[:many])
        for t in range(many):
            if dense[touched[t]] != 0:
                out[at, 0] = touched[t]
                out[at, 1] = dense[touched[t]]
                at += 1
        out_start[g + 1] = at
    return out_start


@njit(cache=True, nogil=True)
def dots_within(rows, entities, numbers):  # type: ignore[no-untyped-def]
    """Return for each node the dot with the sum of its entity, itself included."""
    record, table = entities.record, entities.arena
    query, query_start, cells, start = rows.query_cells, rows.query_start, rows.cells, rows.start
    dots = np.empty(len(numbers), dtype=np.int64)
    for i in range(len(numbers)):
        dots[i] = entity_dot(query, query_start, cells, start, record, table, np.int64(i), np.int64(numbers[i]))
    return dots
