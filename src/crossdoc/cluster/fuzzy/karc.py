"""KARC, kernelised any-relation clustering (Huang et al. 2009, section 2.2, Algorithm 1), as printed and mended.

Every profile is its row of the relation matrix (ARCA's objectification), the rows live in the space of a kernel, and
fuzzy c-means runs there. Variant "paper" is Algorithm 1; in variant "linked", the default, the kernel is the
strength itself times the cosine of the two rows, the number of clusters and the start come from average linkage in that
kernel, centres have unit length as equation 6 assumes, each row is compared with centres that leave it out, and
memberships are shares of the cosines, of which unrelated centres get nothing. A row stays in the cluster it starts in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from crossdoc import errors
from crossdoc.cluster.estimators import A_LITTLE, MOST_ALTERNATIVES
from crossdoc.cluster.fuzzy.fuzzy_relational import (
    MAX_CLUSTERS,
    MAX_FUZZY_ROWS,
    ContractedRelation,
    Found,
    FuzzyRelational,
    Validity,
)
from crossdoc.cluster.fuzzy.gram_means import Floats, Gram, Rows
from crossdoc.cluster.hierarchical import LinkageClustering
from crossdoc.model.evidence_protocol import Constraints

Variant = Literal["linked", "paper"]
DEFAULTS: dict[str, dict[str, Any]] = {
    "paper": {
        "m": 1.6,
        "gamma": 0.015,
        "distance": "paper",
        "one_cluster": "paper",
        "tol": 1e-4,
        "max_iter": 100,
        "n_init": 3,
        "max_clusters": MAX_CLUSTERS,
    },
    "linked": {"m": 1.3, "threshold": 0.6, "passes": 10},
}
"""Values of each variant, also those of ARCA and FRC that are no parameters here. γ, m and θ of "paper" are the
paper's own; the threshold of "linked" was chosen on WePS-1 training pages with the strengths of an earlier model, its m
and passes on the Bush notices of the sample corpus."""
LEAST_COSINE = 1e-9
SHARPENING = 4
"""The power s to which strengths are taken first: a probability of ½ is no evidence, and many such must not add up.
The best of 1 to 4 for average linkage in this kernel on WePS-1 training pages."""


@dataclass(eq=False, repr=False)
class KARC(FuzzyRelational):
    """Kernelised any-relation clustering: a soft partition from strengths of relation.

    Parameters
    ----------
    n_clusters : int or None, default None
        C; None finds it, by average linkage (linked) or by the first minimum of KXBI (paper).
    m : float or None, default None
        The fuzzifier; centres weigh row j with u_ij^m. None is 1.6 (paper) or 1.3 (linked).
    theta : float, default 0.3
        Memberships above it make the overlapping clusters of `partition_.threshold(theta)` (KARC-S), and of two
        rows that may not be together at most one exceeds it in a cluster.
    variant : {"linked", "paper"}, default "linked"
        "linked" (mended, see docs/fuzzy.md for the evidence) or "paper" (Algorithm 1).
    threshold : float or None, default None
        Linked: rows at least this strong to each other are one cluster in the start. A learned value is in the
        model (`resolve` passes it on). None is the variant's own default, as for all that follow.
    passes : int or None, default None
        Linked: how often uncertainty is passed on from rows to those that resemble them.
    gamma : float or None, default None
        Paper: γ of the RBF kernel, exp −γ‖r_j − r_k‖².
    distance : {"paper", "exact"} or None, default None
        Paper: "paper" takes ‖w‖ = 1 (equation 6), "exact" is the distance to the weighted mean.
    tol : float or None, default None
        Paper: the loop ends when no membership moves by more than this.
    max_iter : int or None, default None
        Paper: maximum number of iterations.
    n_init : int or None, default None
        Paper: number of starts with random rows; the best one is used.
    random_state : int, default 0
        The seed of starts and references; "linked" has no random step.
    max_block : int, default 10000
        Maximum number of rows; N² double-precision numbers are held a few times.

    Attributes
    ----------
    partition_ : Partition
        All memberships; KARC-S is ``partition_.threshold(theta)``.
    labels_ : ndarray of int
        The best cluster of each row (KARC-H).
    objective_ : float
        Σ u^m d² at the end; for "linked" Σ u^m (2 − 2 cos).
    n_clusters_ : int
        Clusters in `partition_`.
    validity_ : Validity
        The curve of KXBI over C and the number it led to.
    n_iter_ : int
        Iterations of the best start; for "linked" the passes.
    n_features_in_ : int
        Rows, since each row has a strength to every one.

    Notes
    -----
    O(N²C) per iteration, and O(N³) once for the kernel. Asymmetric, infinite or other values outside [0, 1] are
    refused.

    References
    ----------
    Huang, Taylor, Smith, Fotiadis, Giles 2009, Profile Based Cross-Document Coreference Using Kernelized Fuzzy
    Relational Clustering, ACL-IJCNLP.

    Examples
    --------
    >>> strengths = np.array([[1, .9, .5, .1], [.9, 1, .5, .1], [.5, .5, 1, .4], [.1, .1, .4, 1]])
    >>> karc = KARC(threshold=0.4).fit(strengths)
    >>> karc.labels_.tolist(), karc.partition_.membership.toarray().round(2).tolist()[3]
    ([0, 0, 0, 1], [0.33, 0.67])
    """

    CHOICES: ClassVar[dict[str, tuple[str, ...]]] = {"distance": ("paper", "exact")}

    n_clusters: int | None = None
    m: float | None = None
    theta: float = 0.3
    _: KW_ONLY
    variant: Variant = "linked"
    threshold: float | None = None
    passes: int | None = None
    gamma: float | None = None
    distance: Literal["paper", "exact"] | None = None
    tol: float | None = None
    max_iter: int | None = None
    n_init: int | None = None
    random_state: int = 0
    max_block: int = MAX_FUZZY_ROWS

    def _check_parameters(self) -> None:
        if self.variant not in DEFAULTS:
            raise errors.unknown_choice("variant", str(self.variant), list(DEFAULTS))
        others = set().union(*DEFAULTS.values()) - DEFAULTS[self.variant].keys()
        unused = sorted(name for name in others if getattr(self, name, None) is not None)
        if unused:
            raise errors.not_usable_with(" and ".join(unused), f"the variant {self.variant!r}", "other variants")
        super()._check_parameters()

    def _chosen(self, name: str) -> Any:
        """A parameter as given, or the variant's own."""
        value = getattr(self, name, None)
        return DEFAULTS[self.variant][name] if value is None else value

    def _gram(self, strengths: Floats) -> Gram:
        return Gram(rbf_kernel(strengths, self._chosen("gamma")), self._chosen("distance") == "paper")

    def _first(self, gram: Gram, k: int, random: np.random.Generator) -> Floats:
        return gram.to_rows(random.choice(len(gram.matrix), size=k, replace=False))

    def _soft_partition(self, given: ContractedRelation) -> Found:
        if self.variant == "paper":
            return super()._soft_partition(given)
        kernel = product_kernel(given.strengths)
        threshold = self._chosen("threshold")
        cut = in_kernel(threshold)
        if self.n_clusters is None:
            labels, why = linked_start(kernel, given, cut), f"average linkage, threshold {threshold:g}"
        else:
            labels, why = start_with(self.n_clusters, lambda at: linked_start(kernel, given, at)), "given"
        fuzzifier, passes = float(self._chosen("m")), int(self._chosen("passes"))
        membership = spread_memberships(kernel, given, labels, cut, fuzzifier, passes)
        weight = membership**fuzzifier * given.sizes[:, None]
        objective = float((weight * Gram(kernel, unit_centres=True).to_centres(weight)[0]).sum())
        return membership, objective, Validity(membership.shape[1], why), passes


