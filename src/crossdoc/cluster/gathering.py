"""Small groups that linkage left over join the large one that they are as near to as its own members are.

A person with many documents is described in many ways: a list or a catalogue page shares little with any one of them,
yet no less than some of them share with the rest. What such a group is worth is not told by a threshold over pairs but
by the large group itself.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crossdoc.cluster.memberships import kept_apart
from crossdoc.constraints import Constraints
from crossdoc.model import Relations

LARGE = 5
"""Rows of a group that is large enough to say how far apart its own members are."""


def gathered(
    pairs: Relations,
    labels: npt.NDArray[np.int32],
    limits: Constraints,
    weights: npt.NDArray[np.float64],
    small: int,
) -> npt.NDArray[np.int32]:
    """The labels after every group of at most `small` rows has joined the large one it belongs to, if there is one.

    With s_ii = 1 and T_AB = Σ_{i∈A, j∈B} s_ij, the likeness of two groups is T_AB / √(T_AA T_BB): the cosine of their
    sums, if strengths are dot products. A small group belongs to a large one B if it is at least as like B as the
    member of B that is least like the rest, max_B first. Bars are those of B before anyone joined, so that who joins
    opens the door for nobody else; groups that are kept apart do not meet in B either.

    >>> strengths = np.full((7, 7), 0.9)
    >>> strengths[4, :4] = strengths[:4, 4] = strengths[5, :5] = strengths[:5, 5] = 0.5
    >>> strengths[6] = strengths[:, 6] = 0.1
    >>> labels = np.array([0, 0, 0, 0, 0, 1, 2], dtype=np.int32)
    >>> gathered(Relations.from_dense(strengths), labels, Constraints.none(7), np.ones(7), small=3).tolist()
    [0, 0, 0, 0, 0, 0, 2]
    """
    size = np.bincount(labels, weights=weights).astype(np.float64)
    large, leftover = np.flatnonzero(size >= LARGE), np.flatnonzero(size <= small)
    if not (len(large) and len(leftover)):
        return labels
    between, own = _totals(pairs, labels, weights, size)
    bars = _bars(pairs, labels, weights, size, own)
    wishes = []
    for group in leftover[own[leftover] > 0].tolist():
        shared = between[[group]].toarray()[0, large] + pairs.default_strength * size[group] * size[large]
        above = shared / np.sqrt(own[group] * np.maximum(own[large], 1e-12)) - bars[large]
        best = int(above.argmax())
        if above[best] >= 0:
            wishes.append((float(above[best]), int(large[best]), group))
    return _joined(labels, limits, wishes)


def _totals(
    pairs: Relations, labels: npt.NDArray[np.int32], weights: npt.NDArray[np.float64], size: npt.NDArray[np.float64]
) -> tuple[sparse.csr_matrix, npt.NDArray[np.float64]]:
    """T of two groups beyond what the default strength makes of it, and T of each group with itself."""
    k = len(size)
    a, b = labels[pairs.left], labels[pairs.right]
    more = weights[pairs.left] * weights[pairs.right] * (pairs.strength - pairs.default_strength)
    upper = sparse.coo_matrix((more, (a, b)), shape=(k, k)).tocsr()
    copies = np.bincount(labels, weights=weights**2, minlength=k)
    own = 2.0 * upper.diagonal() + pairs.default_strength * (size**2 - copies) + copies
    return (upper + upper.T).tocsr(), own


def _bars(
    pairs: Relations,
    labels: npt.NDArray[np.int32],
    weights: npt.NDArray[np.float64],
    size: npt.NDArray[np.float64],
    own: npt.NDArray[np.float64],
) -> npt.NDArray[np.float64]:
    """How like the rest of its group the least typical member is; ∞ where strengths below 0 leave no cosine."""
    inside = np.flatnonzero(labels[pairs.left] == labels[pairs.right])
    left, right = pairs.left[inside], pairs.right[inside]
    more = pairs.strength[inside] - pairs.default_strength
    known = np.bincount(left, more * weights[right], pairs.n) + np.bincount(right, more * weights[left], pairs.n)
    row = known + pairs.default_strength * (size[labels] - weights) + weights
    rest = own[labels] - 2.0 * row + 1.0
    bars = np.full(len(size), np.inf)
    np.minimum.at(bars, labels, (row - 1.0) / np.sqrt(np.maximum(rest, 1e-12)))
    bars[labels[rest <= 0]] = np.inf
    bars[own <= 0] = np.inf
    return bars


def _joined(
    labels: npt.NDArray[np.int32], limits: Constraints, wishes: list[tuple[float, int, int]]
) -> npt.NDArray[np.int32]:
    """The best first, and none into a group that holds what it is kept apart from."""
    a, b = labels[kept_apart(limits)].T
    apart: dict[int, set[int]] = {}
    for one, other in [*zip(a.tolist(), b.tolist(), strict=True), *zip(b.tolist(), a.tolist(), strict=True)]:
        apart.setdefault(one, set()).add(other)
    where = np.arange(labels.max(initial=-1) + 1, dtype=np.int32)
    held: dict[int, set[int]] = {}
    for _, into, group in sorted(wishes, key=lambda wish: (-wish[0], wish[1:])):
        if apart.get(group, set()).isdisjoint({into} | held.get(into, set())):
            where[group] = into
            held.setdefault(into, set()).add(group)
    return where[labels]
