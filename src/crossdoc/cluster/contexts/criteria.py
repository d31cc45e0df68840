"""The criterion functions of context clustering on given labels, and kernels that improve them (Zhao & Karypis 2004,
doi:10.1023/B:MACH.0000027785.44527.d6; Pedersen & Kulkarni 2006, section 3).

Over unit vectors, with S_r the sum of cluster r, n_r its size and S the sum of all:
I1 = Σ_r ‖S_r‖²/n_r, I2 = Σ_r ‖S_r‖, E1 = Σ_r n_r (S_r·S)/‖S_r‖, H1 = I1/E1, H2 = I2/E1. E1 is minimised, the others
maximised.

All are sums over clusters of functions of three numbers: `size` n_r, `square` ‖S_r‖² and `cross` S_r·S. The change by a
move follows from the row's products with the clusters' sums. Kernels validate nothing.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt
from numba import njit

from crossdoc import errors

Criterion = Literal["i1", "i2", "e1", "h1", "h2"]
I1, I2, E1, H1, H2 = range(5)
CODES: dict[str, int] = {"i1": I1, "i2": I2, "e1": E1, "h1": H1, "h2": H2}
Floats = npt.NDArray[np.float64]
SMALLEST_SQUARE = 1e-12


def code_of(criterion: str) -> int:
    if criterion not in CODES:
        raise errors.unknown_choice("criterion", criterion, list(CODES))
    return CODES[criterion]


def from_parts(code: int, size: Floats, square: Floats, cross: Floats) -> float:
    """A criterion's value from each cluster's n_r, ‖S_r‖² and S_r·S; a cluster of empty rows adds nothing."""
    length = np.sqrt(np.maximum(square, 0))
    outer = np.divide(size * cross, length, out=np.zeros(len(size)), where=length > 0).sum()
    inner = (square / size).sum() if code in (I1, H1) else length.sum()
    if code in (I1, I2):
        return float(inner)
    return float(outer) if code == E1 else float(inner / outer) if outer else 0.0


@njit(cache=True, nogil=True, inline="always")
def inner_part(code, size, square):  # type: ignore[no-untyped-def]
    """A cluster's part of I1 (‖S_r‖²/n_r) or I2 (‖S_r‖)."""
    if code == E1 or square <= SMALLEST_SQUARE:
        return 0.0
    if code == I1 or code == H1:
        return square / size
    return np.sqrt(square)


@njit(cache=True, nogil=True, inline="always")
def outer_part(code, size, square, cross):  # type: ignore[no-untyped-def]
    """A cluster's part of E1, n_r (S_r·S)/‖S_r‖."""
    if code <= I2 or square <= SMALLEST_SQUARE:
        return 0.0
    return size * cross / np.sqrt(square)


@njit(cache=True, nogil=True, inline="always")
def merit(code, inner, outer):  # type: ignore[no-untyped-def]
    """Return the maximised value: I1, I2, −E1, I1/E1 or I2/E1."""
    if code <= I2:
        return inner
    if code == E1:
        return -outer
    return inner / max(outer, SMALLEST_SQUARE)


@njit(cache=True, nogil=True)
def summed_parts(code, size, square, cross):  # type: ignore[no-untyped-def]
    """(inner, outer) over clusters."""
    inner, outer = 0.0, 0.0
    for r in range(len(size)):
        inner += inner_part(code, size[r], square[r])
        outer += outer_part(code, size[r], square[r], cross[r])
    return inner, outer


@njit(cache=True, nogil=True)
def best_move(code, own, weight, itself, total, products, size, square, cross, base, blocked, stamp):  # type: ignore[no-untyped-def]
    """(the cluster that a row is best moved to, the gain); base = (inner, outer) summed over all clusters."""
    gone = square[own] - 2 * products[own] + itself
    left = size[own] - weight
    crossed = cross[own] - total
    inner_a = inner_part(code, left, gone) - inner_part(code, size[own], square[own])
    outer_a = outer_part(code, left, gone, crossed) - outer_part(code, size[own], square[own], cross[own])
    best, top = own, -np.inf
    for r in range(len(size)):
        if r == own or blocked[r] == stamp:
            continue
        come = square[r] + 2 * products[r] + itself
        inner = base[0] + inner_a + inner_part(code, size[r] + weight, come) - inner_part(code, size[r], square[r])
        outer = base[1] + outer_a
        if code >= E1:
            outer += outer_part(code, size[r] + weight, come, cross[r] + total)
            outer -= outer_part(code, size[r], square[r], cross[r])
        now = merit(code, inner, outer)
        if now > top:
            top = now
            best = r
    return best, top - merit(code, base[0], base[1])


