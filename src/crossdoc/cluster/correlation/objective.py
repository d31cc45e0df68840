"""Solutions: labels, their cost, and their distance from the optimum."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from crossdoc.model import IntArray

SAME_COST = 1e-7
"""Costs that differ by less than this share are the same: solvers of linear programs are no more precise."""
NOISE_SHARE, LEAST_NOISE = 1e-12, 1e-30
"""Costs that differ by less than this share of all weights are the same too, since a cost is a sum of them: 1e-16 where
weights are about 1 is 0. So are costs that differ by less than the second number, whatever the weights."""


@dataclass(frozen=True, slots=True)
class Solution:
    """Labels of the rows; their cost (disagreements); a cost that no clustering can be below."""

    labels: IntArray
    objective: float
    lower_bound: float
    seconds: float
    note: str
    x: npt.NDArray[np.float64] | None = None
    """Fractional cuts of a linear program, one per pair of `CorrelationProblem.positive`, in [0, 1]."""

    @property
    def gap(self) -> float:
        """(objective − lower bound) / objective: 0 is optimal, 0.01 at most 1% of the cost from the optimum."""
        return relative_gap(self.objective, self.lower_bound)


def noise_of(weights: float) -> float:
    """Return the rounding error of a cost, given the sum of all weights."""
    return max(NOISE_SHARE * weights, LEAST_NOISE)


def relative_gap(objective: float, lower_bound: float, noise: float = LEAST_NOISE) -> float:
    """The part of a cost that is above its bound, 0 where the difference is rounding.

    >>> relative_gap(40.0, 30.0), relative_gap(30.0, 30.0 - 1e-9), relative_gap(1.1e-16, 0.0, noise_of(3))
    (0.25, 0.0, 0.0)
    """
    above = objective - lower_bound
    return float(above / objective) if above > max(SAME_COST * objective, noise) else 0.0
