"""Agglomerative clustering: single, complete and average link, with must-link and cannot-link.

Merges the two most similar clusters again and again until none reaches the threshold. Without constraints this is
textbook linkage (checked against SciPy); with cannot-links it is the constrained hierarchical clustering (CHC) that
Van Gael & Zhu 2007 compare with.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from sklearn.base import BaseEstimator, ClusterMixin

from crossdoc import errors
from crossdoc.cluster.constraints import Constraints
from crossdoc.cluster.kernels import link_dense, link_single
from crossdoc.cluster.memberships import soften
from crossdoc.model import Partition, Relations

Linkage = Literal["single", "complete", "average"]
_CODES = {"single": 0, "complete": 1, "average": 2}
MAX_BLOCK = 20_000
"""Rows of one dense block: 20,000² single-precision strengths are 1.6 GB."""


class LinkageClustering(ClusterMixin, BaseEstimator):
    """Agglomerative clustering of similarities, with constraints.

    Parameters
    ----------
    linkage : how the similarity of two clusters follows from that of their members: the highest (single), the lowest
        (complete) or the mean (average).
    threshold : clusters at least this similar are merged.
    max_block : the most rows that complete and average link take at once; they need all pairs.

    Attributes
    ----------
    labels_ : the cluster of each row, numbered in order of first appearance.
    partition_ : soft memberships, see :func:`crossdoc.cluster.memberships.soften`.

    Notes
    -----
    O(n²) memory and, in practice, time for complete and average link; O(m log m) for single link over m given pairs.

    >>> strengths = np.array([[1, .9, .1], [.9, 1, .2], [.1, .2, 1]])
    >>> LinkageClustering(threshold=0.5).fit(strengths).labels_.tolist()
    [0, 0, 1]
    """

    def __init__(self, linkage: Linkage = "average", threshold: float = 0.5, max_block: int = MAX_BLOCK) -> None:
        self.linkage = linkage
        self.threshold = threshold
        self.max_block = max_block

    def fit(
        self,
        X: Relations | npt.NDArray[Any],
        y: object = None,
        *,
        constraints: Constraints | None = None,
        sample_weight: npt.NDArray[Any] | None = None,
    ) -> LinkageClustering:
        """Cluster a similarity matrix or :class:`Relations`; `sample_weight` counts a row as that many."""
        if self.linkage not in _CODES:
            raise errors.unknown_choice("linkage", self.linkage, list(_CODES))
        relations = X if isinstance(X, Relations) else Relations.from_dense(np.asarray(X))
        limits = constraints or Constraints.none(relations.n)
        if limits.n != relations.n:
            raise ValueError(f"constraints on {limits.n} rows for {relations.n} rows of similarities")
        sizes = np.ones(relations.n) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        if self.linkage == "single":
            labels = self._single(relations, limits)
        else:
            labels = self._by_component(relations, limits, sizes)
        self.labels_ = renumber(labels)
        self.partition_ = Partition(
            [str(i) for i in range(relations.n)], soften(relations, self.labels_, limits, self.threshold)
        )
        return self

    def _single(self, relations: Relations, limits: Constraints) -> npt.NDArray[np.int32]:
        left, right, strength = _leaned(relations, limits)
        order = np.argsort(-strength, kind="stable")
        order = order[strength[order] >= self.threshold]
        return link_single(
            limits.group.astype(np.int32), left[order], right[order], np.ascontiguousarray(limits.cannot)
        )

    def _by_component(
        self, relations: Relations, limits: Constraints, sizes: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.int32]:
        """Rows in different components of the graph of positive strengths never meet, so each is done by itself."""
        if relations.default_strength >= self.threshold:
            component = np.zeros(relations.n, dtype=np.int32)
        else:
            links = relations.strength > 0
            a = np.concatenate([relations.left[links], np.arange(relations.n), limits.soft[limits.soft_weight > 0, 0]])
            b = np.concatenate(
                [relations.right[links], _first_of(limits.group), limits.soft[limits.soft_weight > 0, 1]]
            )
            graph = sparse.coo_matrix((np.ones(len(a)), (a, b)), shape=(relations.n, relations.n))
            component = connected_components(graph, directed=False)[1]
        labels = np.empty(relations.n, dtype=np.int32)
        by_component = np.argsort(component, kind="stable")
        bounds = np.flatnonzero(np.diff(component[by_component], prepend=-1, append=-2))
        pair_component = component[relations.left]
        pair_order = np.argsort(pair_component, kind="stable")
        # Pairs that join two components (strength 0) lie in neither.
        inside = pair_component == component[relations.right]
        pair_order = pair_order[inside[pair_order]]
        pair_bounds = np.searchsorted(pair_component[pair_order], np.arange(len(bounds)))
        where = np.empty(relations.n, dtype=np.int64)
        for number in range(len(bounds) - 1):
            rows = by_component[bounds[number] : bounds[number + 1]]
            if len(rows) == 1:
                labels[rows] = rows[0]
                continue
            if len(rows) > self.max_block:
                raise errors.too_many_for_linkage(len(rows), self.max_block)
            where[rows] = np.arange(len(rows))
            pairs = pair_order[pair_bounds[number] : pair_bounds[number + 1]]
            matrix = np.full((len(rows), len(rows)), relations.default_strength, dtype=np.float32)
            a, b = where[relations.left[pairs]], where[relations.right[pairs]]
            matrix[a, b] = matrix[b, a] = relations.strength[pairs]
            labels[rows] = rows[self._dense(matrix, limits.restrict(rows), sizes[rows])]
        return labels

    def _dense(
        self, matrix: npt.NDArray[np.float32], limits: Constraints, sizes: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.int32]:
        """The representative row of each row's cluster."""
        a, b = limits.soft.T
        np.add.at(matrix, (a, b), limits.soft_weight.astype(np.float32))
        np.add.at(matrix, (b, a), limits.soft_weight.astype(np.float32))
        a, b = limits.cannot.T
        matrix[a, b] = matrix[b, a] = -np.inf
        return link_dense(matrix, sizes, _first_of(limits.group), np.float32(self.threshold), _CODES[self.linkage])


def _leaned(
    relations: Relations, limits: Constraints
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.float64]]:
    """Pairs with the soft constraints added to their strengths."""
    left = np.concatenate([relations.left, limits.soft.min(axis=1, initial=relations.n)])
    right = np.concatenate([relations.right, limits.soft.max(axis=1, initial=0)])
    value = np.concatenate([relations.strength.astype(np.float64), limits.soft_weight])
    low, high = np.minimum(left, right).astype(np.int64), np.maximum(left, right).astype(np.int64)
    key, where = np.unique(low * relations.n + high, return_inverse=True)
    total = np.bincount(where, weights=value, minlength=len(key)).astype(np.float64)
    return (key // max(relations.n, 1)).astype(np.int32), (key % max(relations.n, 1)).astype(np.int32), total


def _first_of(group: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """For each row the first row of its must-link group."""
    _, first, where = np.unique(group, return_index=True, return_inverse=True)
    return first[where].astype(np.int32)


def renumber(labels: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
    """Number the clusters in order of first appearance.

    >>> renumber(np.array([7, 7, 2, 7])).tolist()
    [0, 0, 1, 0]
    """
    _, first, where = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int32)
    rank[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    return rank[where]
