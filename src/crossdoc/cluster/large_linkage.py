"""Mean-max linkage of components that are too large for a matrix of all pairs, in two levels.

Rows of one name are clustered by themselves, exactly. The clusters, and single rows whose names fit several names that
clash ("J. Wang"), are then joined by the mean and the maximum of the strengths between their rows, added up as
candidate pairs are compared. Memory is quadratic in the largest piece and in the number of clusters, not of rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from crossdoc import errors
from crossdoc.cluster.clusterer import Answer, Work, fit_to_relations
from crossdoc.cluster.linkage_kernels import link_mean_max
from crossdoc.model import Evidence
from crossdoc.model.constraints import Constraints
from crossdoc.model.evidence_protocol import PortionedEvidence

MOST_EXACT = 6_000
"""Rows. Larger components are clustered in two levels: all pairs of 6,000 profiles take about 1.5 GB."""
MOST_CLUSTERS, MOST_ALONE = 12_000, 8_000
"""Clusters that are joined at once, whose pairs take 1.7 GB, and rows among them that are no part of a piece."""

Rows = npt.NDArray[np.int64]


def fit_mean_max(estimator: Any, evidence: Evidence, work: Work) -> Answer:
    """Fit to all pairs if they fit into memory, else to the rows of each name and then to their clusters."""
    most = min(work.max_rows, MOST_EXACT)
    # An instance check would compute every property of the evidence.
    if len(evidence) <= most or not hasattr(type(evidence), "compared_portions"):
        return fit_to_relations(estimator, evidence, work)
    names = evidence.names or [""] * len(evidence)
    alone = _fits_several(evidence, names) if evidence.names else np.zeros(len(names), dtype=bool)
    alone &= alone.sum() <= MOST_ALONE
    pieces = list(_pieces(names, most))
    memberships = [
        sparse.eye(len(rows), format="csr")
        if alone[rows].all()
        else fit_to_relations(estimator, evidence.part(rows), work).membership
        for rows in pieces
    ]
    in_order = np.argsort(np.concatenate(pieces), kind="stable")
    membership = sparse.csr_matrix(sparse.block_diag(memberships, format="csr")[in_order])
    if membership.shape[1] > MOST_CLUSTERS:
        raise errors.too_many_for_linkage(membership.shape[1], MOST_CLUSTERS)
    cluster = np.asarray(membership.argmax(axis=1)).ravel().astype(np.int64)
    joined = _join_clusters(estimator, cast(PortionedEvidence, evidence), cluster, membership.shape[1])
    number, inverse = np.unique(joined, return_inverse=True)
    into = sparse.csr_matrix((np.ones(len(joined)), (np.arange(len(joined)), inverse)))
    note = (
        f"a component of {len(evidence):,} profiles: {len(joined):,} clusters of profiles of one name were joined "
        f"to {len(number):,}"
    )
    return Answer(sparse.csr_matrix(membership @ into), notes=(note,))


def _fits_several(evidence: Evidence, names: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Return the rows whose names agree with two names that do not agree with each other."""
    distinct, code = np.unique(np.array(names, dtype=object).astype(str), return_inverse=True)
    n = len(distinct)
    left, right = np.divmod(evidence.agreeing(distinct.tolist()), n)
    agree = sparse.csr_matrix((np.ones(len(left), dtype=np.int64), (left, right)), shape=(n, n))
    neighbours = np.diff(agree.indptr)
    # Each name agrees with itself, so n neighbours that all agree have n² links.
    links = np.asarray((agree @ agree).multiply(agree).sum(axis=1)).ravel()
    return (links < neighbours**2)[code]


def _pieces(names: Sequence[str], most: int) -> Iterator[Rows]:
    """Yield the rows of each name, in parts of at most `most` rows.

    >>> [rows.tolist() for rows in _pieces(["a", "b", "a", "a"], 2)]
    [[0, 2], [3], [1]]
    """
    code = np.unique(np.array(names, dtype=object).astype(str), return_inverse=True)[1]
    order = np.argsort(code, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(code[order])) + 1):
        yield from np.split(rows, np.arange(most, len(rows), most))


def _join_clusters(estimator: Any, evidence: PortionedEvidence, cluster: Rows, k: int) -> npt.NDArray[np.int32]:
    """Return the cluster that each cluster is joined to."""
    sizes = np.bincount(cluster, minlength=k).astype(np.float64)
    total, highest = np.zeros(k * k, dtype=np.float32), np.zeros(k * k, dtype=np.float32)
    compared = np.zeros(k * k, dtype=np.int32)
    for pairs, strengths in evidence.compared_portions():
        a, b = np.sort(cluster[pairs], axis=1).T
        code = a * k + b
        np.add.at(total, code, strengths)
        np.maximum.at(highest, code, strengths)
        np.add.at(compared, code, 1)
    # Means above the diagonal, maxima below it.
    similarity = total.reshape(k, k)
    for row, (own, seen) in enumerate(zip(highest.reshape(k, k), compared.reshape(k, k), strict=True)):
        later = slice(row + 1, k)
        all_pairs = np.maximum(sizes[row] * sizes[later], 1.0)
        similarity[row, later] /= all_pairs
        if evidence.names is not None:
            # A pair that is not compared has names that clash.
            similarity[row, later][seen[later] < all_pairs] = -np.inf
        similarity[later, row] = own[later]
    a, b = np.sort(cluster[evidence.constraints.cannot], axis=1).T
    similarity[a, b] = similarity[b, a] = -np.inf
    first = _first_of_group(evidence.constraints, cluster, k)
    return link_mean_max(similarity, sizes, first, np.float32(estimator.threshold), float(estimator.share))


def _first_of_group(constraints: Constraints, cluster: Rows, k: int) -> npt.NDArray[np.int32]:
    """Return for each cluster the first of those that judgements make one with it."""
    groups = int(constraints.group.max(initial=-1)) + 1
    graph = sparse.coo_matrix(
        (np.ones(len(cluster), dtype=np.int8), (cluster, k + constraints.group)), shape=(k + groups, k + groups)
    )
    own = connected_components(graph, directed=False)[1][:k]
    _, first, where = np.unique(own, return_index=True, return_inverse=True)
    return first[where].astype(np.int32)
