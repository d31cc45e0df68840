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
from abc import abstractmethod
from functools import lru_cache
from typing import NamedTuple

import numpy as np
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
_OTHERS = ("organisation", "place")

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


TypedName = tuple[str, str]
"""The type of an organisation or place, and its name."""


class CodedNames(NamedTuple):
    names: list[TypedName]
    name_of_row: Ints
    """−1 where asleep."""


class _NamesOfOthers(Specialist[CodedNames]):
    """A score of two names of organisations or places, found once for each pair of distinct names."""

    @abstractmethod
    def score_of(self, a: TypedName, b: TypedName) -> float | None: ...

    def encode(self, profiles: Profiles) -> CodedNames:
        types, names = (profiles.column(column).to_pylist() for column in ("type", "name"))
        typed = [
            (type, name) if type in _OTHERS and name is not None else None
            for type, name in zip(types, names, strict=True)
        ]
        code = codes_of(each for each in typed if each is not None)
        return CodedNames(list(code), np.array([-1 if each is None else code[each] for each in typed], dtype=np.int32))

    def compare(self, encoded: CodedNames, pairs: Pairs) -> Scores:
        out = np.full(len(pairs), np.nan, dtype=np.float32)
        codes = np.sort(encoded.name_of_row[pairs], axis=1).astype(np.int64)
        awake = np.flatnonzero(codes[:, 0] >= 0)
        size = max(len(encoded.names), 1)
        distinct, which = np.unique(codes[awake, 0] * size + codes[awake, 1], return_inverse=True)
        found = [self.score_of(encoded.names[code // size], encoded.names[code % size]) for code in distinct.tolist()]
        out[awake] = np.array(found, dtype=np.float32)[which]
        return out


class Acronyms(_NamesOfOthers):
    """1 if one name abbreviates the other, 0 if both are acronyms and differ; for organisations and places.

    >>> names = ("NCA", "National Cycling Association", "UN", "Acme")
    >>> table = Profiles.of(Profile(name, "d", name, "organisation") for name in names)
    >>> Acronyms().score(table, table, [(0, 1), (0, 2), (0, 3)])
    array([ 1.,  0., nan], dtype=float32)
    """

    name = "acronym"

    def score_of(self, a: TypedName, b: TypedName) -> float | None:
        # The same letters mean different things as a place and as an organisation.
        country = _country_of_several_names(a)
        if country and country == _country_of_several_names(b):
            return 1.0
        letters = letters_of(a[1]), letters_of(b[1])
        if all(letters):
            return float(letters[0] == letters[1])
        return 1.0 if stands_for(a[1], b[1]) or stands_for(b[1], a[1]) else None

    def evidence(self, left: Profile, right: Profile) -> str:
        return f"{left.name} / {right.name}" if letters_of(left.name) or letters_of(right.name) else ""


def _country_of_several_names(named: TypedName) -> str:
    return SAME_PLACE.get(fold(ARTICLE.sub("", named[1])), "") if named[0] == "place" else ""


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


class OtherNames(_NamesOfOthers):
    """How two names of organisations, or of places, agree; acronyms are another specialist's.

    >>> names = ("General Motors", "General Motors Corp.", "Ford")
    >>> table = Profiles.of(Profile(name, "d", name, "organisation") for name in names)
    >>> OtherNames().score(table, table, [(0, 1), (0, 2)])
    array([1., 0.], dtype=float32)
    """

    name = "other_name"

    def score_of(self, a: TypedName, b: TypedName) -> float | None:
        return name_score(a[1], b[1])

    def evidence(self, left: Profile, right: Profile) -> str:
        return f"{left.name} / {right.name}" if left.type in _OTHERS else ""
