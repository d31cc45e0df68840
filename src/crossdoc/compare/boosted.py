"""Alternative to SEG: gradient-boosted trees whose strength never falls when a specialist's score rises.

Huang et al. use a weighted mean, which cannot learn that a shared employer matters more when the names are common.
LightGBM treats a sleeping specialist as missing, keeps every specialist monotone, and saves as text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.model_selection import StratifiedKFold

from crossdoc import errors
from crossdoc.compare.calibration import Calibration
from crossdoc.compare.trees import Trees, contributions, probabilities, read_trees

if TYPE_CHECKING:
    import lightgbm

FOLDS = 5


@dataclass(eq=False)
class Boosted(BaseEstimator):
    """A calibrated, monotone learner with the interface of :class:`crossdoc.compare.seg.SEG`.

    Attributes
    ----------
    text_ : the trees in LightGBM's text format.
    gain_ : by specialist what its splits gained.
    calibration_ : its output → probability, fitted on predictions for pairs that it was not trained on.
    """

    rounds: int = 150
    rate: float = 0.05
    leaves: int = 15
    seed: int = 0

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> Boosted:
        scores, labels = np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.float64)
        unseen = np.full(len(labels), np.nan)
        if min(np.bincount(labels.astype(int), minlength=2)) >= FOLDS:
            for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=self.seed).split(scores, labels):
                unseen[test] = np.asarray(self._train(scores[train], labels[train]).predict(scores[test]))
        self.calibration_ = Calibration.fit(unseen, labels)
        booster = self._train(scores, labels)
        self.text_, self.gain_ = booster.model_to_string(), booster.feature_importance("gain")
        return self

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Relation strengths; NaN where every specialist sleeps."""
        scores = np.asarray(X, dtype=np.float64)
        if not len(scores):
            return np.zeros(0)
        strengths = self.calibration_(probabilities(self._trees(), np.ascontiguousarray(scores)))
        return np.where(np.isnan(scores).all(axis=1), np.nan, strengths)

    def _trees(self) -> Trees:
        """Parse `text_`."""
        known: tuple[str, Trees] | None = getattr(self, "_read", None)
        if known is None or known[0] is not self.text_:
            known = self._read = (self.text_, read_trees(self.text_))
        return known[1]

    def contributions(self, X: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """How much each specialist moved the log-odds of each pair (Shapley values of the trees)."""
        return contributions(self._trees(), np.asarray(X, dtype=np.float64))

    def _train(self, scores: npt.NDArray[np.float64], labels: npt.NDArray[np.float64]) -> lightgbm.Booster:
        # Trees that were trained before are read without it.
        try:
            import lightgbm
        except ImportError as error:
            raise errors.needs_extra("The learner 'boosted' (not 'seg')", "lightgbm", "train") from error
        parameters = {
            "objective": "binary",
            "learning_rate": self.rate,
            "num_leaves": self.leaves,
            "min_data_in_leaf": min(20, max(1, len(labels) // 20)),
            "monotone_constraints": [1] * scores.shape[1],
            "seed": self.seed,
            "deterministic": True,
            "force_row_wise": True,
            # On a busy machine threads that wait for each other took forty times as long as one alone.
            "num_threads": 1,
            "verbosity": -1,
        }
        data = lightgbm.Dataset(scores, labels, free_raw_data=True)
        return lightgbm.train(parameters, data, num_boost_round=self.rounds)
