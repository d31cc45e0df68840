"""Fractional cuts → clusters: region growing in the paper's finite variant, and pivots.

Region growing is Demaine & Immorlica 2003 as Van Gael & Zhu 2007, section 3.1, have it: edges count in full in
the volume of a ball. Pivots are those of Ailon, Charikar & Newman 2008 (doi:10.1145/1411509.1411513), over the
relaxation.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt
from numba import njit

from crossdoc.cluster.correlation._cycle_kernels import drop_first, push
from crossdoc.cluster.correlation._move_kernels import holds_any, kinds_table, put_in
from crossdoc.cluster.correlation.problem import CorrelationProblem
from crossdoc.model import IntArray

Rounding = Literal["region", "pivot"]
ROUNDINGS: tuple[Rounding, ...] = ("region", "pivot")
FACTOR = 2.0 + 1e-6
"""The c > 2 of cut ≤ c · ln(n + 1) · volume: balls stay below radius ½."""
SAME_DISTANCE = 1e-9
"""Distances that differ by less are the same."""
PIVOT_ROUNDS = 10
"""Orders of pivots that are tried; the best is taken."""


def rounded(problem: CorrelationProblem, x: npt.NDArray[np.float64], rounding: Rounding, seed: int = 0) -> IntArray:
    """A clustering of the nodes from how far the attractive pairs (`Problem.positive`) are cut."""
    return region(problem, x) if rounding == "region" else pivot(problem, x, seed)


def region(problem: CorrelationProblem, x: npt.NDArray[np.float64]) -> IntArray:
    """Region growing; the cost is at most c · ln(n + 1) times that of the program where its x are optimal."""
    factor = FACTOR * np.log(problem.n_nodes + 1)
    return grow_regions(*problem.paths, problem.positive[2], np.clip(x, 0.0, 1.0), factor)


def pivot(problem: CorrelationProblem, x: npt.NDArray[np.float64], seed: int = 0) -> IntArray:
    """Random pivots; a node joins a pivot at distance d with the probability 1 − d, if it may. The best of ten."""
    rng = np.random.default_rng(seed)
    limits = problem.starts, problem.neighbour, problem.weight, problem.kind_starts, problem.kind, problem.n_kinds
    found = []
    for _ in range(PIVOT_ROUNDS):
        order, chance = rng.permutation(problem.n_nodes).astype(np.int32), rng.random(problem.n_nodes)
        found.append(pick_pivots(*limits, *problem.paths, np.clip(x, 0.0, 1.0), order, chance))
    return min(found, key=problem.cost)


@njit(cache=True, nogil=True)
def grow_regions(path_starts, path_neighbour, path_edge, weight, x, factor):  # type: ignore[no-untyped-def]
    """Balls round the nodes, in order, each grown until cut ≤ factor · volume, always below radius ½."""
    n = len(path_starts) - 1
    cluster = np.full(n, -1, dtype=np.int32)
    distance = np.full(n, np.inf)
    reached = np.empty(n, dtype=np.int32)
    heap_key = np.empty(len(path_neighbour) + 1)
    heap_node = np.empty(len(path_neighbour) + 1, dtype=np.int32)
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
        length = push(heap_key, heap_node, 0, 0.0, u)
        radius = 0.0
        while length > 0:
            v = heap_node[0]
            key = heap_key[0]
            if key > radius + SAME_DISTANCE and (cut <= factor * volume or key >= 0.5 - SAME_DISTANCE):
                break
            length = drop_first(heap_key, heap_node, length)
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
                    length = push(heap_key, heap_node, length, distance[w], w)
        for i in range(n_reached):
            distance[reached[i]] = np.inf
        number += 1
    return cluster


@njit(cache=True, nogil=True)
def pick_pivots(  # type: ignore[no-untyped-def]
    starts, neighbour, weight, kind_starts, kind, n_kinds, path_starts, path_neighbour, path_edge, x, order, chance
):
    """Each node of `order` that is left becomes a pivot; others at distance d < 1 join it if chance[them] ≥ d."""
    n = len(path_starts) - 1
    cluster = np.full(n, -1, dtype=np.int32)
    distance = np.full(n, np.inf)
    settled = np.zeros(n, dtype=np.bool_)
    reached = np.empty(n, dtype=np.int32)
    heap_key = np.empty(len(path_neighbour) + 1)
    heap_node = np.empty(len(path_neighbour) + 1, dtype=np.int32)
    table = kinds_table(len(kind))
    number = 0
    for t in range(n):
        u = order[t]
        if cluster[u] >= 0:
            continue
        distance[u] = 0.0
        reached[0] = u
        n_reached = 1
        length = push(heap_key, heap_node, 0, 0.0, u)
        while length > 0:
            v, key = heap_node[0], heap_key[0]
            length = drop_first(heap_key, heap_node, length)
            if settled[v]:
                continue
            settled[v] = True
            if cluster[v] < 0 and (v == u or chance[v] >= key):
                may = not holds_any(table, number, n_kinds, kind, kind_starts[v], kind_starts[v + 1])
                for p in range(starts[v], starts[v + 1]):
                    if weight[p] == -np.inf and cluster[neighbour[p]] == number:
                        may = False
                        break
                if may:
                    cluster[v] = number
                    put_in(table, number, n_kinds, kind, kind_starts[v], kind_starts[v + 1])
            for p in range(path_starts[v], path_starts[v + 1]):
                w = path_neighbour[p]
                longer = key + x[path_edge[p]]
                if longer < 1.0 - SAME_DISTANCE and longer < distance[w]:
                    if distance[w] == np.inf:
                        reached[n_reached] = w
                        n_reached += 1
                    distance[w] = longer
                    length = push(heap_key, heap_node, length, longer, w)
        for i in range(n_reached):
            distance[reached[i]] = np.inf
            settled[reached[i]] = False
        number += 1
    return cluster