def rbf_kernel(strengths: Floats, gamma: float) -> Floats:
    """K_jk = exp(−γ ‖r_j − r_k‖²)."""
    lengths = np.einsum("jk,jk->j", strengths, strengths)
    distance = strengths @ strengths.T
    distance *= -2.0
    distance += lengths
    distance += lengths[:, None]
    np.maximum(distance, 0.0, out=distance)
    np.fill_diagonal(distance, 0.0)
    distance *= -gamma
    return np.exp(distance, out=distance)


def product_kernel(strengths: Floats) -> Floats:
    """K_jk = r_jk^s · cos(r_j^s, r_k^s): strongly related themselves, and related alike to all the others."""
    sharp = strengths**SHARPENING
    lengths = np.linalg.norm(sharp, axis=1)
    kernel = sharp @ sharp.T
    kernel /= lengths
    kernel /= lengths[:, None]
    kernel *= sharp
    kernel += kernel.T
    kernel *= 0.5
    np.clip(kernel, 0.0, 1.0, out=kernel)
    np.fill_diagonal(kernel, 1.0)
    return kernel


def in_kernel(threshold: float) -> float:
    """The product kernel of two rows of this strength that are related to no other row: 2t²ˢ / (1 + t²ˢ)."""
    sharp = threshold ** (2 * SHARPENING)
    return 2.0 * sharp / (1.0 + sharp)


