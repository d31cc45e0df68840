"""Fuzzy c-means over a Gram matrix: the one loop behind KARC, ARCA and FRC, and the index of its result.

With G_jk = ⟨φ_j, φ_k⟩ and centres w_i = Σ_k u_ik^m φ_k / Σ_k u_ik^m, the squared distance is
d²_ji = G_jj − 2·(G w_i)_j + w_iᵀ G w_i. KARC as printed (Huang et al. 2009, equation 6) puts 1 for the last term.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numba import njit

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]

COINCIDE = 1e-12
"""Centres whose squared distance is below this count as one."""


@dataclass(frozen=True, slots=True)
class Gram:
    """Inner products of the rows; `unit_centres` takes every centre's length for 1, as equation 6 does."""

    matrix: Floats
    unit_centres: bool = False

    def to_centres(self, weight: Floats) -> tuple[Floats, Floats]:
        """Squared distances of the rows to the weighted means (rows × clusters), and of the means to each other."""
        total = weight.sum(axis=0)
        # The centre of a cluster without members is that of all rows.
        share = np.where(total > 0, weight, 1.0) / np.where(total > 0, total, len(weight))
        distance = self.matrix @ share
        between = share.T @ distance
        inner = np.ones(len(between)) if self.unit_centres else between.diagonal().copy()
        distance *= -2.0
        distance += self.matrix.diagonal()[:, None]
        distance += inner
        return distance, inner[:, None] + inner - 2.0 * between

    def to_rows(self, rows: Rows) -> Floats:
        """Squared distances of all rows to some of them."""
        lengths = self.matrix.diagonal()
        return np.maximum(lengths[:, None] + lengths[rows] - 2.0 * self.matrix[:, rows], 0.0)


@dataclass(frozen=True, slots=True)
class FuzzyMeans:
    """Result of the loop."""

    membership: Floats
    """Rows × clusters."""
    objective: float
    history: tuple[float, ...]
    between: Floats
    """Squared distances of the centres to each other."""


def settle(
    gram: Gram,
    distance: Floats,
    sizes: Floats,
    fuzzifier: float,
    tolerance: float,
    max_iter: int,
) -> FuzzyMeans:
    """Alternate memberships (equation 4) and centres (equation 6) until no membership moves by the tolerance.

    `distance` are the squared distances to the first centres; a row counts `sizes` times.
    """
    membership, weight, previous = (np.zeros_like(distance) for _ in range(3))
    history: list[float] = []
    for step in range(max_iter):
        previous, membership = membership, previous
        history.append(update(distance, sizes, fuzzifier, membership, weight))
        _refill(distance, sizes, membership, weight)
        if step and np.abs(membership - previous).max() < tolerance:
            break
        distance, _ = gram.to_centres(weight)
    return FuzzyMeans(membership, history[-1], tuple(history), gram.to_centres(weight)[1])


def _refill(distance: Floats, sizes: Floats, membership: Floats, weight: Floats) -> None:
    """A cluster whose weights all underflow takes the row that is farthest from its nearest centre."""
    empty = np.flatnonzero(weight.sum(axis=0) < np.finfo(np.float64).tiny)
    if not len(empty):
        return
    order = np.argsort(-distance.min(axis=1), kind="stable")
    for cluster, row in zip(empty, order, strict=False):
        membership[row], weight[row] = 0.0, 0.0
        membership[row, cluster], weight[row, cluster] = 1.0, sizes[row]


def spread_rows(gram: Gram, k: int, random: np.random.Generator) -> Rows:
    """k-means++ in the kernel space (Arthur & Vassilvitskii 2007): far rows are likelier to be the next centre."""
    n = len(gram.matrix)
    chosen = [int(random.integers(n))]
    nearest = gram.to_rows(np.array(chosen))[:, 0]
    for _ in range(k - 1):
        nearest[chosen] = 0.0
        total = nearest.sum()
        if total > 0:
            row = int(random.choice(n, p=nearest / total))
        else:
            row = int(random.choice(np.setdiff1d(np.arange(n), chosen)))
        chosen.append(row)
        nearest = np.minimum(nearest, gram.to_rows(np.array([row]))[:, 0])
    return np.array(chosen, dtype=np.int64)


def kxbi(settled: FuzzyMeans, n: float) -> float:
    """KXBI = Σ_i Σ_j u_ij^m ‖Φ(r_j) − Φ(w_i)‖² / (N · min_{i<h} ‖Φ(w_i) − Φ(w_h)‖²); infinite where centres coincide.

    >>> apart = np.array([[0.0, 4.0], [4.0, 0.0]])
    >>> kxbi(FuzzyMeans(np.eye(2), 2.0, (2.0,), apart), 2)
    0.25
    """
    nearest = settled.between[np.triu_indices(len(settled.between), k=1)].min()
    return settled.objective / (n * float(nearest)) if nearest > COINCIDE else float("inf")


def dealt_anew(matrix: Floats, random: np.random.Generator) -> Floats:
    """The same strengths over other pairs: what is left when strengths do not agree with each other."""
    n = len(matrix)
    above = np.triu_indices(n, k=1)
    dealt = np.zeros_like(matrix)
    dealt[above] = random.permutation(matrix[above])
    dealt += dealt.T
    np.fill_diagonal(dealt, matrix.diagonal())
    return dealt


@njit(cache=True, nogil=True)
def update(distance, sizes, fuzzifier, membership, weight):  # type: ignore[no-untyped-def]
    """Fill `membership` (u) and `weight` (size · u^m) from squared distances (rows × clusters); return Σ weight · d².

    u_jc = d_jc^(−1/(m−1)) / Σ_h d_jh^(−1/(m−1)), all divided by the row's smallest distance, so that no power overflows
    however near m is to 1. A row at distance 0 is shared equally by the clusters there, and what rounding or a relation
    that no space has makes negative counts as 0.
    """
    n, k = distance.shape
    power = 1.0 / (fuzzifier - 1.0)
    total = 0.0
    for j in range(n):
        nearest = np.inf
        for c in range(k):
            if distance[j, c] < nearest:
                nearest = distance[j, c]
        if nearest <= 0.0:
            there = 0
            for c in range(k):
                if distance[j, c] <= 0.0:
                    there += 1
            for c in range(k):
                membership[j, c] = 1.0 / there if distance[j, c] <= 0.0 else 0.0
                weight[j, c] = sizes[j] * membership[j, c] ** fuzzifier
            continue
        share = 0.0
        for c in range(k):
            membership[j, c] = (nearest / distance[j, c]) ** power
            share += membership[j, c]
        # (q^p)^m = q^p · q, since p·m = p + 1: one power for each row instead of one for each cell.
        scale = sizes[j] * share**-fuzzifier
        for c in range(k):
            weight[j, c] = membership[j, c] * (nearest / distance[j, c]) * scale
            membership[j, c] /= share
            total += weight[j, c] * distance[j, c]
    return total
