"""Personal names: how far two agree, from clash (0) to the same name with the same middle name (1).

Names in any script meet by transliteration, nicknames by dictionary, spellings by Double Metaphone (Philips 2000) and
Jaro-Winkler (Winkler 1990): the name specialist of Huang et al. 2009, section 3.3, which the paper does not spell out.
The rule is that of :mod:`crossdoc.names`, asked once for each pair of distinct names.

Acronyms and what they stand for: COLING and International Conference on Computational Linguistics, U.S. and America.

Huang et al. 2009, section 3.3, use a dictionary of acronyms. Here the letters decide: they must be the initials of the
words, or, as in COLING, Caltech and FedEx, be made of longer beginnings of some of them.

Names of organisations and places: the same distinctive words, one name a part of the other, or neither.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from crossdoc.compare.specialists.base import Ints, Pairs, Scores, Specialist, codes_of
from crossdoc.lang.en import ARTICLE, SAME_PLACE
from crossdoc.model import Profile, Profiles
from crossdoc.names import (
    LEGAL_FORMS,
    SMALL_WORDS,
    Agreeing,
    agreeing,
    fold,
    is_acronym,
    others_agree,
    parse_person,
    telling_words,
)


class EncodedPersonNames(NamedTuple):
    agreeing: Agreeing
    name_of_row: Ints
    """−1 where asleep."""


def encode_names(profiles: Profiles) -> EncodedPersonNames:
    """Which people's names agree, and the name of each row."""
    is_person = pc.fill_null(pc.equal(profiles.column("type"), "person"), False)
    coded = pc.if_else(is_person, profiles.column("name"), pa.scalar(None, pa.string()))
    coded = coded.combine_chunks().dictionary_encode()
    names = coded.dictionary.to_pylist()
    # In an order of their own, so that the names are looked up once for all who ask.
    listed = sorted(name for name in names if parse_person(name).last)
    number = {name: at for at, name in enumerate(listed)}
    numbers = np.array([*(number.get(name, -1) for name in names), -1], dtype=np.int32)
    rows = pc.fill_null(coded.indices, len(names)).to_numpy(zero_copy_only=False)
    return EncodedPersonNames(agreeing(listed, "person"), numbers[rows])


class PersonNames(Specialist[EncodedPersonNames]):
    """Awake for two people with names.

    The score is that of :func:`crossdoc.names.compare_people`, 0 where names clash.

    >>> people = Profiles.of(Profile(str(i), "d", name, "person") for i, name in enumerate(
    ...     ["William J. Clinton", "Clinton, Bill", "Hillary Clinton", "Билл Клинтон"]))
    >>> PersonNames().score(people, people, [(0, 0), (0, 1), (1, 3), (0, 2)]).astype(float).round(2).tolist()
    [0.97, 0.71, 0.76, 0.0]
    """

    name = "person_name"

    def encode(self, profiles: Profiles) -> EncodedPersonNames:
        return encode_names(profiles)

    def compare(self, encoded: EncodedPersonNames, pairs: Pairs) -> Scores:
        out = np.full(len(pairs), np.nan, dtype=np.float32)
        names = encoded.name_of_row[pairs]
        awake = (names >= 0).all(axis=1)
        out[awake] = encoded.agreeing.of(names[awake])[1]
        return out

    def evidence(self, left: Profile, right: Profile) -> str:
        return f"{left.name} / {right.name}" if left.type == right.type == "person" else ""


LONGEST_DEFINED_ACRONYM = 8

_DOTS = re.compile(r"[.&\s]")
_SPLIT = re.compile(r"[\s,()\"“”/-]+")
_CAMEL = re.compile(r"[^\W\d_a-z][a-z]+")


@lru_cache(maxsize=200_000)
def letters_of(name: str) -> str:
    """Return the folded letters of an acronym, '' for other names.

    >>> letters_of("U.S."), letters_of("the NCA"), letters_of("Boston"), letters_of("DoD")
    ('us', 'nca', '', 'dod')
    """
    bare = ARTICLE.sub("", name.strip())
    if len(bare.split()) > 1 and not re.fullmatch(r"(?:\w\.\s*)+", bare):
        return ""
    bare = _DOTS.sub("", bare)
    capitals = sum(letter.isupper() for letter in bare)
    is_one = 2 <= len(bare) <= LONGEST_DEFINED_ACRONYM and bare.isalpha() and 2 * capitals > len(bare) and capitals > 1
    return fold(bare) if is_one else ""


