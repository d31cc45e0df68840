"""Mentions of people, organisations and places in a parsed document: spaCy's entities, mended by rule.

The model errs in ways that rules can see: it cuts or swallows titles, misses a surname the second time, calls D-N.Y. an
organisation, and types one string two ways. Nominals and pronouns are found in mention_spans.py.

A tagger also runs headings, offices and lists together with the names next to them ("State Dulles", "Djuanda and
Nasution", "Leonard H. Marks Letter"); names are cut out of them. The counts of the collection
(truecase.py) say which words are people's surnames, and which are ordinary words or things.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from crossdoc.extract.gender import is_first_name
from crossdoc.extract.mention_spans import SpanMention, find_nominals, find_pronouns
from crossdoc.extract.name_model import NUMBER, weighed
from crossdoc.extract.name_surroundings import (
    before,
    is_particle,
    is_title,
    missed_names,
    place_kind,
    stands_outside_mentions,
    type_surnames,
    typed_by_context,
    wraps,
)
from crossdoc.extract.truecase import CaseCounts
from crossdoc.lang import pack
from crossdoc.names import SUFFIXES, fold
from crossdoc.names.heads import is_description

if TYPE_CHECKING:
    from spacy.tokens import Doc

TYPE_OF_LABEL = {"PERSON": "person", "ORG": "organisation", "GPE": "place", "LOC": "place", "FAC": "place"}
SURNAME_ODDS = 3.0
"""Log odds. Above it a word is a surname around which other words are cut off. On AIDA testa, six volumes of FRUS and
the sample 1 to 3 differ by .0004 in F1; with 1, names of organisations in the sample were cut."""
QUOTES = frozenset("\"'`‘’“”«»") | {"``", "''"}
POSSESSIVES = frozenset({"'s", "’s", "'S", "`s", "'", "’"})
DASHES = frozenset({"-", "--", "–", "—"})
EDGE_MARKS = QUOTES | POSSESSIVES | DASHES | frozenset(",;:()[]_*|/><")
PERSON_DIVIDERS = frozenset("&,;/|")
_PARTY_AND_STATE = re.compile(r"[DRI]-[A-Z][\w. ]*")
"""Party and state after a politician's name, as in "D-N.Y."."""
_INITIALS = re.compile(r"(?:[^\W\d_]\.-?){1,3}")


def find_mentions(doc: Doc, cases: CaseCounts | None = None) -> list[SpanMention]:
    """Mentions in text order: names, nominal ones ("the senator") and pronouns.

    `cases` are the counts of the collection that the document is of.
    """
    names = weighed(doc, found_names(doc, cases), cases)
    found = [name for name in names if not _PARTY_AND_STATE.fullmatch(name.text(doc))]
    taken = {i for m in found for i in range(m.start, m.end)}
    found += [*find_nominals(doc, taken), *find_pronouns(doc, taken)]
    return sorted(found, key=lambda m: (m.start, m.end))


def found_names(doc: Doc, cases: CaseCounts | None = None) -> list[SpanMention]:
    """The model's names, mended, and those that only rules find, in text order."""
    names = _with_datelines(doc, list(_entities(doc, cases)))
    taken = {i for n in names for i in range(n.start, n.end)}
    for name in names:
        _extend(doc, name, taken)
        typed_by_context(doc, name)
    type_surnames(doc, names)
    taken.update(i for n in names for i in range(n.start, n.end))
    for name in missed_names(doc, names, taken):
        _extend(doc, name, taken)
        names.append(name)
    return sorted(names, key=lambda n: n.start)


# Entities of the tagger: where they are cut, and which are none


def _entities(doc: Doc, cases: CaseCounts | None) -> Iterator[SpanMention]:
    for entity in doc.ents:
        type_ = TYPE_OF_LABEL.get(entity.label_, "")
        for piece in _pieces(doc, entity.start, entity.end, type_) if type_ else ():
            start, end = _trimmed(doc, *piece, type_)
            text = doc[start:end].text
            if not _is_no_name(text, doc.lang_):
                name = SpanMention(start, end, type_)
                yield cut_name(doc, name, cases) if cases else name


def _is_no_name(text: str, language: str) -> bool:
    """Whether no word is written like a name, or the only one is a letter, a title or no name."""
    words = [word for word in text.split() if any(map(str.isalpha, word))]
    if not words or is_description(text):
        return True
    if len(words) > 1:
        return False
    known, plain = pack(language), fold(words[0])
    listed = known.name_words.not_names | known.name_words.units | known.affiliations.peoples
    is_listed = plain not in known.name_words.countries and not listed.isdisjoint({plain, plain.removesuffix("s")})
    return is_listed or is_title(words[0], language) or (len(plain) < 2 and text.isascii())


