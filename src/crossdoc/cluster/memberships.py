"""How much each row belongs to each cluster of a hard clustering, from the strengths alone.

Hard clusterers give labels; people also want to know how sure they are and what else it could have been.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.preprocessing import normalize

from crossdoc.cluster.constraints import Constraints
from crossdoc.model import ROWS_AT_ONCE, Relations

SMALLEST_MEMBERSHIP = 0.01
SHARPNESS = 1 / (1.6 - 1)
"""The exponent 1/(m−1) of fuzzy c-means at the fuzzifier m = 1.6 of Huang et al. 2009."""


MOST_ALTERNATIVES = 10
"""Other clusters a row may belong to: among thousands of weak ones even a sure row would belong nowhere."""
MOST_SHARED = 0.3
"""Rows that may not be together are never both above this in one cluster: the θ at which Huang et al. 2009 cut."""
A_LITTLE = 1e-9


def leaned(relations: Relations, constraints: Constraints) -> Relations:
    """The pairs with the soft constraints added to their strengths (to the default's, for a pair not compared)."""
    if not len(constraints.soft):
        return relations
    n = relations.n
    low = np.concatenate([np.minimum(relations.left, relations.right), constraints.soft.min(axis=1)]).astype(np.int64)
    high = np.concatenate([np.maximum(relations.left, relations.right), constraints.soft.max(axis=1)])
    value = np.concatenate([relations.strength - relations.default_strength, constraints.soft_weight])
    key, where = np.unique(low * n + high, return_inverse=True)
    total = np.bincount(where, weights=value, minlength=len(key)) + relations.default_strength
    kept = key // n != key % n
    left, right = (key[kept] // n).astype(np.int32), (key[kept] % n).astype(np.int32)
    return Relations(n, left, right, total[kept].astype(np.float32), relations.default_strength)


def soften(pairs: Relations, labels: npt.NDArray[Any], constraints: Constraints, threshold: float) -> sparse.csr_matrix:
    """Memberships u_jc ∝ s_jc^(1/(m−1)), where s_jc is the mean strength of row j to the other members of cluster c.

    A row's own cluster counts at least as much as the threshold (a singleton would be joined to nothing weaker) and
    more than any other, so that hardening gives the labels back. Of the others the ten strongest count, if rows of
    theirs were compared at all. Rows that must be one share their memberships; a cluster that holds a row it may not be
    with counts nothing, and of two rows that may not be together at most one has more than θ in a third cluster.
    """
    n, k = pairs.n, int(labels.max(initial=-1)) + 1
    if not n:
        return sparse.csr_matrix((0, 0))
    _, first, group = np.unique(constraints.group, return_index=True, return_inverse=True)
    groups = sparse.csr_matrix((np.ones(n, dtype=np.float32), (np.arange(n), group)), shape=(n, len(first)))
    home = labels[first].astype(np.int64)
    kept_apart = np.concatenate([constraints.cannot, constraints.soft[constraints.soft_weight <= -1]])
    apart = group[np.concatenate([kept_apart, kept_apart[:, ::-1]])].astype(np.int64)
    closed = np.unique(apart[:, 0] * k + home[apart[:, 1]])

    own = np.full(len(first), max(threshold, 1e-6))
    others = []
    for row, cluster, mean in _means(pairs, labels, groups, home):
        at_home = cluster == home[row]
        np.maximum.at(own, row[at_home], mean[at_home])
        away = np.flatnonzero(~at_home & (mean > 0) & ~np.isin(row * k + cluster, closed))
        away = away[_strongest(row[away], mean[away])]
        np.maximum.at(own, row[away], mean[away] * (1 + A_LITTLE))
        others.append((row[away], cluster[away], mean[away]))
    row, cluster, mean = (np.concatenate(column) for column in zip(*others, strict=True))
    where = np.concatenate([row, np.arange(len(first))]), np.concatenate([cluster, home])
    value = np.concatenate([mean, own]) ** SHARPNESS
    shared = normalize(sparse.csr_matrix((value, where), shape=(len(first), k)), norm="l1")
    shared.data[shared.data < SMALLEST_MEMBERSHIP] = 0
    shared.eliminate_zeros()
    shared = normalize(shared, norm="l1")
    _keep_apart(shared, home, group[constraints.cannot])
    return shared[group]


def _means(
    pairs: Relations, labels: npt.NDArray[Any], groups: sparse.csr_matrix, home: npt.NDArray[np.int64]
) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.float64]]]:
    """(group, cluster, mean strength) for each must-link group and each cluster with a row it was compared with."""
    n, k = pairs.n, int(labels.max()) + 1
    member = sparse.csr_matrix((np.ones(n, dtype=np.float32), (np.arange(n), labels)), shape=(n, k))
    size, rows_of = np.bincount(labels, minlength=k), np.asarray(groups.sum(axis=0)).ravel()
    strength = pairs.strength - np.float32(pairs.default_strength)
    if len(pairs) > n * n // 8:
        graph = Relations(n, pairs.left, pairs.right, strength).dense()
        np.fill_diagonal(graph, 0.0)
    else:
        graph = sparse.csr_matrix((strength, (pairs.left, pairs.right)), shape=(n, n))
        graph = (graph + graph.T).tocsr()
    to_groups = groups.T.tocsr()
    for start in range(0, len(home), ROWS_AT_ONCE):
        found = sparse.coo_matrix(to_groups[start : start + ROWS_AT_ONCE] @ graph @ member)
        row, cluster = found.row.astype(np.int64) + start, found.col.astype(np.int64)
        others = np.maximum(size[cluster] - (cluster == home[row]), 1)
        yield row, cluster, found.data.astype(np.float64) / (rows_of[row] * others) + pairs.default_strength


def _strongest(row: npt.NDArray[np.int64], value: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Which entries are among their row's strongest few."""
    order = np.lexsort((-value, row))
    starts = np.flatnonzero(np.diff(row[order], prepend=-1))
    rank = np.arange(len(order)) - np.repeat(starts, np.diff(np.append(starts, len(order))))
    return order[rank < MOST_ALTERNATIVES]


def _keep_apart(shared: sparse.csr_matrix, home: npt.NDArray[np.int64], apart: npt.NDArray[np.int64]) -> None:
    """Where both of two groups exceed θ in a cluster, the weaker keeps θ of it and has the rest at home."""
    torn = np.asarray((shared > MOST_SHARED).sum(axis=1)).ravel() > 1
    shared.sort_indices()
    for a, b in apart[torn[apart].all(axis=1)]:
        held = [slice(shared.indptr[g], shared.indptr[g + 1]) for g in (a, b)]
        _, *places = np.intersect1d(*(shared.indices[part] for part in held), return_indices=True)
        for at_a, at_b in zip(*places, strict=True):
            x, y = held[0].start + at_a, held[1].start + at_b
            if min(shared.data[x], shared.data[y]) <= MOST_SHARED:
                continue
            weaker, part, place = (a, held[0], x) if shared.data[x] < shared.data[y] else (b, held[1], y)
            at_home = part.start + np.searchsorted(shared.indices[part], home[weaker])
            shared.data[at_home] += shared.data[place] - MOST_SHARED
            shared.data[place] = MOST_SHARED
