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
from crossdoc.names.others import LONGEST_ACRONYM

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
WORKS = frozenset({"WORK_OF_ART", "PRODUCT", "EVENT", "LAW", "LANGUAGE"})
"""A name inside the title of a work or the name of a product or event is not a mention of its bearer."""
SHORTEST_REPEAT = 3
LONGEST_TITLED = 3


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
    lone = name.end - name.start == 1
    previous, following = before(doc, name.start), after(doc, name.end)
    if fold(text) in known.countries:
        return "place"
    if known.heads_first and not lone and first not in known.surnames_too and (kind := _kind_of_head(first, known)):
        return kind
    if name.type == "person":
        if following is not None and following == name.end and is_capitalised(doc, following):
            word = fold(doc[following].text)
            if word not in SUFFIXES and (kind := _kind_of_head(word, known)):
                name.end += 1
                return kind
        if not lone and last not in known.surnames_too and (kind := _kind_of_head(last, known)):
            return kind
    if previous is not None:
        word, written = fold(doc[previous].text), doc[previous].text
        titled = word in (titles.telling if written[:1].isupper() else titles.small)
        if titled and last not in known.organisations:
            is_state = lone and doc[name.start].text in COUNTRIES | STATES and word in titles.places_too
            return "" if is_state else "person"
        if written == "," and name.type != "organisation" and state_named(text):
            return "place"
        if word in language.function_words.where and name.type == "place":
            return "place"
    if name.type != "organisation" and following is not None and doc[following].text == ",":
        state = after(doc, following + 1)
        if state is not None and doc[state].text.endswith(".") and state_named(doc[state].text):
            return "place"
    return ""


def _kind_of_head(word: str, known: NameWords) -> str:
    return "organisation" if word in known.organisations else "place" if word in known.places else ""


def voted_types(doc: Doc, names: list[SpanMention], cases: CaseCounts | None = None) -> None:
    """One string, one type: the type that has at least twice the votes of a mention's own, if nothing settles it.

    A bare word after a full name that ends with it is that person, however often the model calls it a place.
    """
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    settled: dict[str, set[str]] = defaultdict(set)
    introduced: dict[str, int] = {}
    company_openings = set()
    texts = [text_of(doc, name) for name in names]
    for name, text in zip(names, texts, strict=True):
        votes[text][name.type] += 2 if name.certain else 1
        if name.certain:
            settled[text].add(name.type)
        if name.type == "person" and (surname := surname_of(doc, name)):
            votes[surname]["person"] += 1
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
        contradicted = settled[text] - {"person"} or text in STATES | COUNTRIES | company_openings
        if introduced.get(text, name.start) < name.start and not contradicted:
            name.type = "person"
        elif count >= 2 * votes[text][name.type]:
            name.type = best


# Names that the model missed


def missed_names(doc: Doc, names: list[SpanMention], taken: set[int]) -> list[SpanMention]:
    """New mentions, outside `taken`, which it updates."""
    works = {i for e in doc.ents for i in range(e.start, e.end) if len(e) > 1 and e.label_ in WORKS} - taken
    found = [*_bracketed_acronyms(doc, names, taken), *_titled(doc, taken | works)]
    taken.update(i for n in found for i in range(n.start, n.end))
    found += _first_and_last(doc, taken | works)
    taken.update(i for n in found for i in range(n.start, n.end))
    return [*found, *_repeated(doc, [*names, *found], taken, works)]


def _bracketed_acronyms(doc: Doc, names: Iterable[SpanMention], taken: Set[int]) -> Iterator[SpanMention]:
    """ "National Cycling Association (NCA)": a definition, whatever the model makes of the letters."""
    for name in names:
        i = name.end
        if name.type != "organisation" or i + 2 >= len(doc) or doc[i].text != "(" or doc[i + 2].text != ")":
            continue
        letters = doc[i + 1].text
        fits = letters.isupper() and 2 <= len(letters) <= LONGEST_ACRONYM and letters[0] == doc[name.start].text[0]
        if fits and i + 1 not in taken:
            yield SpanMention(i + 1, i + 2, "organisation", certain=True)


