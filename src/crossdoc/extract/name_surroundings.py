"""Names by their surroundings and the other names of the document.

Words next to a name settle its type. Names that the model missed are found where they are repeated, or where a title or
a bracket gives them away.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Set
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from crossdoc.extract.gender import is_first_name
from crossdoc.extract.mention_spans import SpanMention
from crossdoc.lang import NameWords, pack
from crossdoc.lang.en import COUNTRIES, STATES, state_named
from crossdoc.names import SUFFIXES, TITLES, fold
from crossdoc.names.gazetteer import find_place

if TYPE_CHECKING:
    from spacy.tokens import Doc


SHORTEST_WRAPPED = 40
"""Characters of a line after which the text goes on in the next one."""
WRAPPED_SHARE = 0.25
"""Share of lines, after lines that are long enough, that open in small letters in a text whose lines are wrapped.
In wrapped newswire it is about .8, in papers with a paragraph a line below .05. Sensitivity not measured."""
WRAPPED = "crossdoc wrapped"
_LINE = re.compile(rf"[^\n]{{{SHORTEST_WRAPPED}}}\n[ \t]*(\S)")
SHORTEST_REPEAT = 3


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


@lru_cache(maxsize=100_000)
def place_kind(name: str) -> str:
    """Whether a name is that of a country, a state, a city, or of nothing in the gazetteer.

    >>> place_kind("France"), place_kind("CHICAGO"), place_kind("Ajax Amsterdam")
    ('country', 'city', '')
    """
    plain = name.title() if name.isupper() and len(name) > 3 else name
    if plain in COUNTRIES:
        return "country"
    if state_named(plain):
        return "state"
    place = find_place(plain)
    return "" if place is None else "city" if place.city else "division" if place.division else "country"


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
    i = start - 2 if start > 0 and wraps(doc, start - 1) else start - 1
    return i if i >= 0 and not doc[i].is_space else None


def after(doc: Doc, end: int) -> int | None:
    """The token after a span in the same paragraph; one line break may stand between."""
    i = end + 1 if end < len(doc) and wraps(doc, end) else end
    return i if i < len(doc) and not doc[i].is_space else None


def is_capitalised(doc: Doc, i: int) -> bool:
    """A proper noun to the eye and to the tagger."""
    return doc[i].text[:1].isupper() and doc[i].pos_ == "PROPN"


def stands_outside_mentions(doc: Doc, i: int, taken: Set[int]) -> bool:
    return i not in taken and is_capitalised(doc, i)


def text_of(doc: Doc, name: SpanMention) -> str:
    return " ".join(doc[i].text for i in range(name.start, name.end) if not doc[i].is_space)


def surname_of(doc: Doc, name: SpanMention) -> str | None:
    """The last word of a person's name of several words, a suffix apart."""
    words = [w for w in text_of(doc, name).split() if fold(w) not in SUFFIXES and w != ","]
    return words[-1] if len(words) > 1 else None


# Types


def typed_by_context(doc: Doc, name: SpanMention) -> None:
    """Correct and settle the type where the neighbouring words leave no doubt."""
    if kind := _settled_type(doc, name):
        name.type, name.certain = kind, True


def _settled_type(doc: Doc, name: SpanMention) -> str:
    language, text = pack(doc.lang_), text_of(doc, name)
    known, titles = language.name_words, language.titles
    first, last = fold(doc[name.start].text), fold(doc[name.end - 1].text)
    lone, previous = name.end - name.start == 1, before(doc, name.start)
    if fold(text) in known.countries:
        return "place"
    if known.heads_first and not lone and first not in known.surnames_too and (kind := _kind_of_head(first, known)):
        return kind
    is_person = name.type == "person" and not lone
    if is_person and last not in known.surnames_too and (kind := _kind_of_head(last, known)):
        return kind
    if previous is not None:
        word, written = fold(doc[previous].text), doc[previous].text
        titled = word in (titles.telling if written[:1].isupper() else titles.small)
        if titled and last not in known.organisations:
            return "person"
        if written == "," and name.type != "organisation" and state_named(text):
            return "place"
        if word in language.function_words.where and name.type == "place":
            return "place"
    return ""


def _kind_of_head(word: str, known: NameWords) -> str:
    return "organisation" if word in known.organisations else "place" if word in known.places else ""


def type_surnames(doc: Doc, names: list[SpanMention]) -> None:
    """A bare word after a full name that ends with it is that person, however often the model calls it a place."""
    introduced: dict[str, int] = {}
    for name in names:
        if name.type == "person" and (surname := surname_of(doc, name)):
            introduced.setdefault(surname, name.start)
    for name in names:
        text = text_of(doc, name)
        follows = introduced.get(text, name.start) < name.start
        if follows and not name.certain and text not in STATES | COUNTRIES:
            name.type = "person"


# Names that the model missed


def _known_names(doc: Doc, names: Iterable[SpanMention]) -> dict[str, list[tuple[list[str], str]]]:
    """Names of the document by their first word, longest first; a string of two types has the first one's.

    A single word that the model misses more often than it finds it is its error ("Olympic"), not a name.
    """
    known: dict[str, str] = {}
    texts = Counter(text_of(doc, name) for name in names)
    words_of_doc = Counter(token.text for token in doc)
    for name in names:
        text = text_of(doc, name)
        if " " in text or 2 * texts[text] >= words_of_doc[text]:
            known.setdefault(text, name.type)
    for name in names:
        if name.type == "person" and (surname := surname_of(doc, name)):
            known.setdefault(surname, "person")
    for word in _parts_of_organisations(doc, names, words_of_doc):
        known.setdefault(word, "organisation")
    by_first: dict[str, list[tuple[list[str], str]]] = defaultdict(list)
    for text, type_ in sorted(known.items(), key=lambda item: -len(item[0].split())):
        words = text.split()
        if len("".join(words)) >= SHORTEST_REPEAT and text[:1].isupper():
            by_first[words[0]].append((words, type_))
    return by_first


def _parts_of_organisations(doc: Doc, names: Iterable[SpanMention], words_of_doc: Counter[str]) -> Iterator[str]:
    """ "Comets" of the Springfield Comets: last words of organisations' names that say nothing else in the document."""
    known = pack(doc.lang_).name_words
    for name in names:
        words = text_of(doc, name).split()
        if name.type != "organisation" or len(words) < 2:
            continue
        word = words[-1]
        telling = word.istitle() and len(word) > SHORTEST_REPEAT and word.lower() not in words_of_doc
        if telling and not (_kind_of_head(fold(word), known) or place_kind(word) or is_first_name(word, doc.lang_)):
            yield word


def missed_names(doc: Doc, names: list[SpanMention], taken: set[int]) -> Iterator[SpanMention]:
    """Names that are repeated outside `taken`, which it updates."""
    known = _known_names(doc, names)
    for start in range(len(doc)):
        for words, type_ in known.get(doc[start].text, ()):
            end = _match_end(doc, start, words)
            if end is not None and taken.isdisjoint(range(start, end)):
                taken.update(range(start, end))
                yield SpanMention(start, end, type_)


def _match_end(doc: Doc, start: int, words: Iterable[str]) -> int | None:
    i = start
    for word in words:
        while i < len(doc) and i > start and doc[i].is_space and doc[i].text.count("\n") <= 1:
            i += 1
        if i >= len(doc) or doc[i].text != word:
            return None
        i += 1
    return i
