"""The paper's linear program with all its rows, at once or in chunks (Van Gael & Zhu 2007, equation 2), as a baseline.

One variable for every pair of nodes, three rows for every triangle: n = 200 has 3.9 million rows and takes 4 GB. In
chunks (section 3.2, after Bradley & Mangasarian 2000) some rows are added, the program solved, and rows that are not
active taken out, until the optimum has stayed the same for ν = 4 further chunks. With more chunks than that the paper's
rule can stop before all rows were seen, so that here a row that is violated keeps the work going.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import squareform

from crossdoc import errors
from crossdoc.cluster.correlation import local_search
from crossdoc.cluster.correlation.problem import CorrelationProblem, Solution
from crossdoc.cluster.correlation.relaxation import add_columns, optimised, quiet_highs, region

MOST_FULL_ROWS = 10_000_000
"""About 1 kB a row while the program is solved."""
CHUNK_ROWS = 1_000_000
IDLE_CHUNKS = 4
MOST_CHUNKED_ROWS = 100_000_000
"""All triangle rows of 585 nodes: hours of chunks."""
ACTIVE = 1e-7
VIOLATED = 1e-6


class PairProgram:
    """The program over all pairs: x in [0, 1], 1 for pairs that are never together."""

    def __init__(self, problem: CorrelationProblem) -> None:
        n = self.n = problem.n_nodes
        self.n_rows = n * (n - 1) * (n - 2) // 2
        first, second = np.triu_indices(n, 1)
        weight = -problem.penalty * problem.size[first] * problem.size[second]
        row = np.repeat(np.arange(n), np.diff(problem.starts))
        once = row < problem.neighbour
        listed = pair_number(n, row[once], problem.neighbour[once])
        weight[listed] += problem.weight[once]
        apart = np.isneginf(weight) | _share_a_kind(problem, first, second)
        weight[apart] = 0.0
        self.constant = problem.offset - float(weight.sum())
        self.x = np.zeros(len(weight))
        self.highs = quiet_highs()
        add_columns(self.highs, weight, apart.astype(np.float64))

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

    def run(self, seconds: float) -> float | None:
        """The cost of the optimum, x being set; None if the time was not enough."""
        if not len(self.x):
            return self.constant
        if not optimised(self.highs, seconds):
            return None
        self.x = np.clip(self.highs.getSolution().col_value, 0.0, 1.0)
        return float(self.highs.getInfo().objective_function_value + self.constant)


def _share_a_kind(
    problem: CorrelationProblem, first: npt.NDArray[np.int64], second: npt.NDArray[np.int64]
) -> npt.NDArray[np.bool_]:
    has_kind = np.zeros((problem.n_nodes, problem.n_kinds), dtype=np.int32)
    has_kind[np.repeat(np.arange(problem.n_nodes), np.diff(problem.kind_starts)), problem.kind] = 1
    return ((has_kind @ has_kind.T) > 0)[first, second]


def solve(
    problem: CorrelationProblem,
    *,
    chunk: int | None = None,
    restarts: int | None = None,
    seed: int = 0,
    time_limit: float | None = None,
) -> Solution:
    """The program with all rows, or in chunks of so many, rounded and improved by local moves.

    If `time_limit` seconds are not enough, nothing is known of the optimum.
    """
    began = time.perf_counter()
    program = PairProgram(problem)
    solver, most = ("full", MOST_FULL_ROWS) if chunk is None else ("chunking", MOST_CHUNKED_ROWS)
    if program.n_rows > most:
        raise errors.too_many(
            program.n_rows, "rows", f"the solver {solver}", most, "the solver lp, with the same optimum"
        )
    ends = np.inf if time_limit is None else began + time_limit
    value, steps = _in_chunks(program, chunk or max(program.n_rows, 1), ends)
    note = f"the linear program of {len(program.x):,} pairs and {program.n_rows:,} rows"
    if chunk is not None:
        note += f", {chunk:,} at a time, solved in {steps:,} steps"
    x = program.x[pair_number(program.n, *problem.positive[:2])] if len(program.x) else np.zeros(0)
    clusters = local_search.feasible(problem, region(problem, x), seed)
    clusters = local_search.search(problem, start=clusters, restarts=restarts, seed=seed)
    cost = problem.cost(clusters)
    bound = problem.settled(cost, problem.least if value is None else value)
    note += ", stopped by the time limit" if value is None else ""
    return Solution(problem.labels(clusters), cost, bound, time.perf_counter() - began, note, x)


def _in_chunks(program: PairProgram, rows: int, ends: float) -> tuple[float | None, int]:
    """The optimum (None: out of time) and how often a program was solved."""
    starts = list(range(0, program.n_rows, rows)) or [0]
    last, same, solved, at = -np.inf, 0, 0, 0
    while True:
        program.add(starts[at], min(rows, program.n_rows - starts[at]))
        value = program.run(ends - time.perf_counter())
        solved += 1
        if value is None:
            return None, solved
        same = same + 1 if value <= last + 1e-9 * max(abs(last), 1.0) else 0
        last = value
        stops = same >= IDLE_CHUNKS or solved >= len(starts)
        if stops and worst_triangle(program.x) <= VIOLATED:
            return value, solved
        # While the optimum stands still nothing is taken out, or the same rows could come and go for ever.
        if same < max(IDLE_CHUNKS, len(starts)):
            program.drop_inactive(ACTIVE)
        at = (at + 1) % len(starts)


def triangle_rows(n: int, first: int, count: int) -> npt.NDArray[np.int32]:
    """Rows first … first + count − 1 of all 3·C(n, 3): the pairs (a, b, c) of x_a + x_b − x_c ≥ 0.

    Triples i < j < k come in order, each with its three sides.
    """
    triple = np.arange(first // 3, -(-(first + count) // 3))
    after = n - 1 - np.arange(n)
    ends = np.cumsum(after * (after - 1) // 2)
    i = np.searchsorted(ends, triple, side="right")
    left, right = np.triu_indices(n, 1)
    # The pairs j < k above i are the last of all pairs.
    jk = len(left) - ends[i] + triple
    ij, ik = pair_number(n, i, left[jk]), pair_number(n, i, right[jk])
    sides = np.stack([ij, jk, ik, ik, jk, ij, ij, ik, jk], axis=1).reshape(-1, 3)
    return sides[first % 3 :][:count].astype(np.int32)


def pair_number(n: int, low: npt.NDArray[Any], high: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """The number of a pair's variable."""
    low = low.astype(np.int64)
    return low * n - low * (low + 1) // 2 - low - 1 + high


def worst_triangle(x: npt.NDArray[np.float64]) -> float:
    """By how much the most violated triangle row is violated (0: none is)."""
    cut = squareform(x)
    return max(float((cut - row[:, None] - row).max()) for row in cut)
