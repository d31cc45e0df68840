"""The type of a name, judged by its surroundings and its other occurrences in the document."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from crossdoc.lang import NameWords, pack
from crossdoc.lang.en import COUNTRIES, STATES, state_named
from crossdoc.names import SUFFIXES, TITLES, fold

if TYPE_CHECKING:
    from spacy.tokens import Doc

    from crossdoc.extract.truecase import CaseCounts

SHORTEST_WRAPPED = 40
"""Characters of a line after which the text goes on in the next one."""

WRAPPED_SHARE = 0.25
"""Share of lines, after lines that are long enough, that open in small letters in a text whose lines are wrapped.
In wrapped newswire it is about .8, in papers with a paragraph a line below .05. Sensitivity not measured."""
WRAPPED = "crossdoc wrapped"
_LINE = re.compile(rf"[^\n]{{{SHORTEST_WRAPPED}}}\n[ \t]*(\S)")


@dataclass(slots=True)
class NameSpan:
    """A named mention in the making; `certain` when its surroundings have settled the type."""

    start: int
    end: int
    type: str
    certain: bool = False


@cache
def _titles(language: str) -> frozenset[str]:
    known = pack(language).titles
    return (TITLES - known.names_too) | known.also


def is_title(word: str, language: str) -> bool:
    """Whether a word before a name is a title and not part of it.

    >>> is_title("Mr.", "en"), is_title("general", "en"), is_title("général", "fr")
    (True, False, True)
    """
    plain = fold(word)
    return (plain in _titles(language) and word[:1].isupper()) or plain in pack(language).titles.small


def is_particle(doc: Doc, i: int) -> bool:
    """Whether a word may stand within a person's name in small letters."""
    return doc[i].text in pack(doc.lang_).function_words.particles


def wraps(doc: Doc, i: int) -> bool:
    """Whether a token is a line break within running text, and not the end of a title or of a row in a table.

    A short line that has numbers or nothing but capitals is a row or a title, and so is what opens in capitals after
    one that does not.
    """
    if not doc[i].is_space or doc[i].text.count("\n") != 1 or not _wraps_lines(doc):
        return False
    j = i - 1
    while j >= 0 and doc[i].idx - doc[j].idx < SHORTEST_WRAPPED and "\n" not in doc[j].text:
        j -= 1
    if j >= 0 and "\n" not in doc[j].text:
        return True
    line = doc[j + 1 : i].text
    if line.isupper() or any(c.isdigit() for c in line):
        return False
    following = doc[i + 1].text if i + 1 < len(doc) else ""
    return len(following) < 2 or not following.isupper() or doc[i - 1].is_upper


def _wraps_lines(doc: Doc) -> bool:
    """Whether lines of a text go on in the next one: a good part of those after long lines open in small letters."""
    if WRAPPED not in doc.user_data:
        opened = [match[1].islower() for match in _LINE.finditer(doc.text)]
        doc.user_data[WRAPPED] = sum(opened) >= WRAPPED_SHARE * len(opened)
    return bool(doc.user_data[WRAPPED])


def before(doc: Doc, start: int) -> int | None:
    """The token before a span in the same paragraph; one line break may stand between."""
    i = start - 1
    if i >= 0 and wraps(doc, i):
        i -= 1
    return i if i >= 0 and not doc[i].is_space else None


def after(doc: Doc, end: int) -> int | None:
    """The token after a span in the same paragraph; one line break may stand between."""
    i = end
    if i < len(doc) and wraps(doc, i):
        i += 1
    return i if i < len(doc) and not doc[i].is_space else None


def is_capitalised(doc: Doc, i: int) -> bool:
    """A proper noun to the eye and to the tagger."""
    return doc[i].text[:1].isupper() and doc[i].pos_ == "PROPN"


def stands_outside_mentions(doc: Doc, i: int, taken: set[int]) -> bool:
    return i not in taken and is_capitalised(doc, i)


def text_of(doc: Doc, name: NameSpan) -> str:
    return " ".join(doc[i].text for i in range(name.start, name.end) if not doc[i].is_space)


def surname_of(doc: Doc, name: NameSpan) -> str | None:
    """The last word of a person's name of several words, a suffix apart."""
    words = [w for w in text_of(doc, name).split() if fold(w) not in SUFFIXES and w != ","]
    return words[-1] if len(words) > 1 else None


