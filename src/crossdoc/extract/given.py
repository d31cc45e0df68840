"""Mentions that came with documents: their chains and profiles.

Names alone are chained by whether they agree, without a parse. If descriptions or pronouns are among them, the text is
parsed and the within-document resolver (`chains.py`) decides: "she" and "the actress" refer to a named person.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from crossdoc.extract import models
from crossdoc.extract.chains import build_chains
from crossdoc.extract.extractor import MASKED, Described, fullest, tables_of
from crossdoc.extract.mention_spans import SpanMention, find_nominals, find_pronouns
from crossdoc.extract.models import as_rules_read, is_long, without_runs
from crossdoc.lang import DEFAULT, pack
from crossdoc.model import Document, Documents, Mention, MentionKind, Mentions, Profile, Profiles
from crossdoc.names import TITLES, fold, others_agree, parse_person, persons_agree
from crossdoc.names.heads import is_description
from crossdoc.names.texts import ContactPolicy, window

if TYPE_CHECKING:
    from spacy.tokens import Doc

Chains = list[list[Mention]]


class GivenExtractor:
    """Makes profiles of the mentions that came with the documents.

    Mentions without a chain are chained by their names, or by the within-document resolver if some are not names.
    """

    def __init__(self, reach: int, contacts: ContactPolicy = MASKED, language_model: str | None = None) -> None:
        self.reach = reach
        self.contacts = contacts
        self.language_model = language_model

    def extract(self, documents: Documents) -> tuple[Mentions, Profiles]:
        return tables_of(self._profiles(documents))

    def _profiles(self, documents: Documents) -> Iterator[Described]:
        parsed = resolved(documents, self.language_model)
        for document in documents:
            chains = parsed.get(document.id)
            for chain in chains_by_name(document.mentions or (), document.language) if chains is None else chains:
                mentions = [replace(mention, chain=chain[0].id) for mention in chain]
                yield mentions, profile_of(document, chain, self.reach, self.contacts)


def profile_of(document: Document, chain: list[Mention], reach: int, contacts: ContactPolicy) -> Profile:
    """The profile of a chain: its fullest name, and the words around all its mentions."""
    named = [m for m in chain if m.kind == "name"] or chain
    entity_type = chain_type(chain)
    texts = (without_titles(m.text, document.language) if entity_type == "person" else m.text for m in named)
    name = " ".join(fullest(texts).split())
    context = contacts.clean(window(document.text, [(m.start, m.end) for m in chain], reach))
    return Profile(chain[0].id, document.id, name, entity_type, context, document.language)


@lru_cache(maxsize=50_000)
def without_titles(name: str, language: str | None) -> str:
    """A person's name without leading articles and titles of its language that are not general titles.

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


def chains_by_name(mentions: Iterable[Mention], language: str | None = None) -> Chains:
    """Chain mentions in text order, by the chain they came with, or else by whether their names agree."""
    chains: Chains = []
    by_chain: dict[str, list[Mention]] = {}
    for mention in sorted(mentions, key=lambda m: (m.start, m.end)):
        if mention.chain is not None:
            home = by_chain.get(mention.chain)
        else:
            home = next((c for c in reversed(chains) if c[0].chain is None and _agree(c, mention, language)), None)
        if home is None:
            home = []
            chains.append(home)
            if mention.chain is not None:
                by_chain[mention.chain] = home
        home.append(mention)
    return chains


def _agree(chain: list[Mention], mention: Mention, language: str | None) -> bool:
    own = chain_type(chain)
    entity_type = mention.type or own
    if own not in (None, entity_type):
        return False
    if entity_type == "person":
        name = parse_person(without_titles(mention.text, language))
        return all(persons_agree(parse_person(without_titles(m.text, language)), name) for m in chain)
    return any(others_agree(m.text, mention.text, entity_type) for m in chain)


def chain_type(chain: Iterable[Mention]) -> str | None:
    return next((mention.type for mention in chain if mention.type), None)


def resolved(documents: Iterable[Document], language_model: str | None = None) -> dict[str, Chains]:
    """Chains in text order by document, for documents that need the resolver; each mention is in one chain."""
    wanted = []
    for document in documents:
        known = [replace(mention, kind=kind_of(mention, document.language)) for mention in document.mentions or ()]
        is_open = len(known) > 1 and all(mention.chain is None for mention in known)
        readable = not is_long(document.text) and not models.lacks_model(document.language, language_model)
        if is_open and readable and any(mention.kind != "name" for mention in known):
            wanted.append(replace(document, mentions=tuple(known)))
    found: dict[str, Chains] = {}
    for model, rows in models.by_model(wanted, language_model).items():
        parses = models.parses(models.load(model), [without_runs(document.text) for document in rows])
        for document, doc in zip(rows, parses, strict=True):
            found[document.id] = _chained(document, doc)
    return found


def kind_of(mention: Mention, language: str | None) -> MentionKind:
    """The kind of a mention; for one that is given as a name, judged by how it is written.

    >>> said = [Mention(w, "d", 0, 1, w) for w in ("She", "the actress", "Tara Reid")]
    >>> [kind_of(mention, "en") for mention in said]
    ['pronoun', 'nominal', 'name']
    """
    if mention.kind != "name" or (language or DEFAULT) != DEFAULT:
        return mention.kind
    pronouns = pack(DEFAULT).pronouns.all
    if mention.text in pronouns or mention.text in {word.capitalize() for word in pronouns}:
        return "pronoun"
    return "nominal" if is_description(mention.text) else "name"


def _chained(document: Document, doc: Doc) -> Chains:
    given = document.mentions or ()
    places = [(mention, doc.char_span(mention.start, mention.end, alignment_mode="expand")) for mention in given]
    placed = [(m, SpanMention(at.start, at.end, m.type or "person", m.kind)) for m, at in places if at is not None]
    mention_of = {id(span): mention for mention, span in placed}
    built = build_chains(doc, [span for _, span in placed], unnamed=True)
    chains = [[mention_of[id(span)] for span in chain.mentions] for chain in built]
    chained = {mention.id for chain in chains for mention in chain}
    chains += [[mention] for mention in given if mention.id not in chained]
    return sorted(chains, key=lambda chain: (chain[0].start, chain[0].end))


def chain_entities(
    doc: Doc, entities: Sequence[tuple[int, int, str]], taken: Set[int]
) -> Iterator[tuple[int, int, str, MentionKind, int]]:
    """Chain the entities of a parse by the user's own spaCy pipeline, with its nominals and pronouns.

    Yields (start, end, type, kind, chain) in tokens; no nominal or pronoun is looked for where `taken` is.
    """
    doc = as_rules_read(doc)
    own = taken | {i for start, end, _ in entities for i in range(start, end)}
    found = [SpanMention(*entity) for entity in entities]
    found += [*find_nominals(doc, own), *find_pronouns(doc, own)]
    for number, chain in enumerate(build_chains(doc, found)):
        for mention in chain.mentions:
            yield mention.start, mention.end, chain.type, mention.kind, number
