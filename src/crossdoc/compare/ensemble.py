"""Ensemble of specialists: their calibrated scores combined into one strength, with an explanation.

SEG, specialist exponentiated gradient (Freund et al. 1997; Huang et al. 2009, equations 7–9), learns the weights. A
pair's strength is the mean of the awake specialists' scores, weighted by their share of trust. After each training pair
the awake ones gain or lose trust among themselves; the paper prints the index i inside the sum of equation 8's
denominator, which has to be j.

Before that each score is mapped to how often pairs with that score are one entity, by isotonic regression: raw
similarities mislead SEG, which rewards whatever has high values (docs/results.md).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from numba import njit
from pydantic import BaseModel, ConfigDict, Field, model_validator
from sklearn.base import BaseEstimator
from sklearn.isotonic import IsotonicRegression

from crossdoc import errors
from crossdoc.compare.specialists.base import Pairs, Specialist
from crossdoc.model import Profiles

PAIRS_AT_ONCE = 500_000
FEWEST_PAIRS = 10_000
"""Pairs. Threads with fewer pairs cost more than they save."""
FORMER_KEYS = ("learner", "booster", "booster_calibration")
"""Keys of model files of an earlier version."""
MOST_BREAKPOINTS = 32
FEWEST_LABELS = 20
"""Pairs. A specialist that is awake for fewer labelled ones keeps its scores."""

Matrix = npt.NDArray[np.float64]


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
    seed: int = 0

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> SEG:
        """Learn from scores (pairs × specialists, NaN asleep) and labels in [0, 1]."""
        scores, labels = np.ascontiguousarray(X, dtype=np.float64), np.asarray(y, dtype=np.float64)
        self.weights_ = np.full(scores.shape[1], 1.0 / scores.shape[1])
        self.losses_: list[float] = []
        random = np.random.default_rng(self.seed)
        for _ in range(self.passes):
            losses = np.empty(len(scores))
            _learn(scores, labels, random.permutation(len(scores)), self.weights_, self.rate, losses)
            self.losses_.append(float(np.nanmean(losses)) if np.isfinite(losses).any() else float("nan"))
        return self

    def predict(self, X: npt.ArrayLike) -> Matrix:
        """Relation strengths r = Σ_E p s / Σ_E p (equation 9); NaN where every specialist sleeps."""
        scores = np.asarray(X, dtype=np.float64)
        awake = ~np.isnan(scores)
        mass, total = awake @ self.weights_, np.where(awake, scores, 0.0) @ self.weights_
        return np.divide(total, mass, out=np.full(len(scores), np.nan), where=mass > 0)


class Calibration(NamedTuple):
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
        if len(x) < FEWEST_LABELS or len(np.unique(y)) < 2:
            return cls.identity()
        fitted = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip").fit_transform(x, y)
        order = np.argsort(x, kind="stable")
        x, fitted = x[order], fitted[order]
        starts = np.flatnonzero(np.diff(fitted, prepend=-1.0) > 1e-12)
        sizes = np.diff(starts, append=len(x))
        # Shrinking a small step more than its neighbours may reverse their order.
        shrunk = np.maximum.accumulate((fitted[starts] * sizes + 1) / (sizes + 2))
        points, where = np.unique(x[[*starts, *(starts + sizes - 1)]], return_index=True)
        values = np.tile(shrunk, 2)[where]
        kept = np.unique(np.linspace(0, len(values) - 1, min(len(values), MOST_BREAKPOINTS)).astype(int))
        return cls(tuple(points[kept].tolist()), tuple(values[kept].tolist()))

    def __call__(self, scores: Matrix) -> Matrix:
        return np.where(np.isnan(scores), np.nan, np.interp(scores, self.score, self.probability))


def calibrate(scores: Matrix, maps: Sequence[Calibration]) -> Matrix:
    """Map each column by its own calibration."""
    return np.column_stack([calibration(scores[:, i]) for i, calibration in enumerate(maps)])


class LearnedEnsemble(BaseModel):
    """The part of a model file with the combination of specialists: calibrations, and the weights of SEG."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    specialists: list[str] = Field(min_length=1)
    calibration: list[Calibration] = Field(description="Score and probability of each breakpoint.")
    weights: list[float] = Field(description="A distribution over the specialists.")
    default_strength: float = Field(ge=0, le=1, description="The strength of a pair for which every specialist sleeps.")

    @model_validator(mode="before")
    @classmethod
    def _without_learner(cls, content: Any) -> Any:
        """Read models of the time when there was another learner, boosted trees, if SEG made them."""
        if not isinstance(content, dict) or "learner" not in content:
            return content
        if content["learner"] != "seg":
            raise ValueError("models of boosted trees are no longer read; train it again with `crossdoc train`")
        return {key: value for key, value in content.items() if key not in FORMER_KEYS}

    @model_validator(mode="after")
    def _parts_fit(self) -> Self:
        """Check a file, which may be edited by hand; a mismatch would raise an IndexError far from here."""
        count = len(self.specialists)
        if len(set(self.specialists)) < count:
            raise ValueError("a specialist is listed twice")
        if len(self.calibration) != count or len(self.weights) != count:
            raise ValueError(f"{count} specialists need {count} calibrations and {count} weights")
        for score, probability in self.calibration:
            rising = all(list(points) == sorted(points) for points in (score, probability))
            within = all(0 <= value <= 1 for value in (*score, *probability))
            if not score or len(score) != len(probability) or not rising or not within:
                raise ValueError("a calibration is two lists of one length, both rising within [0, 1]")
        if not all(0 <= weight <= 1 for weight in self.weights):
            raise ValueError("weights lie within [0, 1]")
        return self


