"""What two profiles of one person cannot both say: awake only where there is a contradiction, and then 0.

Huang et al. 2009 let a specialist abstain when unsure; this one has nothing to say on pairs that merely agree, so that
the ensemble can learn how far a contradiction is to be believed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from crossdoc.compare.specialists import kernels
from crossdoc.compare.specialists.base import Pairs, Scores, Specialist, attribute_rows, meanings
from crossdoc.compare.specialists.coding import Ints, codes_of
from crossdoc.compare.specialists.dates import Lives, encode_lives
from crossdoc.compare.specialists.person_name import GENERATIONS, name_parts
from crossdoc.evidence_types import ATTRIBUTES
from crossdoc.model import Profile, Profiles
from crossdoc.names import PersonName

LEAST_CONFIDENCE = 0.9
"""Of a gender that was guessed; one that was stated without a confidence is taken at its word."""

MOST_YEARS_APART = 2
"""Two reports of one birth or death may differ by so many years."""

_GENDERS = {"m": 1, "male": 1, "f": 2, "female": 2}


class People(NamedTuple):
    """Codes, 0 where unknown."""

    gender: npt.NDArray[np.int8]
    suffix: npt.NDArray[np.int8]
    initial: Ints
    middle: Ints
    last: Ints


class EncodedPeople(NamedTuple):
    lives: Lives
    people: People


class Contradictions(Specialist[EncodedPeople]):
    """Different genders (both sure), generation suffixes or middle initials; births or deaths more than two years
    apart; a death before the other's birth.

    >>> names = ("John A. Smith", "John B. Smith", "J. Smith")
    >>> people = Profiles.of(Profile(name, "d", name, "person") for name in names)
    >>> Contradictions().score(people, people, [(0, 1), (0, 2)])
    array([ 0., nan], dtype=float32)
    """

    name = "contradiction"
    reads_attributes = meanings(ATTRIBUTES, "gender", "gender_confidence", "born", "died", "age")

    def encode(self, profiles: Profiles) -> EncodedPeople:
        names, types = profiles.column("name").to_pylist(), profiles.column("type").to_pylist()
        parsed = [
            name_parts(name)[0] if name and entity_type == "person" else PersonName()
            for name, entity_type in zip(names, types, strict=True)
        ]
        words = codes_of(word for person in parsed for word in (person.last, *person.middle[:1]) if word)
        people = People(
            _genders(profiles, parsed),
            np.array([GENERATIONS.index(p.suffix) + 1 if p.suffix in GENERATIONS else 0 for p in parsed], np.int8),
            np.array([ord(p.middle[0][0]) if p.middle else 0 for p in parsed], np.int32),
            np.array([words[p.middle[0]] + 1 if p.middle else 0 for p in parsed], np.int32),
            # What is unknown on both sides must not look the same.
            np.array([words[p.last] + 1 if p.last else -1 for p in parsed], np.int32),
        )
        return EncodedPeople(encode_lives(profiles), people)

    def compare(self, encoded: EncodedPeople, pairs: Pairs) -> Scores:
        return kernels.contradiction(*encoded, pairs, MOST_YEARS_APART)

    def evidence(self, left: Profile, right: Profile) -> str:
        keys = ("gender", "suffix", "middle", "born", "died")
        said = [
            f"{key} {' '.join(left.attributes[key])} / {' '.join(right.attributes[key])}"
            for key in keys
            if left.attributes.get(key) and right.attributes.get(key) and left.attributes[key] != right.attributes[key]
        ]
        return ", ".join([f"{left.name} / {right.name}", *said])


def _genders(profiles: Profiles, parsed: list[PersonName]) -> npt.NDArray[np.int8]:
    confidence = np.ones(len(profiles))
    for row, text in zip(*attribute_rows(profiles, "gender_confidence"), strict=True):
        try:
            confidence[row] = float(text)
        except ValueError:
            confidence[row] = 0.0
    genders = np.zeros(len(profiles), dtype=np.int8)
    for row, text in zip(*attribute_rows(profiles, "gender"), strict=True):
        if confidence[row] >= LEAST_CONFIDENCE:
            genders[row] = _GENDERS.get(text.strip().lower(), 0)
    # "Mrs." and "Mr." leave less doubt than any guess.
    for row, person in enumerate(parsed):
        if person.gender:
            genders[row] = _GENDERS[person.gender]
    return genders
