"""SEG, specialist exponentiated gradient (Freund et al. 1997; Huang et al. 2009, equations 7–9): online, with sleep.

A pair's strength is the mean of the awake specialists' scores, weighted by their share of trust. After each training
pair the awake ones gain or lose trust among themselves; the paper prints the index i inside the sum of equation 8's
denominator, which has to be j.

A specialist's score → how often pairs with that score are one entity, by isotonic regression.

Raw similarities mislead SEG, which rewards whatever has high values: docs/results.md. The map is a short list of
breakpoints, so that it can be read and kept in a model file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numba import njit
from sklearn.base import BaseEstimator
from sklearn.isotonic import IsotonicRegression

FloatMatrix = npt.NDArray[np.float64]


@njit(cache=True)
def _learn(scores, labels, order, weights, rate, losses):  # type: ignore[no-untyped-def]
    """One pass; weights are changed in place, `losses` gets each pair's square loss (NaN where all sleep)."""
    n, k = scores.shape
    for step in range(n):
        t = order[step]
        mass = 0.0
        total = 0.0
        for i in range(k):
            if not np.isnan(scores[t, i]):
                mass += weights[i]
                total += weights[i] * scores[t, i]
        if mass <= 0.0:
            losses[t] = np.nan
            continue
        error = total / mass - labels[t]
        losses[t] = error * error
        after = 0.0
        for i in range(k):
            if not np.isnan(scores[t, i]):
                weights[i] *= np.exp(-2.0 * rate * scores[t, i] * error)
                after += weights[i]
        for i in range(k):
            if not np.isnan(scores[t, i]):
                weights[i] *= mass / after


@dataclass(eq=False)
class SEG(BaseEstimator):
    """Weights of specialists, learned online from labelled pairs.

    Parameters
    ----------
    rate : the learning rate η.
    passes : how often the training pairs are gone through, each time in another order.
    initial : where the weights start (any positive numbers; they are scaled to sum to 1); None is uniform.
    seed : of the orders.

    Attributes
    ----------
    weights_ : a distribution over the specialists. The mass of the awake ones is conserved by every update.
    losses_ : mean square loss of each pass, before each update.

    >>> scores = np.array([[0.9, 0.2], [0.8, 0.7], [0.1, 0.6], [0.2, 0.4]])
    >>> seg = SEG(rate=0.5, passes=50).fit(scores, np.array([1, 1, 0, 0]))
    >>> bool(seg.weights_[0] > 0.8), seg.predict(np.array([[np.nan, 0.3]])).tolist()
    (True, [0.3])
    """

    rate: float = 0.001
    passes: int = 5
    initial: npt.NDArray[np.float64] | None = None
    seed: int = 0

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> SEG:
        """Learn from scores (pairs × specialists, NaN asleep) and labels in [0, 1]."""
        scores = np.ascontiguousarray(X, dtype=np.float64)
        labels = np.asarray(y, dtype=np.float64)
        k = scores.shape[1]
        start = np.full(k, 1.0 / k) if self.initial is None else np.asarray(self.initial, dtype=np.float64)
        if start.shape != (k,) or not (start > 0).all():
            raise ValueError(f"the initial weights must be {k} positive numbers")
        self.weights_ = start / start.sum()
        self.losses_: list[float] = []
        random = np.random.default_rng(self.seed)
        for _ in range(self.passes):
            losses = np.empty(len(scores))
            _learn(scores, labels, random.permutation(len(scores)), self.weights_, self.rate, losses)
            self.losses_.append(float(np.nanmean(losses)) if np.isfinite(losses).any() else float("nan"))
        return self

    def predict(self, X: npt.ArrayLike) -> FloatMatrix:
        """Relation strengths r = Σ_E p s / Σ_E p (equation 9); NaN where every specialist sleeps."""
        return weighted_mean(np.asarray(X, dtype=np.float64), self.weights_)


def weighted_mean(scores: FloatMatrix, weights: FloatMatrix) -> FloatMatrix:
    """The mean of each row's awake scores under the weights."""
    awake = ~np.isnan(scores)
    mass = awake @ weights
    total = np.where(awake, scores, 0.0) @ weights
    return np.divide(total, mass, out=np.full(len(scores), np.nan), where=mass > 0)


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
