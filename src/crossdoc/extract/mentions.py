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
from functools import cache
from typing import TYPE_CHECKING

from crossdoc.extract.gender import is_first_name
from crossdoc.extract.mention_spans import SpanMention, find_nominals, find_pronouns
from crossdoc.extract.name_model import NUMBER, TokenKinds, weighed
from crossdoc.extract.name_surroundings import (
    after,
    before,
    is_particle,
    is_title,
    missed_names,
    place_kind,
    stands_outside_mentions,
    typed_by_context,
    voted_types,
    wraps,
)
from crossdoc.extract.truecase import CaseCounts, heads_of_names
from crossdoc.lang import pack
from crossdoc.lang.en import state_named
from crossdoc.names import SUFFIXES, fold

if TYPE_CHECKING:
    from spacy.tokens import Doc

TYPE_OF_LABEL = {"PERSON": "person", "ORG": "organisation", "GPE": "place", "LOC": "place", "FAC": "place"}
SURNAME_ODDS = {"person": 1.0, "organisation": 3.0, "place": 3.0}
"""Log odds, by the tagger's type. Above it a word is a surname around which other words are cut off. Chosen on six
volumes of FRUS, AIDA testa and the sample: with 1 for all types, names of organisations in the sample were cut."""
QUOTES = frozenset("\"'`‘’“”«»") | {"``", "''"}
POSSESSIVES = frozenset({"'s", "’s", "'S", "`s", "'", "’"})
DASHES = frozenset({"-", "--", "–", "—"})
EDGE_MARKS = QUOTES | POSSESSIVES | DASHES | frozenset(",;:()[]_*|/><")
PERSON_DIVIDERS = frozenset("&,;/|")
LONGEST_PERSON_NAME = 7
LONGEST_INITIALS = 4
NUMERALS = frozenset({"ii", "iii", "iv", "vi", "vii", "viii", "ix"})
_INITIALS = re.compile(r"(?:[^\W\d_]\.-?){1,3}")
_JOINTS = frozenset(",;/&:")
_PARTY_AND_STATE = re.compile(
    r"\b[DRI](?:\.?\s?-\s?|\.,\s|,\s)((?:N\.|S\.|W\.|R\.)\s?[A-Z][a-z]?a?\.?|(?:New|North|South|West|Rhode)\s[A-Z][a-z]+|[A-Z][A-Za-z]+\.?)"
)
_SCORED_PART = r"[^\W\d_a-z][\w'’.]*(?:-[\w'’]+)*"


def find_mentions(doc: Doc, cases: CaseCounts | None = None) -> list[SpanMention]:
    """Mentions in text order: names, nominal ones ("the senator") and pronouns.

    `cases` are the counts of the collection that the document is of.
    """
    attributes = party_and_state(doc)
    names = weighed(doc, found_names(doc, cases), cases)
    found = with_score_cards(doc, [name for name in names if name.start not in attributes])
    taken = {i for m in found for i in range(m.start, m.end)}
    found += [*find_nominals(doc, taken), *find_pronouns(doc, taken)]
    return sorted(found, key=lambda m: (m.start, m.end))


def found_names(doc: Doc, cases: CaseCounts | None = None) -> list[SpanMention]:
    """The model's names, mended, and those that only rules find, in text order."""
    attributes = party_and_state(doc)
    names = _with_datelines(doc, [n for n in _entities(doc, cases) if n.start not in attributes])
    taken = {i for n in names for i in range(n.start, n.end)} | attributes
    names = _joined(doc, names)
    for name in names:
        _extend(doc, name, taken)
        typed_by_context(doc, name)
    voted_types(doc, names, cases)
    taken.update(i for n in names for i in range(n.start, n.end))
    names.extend(missed_names(doc, names, taken))
    return sorted(names, key=lambda n: n.start)


