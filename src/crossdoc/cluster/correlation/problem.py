"""A correlation clustering problem as every solver takes it, a weighted graph with exclusions; and a solution of it.

Van Gael & Zhu 2007, section 2: w_uv > 0 wants u and v together, < 0 apart. Rows that must be one are contracted, pairs
that may not be are edges of weight −∞, and what all pairs share (−bias on a complete graph) is one number.

Strengths, a bias and constraints → a correlation clustering problem.

Soft constraints are added to strengths, rows that must be one are contracted, and contradictions are reported.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from crossdoc import errors
from crossdoc.cluster.correlation._graph_kernels import contract
from crossdoc.cluster.estimators import checked_limits, checked_matrix, checked_weights, symmetric_rows
from crossdoc.cluster.hierarchical import renumber
from crossdoc.model import IntArray, Relations
from crossdoc.model.evidence_protocol import Constraints

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


def relative_gap(objective: float, lower_bound: float, noise: float = LEAST_NOISE) -> float:
    """The part of a cost that is above its bound, 0 where the difference is rounding.

    >>> relative_gap(40.0, 30.0), relative_gap(30.0, 30.0 - 1e-9), relative_gap(1.1e-16, 0.0, 3e-12)
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
        row = self._row
        net = self.weight - self.penalty * self.size[row] * self.size[self.neighbour]
        once = np.flatnonzero((row < self.neighbour) & (net > 0))
        return row[once], self.neighbour[once], net[once].astype(np.float64)

    @property
    def _row(self) -> IntArray:
        """The node whose neighbour each is."""
        return np.repeat(np.arange(self.n_nodes, dtype=np.int32), np.diff(self.starts))

    @cached_property
    def paths(self) -> tuple[npt.NDArray[np.int64], IntArray, npt.NDArray[np.int64]]:
        """The graph of the attractive pairs, as rows of neighbours and the pairs' numbers."""
        left, right, _ = self.positive
        return symmetric_rows(self.n_nodes, left, right, np.arange(len(left)))

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
        weights = abs(self.offset) + listed + self.penalty * float((self.size**2).sum())
        return max(NOISE_SHARE * weights, LEAST_NOISE)

    def gap(self, cost: float, bound: float) -> float:
        """The part of a cost that is above a bound, 0 where the difference is rounding."""
        return relative_gap(cost, bound, self.noise)

    def settled(self, cost: float, bound: float) -> float:
        """The bound, or the cost where the two differ by the rounding of sums alone."""
        return bound if cost - bound > self.noise else cost

    def cost(self, clusters: npt.NDArray[Any]) -> float:
        """The disagreements of a clustering of the nodes; infinite if it joins an edge of weight −∞."""
        clusters = np.asarray(clusters, dtype=np.int32)
        together = np.repeat(clusters, np.diff(self.starts)) == clusters[self.neighbour]
        inside = float(self.weight[together].sum(dtype=np.float64)) / 2
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

    def contracted(self, cluster: IntArray, k: int) -> CorrelationProblem:
        """The problem between k clusters, each a row; costs are those of the rest."""
        begin = np.concatenate([[0], np.cumsum(np.bincount(cluster, minlength=k))])
        order = np.argsort(cluster, kind="stable")
        starts, neighbour, weight = contract(self.starts, self.neighbour, self.weight, cluster, order, begin)
        size = np.bincount(cluster, weights=self.size, minlength=k).astype(np.float64)
        of_kind = cluster[np.repeat(np.arange(self.n_nodes), np.diff(self.kind_starts))]
        kind_starts = np.concatenate([[0], np.cumsum(np.bincount(of_kind, minlength=k))]).astype(np.int64)
        kind = self.kind[np.argsort(of_kind, kind="stable")]
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
        inner = replace(
            self, n=len(nodes), node=np.arange(len(nodes), dtype=np.int32), size=self.size[nodes], starts=starts,
            neighbour=where[self.neighbour[kept]], weight=self.weight[kept], kind_starts=kind_starts, kind=kind,
        )  # fmt: skip
        return replace(inner, offset=float(inner.positive[2].sum()))


_Pairs = tuple[IntArray, IntArray, npt.NDArray[Any]]
"""Pairs, each once: both ends, and the strength or weight."""
Missing = Literal["complete", "sparse"]
MISSING: tuple[Missing, ...] = ("complete", "sparse")
MANY_PAIRS = 20_000_000
"""Pairs above which weights are kept in single precision: 20,000 rows have 200 million, 3.2 GB then."""
MOST_IMPLICIT = 4_000
"""Rows up to which pairs not listed can all be attractive: they are then written out, 8 million at most."""


def build(
    X: Relations | npt.NDArray[Any],
    *,
    bias: float | None = None,
    missing: Missing = "complete",
    constraints: Constraints | None = None,
    groups: npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
) -> CorrelationProblem:
    """The problem of a matrix of strengths or weights, or of :class:`Relations`.

    A pair's weight is its strength − bias. A pair that is not listed has the strength `default_strength` on a complete
    graph and the weight 0 on a sparse one. No cluster holds two rows of one of the `groups` (a label per row, or None).

    >>> toy = np.array([[0, -1000, 30, 0], [-1000, 0, 25, 20], [30, 25, 0, 15], [0, 20, 15, 0.0]])
    >>> build(toy).cost(np.array([0, 1, 1, 1]))
    30.0
    """
    if missing not in MISSING:
        raise errors.unknown_choice("rule for missing pairs", missing, MISSING)
    if bias is not None and not (isinstance(bias, Real) and np.isfinite(bias)):
        raise errors.bad_parameter(
            "bias", bias, "a finite number, the strength above which two rows attract each other"
        )
    n, pairs, default = _listed_pairs(X)
    limits = checked_limits(constraints, n)
    share = checked_weights(sample_weight, n)
    (left, right, weight), penalty = _weighted(pairs, default, bias, missing, limits)
    if sample_weight is not None:
        weight *= (share[left] * share[right]).astype(weight.dtype)
    node = renumber(limits.group) if n else np.zeros(0, dtype=np.int32)
    size = np.bincount(node, weights=share, minlength=0).astype(np.float64)
    attractive = float(np.maximum(weight - penalty * share[left] * share[right], 0.0).sum())
    across = node[left] != node[right]
    joined = float(weight[~across].sum(dtype=np.float64)) - penalty * ((size**2).sum() - (share**2).sum()) / 2
    ends = node[left[across]], node[right[across]], weight[across]
    graph = symmetric_rows(len(size), *_with_exclusions(ends, node, limits))
    kinds = _kinds(groups, node, len(size), limits)
    return CorrelationProblem(n, node, size, *graph, penalty, *kinds, attractive - joined)


