"""Contradictions between two profiles of one person: the score is 0 if there is one, else the specialist abstains.

Huang et al. 2009 let a specialist abstain when unsure. This one abstains on pairs that merely agree, so that the
ensemble can learn the weight of a contradiction.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from crossdoc.compare.specialists import kernels
from crossdoc.compare.specialists.base import Pairs, Scores, Specialist, attribute_rows, meanings
from crossdoc.compare.specialists.dates import Lives, encode_lives
from crossdoc.compare.specialists.person_name import EncodedNames, encode_names
from crossdoc.model import Profile, Profiles
from crossdoc.names import parse_person
from crossdoc.names.evidence_types import ATTRIBUTES

LEAST_CONFIDENCE = 0.9
"""Probability. Less certain guesses of gender are ignored; a gender stated without a confidence is taken as certain."""

MOST_YEARS_APART = 2
"""Years. Two reports of one birth or death may differ by this many."""

_GENDERS = {"m": 1, "male": 1, "f": 2, "female": 2}


class EncodedPeople(NamedTuple):
    lives: Lives
    gender: npt.NDArray[np.int8]
    """0 if unknown."""
    names: EncodedNames


class Contradictions(Specialist[EncodedPeople]):
    """Different genders (both sure); a generation suffix or a middle name that tells namesakes apart; births or deaths
    more than two years apart; a death before the other's birth.

    >>> names = ("John A. Smith", "John B. Smith", "J. Smith")
    >>> people = Profiles.of(Profile(name, "d", name, "person") for name in names)
    >>> Contradictions().score(people, people, [(0, 1), (0, 2)])
    array([ 0., nan], dtype=float32)
    """

    name = "contradiction"
    reads_attributes = meanings(ATTRIBUTES, "gender", "gender_confidence", "born", "died", "age")

    def encode(self, profiles: Profiles) -> EncodedPeople:
        return EncodedPeople(encode_lives(profiles), _genders(profiles), encode_names(profiles))

    def compare(self, encoded: EncodedPeople, pairs: Pairs) -> Scores:
        out = kernels.contradiction(encoded.lives, encoded.gender, pairs, MOST_YEARS_APART)
        names = encoded.names.name_of_row[pairs]
        named = np.flatnonzero((names >= 0).all(axis=1))
        out[named[encoded.names.agreeing.told_apart(names[named])]] = 0.0
        return out

    def evidence(self, left: Profile, right: Profile) -> str:
        keys = ("gender", "suffix", "middle", "born", "died")
        differing = [
            f"{key} {' '.join(left.attributes[key])} / {' '.join(right.attributes[key])}"
            for key in keys
            if left.attributes.get(key) and right.attributes.get(key) and left.attributes[key] != right.attributes[key]
        ]
        return ", ".join([f"{left.name} / {right.name}", *differing])


def _genders(profiles: Profiles) -> npt.NDArray[np.int8]:
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
    columns = (profiles.column(column).to_pylist() for column in ("name", "type"))
    for row, (name, entity_type) in enumerate(zip(*columns, strict=True)):
        titled = parse_person(name).gender if name and entity_type == "person" else ""
        if titled:
            genders[row] = _GENDERS[titled]
    return genders
