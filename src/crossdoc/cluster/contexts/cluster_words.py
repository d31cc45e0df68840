"""Labels of context clusters: the words that describe a cluster, and those that distinguish it from the others.

As in SenseClusters the discriminating words are those of the describing ones that describe no other cluster. Describing
words are those with the largest share of ‖S_r‖², the similarity within the cluster.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crossdoc.model import Vectors


class ClusterWords(NamedTuple):
    """Words of one cluster, heaviest first."""

    describing: list[str]
    discriminating: list[str]


def cluster_words(vectors: Vectors, labels: npt.NDArray[Any], most: int = 10) -> list[ClusterWords]:
    """The words of each cluster.

    >>> rows = Vectors(sparse.csr_matrix(np.eye(3)[[0, 0, 1]] + [0, 0, 0.1]), np.array(["car", "squid", "smith"]))
    >>> cluster_words(rows, np.array([0, 0, 1]), most=2)[1]
    ClusterWords(describing=['squid', 'smith'], discriminating=['squid'])
    """
    if vectors.features is None:
        raise ValueError("these vectors have no words as their features")
    k = int(labels.max(initial=-1)) + 1
    n = len(labels)
    belongs = sparse.csr_matrix((np.ones(n), (labels, np.arange(n))), shape=(k, n))
    sums = sparse.csr_matrix(belongs @ vectors.matrix)
    describing = [_heaviest(sums.getrow(cluster), vectors.features, most) for cluster in range(k)]
    return [
        ClusterWords(words, _not_among(words, describing[:own] + describing[own + 1 :]))
        for own, words in enumerate(describing)
    ]


def _heaviest(row: sparse.csr_matrix, features: npt.NDArray[np.object_], most: int) -> list[str]:
    # By word where two weigh the same, so that a rerun gives the same.
    order = np.lexsort((features[row.indices].astype(str), -row.data))[:most]
    return [str(features[column]) for column in row.indices[order[row.data[order] > 0]]]


def _not_among(words: list[str], others: list[list[str]]) -> list[str]:
    elsewhere = {word for other in others for word in other}
    return [word for word in words if word not in elsewhere]
