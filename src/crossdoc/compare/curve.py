"""Cosine of two profiles in one field → log likelihood ratio of one entity against two.

z = (√cosine − mean) / sd, where mean and sd are those of profiles of different names in the same collection
(`background.py`); then intercept + slope·z, within bounds, as learned on labelled data. The scale of cosines differs
between collections, that of z does not: score normalisation, known from speaker verification (Matějka et al. 2017,
doi:10.21437/Interspeech.2017-803). If a collection has pairs to fit the curve to (`fit.py`), the fitted points take
the place of the line.
"""

from __future__ import annotations

from typing import Self

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field, model_validator

Floats = npt.NDArray[np.float32]


class Curve(BaseModel):
    """A rising curve from cosine to log odds.

    >>> curve = Curve(mean=0.1, sd=0.1, intercept=-1.0, slope=1.0, low=-2.0, high=4.0)
    >>> curve(np.array([0.0, 0.04, 1.0], dtype=np.float32))
    array([-2.,  0.,  4.], dtype=float32)
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    mean: float = Field(ge=0, description="Of the square root of the cosine, between profiles of different names.")
    sd: float = Field(gt=0, description="Its standard deviation.")
    intercept: float = Field(description="Log odds of what is as alike as profiles of different names are on average.")
    slope: float = Field(ge=0, description="Log odds that one standard deviation adds.")
    low: float = Field(le=0, description="The most that it can speak against.")
    high: float = Field(ge=0, description="The most that it can speak for.")

    roots: tuple[float, ...] = Field((), description="Fitted on the collection: square roots of cosines, rising.")
    odds: tuple[float, ...] = Field((), description="The log odds at each of `roots`; between them, a line.")

    kinds: tuple[Curve, ...] = Field((), description="By kind of pair, where these differ (`background.py`).")

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.slope == 0:
            raise ValueError("a slope of 0 says nothing; leave the field out")
        if len(self.roots) != len(self.odds):
            raise ValueError("a fitted curve needs as many log odds as square roots of cosines")
        return self

    def __call__(self, cosine: npt.NDArray[np.floating], kind: npt.NDArray[np.integer] | None = None) -> Floats:
        if self.kinds and kind is not None:
            return self._by_kind(cosine, kind)
        odds = np.sqrt(cosine, dtype=np.float32)
        if self.roots:
            return np.interp(odds, self.roots, self.odds).astype(np.float32)
        odds *= np.float32(self.slope / self.sd)
        odds += np.float32(self.intercept - self.slope * self.mean / self.sd)
        return np.clip(odds, self.low, self.high, out=odds)

    def _by_kind(self, cosine: npt.NDArray[np.floating], kind: npt.NDArray[np.integer]) -> Floats:
        odds = np.empty(cosine.shape, dtype=np.float32)
        for which, curve in enumerate(self.kinds):
            own = kind == which
            odds[own] = curve(cosine[own])
        return odds

    def cosine_at(self, odds: float) -> float:
        """Return the cosine that gives these log odds; of several kinds of pairs the mean.

        >>> round(Curve(mean=0.1, sd=0.1, intercept=-1.0, slope=1.0, low=-2.0, high=4.0).cosine_at(0.0), 3)
        0.04
        """
        if self.kinds:
            return float(np.mean([curve.cosine_at(odds) for curve in self.kinds]))
        if self.roots:
            return float(np.interp(odds, self.odds, self.roots)) ** 2
        return min(max(self.mean + self.sd * (odds - self.intercept) / self.slope, 0.0), 1.0) ** 2