@lru_cache(maxsize=200_000)
def stands_for(short: str, full: str) -> bool:
    """Whether a name of one word abbreviates a name of several.

    >>> stands_for("COLING", "International Conference on Computational Linguistics"), stands_for("NCA", "NASA Ames")
    (True, False)
    >>> stands_for("FedEx", "Federal Express Corp."), stands_for("GM", "General Motors"), stands_for("GM", "Georgia")
    (True, True, False)
    """
    words = [word for word in map(fold, _SPLIT.split(ARTICLE.sub("", full))) if word]
    if len(words) < 2:
        return False
    letters = letters_of(short)
    if letters:
        spare = frozenset(word for word in words if word in SMALL_WORDS or word in LEGAL_FORMS)
        if _made_of(letters, tuple(words), 1, spare):
            return True
        return len(letters) > 4 and _made_of(letters, tuple(words), 2, frozenset(words))
    plain = ARTICLE.sub("", short.strip())
    if not plain.isalpha():
        return False
    pieces = [fold(piece) for piece in _CAMEL.findall(plain)]
    if len(pieces) > 1 and "".join(pieces) == fold(plain):
        return _begin(pieces, words)
    return _made_of(fold(plain), tuple(words), 3, frozenset(words))


def _made_of(letters: str, words: tuple[str, ...], least: int, spare: frozenset[str], used: int = 0) -> bool:
    """Whether letters are beginnings, each of at least `least` letters, of two or more words in order, of which only
    `spare` ones are left out."""
    if not words:
        return not letters and used > 1
    word = words[0]
    for size in range(least, min(len(word), len(letters)) + 1):
        if word[size - 1] != letters[size - 1] or word[:size] != letters[:size]:
            break
        if _made_of(letters[size:], words[1:], least, spare, used + 1):
            return True
    return word in spare and _made_of(letters, words[1:], least, spare, used)


def _begin(pieces: list[str], words: list[str]) -> bool:
    remaining = iter(words)
    return all(any(word.startswith(piece) for word in remaining) for piece in pieces)


class EncodedAcronyms(NamedTuple):
    names: npt.NDArray[np.object_]
    name_of_row: Ints
    """−1 if asleep."""
    letters: Ints
    """Acronym of each name as a number; −1 for none."""
    known: Ints
    """Country with several names that each name refers to, as a number; −1 for none."""


class Acronyms(Specialist[EncodedAcronyms]):
    """1 if one name abbreviates the other, 0 if both are acronyms and differ; for organisations and places.

    >>> names = ("NCA", "National Cycling Association", "UN", "Acme")
    >>> table = Profiles.of(Profile(name, "d", name, "organisation") for name in names)
    >>> Acronyms().score(table, table, [(0, 1), (0, 2), (0, 3)])
    array([ 1.,  0., nan], dtype=float32)
    """

    name = "acronym"

    def encode(self, profiles: Profiles) -> EncodedAcronyms:
        types = profiles.column("type")
        awake = pc.fill_null(pc.is_in(types, value_set=pa.array(["organisation", "place"])), False)
        # The same letters mean different things as a place and as an organisation.
        typed = pc.binary_join_element_wise(types, profiles.column("name"), "\0")
        coded = pc.if_else(awake, typed, pa.scalar(None, pa.string())).combine_chunks().dictionary_encode()
        split = [text.partition("\0") for text in coded.dictionary.to_pylist()]
        known = _known_places([name if kind == "place" else "" for kind, _, name in split])
        acronyms = [letters_of(name) for _, _, name in split]
        code = {"": -1, **codes_of(acronym for acronym in acronyms if acronym)}
        return EncodedAcronyms(
            np.array([name for _, _, name in split], dtype=object),
            pc.fill_null(coded.indices, -1).to_numpy(zero_copy_only=False).astype(np.int32),
            np.array([code[acronym] for acronym in acronyms], dtype=np.int32),
            known,
        )

    def compare(self, encoded: EncodedAcronyms, pairs: Pairs) -> Scores:
        out = np.full(len(pairs), np.nan, dtype=np.float32)
        if not len(encoded.names):
            return out
        a, b = encoded.name_of_row[pairs[:, 0]], encoded.name_of_row[pairs[:, 1]]
        awake = np.flatnonzero((a >= 0) & (b >= 0))
        a, b = a[awake], b[awake]
        letters, known = encoded.letters, encoded.known
        both = (letters[a] >= 0) & (letters[b] >= 0)
        out[awake[both]] = letters[a[both]] == letters[b[both]]
        countries = (known[a] >= 0) & (known[a] == known[b])
        out[awake[countries]] = 1.0
        left = np.flatnonzero(~both & ~countries)
        # Many pairs of profiles are few pairs of names, and each is compared once.
        distinct, which = np.unique(np.stack([a[left], b[left]], axis=1), axis=0, return_inverse=True)
        names = encoded.names
        found = np.array([stands_for(names[x], names[y]) or stands_for(names[y], names[x]) for x, y in distinct], bool)
        if len(left):
            out[awake[left[found[which.ravel()]]]] = 1.0
        return out

    def evidence(self, left: Profile, right: Profile) -> str:
        return f"{left.name} / {right.name}" if letters_of(left.name) or letters_of(right.name) else ""


