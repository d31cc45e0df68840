"""The linear program over the cycles found so far, in HiGHS, which keeps its basis between solves.

Variables: x for each attractive pair (cut), and y = 1 − x for those pairs that want to be apart and were met. A row
x(path) + y_uv ≥ 1 says that a path that is not cut joins its ends. Where the simplex method needs many steps for the
rows of a round, as it does in large graphs of one piece, the interior point method takes over.
"""

from __future__ import annotations

import time
from typing import Any

import highspy
import numpy as np
import numpy.typing as npt
from scipy import sparse

from crossdoc.cluster.correlation.cycle_kernels import violated_cycles
from crossdoc.cluster.correlation.graph_kernels import rows_of_pairs
from crossdoc.cluster.correlation.problem import Problem
from crossdoc.cluster.correlation.rounding import paths
from crossdoc.cluster.correlation.sparse_cycle_kernels import violated_listed
from crossdoc.model import IntArray

Cycles = tuple[npt.NDArray[np.int32], npt.NDArray[np.float64], npt.NDArray[np.int64], npt.NDArray[np.int64]]
"""Pairs that want to be apart, how much, and the edges of the path between each: as `violated_cycles` gives them."""
LARGE = 20_000
"""Rows below which the simplex method is always kept."""
MANY_STEPS = 1000, 0.5
"""Steps of the simplex method that are many: so many, and so many for each row of the round."""
PASSES = 5
"""Searches for cycles in a round where one search serves many nodes."""
NEAR = 200
"""Nodes that searches after the first pass may reach."""


