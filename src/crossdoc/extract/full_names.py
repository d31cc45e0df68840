"""Full names of people found by rule alone: a known first name before a capitalised word.

Far quicker than parsing, and all that learning without labels needs: other people in the documents of one asked-for
name. English (US Census) first names; a collection with few of them gives few profiles.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from crossdoc.extract.gender import first_names
from crossdoc.model import Document, Documents, Profile
from crossdoc.names import TITLES, fold, parse_person
from crossdoc.names.texts import ContactPolicy, Span, window

_CAPITALISED = r"[A-Z](?:\.|[a-z]*(?:['’]?[A-Z][a-z]+)?(?:-[A-Z][a-z]+)?\b)"
_RUN = re.compile(rf"\b{_CAPITALISED}(?:[ \n]{_CAPITALISED})+")
_TOKEN = re.compile(r"[^ \n]+")
SHORTEST_SURNAME = 3
DOCUMENTS_AT_ONCE = 256


def full_names(text: str) -> dict[str, list[Span]]:
    """Find the positions of each full name (first and last word, as first written).

    >>> full_names("Mary Ann Poe met Bob K. Roe. Later Mary Poe left Paris.")
    {'Mary Poe': [(0, 12), (35, 43)], 'Bob Roe': [(17, 27)]}
    """
    found: dict[str, list[Span]] = {}
    for run in _RUN.finditer(text):
        tokens = list(_TOKEN.finditer(text, *run.span()))
        at = 0
        while at < len(tokens) - 1:
            last = _surname(tokens, at)
            if last is None:
                at += 1
                continue
            name = f"{tokens[at].group()} {tokens[last].group()}"
            found.setdefault(name, []).append((tokens[at].start(), tokens[last].end()))
            at = last + 1
    return found


def _surname(tokens: list[re.Match[str]], first: int) -> int | None:
    """The token that is the surname, if a full name begins at `first`: after initials and further first names."""
    known = first_names()
    if tokens[first].group().lower() not in known:
        return None
    at = first + 1
    while at < len(tokens) - 1 and (tokens[at].group().endswith(".") or tokens[at].group().lower() in known):
        at += 1
    surname = tokens[at].group()
    fits = len(surname) >= SHORTEST_SURNAME and not surname.endswith(".") and fold(surname) not in TITLES
    return at if fits else None


def other_people(
    documents: Iterable[Document],
    fetch: Callable[[list[str]], Documents],
    asked: str,
    reach: int,
    contacts: ContactPolicy,
) -> Iterator[Profile]:
    """A profile a document for each full name, those with the asked-for surname left out.

    Names of one document count too: documents that share a name have more in common than others. Two passes: `fetch`
    gives the documents once more. A surname that occurs with several first names is left out: one of them may be a
    nickname or a relative's.
    """
    avoided = parse_person(asked).last
    where: dict[str, dict[str, dict[str, list[Span]]]] = {}
    for document in documents:
        for name, spans in full_names(document.text).items():
            where.setdefault(parse_person(name).last, {}).setdefault(name, {})[document.id] = spans
    wanted: dict[str, list[tuple[str, list[Span]]]] = {}
    for surname, names in where.items():
        name, found = next(iter(names.items()))
        if surname != avoided and len(names) == 1:
            for id, spans in found.items():
                wanted.setdefault(id, []).append((name, spans))
    ids = sorted(wanted)
    for start in range(0, len(ids), DOCUMENTS_AT_ONCE):
        for document in fetch(ids[start : start + DOCUMENTS_AT_ONCE]):
            for name, spans in wanted[document.id]:
                context = contacts.clean(window(document.text, spans, reach))
                id = f"{document.id}:{spans[0][0]}:{spans[0][1]}"
                yield Profile(id, document.id, name, "person", context, document.language)
