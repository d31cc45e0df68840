"""numba kernel of the fuzzy clusterers: distances in, memberships out; plain arrays, nothing validated."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def update(distance, sizes, fuzzifier, noise, membership, weight):  # type: ignore[no-untyped-def]
    """Fill `membership` (u) and `weight` (size · u^m) from squared distances (rows × clusters); return Σ weight · d².

    u_jc = d_jc^(−1/(m−1)) / Σ_h d_jh^(−1/(m−1)), all divided by the row's smallest distance, so that no power overflows
    however near m is to 1. A row at distance 0 is shared equally by the clusters there, and what rounding or a relation
    that no space has makes negative counts as 0. `noise` is the squared distance of every row to a cluster that stands
    for nobody (infinite: none).
    """
    n, k = distance.shape
    power = 1.0 / (fuzzifier - 1.0)
    total = 0.0
    for j in range(n):
        nearest = noise
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
        alone = (nearest / noise) ** power if noise < np.inf else 0.0
        share = alone
        for c in range(k):
            membership[j, c] = (nearest / distance[j, c]) ** power
            share += membership[j, c]
        # (q^p)^m = q^p · q, since p·m = p + 1: one power for each row instead of one for each cell.
        scale = sizes[j] * share**-fuzzifier
        for c in range(k):
            weight[j, c] = membership[j, c] * (nearest / distance[j, c]) * scale
            membership[j, c] /= share
            total += weight[j, c] * distance[j, c]
        total += alone * nearest * scale
    return total
