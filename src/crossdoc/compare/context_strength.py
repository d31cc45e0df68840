"""The cosine of two contexts → the strength of their relation: how likely one entity is, if both cases were as likely.

log odds = intercept + root·√cosine + slope·cosine. A strength of one half is where a cosine is as usual among profiles
of one entity as among profiles of two, so that ½ means the same in every collection, while its cosine does not.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field
from scipy.optimize import minimize
from scipy.special import expit

SHRINKAGE = 1e-4
"""Of the squared coefficients: keeps them finite where the two kinds of pairs do not overlap."""


class ContextStrength(BaseModel):
    """A rising curve from cosine to strength.

    >>> curve = ContextStrength(intercept=-4, root=20, slope=0)
    >>> curve(np.array([0.0, 0.04, 1.0])).round(3)
    array([0.018, 0.5  , 1.   ], dtype=float32)
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    intercept: float = Field(description="Log odds at cosine 0.")
    root: float = Field(ge=0, description="What the square root of the cosine adds.")
    slope: float = Field(ge=0, description="What the cosine adds.")

    def __call__(self, cosine: npt.NDArray[np.floating]) -> npt.NDArray[np.float32]:
        odds = np.sqrt(cosine, dtype=np.float32)
        odds *= np.float32(self.root)
        odds += np.float32(self.slope) * cosine
        odds += np.float32(self.intercept)
        return expit(odds, out=odds)

    @classmethod
    def fit(
        cls, cosine: npt.NDArray[np.floating], same: npt.NDArray[np.float64], weight: npt.NDArray[np.float64]
    ) -> ContextStrength:
        """The likeliest curve, `weight` saying how much each pair counts; coefficients that would fall are 0."""
        s = np.maximum(np.asarray(cosine, dtype=np.float64), 0.0)
        features = np.column_stack([np.ones_like(s), np.sqrt(s), s])
        share = weight / weight.sum()

        def loss(coefficients: npt.NDArray[np.float64]) -> tuple[float, npt.NDArray[np.float64]]:
            odds = features @ coefficients
            value = share @ (np.logaddexp(0.0, odds) - same * odds)
            slope = features.T @ (share * (expit(odds) - same))
            return value + SHRINKAGE * coefficients @ coefficients / 2, slope + SHRINKAGE * coefficients

        bounds = [(None, None), (0, None), (0, None)]
        found = minimize(loss, np.array([-2.0, 5.0, 5.0]), jac=True, method="L-BFGS-B", bounds=bounds).x
        intercept, root, slope = (round(float(value), 4) for value in found)
        return cls(intercept=intercept, root=max(root, 0.0), slope=max(slope, 0.0))

    def blend(self, other: ContextStrength, share: float) -> ContextStrength:
        """The curve whose log odds are `share` of this one's and the rest of the other's."""
        mixed = {
            name: round(share * getattr(self, name) + (1 - share) * getattr(other, name), 4)
            for name in type(self).model_fields
        }
        return ContextStrength(**mixed)

    @property
    def even(self) -> float:
        """The cosine at which the strength is one half."""
        grid = np.linspace(0.0, 1.0, 100_001)
        return float(grid[min(int(np.searchsorted(self(grid), 0.5)), len(grid) - 1)])
