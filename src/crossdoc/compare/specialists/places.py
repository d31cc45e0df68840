"""Locations of places, by name, and of people, by residence, stay and nationality, scored by containment.

This is the dictionary of places among the specialists of Huang et al. 2009, section 2.3. A specialist is awake only if
a place of each profile is in the gazetteer. If a person has several places, each takes its best partner's score.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from crossdoc.compare.specialists.base import Pairs, Scores, Specialist, meanings, related, values_of
from crossdoc.model import Profile, Profiles
from crossdoc.names.evidence_types import ATTRIBUTES, RELATIONS
from crossdoc.names.gazetteer import Place, find_place, gazetteer

QUALIFIER = r"(?:,\s+|\s+\()((?:[^\W\d_]\.){2,}|[^\W\d_][\w.]*(?: [^\W\d_][\w.]*){0,2})"
MOST_PLACES = 32
"""Distinct places per profile; further ones are ignored."""
# By the smallest thing that two places share: nothing, a continent, a country, a division.
CONTAINED = np.array([0.0, 0.6, 0.8, 0.9], dtype=np.float64)
"""Scores if one place lies in the other: a citizen of France may well live in Paris."""
BESIDE = np.array([0.0, 0.0, 0.1, 0.3], dtype=np.float64)
"""Scores if neither lies in the other: two cities of one country are weak evidence against one person."""
PART_IS_ANOTHER = np.array([0.0, 0.2, 0.2, 0.2], dtype=np.float64)
"""Scores for places themselves: Paris is not France, though a document may mean the state by its city's name."""


class Places(NamedTuple):
    """Each profile's places as rows of `levels`: numbers of continent, country, division and city, −1 for none."""

    starts: npt.NDArray[np.int64]
    levels: npt.NDArray[np.int32]


class _PlaceSpecialist(Specialist[Places]):
    contained = CONTAINED
    beside = BESIDE

    def places(self, profiles: Profiles) -> Iterable[Iterable[Place | None]]:
        raise NotImplementedError

    def encode(self, profiles: Profiles) -> Places:
        numbers: dict[str, int] = {"": -1}
        rows: list[tuple[int, ...]] = []
        starts = [0]
        for given in self.places(profiles):
            for place in _first_distinct(given):
                codes = (place.continent, place.country, place.division, place.city)
                rows.append(tuple(numbers.setdefault(code, len(numbers)) for code in codes))
            starts.append(len(rows))
        return Places(np.array(starts, dtype=np.int64), np.array(rows, dtype=np.int32).reshape(-1, 4))

    def compare(self, encoded: Places, pairs: Pairs) -> Scores:
        rows = np.ascontiguousarray(pairs, dtype=np.int32)
        return _best_matches(rows, encoded.starts, encoded.levels, self.contained, self.beside)

    def evidence(self, left: Profile, right: Profile) -> str:
        sides = [
            ", ".join(dict.fromkeys(place.name for place in _first_distinct(given)))
            for given in self.places(Profiles.of([left, right]))
        ]
        return " ~ ".join(sides) if all(sides) else ""


class PlaceNames(_PlaceSpecialist):
    """Whether two places are one: 1 for one place under any of its names, 0 for two places of one name.

    The document may say which place a name means, after the name ("Paris, Texas") or in a descriptor ("town in
    Norway"); otherwise the larger one is meant.
    """

    name = "gazetteer"
    reads_attributes = meanings(ATTRIBUTES, "descriptor")
    contained = PART_IS_ANOTHER
    beside = np.zeros(4, dtype=np.float64)

    def places(self, profiles: Profiles) -> Iterator[list[Place | None]]:
        columns = zip(
            profiles.column("type").to_pylist(),
            profiles.column("name").to_pylist(),
            profiles.column("context").to_pylist(),
            values_of(profiles, "descriptor"),
            strict=True,
        )
        for type, name, context, descriptors in columns:
            yield [_located(name, context or "", descriptors)] if type == "place" else []


