"""Mentions that need not be names: descriptions ("the suspect"), their heads, and which of them agree."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from enum import IntEnum
from functools import lru_cache

from crossdoc.lang import DEFAULT, pack
from crossdoc.names.others import abbreviations, plain_name, relate_others, short_for
from crossdoc.names.people import parse_person, relate_people
from crossdoc.names.words import Grade, first_names_agree, fold, is_misspelling, with_one_letter_less

_WORD = re.compile(r"[^\s,()\"“”/‐‑–-]+|[,(]")
_POSSESSIVE = re.compile(r"\s?['’]s?(?=\s|$)")
DETERMINERS = frozenset("the a an this that these those his her its their our my your some any another other".split())
PREPOSITIONS = frozenset(
    "of in at near on from to for by with between under over off inside outside into through behind around".split()
)
"""They introduce complements of a phrase's head: "a bank in Athens" is a bank."""


class Kin(IntEnum):
    """Why two mentions of one topic may be one, of which one at least is a description."""

    NONE = 0
    HEAD = 1
    """They share a head: "man" and "Millom man"."""
    SAME = 2
    """One description: "the suspect" and "suspect"."""


def is_description(name: str) -> bool:
    """Whether no word of it is written like a name, in a script with capitals."""
    return name == name.lower() != name.upper()


def has_article(name: str) -> bool:
    """Whether a name is a description that opens with an article or another determiner: "this firm"."""
    first, _, rest = name.partition(" ")
    words = pack(DEFAULT).function_words
    return bool(rest) and is_description(name) and first in words.articles | words.definite


def descriptions(names: Sequence[str]) -> frozenset[str]:
    """Which of the names of profiles are descriptions; also those that are written large, as what opens a sentence is,
    but as often in small letters. None where half of the names are in small letters: there they mean nothing.

    >>> sorted(descriptions(["police", "Police", "Bonn", "Rome", "Oslo"])), sorted(descriptions(["jo li", "al wu"]))
    (['Police', 'police'], [])
    """
    counts = Counter(names)
    small = {name for name in counts if is_description(name)}
    if not small or 2 * len(small) >= len(counts):
        return frozenset()
    written: dict[bool, Counter[tuple[str, ...]]] = {True: Counter(), False: Counter()}
    for name, count in counts.items():
        written[name in small][_phrase(name)] += count
    return frozenset(
        name
        for name in counts
        if name in small or (is_description(name[1:]) and written[True][_phrase(name)] >= written[False][_phrase(name)])
    )


@lru_cache(maxsize=50_000)
def _phrase(name: str) -> tuple[str, ...]:
    return tuple(map(fold, _words(name))) or (fold(name) or name,)


def _words(name: str) -> list[str]:
    """The words of a phrase up to the complements of its head."""
    words: list[str] = []
    for raw in _WORD.findall(_POSSESSIVE.sub(" ", name)):
        word = fold(raw)
        if words and (raw in ",(" or word in PREPOSITIONS):
            break
        if word and word not in DETERMINERS and word not in PREPOSITIONS:
            words.append(raw)
    return words


def head_of(name: str) -> str:
    """The word that a phrase is about."""
    return _phrase(name)[-1]


@lru_cache(maxsize=50_000)
def has_small_head(name: str) -> bool:
    """Whether the head is no name, whatever else is one: such a phrase describes, too."""
    return is_description("".join(_words(name)[-1:]))


def ends_of(name: str) -> set[str]:
    """The words of a name that a description of its bearer may be: the head, or a role in front."""
    return {_phrase(name)[0], _phrase(name)[-1]}


def form_keys(name: str) -> set[str]:
    """Keys of a name; two forms of one name (:func:`one_form`) share at least one."""
    keys = {_phrase(name)[-1], fold(name), plain_name(name), *abbreviations(name), short_for(name)}
    return (keys | with_one_letter_less(parse_person(name).last)) - {""}


@lru_cache(maxsize=50_000)
def kinship(description: str, other: str, described: bool) -> Kin:
    """The relation of a description to another, or to a name.

    >>> [kinship("man", name, small).name for name, small in (("a man", True), ("Millom man", False), ("Jo Li", False))]
    ['SAME', 'HEAD', 'NONE']
    """
    x, y = _phrase(description), _phrase(other)
    if described:
        return Kin.SAME if x == y else Kin.HEAD if x[-1] == y[-1] else Kin.NONE
    return Kin.HEAD if x[-1] in (y[-1], y[0]) else Kin.NONE


@lru_cache(maxsize=50_000)
def one_form(rare: str, frequent: str) -> bool:
    """Whether two names given as people's, which clash, are one in two forms where both are in one topic: with another
    spacing, as an acronym or a part, as of an organisation; or the rare one has a typing error in its surname.

    >>> one_form("AP", "Associated Press"), one_form("Stepmom Esther Williams", "Esther Williams")
    (True, True)
    >>> one_form("Reagn", "Ronald Reagan"), one_form("Regan", "Ronald Reagan"), one_form("Jo Li", "Al Li")
    (True, False, False)
    """
    if relate_people(rare, frequent) > Grade.SIMILAR:
        return False
    return relate_others(rare, frequent) >= Grade.PART or misspells(rare, frequent)


def misspells(rare: str, frequent: str) -> bool:
    """Whether a person's name is another with a typing error in the surname."""
    a, b = parse_person(rare), parse_person(frequent)
    return is_misspelling(a.last, b.last) and first_names_agree(a.first, b.first)
