"""What a solver answers: labels, their cost, and how far from the optimum they can be."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from crossdoc.model import IntArray

ROUNDING = 1e-7
"""Costs that differ by less than this share are the same: solvers of linear programs are no more precise."""


@dataclass(frozen=True, slots=True)
class Solution:
    """Labels of the rows; their cost (disagreements); a cost that no clustering can be below."""

    labels: IntArray
    objective: float
    lower_bound: float
    seconds: float
    note: str
    x: npt.NDArray[np.float64] | None = None
    """Of a linear program: how far it cuts each attractive pair of `Problem.positive`, in [0, 1]."""

    @property
    def gap(self) -> float:
        """(objective − lower bound) / objective: 0 is optimal, 0.01 at most 1% of the cost from the optimum."""
        return relative_gap(self.objective, self.lower_bound)


def relative_gap(objective: float, lower_bound: float) -> float:
    """The part of a cost that is above its bound, 0 where the difference is rounding.

    >>> relative_gap(40.0, 30.0), relative_gap(30.0, 30.0 - 1e-9)
    (0.25, 0.0)
    """
    gap = (objective - lower_bound) / objective if objective > 0 else 0.0
    return float(gap) if gap > ROUNDING else 0.0
