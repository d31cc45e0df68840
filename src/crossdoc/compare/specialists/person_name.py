"""How well two people's names agree, from a clash (0) over the bare surname to the same full name (1).

Names in any script meet by transliteration, nicknames by dictionary, spellings by Double Metaphone (Philips 2000) and
Jaro-Winkler (Winkler 1990): the name specialist of Huang et al. 2009, section 3.3, which the paper does not spell out.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from crossdoc.compare.specialists import kernels
from crossdoc.compare.specialists.base import Pairs, Scores, Specialist
from crossdoc.compare.specialists.coding import Ints, Letters, Lists, codes_of, letters, lists, lists_of
from crossdoc.model import Profile, Profiles
from crossdoc.names import (
    PARTICLES,
    PersonName,
    fold,
    formal_first_names,
    gender_of_first,
    is_nickname,
    parse_person,
    sound,
)

GENERATIONS = ("jr", "sr", "ii", "iii", "iv")
"""Suffixes that tell father from son; "MD" and "Esq." tell nobody apart."""

GENDERS = ("", "m", "f")

_SPLIT = re.compile(r"[\s,()\"“”]+")
_HYPHEN = re.compile(r"[-‐‑–]")


class Words(NamedTuple):
    """The distinct words of names."""

    letters: Letters
    sound: Ints
    gender: npt.NDArray[np.int8]
    formal: Lists
    """What a first name can be short for, itself among them."""
    itself: Ints


class Names(NamedTuple):
    """The distinct names; words by number, −1 where there is none."""

    gender: npt.NDArray[np.int8]
    suffix: npt.NDArray[np.int8]
    titled: npt.NDArray[np.bool_]
    first: Ints
    given: Ints
    """First and middle names written as one word."""
    last: Ints
    rest: Ints
    """Middle names and surname as one word: the given names, should the surname stand first."""
    middles: Lists
    pieces: Lists
    """The surname's parts, without particles."""


class EncodedNames(NamedTuple):
    words: Words
    names: Names
    name_of_row: Ints


@lru_cache(maxsize=200_000)
def name_parts(name: str) -> tuple[PersonName, tuple[str, ...]]:
    """A parsed name with hyphenated first names taken apart, and the parts of its surname without particles.

    >>> name_parts("Jean-Luc de la Croix-Rouge")
    (PersonName(title='', first='jean', middle=('luc',), last='delacroixrouge', suffix=''), ('croix', 'rouge'))
    """
    parsed = parse_person(name)
    tokens = [token for token in _SPLIT.split(name) if token]
    for token in tokens:
        pieces = tuple(filter(None, map(fold, _HYPHEN.split(token))))
        if len(pieces) > 1 and "".join(pieces) == parsed.first:
            parsed = PersonName(parsed.title, pieces[0], pieces[1:] + parsed.middle, parsed.last, parsed.suffix)
            break
    folded = [tuple(filter(None, map(fold, _HYPHEN.split(token)))) for token in tokens]
    for start in range(len(folded)):
        for end in range(start + 1, len(folded) + 1):
            surname = [piece for pieces in folded[start:end] for piece in pieces]
            if "".join(surname) == parsed.last:
                return parsed, tuple(piece for piece in surname if piece not in PARTICLES) or (parsed.last,)
    return parsed, (parsed.last,)


class PersonNames(Specialist[EncodedNames]):
    """Awake for two people with names.

    With the same surname: the same first and middle names 1.0, middle initials .97, first name alone .90, one side with
    a middle name .86, a nickname or another spelling .75, initials .65, an initial for the name .60; a bare surname .40
    on both sides and .35 on one. A variant of the surname (spelling, half of a double name, particle, surname first)
    takes 15 % off, the same generation suffix closes 30 % of what is missing. First or middle names, generations or
    titles that clash give 0. The steps are ours; what each is worth in a collection is for the ensemble to learn.

    >>> people = Profiles.of(Profile(str(i), "d", name, "person") for i, name in enumerate(
    ...     ["William J. Clinton", "Clinton, Bill", "Hillary Clinton", "Билл Клинтон"]))
    >>> PersonNames().score(people, people, [(0, 0), (0, 1), (1, 3), (0, 2)]).astype(float).round(2).tolist()
    [0.97, 0.71, 0.76, 0.0]
    """

    name = "person_name"

    def encode(self, profiles: Profiles) -> EncodedNames:
        is_person = pc.fill_null(pc.equal(profiles.column("type"), "person"), False)
        coded = pc.if_else(is_person, profiles.column("name"), pa.scalar(None, pa.string()))
        coded = coded.combine_chunks().dictionary_encode()
        parts = [name_parts(name) for name in coded.dictionary.to_pylist()]
        named = np.array([bool(parsed.last) for parsed, _ in parts], dtype=bool)
        name_of_row = pc.fill_null(coded.indices, -1).to_numpy(zero_copy_only=False).astype(np.int32)
        if len(parts):
            name_of_row[(name_of_row >= 0) & ~named[name_of_row]] = -1
        return EncodedNames(*encode_names(parts), name_of_row)

    def compare(self, encoded: EncodedNames, pairs: Pairs) -> Scores:
        return kernels.person_names(*encoded, pairs)

    def evidence(self, left: Profile, right: Profile) -> str:
        return f"{left.name} / {right.name}" if left.type == right.type == "person" else ""


def encode_names(parts: list[tuple[PersonName, tuple[str, ...]]]) -> tuple[Words, Names]:
    """What the kernels take, from :func:`name_parts` of each distinct name."""
    code = codes_of(
        word
        for parsed, pieces in parts
        for word in (parsed.first, parsed.last, _given(parsed), _rest(parsed), *parsed.middle, *pieces)
        if word
    )
    code[""] = -1
    return _words([word for word in code if word]), _names(parts, code)


def _given(parsed: PersonName) -> str:
    return "".join((parsed.first, *parsed.middle))


def _rest(parsed: PersonName) -> str:
    return "".join((*parsed.middle, parsed.last)) if parsed.first else ""


def _words(words: list[str]) -> Words:
    sounds = codes_of(sound(word) for word in words)
    formal = [[word, *(full for full in formal_first_names(word) if is_nickname(word, full))] for word in words]
    code = codes_of(name for names in formal for name in names)
    rows = [row for row, names in enumerate(formal) for _ in names]
    return Words(
        letters(words),
        np.array([sounds[sound(word)] for word in words], dtype=np.int32),
        np.array([GENDERS.index(gender_of_first(word)) for word in words], dtype=np.int8),
        lists(rows, [code[name] for names in formal for name in names], len(words)),
        np.array([code[word] for word in words], dtype=np.int32),
    )


def _names(parts: list[tuple[PersonName, tuple[str, ...]]], code: dict[str, int]) -> Names:
    def numbers(values: list[Any]) -> Ints:
        return np.array(values, dtype=np.int32)

    people = [parsed for parsed, _ in parts]
    return Names(
        gender=np.array([GENDERS.index(p.gender) for p in people], dtype=np.int8),
        suffix=np.array([GENERATIONS.index(p.suffix) + 1 if p.suffix in GENERATIONS else 0 for p in people], np.int8),
        titled=np.array([bool(p.title) for p in people], dtype=bool),
        first=numbers([code[p.first] for p in people]),
        given=numbers([code[_given(p)] for p in people]),
        last=numbers([code[p.last] for p in people]),
        rest=numbers([code[_rest(p)] for p in people]),
        middles=lists_of([[code[word] for word in p.middle] for p in people]),
        pieces=lists_of([[code[word] for word in pieces if word] for _, pieces in parts]),
    )
