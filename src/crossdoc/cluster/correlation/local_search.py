"""Local search for millions of edges: contraction, local moves on many levels, Kernighan-Lin, and clusters rebuilt.

Starts are multilevel local moves in random order and greedy additive edge contraction (GAEC, Keuper et al. 2015,
doi:10.1109/ICCV.2015.204). Each start is improved by three kinds of moves: parts of clusters move between clusters on
every level (the refinement of Traag et al. 2019, doi:10.1038/s41598-019-41695-z), nodes change sides between two
clusters while the cost may rise for a time (Kernighan-Lin with joins, KLj, Keuper et al.), and two or three
neighbouring clusters are taken apart and clustered again. No step raises the cost.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from crossdoc.cluster.correlation._exchange_kernels import exchange
from crossdoc.cluster.correlation._graph_kernels import contract
from crossdoc.cluster.correlation._greedy_kernels import contract_greedily
from crossdoc.cluster.correlation._move_kernels import local_moves, merge_kinds, numbered
from crossdoc.cluster.correlation._recreate_kernels import recreate
from crossdoc.cluster.correlation.bounds import packing_bound
from crossdoc.cluster.correlation.objective import Solution
from crossdoc.cluster.correlation.problem import CorrelationProblem
from crossdoc.model import IntArray

RESTARTS = ((500_000, 8), (2_000_000, 2))
"""Further starts up to so many edges + 30 · nodes; none beyond, so that a million edges take about a second."""
QUICK_RESTARTS = ((500_000, 1),)
IMPROVEMENT_ROUNDS = 3
IDLE_MOVES = 20
CHEAP = 20
"""Kernighan-Lin is left out where it would look at each edge more often than this: dense graphs with many clusters."""
MOST_TRIES = 10
QUICK_TRIES = 0.3
"""Neighbouring clusters are taken apart at most this many times the number of nodes."""
WEIGHT_BLUR = 0.5
DISTURBED = 0.2
"""The share of nodes that leave their cluster before a search from the best clustering so far."""


@dataclass(frozen=True)
class MoveGraph:
    """Kernel arguments, for the problem or a contraction of it."""

    starts: npt.NDArray[np.int64]
    neighbour: IntArray
    weight: npt.NDArray[Any]
    size: npt.NDArray[np.float64]
    penalty: float
    kind_starts: npt.NDArray[np.int64]
    kind: IntArray
    n_kinds: int
    smallest: float
    """A gain below this is rounding."""

    @classmethod
    def of(cls, problem: CorrelationProblem) -> MoveGraph:
        finite = np.abs(problem.weight[np.isfinite(problem.weight)])
        smallest = 1e-9 * max(float(finite.mean()) if len(finite) else 0.0, problem.penalty, 1e-300)
        return cls(
            problem.starts, problem.neighbour, problem.weight, problem.size, problem.penalty, problem.kind_starts,
            problem.kind, problem.n_kinds, smallest,
        )  # fmt: skip

    @property
    def weights(self) -> tuple[Any, ...]:
        return self.starts, self.neighbour, self.weight, self.size, self.penalty

    @property
    def kinds(self) -> tuple[Any, ...]:
        return self.kind_starts, self.kind, self.n_kinds

    def contracted(self, cluster: IntArray, k: int) -> MoveGraph:
        starts, neighbour, weight = contract(self.starts, self.neighbour, self.weight, cluster, k)
        kind_starts, kind = merge_kinds(self.kind_starts, self.kind, cluster, k)
        size = np.bincount(cluster, weights=self.size, minlength=k).astype(np.float64)
        return MoveGraph(starts, neighbour, weight, size, self.penalty, kind_starts, kind, self.n_kinds, self.smallest)


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
    graph = MoveGraph.of(problem)
    more = default_restarts(problem, quick) if restarts is None else restarts
    tries = QUICK_TRIES if quick else MOST_TRIES
    rng = np.random.default_rng(seed)
    best = np.arange(problem.n_nodes, dtype=np.int32) if start is None else np.array(start, dtype=np.int32)
    lowest = np.inf
    for number in range(more + 1):
        if number and time.perf_counter() > ends:
            break
        turn = number - (start is not None)
        clusters = best.copy() if turn < 0 else _start(graph, turn, best, rng)
        improve(problem, graph, clusters, rng, IMPROVEMENT_ROUNDS if more else 1, ends, tries)
        if (cost := problem.cost(clusters)) < lowest:
            lowest, best = cost, clusters
        if problem.gap(lowest, problem.least) == 0:
            break
    return best


def default_restarts(problem: CorrelationProblem, quick: bool = False) -> int:
    """How many further starts a problem of this size is given."""
    size = problem.n_edges + 30 * problem.n_nodes
    return next((count for limit, count in (QUICK_RESTARTS if quick else RESTARTS) if size <= limit), 0)


def feasible(problem: CorrelationProblem, clusters: IntArray, seed: int = 0) -> IntArray:
    """The clustering itself if it keeps apart what it must; else its clusters, split by local moves inside them."""
    if problem.allows(clusters):
        return clusters
    parts = np.arange(problem.n_nodes, dtype=np.int32)
    _moved(MoveGraph.of(problem), parts, np.random.default_rng(seed), clusters)
    numbered(parts)
    return parts


def _start(graph: MoveGraph, turn: int, best: IntArray, rng: np.random.Generator) -> IntArray:
    """Local moves first, then by turns GAEC (blurred after the first, so that they differ) and the best, disturbed."""
    if turn % 2 == 0 and turn:
        clusters = best.copy()
        alone = np.flatnonzero(rng.random(len(best)) < DISTURBED)
        clusters[alone] = len(best) + alone
        return np.unique(clusters, return_inverse=True)[1].astype(np.int32)
    if turn == 0:
        clusters = np.arange(len(graph.size), dtype=np.int32)
        _climb(graph, clusters, rng, in_parts=False)
        return clusters
    weight = graph.weight
    if turn > 1:
        blurred = weight * (1 + WEIGHT_BLUR * (rng.random(len(weight)) - 0.5)).astype(weight.dtype)
        weight = np.where(weight > 0, blurred, weight)
    clusters = contract_greedily(graph.starts, graph.neighbour, weight, graph.size, graph.penalty, *graph.kinds)
    numbered(clusters)
    return clusters


def improve(
    problem: CorrelationProblem,
    graph: MoveGraph,
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
        gained = _climb(graph, clusters, rng, in_parts=True)
        numbered(clusters)
        cut = np.flatnonzero(clusters[left] != clusters[right])
        if not len(cut) or time.perf_counter() > ends:
            return
        gained += recreate(
            *graph.weights, graph.kind_starts, graph.kind, clusters, left[cut], right[cut],
            min(len(cut) // 2 + 10, int(tries * len(clusters))), int(rng.integers(1 << 30)), graph.smallest,
        )  # fmt: skip
        k = numbered(clusters)
        if rounds > 1:
            pairs = _meeting(clusters, left, right, k)
            if len(pairs) * len(graph.neighbour) / max(k, 1) <= CHEAP * len(graph.neighbour):
                shuffled = rng.permutation(pairs)
                gained += exchange(*graph.weights, *graph.kinds, clusters, shuffled, IDLE_MOVES, graph.smallest)
                numbered(clusters)
        if gained < enough:
            return


def _climb(graph: MoveGraph, clusters: IntArray, rng: np.random.Generator, in_parts: bool) -> float:
    """Move nodes, then clusters (or the parts into which local moves split them), level by level; in place."""
    n = len(graph.size)
    gained = _moved(graph, clusters, rng, np.zeros(n, dtype=np.int32))
    k = numbered(clusters)
    part = clusters.copy()
    if in_parts:
        part = np.arange(n, dtype=np.int32)
        _moved(graph, part, rng, clusters)
        k = numbered(part)
    if k == n:
        return gained
    above = np.arange(k, dtype=np.int32)
    if in_parts:
        above[part] = clusters
    gained += _climb(graph.contracted(part, k), above, rng, in_parts)
    clusters[:] = above[part]
    return gained


def _moved(graph: MoveGraph, clusters: IntArray, rng: np.random.Generator, within: IntArray) -> float:
    order = rng.permutation(len(clusters)).astype(np.int32)
    return float(local_moves(*graph.weights, *graph.kinds, clusters, within, order, graph.smallest))


def _meeting(clusters: IntArray, left: IntArray, right: IntArray, k: int) -> IntArray:
    """The pairs of clusters that an attractive pair connects, and each cluster with an empty one (−1)."""
    a, b = clusters[left].astype(np.int64), clusters[right].astype(np.int64)
    key = np.unique((np.minimum(a, b) * k + np.maximum(a, b))[a != b])
    alone = np.stack([np.arange(k), np.full(k, -1)], axis=1)
    return np.concatenate([np.stack([key // k, key % k], axis=1), alone]).astype(np.int32)
