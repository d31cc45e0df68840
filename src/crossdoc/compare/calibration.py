"""A specialist's score → how often pairs with that score are one entity, by isotonic regression.

Raw similarities mislead SEG, which rewards whatever has high values: docs/results.md. The map is a short list of
breakpoints, so that it can be read and kept in a model file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sklearn.isotonic import IsotonicRegression

MOST_BREAKPOINTS = 32
FEWEST_PAIRS = 20


@dataclass(frozen=True)
class Calibration:
    """A non-decreasing piecewise-linear map of [0, 1] to [0, 1].

    >>> Calibration.fit(np.array([0.1, 0.2, 0.8, 0.9] * 10), np.array([0, 0, 1, 1] * 10))(np.array([0.1, np.nan, 0.9]))
    array([0.04545455,        nan, 0.95454545])
    """

    score: tuple[float, ...]
    probability: tuple[float, ...]

    @classmethod
    def identity(cls) -> Calibration:
        return cls((0.0, 1.0), (0.0, 1.0))

    @classmethod
    def fit(cls, scores: npt.ArrayLike, labels: npt.ArrayLike) -> Calibration:
        """Fit on the pairs for which the specialist is awake; too few of them keep the score as it is.

        Each step of the fit is shrunk towards one half by one pair of each kind, so that no score ever means certainty.
        """
        x, y = np.asarray(scores, dtype=np.float64), np.asarray(labels, dtype=np.float64)
        awake = ~np.isnan(x)
        x, y = x[awake], y[awake]
        if len(x) < FEWEST_PAIRS or len(np.unique(y)) < 2:
            return cls.identity()
        fitted = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip").fit_transform(x, y)
        order = np.argsort(x, kind="stable")
        x, fitted = x[order], fitted[order]
        starts = np.flatnonzero(np.diff(fitted, prepend=-1.0) > 1e-12)
        ends = np.append(starts[1:], len(x)) - 1
        sizes = ends - starts + 1
        shrunk = (fitted[starts] * sizes + 1) / (sizes + 2)
        # Shrinking a small step more than its neighbours may reverse their order.
        shrunk = np.maximum.accumulate(shrunk)
        points, where = np.unique(np.concatenate([x[starts], x[ends]]), return_index=True)
        values = np.tile(shrunk, 2)[where]
        kept = np.unique(np.linspace(0, len(values) - 1, min(len(values), MOST_BREAKPOINTS)).astype(int))
        return cls(tuple(points[kept].tolist()), tuple(values[kept].tolist()))

    def __call__(self, scores: npt.ArrayLike) -> npt.NDArray[np.float64]:
        x = np.asarray(scores, dtype=np.float64)
        probabilities = np.full(x.shape, np.nan)
        awake = ~np.isnan(x)
        probabilities[awake] = np.interp(x[awake], self.score, self.probability)
        return probabilities


def calibrate(scores: npt.NDArray[np.float64], maps: Sequence[Calibration]) -> npt.NDArray[np.float64]:
    """Map each column by its own calibration."""
    return np.column_stack([calibration(scores[:, i]) for i, calibration in enumerate(maps)])
