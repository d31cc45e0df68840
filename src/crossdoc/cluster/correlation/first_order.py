"""Linear programs of many cycles by steps that only multiply with the matrix: no factors, little memory, warm starts.

The primal-dual method of Chambolle & Pock 2011 (doi:10.1007/s10851-010-0251-1) for min cost · x, rows · x ≥ 1,
0 ≤ x ≤ 1, each variable and each row with a step of its own (Pock & Chambolle 2011, doi:10.1109/ICCV.2011.6126441),
restarted from the mean of its steps where that is better (Applegate et al. 2021, arXiv:2106.04756). The prices of the
rows give a bound that is valid wherever it stops: cycles, each taken as often as its price, that no pair's weight is
used up by.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numba import njit
from scipy import sparse

STEPS_PER_LOOK = 50
"""Steps between two looks at how near the optimum is."""
MOST_METHOD_STEPS = 200
ACCURACY = 2e-4
"""How near the optimum is near enough, as a share of it."""


@njit(cache=True, nogil=True, fastmath=True)
def _step(row_starts, index, column_starts, row, cost, x, price, weight, steps):  # type: ignore[no-untyped-def]
    """Move x and price, in place; returns the means over the steps."""
    n, k = len(price), len(x)
    ahead = np.empty(k)
    mean_x, mean_price = np.zeros(k), np.zeros(n)
    for _ in range(steps):
        for j in range(k):
            held = column_starts[j + 1] - column_starts[j]
            if held == 0:
                continue
            slope = cost[j]
            for p in range(column_starts[j], column_starts[j + 1]):
                slope -= price[row[p]]
            new = min(max(x[j] - slope / (held * weight), 0.0), 1.0)
            ahead[j] = 2.0 * new - x[j]
            x[j] = new
            mean_x[j] += new / steps
        for i in range(n):
            lacks = 1.0
            for p in range(row_starts[i], row_starts[i + 1]):
                lacks -= ahead[index[p]]
            new = max(price[i] + lacks * weight / (row_starts[i + 1] - row_starts[i]), 0.0)
            price[i] = new
            mean_price[i] += new / steps
    return mean_x, mean_price


@njit(cache=True, nogil=True)
def _enclosed(row_starts, index, cost, x, price):  # type: ignore[no-untyped-def]
    """Bounds of the program's optimum from both sides, whatever x and price are.

    Below: prices less what they overdraw, or each lowered until no cost is overdrawn. Above: what a row lacks is added
    to its cheapest variable.
    """
    n, k = len(price), len(x)
    load = np.zeros(k)
    for i in range(n):
        for p in range(row_starts[i], row_starts[i + 1]):
            load[index[p]] += price[i]
    overdrawn = 0.0
    upper = 0.0
    for j in range(k):
        overdrawn += max(load[j] - cost[j], 0.0)
        upper += cost[j] * x[j]
    total = 0.0
    lowered = 0.0
    for i in range(n):
        share = 1.0
        lacks = 1.0
        cheapest = np.inf
        for p in range(row_starts[i], row_starts[i + 1]):
            j = index[p]
            lacks -= x[j]
            cheapest = min(cheapest, cost[j])
            if load[j] > cost[j]:
                share = min(share, cost[j] / load[j])
        total += price[i]
        lowered += share * price[i]
        upper += max(lacks, 0.0) * cheapest
    return max(total - overdrawn, lowered), upper


@dataclass
class FirstOrderMethod:
    """State of the method; rows and variables may be added between two calls."""

    x: npt.NDArray[np.float64]
    price: npt.NDArray[np.float64]
    weight: float = 0.0
    """Ratio of the price steps to the x steps; 0 means the mean cost."""
    lower: float = -np.inf
    upper: float = np.inf

    def solve(self, rows: sparse.csr_matrix, cost: npt.NDArray[np.float64], seconds: float = np.inf) -> None:
        """Go on until the optimum is known to `ACCURACY`, or for `MOST_STEPS`, or for some seconds."""
        ends = time.perf_counter() + seconds
        n, k = rows.shape
        x, price = np.zeros(k), np.zeros(n)
        x[: len(self.x)], price[: len(self.price)] = self.x, self.price
        columns = rows.tocsc()
        by_row = rows.indptr, rows.indices
        by_column = columns.indptr, columns.indices
        held = np.maximum(np.diff(rows.indptr), 1), np.diff(columns.indptr)
        self.weight = self.weight or float(cost.mean())
        self.upper = np.inf
        for _ in range(MOST_METHOD_STEPS // STEPS_PER_LOOK):
            if time.perf_counter() > ends:
                break
            old = x.copy(), price.copy()
            mean = _step(*by_row, *by_column, cost, x, price, self.weight, STEPS_PER_LOOK)
            now, meant = _enclosed(*by_row, cost, x, price), _enclosed(*by_row, cost, *mean)
            if meant[1] - meant[0] < now[1] - now[0]:
                x, price = mean
                now = meant
            self.lower, self.upper = max(self.lower, now[0]), min(self.upper, now[1])
            if self.upper - self.lower <= ACCURACY * self.upper:
                break
            moved = np.sqrt((held[1] * (x - old[0]) ** 2).sum()), np.sqrt((held[0] * (price - old[1]) ** 2).sum())
            if moved[0] > 0 and moved[1] > 0:
                self.weight = float(np.sqrt(self.weight * moved[1] / moved[0]))
        self.x, self.price = x, price