def _listed_pairs(X: Relations | npt.NDArray[Any]) -> tuple[int, _Pairs, float]:
    """The rows, each listed pair with its strength, and that of pairs not listed."""
    if not isinstance(X, Relations):
        matrix = checked_matrix(X)
        relations = Relations.from_dense(matrix)
        left, right, value = relations.left, relations.right, relations.strength
        if len(relations) <= MANY_PAIRS:
            value = matrix[left, right].astype(np.float64)
        return len(matrix), (left, right, value), 0.0
    X.checked()
    left, right = np.minimum(X.left, X.right).astype(np.int32), np.maximum(X.left, X.right).astype(np.int32)
    if len(np.unique(left.astype(np.int64) * X.n + right)) < len(left):
        raise errors.bad_similarities("a pair is listed more than once")
    value = X.strength.astype(np.float64 if len(X) <= MANY_PAIRS else np.float32)
    return X.n, (left, right, value), float(X.default_strength)


def _weighted(
    pairs: _Pairs, default: float, bias: float | None, missing: Missing, limits: Constraints
) -> tuple[_Pairs, float]:
    """Weights, soft constraints among them, and the penalty of each pair: weight − penalty is strength − bias."""
    threshold = 0.0 if bias is None else float(bias)
    base = default if missing == "complete" else threshold
    penalty = threshold - base
    left, right, weight = pairs
    weight -= weight.dtype.type(base)
    more: list[tuple[Any, Any, Any]] = [(*limits.soft.T, limits.soft_weight)]
    if penalty < 0:
        if limits.n > MOST_IMPLICIT:
            raise errors.bias_below_default(default, threshold, limits.n, MOST_IMPLICIT)
        every = np.triu_indices(limits.n, 1)
        more.append((*every, np.full(len(every[0]), -penalty)))
        penalty = 0.0
    return _added((left, right, weight), more, limits.n), penalty


def _added(pairs: _Pairs, more: list[tuple[Any, Any, Any]], n: int) -> _Pairs:
    """The pairs with weights added to some of them, or to pairs that were not listed."""
    if not any(len(each[2]) for each in more):
        return pairs
    a, b, weight = (np.concatenate([own, *others]) for own, *others in zip(pairs, *more, strict=True))
    left, right = np.minimum(a, b).astype(np.int32), np.maximum(a, b).astype(np.int32)
    _, first, where = np.unique(left.astype(np.int64) * n + right, return_index=True, return_inverse=True)
    total = np.bincount(where, weight).astype(pairs[2].dtype)
    apart = left[first] != right[first]
    return left[first][apart], right[first][apart], total[apart]


def _with_exclusions(pairs: _Pairs, node: IntArray, limits: Constraints) -> _Pairs:
    """The pairs of nodes, and −∞ between those that may not be together."""
    apart = node[limits.cannot]
    if (same := apart[:, 0] == apart[:, 1]).any():
        a, b = limits.cannot[np.argmax(same)]
        raise errors.must_and_cannot(int(a), int(b))
    never = apart[:, 0], apart[:, 1], np.full(len(apart), -np.inf, dtype=pairs[2].dtype)
    left, right, weight = (np.concatenate(both) for both in zip(pairs, never, strict=True))
    return left.astype(np.int32), right.astype(np.int32), weight


def _kinds(
    groups: npt.ArrayLike | None, node: IntArray, n_nodes: int, limits: Constraints
) -> tuple[npt.NDArray[np.int64], IntArray, int]:
    """The kinds of each node; two rows of one group that must be one contradict each other."""
    if groups is None:
        return np.zeros(n_nodes + 1, dtype=np.int64), np.zeros(0, dtype=np.int32), 1
    given = np.asarray(groups, dtype=object)
    if given.shape != (len(node),):
        raise errors.misfit("The groups", len(node), f"their shape is {given.shape}")
    kinds = group_codes(groups)
    rows = np.flatnonzero(kinds >= 0)
    rows = rows[np.lexsort((kinds[rows], node[rows]))]
    twice = np.flatnonzero((np.diff(node[rows]) == 0) & (np.diff(kinds[rows]) == 0))
    if len(twice):
        a, b = sorted(rows[twice[0] : twice[0] + 2].tolist())
        raise errors.one_of_a_group(a, b, str(given[a]), limits.chain(a, b))
    starts = np.concatenate([[0], np.cumsum(np.bincount(node[rows], minlength=n_nodes))]).astype(np.int64)
    return starts, kinds[rows].astype(np.int32), max(int(kinds.max(initial=-1)) + 1, 1)


def group_codes(groups: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """The number of each row's group; −1 for no group (None or NaN)."""
    code: dict[object, int] = {}
    return np.array(
        [-1 if g is None or g != g else code.setdefault(g, len(code)) for g in np.asarray(groups, dtype=object)],
        dtype=np.int64,
    )
