"""The linear relaxation by lazy rows: solve, find violated cycles, add them, solve again from the last basis.

Van Gael & Zhu 2007, equation 2, has a variable for every pair and three rows for every triangle. The same optimum is
had from far fewer: x for attractive pairs alone, and a row for each violated cycle of one pair that wants to be apart
and a path of attractive pairs. Proof: given x on the attractive pairs, let d be the shortest paths over them. Lowering
each x to d and raising every other pair to min(1, d) costs nothing more and satisfies all triangles, every side of
them. So dense and sparse graphs, and complete ones with a bias that is never written out, are one program.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from crossdoc.cluster.correlation import local_search
from crossdoc.cluster.correlation.bounds import packing_bound
from crossdoc.cluster.correlation.cycle_program import CycleProgram
from crossdoc.cluster.correlation.objective import Solution
from crossdoc.cluster.correlation.problem import CorrelationProblem
from crossdoc.cluster.correlation.rounding import Rounding, rounded
from crossdoc.model import IntArray

CUT_TOLERANCE = 1e-6
MOST_PER_NODE = 10
"""Cycles that one search from a node gives in a round."""


@dataclass(frozen=True)
class SearchStep:
    """How violated cycles are looked for, until a round finds few."""

    share: float
    """Point between the clustering (0) and the program's optimum (1)."""
    farthest: int
    """Nodes that a search may reach; where only listed pairs want to be apart, searches are few and go on."""
    tolerance: float
    few: float
    """Cycles per node below which the next step follows; 0 means none at all."""


EVERYWHERE = np.iinfo(np.int64).max
SEARCH_STEPS = (
    SearchStep(0.5, 200, 1e-3, 0.002),
    SearchStep(0.75, 200, 1e-3, 0.002),
    SearchStep(0.9, 1000, 1e-3, 0.002),
    SearchStep(1.0, EVERYWHERE, CUT_TOLERANCE, 0.0),
)
ROUGH_STEPS = (
    SearchStep(0.6, 200, 0.03, 0.05),
    SearchStep(0.8, 200, 0.03, 0.03),
    SearchStep(0.9, 1000, 0.03, 0.02),
    SearchStep(1.0, EVERYWHERE, 0.03, 0.001),
)
"""Steps for the first-order method, which never satisfies rows to the last digit."""


def relax(
    problem: CorrelationProblem, clusters: IntArray, ends: float = np.inf, simplex_only: bool = False
) -> tuple[CycleProgram, bool]:
    """The solved program, and whether it is solved to the end; `clusters` is a good clustering to search near."""
    program = CycleProgram(problem, simplex_only)
    step = 0
    while time.perf_counter() < ends:
        how = (ROUGH_STEPS if program.first_order else SEARCH_STEPS)[step]
        farthest = EVERYWHERE if program.listed else how.farthest
        found = program.violated(clusters, how.share, MOST_PER_NODE, farthest, how.tolerance)
        if len(found[0]) <= how.few * problem.n_nodes:
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
    rounding: Rounding = "region",
    restarts: int | None = None,
    seed: int = 0,
    time_limit: float | None = None,
    polish: bool = True,
) -> Solution:
    """The relaxation, rounded; unless `polish` is False local moves follow, which also have starts of their own.

    After `time_limit` seconds the bound is that of the rows found so far, or of packed cycles.
    """
    began = time.perf_counter()
    ends = np.inf if time_limit is None else began + time_limit
    near = local_search.search(problem, restarts=restarts, seed=seed, time_limit=time_limit)
    program, whole = relax(problem, near, ends)
    # Before the end of the relaxation a ball can hold two that may not be together.
    clusters = local_search.feasible(problem, rounded(problem, program.x, rounding, seed), seed)
    if polish:
        left = None if time_limit is None else max(ends - time.perf_counter(), 0.0)
        again = local_search.search(problem, start=clusters, restarts=1, seed=seed, time_limit=left)
        clusters = min(near, again, key=problem.cost)
    cost = problem.cost(clusters)
    lower = program.value if whole else max(program.value, packing_bound(problem))
    bound = problem.settled(cost, lower)
    fractional = int(((program.x > CUT_TOLERANCE) & (program.x < 1 - CUT_TOLERANCE)).sum())
    note = f"linear relaxation of {len(program.x):,} attractive pairs over {program.n_rows:,} cycles"
    note += f", {fractional:,} of them fractional" if fractional else ", integral"
    note += ", by a first-order method" if program.first_order else ""
    note += "" if whole else ", stopped by the time limit"
    return Solution(problem.labels(clusters), cost, bound, time.perf_counter() - began, note, program.x)