class CycleProgram:
    def __init__(self, problem: Problem, simplex_only: bool = False) -> None:
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
        self.interior = False
        """Whether the interior point method has taken over."""
        self._added = 0
        self.highs = quiet_highs()
        _add_columns(self.highs, weight)

    @property
    def n_rows(self) -> int:
        return self.highs.getNumRow()

    @property
    def costs(self) -> npt.NDArray[np.float64]:
        """What each variable costs, x first."""
        return np.array(self.highs.getLp().col_cost_)

    def violated(self, clusters: IntArray, share: float, most: int, farthest: int, tolerance: float) -> Cycles:
        """Cycles violated between a clustering (share 0) and the program's optimum (share 1).

        What is violated between a feasible point and the optimum is violated at the optimum, and is found sooner:
        clusters keep the searches short, which at the optimum of few rows would run through the whole graph.
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

    def add(self, cycles: Cycles) -> None:
        """Add rows, and the variables of pairs that are met for the first time."""
        pair, apart, _, _ = cycles
        soft = np.isfinite(apart)
        key = pair[:, 0].astype(np.int64) * self.problem.n_nodes + pair[:, 1]
        new, first = np.unique(key[soft], return_index=True)
        fresh = ~np.isin(new, self._keys, assume_unique=True)
        _add_columns(self.highs, apart[soft][first[fresh]])
        self.pairs = np.concatenate([self.pairs, pair[soft][first[fresh]]])
        keys = np.concatenate([self._keys, new[fresh]])
        column = np.concatenate([self._column, len(self.x) + len(self._column) + np.arange(fresh.sum())])
        order = np.argsort(keys, kind="stable")
        self._keys, self._column = keys[order], column[order].astype(np.int32)
        add_cycle_rows(self.highs, cycles, self.columns(key[soft]))
        self._added = len(pair)

    def columns(self, keys: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
        """The variables of pairs u · n + v; their order is that in which pairs were met, not that of the keys."""
        return self._column[np.searchsorted(self._keys, keys)]

    def run(self, seconds: float) -> bool:
        """Solve; False if the time was not enough, and nothing is changed then."""
        if self.interior:
            return self._run_interior(seconds)
        # HiGHS counts the seconds of all runs.
        limit = self.highs.getRunTime() + max(seconds, 0.0) if np.isfinite(seconds) else np.inf
        self.highs.setOptionValue("time_limit", limit)
        many = MANY_STEPS[0] + int(MANY_STEPS[1] * self._added)
        if self.simplex_only or self.n_rows <= LARGE:
            many = int(np.iinfo(np.int32).max)
        self.highs.setOptionValue("simplex_iteration_limit", many)
        began = time.perf_counter()
        self.highs.run()
        status = self.highs.getModelStatus()
        if status == highspy.HighsModelStatus.kIterationLimit:
            self.interior = True
            return self._run_interior(seconds - (time.perf_counter() - began))
        if status != highspy.HighsModelStatus.kOptimal:
            return False
        values = np.array(self.highs.getSolution().col_value)
        self.x, self.y = np.clip(values[: self.n_positive], 0.0, 1.0), values[self.n_positive :]
        self.value = self.highs.getInfo().objective_function_value + self.constant
        return True

    def _run_interior(self, seconds: float) -> bool:
        program = self.highs.getLp()
        matrix = _matrix(program)
        used = np.unique(matrix.indices)
        rows, cost = matrix[:, used], np.array(program.col_cost_)[used]
        found = interior_point(rows, cost, seconds)
        if found is None:
            return False
        values = np.zeros(program.num_col_)
        values[used], price = np.clip(found[0], 0.0, 1.0), found[1]
        self.x, self.y = values[: self.n_positive], values[self.n_positive :]
        # A bound for any price ≥ 0 of the rows, so that nothing hangs on the tolerance of the method.
        left_over = np.minimum(cost - rows.T @ price, 0.0).sum()
        self.value = max(self.value, float(price.sum() + left_over) + self.constant)
        return True


def _together(found: list[Cycles]) -> Cycles:
    pair, apart, starts, edges = (list(parts) for parts in zip(*found, strict=True))
    lengths = np.concatenate([np.diff(part) for part in starts])
    row_starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return np.concatenate(pair), np.concatenate(apart), row_starts, np.concatenate(edges)


def interior_point(
    rows: sparse.csr_matrix, cost: npt.NDArray[np.float64], seconds: float
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]] | None:
    """The optimum of cost · x, rows · x ≥ 1, x ≥ 0, and the prices ≥ 0 of the rows; None if the time was not enough."""
    highs = quiet_highs()
    n, k = rows.shape
    none = np.zeros(0, dtype=np.int32)
    highs.addCols(k, cost, np.zeros(k), np.full(k, np.inf), 0, np.zeros(k, dtype=np.int32), none, np.zeros(0))
    begin, index = rows.indptr[:-1].astype(np.int32), rows.indices.astype(np.int32)
    highs.addRows(n, np.ones(n), np.full(n, np.inf), rows.nnz, begin, index, rows.data)
    highs.setOptionValue("solver", "ipm")
    highs.setOptionValue("run_crossover", "off")
    if np.isfinite(seconds):
        highs.setOptionValue("time_limit", max(seconds, 0.0))
    highs.run()
    if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    found = highs.getSolution()
    return np.array(found.col_value), np.maximum(np.array(found.row_dual), 0.0)


def _matrix(program: Any) -> sparse.csr_matrix:
    held = program.a_matrix_
    parts = np.array(held.value_), np.array(held.index_), np.array(held.start_)
    by_row = held.format_ == highspy.MatrixFormat.kRowwise
    kind = sparse.csr_matrix if by_row else sparse.csc_matrix
    return kind(parts, shape=(program.num_row_, program.num_col_)).tocsr()


def quiet_highs() -> Any:
    highs: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    highs.silent()
    return highs


def _add_columns(highs: Any, cost: npt.NDArray[np.float64]) -> None:
    n = len(cost)
    if n:
        none = np.zeros(0, dtype=np.int32)
        highs.addCols(n, cost, np.zeros(n), np.ones(n), 0, np.zeros(n, dtype=np.int32), none, np.zeros(0))


def add_cycle_rows(highs: Any, cycles: Cycles, columns: npt.NDArray[np.int32]) -> None:
    """Rows x(path) + y ≥ 1, without y where the pair is never together; `columns` are the others' y."""
    _, apart, row_starts, edges = cycles
    soft = np.isfinite(apart)
    starts = np.concatenate([[0], np.cumsum(np.diff(row_starts) + soft)])
    index = np.empty(starts[-1], dtype=np.int32)
    last = starts[1:][soft] - 1
    on_path = np.ones(len(index), dtype=bool)
    on_path[last] = False
    index[on_path] = edges
    index[last] = columns
    n = len(apart)
    highs.addRows(
        n, np.ones(n), np.full(n, np.inf), len(index), starts[:-1].astype(np.int32), index, np.ones(len(index))
    )
