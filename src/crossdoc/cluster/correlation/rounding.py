"""Fractional cuts → clusters: region growing in the paper's finite variant, and pivots.

Region growing is Demaine & Immorlica 2003 as Van Gael & Zhu 2007, section 3.1, have it: edges count whole in the
volume of a ball. Pivots are those of Ailon, Charikar & Newman 2008 (doi:10.1145/1411509.1411513), over the relaxation.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from crossdoc.cluster.correlation._graph_kernels import rows_of_pairs
from crossdoc.cluster.correlation._rounding_kernels import grow_regions, pick_pivots
from crossdoc.cluster.correlation.problem import Problem
from crossdoc.model import IntArray

Rounding = Literal["region", "pivot"]
ROUNDINGS: tuple[Rounding, ...] = ("region", "pivot")
FACTOR = 2.0 + 1e-6
"""The c > 2 of cut ≤ c · ln(n + 1) · volume: balls stay below radius ½."""
PIVOT_ROUNDS = 10
"""Orders of pivots that are tried; the best is taken."""


def rounded(problem: Problem, x: npt.NDArray[np.float64], rounding: Rounding, seed: int = 0) -> IntArray:
    """A clustering of the nodes from how far the attractive pairs (`Problem.positive`) are cut."""
    return region(problem, x) if rounding == "region" else pivot(problem, x, seed)


def region(problem: Problem, x: npt.NDArray[np.float64]) -> IntArray:
    """Region growing; the cost is at most c · ln(n + 1) times that of the program where its x are optimal."""
    factor = FACTOR * np.log(problem.n_nodes + 1)
    return grow_regions(*paths(problem), problem.positive[2], np.clip(x, 0.0, 1.0), factor)


def pivot(problem: Problem, x: npt.NDArray[np.float64], seed: int = 0) -> IntArray:
    """Random pivots; a node joins a pivot at distance d with the probability 1 − d, if it may. The best of ten."""
    rng = np.random.default_rng(seed)
    graph = paths(problem)
    limits = problem.starts, problem.neighbour, problem.weight, problem.kind_starts, problem.kind, problem.n_kinds
    found = []
    for _ in range(PIVOT_ROUNDS):
        order, chance = rng.permutation(problem.n_nodes).astype(np.int32), rng.random(problem.n_nodes)
        found.append(pick_pivots(*limits, *graph, np.clip(x, 0.0, 1.0), order, chance))
    return min(found, key=problem.cost)


def paths(problem: Problem) -> tuple[npt.NDArray[np.int64], IntArray, npt.NDArray[Any]]:
    """The graph of the attractive pairs, as rows of neighbours and the pairs' numbers."""
    left, right, _ = problem.positive
    starts, neighbour, edge = rows_of_pairs(problem.n_nodes, left, right, np.arange(len(left), dtype=np.float64))
    return starts, neighbour, edge.astype(np.int64)
