"""How much each row belongs to each cluster, from its distance to the clusters' centres.

The distance is δ = −ln cos(x, S_r) and the membership u ∝ exp(−δ/(m − 1)), m = 1.6, that is cos^(1/(m−1)): the same
sharpness as :mod:`crossdoc.cluster.memberships`. Fuzzy c-means' own 1/d² would be flat here, since among sparse
contexts all distances but the nearest are nearly equal.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from sklearn.preprocessing import normalize

from crossdoc.cluster.contexts.partitioning import Clusters
from crossdoc.cluster.contexts.spaces import Floats, Ints, Space, added, parts
from crossdoc.cluster.memberships import A_LITTLE, MOST_ALTERNATIVES, MOST_SHARED, SHARPNESS, SMALLEST_MEMBERSHIP

LEAST_OWN_COSINE = 1e-6


def cosines(space: Space, labels: Ints, k: int) -> Floats:
    """The cosine of each row to the sum of each cluster."""
    _, square, _ = parts(space, labels, k)
    length = np.sqrt(np.maximum(space.itself, 0))[:, None] * np.sqrt(np.maximum(square, 0))
    products = space.products(labels, k)
    return np.divide(products, length, out=np.zeros_like(products), where=length > 0)


def memberships(near: Floats, labels: Ints, cannot: sparse.csr_matrix) -> sparse.csr_matrix:
    """Memberships that add up to 1, a row's own cluster the strongest.

    The ten nearest other clusters count, and none below 0.01. A cluster that holds a row it may not be with counts
    nothing; a row with a cannot-link has at most θ elsewhere, so that two such never exceed θ in one cluster.
    """
    n, k = near.shape
    if not n:
        return sparse.csr_matrix((0, k))
    here = np.arange(n)
    near = np.clip(near, 0, 1)
    pairs = cannot.tocoo()
    near[pairs.row, labels[pairs.col]] = 0
    own = np.maximum(near[here, labels], LEAST_OWN_COSINE)
    near[here, labels] = 0
    if k > MOST_ALTERNATIVES + 1:
        least = np.partition(near, k - MOST_ALTERNATIVES, axis=1)[:, k - MOST_ALTERNATIVES]
        near[near < least[:, None]] = 0
    near[here, labels] = np.maximum(own, near.max(axis=1, initial=0) * (1 + A_LITTLE))
    share = normalize(near**SHARPNESS, norm="l1")
    share[share < SMALLEST_MEMBERSHIP] = 0
    share = normalize(share, norm="l1")
    limited = np.unique(pairs.row)
    share[limited] = np.minimum(share[limited], MOST_SHARED)
    share[here, labels] += 1 - share.sum(axis=1)
    return sparse.csr_matrix(share)


def with_empty(
    share: sparse.csr_matrix, found: Clusters, filled: Ints, everything: Space
) -> tuple[Ints, sparse.csr_matrix]:
    """Labels and memberships of all rows: one that says nothing belongs to each cluster in proportion to its size.

    If it has a cannot-link, it is wholly in the largest cluster allowed, or where there is none in one of its own.
    """
    n = len(everything)
    if len(filled) == n:
        return found.labels.astype(np.int64), share
    labels = np.full(n, -1, dtype=np.int64)
    labels[filled] = found.labels
    size: list[float] = [1.0]
    if len(filled):
        size = added(found.labels, everything.weight[filled], found.k).tolist()
    cells: list[tuple[int, int, float]] = []
    cannot = everything.limits.cannot
    for row in np.flatnonzero(labels < 0).tolist():
        apart = {labels[other] for other in cannot.indices[cannot.indptr[row] : cannot.indptr[row + 1]]}
        allowed = [r for r in range(len(size)) if r not in apart]
        if not allowed:
            allowed = [len(size)]
            size.append(float(everything.weight[row]))
        labels[row] = max(allowed, key=lambda r: (size[r], -r))
        clusters = allowed if not apart else [int(labels[row])]
        total = sum(size[r] for r in clusters)
        cells.extend((row, r, size[r] / total) for r in clusters)
    known = share.tocoo()
    rows, columns, values = (np.array(column) for column in zip(*cells, strict=True))
    where = np.concatenate([filled[known.row], rows]), np.concatenate([known.col, columns])
    return labels, sparse.csr_matrix((np.concatenate([known.data, values]), where), shape=(n, len(size)))
