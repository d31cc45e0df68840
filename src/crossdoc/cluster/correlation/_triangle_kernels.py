"""numba kernels of the triangle rows x_uv + x_vt ≥ x_ut over all pairs of n nodes; pairs are numbered row by row."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def triangle_rows(n, first, count):  # type: ignore[no-untyped-def]
    """Rows first … first + count − 1 of all 3·C(n, 3): the pairs (a, b, c) of x_a + x_b − x_c ≥ 0.

    Triples i < j < k come in order, each with its three sides.
    """
    rows = np.empty((count, 3), dtype=np.int32)
    triple, side = first // 3, first % 3
    i = 0
    while triple >= (n - i - 1) * (n - i - 2) // 2:
        triple -= (n - i - 1) * (n - i - 2) // 2
        i += 1
    j = i + 1
    while triple >= n - j - 1:
        triple -= n - j - 1
        j += 1
    k = j + 1 + triple
    for r in range(count):
        base_i = i * n - i * (i + 1) // 2 - i - 1
        base_j = j * n - j * (j + 1) // 2 - j - 1
        ij, ik, jk = base_i + j, base_i + k, base_j + k
        if side == 0:
            rows[r, 0], rows[r, 1], rows[r, 2] = ij, jk, ik
        elif side == 1:
            rows[r, 0], rows[r, 1], rows[r, 2] = ik, jk, ij
        else:
            rows[r, 0], rows[r, 1], rows[r, 2] = ij, ik, jk
        side += 1
        if side == 3:
            side = 0
            k += 1
            if k == n:
                j += 1
                if j == n - 1:
                    i += 1
                    j = i + 1
                k = j + 1
    return rows


@njit(cache=True, nogil=True)
def worst_triangle(n, x):  # type: ignore[no-untyped-def]
    """By how much the most violated triangle row is violated (0 or less: none is)."""
    worst = -np.inf
    for i in range(n):
        base_i = i * n - i * (i + 1) // 2 - i - 1
        for j in range(i + 1, n):
            base_j = j * n - j * (j + 1) // 2 - j - 1
            ij = x[base_i + j]
            for k in range(j + 1, n):
                ik, jk = x[base_i + k], x[base_j + k]
                worst = max(worst, ik - ij - jk, ij - ik - jk, jk - ij - ik)
    return worst
