"""Confidence intervals by the percentile bootstrap (Efron 1979, doi:10.1214/aos/1176344552).

Groups (names) are resampled if the score is a mean over groups, and gold entities otherwise, never single mentions:
mentions of one entity are right or wrong together, and resampling them one by one would make the interval far too
narrow. The answer is not computed again, so the interval does not include its randomness.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Interval(NamedTuple):
    low: float
    high: float


def resampled_sums(contributions: Floats, resamples: int, seed: int) -> Floats:
    """Return column sums over units drawn with replacement: from (units, columns) to (resamples, columns).

    A score that is a quotient of sums over gold entities costs one row of a matrix product for each resample. Answer
    entities keep the sizes that they have in the full data: a drawn gold entity brings along what its mentions scored.

    >>> resampled_sums(np.array([[1.0], [1.0]]), 3, seed=0).ravel().tolist()
    [2.0, 2.0, 2.0]
    """
    units = len(contributions)
    rng = np.random.default_rng(seed)
    sums = np.empty((resamples, contributions.shape[1]))
    for resample in range(resamples):
        times_drawn = np.bincount(rng.integers(units, size=units), minlength=units)
        sums[resample] = times_drawn @ contributions
    return sums


def resampled_means(values: Floats, resamples: int, seed: int) -> Floats:
    """Return column means over units drawn with replacement, for a macro-average over groups."""
    return resampled_sums(values, resamples, seed) / len(values)


def percentile_interval(samples: Floats, level: float = 0.95) -> Interval:
    """Return the middle share `level` of the resampled figures.

    It does not say that the true score lies inside with that probability for few units: under some twenty groups or
    entities it is too narrow.

    >>> percentile_interval(np.arange(101.0), level=0.5)
    Interval(low=25.0, high=75.0)
    """
    low, high = np.quantile(samples, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high))
