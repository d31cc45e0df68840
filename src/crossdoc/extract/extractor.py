"""The protocol of extractors, the extractor of one name, and what all extractors share.

`NameExtractor` looks for one asked-for name, as in web people search. `given.py` handles mentions that came with the
documents, `text_extractor.py` plain text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Protocol

import pyarrow as pa

from crossdoc.model import Document, Documents, Mention, MentionKind, Mentions, Profile, Profiles, Relation
from crossdoc.names import others_agree, parse_person, persons_agree
from crossdoc.names.texts import ContactPolicy, find_name, window

_WITHOUT_NAME_CHARACTERS = 20_000
_DESCRIBED_REACH = 1000
MASKED = ContactPolicy("off")
"""The default of extractors that need no salt: contact details are masked."""
PROFILES_AT_ONCE = 500
"""Profiles. Batch that is converted to Arrow at once: contexts take more memory as Python strings."""

Described = tuple[list[Mention], Profile]
"""The mentions of one entity in a document, and its profile."""


class Extractor(Protocol):
    """Turns documents into mentions and profiles; register yours under the entry point `crossdoc.extractors`.

    Its one method is `extract(documents)`, called with a batch of documents at a time. A mention's `chain` is the id of
    its profile. docs/extending/extractor.md has a complete example.

    Examples
    --------
    >>> class Nobody:
    ...     def extract(self, documents):
    ...         return Mentions.of([]), Profiles.of([])
    >>> Nobody().extract([])
    (<Mentions: 0>, <Profiles: 0>)
    """

    def extract(self, documents: Documents) -> tuple[Mentions, Profiles]: ...


def tables_of(described: Iterable[Described]) -> tuple[Mentions, Profiles]:
    """Mentions and profiles as tables, converted while they are made, so that few exist as Python objects."""
    rows, parts = iter(described), []
    while batch := list(islice(rows, PROFILES_AT_ONCE)):
        mentions = Mentions.of(mention for own, _ in batch for mention in own)
        parts.append((mentions, Profiles.of(profile for _, profile in batch)))
    return concatenated(parts)


def concatenated(parts: Sequence[tuple[Mentions, Profiles]]) -> tuple[Mentions, Profiles]:
    empty = Mentions.schema.empty_table(), Profiles.schema.empty_table()
    return (
        Mentions(pa.concat_tables([empty[0], *(mentions.arrow for mentions, _ in parts)])),
        Profiles(pa.concat_tables([empty[1], *(profiles.arrow for _, profiles in parts)])),
    )


def mention_of(
    document: Document, start: int, end: int, type: str | None, kind: MentionKind = "name", text: str | None = None
) -> Mention:
    """A mention at characters `start` … `end` − 1 of a document, its text on one line."""
    said = document.text[start:end] if text is None else text
    return Mention(f"{document.id}:{start}:{end}", document.id, start, end, " ".join(said.split()), type, kind)


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
            spans = find_name(document.text, self.name)
            mentions = [replace(mention_of(document, *span, self.entity_type), chain=document.id) for span in spans]
            if not spans:
                self.without_name.append(document.id)
            context = window(document.text, spans, self.reach) if spans else document.text[:_WITHOUT_NAME_CHARACTERS]
            yield (
                mentions,
                Profile(
                    document.id,
                    document.id,
                    self.name,
                    self.entity_type,
                    self.contacts.clean(context),
                    document.language,
                    *merged(described.get(document.id, [])),
                ),
            )

    def _described(self, documents: Documents) -> dict[str, list[Profile]]:
        """The profiles that go by the asked-for name in full, by document; only text near its last word is parsed."""
        last_word = self.name.split()[-1]
        if self.describer is None:
            return {}
        near = (
            Document(d.id, window(d.text, find_name(d.text, last_word), _DESCRIBED_REACH), d.title, d.language, d.date)
            for d in documents
        )
        found: dict[str, list[Profile]] = {}
        for profile in self.describer.extract(Documents.of(near))[1]:
            if profile.type == self.entity_type and self._goes_by_name(profile.name):
                found.setdefault(profile.document, []).append(profile)
        return found

    def _goes_by_name(self, name: str) -> bool:
        if self.entity_type != "person":
            return others_agree(name, self.name, self.entity_type)
        given, asked = parse_person(name), parse_person(self.name)
        return bool(given.first) >= bool(asked.first) and persons_agree(given, asked)


def merged(profiles: Iterable[Profile]) -> tuple[dict[str, list[str]], tuple[Relation, ...]]:
    """Merge the attributes and relations of several profiles, each value once."""
    attributes: dict[str, dict[str, None]] = {}
    relations: dict[Relation, None] = {}
    for profile in profiles:
        for key, values in profile.attributes.items():
            attributes.setdefault(key, {}).update(dict.fromkeys(values))
        relations.update(dict.fromkeys(profile.relations))
    return {key: list(values) for key, values in attributes.items()}, tuple(relations)


def fullest(names: Iterable[str]) -> str:
    """The name with most words; ties go to the most frequent, the longest, the first.

    >>> fullest(["Smith", "John Smith", "Jack Smith"]), fullest(["Berlin", "Berlins", "Berlin"])
    ('John Smith', 'Berlin')
    """
    counts = Counter(names)
    return max(counts, key=lambda name: (len(name.split()), counts[name], len(name)))