def _known_places(names: list[str]) -> Ints:
    """Return the number of the country with several names that each name refers to, −1 for none."""
    found = [SAME_PLACE.get(fold(ARTICLE.sub("", name)), "") for name in names]
    code = {"": -1, **codes_of(place for place in found if place)}
    return np.array([code[place] for place in found], dtype=np.int32)


SAME, PART, SHARED, NONE = 1.0, 0.7, 0.3, 0.0


def name_score(a: str, b: str) -> float | None:
    """1 for the same distinctive words, .7 for a part, .3 for half of them shared, 0 for none; None for an acronym.

    >>> name_score("The General Motors Corp.", "General Motors"), name_score("Ford", "Ford Motor Company")
    (1.0, 0.7)
    >>> name_score("Fiat", "Ford"), name_score("GM", "General Motors")
    (0.0, None)
    """
    x, y = telling_words(a), telling_words(b)
    if not x or not y:
        return None
    if x == y or "".join(x) == "".join(y):
        return SAME
    if is_acronym(a) != is_acronym(b):
        return None
    if others_agree(a, b):
        return PART
    return SHARED if 2 * len(set(x) & set(y)) >= min(len(x), len(y)) else NONE


class EncodedOtherNames(NamedTuple):
    names: npt.NDArray[np.object_]
    name_of_row: Ints
    """−1 where asleep."""


class OtherNames(Specialist[EncodedOtherNames]):
    """How two names of organisations, or of places, agree; acronyms are another specialist's.

    >>> names = ("General Motors", "General Motors Corp.", "Ford")
    >>> table = Profiles.of(Profile(name, "d", name, "organisation") for name in names)
    >>> OtherNames().score(table, table, [(0, 1), (0, 2)])
    array([1., 0.], dtype=float32)
    """

    name = "other_name"

    def encode(self, profiles: Profiles) -> EncodedOtherNames:
        awake = pc.fill_null(pc.is_in(profiles.column("type"), value_set=pa.array(["organisation", "place"])), False)
        named = pc.if_else(awake, profiles.column("name"), pa.scalar(None, pa.string()))
        coded = named.combine_chunks().dictionary_encode()
        rows = pc.fill_null(coded.indices, -1).to_numpy(zero_copy_only=False).astype(np.int32)
        return EncodedOtherNames(coded.dictionary.to_numpy(zero_copy_only=False), rows)

    def compare(self, encoded: EncodedOtherNames, pairs: Pairs) -> Scores:
        out = np.full(len(pairs), np.nan, dtype=np.float32)
        codes = np.sort(encoded.name_of_row[pairs], axis=1)
        awake = np.flatnonzero(codes[:, 0] >= 0)
        if not len(awake):
            return out
        distinct, which = np.unique(codes[awake], axis=0, return_inverse=True)
        found = [name_score(encoded.names[a], encoded.names[b]) for a, b in distinct]
        scores = np.array([np.nan if score is None else score for score in found], dtype=np.float32)
        out[awake] = scores[which.ravel()]
        return out

    def evidence(self, left: Profile, right: Profile) -> str:
        return f"{left.name} / {right.name}" if left.type in ("organisation", "place") else ""
