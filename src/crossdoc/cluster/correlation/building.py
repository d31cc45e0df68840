"""Strengths, a bias and constraints → a correlation clustering problem.

Self-loops are left out, pairs listed twice count with their mean, soft
constraints are added to strengths, rows that must be one are contracted, and contradictions are reported.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from crossdoc import errors
from crossdoc.cluster.correlation._graph_kernels import joined_weight, merge_repeated, positive_pairs, rows_of_pairs
from crossdoc.cluster.correlation.problem import CorrelationProblem
from crossdoc.cluster.estimator_inputs import checked_matrix, checked_weights
from crossdoc.cluster.hierarchical import renumber
from crossdoc.constraints import Constraints
from crossdoc.model import IntArray, Relations

_Graph = tuple[npt.NDArray[np.int64], IntArray, npt.NDArray[Any]]
"""The neighbours of row v are [1][[0][v]:[0][v + 1]], and [2] has the weights of these pairs."""
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
    graph and the weight 0 on a sparse one. A self-loop is left out, a pair listed twice counts once with its mean, and
    `notes` says so. No cluster holds two rows of one of the `groups` (one label per row; None for no group).

    >>> toy = np.array([[0, -1000, 30, 0], [-1000, 0, 25, 20], [30, 25, 0, 15], [0, 20, 15, 0.0]])
    >>> build(toy).cost(np.array([0, 1, 1, 1]))
    30.0
    """
    if missing not in MISSING:
        raise errors.unknown_choice("rule for missing pairs", missing, MISSING)
    if bias is not None and not (isinstance(bias, Real) and np.isfinite(bias)):
        raise errors.bad_bias(bias)
    n, graph, default, notes = _listed_graph(X)
    limits = constraints or Constraints.none(n)
    if limits.n != n:
        raise errors.constraints_of_other_rows(limits.n, n)
    share = checked_weights(sample_weight, n)
    graph, penalty = _weighted(graph, default, bias, missing, limits)
    if sample_weight is not None:
        starts, neighbour, weight = graph
        weight *= (np.repeat(share, np.diff(starts)) * share[neighbour]).astype(weight.dtype)
    node = renumber(limits.group) if n else np.zeros(0, dtype=np.int32)
    size = np.bincount(node, weights=share, minlength=0).astype(np.float64)
    attractive = float(positive_pairs(*graph, share, penalty)[2].sum())
    joined = joined_weight(*graph, node) - penalty * ((size**2).sum() - (share**2).sum()) / 2
    graph = _between_nodes(graph, node, len(size), limits)
    kinds = _kinds(groups, node, len(size), limits)
    return CorrelationProblem(n, node, size, *graph, penalty, *kinds, attractive - joined, tuple(notes))


def _listed_graph(X: Relations | npt.NDArray[Any]) -> tuple[int, _Graph, float, list[str]]:
    """The rows, each listed pair once with its strength, that of pairs not listed, and what was left out or merged."""
    n, left, right, value, default = _pairs(X)
    notes = []
    if (loops := left == right).any():
        of = left[np.argmax(loops)]
        notes.append(f"{loops.sum():,} pairs of a row with itself were left out, the first of them row {of}")
        left, right, value = left[~loops], right[~loops], value[~loops]
    graph, repeated, (a, b) = _merged(rows_of_pairs(n, left, right, value), mean=True)
    if repeated:
        notes.append(
            f"{repeated:,} pairs were given more than once, such as rows {a} and {b}; the mean of their values is used"
        )
    return n, graph, default, notes


def _weighted(
    graph: _Graph, default: float, bias: float | None, missing: Missing, limits: Constraints
) -> tuple[_Graph, float]:
    """Weights, soft constraints among them, and the penalty of each pair: weight − penalty is strength − bias."""
    threshold = 0.0 if bias is None else float(bias)
    base = default if missing == "complete" else threshold
    penalty = threshold - base
    starts, neighbour, weight = graph
    weight -= weight.dtype.type(base)
    if penalty < 0:
        if limits.n > MOST_IMPLICIT:
            raise errors.bias_below_default(threshold, default, limits.n, MOST_IMPLICIT)
        graph, penalty = _all_pairs(limits.n, starts, neighbour, weight, -penalty), 0.0
    if len(limits.soft):
        graph = _with_pairs(*graph, limits.soft, limits.soft_weight)
    return graph, penalty


def _between_nodes(graph: _Graph, node: IntArray, n_nodes: int, limits: Constraints) -> _Graph:
    """Rows that must be one contracted, and −∞ between nodes that may not be together."""
    if n_nodes < limits.n:
        graph = _contracted(*graph, node, n_nodes)
    if not len(limits.cannot):
        return graph
    apart = node[limits.cannot]
    if (same := apart[:, 0] == apart[:, 1]).any():
        a, b = limits.cannot[np.argmax(same)]
        raise errors.must_and_cannot(int(a), int(b))
    return _with_pairs(*graph, apart, np.full(len(apart), -np.inf))


def _pairs(X: Relations | npt.NDArray[Any]) -> tuple[int, IntArray, IntArray, npt.NDArray[Any], float]:
    if not isinstance(X, Relations):
        matrix = checked_matrix(X)
        relations = Relations.from_dense(matrix)
        dtype = np.float64 if len(relations) <= MANY_PAIRS else np.float32
        value = relations.strength.astype(dtype, copy=False)
        if dtype == np.float64:
            value = matrix[relations.left, relations.right].astype(dtype)
        return len(matrix), relations.left, relations.right, value, 0.0
    left, right, value = relations_arrays(X)
    return X.n, left, right, value, float(X.default_strength)