def linked_start(kernel: Floats, given: ContractedRelation, cut: float) -> Rows:
    """Average linkage in the kernel space; pairs that may not be together never are, unless a person joined them."""
    n = len(kernel)
    never = np.full(len(given.ruled_out), -float(n) - 1.0)
    apart = given.cannot.astype(np.int32), given.ruled_out.astype(np.int32)
    limits = Constraints(n, np.arange(n, dtype=np.int32), *apart, never)
    linkage = LinkageClustering("average", cut, max_block=max(n, 2))
    return linkage.fit(kernel, constraints=limits, sample_weight=given.sizes).labels_.astype(np.int64)


def start_with(n_clusters: int, start: Callable[[float], Rows]) -> Rows:
    """The start with so many clusters, or with the next larger number that some threshold gives."""
    low, high = -1.0, 2.0
    best = start(high)
    while high - low > 1e-12 and best.max() + 1 > n_clusters:
        middle = (low + high) / 2.0
        labels = start(middle)
        if labels.max() + 1 < n_clusters:
            low = middle
        else:
            best, high = labels, middle
    return best


def spread_memberships(
    kernel: Floats, given: ContractedRelation, home: Rows, cut: float, fuzzifier: float, passes: int
) -> Floats:
    """Memberships u_ji ∝ cos(φ_j, w_i), the centres w_i = Σ_k u_ik^m φ_k without row j itself.

    Each pass takes the memberships of the one before, so that a row that resembles an uncertain one becomes uncertain.
    A row counts in its own cluster at least as a pair at the threshold would, and more than in any other; it counts
    nothing in a cluster that is the own one of a row it may not be with, nor in one that another row has for itself,
    and of the rest the ten strongest count.
    """
    n, k = len(kernel), int(home.max()) + 1
    shared = np.flatnonzero(np.bincount(home) > 1)
    column = np.full(k, -1)
    column[shared] = np.arange(len(shared))
    place = column[home]
    member = np.flatnonzero(place >= 0)
    # A row that is alone at first keeps a cluster of its own, to which it is related as a pair at the threshold.
    alone = np.where(place < 0, 1.0, 0.0)
    share = np.zeros((n, len(shared)))
    share[member, place[member]] = 1.0
    barred, cluster = given.closed(home, k)
    barred, cluster = barred[column[cluster] >= 0], column[cluster][column[cluster] >= 0]
    for _ in range(passes if len(shared) else 0):
        cosine = _without_itself(kernel, share**fuzzifier * given.sizes[:, None])
        own = np.full(n, max(cut, LEAST_COSINE))
        own[member] = np.maximum(own[member], cosine[member, place[member]])
        cosine[barred, cluster] = 0.0
        cosine[member, place[member]] = 0.0
        if len(shared) > MOST_ALTERNATIVES:
            least = np.partition(cosine, -MOST_ALTERNATIVES, axis=1)[:, -MOST_ALTERNATIVES]
            cosine[cosine < least[:, None]] = 0.0
        own = np.maximum(own, cosine.max(axis=1) * (1.0 + A_LITTLE))
        cosine[member, place[member]] = own[member]
        own = np.where(place < 0, own, 0.0)
        total = cosine.sum(axis=1) + own
        share, alone = cosine / total[:, None], own / total
    membership = np.zeros((n, k))
    membership[:, shared] = share
    lone = np.flatnonzero(place < 0)
    membership[lone, home[lone]] = alone[lone]
    return membership


def _without_itself(kernel: Floats, weight: Floats) -> Floats:
    """cos(φ_j, w_i − w_ij φ_j) for unit φ: ‖w − w_j φ_j‖² = ‖w‖² − 2 w_j ⟨φ_j, w⟩ + w_j²."""
    cosine = kernel @ weight
    length = np.einsum("ji,ji->i", weight, cosine)
    left = np.square(weight) - 2.0 * weight * cosine
    left += length
    cosine -= weight
    cosine /= np.sqrt(np.maximum(left, LEAST_COSINE))
    cosine[left <= LEAST_COSINE] = 0.0
    return np.clip(cosine, 0.0, 1.0, out=cosine)
