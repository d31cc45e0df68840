"""The linear program over the cycles found so far, in HiGHS, which keeps its basis between solves.

Variables: x for each attractive pair (cut), and y = 1 − x for those pairs that want to be apart and were met. A row
x(path) + y_uv ≥ 1 says that a path that is not cut joins its ends.
"""

from __future__ import annotations

from typing import Any

import highspy
import numpy as np
import numpy.typing as npt

from crossdoc.cluster.correlation.cycle_kernels import violated_cycles
from crossdoc.cluster.correlation.graph_kernels import rows_of_pairs
from crossdoc.cluster.correlation.problem import Problem
from crossdoc.cluster.correlation.rounding import paths
from crossdoc.cluster.correlation.sparse_cycle_kernels import violated_listed
from crossdoc.model import IntArray

Cycles = tuple[npt.NDArray[np.int32], npt.NDArray[np.float64], npt.NDArray[np.int64], npt.NDArray[np.int64]]
"""Pairs that want to be apart, how much, and the edges of the path between each: as `violated_cycles` gives them."""


class CycleProgram:
    def __init__(self, problem: Problem) -> None:
        self.problem = problem
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
        if p.penalty == 0 and not len(p.kind):
            met = rows_of_pairs(p.n_nodes, self.pairs[:, 0], self.pairs[:, 1], share * self.y)
            return violated_listed(
                p.starts, p.neighbour, p.weight, *self.paths, x, *met, clusters, 1.0 - share, most, farthest, tolerance
            )
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

    def columns(self, keys: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
        """The variables of pairs u · n + v; their order is that in which pairs were met, not that of the keys."""
        return self._column[np.searchsorted(self._keys, keys)]

    def run(self, seconds: float) -> bool:
        """Solve; False if the time was not enough, and nothing is changed then."""
        # HiGHS counts the seconds of all runs.
        limit = self.highs.getRunTime() + max(seconds, 0.0) if np.isfinite(seconds) else np.inf
        self.highs.setOptionValue("time_limit", limit)
        self.highs.run()
        if self.highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return False
        values = np.array(self.highs.getSolution().col_value)
        self.x, self.y = np.clip(values[: self.n_positive], 0.0, 1.0), values[self.n_positive :]
        self.value = self.highs.getInfo().objective_function_value + self.constant
        return True


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
