"""Contexts → clusters whose number is found: the estimator `ContextClustering` (Pedersen & Kulkarni 2006).

The paper's stopping rules look at the shape of a curve, which is much the same for the two topics of one person and for
two people. They differ in how much they have in common: contexts of one person repeat their own words wherever they are
found. So the rule "calibrated" needs rows whose cosines mean the same in any collection, as those weighted by a
background do (:mod:`crossdoc.compare.context_vectors`).

Clusters are labelled as in SenseClusters: the describing words have the largest share of ‖S_r‖², the similarity within
the cluster; the discriminating ones are those of them that describe no other cluster.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.preprocessing import normalize
from sklearn.utils import Tags

from crossdoc import errors
from crossdoc.cluster.contexts import stopping
from crossdoc.cluster.contexts.criteria import E1, Criterion, code_of
from crossdoc.cluster.contexts.partitioning import PARTITION_METHODS, Clusters, Method, Search, clusterings, direct
from crossdoc.cluster.contexts.spaces import ContextMatrix, Floats, Ints, Space, added, fewest, parts
from crossdoc.cluster.estimators import (
    A_LITTLE,
    MOST_ALTERNATIVES,
    MOST_SHARED,
    SHARPNESS,
    SMALLEST_MEMBERSHIP,
    check_number,
    check_seed,
    checked_limits,
    checked_weights,
    validated,
)
from crossdoc.cluster.hierarchical import LinkageClustering, renumber
from crossdoc.model import Partition, Vectors
from crossdoc.model.evidence_protocol import Constraints

Rule = Literal["pk1", "pk2", "pk3", "gap", "even", "calibrated", "all"]
CONTEXT_RULES: tuple[Rule, ...] = ("pk1", "pk2", "pk3", "gap", "even", "calibrated")
DEFAULT_RULE: Rule = "pk3"
FEW_CONTEXTS = 5
"""Blocks of fewer rows are linked: a curve over so few says nothing."""
EVEN_COSINE = 0.02
"""The cosine that is as usual among contexts of one person as among those of two, on WePS-1 training pages."""
LEAST_OWN_COSINE = 1e-6
LARGEST = float(np.finfo(np.float64).max)
IDLE_CLUSTERS = 5
"""Clusters that are added after the best number so far, before the rule "even" is content with it."""
LINKED_COSINE = 0.02
"""Clusters are one at so large a cosine, times the cube root of the words in a context: longer contexts have more in
common by chance. Chosen on conflations of 1 to 4 names of Reuters-21578 and AIDA, ±15 words round a name (.047) to
full articles (.09); a fixed cosine of .065 is as good from 25 to 50 words and worse beyond (docs/contexts.md)."""
LEAST_SIZE, LEAST_SIZE_SHARE = 4, 0.02
"""A cluster of fewer rows, or of a smaller share of many, is no identity of its own but what is left over of others."""
MOST_LINKED_ROWS = 5_000
"""Rows. All pairs of a sample of this size are compared if there are more."""


@dataclass(eq=False, repr=False)
class ContextClustering(ClusterMixin, BaseEstimator):
    """Cluster contexts by a criterion function, and find the number of clusters.

    Parameters
    ----------
    n_clusters : int or None, default None
        None finds it automatically.
    stop : {"pk1", "pk2", "pk3", "gap", "even", "calibrated", "all"} or None, default "pk3"
        The rule that finds it: pk1, pk2, pk3, gap, or even, which is not from the paper: the k at which the
        pairs within clusters are together most above the cosine `even`, Σ_{i<j in one cluster} (x_i·x_j − even);
        or calibrated, not from the paper either: as many as average link at the cosine `linked` leaves clusters
        of `least` rows or more. "all" asks the paper's four and takes the default one's answer. None is pk3,
        unless the caller knows better what the rows are (:func:`crossdoc.run.one_name.cluster_contexts_of`).
    criterion : {"i1", "i2", "e1", "h1", "h2"}, default "i2"
        i1, i2, e1, h1 or h2, see :mod:`crossdoc.cluster.contexts.criteria`.
    method : {"direct", "rb", "rbr"}, default "rbr"
        Direct (k-way from several starts), rb (repeated bisections) or rbr (the same, refined k-way after each), which
        costs about a fifth of direct over a full curve, and is nearly as good.
    n_init : int, default 5
        Random starts for each number of clusters.
    random_state : int, default 0
        The seed they begin with.
    delta : float or None, default None
        Clusters are added until the criterion improves by no more than this share.
    max_clusters : int or None, default None
        Maximum number of clusters.
    threshold : float, default -0.7
        The threshold of pk1.
    even : float, default 0.02
        The cosine of the rule of that name; :mod:`crossdoc.compare.background` measures it on a collection.
    linked : float or None, default None
        For calibrated: the cosine; None grows with the words of a context.
    least : int, default 4
        For calibrated: the number of rows that a cluster needs to count.
    references : int, default 10
        Number of reference data sets for the gap.
    confidence : float, default 0.95
        The confidence of its intervals.

    Attributes
    ----------
    labels_ : ndarray of int
        The cluster of each row.
    partition_ : Partition
        Memberships (:mod:`crossdoc.cluster.contexts.context_clustering`).
    n_clusters_ : int
        More than `n_clusters` only where cannot-links ask for more.
    criterion_ : ndarray
        Its values for `first_k_`, `first_k_` + 1, …, deltaK; of a given number, that one's alone.
    delta_k_ : int
        The k after which it stopped improving.
    stopping_ : dict
        The decision of each rule, with its values.
    representatives_ : list of int
        The row nearest to each cluster's centre.
    n_features_in_ : int
        Columns of X.

    Notes
    -----
    A row of zeros says nothing about where it belongs: it belongs to each cluster in proportion to the cluster's size.
    A pass over the rows costs O(entries · k); passes, starts and all k up to deltaK multiply that.

    References
    ----------
    Pedersen, Kulkarni 2006, Automatic Cluster Stopping with Criterion Functions and the Gap Statistic, HLT-NAACL.

    Examples
    --------
    >>> rows = np.array([[3, 1, 0, 0], [2, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 2], [0, 0, 1, 1], [0, 0, 3, 1]])
    >>> clustering = ContextClustering().fit(rows)
    >>> clustering.labels_.tolist(), clustering.n_clusters_, clustering.stopping_["pk3"].k
    ([0, 0, 0, 1, 1, 1], 2, 2)
    """

    n_clusters: int | None = None
    stop: Rule | None = DEFAULT_RULE
    criterion: Criterion = "i2"
    method: Method = "rbr"
    _: KW_ONLY
    n_init: int = 5
    random_state: int = 0
    delta: float | None = None
    max_clusters: int | None = None
    threshold: float = stopping.PK1_THRESHOLD
    even: float = EVEN_COSINE
    linked: float | None = None
    least: int = LEAST_SIZE
    references: int = 10
    confidence: float = 0.95

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(
        self,
        X: Any,
        y: object = None,
        *,
        constraints: Constraints | None = None,
        sample_weight: npt.NDArray[Any] | None = None,
    ) -> ContextClustering:
        """Cluster rows: Vectors, a sparse or a dense matrix, scaled to unit length first."""
        self._check_parameters()
        given = ContextMatrix.of(validated(self, X, errors.bad_rows, accept_sparse=True))
        n = given.unit.shape[0]
        limits = checked_limits(constraints, n)
        weight = checked_weights(sample_weight, n)
        _, first, group = np.unique(limits.group, return_index=True, return_inverse=True)
        if self.n_clusters is not None and self.n_clusters > max(len(first), 1):
            raise errors.more_clusters_than_rows(self.n_clusters, len(first))
        everything = given.space(weight, limits)
        filled = np.flatnonzero((everything.itself > 0) | (np.diff(everything.lean.indptr) > 0))
        space = everything.subset(filled)
        found = self._found(space, given, weight, limits) if len(filled) else self._nothing()
        near = cosines(space, found.labels, found.k)
        labels, share = with_empty(memberships(near, found.labels, space.cannot), found, filled, everything)
        self.labels_ = renumber(labels[group])
        order = labels[group][np.unique(self.labels_, return_index=True)[1]]
        self.n_clusters_ = len(order)
        self.partition_ = Partition([str(row) for row in range(n)], share[group][:, order])
        inside = np.where(found.labels[:, None] == np.arange(found.k), near, -np.inf)
        middle = first[filled[inside.argmax(axis=0)]] if len(filled) else first[:1]
        # A cluster of empty rows alone is represented by its first.
        known = {int(self.labels_[row]): int(row) for row in middle}
        firsts = np.unique(self.labels_, return_index=True)[1]
        self.representatives_ = np.array([known.get(number, int(row)) for number, row in enumerate(firsts)], dtype=int)
        return self

    def _check_parameters(self) -> None:
        if self.method not in PARTITION_METHODS:
            raise errors.unknown_choice("clustering method", self.method, PARTITION_METHODS)
        if self.stop not in (None, *CONTEXT_RULES, "all"):
            raise errors.unknown_choice("stopping rule", str(self.stop), (*CONTEXT_RULES, "all"))
        check_seed(self.random_state)
        for name in ("n_clusters", "max_clusters", "n_init", "least", "references"):
            value = getattr(self, name)
            if value is not None or name not in ("n_clusters", "max_clusters"):
                check_number(name, value, "a whole number of at least 1", 1, whole=True)
        if self.linked is not None:
            check_number("linked", self.linked, "a number", -LARGEST, LARGEST)
        if self.delta is not None:
            check_number("delta", self.delta, "0 or more", 0, LARGEST)

    def _nothing(self) -> Clusters:
        """All rows are empty: one cluster, and no curve to speak of."""
        self.first_k_, self.delta_k_, self.criterion_ = 1, 1, np.zeros(1)
        self.stopping_: dict[str, stopping.Decision] = {}
        return Clusters(np.zeros(0, dtype=np.int64), 1, 0.0)

    def _found(self, space: Space, given: ContextMatrix, weight: Floats, constraints: Constraints) -> Clusters:
        search = Search(code_of(self.criterion), self.n_init, self.random_state)
        self.first_k_ = fewest(space)
        self.stopping_ = {}
        if self.n_clusters is not None:
            wanted = min(max(self.n_clusters, self.first_k_), len(space))
            found = self._with(space, search, wanted)
            self.first_k_, self.delta_k_, self.criterion_ = wanted, wanted, np.array([found.value])
            return found
        if self.stop == "calibrated":
            most = min(len(space), self.max_clusters or len(space))
            counted = linked_clusters(given, weight, constraints, self.linked, self.least, self.random_state)
            k = max(min(counted, most), self.first_k_)
            self.stopping_["calibrated"] = stopping.Decision(k, np.zeros(0, dtype=np.int64), np.zeros(0))
        curve = self._curve(space, search)
        self.criterion_ = np.array([each.value for each in curve])
        self.delta_k_ = self.first_k_ + len(curve) - 1
        if self.stop == "even":
            value = np.array([self._agreement(space, each) for each in curve])
            best = int(value.argmax())
            self.stopping_["even"] = stopping.Decision(curve[best].k, np.array([each.k for each in curve]), value)
            return curve[best]
        options: dict[str, Any] = {"minimised": search.code == E1, "first": self.first_k_}
        self.stopping_["pk1"] = stopping.pk1(self.criterion_, self.threshold, **options)
        self.stopping_["pk2"] = stopping.pk2(self.criterion_, **options)
        self.stopping_["pk3"] = stopping.pk3(self.criterion_, **options)
        if self.stop in ("gap", "all"):
            drawn = stopping.reference_values(
                given, weight, self.method, search, self.first_k_, len(curve), self.references
            )
            self.stopping_["gap"] = stopping.gap(
                self.criterion_, drawn, confidence=self.confidence, seed=self.random_state, **options
            )
        rule = DEFAULT_RULE if self.stop in (None, "all") else self.stop
        return curve[max(self.stopping_[rule].k - self.first_k_, 0)]

    def _with(self, space: Space, search: Search, k: int) -> Clusters:
        if self.method == "direct":
            return direct(space, k, search)
        return next(found for found in clusterings(space, self.method, search, self.first_k_) if found.k >= k)

    def _curve(self, space: Space, search: Search) -> list[Clusters]:
        """For each k until the criterion hardly improves, or until the rule "even" has found its best, and at least
        for those that "calibrated" wants."""
        curve: list[Clusters] = []
        delta = stopping.DELTA if self.delta is None else self.delta
        wanted = self.stopping_["calibrated"].k if self.stop == "calibrated" else 0
        best, since = -np.inf, 0
        for found in clusterings(space, self.method, search, self.first_k_):
            curve.append(Clusters(found.labels.astype(np.int32), found.k, found.value))
            if self.stop == "even":
                value = self._agreement(space, found)
                best, since = (value, 0) if value > best else (best, since + 1)
                if since >= IDLE_CLUSTERS or found.k == self.max_clusters:
                    break
                continue
            done = len(curve) > 1 and stopping.hardly_improved(curve[-2].value, found.value, delta)
            if (done and found.k >= wanted) or found.k >= (self.max_clusters or np.inf):
                break
        # The refinement may need more clusters than the colouring did.
        self.first_k_ = curve[0].k
        return curve

    def _agreement(self, space: Space, found: Clusters) -> float:
        """Σ (x_i·x_j − even) over the pairs within clusters, but for what is the same for every clustering."""
        size, square, _ = parts(space, found.labels.astype(np.int64), found.k)
        return float((square - self.even * size**2).sum() / 2)


def linked_clusters(
    given: ContextMatrix, weight: Floats, constraints: Constraints, cosine: float | None, least: int, seed: int
) -> int:
    """How many clusters of at least `least` rows (or half of all, and 2% of all) average link leaves; at least one.

    The `cosine` at which it joins is by default that of contexts of so many words as the rows have columns in use.
    """
    n = given.unit.shape[0]
    rows = np.arange(n)
    if n > MOST_LINKED_ROWS:
        rows = np.sort(np.random.default_rng(seed).choice(n, MOST_LINKED_ROWS, replace=False))
        constraints = constraints.restrict(rows)
    similarity = (given.unit[rows] @ given.unit[rows].T).toarray()
    if cosine is None:
        cosine = LINKED_COSINE * float(np.cbrt(max(given.unit.nnz / n, 1)))
    found = LinkageClustering("average", cosine).fit(similarity, constraints=constraints, sample_weight=weight[rows])
    sizes = np.bincount(found.labels_, weights=weight[rows])
    enough = max(min(least, max(len(rows) // 2, 2)), LEAST_SIZE_SHARE * sizes.sum())
    return max(int((sizes >= enough).sum()), 1)


def cosines(space: Space, labels: Ints, k: int) -> Floats:
    """The cosine of each row to the sum of each cluster."""
    _, square, _ = parts(space, labels, k)
    length = np.sqrt(np.maximum(space.itself, 0))[:, None] * np.sqrt(np.maximum(square, 0))
    products = space.products(labels, k)
    return np.divide(products, length, out=np.zeros_like(products), where=length > 0)


def memberships(near: Floats, labels: Ints, cannot: sparse.csr_matrix) -> sparse.csr_matrix:
    """Memberships that add up to 1, a row's own cluster the strongest.

    The distance is δ = −ln cos(x, S_r) and the membership u ∝ exp(−δ/(m − 1)), m = 1.6, that is cos^(1/(m−1)): the same
    sharpness as in `estimators.py`. Fuzzy c-means' own 1/d² would be flat here, since among sparse
    contexts all distances but the nearest are nearly equal.

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
    cannot = everything.cannot
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
    others = [{word for other in describing if other is not own for word in other} for own in describing]
    return [
        ClusterWords(words, [word for word in words if word not in elsewhere])
        for words, elsewhere in zip(describing, others, strict=True)
    ]


def _heaviest(row: sparse.csr_matrix, features: npt.NDArray[np.object_], most: int) -> list[str]:
    # By word where two weigh the same, so that a rerun gives the same.
    order = np.lexsort((features[row.indices].astype(str), -row.data))[:most]
    return [str(features[column]) for column in row.indices[order[row.data[order] > 0]]]
