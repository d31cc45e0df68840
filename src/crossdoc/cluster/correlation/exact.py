"""The integer optimum: local moves, the relaxation, and branch and bound (HiGHS) with lazy cycles where a gap is left.

Van Gael & Zhu 2007, equation 2 with x in {0, 1}. Parts of the graph that attractive pairs do not connect are solved by
themselves, and variables whose reduced cost exceeds the gap are fixed before branching.
"""

from __future__ import annotations

import time

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from crossdoc.cluster.correlation import local_search
from crossdoc.cluster.correlation.local_search import packing_bound
from crossdoc.cluster.correlation.problem import SAME_COST, CorrelationProblem, Solution
from crossdoc.cluster.correlation.relaxation import CycleProgram, quiet_highs, relax
from crossdoc.model import IntArray

MOST_BRANCH_CYCLES = 5


def solve(
    problem: CorrelationProblem, *, restarts: int | None = None, seed: int = 0, time_limit: float | None = None
) -> Solution:
    """The optimum, or after `time_limit` seconds the best found and its bound (branch and bound may overshoot)."""
    began = time.perf_counter()
    ends = np.inf if time_limit is None else began + time_limit
    best = local_search.search(problem, restarts=restarts, seed=seed, time_limit=time_limit)
    program, whole = relax(problem, best, ends)
    bound, branched = program.value, 0
    if not whole:
        bound = max(bound, packing_bound(problem))
    else:
        best = _with_joined(problem, best, program.x, seed)
        if problem.gap(problem.cost(best), bound) > 0:
            best, bound, branched = _part_by_part(problem, program, best, seed, ends)
    cost = problem.cost(best)
    bound = problem.settled(cost, bound)
    parts = f"{branched:,} connected part{'s' if branched > 1 else ''}"
    note = f"branch and bound on {parts}" if branched else "the relaxation closed the gap"
    if problem.gap(cost, bound) > 0:
        note = f"{note}, stopped by the time limit" if branched else "stopped by the time limit during the relaxation"
    return Solution(problem.labels(best), cost, bound, time.perf_counter() - began, note, program.x)


def _part_by_part(
    problem: CorrelationProblem, program: CycleProgram, best: IntArray, seed: int, ends: float
) -> tuple[IntArray, float, int]:
    """Close the gap of each connected part that has one; returns the clustering, its bound and how many had."""
    left, right, weight = problem.positive
    n = problem.n_nodes
    links = sparse.coo_matrix((np.ones(len(left)), (left, right)), shape=(n, n))
    k, part = connected_components(links, directed=False)
    lower = np.bincount(part[left], weight * program.x, k)
    lower += np.bincount(part[program.pairs[:, 0]], program.costs[program.n_positive :] * program.y, k)
    cost = np.bincount(part[left], weight, k) - _joined_weight(problem, best, part, k)
    best, branched = best.astype(np.int64), 0
    for number in np.flatnonzero(cost - lower > np.maximum(SAME_COST * cost, problem.noise)):
        nodes = np.flatnonzero(part == number)
        inner = problem.restricted(nodes)
        found = np.unique(best[nodes], return_inverse=True)[1].astype(np.int32)
        found, lower[number] = _branch(inner, found, lower[number], seed, ends)
        # Numbers that no other part has.
        best[nodes] = n + nodes[found]
        branched += 1
    total = problem.offset - weight.sum() + lower.sum()
    return np.unique(best, return_inverse=True)[1].astype(np.int32), float(total), branched


def _joined_weight(problem: CorrelationProblem, clusters: IntArray, part: IntArray, k: int) -> npt.NDArray[np.float64]:
    """The weight inside clusters, part by part."""
    row = np.repeat(np.arange(problem.n_nodes), np.diff(problem.starts))
    inside = (row < problem.neighbour) & (clusters[row] == clusters[problem.neighbour])
    joined = np.bincount(part[row[inside]], problem.weight[inside], k)
    mass = np.bincount(clusters, problem.size)
    of_part = np.zeros(len(mass), dtype=np.int64)
    of_part[clusters] = part
    uniform = np.bincount(of_part, mass**2, k) - np.bincount(part, problem.size**2, k)
    return joined - problem.penalty * uniform / 2


def _branch(
    problem: CorrelationProblem, best: IntArray, lower: float, seed: int, ends: float
) -> tuple[IntArray, float]:
    """Branch and bound over the cycles found so far, again until its optimum violates none."""
    program, whole = relax(problem, best, ends)
    lower = max(lower, program.value)
    if not whole:
        return best, lower
    fixed = _fixed(program, problem.cost(best))
    while time.perf_counter() < ends:
        values, bound = _integer_optimum(program, fixed, ends)
        lower = max(lower, min(bound, problem.cost(best)))
        if values is None:
            break
        program.x, program.y = values[: program.n_positive], values[program.n_positive :]
        best = _with_joined(problem, best, program.x, seed)
        if problem.gap(problem.cost(best), lower) == 0:
            break
        cycles = program.violated(best, 1.0, MOST_BRANCH_CYCLES, np.iinfo(np.int64).max, 1e-3)
        if not len(cycles[0]):
            break
        program.add(cycles)
    return best, min(lower, problem.cost(best))


def _fixed(program: CycleProgram, cost: float) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Bounds of the variables: one whose reduced cost exceeds the gap has in any better clustering the value it has."""
    reduced = np.array(program.highs.getSolution().col_dual)
    gap = (cost - program.value) * (1 + 1e-6) + 1e-9
    return (reduced < -gap).astype(np.float64), (reduced <= gap).astype(np.float64)


def _with_joined(problem: CorrelationProblem, best: IntArray, x: npt.NDArray[np.float64], seed: int) -> IntArray:
    """The better of the best clustering and of what the pairs hardly cut connect, improved by local moves."""
    left, right, _ = problem.positive
    together = x < 0.5
    n = problem.n_nodes
    links = sparse.coo_matrix((np.ones(together.sum()), (left[together], right[together])), shape=(n, n))
    joined = connected_components(links, directed=False)[1].astype(np.int32)
    start = local_search.feasible(problem, joined, seed)
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
