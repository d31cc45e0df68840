"""Local search for millions of edges, and a lower bound without a linear program.

The first start is multilevel local moves in random order, the others the best clustering so far, disturbed. Each start
is improved by two kinds of moves: parts of clusters move between clusters on every level (the refinement of Traag et
al. 2019, doi:10.1038/s41598-019-41695-z), and two or three neighbouring clusters are taken apart and clustered again.
No step raises the cost.
"""

from __future__ import annotations

import time

import numpy as np

from crossdoc.cluster.correlation._graph_kernels import pack_cycles
from crossdoc.cluster.correlation._move_kernels import local_moves, numbered, recreate
from crossdoc.cluster.correlation.problem import CorrelationProblem, Solution
from crossdoc.model import IntArray

RESTARTS = ((500_000, 12), (2_000_000, 3))
"""Further starts up to so many edges + 30 · nodes; none beyond, so that a million edges take about a second."""
QUICK_RESTARTS = ((500_000, 3),)
IMPROVEMENT_ROUNDS = 3
MOST_TRIES = 10
QUICK_TRIES = 1
"""Neighbouring clusters are taken apart at most this many times the number of nodes."""
DISTURBED = 0.35
"""Share of nodes that leave their cluster before a search from the best clustering so far. Chosen on the instances of
benchmarks/correlation_speed.py: at .1 costs are .06% higher."""
LONGEST_PATHS = (2, 3, 5)
MOST_VISITED = 60
"""Nodes that a search for one path looks at: packing stays linear in the edges."""


def solve(
    problem: CorrelationProblem,
    *,
    start: IntArray | None = None,
    restarts: int | None = None,
    seed: int = 0,
    time_limit: float | None = None,
    quick: bool = False,
) -> Solution:
    """The best clustering that local search finds, and the bound of packed cycles.

    `start` is a clustering of the nodes to begin with. `restarts` further starts are made (None: by size,
    see `default_restarts`); after `time_limit` seconds no further step begins. `quick`: fewer starts and tries, and no
    bound but the cost that is plain to see.
    """
    began = time.perf_counter()
    best = search(problem, start=start, restarts=restarts, seed=seed, time_limit=time_limit, quick=quick)
    cost = problem.cost(best)
    lower = problem.settled(cost, problem.least if quick else packing_bound(problem))
    return Solution(problem.labels(best), cost, lower, time.perf_counter() - began, "local moves")


def search(
    problem: CorrelationProblem,
    *,
    start: IntArray | None = None,
    restarts: int | None = None,
    seed: int = 0,
    time_limit: float | None = None,
    quick: bool = False,
) -> IntArray:
    """The best clustering of the nodes that local search finds."""
    ends = np.inf if time_limit is None else time.perf_counter() + time_limit
    more = default_restarts(problem, quick) if restarts is None else restarts
    tries = QUICK_TRIES if quick else MOST_TRIES
    rng = np.random.default_rng(seed)
    best = np.arange(problem.n_nodes, dtype=np.int32) if start is None else np.array(start, dtype=np.int32)
    lowest = np.inf
    for number in range(more + 1):
        if number and time.perf_counter() > ends:
            break
        turn = number - (start is not None)
        clusters = best.copy() if turn < 0 else _start(problem, turn == 0, best, rng)
        improve(problem, clusters, rng, IMPROVEMENT_ROUNDS if more else 1, ends, tries)
        if (cost := problem.cost(clusters)) < lowest:
            lowest, best = cost, clusters
        if problem.gap(lowest, problem.least) == 0:
            break
    return best