@dataclass(frozen=True, slots=True)
class Opinion:
    """Score of one specialist for a pair; a sleeping one has none."""

    specialist: str
    score: float | None
    probability: float | None
    """The score, calibrated."""
    weight: float
    """Its share of the answer: SEG's weight among the awake, or, without an ensemble, the log odds that it added."""
    evidence: str


@dataclass(frozen=True, slots=True)
class Explanation:
    strength: float
    opinions: tuple[Opinion, ...]


@dataclass
class Ensemble:
    """Specialists and the weights that combine them.

    `strengths` gives a number in [0, 1] for each pair. `explain` lists the specialists that were awake, with their
    scores, weights and evidence. Pairs are compared by as many `threads` as the machine has cores, since the
    specialists' kernels release Python's lock; the numbers do not depend on the number of threads.
    """

    specialists: Sequence[Specialist[Any]]
    calibrations: Sequence[Calibration]
    learner: SEG
    default_strength: float = 0.0
    threads: int = field(default_factory=lambda: os.cpu_count() or 1)
    _encoded: tuple[Profiles, list[Any]] | None = field(default=None, repr=False)

    @classmethod
    def train(
        cls,
        specialists: Sequence[Specialist[Any]],
        profiles: Profiles,
        pairs: Pairs,
        labels: Matrix,
        learner: SEG,
    ) -> Ensemble:
        """Calibrate every specialist on the labelled pairs, then learn to combine them."""
        ensemble = cls(specialists, [Calibration.identity() for _ in specialists], learner)
        return ensemble.learn(ensemble.scores(profiles, pairs), labels)

    def learn(self, scores: Matrix, labels: Matrix) -> Ensemble:
        """Train on raw scores, pairs × specialists."""
        self.calibrations = [Calibration.fit(column, labels) for column in scores.T]
        asleep = np.isnan(scores).all(axis=1)
        # One pair of each kind is added, so that a handful of silent pairs does not decide for certain.
        self.default_strength = float((labels[asleep].sum() + 1) / (asleep.sum() + 2))
        self.learner.fit(calibrate(scores, self.calibrations), labels)
        return self

    def scores(self, profiles: Profiles, pairs: Pairs) -> Matrix:
        """Return raw scores, pairs × specialists, NaN if asleep. A table is encoded once."""
        if self._encoded is None or self._encoded[0] is not profiles:
            self._encoded = (profiles, [specialist.encode(profiles) for specialist in self.specialists])
        rows = np.ascontiguousarray(pairs, dtype=np.int32).reshape(-1, 2)
        scores = np.empty((len(rows), len(self.specialists)))
        bounds = np.linspace(0, len(rows), max(1, min(self.threads, len(rows) // FEWEST_PAIRS)) + 1).astype(int)

        def fill(column: int, start: int, stop: int) -> None:
            specialist, encoded = self.specialists[column], self._encoded[1][column]  # type: ignore[index]
            compared = specialist.compare(encoded, rows[start:stop])
            scores[start:stop, column] = specialist.checked(compared, stop - start)

        with ThreadPoolExecutor(self.threads) as pool:
            for column, specialist in enumerate(self.specialists):
                parts = pairwise(bounds.tolist()) if specialist.threaded else [(0, len(rows))]
                list(pool.map(lambda part, column=column: fill(column, *part), parts))
        return scores

    def strengths(self, profiles: Profiles, pairs: Pairs) -> npt.NDArray[np.float32]:
        starts = range(0, max(len(pairs), 1), PAIRS_AT_ONCE)
        portions = (self.scores(profiles, pairs[start : start + PAIRS_AT_ONCE]) for start in starts)
        return np.concatenate([self.combined(scores).astype(np.float32) for scores in portions])

    def combined(self, scores: Matrix) -> Matrix:
        """Return strengths from raw scores."""
        predicted = self.learner.predict(calibrate(scores, self.calibrations))
        return np.where(np.isnan(predicted), self.default_strength, predicted)

    def explain(self, profiles: Profiles, a: int, b: int) -> Explanation:
        """Explain the strength of two profiles."""
        scores = self.scores(profiles, np.array([[a, b]], dtype=np.int32))
        probabilities = calibrate(scores, self.calibrations)
        awake = ~np.isnan(scores[0])
        mass = self.learner.weights_[awake].sum()
        left, right = profiles[a], profiles[b]
        opinions = []
        for at, specialist in enumerate(self.specialists):
            score = probability = None
            weight = 0.0
            if awake[at]:
                score, probability = float(scores[0, at]), float(probabilities[0, at])
                weight = float(self.learner.weights_[at] / mass) if mass > 0 else 0.0
            shown = specialist.evidence(specialist.seen(left), specialist.seen(right))
            opinions.append(Opinion(specialist.name, score, probability, weight, shown))
        opinions.sort(key=lambda o: (o.score is None, -abs(o.weight)))
        return Explanation(float(np.float32(self.combined(scores)[0])), tuple(opinions))

    def to_file(self) -> LearnedEnsemble:
        return LearnedEnsemble(
            specialists=[specialist.name for specialist in self.specialists],
            calibration=list(self.calibrations),
            weights=self.learner.weights_.tolist(),
            default_strength=self.default_strength,
        )

    @classmethod
    def from_file(cls, learned: LearnedEnsemble, specialists: Sequence[Specialist[Any]]) -> Ensemble:
        """Order the installed specialists as in a model file; a missing one is an error."""
        installed = {specialist.name: specialist for specialist in specialists}
        missing = [name for name in learned.specialists if name not in installed]
        if missing:
            raise errors.missing_specialists(missing)
        seg = SEG()
        seg.weights_ = np.array(learned.weights)
        return cls(
            [installed[name] for name in learned.specialists], learned.calibration, seg, learned.default_strength
        )
