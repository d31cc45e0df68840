"""The linear relaxation by lazy rows: solve, find violated cycles, add them, solve again from the last basis.

Van Gael & Zhu 2007, equation 2, has a variable for every pair and three rows for every triangle. The same optimum is
had from far fewer: x for attractive pairs alone, and a row for each violated cycle of one pair that wants to be apart
and a path of attractive pairs. Proof: given x on the attractive pairs, let d be the shortest paths over them. Lowering
each x to d and raising every other pair to min(1, d) costs nothing more and satisfies all triangles, every side of
them. So dense and sparse graphs, and complete ones with a bias that is never written out, are one program.

Fractional cuts → clusters: region growing in the paper's finite variant, that is Demaine & Immorlica 2003 as Van Gael &
Zhu 2007, section 3.1, have it: edges count in full in the volume of a ball.
"""

from __future__ import annotations

import time
from heapq import heappop, heappush
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from crossdoc import errors
from crossdoc.cluster.correlation import local_search
from crossdoc.cluster.correlation._graph_kernels import violated_cycles
from crossdoc.cluster.correlation.problem import CorrelationProblem, Solution
from crossdoc.model import IntArray

FACTOR = 2.0 + 1e-6
"""The c > 2 of cut ≤ c · ln(n + 1) · volume: balls stay below radius ½."""
SAME_DISTANCE = 1e-9
"""Distances that differ by less are the same."""


def region(problem: CorrelationProblem, x: npt.NDArray[np.float64]) -> IntArray:
    """A clustering from how far the attractive pairs (`Problem.positive`) are cut, by region growing.

    The cost is at most c · ln(n + 1) times that of the program where its x are optimal.
    """
    factor = FACTOR * np.log(problem.n_nodes + 1)
    return grow_regions(*problem.paths, problem.positive[2], np.clip(x, 0.0, 1.0), factor)


@njit(cache=True, nogil=True)
def grow_regions(path_starts, path_neighbour, path_edge, weight, x, factor):  # type: ignore[no-untyped-def]
    """Balls round the nodes, in order, each grown until cut ≤ factor · volume, always below radius ½."""
    n = len(path_starts) - 1
    cluster = np.full(n, -1, dtype=np.int32)
    distance = np.full(n, np.inf)
    reached = np.empty(n, dtype=np.int32)
    whole = 0.0
    for e in range(len(x)):
        whole += weight[e] * x[e]
    number = 0
    for u in range(n):
        if cluster[u] >= 0:
            continue
        volume = whole / n
        cut = 0.0
        distance[u] = 0.0
        reached[0] = u
        n_reached = 1
        heap = [(0.0, np.int32(u))]
        radius = 0.0
        while len(heap) > 0:
            key, v = heap[0]
            if key > radius + SAME_DISTANCE and (cut <= factor * volume or key >= 0.5 - SAME_DISTANCE):
                break
            heappop(heap)
            if cluster[v] >= 0:
                continue
            radius = max(radius, key)
            cluster[v] = number
            for p in range(path_starts[v], path_starts[v + 1]):
                w, e = path_neighbour[p], path_edge[p]
                if cluster[w] >= 0 and cluster[w] < number:
                    continue
                if cluster[w] == number:
                    cut -= weight[e]
                    continue
                cut += weight[e]
                volume += weight[e] * x[e]
                if key + x[e] < distance[w]:
                    if distance[w] == np.inf:
                        reached[n_reached] = w
                        n_reached += 1
                    distance[w] = key + x[e]
                    heappush(heap, (distance[w], np.int32(w)))
        for i in range(n_reached):
            distance[reached[i]] = np.inf
        number += 1
    return cluster


Cycles = tuple[npt.NDArray[np.int32], npt.NDArray[np.float64], npt.NDArray[np.int64], npt.NDArray[np.int64]]
"""Pairs that want to be apart, how much, and the edges of the path between each: as `violated_cycles` gives them."""
CUT_TOLERANCE = 1e-6
MOST_PER_NODE = 10
"""Cycles that one search from a node gives in a round."""
EVERYWHERE = np.iinfo(np.int64).max


SEARCH_STEPS = (
    (0.5, 200, 1e-3, 0.002),
    (0.75, 200, 1e-3, 0.002),
    (0.9, 1000, 1e-3, 0.002),
    (1.0, EVERYWHERE, CUT_TOLERANCE, 0.0),
)
"""How violated cycles are looked for: at a point between the clustering (0) and the program's optimum (1), among so
many nodes, with a tolerance, until a round finds no more than so many cycles per node."""


