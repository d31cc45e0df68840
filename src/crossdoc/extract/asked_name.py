"""One asked-for name, as in web people search: a profile per document, and other people in the same documents.

The others are found by rule alone: a known first name before a capitalised word. That is far quicker than parsing, and
all that learning without labels needs. First names are English (US Census); a collection with few of them gives few.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

from crossdoc.extract.extractor import MASKED, Described, Extractor, merged, tables_of
from crossdoc.model import Document, Documents, Mention, Mentions, Profile, Profiles
from crossdoc.names import TITLES, first_names, fold, others_agree, parse_person, persons_agree
from crossdoc.names.texts import ContactPolicy, Span, find_name, window

WITHOUT_NAME_CHARACTERS = 20_000
DESCRIBED_REACH = 1000
"""Characters on each side of the name's last word that are parsed."""
SHORTEST_SURNAME = 3
DOCUMENTS_AT_ONCE = 256
_CAPITALISED = r"[A-Z](?:\.|[a-z]*(?:['’]?[A-Z][a-z]+)?(?:-[A-Z][a-z]+)?\b)"
_RUN = re.compile(rf"\b{_CAPITALISED}(?:[ \n]{_CAPITALISED})+")
_TOKEN = re.compile(r"[^ \n]+")


class NameExtractor:
    """One profile a document for one name; its id is the document's.

    A document without the name gets a profile of its text, and is listed in `without_name`. With a `describer`
    the profile also has the attributes and relations of all that the document calls by the name.
    """

    def __init__(
        self,
        name: str,
        reach: int,
        entity_type: str | None = "person",
        describer: Extractor | None = None,
        contacts: ContactPolicy = MASKED,
    ) -> None:
        self.name = name
        self.reach = reach
        self.entity_type = entity_type
        self.describer = describer
        self.contacts = contacts
        self.without_name: list[str] = []

    def extract(self, documents: Documents) -> tuple[Mentions, Profiles]:
        return tables_of(self._profiles(documents))

    def _profiles(self, documents: Documents) -> Iterator[Described]:
        described = self._described(documents)
        for document in documents:
            id, text, spans = document.id, document.text, find_name(document.text, self.name)
            mentions = [Mention.at(id, *span, text[slice(*span)], self.entity_type, chain=id) for span in spans]
            if not spans:
                self.without_name.append(id)
            context = window(text, spans, self.reach) if spans else text[:WITHOUT_NAME_CHARACTERS]
            context, facts = self.contacts.clean(context), merged(described.get(id, ()))
            yield mentions, Profile(id, id, self.name, self.entity_type, context, document.language, *facts)

    def _described(self, documents: Documents) -> dict[str, list[Profile]]:
        """The profiles that go by the asked-for name in full, by document; only text near its last word is parsed."""
        if self.describer is None:
            return {}
        last_word = self.name.split()[-1]
        near = (
            Document(d.id, window(d.text, find_name(d.text, last_word), DESCRIBED_REACH), d.title, d.language, d.date)
            for d in documents
        )
        found: dict[str, list[Profile]] = defaultdict(list)
        for profile in self.describer.extract(Documents.of(near))[1]:
            if profile.type == self.entity_type and self._goes_by_name(profile.name):
                found[profile.document].append(profile)
        return found

    def _goes_by_name(self, name: str) -> bool:
        if self.entity_type != "person":
            return others_agree(name, self.name, self.entity_type)
        given, asked = parse_person(name), parse_person(self.name)
        return bool(given.first) >= bool(asked.first) and persons_agree(given, asked)


def full_names(text: str) -> dict[str, list[Span]]:
    """Find the positions of each full name (first and last word, as first written).

    >>> full_names("Mary Ann Poe met Bob K. Roe. Later Mary Poe left Paris.")
    {'Mary Poe': [(0, 12), (35, 43)], 'Bob Roe': [(17, 27)]}
    """
    found: dict[str, list[Span]] = defaultdict(list)
    for run in _RUN.finditer(text):
        tokens = list(_TOKEN.finditer(text, *run.span()))
        at = 0
        while at < len(tokens) - 1:
            last = _surname(tokens, at)
            if last is not None:
                found[f"{tokens[at][0]} {tokens[last][0]}"].append((tokens[at].start(), tokens[last].end()))
            at = (at if last is None else last) + 1
    return dict(found)


def _surname(tokens: list[re.Match[str]], first: int) -> int | None:
    """The token that is the surname, if a full name begins at `first`: after initials and further first names."""
    known = first_names()
    if tokens[first][0].lower() not in known:
        return None
    at = first + 1
    while at < len(tokens) - 1 and (tokens[at][0].endswith(".") or tokens[at][0].lower() in known):
        at += 1
    surname = tokens[at][0]
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
    wanted: dict[str, list[tuple[str, list[Span]]]] = defaultdict(list)
    for surname, names in where.items():
        if surname != avoided and len(names) == 1:
            for name, found in names.items():
                for id, spans in found.items():
                    wanted[id].append((name, spans))
    ids = sorted(wanted)
    for start in range(0, len(ids), DOCUMENTS_AT_ONCE):
        for document in fetch(ids[start : start + DOCUMENTS_AT_ONCE]):
            for name, spans in wanted[document.id]:
                context = contacts.clean(window(document.text, spans, reach))
                id = f"{document.id}:{spans[0][0]}:{spans[0][1]}"
                yield Profile(id, document.id, name, "person", context, document.language)
