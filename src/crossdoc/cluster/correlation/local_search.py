"""Local search for millions of edges.

The first start is multilevel local moves in random order, the others the best clustering so far, disturbed. Each start
is improved by moving parts of clusters between clusters on every level (the refinement of Traag et al. 2019,
doi:10.1038/s41598-019-41695-z). No step raises the cost.
"""

from __future__ import annotations

import time

import numpy as np
from numba import njit

from crossdoc.cluster.correlation.problem import CorrelationProblem, Solution
from crossdoc.model import IntArray


@njit(cache=True, nogil=True)
def local_moves(  # type: ignore[no-untyped-def]
    starts, neighbour, weight, size, penalty, kind_starts, kind, n_kinds, cluster, within, order, smallest
):
    """Move nodes, from a queue, to the cluster that lowers the cost most, or to one of their own; returns the gain.

    `cluster` (numbers below n) is changed in place and holds a kind at most once. A node joins only nodes u with
    within[u] equal to its own. A node comes back into the queue when a neighbour left for another cluster.
    """
    n = len(size)
    total = np.zeros(n)
    touched = np.empty(n, dtype=np.int32)
    seen = np.full(n, -1, dtype=np.int32)
    mass = np.zeros(n)
    count = np.zeros(n, dtype=np.int32)
    for v in range(n):
        mass[cluster[v]] += size[v]
        count[cluster[v]] += 1
    empty = np.empty(n, dtype=np.int32)
    n_empty = 0
    for c in range(n):
        if count[c] == 0:
            empty[n_empty] = c
            n_empty += 1
    held = np.zeros((n, n_kinds), dtype=np.bool_)
    for v in range(n):
        for i in range(kind_starts[v], kind_starts[v + 1]):
            held[cluster[v], kind[i]] = True
    queue = order.copy()
    waits = np.ones(n, dtype=np.bool_)
    head, length = 0, n
    gained = 0.0
    while length > 0:
        v = queue[head]
        head = head + 1 if head + 1 < n else 0
        length -= 1
        waits[v] = False
        own = cluster[v]
        m = 0
        mine = within[v]
        for p in range(starts[v], starts[v + 1]):
            u = neighbour[p]
            if within[u] != mine:
                continue
            c = cluster[u]
            if seen[c] != v:
                seen[c] = v
                touched[m] = c
                m += 1
                total[c] = weight[p]
            else:
                total[c] += weight[p]
        s = penalty * size[v]
        stay = (total[own] if seen[own] == v else 0.0) - s * (mass[own] - size[v])
        best = own
        top = stay + smallest
        if count[own] > 1 and top < 0.0:
            best = -1
            top = 0.0
        for t in range(m):
            c = touched[t]
            if c == own:
                continue
            value = total[c] - s * mass[c]
            if value > top:
                fits = True
                for i in range(kind_starts[v], kind_starts[v + 1]):
                    fits &= not held[c, kind[i]]
                if fits:
                    top = value
                    best = c
        # The marks are of this visit alone: the node may come back.
        for t in range(m):
            seen[touched[t]] = -1
        if best == own:
            continue
        gained += (top if best >= 0 else 0.0) - stay
        if best < 0:
            n_empty -= 1
            best = empty[n_empty]
        for i in range(kind_starts[v], kind_starts[v + 1]):
            held[own, kind[i]] = False
            held[best, kind[i]] = True
        cluster[v] = best
        mass[own] -= size[v]
        mass[best] += size[v]
        count[own] -= 1
        count[best] += 1
        if count[own] == 0:
            mass[own] = 0.0
            empty[n_empty] = own
            n_empty += 1
        for p in range(starts[v], starts[v + 1]):
            u = neighbour[p]
            if not waits[u] and cluster[u] != best and within[u] == mine:
                waits[u] = True
                tail = head + length
                queue[tail if tail < n else tail - n] = u
                length += 1
    return gained


@njit(cache=True, nogil=True)
def numbered(cluster):  # type: ignore[no-untyped-def]
    """Number clusters (below n) from 0 in order of first appearance, in place; returns how many."""
    number = np.full(len(cluster), -1, dtype=np.int32)
    k = 0
    for v in range(len(cluster)):
        c = cluster[v]
        if number[c] < 0:
            number[c] = k
            k += 1
        cluster[v] = number[c]
    return k


RESTARTS = ((500_000, 60), (2_000_000, 12), (10_000_000, 2))
"""Further starts up to so many edges + 30 · nodes; none beyond, so that a million edges take about a second."""
QUICK_RESTARTS = ((500_000, 8),)
IMPROVEMENT_ROUNDS = 3
DISTURBED = 0.35
"""Share of nodes that leave their cluster before a search from the best clustering so far. Chosen on the instances of
benchmarks/correlation_speed.py: at .1 costs are .06% higher."""


def solve(
    problem: CorrelationProblem,
    *,
    restarts: int | None = None,
    seed: int = 0,
    time_limit: float | None = None,
    quick: bool = False,
) -> Solution:
    """The best clustering that local search finds; the bound is the cost that is plain to see."""
    began = time.perf_counter()
    best = search(problem, restarts=restarts, seed=seed, time_limit=time_limit, quick=quick)
    cost = problem.cost(best)
    lower = problem.settled(cost, problem.least)
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
    """The best clustering of the nodes that local search finds.

    `start` is a clustering to begin with. `restarts` further starts are made (None: by size, and fewer if `quick`);
    after `time_limit` seconds no further step begins.
    """
    ends = np.inf if time_limit is None else time.perf_counter() + time_limit
    size = problem.n_edges + 30 * problem.n_nodes
    usual = next((count for limit, count in (QUICK_RESTARTS if quick else RESTARTS) if size <= limit), 0)
    more = usual if restarts is None else restarts
    rng = np.random.default_rng(seed)
    best = np.arange(problem.n_nodes, dtype=np.int32) if start is None else np.array(start, dtype=np.int32)
    lowest = np.inf
    for number in range(more + 1):
        if number and time.perf_counter() > ends:
            break
        turn = number - (start is not None)
        clusters = best.copy() if turn < 0 else _start(problem, turn == 0, best, rng)
        _improve(problem, clusters, rng, IMPROVEMENT_ROUNDS if more else 1, ends)
        if (cost := problem.cost(clusters)) < lowest:
            lowest, best = cost, clusters
        if problem.gap(lowest, problem.least) == 0:
            break
    return best


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


def _improve(
    problem: CorrelationProblem, clusters: IntArray, rng: np.random.Generator, rounds: int, ends: float
) -> None:
    """Lower the cost of a clustering, in place, by moving parts of clusters."""
    enough = 1e-6 * float(problem.positive[2].sum())
    for _ in range(rounds):
        gained = _climb(problem, clusters, rng, problem.least_gain, in_parts=True)
        numbered(clusters)
        if gained < enough or time.perf_counter() > ends:
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