def party_and_state(doc: Doc) -> set[int]:
    """Tokens of attributes such as "D-N.Y.", "(R-Texas)" and "(D., Mass.)"."""
    found: set[int] = set()
    for match in _PARTY_AND_STATE.finditer(doc.text) if pack(doc.lang_).affiliations.party_letters else ():
        opened = match[0][1] == "-" or doc.text[match.start() - 1 : match.start()] == "("
        span = doc.char_span(match.start(), match.end(), alignment_mode="expand")
        if opened and span is not None and state_named(match[1].replace(". ", ".")):
            found.update(range(span.start, span.end))
    return found


# Entities of the tagger: where they are cut, and which are none


def _entities(doc: Doc, cases: CaseCounts | None) -> Iterator[SpanMention]:
    words = {token.text for token in doc}
    in_table = TokenKinds.of(doc).has_table()
    for entity in doc.ents:
        type_ = TYPE_OF_LABEL.get(entity.label_, "")
        for start, end in _pieces(doc, entity.start, entity.end, type_, in_table) if type_ else ():
            start, end = _trimmed(doc, start, end, type_)
            if start >= end:
                continue
            for name in cut_names(doc, start, end, type_, cases) if cases else [SpanMention(start, end, type_)]:
                alone = name.type == "person" and name.end - name.start == 1
                is_heading = alone and _is_heading(doc[name.start].text, words, doc.lang_)
                if not is_heading and _can_be_name(doc, name):
                    yield name


def _is_heading(word: str, words: set[str], language: str) -> bool:
    """A lone word in capitals that the text never writes as a name: "DESSERT", not "CLINTON" where Clinton follows."""
    unknown = word.title() not in words and not is_first_name(word, language)
    return word.isupper() and len(word) > LONGEST_INITIALS and unknown


def _before_suffix(doc: Doc, i: int, end: int) -> bool:
    return i + 1 < end and fold(doc[i + 1].text) in SUFFIXES


def _pieces(doc: Doc, start: int, end: int, type_: str, in_table: bool) -> Iterator[tuple[int, int]]:
    """Parts of an entity that runs over a line's end, a free dash, the numbers of a table or, of people, over "and"."""
    begin = start
    # A text may be in another language than the model that reads it; "von und zu" is within a name.
    dividers = PERSON_DIVIDERS.union(*(pack(code).function_words.and_ for code in (doc.lang_, "en", "de", "fr")))
    for i in range(start, end):
        word = doc[i].text
        free_dash = word in DASHES and i > start and bool(doc[i - 1].whitespace_)
        joins = type_ == "person" and word in dividers and not (i > start and doc[i - 1].is_lower)
        divides = free_dash or ("\n" in word and not wraps(doc, i)) or joins
        divides = divides or (in_table and NUMBER.fullmatch(word) is not None)
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
        is_article = is_article and (word.lower_ in known.the or type_ != "organisation")
        leading_title = type_ == "person" and start + 1 < end and is_title(word.text, doc.lang_)
        preposition = type_ == "place" and word.lower_ in known.where | known.of and word.pos_ == "ADP"
        if not (word.is_space or word.text in EDGE_MARKS or is_article or leading_title or preposition):
            break
        start += 1
    while end > start:
        word = doc[end - 1]
        # A sign that ends a sentence and no name: not that of "Yahoo!".
        is_free_mark = end > 1 and word.text in {"!", "?"} and bool(doc[end - 2].whitespace_)
        goes_on = type_ == "person" and word.is_lower and not doc[start].is_lower
        is_unit = word.lower_ in language.name_words.units
        if not (word.is_space or word.text in EDGE_MARKS or is_free_mark or is_unit or goes_on):
            break
        end -= 1
    return start, end


def _can_be_name(doc: Doc, name: SpanMention) -> bool:
    words = [token.text for token in doc[name.start : name.end] if not token.is_space]
    text = "".join(words)
    # Scripts without capitals have no small letters either.
    if not any(c.isupper() for c in text) and any(c.islower() for c in text):
        return False
    spoken = [word for word in words if any(c.isalnum() for c in word)]
    if len(spoken) < 2 and (not spoken or _is_no_name(spoken[0], doc.lang_)):
        return False
    if re.search(r"[<>@=]|https?:|www\.", text):
        return False
    if name.type != "person":
        return any(c.isalpha() for c in text)
    # "April Seven" is a date, "Fat-" half a word.
    if any(token.like_num for token in doc[name.start + 1 : name.end]) or text.endswith("-"):
        return False
    is_lone_title = len(spoken) == 1 and (is_title(spoken[0], doc.lang_) or len(fold(text)) < 2)
    return len(words) <= LONGEST_PERSON_NAME and not re.search(r"\d", text) and not is_lone_title


