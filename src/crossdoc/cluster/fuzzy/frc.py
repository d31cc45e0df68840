"""FRC, fuzzy relational clustering (Davé & Sen 2002, IEEE Trans. Fuzzy Systems 10(6), 713–727), with its noise cluster.

It minimises Σ_i Σ_jk u_ij^m u_ik^m d_jk / (2 Σ_k u_ik^m) over dissimilarities d = 1 − r directly, so that
a_ij = Σ_k u_ik^m d_jk / s_i − Σ_hk u_ih^m u_ik^m d_hk / (2 s_i²), s_i = Σ_k u_ik^m, and u_ij ∝ a_ij^(−1/(m−1)). With
−d/2 for inner products a_ij is the squared distance to a weighted mean, so the loop is that of ARCA. If the d are
not squared distances of any points, a_ij may be negative: it then counts as 0, as near as can be (the memberships that
minimise Σ_i u_ij^m a_ij lie there).
"""

from __future__ import annotations

from crossdoc.cluster.fuzzy.arca import ARCA
from crossdoc.cluster.fuzzy.gram_means import Floats, Gram


class FRC(ARCA):
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
        Number of starts; the best one is used.
    start : {"random", "spread"}, default "spread"
        "random" rows or "spread" ones (k-means++).
    noise : float or None, default None
        The dissimilarity δ of a noise cluster; None has no such cluster.
    choose : {"kxbi", "pk1", "pk2", "pk3"}, default "kxbi"
        How C is found, as in :class:`crossdoc.cluster.fuzzy.KARC` with the variant "paper".
    one_cluster : {"paper", "reference"}, default "reference"
        Whether one cluster may be the answer, as in KARC.
    max_clusters : int, default 60
        How far the index is followed.
    full_curve : bool, default False
        Whether it is followed beyond its first minimum, for plots.
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
        Σ u^m a at the end.
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
    O(N²C) per iteration.

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
