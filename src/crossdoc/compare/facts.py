"""Facts of two profiles that can agree or contradict: gender, dates of birth and death, contacts, offices, places.

Each is judged by its specialist (`specialists/`), whose score from 0 to 1 becomes a bounded log likelihood ratio: `low`
at 0, `high` at 1, linear in between, and 0 if the specialist abstains.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field

from crossdoc.compare.pairs import Pairs, all_pairs
from crossdoc.compare.specialists.base import (
    Scores,
    Specialist,
    attribute_rows,
    attribute_types,
    relation_rows,
    relation_types,
)
from crossdoc.compare.specialists.contacts import Contacts
from crossdoc.compare.specialists.contradictions import Contradictions
from crossdoc.compare.specialists.dates import LifeDates, Written
from crossdoc.compare.specialists.jiang_conrath import Descriptors
from crossdoc.compare.specialists.places import PeoplesPlaces
from crossdoc.compare.specialists.rules import Office, Party, State
from crossdoc.compare.specialists.titles import Titles
from crossdoc.model import Profile, Profiles
from crossdoc.names.evidence_types import plain_type, relation_type

_MAKERS: tuple[Callable[[], Specialist[Any]], ...] = (
    Contradictions, LifeDates, Contacts, Party, State, Office, PeoplesPlaces, Descriptors, Written, Titles,
)  # fmt: skip
FACTS: Mapping[str, Callable[[], Specialist[Any]]] = {maker().name: maker for maker in _MAKERS}
"""Specialists whose log odds can be added up, by name."""


class Fact(BaseModel):
    """Log odds of a specialist's score.

    >>> Fact(low=-3, high=1)(np.array([0, .5, np.nan, 1], dtype=np.float32)).tolist()
    [-3.0, -1.0, 0.0, 1.0]
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    low: float = Field(le=0, ge=-20, description="Of a score of 0: the most that it can speak against.")
    high: float = Field(ge=0, le=20, description="Of a score of 1: the most that it can speak for.")

    def __call__(self, score: Scores) -> Scores:
        return np.nan_to_num(np.float32(self.low) + np.float32(self.high - self.low) * score, copy=False)


class StatedFacts:
    """The facts of a table of profiles, encoded once."""

    def __init__(self, worth: Mapping[str, Fact], profiles: Profiles) -> None:
        self._worth = worth
        self._stated: dict[str, tuple[Specialist[Any], Any, npt.NDArray[np.bool_]]] = {}
        types = (
            {plain_type(type or "") for types in attribute_types(profiles) for type in types.unique().to_pylist()},
            {relation_type(type or "") for types in relation_types(profiles) for type in types.unique().to_pylist()},
        )
        for name in worth:
            specialist = FACTS[name]()
            stating = _stating(specialist, profiles, *types)
            if not stating.any():
                continue
            encoded = specialist.encode(profiles)
            speaking = specialist.speaking(encoded)
            if speaking is not None:
                stating &= speaking
            if stating.any():
                self._stated[name] = specialist, encoded, stating

    def of(self, pairs: Pairs) -> Scores:
        """Return the sum of the log odds of all facts for pairs of rows."""
        odds = np.zeros(len(pairs), dtype=np.float32)
        for name, (specialist, encoded, stating) in self._stated.items():
            both = np.flatnonzero(stating[pairs].all(axis=1))
            if len(both):
                odds[both] += self._worth[name](specialist.compare(encoded, np.ascontiguousarray(pairs[both])))
        return odds

    def add_all(self, odds: Scores, rows: npt.NDArray[np.int64]) -> None:
        """Add the log odds of facts to the square of all pairs of some rows."""
        stating = np.zeros(len(rows), dtype=bool)
        for _, _, own in self._stated.values():
            stating |= own[rows]
        some = np.flatnonzero(stating)
        if len(some) < 2:
            return
        pairs = some[all_pairs([np.arange(len(some))])]
        stated_odds = self.of(np.ascontiguousarray(rows[pairs], dtype=np.int32))
        odds[pairs[:, 0], pairs[:, 1]] += stated_odds
        odds[pairs[:, 1], pairs[:, 0]] += stated_odds

    def opinions(self, a: int, b: int, left: Profile, right: Profile) -> Iterator[tuple[str, float, float, str]]:
        """Yield the name, score, log odds and compared values of each fact that two rows state."""
        pair = np.array([[a, b]], dtype=np.int32)
        for name, (specialist, encoded, stating) in self._stated.items():
            score = specialist.compare(encoded, pair) if stating[[a, b]].all() else np.array([np.nan])
            if not np.isnan(score[0]):
                odds = self._worth[name](score.astype(np.float32))
                evidence = specialist.evidence(specialist.seen(left), specialist.seen(right))
                yield name, float(score[0]), float(odds[0]), evidence


def _stating(
    specialist: Specialist[Any], profiles: Profiles, attributes: Set[str], relations: Set[str]
) -> npt.NDArray[np.bool_]:
    """Return which profiles have an attribute or relation that a specialist reads."""
    found = np.full(len(profiles), specialist.reads_text)
    for type in specialist.reads_attributes:
        if plain_type(type) in attributes:
            found[attribute_rows(profiles, type)[0]] = True
    if not relations.isdisjoint(map(plain_type, specialist.reads_relations)):
        found[relation_rows(profiles, *specialist.reads_relations)[0]] = True
    return found