def _before_suffix(doc: Doc, i: int, end: int) -> bool:
    return i + 1 < end and fold(doc[i + 1].text) in SUFFIXES


def _pieces(doc: Doc, start: int, end: int, type_: str) -> Iterator[tuple[int, int]]:
    """Parts of an entity that runs over a line's end, a number, a free dash or, of people, over "and"."""
    begin = start
    # A text may be in another language than the model that reads it; "von und zu" is within a name.
    dividers = PERSON_DIVIDERS.union(*(pack(code).function_words.and_ for code in (doc.lang_, "en", "de", "fr")))
    for i in range(start, end):
        word = doc[i].text
        free_dash = word in DASHES and i > start and bool(doc[i - 1].whitespace_)
        joins = type_ == "person" and word in dividers and not (i > start and doc[i - 1].is_lower)
        divides = free_dash or ("\n" in word and not wraps(doc, i)) or joins or NUMBER.fullmatch(word) is not None
        if divides and not (word == "," and _before_suffix(doc, i, end)):
            yield begin, i
            begin = i + 1
    yield begin, end


def _trimmed(doc: Doc, start: int, end: int, type_: str) -> tuple[int, int]:
    language = pack(doc.lang_)
    known = language.function_words
    while start < end:
        word = doc[start]
        follows = start + 1 < end and doc[start + 1].text in language.name_words.with_article
        keeps_the = follows and word.lower_ in known.the and word.text.istitle()
        is_article = word.lower_ in known.articles and not keeps_the
        leading_title = type_ == "person" and start + 1 < end and is_title(word.text, doc.lang_)
        preposition = type_ == "place" and word.lower_ in known.where | known.of and word.pos_ == "ADP"
        if not (word.is_space or word.text in EDGE_MARKS or is_article or leading_title or preposition):
            break
        start += 1
    while end > start and (doc[end - 1].is_space or doc[end - 1].text in EDGE_MARKS):
        end -= 1
    return start, end


# Names of people among other words


def cut_name(doc: Doc, name: SpanMention, cases: CaseCounts) -> SpanMention:
    """The name of a person within an entity, if there is one and all other words are no part of a name."""
    head = name.end - 1
    while head >= name.start and not _is_surname(doc, head, name.type, cases):
        if not _is_loose(doc, head, name.type, cases):
            return name
        head -= 1
    first = head
    while first > name.start and not _is_loose(doc, first - 1, name.type, cases):
        first -= 1
    is_whole = head < name.start or (first, head + 1) == (name.start, name.end)
    return name if is_whole else SpanMention(first, head + 1, "person")


def _is_surname(doc: Doc, i: int, type_: str, cases: CaseCounts) -> bool:
    word = doc[i].text
    if (type_ != "person" and place_kind(word)) or not word[:1].isupper() or len(word) < 3:
        return False
    return not is_title(word, doc.lang_) and cases.person_odds(word) > SURNAME_ODDS


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
    return small > title or (type_ != "person" and (word.isupper() or cases.person_odds(word) < -1))


# Names that are extended or added


def _with_datelines(doc: Doc, names: list[SpanMention]) -> list[SpanMention]:
    found = []
    for match in pack(doc.lang_).dates.dateline.finditer(doc.text):
        span = doc.char_span(*match.span("place"), alignment_mode="contract")
        if span is None or not len(span):
            continue
        i = span.start
        opens_line = i == 0 or (doc[i - 1].is_space and (i == 1 or "\n" in doc[i - 1].text))
        if opens_line or span[0].is_sent_start:
            found.append(SpanMention(span.start, span.end, "place", certain=True))
    covered = {i for n in found for i in range(n.start, n.end)}
    kept = [n for n in names if not covered.intersection(range(n.start, n.end))]
    return sorted([*kept, *found], key=lambda n: n.start)


def _extend(doc: Doc, name: SpanMention, taken: set[int]) -> None:
    """Take in first names and initials that the model left outside a person's name, and "de" of "General de Gaulle"."""
    start = name.start
    while start > 0 and is_particle(doc, start - 1):
        start -= 1
    if name.type == "person" and start > 0 and is_title(doc[start - 1].text, doc.lang_):
        name.start = start
    while name.type == "person" and (i := before(doc, name.start)) is not None:
        if is_title(doc[i].text, doc.lang_) or not _is_given(doc, i) or not stands_outside_mentions(doc, i, taken):
            break
        name.start = i