@njit(cache=True, nogil=True)
def _totals(code, size, square, cross, base, others):  # type: ignore[no-untyped-def]
    inner, outer = summed_parts(code, size, square, cross)
    base[0], base[1] = others[0] + inner, others[1] + outer


@njit(cache=True, nogil=True)
def sum_rows(starts, columns, values, labels, sums):  # type: ignore[no-untyped-def]
    """Add the rows of each cluster to its column of `sums`, features × clusters."""
    for i in range(len(labels)):
        for place in range(starts[i], starts[i + 1]):
            sums[columns[place], labels[i]] += values[place]


@njit(cache=True, nogil=True)
def refine(  # type: ignore[no-untyped-def]
    starts, columns, values, weight, itself, total, lean_starts, lean_row, lean, cannot_starts, cannot_row,
    labels, sums, size, square, cross, others, code, tolerance, most_passes, seed,
):  # fmt: skip
    """Visit the rows in random order and move each to its best cluster, until a pass gains less than the tolerance.

    `sums` holds the clusters, features × clusters, so that one row's products with all of them read memory in order. A
    cluster never loses its last row, and a row never joins one that holds a row it may not be with. Returns the number
    of passes.
    """
    n, k = len(labels), len(size)
    products, base = np.empty(k), np.empty(2)
    blocked = np.full(k, -1)
    np.random.seed(seed)
    for passed in range(most_passes):
        _totals(code, size, square, cross, base, others)
        before = merit(code, base[0], base[1])
        moves = 0
        for i in np.random.permutation(n):
            own = labels[i]
            if size[own] - weight[i] < SMALLEST_SQUARE:
                continue
            products[:] = 0.0
            for place in range(starts[i], starts[i + 1]):
                value = values[place]
                row = sums[columns[place]]
                for r in range(k):
                    products[r] += value * row[r]
            for place in range(lean_starts[i], lean_starts[i + 1]):
                products[labels[lean_row[place]]] += lean[place]
            for place in range(cannot_starts[i], cannot_starts[i + 1]):
                blocked[labels[cannot_row[place]]] = i
            to, gain = best_move(
                code, own, weight[i], itself[i], total[i], products, size, square, cross, base, blocked, i
            )
            if to == own or gain <= 1e-10 * max(1.0, abs(before)):
                continue
            moves += 1
            square[own] += itself[i] - 2 * products[own]
            square[to] += itself[i] + 2 * products[to]
            size[own] -= weight[i]
            size[to] += weight[i]
            cross[own] -= total[i]
            cross[to] += total[i]
            labels[i] = to
            for place in range(starts[i], starts[i + 1]):
                sums[columns[place], own] -= values[place]
                sums[columns[place], to] += values[place]
            _totals(code, size, square, cross, base, others)
        blocked[:] = -1
        after = merit(code, base[0], base[1])
        if moves == 0 or after - before <= tolerance * abs(before):
            return passed + 1
    return most_passes


@njit(cache=True, nogil=True)
def assign_allowed(nearness, cannot_starts, cannot_row, order):  # type: ignore[no-untyped-def]
    """Each row to the nearest seed that holds no row it may not be with; where there is none, to a further cluster."""
    n, k = nearness.shape
    labels = np.full(n, -1, dtype=np.int64)
    most = k
    blocked = np.full(n + k, -1)
    for i in order:
        for place in range(cannot_starts[i], cannot_starts[i + 1]):
            other = labels[cannot_row[place]]
            if other >= 0:
                blocked[other] = i
        best, top = -1, -np.inf
        for r in range(k):
            if blocked[r] != i and nearness[i, r] > top:
                top = nearness[i, r]
                best = r
        if best < 0:
            best = k
            while blocked[best] == i:
                best += 1
            most = max(most, best + 1)
        labels[i] = best
    return labels, most