def _titled(doc: Doc, taken: Set[int]) -> Iterator[SpanMention]:
    """ "Mr." and the capitalised words after it; after a title of several people, all of their names."""
    titles = pack(doc.lang_).titles
    for i in range(len(doc) - 1):
        title = fold(doc[i].text)
        if title not in titles.introducing or not doc[i].text[:1].isupper() or i in taken:
            continue
        start = after(doc, i + 1 + (doc[i + 1].text == "."))
        while start is not None:
            end = start
            while end < len(doc) and end - start < LONGEST_TITLED and stands_outside_mentions(doc, end, taken):
                end += 1
            if end > start:
                yield SpanMention(start, end, "person", certain=True)
            start = _next_of_several(doc, start, taken) if title in titles.plural else None


def _next_of_several(doc: Doc, start: int, taken: Set[int]) -> int | None:
    """The start of the next name of a list: after a comma or "and"."""
    end = start
    while end < len(doc) and (end in taken or is_capitalised(doc, end) or is_particle(doc, end)):
        end += 1
    joints = pack(doc.lang_).function_words.and_ | {","}
    following = after(doc, end + 1) if start < end < len(doc) and doc[end].lower_ in joints else None
    return following if following is not None and doc[following].text[:1].isupper() else None


def _first_and_last(doc: Doc, taken: Set[int]) -> list[SpanMention]:
    """ "J. Kelly", "Pete Sampras", "George H. W. Bush": what the model leaves out in lists and datelines."""
    found = []
    language = pack(doc.lang_)
    known = language.name_words
    for i in range(len(doc) - 1):
        word = doc[i].text
        is_initial = _is_initial(word)
        if i in taken or not (is_initial or (word.istitle() and is_first_name(word, doc.lang_))):
            continue
        last = i + 1
        while last < len(doc) - 1 and (is_particle(doc, last) or _is_initial(doc[last].text)):
            last += 1
        surname = doc[last].text
        lone = i == 0 or not (doc[i - 1].text[:1].isupper() and doc[i - 1].pos_ == "PROPN")
        fits = surname[:1].isupper() and surname[1:].islower() and len(surname) > 2
        fits = fits and surname not in known.not_surnames and not _kind_of_head(fold(surname), known)
        fits = fits and stands_outside_mentions(doc, last, taken) and (is_initial or is_capitalised(doc, i))
        titled = any(is_title(each, doc.lang_) for each in (word, surname)) or word in language.titles.not_first_names
        ends_there = last + 1 >= len(doc) or not stands_outside_mentions(doc, last + 1, taken)
        if fits and lone and ends_there and not titled:
            found.append(SpanMention(i, last + 1, "person"))
    return found


def _is_initial(word: str) -> bool:
    return len(word) == 2 and word[1] == "." and word[0].isupper()


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


def _repeated(doc: Doc, names: list[SpanMention], taken: set[int], works: Set[int]) -> Iterator[SpanMention]:
    known = _known_names(doc, names)
    for token in doc:
        if token.i in taken or token.i in works:
            continue
        for words, type_ in known.get(token.text, ()):
            end = _match_end(doc, token.i, words)
            if end is None or not taken.isdisjoint(range(token.i, end)):
                continue
            repeat = _accepted(doc, SpanMention(token.i, end, type_), taken)
            if repeat is not None:
                taken.update(range(repeat.start, repeat.end))
                yield repeat
                break


def _match_end(doc: Doc, start: int, words: Iterable[str]) -> int | None:
    i = start
    for word in words:
        while i < len(doc) and i > start and doc[i].is_space and doc[i].text.count("\n") <= 1:
            i += 1
        if i >= len(doc) or doc[i].text != word:
            return None
        i += 1
    return i


def _accepted(doc: Doc, repeat: SpanMention, taken: Set[int]) -> SpanMention | None:
    first = doc[repeat.start]
    single = repeat.end - repeat.start == 1
    if single and (first.pos_ != "PROPN" if first.is_sent_start or not first.text[:1].isupper() else first.is_stop):
        return None
    if repeat.end < len(doc) and doc[repeat.end].text == "-" and not doc[repeat.end - 1].whitespace_:
        return None
    following = after(doc, repeat.end)
    if following is not None and doc[following].text[:1].isupper():
        word = fold(doc[following].text)
        goes_on = word not in SUFFIXES and following == repeat.end and stands_outside_mentions(doc, following, taken)
        if goes_on or _kind_of_head(word, pack(doc.lang_).name_words):
            return None
    previous = before(doc, repeat.start)
    if previous is None or not stands_outside_mentions(doc, previous, taken) or is_title(doc[previous].text, doc.lang_):
        return repeat
    if repeat.type == "person" and single and is_first_name(doc[previous].text, doc.lang_):
        return SpanMention(previous, repeat.end, "person")
    return None
