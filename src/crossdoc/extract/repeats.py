"""Names that the model saw once and missed elsewhere in the document, and names that a title or bracket gives away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from crossdoc.extract.candidates import place_kind
from crossdoc.extract.gender import is_first_name
from crossdoc.extract.name_surroundings import (
    NameSpan,
    after,
    before,
    is_capitalised,
    is_particle,
    is_title,
    stands_outside_mentions,
    surname_of,
    text_of,
)
from crossdoc.lang import pack
from crossdoc.names import SUFFIXES, fold
from crossdoc.names.others import LONGEST_ACRONYM

if TYPE_CHECKING:
    from spacy.tokens import Doc

# A name inside the title of a work or the name of a product or event is not a mention of its bearer.
WHOLE_LABELS = frozenset({"WORK_OF_ART", "PRODUCT", "EVENT", "LAW", "LANGUAGE"})
SHORTEST_REPEAT = 3
LONGEST_TITLED = 3


def missed_names(doc: Doc, names: list[NameSpan], taken: set[int]) -> list[NameSpan]:
    """New mentions, outside `taken`, which it updates."""
    inside_others = {
        i for e in doc.ents for i in range(e.start, e.end) if len(e) > 1 and e.label_ in WHOLE_LABELS
    } - taken
    found = [*_bracketed_acronyms(doc, names, taken), *_titled(doc, taken | inside_others)]
    taken.update(i for n in found for i in range(n.start, n.end))
    found.extend(_first_and_last(doc, taken | inside_others))
    taken.update(i for n in found for i in range(n.start, n.end))
    return [*found, *_repeated(doc, [*names, *found], taken, inside_others)]


def _bracketed_acronyms(doc: Doc, names: Iterable[NameSpan], taken: set[int]) -> list[NameSpan]:
    """ "National Cycling Association (NCA)": a definition, whatever the model makes of the letters."""
    found = []
    for name in names:
        i = name.end
        if name.type != "organisation" or i + 2 >= len(doc) or doc[i].text != "(" or doc[i + 2].text != ")":
            continue
        letters = doc[i + 1].text
        fits = letters.isupper() and 2 <= len(letters) <= LONGEST_ACRONYM and letters[0] == doc[name.start].text[0]
        if fits and i + 1 not in taken:
            found.append(NameSpan(i + 1, i + 2, "organisation", certain=True))
    return found


def _titled(doc: Doc, taken: set[int]) -> list[NameSpan]:
    """ "Mr." and the capitalised words after it; after a title of several people, all of their names."""
    found = []
    titles = pack(doc.lang_).titles
    for i in range(len(doc) - 1):
        if doc[i].text[:1].isupper() and fold(doc[i].text) in titles.introducing and i not in taken:
            start = after(doc, i + 1 + (doc[i + 1].text == "."))
            while start is not None:
                end = start
                while end < len(doc) and end - start < LONGEST_TITLED and stands_outside_mentions(doc, end, taken):
                    end += 1
                if end > start:
                    found.append(NameSpan(start, end, "person", certain=True))
                start = _next_of_several(doc, start, taken) if fold(doc[i].text) in titles.plural else None
    return found


def _next_of_several(doc: Doc, start: int, taken: set[int]) -> int | None:
    """The start of the next name of a list: after a comma or "and"."""
    end = start
    while end < len(doc) and (end in taken or is_capitalised(doc, end) or is_particle(doc, end)):
        end += 1
    joints = pack(doc.lang_).function_words.and_ | {","}
    following = after(doc, end + 1) if start < end < len(doc) and doc[end].lower_ in joints else None
    return following if following is not None and doc[following].text[:1].isupper() else None


def _first_and_last(doc: Doc, taken: set[int]) -> list[NameSpan]:
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
        fits = (
            surname[:1].isupper() and surname[1:].islower() and len(surname) > 2 and surname not in known.not_surnames
        )
        titled = any(is_title(each, doc.lang_) for each in (word, surname)) or word in language.titles.not_first_names
        fits = fits and not titled and fold(surname) not in known.organisations | known.places
        fits = fits and (is_initial or is_capitalised(doc, i))
        ends_there = last + 1 >= len(doc) or not stands_outside_mentions(doc, last + 1, taken)
        if lone and fits and ends_there and stands_outside_mentions(doc, last, taken):
            found.append(NameSpan(i, last + 1, "person"))
    return found


def _is_initial(word: str) -> bool:
    return len(word) == 2 and word[1] == "." and word[0].isupper()


def _known_names(doc: Doc, names: Iterable[NameSpan]) -> dict[str, list[tuple[tuple[str, ...], str]]]:
    """Names of the document by their first word, longest first; a string of two types has the first one's.

    A single word that the model misses more often than it finds it is its error ("Olympic"), not a name.
    """
    known: dict[tuple[str, ...], str] = {}
    texts = Counter(text_of(doc, name) for name in names)
    words_of_doc = Counter(token.text for token in doc)
    for name in names:
        text = text_of(doc, name)
        if " " in text or 2 * texts[text] >= words_of_doc[text]:
            known.setdefault(tuple(text.split()), name.type)
    for name in names:
        if name.type == "person" and (surname := surname_of(doc, name)):
            known.setdefault((surname,), "person")
    for word in _parts_of_organisations(doc, names, words_of_doc):
        known.setdefault((word,), "organisation")
    by_first: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for words, type_ in sorted(known.items(), key=lambda item: -len(item[0])):
        if len("".join(words)) >= SHORTEST_REPEAT and words[0][:1].isupper():
            by_first.setdefault(words[0], []).append((words, type_))
    return by_first


def _parts_of_organisations(doc: Doc, names: Iterable[NameSpan], words_of_doc: Counter[str]) -> Iterator[str]:
    """ "Comets" of the Springfield Comets: last words of organisations' names that say nothing else in the document."""
    known = pack(doc.lang_).name_words
    for name in names:
        words = text_of(doc, name).split()
        if name.type != "organisation" or len(words) < 2:
            continue
        word = words[-1]
        telling = word.istitle() and len(word) > SHORTEST_REPEAT and word.lower() not in words_of_doc
        common = (
            fold(word) in known.organisations | known.places or bool(place_kind(word)) or is_first_name(word, doc.lang_)
        )
        if telling and not common:
            yield word