class CycleProgram:
    """The linear program over the cycles found so far.

    Variables: x for each attractive pair (cut), and y = 1 − x for those pairs that want to be apart and were met. A row
    x(path) + y_uv ≥ 1 says that a path that is not cut joins its ends. HiGHS keeps its basis between solves.
    """

    def __init__(self, problem: CorrelationProblem) -> None:
        self.problem = problem
        weight = problem.positive[2]
        self.constant = float(problem.offset - weight.sum())
        """The cost if every attractive pair were joined and every other apart."""
        self.n_positive = len(weight)
        self.n_rows = 0
        self.x = np.zeros(self.n_positive)
        self.y = np.zeros(0)
        self.value = self.constant
        """The optimum over the rows so far: no clustering costs less."""
        self.pairs = np.zeros((0, 2), dtype=np.int32)
        self._keys = np.zeros(0, dtype=np.int64)
        self._column = np.zeros(0, dtype=np.int32)
        self.costs = weight
        """Cost of each variable, x first."""
        self.highs = quiet_highs()
        add_columns(self.highs, weight)

    def violated(self, clusters: IntArray, share: float, most: int, farthest: int, tolerance: float) -> Cycles:
        """Cycles violated between a clustering (share 0) and the program's optimum (share 1).

        A cycle that is violated between a feasible point and the optimum is violated at the optimum, and is found
        sooner: clusters keep the searches short, which at the optimum of few rows would visit all nodes.
        """
        p = self.problem
        left, right, _ = p.positive
        x = share * self.x + (1 - share) * (clusters[left] != clusters[right])
        order = np.argsort(self.pairs[:, 0], kind="stable")
        begin = np.concatenate([[0], np.cumsum(np.bincount(self.pairs[:, 0], minlength=p.n_nodes))]).astype(np.int64)
        return violated_cycles(
            *p.graph, *p.paths, x, begin, self.pairs[order, 1], share * self.y[order], clusters, 1.0 - share, most,
            farthest, tolerance,
        )  # fmt: skip

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
        add_columns(self.highs, costs)
        n, ones = len(pair), np.ones(len(index))
        self.highs.addRows(n, np.ones(n), np.full(n, np.inf), len(index), starts[:-1], index, ones)
        self.n_rows += n

    def run(self, seconds: float) -> bool:
        """Solve; False if the time was not enough, and nothing is changed then."""
        if not optimised(self.highs, seconds):
            return False
        values = np.array(self.highs.getSolution().col_value)
        self.x, self.y = np.clip(values[: self.n_positive], 0.0, 1.0), values[self.n_positive :]
        self.value = self.highs.getInfo().objective_function_value + self.constant
        return True


def relax(problem: CorrelationProblem, clusters: IntArray, ends: float = np.inf) -> tuple[CycleProgram, bool]:
    """The solved program, and whether it is solved to the end; `clusters` is a good clustering to search near."""
    program = CycleProgram(problem)
    step = 0
    while time.perf_counter() < ends:
        share, farthest, tolerance, few = SEARCH_STEPS[step]
        found = program.violated(clusters, share, MOST_PER_NODE, farthest, tolerance)
        if len(found[0]) <= few * problem.n_nodes:
            step += 1
            if step == len(SEARCH_STEPS):
                return program, True
            continue
        program.add(found)
        if not program.run(ends - time.perf_counter()):
            break
    return program, False


def solve(
    problem: CorrelationProblem,
    *,
    restarts: int | None = None,
    seed: int = 0,
    time_limit: float | None = None,
    polish: bool = True,
) -> Solution:
    """The relaxation, rounded; unless `polish` is False local moves follow, which also have starts of their own.

    After `time_limit` seconds the bound is that of the rows found so far.
    """
    began = time.perf_counter()
    ends = np.inf if time_limit is None else began + time_limit
    near = local_search.search(problem, restarts=restarts, seed=seed, time_limit=time_limit)
    program, whole = relax(problem, near, ends)
    # Before the end of the relaxation a ball can hold two that may not be together.
    clusters = local_search.feasible(problem, region(problem, program.x), seed)
    if polish:
        left = None if time_limit is None else max(ends - time.perf_counter(), 0.0)
        again = local_search.search(problem, start=clusters, restarts=1, seed=seed, time_limit=left)
        clusters = min(near, again, key=problem.cost)
    cost = problem.cost(clusters)
    bound = problem.settled(cost, program.value)
    fractional = int(((program.x > CUT_TOLERANCE) & (program.x < 1 - CUT_TOLERANCE)).sum())
    note = f"linear relaxation of {len(program.x):,} attractive pairs over {program.n_rows:,} cycles"
    note += f", {fractional:,} of them fractional" if fractional else ", integral"
    note += "" if whole else ", stopped by the time limit"
    return Solution(problem.labels(clusters), cost, bound, time.perf_counter() - began, note, program.x)


def quiet_highs() -> Any:
    """Return a solver that prints nothing."""
    try:
        import highspy
    except ImportError as error:
        raise errors.needs_extra("A solver that proves its answer (all but `moves`)", "highspy", "exact") from error
    highs: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    highs.silent()
    return highs


def add_columns(highs: Any, cost: npt.NDArray[np.float64], lowest: npt.NDArray[np.float64] | None = None) -> None:
    """Add variables of at most 1 and at least 0, or `lowest`."""
    n, none = len(cost), np.zeros(0, dtype=np.int32)
    if n:
        low = np.zeros(n) if lowest is None else lowest
        highs.addCols(n, cost, low, np.ones(n), 0, np.zeros(n, dtype=np.int32), none, np.zeros(0))


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


def optimised(highs: Any, seconds: float) -> bool:
    """Run a solver for at most so many seconds, and return whether it found the optimum."""
    import highspy

    # HiGHS counts the seconds of all runs.
    highs.setOptionValue("time_limit", highs.getRunTime() + max(seconds, 0.0) if np.isfinite(seconds) else np.inf)
    highs.run()
    return bool(highs.getModelStatus() == highspy.HighsModelStatus.kOptimal)
