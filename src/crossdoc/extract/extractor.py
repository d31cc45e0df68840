"""From documents to mentions and profiles: the extractor's protocol, and the two that come with crossdoc.

`NameExtractor` looks for one asked-for name, as in web people search; `GivenExtractor` takes the mentions that came
with the documents.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import Protocol

from crossdoc.contacts import ContactPolicy
from crossdoc.lang import DEFAULT, pack
from crossdoc.model import Document, Documents, Mention, Mentions, Profile, Profiles, Relation
from crossdoc.names import TITLES, fold, others_agree, parse_person, persons_agree
from crossdoc.windows import find_name, window

_WITHOUT_NAME_CHARACTERS = 20_000
_DESCRIBED_REACH = 1000
MASKED = ContactPolicy("off")
"""What extractors of names alone do with contact details, unless told to keep them: mask them."""


class Extractor(Protocol):
    """What turns documents into mentions and profiles; register yours under the entry point `crossdoc.extractors`.

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


class NameExtractor:
    """One profile a document for one name; its id is the document's.

    A document without the name gets a profile of its whole text, and is listed in `without_name`. With a `describer`
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
        mentions: list[Mention] = []
        profiles: list[Profile] = []
        described = self._described(documents)
        for document in documents:
            spans = find_name(document.text, self.name)
            mentions.extend(
                Mention(
                    f"{document.id}:{start}:{end}",
                    document.id,
                    start,
                    end,
                    " ".join(document.text[start:end].split()),
                    self.entity_type,
                    "name",
                    document.id,
                )
                for start, end in spans
            )
            if not spans:
                self.without_name.append(document.id)
            context = window(document.text, spans, self.reach) if spans else document.text[:_WITHOUT_NAME_CHARACTERS]
            context = self.contacts.clean(context)
            attributes, relations = merged(described.get(document.id, []))
            profiles.append(
                Profile(
                    document.id,
                    document.id,
                    self.name,
                    self.entity_type,
                    context,
                    document.language,
                    attributes,
                    relations,
                )
            )
        return Mentions.of(mentions), Profiles.of(profiles)

    def _described(self, documents: Documents) -> dict[str, list[Profile]]:
        """By document, the profiles that go by the asked-for name in full; only text near its last word is parsed."""
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
    """The attributes and relations of several profiles together, each value once."""
    attributes: dict[str, dict[str, None]] = {}
    relations: dict[Relation, None] = {}
    for profile in profiles:
        for key, values in profile.attributes.items():
            attributes.setdefault(key, {}).update(dict.fromkeys(values))
        relations.update(dict.fromkeys(profile.relations))
    return {key: list(values) for key, values in attributes.items()}, tuple(relations)


class GivenExtractor:
    """Profiles from the mentions that came with the documents; those without a chain are chained by their names, or by
    the within-document resolver where not all of them are names."""

    def __init__(self, reach: int, contacts: ContactPolicy = MASKED, language_model: str | None = None) -> None:
        self.reach = reach
        self.contacts = contacts
        self.language_model = language_model

    def extract(self, documents: Documents) -> tuple[Mentions, Profiles]:
        mentions: list[Mention] = []
        profiles: list[Profile] = []
        # A parser is loaded only where there is something to parse.
        from crossdoc.extract.given import resolved

        parsed = resolved(documents, self.language_model)
        for document in documents:
            chains = parsed.get(document.id)
            if chains is None:
                chains = chains_of_given(document.mentions or (), document.language)
            for chain in chains:
                profile = chain[0].id
                mentions.extend(
                    Mention(m.id, m.document, m.start, m.end, m.text, m.type, m.kind, profile) for m in chain
                )
                profiles.append(profile_of(document, chain, self.reach, self.contacts))
        return Mentions.of(mentions), Profiles.of(profiles)


def profile_of(document: Document, chain: list[Mention], reach: int, contacts: ContactPolicy) -> Profile:
    """A profile of a chain: its fullest name, and the words around all its mentions."""
    named = [m for m in chain if m.kind == "name"] or chain
    entity_type = next((m.type for m in chain if m.type), None)
    texts = (without_titles(m.text, document.language) if entity_type == "person" else m.text for m in named)
    name = " ".join(fullest(texts).split())
    context = contacts.clean(window(document.text, [(m.start, m.end) for m in chain], reach))
    return Profile(chain[0].id, document.id, name, entity_type, context, document.language)


@lru_cache(maxsize=50_000)
def without_titles(name: str, language: str | None) -> str:
    """A person's name without the titles and articles in front that its language has and names in general have not.

    >>> without_titles("Bundeskanzler Kohl", "de"), without_titles("le comte Orloff", "fr")
    ('Kohl', 'Orloff')
    >>> without_titles("Dr. Roe", "en")
    'Dr. Roe'
    """
    known = pack(language or DEFAULT)
    own = known.titles.male | known.titles.female | known.titles.neutral | known.titles.small | known.titles.also
    own -= known.titles.names_too | known.titles.before_first_names
    cut = {fold(title) for title in own} - TITLES | known.function_words.the
    words = name.split()
    while len(words) > 1 and fold(words[0]) in cut:
        del words[0]
    return " ".join(words)


def fullest(names: Iterable[str]) -> str:
    """The name of most words, of several the most frequent, the longest, the first.

    >>> fullest(["Smith", "John Smith", "Jack Smith"]), fullest(["Berlin", "Berlins", "Berlin"])
    ('John Smith', 'Berlin')
    """
    counts = Counter(names)
    return max(counts, key=lambda name: (len(name.split()), counts[name], len(name)))


def chains_of_given(mentions: Iterable[Mention], language: str | None = None) -> list[list[Mention]]:
    """Mentions in chains, in text order: by the chain they came with, or else by whether their names agree."""
    chains: list[list[Mention]] = []
    by_chain: dict[str, list[Mention]] = {}
    for mention in sorted(mentions, key=lambda m: (m.start, m.end)):
        if mention.chain is not None:
            if mention.chain not in by_chain:
                by_chain[mention.chain] = []
                chains.append(by_chain[mention.chain])
            by_chain[mention.chain].append(mention)
            continue
        home = next((c for c in reversed(chains) if c[0].chain is None and _agree(c, mention, language)), None)
        if home is None:
            chains.append([mention])
        else:
            home.append(mention)
    return chains


def _agree(chain: list[Mention], mention: Mention, language: str | None) -> bool:
    if chain[0].type != mention.type:
        return False
    if mention.type == "person":
        name = parse_person(without_titles(mention.text, language))
        return all(persons_agree(parse_person(without_titles(m.text, language)), name) for m in chain)
    return any(others_agree(m.text, mention.text, mention.type) for m in chain)
