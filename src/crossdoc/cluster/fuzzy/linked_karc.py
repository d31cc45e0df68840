"""KARC mended (variant "linked"): linkage finds the clusters, fuzzy centres in the kernel space find the memberships.

Huang et al. 2009 fails on names with many people (docs/fuzzy.md has the figures) for three reasons: a row that has
nothing to do with a centre is still only √2 away from it, so that all such rows together move every centre to the
middle; a row counts towards the centre it is compared with; and KXBI finds too few clusters. So here the kernel is the
strength itself times the cosine of the two rows, the number of clusters and the start come from average linkage in that
kernel, centres have unit length as equation 6 assumes, each row is compared with centres that leave it out, and
memberships are shares of the cosines, of which unrelated centres get nothing. A row stays in the cluster it starts in.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from crossdoc.cluster.fuzzy.fuzzy_constraints import ContractedRelation
from crossdoc.cluster.hierarchical import LinkageClustering
from crossdoc.cluster.memberships import A_LITTLE, MOST_ALTERNATIVES
from crossdoc.constraints import Constraints

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]
LEAST_COSINE = 1e-9
SHARPENING = 4
"""The power s to which strengths are taken first: a probability of ½ is no evidence, and many such must not add up.
The best of 1 to 4 for average linkage in this kernel on WePS-1 training pages."""


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


def linked_start(kernel: Floats, given: ContractedRelation, cut: float, begun: Labels | None = None) -> Labels:
    """Average linkage in the kernel space; pairs that may not be together never are, unless a person joined them.

    It goes on from the clusters that rows have in `begun`; those of −1 are by themselves at first.
    """
    n = len(kernel)
    own = np.arange(n)
    if begun is not None:
        own[begun >= 0] = n + begun[begun >= 0]
    limits = Constraints(
        n,
        np.unique(own, return_inverse=True)[1].astype(np.int32),
        given.cannot.astype(np.int32),
        given.ruled_out.astype(np.int32),
        np.full(len(given.ruled_out), -float(n) - 1.0),
    )
    linkage = LinkageClustering("average", cut, max_block=max(n, 2))
    return linkage.fit(kernel, constraints=limits, sample_weight=given.sizes).labels_.astype(np.int64)


def start_with(n_clusters: int, start: Callable[[float], Labels]) -> Labels:
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


def unit_rows(kernel: Floats) -> Floats:
    """The kernel with every row scaled to length 1 in its space."""
    lengths = np.sqrt(np.maximum(kernel.diagonal(), LEAST_COSINE))
    return kernel / np.outer(lengths, lengths)


def spread_memberships(
    kernel: Floats, given: ContractedRelation, home: Labels, cut: float, fuzzifier: float, passes: int
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
