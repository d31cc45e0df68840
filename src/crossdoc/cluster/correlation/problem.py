"""A correlation clustering problem as every solver takes it, a weighted graph with exclusions; and a solution of it.

Van Gael & Zhu 2007, section 2: w_uv > 0 wants u and v together, < 0 apart. Rows that must be one are contracted, pairs
that may not be are edges of weight −∞, and what all pairs share (−bias on a complete graph) is one number.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from crossdoc.cluster.correlation._graph_kernels import contract, joined_weight, positive_pairs, rows_of_pairs
from crossdoc.cluster.correlation._move_kernels import merge_kinds
from crossdoc.cluster.hierarchical import renumber
from crossdoc.model import IntArray

SAME_COST = 1e-7
"""Costs that differ by less than this share are the same: solvers of linear programs are no more precise."""
NOISE_SHARE, LEAST_NOISE = 1e-12, 1e-30
"""Costs that differ by less than this share of all weights are the same too, since a cost is a sum of them: 1e-16 where
weights are about 1 is 0. So are costs that differ by less than the second number, whatever the weights."""


@dataclass(frozen=True, slots=True)
class Solution:
    """Labels of the rows; their cost (disagreements); a cost that no clustering can be below."""

    labels: IntArray
    objective: float
    lower_bound: float
    seconds: float
    note: str
    x: npt.NDArray[np.float64] | None = None
    """Fractional cuts of a linear program, one per pair of `CorrelationProblem.positive`, in [0, 1]."""

    @property
    def gap(self) -> float:
        """(objective − lower bound) / objective: 0 is optimal, 0.01 at most 1% of the cost from the optimum."""
        return relative_gap(self.objective, self.lower_bound)


def noise_of(weights: float) -> float:
    """Return the rounding error of a cost, given the sum of all weights."""
    return max(NOISE_SHARE * weights, LEAST_NOISE)


def relative_gap(objective: float, lower_bound: float, noise: float = LEAST_NOISE) -> float:
    """The part of a cost that is above its bound, 0 where the difference is rounding.

    >>> relative_gap(40.0, 30.0), relative_gap(30.0, 30.0 - 1e-9), relative_gap(1.1e-16, 0.0, noise_of(3))
    (0.25, 0.0, 0.0)
    """
    above = objective - lower_bound
    return float(above / objective) if above > max(SAME_COST * objective, noise) else 0.0


@dataclass(frozen=True)
class CorrelationProblem:
    """Nodes (rows that must be one are one node), weighted edges, and what may never be together.

    The weight of nodes u and v is that of their edge (0 without one) − penalty · size[u] · size[v]; −∞ means never
    together, and so does a kind that both have. The cost of a clustering of the rows is `offset` less the weights
    inside clusters: it counts the disagreements Σ_{E+} w x + Σ_{E−} |w| (1 − x), x = 1 for a pair that is cut.
    """

    n: int
    """Rows."""
    node: IntArray
    """The node of each row."""
    size: npt.NDArray[np.float64]
    starts: npt.NDArray[np.int64]
    """The neighbours of node v are neighbour[starts[v]:starts[v + 1]], ascending."""
    neighbour: IntArray
    weight: npt.NDArray[np.floating[Any]]
    penalty: float
    kind_starts: npt.NDArray[np.int64]
    """The kinds of node v, of which a cluster holds one each, are kind[kind_starts[v]:kind_starts[v + 1]]."""
    kind: IntArray
    n_kinds: int
    offset: float
    notes: tuple[str, ...] = ()

    @property
    def n_nodes(self) -> int:
        return len(self.size)

    @property
    def n_edges(self) -> int:
        return len(self.neighbour) // 2

    @property
    def graph(self) -> tuple[Any, ...]:
        """Arguments of the kernels."""
        return (
            self.starts, self.neighbour, self.weight, self.size, self.penalty, self.kind_starts, self.kind, self.n_kinds
        )  # fmt: skip

    @cached_property
    def positive(self) -> tuple[IntArray, IntArray, npt.NDArray[np.float64]]:
        """The attractive pairs of nodes and their weights."""
        return positive_pairs(self.starts, self.neighbour, self.weight, self.size, self.penalty)

    @cached_property
    def paths(self) -> tuple[npt.NDArray[np.int64], IntArray, npt.NDArray[np.int64]]:
        """The graph of the attractive pairs, as rows of neighbours and the pairs' numbers."""
        left, right, _ = self.positive
        starts, neighbour, edge = rows_of_pairs(self.n_nodes, left, right, np.arange(len(left), dtype=np.float64))
        return starts, neighbour, edge.astype(np.int64)

    @cached_property
    def least(self) -> float:
        """Trivial lower bound: the cost of rows that must be one, if no attractive pair had to be cut."""
        return float(self.offset - self.positive[2].sum())

    @cached_property
    def least_gain(self) -> float:
        """A gain of a move below this is rounding."""
        finite = np.abs(self.weight[np.isfinite(self.weight)])
        return 1e-9 * max(float(finite.mean()) if len(finite) else 0.0, self.penalty, 1e-300)

    @cached_property
    def noise(self) -> float:
        """A difference between costs that rounding can make."""
        listed = float(np.abs(self.weight).sum(where=np.isfinite(self.weight), dtype=np.float64)) / 2
        return noise_of(abs(self.offset) + listed + self.penalty * float((self.size**2).sum()))

    def gap(self, cost: float, bound: float) -> float:
        """The part of a cost that is above a bound, 0 where the difference is rounding."""
        return relative_gap(cost, bound, self.noise)

    def settled(self, cost: float, bound: float) -> float:
        """The bound, or the cost where the two differ by the rounding of sums alone."""
        return bound if cost - bound > self.noise else cost

    def cost(self, clusters: npt.NDArray[Any]) -> float:
        """The disagreements of a clustering of the nodes; infinite if it joins an edge of weight −∞."""
        inside = joined_weight(self.starts, self.neighbour, self.weight, np.asarray(clusters, dtype=np.int32))
        totals = np.bincount(clusters, weights=self.size) if self.n_nodes else np.zeros(0)
        cost = float(self.offset - inside + self.penalty * ((totals**2).sum() - (self.size**2).sum()) / 2)
        return cost if cost > self.noise else 0.0

    def allows(self, clusters: npt.NDArray[Any]) -> bool:
        """Whether a clustering of the nodes keeps apart what may never be together."""
        of = np.asarray(clusters, dtype=np.int64)[np.repeat(np.arange(self.n_nodes), np.diff(self.kind_starts))]
        met = of * self.n_kinds + self.kind
        return len(np.unique(met)) == len(met) and np.isfinite(self.cost(clusters))

    def labels(self, clusters: npt.NDArray[Any]) -> IntArray:
        """A clustering of the nodes as labels of the rows, numbered in order of first appearance."""
        return renumber(np.asarray(clusters)[self.node]) if self.n else np.zeros(0, dtype=np.int32)

    def clusters(self, labels: npt.NDArray[Any]) -> IntArray:
        """Labels of the rows as a clustering of the nodes; rows that must be one have one label."""
        clusters = np.zeros(self.n_nodes, dtype=np.int32)
        clusters[self.node] = renumber(np.asarray(labels)) if self.n else 0
        return clusters

    def contracted(self, cluster: IntArray, k: int) -> CorrelationProblem:
        """The problem between k clusters, each a row; costs are those of the rest."""
        starts, neighbour, weight = contract(self.starts, self.neighbour, self.weight, cluster, k)
        size = np.bincount(cluster, weights=self.size, minlength=k).astype(np.float64)
        kind_starts, kind = merge_kinds(self.kind_starts, self.kind, cluster, k)
        return replace(
            self, n=k, node=np.arange(k, dtype=np.int32), size=size, starts=starts, neighbour=neighbour, weight=weight,
            kind_starts=kind_starts, kind=kind,
        )  # fmt: skip

    def restricted(self, nodes: npt.NDArray[Any]) -> CorrelationProblem:
        """The problem of some of the nodes (ascending) alone, each a row."""
        where = np.full(self.n_nodes, -1, dtype=np.int32)
        where[nodes] = np.arange(len(nodes))
        degree = np.diff(self.starts)
        row = np.repeat(where, degree)
        kept = np.flatnonzero(row >= 0)
        kept = kept[where[self.neighbour[kept]] >= 0]
        starts = np.concatenate([[0], np.cumsum(np.bincount(row[kept], minlength=len(nodes)))]).astype(np.int64)
        kinds = np.diff(self.kind_starts)
        kind_starts = np.concatenate([[0], np.cumsum(kinds[nodes])]).astype(np.int64)
        kind = self.kind[np.repeat(where, kinds) >= 0]
        neighbour, weight, size = where[self.neighbour[kept]], self.weight[kept], self.size[nodes]
        attractive = float(positive_pairs(starts, neighbour, weight, size, self.penalty)[2].sum())
        return replace(
            self, n=len(nodes), node=np.arange(len(nodes), dtype=np.int32), size=size, starts=starts,
            neighbour=neighbour, weight=weight, kind_starts=kind_starts, kind=kind, offset=attractive, notes=(),
        )  # fmt: skip
