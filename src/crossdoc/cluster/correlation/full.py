"""The paper's linear program with all its rows at once (Van Gael & Zhu 2007, equation 2), as the baseline that it is.

One variable for every pair of nodes, three rows for every triangle: n = 200 has 3.9 million rows and takes 4 GB.
"""

from __future__ import annotations

import time
from typing import Any

import highspy
import numpy as np
import numpy.typing as npt

from crossdoc import errors
from crossdoc.cluster.correlation import moves
from crossdoc.cluster.correlation._triangle_kernels import triangle_rows
from crossdoc.cluster.correlation.bounds import packing_bound
from crossdoc.cluster.correlation.cycle_program import quiet_highs
from crossdoc.cluster.correlation.objective import Solution
from crossdoc.cluster.correlation.problem import Problem
from crossdoc.cluster.correlation.rounding import Rounding, rounded

MOST_ROWS = 10_000_000
"""About 1 kB a row while the program is solved."""


class PairProgram:
    """The program over all pairs: x in [0, 1], 1 for pairs that are never together."""

    def __init__(self, problem: Problem) -> None:
        n = self.n = problem.n_nodes
        self.n_rows = n * (n - 1) * (n - 2) // 2
        first, second = np.triu_indices(n, 1)
        weight = -problem.penalty * problem.size[first] * problem.size[second]
        row = np.repeat(np.arange(n), np.diff(problem.starts))
        once = row < problem.neighbour
        listed = self.number(row[once], problem.neighbour[once])
        weight[listed] += problem.weight[once]
        apart = np.isneginf(weight) | _share_a_kind(problem, first, second)
        weight[apart] = 0.0
        self.constant = problem.offset - float(weight.sum())
        self.x = np.zeros(len(weight))
        self.highs = quiet_highs()
        none = np.zeros(0, dtype=np.int32)
        self.highs.addCols(
            len(weight), weight, apart.astype(np.float64), np.ones(len(weight)), 0, np.zeros(len(weight), np.int32),
            none, np.zeros(0),
        )  # fmt: skip

    def number(self, low: npt.NDArray[Any], high: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """The number of a pair's variable."""
        low = low.astype(np.int64)
        return low * self.n - low * (low + 1) // 2 - low - 1 + high

    def add(self, first: int, count: int) -> None:
        """Add triangle rows by their numbers."""
        if not count:
            return
        rows = triangle_rows(self.n, first, count)
        value = np.tile([1.0, 1.0, -1.0], count)
        starts = np.arange(0, 3 * count, 3, dtype=np.int32)
        self.highs.addRows(count, np.zeros(count), np.full(count, np.inf), 3 * count, starts, rows.ravel(), value)

    def drop_inactive(self, tolerance: float) -> None:
        """Take out the rows that are not active; HiGHS has no values then until it runs, so that x is kept here."""
        slack = np.flatnonzero(np.array(self.highs.getSolution().row_value) > tolerance)
        if len(slack):
            self.highs.deleteRows(len(slack), slack.astype(np.int32))

    def run(self, seconds: float | None = None) -> float | None:
        """The cost of the optimum, x being set; None if the time was not enough."""
        if seconds is not None:
            # HiGHS counts the seconds of all runs.
            self.highs.setOptionValue("time_limit", self.highs.getRunTime() + max(seconds, 0.0))
        if not len(self.x):
            return self.constant
        self.highs.run()
        if self.highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return None
        self.x = np.clip(self.highs.getSolution().col_value, 0.0, 1.0)
        return float(self.highs.getInfo().objective_function_value + self.constant)


def _share_a_kind(
    problem: Problem, first: npt.NDArray[np.int64], second: npt.NDArray[np.int64]
) -> npt.NDArray[np.bool_]:
    has_kind = np.zeros((problem.n_nodes, problem.n_kinds), dtype=np.int32)
    has_kind[np.repeat(np.arange(problem.n_nodes), np.diff(problem.kind_starts)), problem.kind] = 1
    return ((has_kind @ has_kind.T) > 0)[first, second]


def solve(
    problem: Problem,
    *,
    rounding: Rounding = "region",
    restarts: int | None = None,
    seed: int = 0,
    time_limit: float | None = None,
    polish: bool = True,
) -> Solution:
    """The program with all rows, rounded; local moves follow unless `polish` is False.

    If `time_limit` seconds are not enough, nothing is known of the optimum, and the bound is that of packed cycles.
    """
    began = time.perf_counter()
    program = PairProgram(problem)
    if program.n_rows > MOST_ROWS:
        raise errors.too_many_triangles("full", program.n_rows, MOST_ROWS)
    program.add(0, program.n_rows)
    value = program.run(time_limit)
    note = f"the full linear program of {len(program.x):,} pairs and {program.n_rows:,} rows"
    return finished(problem, program, value, note, began, rounding, restarts, seed, polish)


def finished(
    problem: Problem,
    program: PairProgram,
    value: float | None,
    note: str,
    began: float,
    rounding: Rounding,
    restarts: int | None,
    seed: int,
    polish: bool,
) -> Solution:
    """Round a solved program; `value` None means that time ran out before a bound was known."""
    x = program.x[program.number(*problem.positive[:2])] if len(program.x) else np.zeros(0)
    clusters = moves.feasible(problem, rounded(problem, x, rounding, seed), seed)
    if polish:
        clusters = moves.search(problem, start=clusters, restarts=restarts, seed=seed)
    cost = problem.cost(clusters)
    bound = problem.settled(cost, packing_bound(problem) if value is None else value)
    note += ", stopped by the time limit" if value is None else ""
    return Solution(problem.labels(clusters), cost, bound, time.perf_counter() - began, note, x)
