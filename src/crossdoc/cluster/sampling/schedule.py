"""How the temperature falls over a run, and which level each round samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Literal

import numpy as np

from crossdoc import errors

Level = Literal["mentions", "entities", "sub-entities"]
Stopped = Literal["converged", "rounds", "time", "interrupted"]
Hierarchy = Literal["combined", "sub", "super", "flat"]
HIERARCHIES: tuple[Hierarchy, ...] = ("combined", "sub", "super", "flat")

_BLOCKS: tuple[Level, ...] = ("mentions", "entities", "mentions", "entities", "mentions", "sub-entities")
CYCLES: dict[str, tuple[Level, ...]] = {
    "combined": _BLOCKS,
    "sub": _BLOCKS,
    "super": ("mentions",),
    "flat": ("mentions",),
}
"""Fix two levels, sample the third; entities as blocks are sub-entities that fill their entity."""

FALLING = (2.5, 2.5, 1.8, 1.8, 1.3, 1.3)
"""Factors of the bias in the first rounds from singletons: the most similar mentions are joined first, as in
agglomerative clustering, and mentions that share one rare word by chance are not."""


class Schedule:
    """A temperature, or one that falls geometrically from a start to an end over the run.

    >>> [round(Schedule((4.0, 0.25)).at(done), 2) for done in (0.0, 0.5, 1.0)]
    [4.0, 1.0, 0.25]
    >>> Schedule(0.0).at(0.3)
    0.0
    """

    def __init__(self, temperature: float | Sequence[float]) -> None:
        given = (temperature, temperature) if isinstance(temperature, Real) else tuple(np.atleast_1d(temperature))
        if len(given) != 2 or not all(isinstance(t, Real) and 0 <= float(t) < float("inf") for t in given):
            raise errors.bad_temperature(str(temperature))
        self.start, self.end = map(float, given)
        if self.start != self.end and min(given) <= 0:
            raise errors.bad_temperature(str(temperature))

    def at(self, done: float) -> float:
        """The temperature when a share of the run is done."""
        if self.start == self.end:
            return self.start
        return self.start * (self.end / self.start) ** min(max(done, 0.0), 1.0)


@dataclass(frozen=True)
class Round:
    """Record of one round; `history_` holds these."""

    number: int
    level: Level
    seconds: float
    """Since the run began, earlier sittings included."""
    energy: float
    entities: int
    proposed: int
    evaluated: int
    accepted: int
    temperature: float