def _is_no_name(word: str, language: str) -> bool:
    """Whether a lone word in capitals is a letter, a number or a courtesy, or what the language says is no name."""
    known, plain = pack(language), fold(word)
    if len(plain) < 2 and word.isascii():
        return True
    if plain in NUMERALS | (known.titles.introducing - known.titles.places_too):
        return True
    peoples = known.name_words.not_names | known.name_words.units | known.affiliations.peoples
    return plain not in known.name_words.countries and not peoples.isdisjoint({plain, plain.removesuffix("s")})


# Names of people among other words


def cut_names(doc: Doc, start: int, end: int, type_: str, cases: CaseCounts) -> list[SpanMention]:
    """The parts of an entity that are names of people, or the entity as it is."""
    whole = [SpanMention(start, end, type_)]
    text = " ".join(token.text for token in doc[start:end] if not token.is_space)
    last = next((i for i in range(end - 1, start - 1, -1) if doc[i].is_alpha), start)
    named_place = type_ == "place" and place_kind(text)
    headed = fold(doc[last].text) in heads_of_names(doc.lang_) and not _is_surname(doc, last, type_, cases)
    if end - start < 2 or named_place or headed:
        return whole
    spans = _divided(doc, start, end)
    people = [_person(doc, *span, type_, cases) for span in spans] if len(spans) > 1 else [None]
    if all(people):
        return [person for person in people if person]
    person = _person(doc, start, end, type_, cases)
    return whole if person is None or (person.start, person.end) == (start, end) else [person]


def _divided(doc: Doc, start: int, end: int) -> list[tuple[int, int]]:
    """The parts between commas, slashes and "and"."""
    joints = _JOINTS | pack(doc.lang_).function_words.and_
    cuts = [i for i in range(start, end) if doc[i].lower_ in joints and not _before_suffix(doc, i, end)]
    spans = zip([start, *(i + 1 for i in cuts)], [*cuts, end], strict=True)
    return [(begin, stop) for begin, stop in spans if begin < stop]


def _person(doc: Doc, start: int, end: int, type_: str, cases: CaseCounts) -> SpanMention | None:
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
    following = close + (close < end and doc[close].text == ",")
    if following < end and fold(doc[following].text) in SUFFIXES:
        close = following + 1
    return SpanMention(first, close, "person")


def _is_surname(doc: Doc, i: int, type_: str, cases: CaseCounts) -> bool:
    word = doc[i].text
    if (type_ != "person" and place_kind(word)) or not word[:1].isupper() or len(word) < 3:
        return False
    return not is_title(word, doc.lang_) and cases.person_odds(word) > SURNAME_ODDS[type_]


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


def _follows_of(doc: Doc, start: int) -> bool:
    """Whether a span goes on from an office: "Secretary of" before "Defense McNamara"."""
    known = pack(doc.lang_)
    if start < 2 or doc[start - 1].lower_ not in known.function_words.of:
        return False
    office = doc[start - 2].text
    return fold(office) in known.roles.roles or is_title(office, doc.lang_)


# Names that are joined, extended or added


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


def _joined(doc: Doc, names: list[SpanMention]) -> list[SpanMention]:
    """Names, each joined to the one before where both are one name."""
    joined: list[SpanMention] = []
    for name in names:
        if joined and joined[-1].type == name.type and not name.certain and _is_one_name(doc, joined[-1], name):
            joined[-1].end = name.end
        else:
            joined.append(name)
    return joined


