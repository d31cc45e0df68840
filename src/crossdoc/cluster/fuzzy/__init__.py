"""Relation strengths → a soft partition: KARC, ARCA, FRC, and KXBI to find how many clusters there are."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy import sparse

from crossdoc import errors
from crossdoc.cluster.fuzzy.arca import ARCA
from crossdoc.cluster.fuzzy.base import MAX_BLOCK
from crossdoc.cluster.fuzzy.frc import FRC
from crossdoc.cluster.fuzzy.karc import KARC
from crossdoc.cluster.fuzzy.validity import Validity
from crossdoc.cluster.memberships import SMALLEST_MEMBERSHIP
from crossdoc.constraints import Constraints
from crossdoc.model import Relations

FuzzyMethod = Literal["karc", "arca", "frc"]
FUZZY_METHODS: tuple[FuzzyMethod, ...] = ("karc", "arca", "frc")

__all__ = ["ARCA", "FRC", "FUZZY_METHODS", "KARC", "FuzzyMethod", "Validity", "cluster_fuzzy"]


def cluster_fuzzy(
    method: str,
    relations: Relations,
    constraints: Constraints,
    *,
    threshold: float,
    seed: int = 0,
    max_block: int = MAX_BLOCK,
) -> sparse.csr_matrix:
    """Memberships of one block as `resolve` and `cluster` want them: those below 0.01 are added to the best one.

    `threshold` is the strength from which KARC joins; ARCA and FRC find the number of clusters without one.
    """
    limit = min(max_block, MAX_BLOCK)
    clusterer: KARC | ARCA
    if method == "karc":
        clusterer = KARC(threshold=threshold, random_state=seed, max_block=limit)
    elif method == "arca":
        clusterer = ARCA(random_state=seed, max_block=limit)
    elif method == "frc":
        clusterer = FRC(random_state=seed, max_block=limit)
    else:
        raise errors.unknown_method(method, FUZZY_METHODS)
    partition = clusterer.fit(relations, constraints=constraints).partition_
    membership = partition.membership
    rows = np.repeat(np.arange(len(partition)), np.diff(membership.indptr))
    best = membership.indices == partition.labels[rows]
    membership.data[(membership.data < SMALLEST_MEMBERSHIP) & ~best] = 0.0
    elsewhere = np.bincount(rows[~best], weights=membership.data[~best], minlength=len(partition))
    membership.data[best] = 1.0 - elsewhere[rows[best]]
    membership.eliminate_zeros()
    used = np.unique(membership.indices)
    return membership[:, used]
