"""Text → mentions, chains and profiles, with spaCy; the extractor that `crossdoc resolve` uses by default."""

from __future__ import annotations

import html
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING

from crossdoc.engine import LocalEngine
from crossdoc.extract import models
from crossdoc.extract.attributes import attributes, most_telling
from crossdoc.extract.chains import build_chains
from crossdoc.extract.descriptions import descriptions
from crossdoc.extract.extractor import Described, concatenated, fullest, merged, tables_of
from crossdoc.extract.given import GivenExtractor
from crossdoc.extract.mention_spans import Chain
from crossdoc.extract.mentions import TYPE_OF_LABEL, find_mentions
from crossdoc.extract.models import is_long, pieces, without_runs
from crossdoc.extract.relations import relations
from crossdoc.extract.truecase import CaseCounts, truecased
from crossdoc.lang import DEFAULT, pack
from crossdoc.model import Document, Documents, Mention, Mentions, Profile, Profiles
from crossdoc.names import agreeing_names, fold, parse_person
from crossdoc.names.texts import ContactPolicy, find_contacts, window
from crossdoc.progress import Progress, Quiet

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,300}>|\[\d{1,3}(?:;\d{1,3})*m")
_ESCAPE = re.compile(r"&(?:[a-zA-Z]{2,8}|#\d{1,6}|#x[\da-fA-F]{1,6});")
Key = tuple[str | None, str]
Part = tuple[int, int, str]
"""The number of a document, where a piece of its text begins, and the piece."""
PARALLEL_FROM = 64
"""Documents from which starting further processes pays."""


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a reading process."""

    types: tuple[str, ...]
    reach: int
    language_model: str | None
    contacts: ContactPolicy


class TextExtractor:
    """Finds mentions, chains them within each document, and describes each chain as a profile.

    Documents that came with mentions keep those. `languages` counts the others by their language; those of unknown
    language are taken for the commonest so far, and counted in `taken_for`.
    """

    def __init__(self, options: Options, processes: int = 0) -> None:
        self.options = options
        self.processes = processes or os.cpu_count() or 1
        self.languages: Counter[str] = Counter()
        self.taken_for: Counter[str] = Counter()
        self.cases: CaseCounts | None = None
        self.reads_long = False
        self.progress: Progress = Quiet()
        """Receives the progress of reading long documents, as a stage of its own, in characters."""
        self._given = GivenExtractor(options.reach, options.contacts, options.language_model)

    def learn(self, texts: Iterable[list[str]]) -> CaseCounts:
        """Count how the collection writes its words and which names have cues of people next to them.

        Headlines in capitals are then read as other lines are, and types of names are the collection's.
        """
        self.cases = CaseCounts()
        for batch in texts:
            self.cases.update(batch)
        return self.cases

    def extract(self, documents: Documents) -> tuple[Mentions, Profiles]:
        rows = list(documents)
        given = Documents.of(document for document in rows if document.mentions is not None)
        raw = self._in_languages([document for document in rows if document.mentions is None])
        self.reads_long |= any(is_long(document.text) for document in raw)
        self._learn_missing(raw)
        return concatenated([*([self._given.extract(given)] if len(given) else []), *self._read(raw)])

    def _learn_missing(self, documents: Sequence[Document]) -> None:
        """Learn names from these documents, if their language has no tagger and the collection was not counted."""
        counted = set(self.cases.learners) if self.cases else set()
        for document in documents:
            code = document.language or DEFAULT
            if code not in counted and models.lacks_model(code, self.options.language_model):
                self.cases = self.cases or CaseCounts()
                self.cases.learn_names(document.text, code)

    def _in_languages(self, documents: Sequence[Document]) -> list[Document]:
        """Each with a language: its own, or the collection's main one."""
        self.languages.update(document.language for document in documents if document.language)
        main = max(self.languages, key=lambda code: self.languages[code], default=DEFAULT)
        unknown = sum(not document.language for document in documents)
        self.languages[main] += unknown
        self.taken_for[main] += unknown
        return [document if document.language else replace(document, language=main) for document in documents]

    def finish(self) -> None:
        """Free the models after long texts, whose comparison needs the memory; loading takes two seconds."""
        if self.reads_long:
            models.release()

    @property
    def models(self) -> list[str]:
        """The models that have read documents, with their versions."""
        read = {models.model_for(code, self.options.language_model) for code, count in self.languages.items() if count}
        return sorted(map(models.with_version, read))

    @property
    def notes(self) -> list[str]:
        """Notes about documents that could not be read in their language."""
        notes = [
            f"{count:,} documents of unknown language (not given, and too short or unusual to identify) "
            f"were read as {code!r}, the main language of the collection"
            for code, count in sorted(self.taken_for.items())
            if count
        ]
        if self.options.language_model is not None:
            return notes
        for code, count in sorted(self.languages.items()):
            if count and models.lacks_model(code):
                notes.append(_without_model(code, count))
            elif count and (missing := [part for part in pack(code).missing if part != "models"]):
                lacks = ", ".join(missing).replace("_", " ")
                notes.append(f"{count:,} documents in language {code!r} were read without: {lacks}")
        return notes

    def _read(self, documents: Sequence[Document]) -> Iterable[tuple[Mentions, Profiles]]:
        if self.processes == 1 or len(documents) < PARALLEL_FROM:
            return [read_texts(documents, self.options, self.cases, self.progress)] if documents else []
        size = max(1, min(32, len(documents) // (2 * self.processes)))
        # Each is for one model, or every process would load every model: the French one takes four seconds.
        shares = [
            rows[start : start + size]
            for _, rows in sorted(models.by_model(documents, self.options.language_model).items())
            for start in range(0, len(rows), size)
        ]
        with LocalEngine(self.processes) as engine:
            return [engine.get(ref) for ref in engine.map(read_texts, shares, self.options, self.cases, apart=True)]


def _without_model(code: str, count: int) -> str:
    remedy = models.how_to_install(code)
    return (
        f"{count:,} documents in language {code!r} were read without a language model: names of people and places were "
        "learned from these documents, and some of them are missed or no names; organisations, pronouns and what is "
        "said about people were not read; "
        + (f"for a better answer: {remedy}" if remedy else "no model for that language is known on PyPI")
    )


def tag_names(doc: Doc, names: Iterable[tuple[int, int, str]]) -> None:
    """Enter names that were learned as the entities of a document, as a tagger would."""
    from spacy.tokens import Span

    labels = {type_: label for label, type_ in reversed(TYPE_OF_LABEL.items())}
    found = []
    for start, end, type_ in names:
        found.append(Span(doc, start, end, label=labels[type_]))
        for token in doc[start:end]:
            token.pos_ = "PROPN"
    doc.ents = found


def read_texts(
    documents: Sequence[Document], options: Options, cases: CaseCounts | None = None, progress: Progress | None = None
) -> tuple[Mentions, Profiles]:
    """Read some documents in this process; `cases` are the counts of their collection."""
    return tables_of(
        described
        for model, own in models.by_model(documents, options.language_model).items()
        for document, read in zip(
            own, _read_all(models.load(model), own, options, cases, progress or Quiet()), strict=True
        )
        for described in join_pieces(document, read, options.reach, options.contacts)
    )


def _read_all(
    nlp: Language,
    documents: Sequence[Document],
    options: Options,
    cases: CaseCounts | None,
    progress: Progress,
) -> list[list[list[Described]]]:
    """The profiles of each piece of each document, without their contexts.

    Pieces of a long document are read one at a time, since memory grows with the amount of text that is parsed at once.
    """
    found: list[list[list[Described]]] = [[] for _ in documents]
    parts = [(at, *piece) for at, document in enumerate(documents) for piece in pieces(document.text)]
    short = [part for part in parts if not is_long(documents[part[0]].text)]
    long = [[part] for part in parts if is_long(documents[part[0]].text)]
    if long:
        progress.start("reading long documents: characters", sum(len(piece) for ((*_, piece),) in long))
    for batch in (short, *long):
        for at, described in _read_pieces(nlp, documents, batch, options, cases) if batch else ():
            found[at].append(described)
        if batch is not short:
            progress.advance(len(batch[0][2]))
    return found


def _read_pieces(
    nlp: Language, documents: Sequence[Document], parts: Sequence[Part], options: Options, cases: CaseCounts | None
) -> Iterator[tuple[int, list[Described]]]:
    """The profiles of each piece, as plain Python objects: no part of a parse is kept."""
    capitals = pack(nlp.lang).name_words.always_capitals
    plain = [without_runs(without_markup(piece)) for *_, piece in parts]
    docs = models.parses(nlp, (truecased(text, cases, capitals) if cases else text for text in plain))
    for (at, start, _), text, doc in zip(parts, plain, docs, strict=True):
        learner = cases.learners.get(documents[at].language or "") if cases and "ner" not in nlp.pipe_names else None
        if learner is not None:
            tag_names(doc, learner.names(doc))
        yield at, list(_profiles(documents[at], doc, text, start, options, cases))
        # A long text is parsed in pieces: the parse of one must be gone when the next is made.
        del doc


def without_markup(text: str) -> str:
    """The text with tags and escapes blanked out, every other character where it was.

    >>> without_markup("<b>Mary Jones</b>&#39;s car")
    "   Mary Jones        's car"
    """
    if "<" not in text and "&" not in text and "[" not in text:
        return text
    text = _TAG.sub(lambda match: " " * len(match[0]), text)
    return _ESCAPE.sub(lambda match: html.unescape(match[0])[:1].rjust(len(match[0])), text)


def _profiles(
    document: Document, doc: Doc, text: str, offset: int, options: Options, cases: CaseCounts | None
) -> Iterator[Described]:
    chains = build_chains(doc, find_mentions(doc, cases=cases), title=document.title or "")
    chains = [chain for chain in chains if any(mention.kind == "name" for mention in chain.mentions)]
    located = [_located(document, doc, text, chain, offset) for chain in chains]
    ids = [mentions[0].id for mentions in located]
    contacts = find_contacts(doc.text, options.contacts.country_prefix)
    described = descriptions(doc)
    related = relations(doc, chains, ids, described, () if options.contacts.details == "keep" else contacts)
    for chain, mentions, links in zip(chains, located, related, strict=True):
        if chain.type not in options.types:
            continue
        stated = attributes(doc, chain, options.contacts, described, contacts, _day(document))
        name = " ".join(chain.name.split())
        profile = Profile(mentions[0].id, document.id, name, chain.type, "", document.language, stated, tuple(links))
        yield mentions, profile


def _day(document: Document) -> date | None:
    """The document's date where it is known to the day, for "on Sunday" and the like."""
    try:
        return date.fromisoformat((document.date or "")[:10])
    except ValueError:
        return None


def _located(document: Document, doc: Doc, plain: str, chain: Chain, offset: int) -> list[Mention]:
    """The chain's mentions in characters of the document, in its letters."""
    located = []
    for mention in chain.mentions:
        start, end = mention.span(doc).start_char, mention.span(doc).end_char
        place = offset + start, offset + end
        located.append(Mention.at(document.id, *place, plain[start:end], chain.type, mention.kind))
    return located


# Profiles of several pieces: two are one if they have the same name, or else names that agree, and neither could as
# well be one with another profile. Two that chaining kept apart in a piece stay apart.


def join_pieces(
    document: Document, read: Sequence[Sequence[Described]], reach: int, contacts: ContactPolicy
) -> Iterator[Described]:
    """The profiles of a document, from those of its pieces; a relation to what is no profile keeps the name alone."""
    if len(read) == 1:
        entities = [[described] for described in read[0]]
    else:
        joining = _Joining(profile for piece in read for _, profile in piece)
        for piece in read:
            joining.add(piece)
        entities = joining.entities
    renamed = {profile.id: own[0][1].id for own in entities for _, profile in own}
    return (_one(document, own, renamed, reach, contacts) for own in entities)


class _Joining:
    """The entities of the pieces so far, each with at most one profile of a piece."""

    def __init__(self, profiles: Iterable[Profile]) -> None:
        self.entities: list[list[Described]] = []
        self.by_key: dict[Key, set[int]] = defaultdict(set)
        self.by_name: dict[Key, set[int]] = defaultdict(set)
        self.agreeing = _agreeing(profiles)

    def add(self, piece: Sequence[Described]) -> None:
        for described, home in zip(piece, self._homes([profile for _, profile in piece]), strict=True):
            number = len(self.entities) if home is None else home
            if home is None:
                self.entities.append([])
            self.entities[number].append(described)
            self.by_key[_key(described[1])].add(number)
            self.by_name[described[1].type, described[1].name].add(number)

    def _homes(self, profiles: Sequence[Profile]) -> list[int | None]:
        """The entity that each profile of a piece belongs to, by its very name before any that agrees with it."""
        homes: list[int | None] = [None] * len(profiles)
        for find in (self._namesakes, self._possible):
            offers = {row: find(profiles[row]) for row, home in enumerate(homes) if home is None}
            wanted = Counter(number for found in offers.values() for number in found)
            taken = set(homes)
            for row, found in offers.items():
                if len(found) == 1 and wanted[found[0]] == 1 and found[0] not in taken:
                    homes[row] = found[0]
        return homes

    def _namesakes(self, profile: Profile) -> list[int]:
        return [n for n in self.by_key.get(_key(profile), ()) if self._may_be(profile, n)]

    def _possible(self, profile: Profile) -> list[int]:
        names = self.agreeing[profile.type, profile.name]
        near = {number for name in names for number in self.by_name.get((profile.type, name), ())}
        return [n for n in near if self._may_be(profile, n) and all(p.name in names for _, p in self.entities[n])]

    def _may_be(self, profile: Profile, number: int) -> bool:
        """Whether neither gender nor generation tells a profile from an entity; a missing "Jr." is another's name."""
        own = [other for _, other in self.entities[number]]
        genders = {gender for p in (profile, *own) for gender in p.attributes.get("gender", ())}
        return len(genders) < 2 and {_generation(p) for p in own} == {_generation(profile)}


def _key(profile: Profile) -> Key:
    """Type and name, with its suffix."""
    return profile.type, fold(profile.name)


def _generation(profile: Profile) -> str:
    return parse_person(profile.name).generation if profile.type == "person" else ""


def _agreeing(profiles: Iterable[Profile]) -> dict[Key, set[str]]:
    """By type and name, the names of that type that agree with it."""
    distinct = dict.fromkeys((profile.type, profile.name) for profile in profiles)
    found: dict[Key, set[str]] = defaultdict(set)
    for type in dict.fromkeys(type for type, _ in distinct):
        own = [name for other, name in distinct if other == type]
        for code in agreeing_names(own, type).tolist():
            found[type, own[code // len(own)]].add(own[code % len(own)])
    return found


def _one(
    document: Document, own: Sequence[Described], renamed: dict[str, str], reach: int, contacts: ContactPolicy
) -> Described:
    """One profile for those of an entity, under the first one's id, with all that the pieces say and its context."""
    mentions = [replace(mention, chain=own[0][1].id) for found, _ in own for mention in found]
    profile = own[0][1] if len(own) == 1 else _merged([each for _, each in own])
    # Each relation once, to profiles that are still there.
    links = [replace(link, profile=renamed.get(link.profile or "")) for link in profile.relations]
    distinct = {(link.type, link.name, link.profile): link for link in reversed(links)}
    context = contacts.clean(window(document.text, [(m.start, m.end) for m in mentions], reach))
    return mentions, replace(profile, context=context, relations=tuple(reversed(distinct.values())))


def _merged(own: Sequence[Profile]) -> Profile:
    attributes, relations = merged(own)
    if "descriptor" in attributes:
        attributes["descriptor"] = most_telling(attributes["descriptor"])
    surest = max(own, key=lambda profile: float(profile.attributes.get("gender_confidence", ["0"])[0]))
    attributes.update({key: surest.attributes[key] for key in ("gender", "gender_confidence") if key in attributes})
    return replace(own[0], name=fullest(profile.name for profile in own), attributes=attributes, relations=relations)