def typed_by_context(doc: Doc, name: NameSpan) -> None:
    """Corrects and settles the type where the neighbouring words leave no doubt."""
    previous, following = before(doc, name.start), after(doc, name.end)
    language = pack(doc.lang_)
    known = language.name_words
    own_last = fold(doc[name.end - 1].text)
    if _typed_by_own_words(doc, name, known):
        return
    if following is not None and following == name.end and doc[following].text[:1].isupper():
        word = fold(doc[following].text)
        kind = "organisation" if word in known.organisations else "place" if word in known.places else ""
        if kind and is_capitalised(doc, following) and name.type == "person" and word not in SUFFIXES:
            name.end, name.type, name.certain = following + 1, kind, True
            return
    telling = own_last in known.organisations | known.places and own_last not in known.surnames_too
    if name.type == "person" and telling and name.end - name.start > 1:
        name.type, name.certain = ("organisation" if own_last in known.organisations else "place"), True
        return
    if previous is not None:
        word = fold(doc[previous].text)
        titled = word in language.titles.telling and doc[previous].text[:1].isupper()
        titled = titled or (doc[previous].text[:1].islower() and word in language.titles.small)
        if titled and own_last not in known.organisations:
            if (
                name.end - name.start == 1
                and doc[name.start].text in COUNTRIES | STATES
                and word in language.titles.places_too
            ):
                return
            name.type, name.certain = "person", True
            return
        if doc[previous].text == "," and name.type != "organisation" and state_named(text_of(doc, name)):
            name.type, name.certain = "place", True
            return
        if word in language.function_words.where and name.type == "place":
            name.certain = True
    if name.type != "organisation" and following is not None and doc[following].text == ",":
        state = after(doc, following + 1)
        if state is not None and doc[state].text.endswith(".") and state_named(doc[state].text):
            name.type, name.certain = "place", True


def _typed_by_own_words(doc: Doc, name: NameSpan, known: NameWords) -> bool:
    """Whether the name is a country's, or opens with a word for what it is, as in languages that put it first."""
    if fold(text_of(doc, name)) in known.countries:
        name.type, name.certain = "place", True
        return True
    first = fold(doc[name.start].text)
    if known.heads_first and name.end - name.start > 1 and first not in known.surnames_too:
        kind = "organisation" if first in known.organisations else "place" if first in known.places else ""
        if kind:
            name.type, name.certain = kind, True
            return True
    return False


def voted_types(doc: Doc, names: list[NameSpan], cases: CaseCounts | None = None) -> None:
    """One string, one type: the type that has at least twice the votes of a mention's own, if nothing settles it.

    A bare word after a full name that ends with it is that person, however often the model calls it a place.
    """
    votes: dict[str, Counter[str]] = {}
    settled: dict[str, set[str]] = {}
    introduced: dict[str, int] = {}
    company_openings = set()
    texts = [text_of(doc, name) for name in names]
    for name, text in zip(names, texts, strict=True):
        votes.setdefault(text, Counter())[name.type] += 2 if name.certain else 1
        if name.certain:
            settled.setdefault(text, set()).add(name.type)
        if name.type == "person" and (surname := surname_of(doc, name)):
            votes.setdefault(surname, Counter())["person"] += 1
            introduced.setdefault(surname, name.start)
        elif name.type == "organisation" and " " in text:
            first = text.split()[0]
            if cases is None or cases.person_odds(first) <= 0:
                company_openings.add(first)
    for name, text in zip(names, texts, strict=True):
        # "Velmont" next to "Velmont Motor Co." is the company, also where its founder is named.
        name.certain |= name.type == "organisation" and text in company_openings
        if name.certain:
            continue
        best, count = max(votes[text].items(), key=lambda item: (item[1], item[0] == name.type))
        if _is_introduced_surname(text, name, introduced, settled) and text not in company_openings:
            name.type = "person"
        elif count >= 2 * votes[text][name.type]:
            name.type = best


def _is_introduced_surname(text: str, name: NameSpan, introduced: dict[str, int], settled: dict[str, set[str]]) -> bool:
    contradicted = bool(settled.get(text, set()) - {"person"}) or text in STATES or text in COUNTRIES
    return introduced.get(text, name.start) < name.start and not contradicted
