"""Agglomerative clustering: single, complete and average link, and mean with maximum, with must-link and cannot-link.

Merges the two most similar clusters again and again until none reaches the threshold. Without constraints this is
textbook linkage (checked against SciPy); with cannot-links it is the constrained hierarchical clustering (CHC) that
Van Gael & Zhu 2007 compare with.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from crossdoc import errors
from crossdoc.cluster.estimators import (
    MAX_BLOCK,
    SimilarityClusterer,
    check_number,
    checked_limits,
    checked_matrix,
    checked_weights,
    connected,
    full_matrix,
    kept_apart,
    leaned,
    soften,
    validated,
)
from crossdoc.cluster.linkage_kernels import first_of, link_dense, link_single
from crossdoc.model import Partition, Relations
from crossdoc.model.evidence_protocol import Constraints

Linkage = Literal["single", "complete", "average", "mean-max"]
SHARES: dict[str, float] = {"single": 0.0, "complete": 0.0, "average": 1.0, "mean-max": 0.5}
"""The share of the mean; the rest is the highest similarity, or the lowest."""


class LinkageClustering(SimilarityClusterer):
    """Agglomerative clustering of similarities, with constraints.

    Parameters
    ----------
    linkage : {"single", "complete", "average", "mean-max"}, default "average"
        How the similarity of two clusters follows from that of their members: the highest (single), the lowest
        (complete), the mean (average), or half the mean and half the highest (mean-max): the mean alone leaves apart
        what a chain of strong pairs holds together, the highest alone joins on one accident.
    threshold : float, default 0.5
        Clusters at least this similar are merged.
    max_block : int, default 20000
        Maximum number of rows that all but single link take at once; they need all pairs.

    Attributes
    ----------
    labels_ : ndarray of int
        The cluster of each row, numbered in order of first appearance.
    partition_ : Partition
        Soft memberships, see :func:`crossdoc.cluster.estimators.soften`.
    n_features_in_ : int
        Rows, since each row has a similarity to every one.

    Notes
    -----
    O(n²) memory and, as a rule, time for all but single link, where n is the largest set of rows that pairs of at
    least the threshold connect; O(m log m) for single link over m given pairs.

    References
    ----------
    Murtagh 1983, A Survey of Recent Advances in Hierarchical Clustering Algorithms, The Computer Journal 26(4).
    https://doi.org/10.1093/comjnl/26.4.354

    Examples
    --------
    >>> strengths = np.array([[1, .9, .1], [.9, 1, .2], [.1, .2, 1]])
    >>> LinkageClustering(threshold=0.5).fit(strengths).labels_.tolist()
    [0, 0, 1]

    The strengths between {0, 1} and {2} are .9 and .2, their mean is .55 and their maximum .9:

    >>> strengths = np.array([[1, .95, .9], [.95, 1, .2], [.9, .2, 1]])
    >>> LinkageClustering("mean-max", threshold=0.7).fit(strengths).labels_.tolist()
    [0, 0, 0]
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
        self._check_parameters()
        X = validated(self, X, errors.bad_similarities)
        relations = X.checked() if isinstance(X, Relations) else Relations.from_dense(checked_matrix(X))
        limits = checked_limits(constraints, relations.n)
        sizes = checked_weights(sample_weight, relations.n)
        pairs = leaned(relations, limits)
        full = full_matrix(pairs, self.max_block)
        if self.linkage == "single" and pairs.default_strength < self.threshold:
            labels = _single(pairs, limits, self.threshold)
        elif full is not None:
            labels = self._dense(full.copy(), limits, sizes)
        else:
            labels = self._by_component(pairs, limits, sizes)
        self.labels_ = renumber(labels)
        memberships = soften(pairs, self.labels_, limits, self.threshold, full)
        self.partition_ = Partition([str(i) for i in range(relations.n)], memberships)
        return self

    def _check_parameters(self) -> None:
        if self.linkage not in SHARES:
            raise errors.unknown_choice("linkage", self.linkage, list(SHARES))
        check_number("threshold", self.threshold, "a number", -np.inf)
        check_number("max_block", self.max_block, "a whole number of at least 1", 1, whole=True)

    def _by_component(
        self, pairs: Relations, limits: Constraints, sizes: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.int32]:
        """No mean, minimum or maximum reaches the threshold where no pair does, so each component is done by itself."""
        component = self._components(pairs, limits)
        k = int(component.max(initial=-1)) + 1
        inside = np.flatnonzero(component[pairs.left] == component[pairs.right])
        of_pair = component[pairs.left[inside]]
        inside = inside[np.argsort(of_pair, kind="stable")]
        rows_of = np.split(np.argsort(component, kind="stable"), np.cumsum(np.bincount(component, minlength=k))[:-1])
        pairs_of = np.split(inside, np.cumsum(np.bincount(of_pair, minlength=k))[:-1])
        labels, where = np.arange(pairs.n, dtype=np.int32), np.empty(pairs.n, dtype=np.int64)
        for rows, own in zip(rows_of, pairs_of, strict=True):
            if len(rows) < 2:
                continue
            if len(rows) > self.max_block:
                raise errors.too_many(
                    len(rows), "profiles of one component", "this linkage", self.max_block, "single-linkage"
                )
            where[rows] = np.arange(len(rows))
            matrix = np.full((len(rows), len(rows)), pairs.default_strength, dtype=np.float32)
            a, b = where[pairs.left[own]], where[pairs.right[own]]
            matrix[a, b] = matrix[b, a] = pairs.strength[own]
            labels[rows] = rows[self._dense(matrix, limits.restrict(rows), sizes[rows])]
        return labels

    def _components(self, pairs: Relations, limits: Constraints) -> npt.NDArray[np.int32]:
        if pairs.default_strength >= self.threshold:
            return np.zeros(pairs.n, dtype=np.int32)
        links = pairs.strength >= np.float32(self.threshold)
        a = np.concatenate([pairs.left[links], np.arange(pairs.n, dtype=np.int32)])
        b = np.concatenate([pairs.right[links], first_of(limits.group)])
        return connected(pairs.n, a, b)

    def _dense(
        self, matrix: npt.NDArray[np.float32], limits: Constraints, sizes: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.int32]:
        """The representative row of each row's cluster."""
        share, lowest = SHARES[self.linkage], self.linkage == "complete"
        # By a rule too: the strongest pair of two clusters hides that another is kept apart, unlike a mean or minimum.
        apart = limits.cannot if share == 1.0 or lowest else kept_apart(limits)
        a, b = apart.T
        matrix[a, b] = matrix[b, a] = -np.inf
        return link_dense(matrix, sizes, first_of(limits.group), np.float32(self.threshold), share, lowest)


def _single(pairs: Relations, limits: Constraints, threshold: float) -> npt.NDArray[np.int32]:
    reaches = np.flatnonzero(pairs.strength >= np.float32(threshold))
    order = reaches[np.argsort(-pairs.strength[reaches], kind="stable")]
    return link_single(limits.group.astype(np.int32), pairs.left[order], pairs.right[order], kept_apart(limits))


def renumber(labels: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
    """Number the clusters in order of first appearance.

    >>> renumber(np.array([7, 7, 2, 7])).tolist()
    [0, 0, 1, 0]
    """
    _, first, where = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int32)
    rank[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    return rank[where]
