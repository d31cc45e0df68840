"""Births, deaths and ages, graded, since reports are a year off more often than they are invented.

An age gives a year of birth only together with a date, which a profile has if it states the age at death. An age alone
is compared with an age alone, and carefully, since documents may lie years apart.

Contradictions between two profiles of one person: the score is 0 if there is one, else the specialist abstains.

Huang et al. 2009 let a specialist abstain when unsure. This one abstains on pairs that merely agree, so that the
ensemble can learn the weight of a contradiction.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from crossdoc.compare.specialists.base import Pairs, Scores, Specialist, attribute_rows, meanings
from crossdoc.compare.specialists.name_similarity import EncodedPersonNames, encode_names
from crossdoc.model import Profile, Profiles
from crossdoc.names import parse_person
from crossdoc.names.evidence_types import ATTRIBUTES, SHOWN_ATTRIBUTES

MOST_YEARS_OF_AGE = 130

_DATE = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?(?:T.*)?")
_AGE = re.compile(r"(\d{1,3})(?: years old)?")

YEARS_APART = (10, 30)
"""Years between two documents: where counting against one person begins, and where it is strongest.

Chosen on the sample corpus and ArnetMiner, the parts build and choose: beginning at 5 or 3 years costs ArnetMiner .018
to .03.
"""

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]
DATES_DIFFER = 0.5


class Lives(NamedTuple):
    """Dates as year, month, day, 0 where unknown; the first and last possible year of birth, 0 where unknown."""

    born: Ints
    died: Ints
    earliest: Ints
    latest: Ints
    age: Ints


def parse_date(text: str) -> tuple[int, int, int] | None:
    """
    >>> parse_date("1931-05"), parse_date("a long time ago"), parse_date("1931-13-01")
    ((1931, 5, 0), None, None)
    """
    match = _DATE.fullmatch(text.strip())
    if match is None:
        return None
    year, month, day = (int(part or 0) for part in match.groups())
    return (year, month, day) if year > 0 and month <= 12 and day <= 31 else None


def parse_age(text: str) -> int | None:
    match = _AGE.fullmatch(text.strip())
    return int(match[1]) if match and int(match[1]) <= MOST_YEARS_OF_AGE else None


def encode_lives(profiles: Profiles) -> Lives:
    """Return the first date of birth and death and the first age that each profile states."""
    n = len(profiles)
    born, died = (np.zeros((n, 3), dtype=np.int32) for _ in range(2))
    for key, dates in (("born", born), ("died", died)):
        for row, text in zip(*attribute_rows(profiles, key), strict=True):
            if not dates[row, 0] and (date := parse_date(text)) is not None:
                dates[row] = date
    age = np.full(n, -1, dtype=np.int32)
    for row, text in zip(*attribute_rows(profiles, "age"), strict=True):
        if age[row] < 0 and (years := parse_age(text)) is not None:
            age[row] = years
    latest = born[:, 0].copy()
    earliest = latest.copy()
    at_death = (latest == 0) & (died[:, 0] > 0) & (age >= 0)
    latest[at_death] = np.maximum(died[at_death, 0] - age[at_death], 1)
    # Whoever died at 76 in 1996 and had yet to have a birthday that year was born in 1919.
    earliest[at_death] = np.maximum(latest[at_death] - 1, 1)
    return Lives(born, died, earliest, latest, age)


def _agreement(one: Ints, other: Ints) -> Doubles:
    """How well dates (year, month, day; 0 unknown) agree."""
    years = np.abs(one[:, 0] - other[:, 0])
    unknown = (one == 0) | (other == 0)
    differ = one != other
    return np.select(
        [years > 0, unknown[:, 1], differ[:, 1], unknown[:, 2], differ[:, 2]],
        [np.maximum(0.0, 0.75 - 0.25 * years), 0.9, 0.4, 0.95, 0.5],
        1.0,
    )


def _years_apart(lives: Lives, a: Ints, b: Ints) -> Doubles:
    """The least number of years between two births of which a range of years is known, NaN for others."""
    gap = np.maximum(lives.earliest[a] - lives.latest[b], lives.earliest[b] - lives.latest[a])
    return np.where((lives.latest[a] > 0) & (lives.latest[b] > 0), np.maximum(gap, 0), np.nan)


class LifeDates(Specialist[Lives]):
    """Awake if both state a birth, both a death, or both an age; a date that differs outweighs one that agrees.

    The same day 1.0, month .95, year .90; the same year but another month .40 or day .50; one year apart .50, two .25,
    more 0. A birth that follows from an age at death is uncertain by a year: .80 if it fits. Ages alone: .70 within
    a year, falling to .20 at 21 years.

    >>> table = Profiles.of([Profile(born, "d", "Ann", "person", attributes={"born": [born]})
    ...     for born in ("1931-05-03", "1931", "1932", "1950")])
    >>> LifeDates().score(table, table, [(0, 0), (0, 1), (0, 2), (0, 3)]).astype(float).round(2).tolist()
    [1.0, 0.9, 0.5, 0.0]
    """

    name = "life_dates"
    reads_attributes = meanings(ATTRIBUTES, "born", "died", "age")

    def encode(self, profiles: Profiles) -> Lives:
        return encode_lives(profiles)

    def compare(self, encoded: Lives, pairs: Pairs) -> Scores:
        a, b = pairs.T
        born, died, age = encoded.born, encoded.died, encoded.age
        both_born, both_died = ((dates[a, 0] > 0) & (dates[b, 0] > 0) for dates in (born, died))
        by_year = np.maximum(0.0, 0.8 - 0.25 * _years_apart(encoded, a, b))
        birth = np.where(both_born, _agreement(born[a], born[b]), by_year)
        death = np.where(both_died, _agreement(died[a], died[b]), np.nan)
        agree = (birth > DATES_DIFFER) & (death > DATES_DIFFER)
        score = np.where(agree, np.fmax(birth, death), np.fmin(birth, death))
        # The time between the two documents is unknown.
        by_age = np.maximum(0.2, 0.7 - 0.025 * np.maximum(np.abs(age[a] - age[b]) - 1, 0))
        by_age[(age[a] < 0) | (age[b] < 0)] = np.nan
        return np.where(np.isnan(score), by_age, score).astype(np.float32)

    def evidence(self, left: Profile, right: Profile) -> str:
        stated = (
            f"{key} {left.attributes[key][0]} / {right.attributes[key][0]}"
            for key in ("born", "died", "age")
            if left.attributes.get(key) and right.attributes.get(key)
        )
        return ", ".join(stated)


class Written(Specialist[Floats]):
    """How far apart two documents were written: abstains within ten years, then falls from 1 to 0 at thirty.

    For pairs that all other evidence leaves open, days and years are uninformative. Decades count against one person
    (experiments/date_evidence.py) or organisation, but not against one place. Awake if both documents have a date.

    >>> dates = ("1990", "1992", "2010-07")
    >>> table = Profiles.of([Profile(when, "d", "Ann", attributes={"written": [when]}) for when in dates])
    >>> Written().score(table, table, [(0, 1), (0, 2)]).astype(float).round(3).tolist()
    [nan, 0.475]
    """

    name = "written"
    reads_attributes = meanings(SHOWN_ATTRIBUTES, "written")

    def encode(self, profiles: Profiles) -> Floats:
        years = np.full(len(profiles), np.nan, dtype=np.float32)
        types = profiles.column("type").to_pylist()
        for row, text in zip(*attribute_rows(profiles, "written"), strict=True):
            if types[row] != "place" and (date := parse_date(text)) is not None:
                years[row] = date[0] + max(date[1] - 1, 0) / 12
        return years

    def speaking(self, encoded: Floats) -> npt.NDArray[np.bool_]:
        known = ~np.isnan(encoded)
        return known & bool(known.any() and np.ptp(encoded[known]) > YEARS_APART[0])

    def compare(self, encoded: Floats, pairs: Pairs) -> Scores:
        first, last = YEARS_APART
        apart = np.abs(encoded[pairs[:, 0]] - encoded[pairs[:, 1]])
        scores = np.asarray(1 - np.clip((apart - first) / (last - first), 0, 1), dtype=np.float32)
        scores[apart <= first] = np.nan
        return scores

    def evidence(self, left: Profile, right: Profile) -> str:
        return f"written {left.attributes['written'][0]} / {right.attributes['written'][0]}"


LEAST_CONFIDENCE = 0.9
"""Probability. Less certain guesses of gender are ignored; a gender stated without a confidence is taken as certain."""

MOST_YEARS_APART = 2
"""Years. Two reports of one birth or death may differ by this many."""

_GENDERS = {"m": 1, "male": 1, "f": 2, "female": 2}


class EncodedPeople(NamedTuple):
    lives: Lives
    gender: npt.NDArray[np.int8]
    """0 if unknown."""
    names: EncodedPersonNames


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
        a, b = pairs.T
        lives, gender, died = encoded.lives, encoded.gender, encoded.lives.died[:, 0]
        known = (died[a] > 0) & (died[b] > 0)
        contradicting = (gender[a] > 0) & (gender[b] > 0) & (gender[a] != gender[b])
        contradicting |= _years_apart(lives, a, b) > MOST_YEARS_APART
        contradicting |= known & (np.abs(died[a] - died[b]) > MOST_YEARS_APART)
        for one, other in ((a, b), (b, a)):
            contradicting |= (died[one] > 0) & (died[one] < lives.earliest[other])
        out = np.where(contradicting, np.float32(0.0), np.float32(np.nan))
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
