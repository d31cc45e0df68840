"""ARCA, any-relation clustering (Corsini, Lazzerini & Marcelloni 2005), and FRC (Davé & Sen 2002).

Both are fuzzy c-means and baselines of Huang et al. 2009: ARCA on the rows of the relation (KARC without its kernel),
FRC on dissimilarities. ARCA's inner products are computed once, which halves the cost of an iteration.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from crossdoc.cluster.fuzzy.fuzzy_relational import (
    MAX_CLUSTERS,
    MAX_FUZZY_ROWS,
    FuzzyRelational,
    OneCluster,
)
from crossdoc.cluster.fuzzy.gram_means import Floats, Gram


@dataclass(eq=False, repr=False)
class FuzzyMeansClusterer(FuzzyRelational):
    """The parameters of ARCA and FRC."""

    n_clusters: int | None = None
    m: float = 1.6
    theta: float = 0.3
    _: KW_ONLY
    tol: float = 1e-4
    max_iter: int = 100
    n_init: int = 3
    one_cluster: OneCluster = "reference"
    max_clusters: int = MAX_CLUSTERS
    random_state: int = 0
    max_block: int = MAX_FUZZY_ROWS


class ARCA(FuzzyMeansClusterer):
    """Fuzzy c-means on the rows of a relation matrix.

    Parameters
    ----------
    n_clusters : int or None, default None
        C; None finds it by the first minimum of the Xie-Beni index, where splitting gains more than by
        chance.
    m : float, default 1.6
        The fuzzifier.
    theta : float, default 0.3
        Of two rows that may not be together at most one exceeds it in a cluster.
    tol : float, default 0.0001
        The loop ends when no membership moves by more than this.
    max_iter : int, default 100
        Maximum number of iterations.
    n_init : int, default 3
        Number of starts with rows far from each other (k-means++); the best one is used.
    one_cluster : {"reference", "paper"}, default "reference"
        One cluster instead of C if J_1 < J_C ("paper", which never is), or if J_C falls no more than on strengths
        shuffled over the pairs ("reference").
    max_clusters : int, default 60
        How far the index is followed.
    random_state : int, default 0
        The seed of starts and references.
    max_block : int, default 10000
        Maximum number of rows.

    Attributes
    ----------
    partition_ : Partition
        All memberships.
    labels_ : ndarray of int
        The best cluster of each row.
    objective_ : float
        Σ u^m d² at the end.
    n_iter_ : int
        The iterations of the best start.
    n_clusters_ : int
        The clusters in `partition_`.
    validity_ : Validity
        How their number was found.
    n_features_in_ : int
        Rows, since each row has a strength to every one.

    Notes
    -----
    O(N²C) per iteration, and O(N³) once for the inner products of the rows.

    References
    ----------
    Corsini, Lazzerini, Marcelloni 2005, A New Fuzzy Relational Clustering Algorithm Based on the Fuzzy C-Means
    Algorithm, Soft Computing 9(6).

    Examples
    --------
    >>> import numpy as np
    >>> strengths = np.kron(np.eye(3), np.full((4, 4), 0.8)) + 0.1
    >>> np.fill_diagonal(strengths, 1)
    >>> ARCA().fit(strengths).labels_.tolist()
    [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]
    """

    def _gram(self, strengths: Floats) -> Gram:
        return Gram(strengths @ strengths.T)


class FRC(FuzzyMeansClusterer):
    """Fuzzy relational clustering of dissimilarities 1 − r.

    Parameters
    ----------
    n_clusters : int or None, default None
        C; None finds it by the first minimum of the Xie-Beni index, where splitting gains more than by
        chance.
    m : float, default 1.6
        The fuzzifier.
    theta : float, default 0.3
        Of two rows that may not be together at most one exceeds it in a cluster.
    tol : float, default 0.0001
        The loop ends when no membership moves by more than this.
    max_iter : int, default 100
        Maximum number of iterations.
    n_init : int, default 3
        Number of starts with rows far from each other (k-means++); the best one is used.
    one_cluster : {"paper", "reference"}, default "reference"
        Whether one cluster may be the answer, as in :class:`ARCA`.
    max_clusters : int, default 60
        How far the index is followed.
    random_state : int, default 0
        The seed of starts and references.
    max_block : int, default 10000
        Maximum number of rows.

    Notes
    -----
    Attributes are those of :class:`ARCA`; `objective_` is Σ u^m a. O(N²C) per iteration.

    References
    ----------
    Davé, Sen 2002, Robust Fuzzy Clustering of Relational Data, IEEE Transactions on Fuzzy Systems 10(6), 713–727.

    Examples
    --------
    >>> import numpy as np
    >>> strengths = np.kron(np.eye(3), np.full((4, 4), 0.8)) + 0.1
    >>> np.fill_diagonal(strengths, 1)
    >>> FRC(n_clusters=3).fit(strengths).labels_.tolist()
    [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]
    """

    def _gram(self, strengths: Floats) -> Gram:
        return Gram((strengths - 1.0) / 2.0)
