"""A lower bound without a linear program: conflicting cycles that share no weight.

Each cycle of one pair that wants to be apart and a path of attractive pairs costs at least its smallest weight, and
cycles packed so that no weight is used twice add up: Lange, Karrenbauer & Andres 2018, "Partial Optimality and Fast
Lower Bounds for Weighted Correlation Clustering", algorithm 1. Here searches are cut short.
"""

from __future__ import annotations

import numpy as np

from crossdoc.cluster.correlation._cycle_kernels import pack_cycles
from crossdoc.cluster.correlation._graph_kernels import rows_of_pairs
from crossdoc.cluster.correlation.problem import CorrelationProblem

LONGEST_PATHS = (2, 3, 5)
MOST_VISITED = 60
"""Nodes that a search for one path looks at: packing stays linear in the edges."""


def packing_bound(problem: CorrelationProblem) -> float:
    """A cost that no clustering of the problem can be below.

    >>> from crossdoc.cluster.correlation import build
    >>> toy = np.array([[0, -1000, 30, 0], [-1000, 0, 25, 20], [30, 25, 0, 15], [0, 20, 15, 0.0]])
    >>> packing_bound(build(toy))
    30.0
    """
    left, right, weight = problem.positive
    starts, neighbour, edge = rows_of_pairs(problem.n_nodes, left, right, np.arange(len(left), dtype=np.float64))
    packed = pack_cycles(
        problem.starts, problem.neighbour, problem.weight, problem.size, problem.penalty, problem.kind_starts,
        problem.kind, problem.n_kinds, starts, neighbour, edge.astype(np.int64), weight.copy(),
        np.array(LONGEST_PATHS), MOST_VISITED + 6 * len(left) // max(problem.n_nodes, 1),
    )  # fmt: skip
    return problem.least + float(packed)