def _located(name: str, context: str, descriptors: list[str]) -> Place | None:
    known = gazetteer()
    if len(known.candidates(name)) > 1:
        beside = re.findall(rf"\b{re.escape(name)}{QUALIFIER}", context)
        within = [text.rpartition(" in ")[2] for text in descriptors[:MOST_PLACES] if " in " in text]
        for qualifier in dict.fromkeys([*beside[:MOST_PLACES], *within]):
            words = qualifier.split()
            for length in range(len(words), 0, -1):
                place = find_place(f"{name}, {' '.join(words[:length])}")
                # "Boston, Germany and Peru" is no town in Germany: only a place that is listed will do.
                if place is not None and place.chain[0] in known.places:
                    return place
    return find_place(name)


class PeoplesPlaces(_PlaceSpecialist):
    """Places of people: `resident`, `location`, `citizen`, their nationality and their state."""

    name = "whereabouts"
    reads_attributes = meanings(ATTRIBUTES, "nationality", "state")
    reads_relations = meanings(RELATIONS, "resident", "location", "citizen")

    def places(self, profiles: Profiles) -> Iterator[Iterator[Place | None]]:
        known = gazetteer()
        columns = zip(
            profiles.column("type").to_pylist(),
            related(profiles, *self.reads_relations),
            values_of(profiles, "nationality"),
            values_of(profiles, "state"),
            strict=True,
        )
        for type, relations, nationalities, states in columns:
            if type == "place":
                # Its relations lead back to people.
                yield iter(())
                continue
            # A profile may hold thousands that say the same.
            stated = dict.fromkeys(relations)
            yield chain(
                (known.nation(name) if type.split(":")[0] == "citizen" else find_place(name) for type, name in stated),
                map(known.nation, nationalities),
                map(known.state, states),
            )


def _first_distinct(places: Iterable[Place | None]) -> list[Place]:
    """Return each place once, without those that contain another one: "Boston, Mass." implies the United States."""
    distinct: dict[Place, None] = {}
    for place in places:
        if place is not None:
            distinct[place] = None
        if len(distinct) == MOST_PLACES:
            break
    return [place for place in distinct if not any(other.lies_in(place) for other in distinct)]


@njit(cache=True, nogil=True)
def _score(levels, a, b, contained, beside):  # type: ignore[no-untyped-def]
    shared = -1
    a_depth = b_depth = 0
    for level in range(4):
        if levels[a, level] >= 0:
            a_depth = level
        if levels[b, level] >= 0:
            b_depth = level
        if levels[a, level] >= 0 and levels[a, level] == levels[b, level]:
            shared = level
    if shared < 0:
        return 0.0
    if shared == a_depth and shared == b_depth:
        return 1.0
    # The tables begin with "nothing shared".
    if shared == a_depth or shared == b_depth:
        return contained[shared + 1]
    return beside[shared + 1]


@njit(cache=True, nogil=True)
def _best_matches(pairs, starts, levels, contained, beside):  # type: ignore[no-untyped-def]
    scores = np.full(len(pairs), np.nan, dtype=np.float32)
    best = np.empty(MOST_PLACES, dtype=np.float64)
    for pair in range(len(pairs)):
        left, right = pairs[pair, 0], pairs[pair, 1]
        first, last = starts[right], starts[right + 1]
        size = starts[left + 1] - starts[left]
        if size == 0 or first == last:
            continue
        best[: last - first] = 0.0
        total = 0.0
        for i in range(starts[left], starts[left + 1]):
            own = 0.0
            for j in range(first, last):
                score = _score(levels, i, j, contained, beside)
                own = max(own, score)
                best[j - first] = max(best[j - first], score)
            total += own
        others = 0.0
        for j in range(last - first):
            others += best[j]
        scores[pair] = min((total + others) / (size + last - first), 1.0)
    return scores
