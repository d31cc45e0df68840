"""Names cut out of what a tagger took for one name: "State Dulles", "Djuanda and Nasution", "Leonard H. Marks Letter".

A tagger runs headings, offices and lists together with the names next to them. The counts of the collection
(truecase.py) say which words are people's surnames, and which are ordinary words or things.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from crossdoc.extract.candidates import place_kind
from crossdoc.extract.gender import is_first_name
from crossdoc.extract.name_surroundings import is_particle, is_title
from crossdoc.extract.truecase import CaseCounts
from crossdoc.lang import pack
from crossdoc.names import SUFFIXES, fold

if TYPE_CHECKING:
    from spacy.tokens import Doc

SURNAME_ODDS = {"person": 1.0, "organisation": 3.0, "place": 3.0}
"""Log odds, by the tagger's type. Above it a word is a surname around which other words are cut off. Chosen on six
volumes of FRUS, AIDA testa and the sample: with 1 for all types, names of organisations in the sample were cut."""
_INITIALS = re.compile(r"(?:[^\W\d_]\.-?){1,3}")
_JOINTS = frozenset({",", ";", "/", "&", ":"})

Part = tuple[int, int, str]
"""Tokens `start` … `end` − 1 and their type."""


@cache
def _heads(language: str) -> frozenset[str]:
    known = pack(language).name_words
    return known.organisations | known.places | known.bodies | known.clubs | known.trades


def cut_names(doc: Doc, start: int, end: int, type_: str, cases: CaseCounts) -> Iterator[Part]:
    """The parts of an entity that are names of people, or the entity as it is."""
    text = " ".join(doc[i].text for i in range(start, end) if not doc[i].is_space)
    last = next((i for i in range(end - 1, start - 1, -1) if doc[i].is_alpha), start)
    if (
        end - start < 2
        or (type_ == "place" and place_kind(text))
        or (fold(doc[last].text) in _heads(doc.lang_) and not _is_surname(doc, last, type_, cases))
    ):
        yield start, end, type_
        return
    spans = _divided(doc, start, end)
    if len(spans) > 1:
        found = [_person(doc, *span, type_, cases) for span in spans]
        people = [part for part in found if part is not None]
        if len(people) == len(found):
            yield from ((*part, "person") for part in people)
            return
    person = _person(doc, start, end, type_, cases)
    if person is None or person == (start, end):
        yield start, end, type_
    else:
        yield (*person, "person")


def _divided(doc: Doc, start: int, end: int) -> list[tuple[int, int]]:
    """The parts between commas, slashes and "and"."""
    joints = _JOINTS | pack(doc.lang_).function_words.and_
    spans, begin = [], start
    for i in range(start, end):
        over_suffix = i + 1 < end and fold(doc[i + 1].text) in SUFFIXES
        if doc[i].lower_ in joints and not over_suffix:
            spans.append((begin, i))
            begin = i + 1
    return [span for span in (*spans, (begin, end)) if span[0] < span[1]]


def _person(doc: Doc, start: int, end: int, type_: str, cases: CaseCounts) -> tuple[int, int] | None:
    """The name of a person within a span, if there is one and all other words are no part of a name."""
    head = end - 1
    while head >= start and not _is_surname(doc, head, type_, cases):
        if not _is_loose(doc, head, type_, cases) and fold(doc[head].text) not in SUFFIXES:
            return None
        head -= 1
    if head < start:
        return None
    first = head
    while first > start and not _is_loose(doc, first - 1, type_, cases):
        first -= 1
    if _follows_of(doc, start) and not any(_is_given(doc, i) for i in range(first, head)):
        first = head
    close = head + 1
    after = close + (close < end and doc[close].text == ",")
    if after < end and fold(doc[after].text) in SUFFIXES:
        close = after + 1
    return first, close


def _is_surname(doc: Doc, i: int, type_: str, cases: CaseCounts) -> bool:
    word = doc[i].text
    if type_ != "person" and place_kind(word):
        return False
    return (
        word[:1].isupper()
        and len(word) > 2
        and not is_title(word, doc.lang_)
        and cases.person_odds(word) > SURNAME_ODDS[type_]
    )


def _is_given(doc: Doc, i: int) -> bool:
    return bool(_INITIALS.fullmatch(doc[i].text)) or is_first_name(doc[i].text, doc.lang_)


def _is_loose(doc: Doc, i: int, type_: str, cases: CaseCounts) -> bool:
    """Whether a word next to a surname is no part of the name."""
    word = doc[i].text
    if word[:1].isupper() and cases.is_thing(word):
        return True
    if is_particle(doc, i) or _is_given(doc, i):
        return False
    if not word[:1].isalpha() or word[:1].islower() or is_title(word, doc.lang_):
        return word not in {"-", "'", "’", "."}
    small, title, _ = cases.of(word)
    if small > title:
        return True
    return type_ != "person" and (word.isupper() or cases.person_odds(word) < -1)


def _follows_of(doc: Doc, start: int) -> bool:
    """Whether a span goes on from an office: "Secretary of" before "Defense McNamara"."""
    known = pack(doc.lang_)
    return (
        start > 1
        and doc[start - 1].lower_ in known.function_words.of
        and (fold(doc[start - 2].text) in known.roles.roles or is_title(doc[start - 2].text, doc.lang_))
    )
