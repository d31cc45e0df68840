"""Ensemble of specialists: their calibrated scores combined into one strength, with an explanation."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field, model_validator

from crossdoc import errors
from crossdoc.compare.learners import SEG, Calibration, calibrate
from crossdoc.compare.specialists.base import Pairs, Scores, Specialist
from crossdoc.model import Profiles

PAIRS_AT_ONCE = 500_000
FEWEST_PAIRS = 10_000
"""Pairs. Threads with fewer pairs cost more than they save."""
FORMER_KEYS = ("learner", "booster", "booster_calibration")
"""Keys of model files of an earlier version."""


class LearnedEnsemble(BaseModel):
    """The part of a model file with the combination of specialists: calibrations, and the weights of SEG."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    specialists: list[str] = Field(min_length=1)
    calibration: list[tuple[list[float], list[float]]] = Field(description="Score and probability of each breakpoint.")
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
        labels: npt.NDArray[np.float64],
        learner: SEG,
    ) -> Ensemble:
        """Calibrate every specialist on the labelled pairs, then learn to combine them."""
        ensemble = cls(specialists, [Calibration.identity() for _ in specialists], learner)
        return ensemble.learn(ensemble.scores(profiles, pairs), labels)

    def learn(self, scores: npt.NDArray[np.float64], labels: npt.NDArray[np.float64]) -> Ensemble:
        """Train on raw scores, pairs × specialists."""
        self.calibrations = [Calibration.fit(column, labels) for column in scores.T]
        asleep = np.isnan(scores).all(axis=1)
        # One pair of each kind is added, so that a handful of silent pairs does not decide for certain.
        self.default_strength = float((labels[asleep].sum() + 1) / (asleep.sum() + 2))
        self.learner.fit(calibrate(scores, self.calibrations), labels)
        return self

    def scores(self, profiles: Profiles, pairs: Pairs) -> npt.NDArray[np.float64]:
        """Return raw scores, pairs × specialists, NaN if asleep. A table is encoded once."""
        if self._encoded is None or self._encoded[0] is not profiles:
            self._encoded = (profiles, [specialist.encode(profiles) for specialist in self.specialists])
        rows = np.ascontiguousarray(pairs, dtype=np.int32).reshape(-1, 2)
        scores = np.empty((len(rows), len(self.specialists)))
        parts = self._parts(len(rows))
        with ThreadPoolExecutor(self.threads) as pool:
            for column, (specialist, encoded) in enumerate(zip(self.specialists, self._encoded[1], strict=True)):
                where = parts if specialist.threaded else [slice(0, len(rows))]
                compared = pool.map(partial(_compared, specialist, encoded, rows), where)
                for part, values in zip(where, compared, strict=True):
                    scores[part, column] = values
        return scores

    def strengths(self, profiles: Profiles, pairs: Pairs) -> npt.NDArray[np.float32]:
        strengths = np.empty(len(pairs), dtype=np.float32)
        with ThreadPoolExecutor(self.threads) as pool:
            for start in range(0, len(pairs), PAIRS_AT_ONCE):
                scores = self.scores(profiles, pairs[start : start + PAIRS_AT_ONCE])
                parts = self._parts(len(scores))
                combined = pool.map(self.combined, (scores[part] for part in parts))
                for part, values in zip(parts, combined, strict=True):
                    strengths[start + part.start : start + part.stop] = values
        return strengths

    def _parts(self, count: int) -> list[slice]:
        """Split pairs into one part per thread, if there are enough."""
        bounds = np.linspace(0, count, max(1, min(self.threads, count // FEWEST_PAIRS)) + 1).astype(int).tolist()
        return [slice(start, stop) for start, stop in pairwise(bounds)]

    def combined(self, scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return strengths from raw scores."""
        predicted = self.learner.predict(calibrate(scores, self.calibrations))
        return np.where(np.isnan(predicted), self.default_strength, predicted)

    def explain(self, profiles: Profiles, a: int, b: int) -> Explanation:
        """Explain the strength of two profiles."""
        pair = np.array([[a, b]], dtype=np.int32)
        scores = self.scores(profiles, pair)
        probabilities = calibrate(scores, self.calibrations)
        weights = self._shares(probabilities)
        left, right = profiles[a], profiles[b]
        opinions = [
            Opinion(
                specialist.name,
                None if np.isnan(scores[0, i]) else float(scores[0, i]),
                None if np.isnan(scores[0, i]) else float(probabilities[0, i]),
                float(weights[i]),
                specialist.evidence(specialist.seen(left), specialist.seen(right)),
            )
            for i, specialist in enumerate(self.specialists)
        ]
        opinions.sort(key=lambda o: (o.score is None, -abs(o.weight)))
        return Explanation(float(self.strengths(profiles, pair)[0]), tuple(opinions))

    def _shares(self, probabilities: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        awake = ~np.isnan(probabilities[0])
        mass = self.learner.weights_[awake].sum()
        return np.where(awake, self.learner.weights_ / mass if mass > 0 else 0.0, 0.0)

    def to_file(self) -> LearnedEnsemble:
        return LearnedEnsemble(
            specialists=[specialist.name for specialist in self.specialists],
            calibration=[(list(each.score), list(each.probability)) for each in self.calibrations],
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
        maps = [Calibration(tuple(score), tuple(probability)) for score, probability in learned.calibration]
        seg = SEG()
        seg.weights_ = np.array(learned.weights)
        return cls([installed[name] for name in learned.specialists], maps, seg, learned.default_strength)


def _compared(specialist: Specialist[Any], encoded: Any, pairs: Pairs, part: slice) -> Scores:
    return specialist.checked(specialist.compare(encoded, pairs[part]), part.stop - part.start)
