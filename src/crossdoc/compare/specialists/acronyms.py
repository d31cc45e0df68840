"""Acronyms and what they stand for: COLING and International Conference on Computational Linguistics, U.S. and America.

Huang et al. 2009, section 3.3, use a dictionary of acronyms. Here the letters decide: they must be the initials of the
words, or, as in COLING, Caltech and FedEx, be made of longer beginnings of some of them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from crossdoc.compare.specialists.base import Pairs, Scores, Specialist
from crossdoc.compare.specialists.coding import Ints, codes_of
from crossdoc.lang.en.place_lists import ARTICLE
from crossdoc.lang.geography import SAME_PLACE
from crossdoc.model import Profile, Profiles
from crossdoc.names import LEGAL_FORMS, SMALL_WORDS, fold

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