def _repeated(doc: Doc, names: list[NameSpan], taken: set[int], inside_others: set[int]) -> list[NameSpan]:
    known = _known_names(doc, names)
    found = []
    for token in doc:
        if token.i in taken or token.i in inside_others or token.text not in known:
            continue
        for words, type_ in known[token.text]:
            end = _match_end(doc, token.i, words)
            if end is None or not taken.isdisjoint(range(token.i, end)):
                continue
            repeat = _accepted(doc, NameSpan(token.i, end, type_), taken)
            if repeat is not None:
                found.append(repeat)
                taken.update(range(repeat.start, repeat.end))
                break
    return found


def _match_end(doc: Doc, start: int, words: tuple[str, ...]) -> int | None:
    i = start
    for word in words:
        while i < len(doc) and i > start and doc[i].is_space and doc[i].text.count("\n") <= 1:
            i += 1
        if i >= len(doc) or doc[i].text != word:
            return None
        i += 1
    return i


def _accepted(doc: Doc, repeat: NameSpan, taken: set[int]) -> NameSpan | None:
    first = doc[repeat.start]
    single = repeat.end - repeat.start == 1
    if single and (first.pos_ != "PROPN" if first.is_sent_start or not first.text[:1].isupper() else first.is_stop):
        return None
    if repeat.end < len(doc) and doc[repeat.end].text == "-" and not doc[repeat.end - 1].whitespace_:
        return None
    known = pack(doc.lang_).name_words
    following = after(doc, repeat.end)
    if following is not None and doc[following].text[:1].isupper():
        word = fold(doc[following].text)
        if word in known.organisations | known.places:
            return None
        if word not in SUFFIXES and following == repeat.end and stands_outside_mentions(doc, following, taken):
            return None
    previous = before(doc, repeat.start)
    if (
        previous is None
        or previous in taken
        or not is_capitalised(doc, previous)
        or is_title(doc[previous].text, doc.lang_)
    ):
        return repeat
    if repeat.type == "person" and single and is_first_name(doc[previous].text, doc.lang_):
        return NameSpan(previous, repeat.end, "person")
    return None