def _is_one_name(doc: Doc, last: SpanMention, name: SpanMention) -> bool:
    """Whether a name is broken over two lines, or at its particles, as in "Drouyn de Lhuys"."""
    between = range(last.end, name.start)
    if name.type == "person" and between and all(is_particle(doc, i) for i in between):
        return True
    one_word = last.end - last.start == 1 or name.end - name.start == 1
    return len(between) == 1 and one_word and not last.certain and name.type != "place" and wraps(doc, last.end)


def _extend(doc: Doc, name: SpanMention, taken: set[int]) -> None:
    """Take in the particle, first name, initial or suffix that the model left outside a person's name."""
    _add_particle(doc, name)
    previous = before(doc, name.start)
    if name.type == "organisation":
        split_by_line = previous is not None and previous + 2 == name.start
        if split_by_line and stands_outside_mentions(doc, name.start - 2, taken):
            name.start -= 2
    if name.type != "person":
        return
    while (i := before(doc, name.start)) is not None and stands_outside_mentions(doc, i, taken):
        word = doc[i].text
        listed = is_first_name(word, doc.lang_) and (i + 1 == name.start or name.end - name.start == 1)
        given = listed or re.fullmatch(r"(?:[A-Z]\.){1,3}", word)
        if not given or is_title(word, doc.lang_) or doc[i].ent_type_ not in {"", "PERSON"}:
            break
        name.start = i
    i = after(doc, name.end)
    if i is None:
        return
    suffix = after(doc, i + 1) if doc[i].text == "," else None
    lone_first_name = name.end - name.start == 1 and is_first_name(doc[name.start].text, doc.lang_)
    if suffix is not None and fold(doc[suffix].text) in {"jr", "sr"}:
        name.end = suffix + 1
    elif i not in taken and doc[i].text.rstrip(".") in {"Jr", "Sr", "II", "III", "IV"}:
        name.end = i + 1
    elif i == name.end and lone_first_name and stands_outside_mentions(doc, i, taken):
        name.end = i + (fold(doc[i].text) not in SUFFIXES)


def _add_particle(doc: Doc, name: SpanMention) -> None:
    """ "de Gaulle" after a title, and what a noble is called by: "duc d'Orléans"."""
    start = name.start
    while start > 0 and is_particle(doc, start - 1):
        start -= 1
    if 0 < start < name.start and is_title(doc[start - 1].text, doc.lang_):
        noble = fold(doc[start - 1].text) in pack(doc.lang_).titles.noble
        if name.type == "person" or noble:
            name.start, name.type, name.certain = start, "person", noble or name.certain


@cache
def _score_line(language: str) -> re.Pattern[str] | None:
    """A line that ends in a score, of names with dismissals between them."""
    between = "|".join(sorted(pack(language).name_words.dismissals))
    name = rf"{_SCORED_PART}(?: {_SCORED_PART}){{0,3}}"
    line = rf"^[ \t]*{name}(?: (?:(?:{between}) )+{name})+[ \t]+\d+[ \t]*$"
    return re.compile(line, re.MULTILINE) if between else None


def with_score_cards(doc: Doc, names: list[SpanMention]) -> list[SpanMention]:
    """Names, except that lines of score cards give those between the dismissals, whatever a tagger makes of them.

    >>> import spacy
    >>> doc = spacy.blank("en")("Wasim Akram b Harris 4")
    >>> [doc[name.start : name.end].text for name in with_score_cards(doc, [SpanMention(0, 4, "organisation")])]
    ['Wasim Akram', 'Harris']
    """
    pattern, words = _score_line(doc.lang_), pack(doc.lang_).name_words.dismissals
    for line in pattern.finditer(doc.text) if pattern else ():
        span = doc.char_span(*line.span(), alignment_mode="contract")
        if span is None:
            continue
        names = [name for name in names if name.end <= span.start or name.start >= span.end]
        ends = [token.i for token in span if token.text in words or token.like_num or token.is_space]
        starts = [span.start, *(i + 1 for i in ends)]
        names += [SpanMention(start, end, "person") for start, end in zip(starts, ends, strict=False) if start < end]
    return sorted(names, key=lambda name: name.start)
