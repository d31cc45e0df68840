"""Must-link and cannot-link for fuzzy partitions: rows that are one become one row; rows that may not be, are not.

Huang et al. 2009 only say that link constraints are checked. Here rows that must be one have equal memberships, and of
two rows that may not be one at most one exceeds θ in a cluster and no cluster is the best one of both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crossdoc.cluster.memberships import leaned
from crossdoc.constraints import Constraints
from crossdoc.model import Relations

Floats = npt.NDArray[np.float64]
Pairs = npt.NDArray[np.int64]
OUTWEIGHS = -1.0
"""A soft weight from here down outweighs every strength: the rule keeps two rows apart unless a person disagrees."""


@dataclass(frozen=True, slots=True)
class ContractedRelation:
    """One row for each must-link group: mean strengths with the soft weights added, and who may not be together."""

    strengths: Floats
    sizes: Floats
    group: Pairs
    """The contracted row of each given row."""
    cannot: Pairs
    """Pairs that a person keeps apart."""
    ruled_out: Pairs
    """Pairs that a rule keeps apart."""

    def closed(self, home: Pairs, k: int) -> tuple[Pairs, Pairs]:
        """Rows and clusters: the cluster is the own one (of k) of a row that the row is kept apart from."""
        keys = [
            row * k + home[other] for pairs in (self.cannot, self.ruled_out) for row, other in (pairs.T, pairs.T[::-1])
        ]
        found = np.unique(np.concatenate(keys))
        return found // k, found % k


def contract(relations: Relations, limits: Constraints, sizes: Floats) -> ContractedRelation:
    matrix = leaned(relations, limits).dense().astype(np.float64)
    _, group = np.unique(limits.group, return_inverse=True)
    group = group.astype(np.int64)
    n = int(group.max()) + 1
    if n < len(matrix):
        member = sparse.csr_matrix((sizes, (group, np.arange(len(group)))), shape=(n, len(group)))
        total = np.asarray(member.sum(axis=1)).ravel()
        matrix = np.asarray(member @ (member @ matrix).T) / np.outer(total, total)
        sizes = total
    cannot = _distinct(group[limits.cannot], n)
    ruled_out = _distinct(group[limits.soft[limits.soft_weight <= OUTWEIGHS]], n)
    for pairs in (cannot, ruled_out):
        matrix[pairs[:, 0], pairs[:, 1]] = matrix[pairs[:, 1], pairs[:, 0]] = 0.0
    np.clip(matrix, 0.0, 1.0, out=matrix)
    np.fill_diagonal(matrix, 1.0)
    return ContractedRelation(matrix, sizes, group, cannot, ruled_out)


def _distinct(pairs: npt.NDArray[np.int64], n: int) -> Pairs:
    """Each pair once, the smaller number first; what became one row is no pair."""
    low, high = np.sort(pairs.reshape(-1, 2), axis=1).T.astype(np.int64)
    keys = np.unique((low * n + high)[low != high])
    return np.column_stack([keys // n, keys % n])


def homes(membership: Floats, cannot: Pairs) -> npt.NDArray[np.int64]:
    """Each row's best cluster that no row has which it may not be with; a number past the last is a new cluster.

    The surest rows choose first.
    """
    home = membership.argmax(axis=1)
    if not len(cannot):
        return home
    enemies: dict[int, list[int]] = {}
    for a, b in cannot:
        enemies.setdefault(int(a), []).append(int(b))
        enemies.setdefault(int(b), []).append(int(a))
    new = membership.shape[1]
    chosen = np.full(len(membership), -1, dtype=np.int64)
    for row in np.argsort(-membership.max(axis=1), kind="stable"):
        if row not in enemies:
            chosen[row] = home[row]
            continue
        taken = {int(chosen[enemy]) for enemy in enemies[row]}
        free = [c for c in np.argsort(-membership[row], kind="stable") if c not in taken and membership[row, c] > 0]
        if free:
            chosen[row] = free[0]
        else:
            chosen[row] = new
            new += 1
    return chosen


def keep_apart(membership: Floats, cannot: Pairs, theta: float) -> Floats:
    """Memberships under which no cannot-link is broken, changed only where one would be."""
    if not len(cannot):
        return membership
    home = homes(membership, cannot)
    n, k = len(membership), max(int(home.max()) + 1, membership.shape[1])
    kept = np.zeros((n, k))
    kept[:, : membership.shape[1]] = membership
    bound = np.unique(cannot)
    for a, b in np.concatenate([cannot, cannot[:, ::-1]]):
        kept[a, home[b]] = 0.0
    for row in bound:
        total = kept[row].sum()
        if total > 0:
            kept[row] *= membership[row].sum() / total
        else:
            kept[row, home[row]] = 1.0
    for a, b in cannot:
        for cluster in np.flatnonzero((kept[a] > theta) & (kept[b] > theta)):
            weaker = a if kept[a, cluster] < kept[b, cluster] else b
            kept[weaker, home[weaker]] += kept[weaker, cluster] - theta
            kept[weaker, cluster] = theta
    return kept
