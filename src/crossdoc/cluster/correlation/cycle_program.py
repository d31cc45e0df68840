"""The linear program over the cycles found so far.

Variables: x for each attractive pair (cut), and y = 1 − x for those pairs that want to be apart and were met. A row
x(path) + y_uv ≥ 1 says that a path that is not cut joins its ends. HiGHS solves it and keeps its basis between solves;
a first-order method takes over where the rows are many.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crossdoc import errors
from crossdoc.cluster.correlation._cycle_kernels import violated_cycles
from crossdoc.cluster.correlation._graph_kernels import rows_of_pairs
from crossdoc.cluster.correlation._sparse_cycle_kernels import violated_listed
from crossdoc.cluster.correlation.first_order import FirstOrderMethod
from crossdoc.cluster.correlation.problem import CorrelationProblem
from crossdoc.cluster.correlation.rounding import paths
from crossdoc.model import IntArray

Cycles = tuple[npt.NDArray[np.int32], npt.NDArray[np.float64], npt.NDArray[np.int64], npt.NDArray[np.int64]]
"""Pairs that want to be apart, how much, and the edges of the path between each: as `violated_cycles` gives them."""
SIMPLEX_ROWS = 20_000
"""Rows up to which the simplex method is kept."""
PASSES = 3
"""Searches for cycles in a round where one search serves many nodes."""
NEAR = 200
"""Nodes that searches after the first pass may reach."""


class CycleProgram:
    def __init__(self, problem: CorrelationProblem, simplex_only: bool = False) -> None:
        self.problem = problem
        self.simplex_only = simplex_only
        """Reduced costs, by which branch and bound fixes variables, are those of the simplex method."""
        self.paths = paths(problem)
        weight = problem.positive[2]
        self.constant = float(problem.offset - weight.sum())
        """The cost if every attractive pair were joined and every other apart."""
        self.n_positive = len(weight)
        self.x = np.zeros(self.n_positive)
        self.y = np.zeros(0)
        self.value = self.constant
        """The optimum over the rows so far: no clustering costs less."""
        self.pairs = np.zeros((0, 2), dtype=np.int32)
        self._keys = np.zeros(0, dtype=np.int64)
        self._column = np.zeros(0, dtype=np.int32)
        self.listed = problem.penalty == 0 and not len(problem.kind)
        """Whether only listed pairs want to be apart."""
        self.costs = weight
        """Cost of each variable, x first."""
        self.rows = sparse.csr_matrix((0, self.n_positive), dtype=np.int8)
        self.first_order: FirstOrderMethod | None = None
        """The method that has taken over from the simplex method, if it has."""
        self._price: list[float] = []
        self.highs = quiet_highs()
        _add_columns(self.highs, weight)

    def violated(self, clusters: IntArray, share: float, most: int, farthest: int, tolerance: float) -> Cycles:
        """Cycles violated between a clustering (share 0) and the program's optimum (share 1).

        A cycle that is violated between a feasible point and the optimum is violated at the optimum, and is found
        sooner: clusters keep the searches short, which at the optimum of few rows would visit all nodes.
        """
        p = self.problem
        left, right, _ = p.positive
        x = share * self.x + (1 - share) * (clusters[left] != clusters[right])
        if self.listed:
            met = rows_of_pairs(p.n_nodes, self.pairs[:, 0], self.pairs[:, 1], share * self.y)
            found: list[Cycles] = []
            while len(found) < PASSES and (not found or len(found[-1][0])):
                # A pass makes x longer where it finds a cycle, so that the next finds others; fewer ways are free then.
                limits = clusters, 1.0 - share, most, min(farthest, NEAR) if found else farthest, tolerance
                found.append(violated_listed(p.starts, p.neighbour, p.weight, *self.paths, x, *met, *limits))
            return _together(found)
        order = np.argsort(self.pairs[:, 0], kind="stable")
        begin = np.concatenate([[0], np.cumsum(np.bincount(self.pairs[:, 0], minlength=p.n_nodes))]).astype(np.int64)
        return violated_cycles(
            p.starts, p.neighbour, p.weight, p.size, p.penalty, p.kind_starts, p.kind, p.n_kinds, *self.paths, x,
            begin, self.pairs[order, 1], share * self.y[order], clusters, 1.0 - share, most, farthest, tolerance,
        )  # fmt: skip

    @property
    def n_rows(self) -> int:
        return int(self.rows.shape[0])

    def add(self, cycles: Cycles) -> None:
        """Add rows, and the variables of pairs that are met for the first time."""
        pair, apart, _, _ = cycles
        soft = np.isfinite(apart)
        key = pair[:, 0].astype(np.int64) * self.problem.n_nodes + pair[:, 1]
        new, first = np.unique(key[soft], return_index=True)
        fresh = ~np.isin(new, self._keys, assume_unique=True)
        costs = apart[soft][first[fresh]]
        self.costs = np.concatenate([self.costs, costs])
        self.pairs = np.concatenate([self.pairs, pair[soft][first[fresh]]])
        keys = np.concatenate([self._keys, new[fresh]])
        column = np.concatenate([self._column, len(self.x) + len(self._column) + np.arange(fresh.sum())])
        order = np.argsort(keys, kind="stable")
        self._keys, self._column = keys[order], column[order].astype(np.int32)
        starts, index = _rows(cycles, self._column[np.searchsorted(self._keys, key[soft])])
        self.rows = sparse.csr_matrix(
            (
                np.ones(self.rows.nnz + len(index), dtype=np.int8),
                np.concatenate([self.rows.indices, index]),
                np.concatenate([self.rows.indptr, self.rows.nnz + starts[1:]]),
            ),
            shape=(self.n_rows + len(pair), len(self.costs)),
        )
        if not self.first_order and not self.simplex_only and self.n_rows > SIMPLEX_ROWS:
            self.first_order = FirstOrderMethod(np.concatenate([self.x, self.y]), np.array(self._price))
            self.highs.clear()
        if not self.first_order:
            _add_columns(self.highs, costs)
            n, ones = len(pair), np.ones(len(index))
            self.highs.addRows(n, np.ones(n), np.full(n, np.inf), len(index), starts[:-1], index, ones)

    def run(self, seconds: float) -> bool:
        """Solve; False if the time was not enough, and nothing is changed then."""
        if self.first_order:
            self.first_order.solve(self.rows, self.costs, seconds)
            self.x, self.y = np.split(self.first_order.x, [self.n_positive])
            self.value = max(self.value, self.first_order.lower + self.constant)
            return True
        # HiGHS counts the seconds of all runs.
        limit = self.highs.getRunTime() + max(seconds, 0.0) if np.isfinite(seconds) else np.inf
        self.highs.setOptionValue("time_limit", limit)
        self.highs.run()
        if not is_optimal(self.highs):
            return False
        found = self.highs.getSolution()
        values = np.array(found.col_value)
        self.x, self.y = np.clip(values[: self.n_positive], 0.0, 1.0), values[self.n_positive :]
        self._price = found.row_dual
        self.value = self.highs.getInfo().objective_function_value + self.constant
        return True


def _together(found: list[Cycles]) -> Cycles:
    pair, apart, starts, edges = (list(parts) for parts in zip(*found, strict=True))
    lengths = np.concatenate([np.diff(part) for part in starts])
    row_starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return np.concatenate(pair), np.concatenate(apart), row_starts, np.concatenate(edges)


def quiet_highs() -> Any:
    """Return a solver that prints nothing."""
    try:
        import highspy
    except ImportError as error:
        raise errors.needs_extra("A solver that proves its answer (all but `moves`)", "highspy", "exact") from error
    highs: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    highs.silent()
    return highs


def _add_columns(highs: Any, cost: npt.NDArray[np.float64]) -> None:
    n = len(cost)
    if n:
        none = np.zeros(0, dtype=np.int32)
        highs.addCols(n, cost, np.zeros(n), np.ones(n), 0, np.zeros(n, dtype=np.int32), none, np.zeros(0))


def _rows(cycles: Cycles, columns: npt.NDArray[np.int32]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Rows x(path) + y ≥ 1, without y where the pair is never together; `columns` are the others' y."""
    _, apart, row_starts, edges = cycles
    soft = np.isfinite(apart)
    starts = np.concatenate([[0], np.cumsum(np.diff(row_starts) + soft)]).astype(np.int32)
    index = np.empty(starts[-1], dtype=np.int32)
    last = starts[1:][soft] - 1
    on_path = np.ones(len(index), dtype=bool)
    on_path[last] = False
    index[on_path] = edges
    index[last] = columns
    return starts, index


def is_optimal(highs: Any) -> bool:
    """Return whether the last run of a solver found the optimum."""
    import highspy

    return bool(highs.getModelStatus() == highspy.HighsModelStatus.kOptimal)