def relations_arrays(relations: Relations) -> tuple[IntArray, IntArray, npt.NDArray[Any]]:
    """The pairs as arrays of one type, or a message that says what is wrong with them."""
    left, right = relations.left.astype(np.int32, copy=False), relations.right.astype(np.int32, copy=False)
    if not (len(left) == len(right) == len(relations.strength)):
        raise errors.bad_similarities("left, right and strength differ in length")
    if len(left) and (min(left.min(), right.min()) < 0 or max(left.max(), right.max()) >= relations.n):
        raise errors.bad_similarities(f"a pair names a row that is not among the {relations.n:,}")
    bad = ~np.isfinite(relations.strength)
    if bad.any():
        at = int(np.argmax(bad))
        reason = f"{bad.sum():,} of them are not finite, the first at rows {left[at]} and {right[at]}"
        raise errors.bad_similarities(reason)
    if not np.isfinite(relations.default_strength):
        raise errors.bad_similarities("default_strength is not finite")
    dtype = np.float64 if len(left) <= MANY_PAIRS else np.float32
    return left, right, relations.strength.astype(dtype, copy=False)


def _merged(graph: _Graph, mean: bool) -> tuple[_Graph, int, tuple[int, int]]:
    starts, neighbour, weight = graph
    merged, repeated, first = merge_repeated(starts, neighbour, weight, mean)
    if merged[-1] < len(neighbour):
        neighbour, weight = neighbour[: merged[-1]].copy(), weight[: merged[-1]].copy()
    return (merged, neighbour, weight), repeated, first


def _listed(starts: npt.NDArray[np.int64], neighbour: IntArray, weight: npt.NDArray[Any]) -> tuple[Any, Any, Any]:
    """The pairs of a graph, each once."""
    row = np.repeat(np.arange(len(starts) - 1, dtype=np.int32), np.diff(starts))
    once = row < neighbour
    return row[once], neighbour[once], weight[once]


def _with_pairs(
    starts: npt.NDArray[np.int64],
    neighbour: IntArray,
    weight: npt.NDArray[Any],
    pairs: npt.NDArray[Any],
    more: npt.NDArray[Any],
) -> _Graph:
    left, right, old = _listed(starts, neighbour, weight)
    distinct = pairs[:, 0] != pairs[:, 1]
    a = np.concatenate([left, pairs[distinct, 0]]).astype(np.int32)
    b = np.concatenate([right, pairs[distinct, 1]]).astype(np.int32)
    both = np.concatenate([old, more[distinct]]).astype(weight.dtype)
    return _merged(rows_of_pairs(len(starts) - 1, a, b, both), mean=False)[0]


def _contracted(
    starts: npt.NDArray[np.int64], neighbour: IntArray, weight: npt.NDArray[Any], node: IntArray, k: int
) -> _Graph:
    left, right, value = _listed(starts, neighbour, weight)
    across = node[left] != node[right]
    graph = rows_of_pairs(k, node[left[across]], node[right[across]], value[across])
    return _merged(graph, mean=False)[0]


def _all_pairs(
    n: int, starts: npt.NDArray[np.int64], neighbour: IntArray, weight: npt.NDArray[Any], uniform: float
) -> _Graph:
    left, right = (side.astype(np.int32) for side in np.triu_indices(n, 1))
    starts_all, neighbour_all, weight_all = rows_of_pairs(
        n, left, right, np.full(len(left), uniform, dtype=weight.dtype)
    )
    a, b, more = _listed(starts, neighbour, weight)
    return _with_pairs(starts_all, neighbour_all, weight_all, np.stack([a, b], axis=1), more)


def _kinds(
    groups: npt.ArrayLike | None, node: IntArray, n_nodes: int, limits: Constraints
) -> tuple[npt.NDArray[np.int64], IntArray, int]:
    """The kinds of each node; two rows of one group that must be one contradict each other."""
    if groups is None:
        return np.zeros(n_nodes + 1, dtype=np.int64), np.zeros(0, dtype=np.int32), 1
    given = np.asarray(groups, dtype=object)
    if given.shape != (len(node),):
        raise errors.bad_groups(f"the shape {given.shape} is not that of {len(node):,} rows")
    code: dict[object, int] = {}
    kinds = np.array([-1 if _no_group(g) else code.setdefault(g, len(code)) for g in given], dtype=np.int64)
    rows = np.flatnonzero(kinds >= 0)
    rows = rows[np.lexsort((kinds[rows], node[rows]))]
    twice = np.flatnonzero((np.diff(node[rows]) == 0) & (np.diff(kinds[rows]) == 0))
    if len(twice):
        a, b = sorted(rows[twice[0] : twice[0] + 2].tolist())
        raise errors.one_of_a_group(a, b, str(given[a]), limits.chain(a, b))
    starts = np.concatenate([[0], np.cumsum(np.bincount(node[rows], minlength=n_nodes))]).astype(np.int64)
    return starts, kinds[rows].astype(np.int32), max(len(code), 1)


def _no_group(group: object) -> bool:
    return group is None or (isinstance(group, float) and np.isnan(group))
