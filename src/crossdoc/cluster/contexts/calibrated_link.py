"""How many clusters average link leaves at a cosine that was calibrated on labelled contexts: the rule "calibrated".

The rules of Pedersen & Kulkarni 2006 look at the shape of a curve, which is much the same for the two topics of one
person and for two people. They differ in how much they have in common: contexts of one person repeat their
own words wherever they are found. So the rule needs rows whose cosines mean the same in any collection, as those
weighted by a background do (:mod:`crossdoc.compare.context_vectors`).
"""

from __future__ import annotations

import numpy as np

from crossdoc.cluster.contexts.spaces import ContextMatrix, Floats
from crossdoc.cluster.hierarchical import LinkageClustering
from crossdoc.model.evidence_protocol import Constraints

LINKED_COSINE = 0.02
"""Clusters are one at so large a cosine, times the cube root of the words in a context: longer contexts have more in
common by chance. Chosen on conflations of 1 to 4 names of Reuters-21578 and AIDA, ±15 words round a name (.047) to
full articles (.09); a fixed cosine of .065 is as good from 25 to 50 words and worse beyond (docs/contexts.md)."""
FIXED = 0.065
"""Cosine for similarities, whose words are unknown."""
LEAST_SIZE, LEAST_SIZE_SHARE = 4, 0.02
"""A cluster of fewer rows, or of a smaller share of many, is no identity of its own but what is left over of others."""
MOST_LINKED_ROWS = 5_000
"""Rows. All pairs of a sample of this size are compared if there are more."""


def linked_clusters(
    given: ContextMatrix, weight: Floats, constraints: Constraints, cosine: float | None, least: int, seed: int
) -> int:
    """How many clusters of at least `least` rows (or half of all, and 2% of all) average link leaves; at least one.

    The `cosine` at which it joins is by default that of contexts of so many words as the rows have columns in use.
    """
    n = given.matrix.shape[0]
    rows = np.arange(n)
    if n > MOST_LINKED_ROWS:
        rows = np.sort(np.random.default_rng(seed).choice(n, MOST_LINKED_ROWS, replace=False))
        constraints = constraints.restrict(rows)
    part = given.matrix[rows]
    similarity = np.asarray((part @ part.T if given.vectors else part[:, rows]).todense()) + given.offset
    if cosine is None:
        cosine = LINKED_COSINE * float(np.cbrt(max(given.matrix.nnz / n, 1))) if given.vectors else FIXED
    found = LinkageClustering("average", cosine).fit(similarity, constraints=constraints, sample_weight=weight[rows])
    sizes = np.bincount(found.labels_, weights=weight[rows])
    enough = max(min(least, max(len(rows) // 2, 2)), LEAST_SIZE_SHARE * sizes.sum())
    return max(int((sizes >= enough).sum()), 1)
