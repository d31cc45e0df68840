"""The integer optimum: local moves, the relaxation, and branch and bound (HiGHS) with lazy cycles where a gap is left.

Van Gael & Zhu 2007, equation 2 with x in {0, 1}. Parts of the graph that attractive pairs do not connect are solved by
themselves, and variables whose reduced cost exceeds the gap are fixed before branching.
"""

from __future__ import annotations

import time

import numpy as np
import numpy.typing as npt

from crossdoc.cluster.correlation import local_search
from crossdoc.cluster.correlation.problem import CorrelationProblem, Solution
from crossdoc.cluster.correlation.relaxation import CycleProgram, quiet_highs, relax
from crossdoc.cluster.estimators import connected
from crossdoc.model import IntArray

MOST_BRANCH_CYCLES = 5


def solve(
    problem: CorrelationProblem, *, restarts: int | None = None, seed: int = 0, time_limit: float | None = None
) -> Solution:
    """The optimum, or after `time_limit` seconds the best found and its bound (branch and bound may overshoot)."""
    began = time.perf_counter()
    ends = np.inf if time_limit is None else began + time_limit
    left, right, weight = problem.positive
    part = connected(problem.n_nodes, left, right)
    best = np.arange(problem.n_nodes)
    bound, branched = float(problem.offset - weight.sum()), 0
    for nodes in np.split(np.argsort(part, kind="stable"), np.cumsum(np.bincount(part))[:-1]):
        if len(nodes) > 1:
            inner = problem.restricted(nodes)
            seconds = None if time_limit is None else max(ends - time.perf_counter(), 0.0)
            found = local_search.search(inner, restarts=restarts, seed=seed, time_limit=seconds)
            found, lower, steps = _optimum(inner, found, seed, ends)
            best[nodes] = nodes[found]
            bound += lower
            branched += steps > 0
    clusters = np.unique(best, return_inverse=True)[1].astype(np.int32)
    cost = problem.cost(clusters)
    bound = problem.settled(cost, bound)
    parts = f"{branched:,} connected part{'s' if branched > 1 else ''}"
    note = f"branch and bound on {parts}" if branched else "the relaxation closed the gap"
    if problem.gap(cost, bound) > 0:
        note = f"{note}, stopped by the time limit" if branched else "stopped by the time limit during the relaxation"
    return Solution(problem.labels(clusters), cost, bound, time.perf_counter() - began, note)


def _optimum(problem: CorrelationProblem, best: IntArray, seed: int, ends: float) -> tuple[IntArray, float, int]:
    """The optimum of a part, its bound, and how often it was branched: over the cycles found so far, again until its
    optimum violates none."""
    if problem.gap(problem.cost(best), problem.least) == 0:
        return best, problem.cost(best), 0
    program, whole = relax(problem, best, ends)
    lower, steps = program.value, 0
    if not whole:
        return best, lower, steps
    best = _with_joined(problem, best, program.x, seed)
    fixed = _fixed(program, problem.cost(best))
    while problem.gap(problem.cost(best), lower) > 0 and time.perf_counter() < ends:
        values, bound = _integer_optimum(program, fixed, ends)
        steps += 1
        lower = max(lower, min(bound, problem.cost(best)))
        if values is None:
            break
        program.x, program.y = values[: program.n_positive], values[program.n_positive :]
        best = _with_joined(problem, best, program.x, seed)
        cycles = program.violated(best, 1.0, MOST_BRANCH_CYCLES, np.iinfo(np.int64).max, 1e-3)
        if not len(cycles[0]):
            break
        program.add(cycles)
    return best, min(lower, problem.cost(best)), steps


def _fixed(program: CycleProgram, cost: float) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Bounds of the variables: one whose reduced cost exceeds the gap has in any better clustering the value it has."""
    reduced = np.array(program.highs.getSolution().col_dual)
    gap = (cost - program.value) * (1 + 1e-6) + 1e-9
    return (reduced < -gap).astype(np.float64), (reduced <= gap).astype(np.float64)


def _with_joined(problem: CorrelationProblem, best: IntArray, x: npt.NDArray[np.float64], seed: int) -> IntArray:
    """The better of the best clustering and of what the pairs hardly cut connect, improved by local moves."""
    left, right, _ = problem.positive
    start = local_search.feasible(problem, connected(problem.n_nodes, left[x < 0.5], right[x < 0.5]), seed)
    return min(best, local_search.search(problem, start=start, restarts=0, seed=seed), key=problem.cost)


def _integer_optimum(
    program: CycleProgram, fixed: tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]], ends: float
) -> tuple[npt.NDArray[np.float64] | None, float]:
    """The optimum with x in {0, 1} over the rows of the program, and its bound; None if time ran out before any."""
    import highspy

    highs = quiet_highs()
    highs.passModel(program.highs.getLp())
    # Variables of pairs that were met after the relaxation are free.
    columns = np.arange(len(fixed[0]), dtype=np.int32)
    highs.changeColsBounds(len(columns), columns, *fixed)
    kinds = np.full(program.n_positive, highspy.HighsVarType.kInteger)
    highs.changeColsIntegrality(program.n_positive, columns[: program.n_positive], kinds)
    highs.setOptionValue("mip_rel_gap", 1e-9)
    highs.setOptionValue("mip_abs_gap", 1e-9)
    if np.isfinite(ends):
        highs.setOptionValue("time_limit", max(ends - time.perf_counter(), 0.01))
    highs.run()
    info = highs.getInfo()
    bound = info.mip_dual_bound + program.constant
    if info.primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
        # No clustering is better than the best one if all is fixed so that none is left.
        none_left = highs.getModelStatus() == highspy.HighsModelStatus.kInfeasible
        return None, np.inf if none_left else bound
    return np.round(highs.getSolution().col_value, 6), bound
