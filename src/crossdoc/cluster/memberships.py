"""How much each row belongs to each cluster of a hard clustering, from the strengths alone.

Hard clusterers give labels; people also want to know how sure they are and what else it could have been.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.preprocessing import normalize

from crossdoc.cluster.constraints import Constraints
from crossdoc.model import Relations

SMALLEST_MEMBERSHIP = 0.01
SHARPNESS = 1 / (1.6 - 1)
"""The exponent 1/(m−1) of fuzzy c-means at the fuzzifier m = 1.6 of Huang et al. 2009."""


def soften(
    relations: Relations, labels: npt.NDArray[Any], constraints: Constraints, threshold: float
) -> sparse.csr_matrix:
    """Memberships u_jc ∝ s_jc^(1/(m−1)), where s_jc is the mean strength of row j to the other members of cluster c.

    A row's own cluster counts at least as much as the threshold (a singleton would be joined to nothing weaker) and at
    least as much as any other, so that hardening gives the labels back. Rows that must be one share their memberships;
    a cluster that holds a row it may not be with counts nothing.
    """
    n, k = relations.n, int(labels.max(initial=-1)) + 1
    if not n:
        return sparse.csr_matrix((0, 0))
    a, b = np.concatenate([relations.left, relations.right]), np.concatenate([relations.right, relations.left])
    strength = np.concatenate([relations.strength, relations.strength]).astype(np.float64)
    total = sparse.csr_matrix((strength, (a, labels[b])), shape=(n, k)).tocoo()
    row, cluster = total.row, total.col
    at_home = labels[row] == cluster
    mean = total.data / np.maximum(np.bincount(labels, minlength=k)[cluster] - at_home, 1)
    apart = np.concatenate([constraints.cannot, constraints.soft[constraints.soft_weight <= -1]])
    apart = np.concatenate([apart, apart[:, ::-1]]).astype(np.int64)
    allowed = ~np.isin(row.astype(np.int64) * k + cluster, apart[:, 0] * k + labels[apart[:, 1]])
    own = np.full(n, max(threshold, 1e-6))
    np.maximum.at(own, row[allowed | at_home], mean[allowed | at_home])
    away = allowed & ~at_home & (mean > 0)
    memberships = sparse.csr_matrix(
        (
            np.concatenate([mean[away], own]) ** SHARPNESS,
            (np.concatenate([row[away], np.arange(n)]), np.concatenate([cluster[away], labels])),
        ),
        shape=(n, k),
    )
    if len(constraints.linked_rows()):
        groups = sparse.csr_matrix((np.ones(n), (np.arange(n), constraints.group)))
        memberships = groups @ normalize(groups.T.tocsr(), norm="l1") @ memberships
    memberships = normalize(memberships, norm="l1")
    memberships.data[memberships.data < SMALLEST_MEMBERSHIP] = 0
    memberships.eliminate_zeros()
    return memberships