def packing_bound(problem: CorrelationProblem) -> float:
    """A cost that no clustering of the problem can be below: conflicting cycles that share no weight.

    Each cycle of one pair that wants to be apart and a path of attractive pairs costs at least its smallest weight, and
    cycles packed so that no weight is used twice add up: Lange, Karrenbauer & Andres 2018, "Partial Optimality and Fast
    Lower Bounds for Weighted Correlation Clustering", algorithm 1. Here searches are cut short.

    >>> from crossdoc.cluster.correlation import build
    >>> toy = np.array([[0, -1000, 30, 0], [-1000, 0, 25, 20], [30, 25, 0, 15], [0, 20, 15, 0.0]])
    >>> packing_bound(build(toy))
    30.0
    """
    weight = problem.positive[2]
    most = MOST_VISITED + 6 * len(weight) // max(problem.n_nodes, 1)
    packed = pack_cycles(*problem.graph, *problem.paths, weight.copy(), np.array(LONGEST_PATHS), most)
    return problem.least + float(packed)


def default_restarts(problem: CorrelationProblem, quick: bool = False) -> int:
    """How many further starts a problem of this size is given."""
    size = problem.n_edges + 30 * problem.n_nodes
    return next((count for limit, count in (QUICK_RESTARTS if quick else RESTARTS) if size <= limit), 0)


def feasible(problem: CorrelationProblem, clusters: IntArray, seed: int = 0) -> IntArray:
    """The clustering itself if it keeps apart what it must; else its clusters, split by local moves inside them."""
    if problem.allows(clusters):
        return clusters
    parts = np.arange(problem.n_nodes, dtype=np.int32)
    _moved(problem, parts, np.random.default_rng(seed), clusters, problem.least_gain)
    numbered(parts)
    return parts


def _start(problem: CorrelationProblem, first: bool, best: IntArray, rng: np.random.Generator) -> IntArray:
    """Local moves from singletons, then the best clustering so far with some nodes alone."""
    clusters = best.copy()
    if first:
        clusters[:] = np.arange(len(best))
        _climb(problem, clusters, rng, problem.least_gain, in_parts=False)
        return clusters
    alone = np.flatnonzero(rng.random(len(best)) < DISTURBED)
    clusters[alone] = len(best) + alone
    return np.unique(clusters, return_inverse=True)[1].astype(np.int32)


def improve(
    problem: CorrelationProblem,
    clusters: IntArray,
    rng: np.random.Generator,
    rounds: int,
    ends: float,
    tries: float,
) -> None:
    """Lower the cost of a clustering, in place, by all kinds of moves."""
    left, right, weight = problem.positive
    enough = 1e-6 * float(weight.sum())
    for _ in range(rounds):
        gained = _climb(problem, clusters, rng, problem.least_gain, in_parts=True)
        numbered(clusters)
        cut = np.flatnonzero(clusters[left] != clusters[right])
        if not len(cut) or time.perf_counter() > ends:
            return
        gained += recreate(
            *problem.graph[:-1], clusters, left[cut], right[cut],
            min(len(cut) // 2 + 10, int(tries * len(clusters))), int(rng.integers(1 << 30)), problem.least_gain,
        )  # fmt: skip
        numbered(clusters)
        if gained < enough:
            return


def _climb(
    problem: CorrelationProblem, clusters: IntArray, rng: np.random.Generator, least_gain: float, in_parts: bool
) -> float:
    """Move nodes, then clusters (or the parts into which local moves split them), level by level; in place."""
    n = problem.n_nodes
    gained = _moved(problem, clusters, rng, np.zeros(n, dtype=np.int32), least_gain)
    k = numbered(clusters)
    part = clusters.copy()
    if in_parts:
        part = np.arange(n, dtype=np.int32)
        _moved(problem, part, rng, clusters, least_gain)
        k = numbered(part)
    if k == n:
        return gained
    above = np.arange(k, dtype=np.int32)
    if in_parts:
        above[part] = clusters
    gained += _climb(problem.contracted(part, k), above, rng, least_gain, in_parts)
    clusters[:] = above[part]
    return gained


def _moved(
    problem: CorrelationProblem, clusters: IntArray, rng: np.random.Generator, within: IntArray, least_gain: float
) -> float:
    order = rng.permutation(len(clusters)).astype(np.int32)
    return float(local_moves(*problem.graph, clusters, within, order, least_gain))
