"""Read and extract: the input becomes documents, mentions and profiles in a store.

On one machine the input is one part. Over an engine, tasks extract parts of it, and their results are stored in order.
Capitals have to be counted before anything is extracted, so that files may be read twice. Documents that fit in memory
are read once and stay there for the stages that follow.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from crossdoc import errors
from crossdoc.compare.statistics import capital_rows
from crossdoc.engine import Engine
from crossdoc.extract import Extractor, NameExtractor, Options, PluginExtractor, TextExtractor, load_extractor, models
from crossdoc.extract.corrections import complete_types, dated, settled_types, with_opening_dates
from crossdoc.extract.given import chain_entities
from crossdoc.extract.models import is_long
from crossdoc.extract.truecase import CaseCounts
from crossdoc.model import Document, Documents, Mentions, Profiles, rows_of
from crossdoc.names.texts import ContactPolicy
from crossdoc.progress import Progress, Quiet
from crossdoc.read import DocumentReader, Source, read_profiles
from crossdoc.read.documents import holds_profiles, nothing_read
from crossdoc.read.records import RowNotes
from crossdoc.read.slices import parts_of
from crossdoc.read.sources import Sources
from crossdoc.settings import Settings
from crossdoc.store import Store

MOST_KEPT = 100_000_000
"""Bytes of documents that stay in memory from one pass to the next. More are read again from their files."""

Add = Callable[[Documents, Mentions, Profiles], None]
"""Stores a batch."""
Skip = Callable[[Any], Set[str]]
"""Returns the ids of a batch that need not be extracted."""


@dataclass
class Reading:
    """Counts and notes of a part that was read; those of several parts add up."""

    documents: int = 0
    skipped: int = 0
    """Documents that were read before."""
    typed: int = 0
    """Documents whose names keep their types: they came with mentions, or were read by another extractor."""
    unreadable: list[str] = field(default_factory=list)
    problems: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    taken_for: Counter[str] = field(default_factory=Counter)
    without_name: list[str] = field(default_factory=list)
    rows: RowNotes = field(default_factory=RowNotes)

    def __add__(self, other: Reading) -> Reading:
        sums: dict[str, Any] = {
            name: value + getattr(other, name) for name, value in vars(self).items() if name != "rows"
        }
        return Reading(**sums, rows=RowNotes.union([self.rows, other.rows]))

    @classmethod
    def from_json(cls, text: str) -> Reading:
        kept: dict[str, Any] = json.loads(text)
        counted = {name: Counter(value) for name, value in kept.items() if isinstance(value, dict)}
        rows = RowNotes(**{**kept["rows"], "other_types": Counter(kept["rows"]["other_types"])})
        return cls(**{**kept, **counted, "rows": rows})

    def to_json(self) -> str:
        return json.dumps({**vars(self), "rows": vars(self.rows)})

    def notes(self, extractor: Extractor, name: str | None) -> list[str]:
        """Return what the user should know about the input; `extractor` is one of those that read it."""
        if isinstance(extractor, NameExtractor):
            extractor.without_name = self.without_name
        elif isinstance(extractor, TextExtractor):
            extractor.languages, extractor.taken_for = self.languages, self.taken_for
        left_out = [f"left out: {problem}" for problem in self.unreadable]
        counted = [f"{count:,} {what}" for what, count in self.problems.items()]
        return [*left_out, *counted, *self.rows.lines, *extraction_notes(extractor, name)]


class Batches:
    """Batches that were read, in memory."""

    def __init__(self) -> None:
        self._parts = [[Documents.of(()).arrow], [Mentions.of(()).arrow], [Profiles.of(()).arrow]]

    def add(self, documents: Documents, mentions: Mentions, profiles: Profiles) -> None:
        for tables, rows in zip(self._parts, (documents.arrow, mentions.arrow, profiles.arrow), strict=True):
            tables.append(rows)

    @property
    def tables(self) -> tuple[Documents, Mentions, Profiles]:
        documents, mentions, profiles = map(pa.concat_tables, self._parts)
        return Documents(documents), Mentions(mentions), Profiles(profiles)

    @property
    def profiles(self) -> Profiles:
        return self.tables[-1]


class KeptDocuments:
    """The documents of some sources in batches. They are kept for the next pass if they fit in memory."""

    def __init__(self, sources: Sequence[Source], settings: Settings, *, is_part: bool = False) -> None:
        self.sources, self.settings, self.is_part = sources, settings, is_part
        self.kept: list[Documents] | None = None
        """All batches, if they fit in memory and were read."""
        self.reader = self._reader()

    def _reader(self) -> DocumentReader:
        settings = self.settings
        return DocumentReader(
            self.sources,
            batch_size=settings.batch_size,
            max_document_characters=settings.max_document_characters,
            chain=chain_entities,
            is_part=self.is_part,
        )

    def __iter__(self) -> Iterator[Documents]:
        if self.kept is not None:
            yield from self.kept
            return
        self.reader = self._reader()
        read, size = list[Documents](), 0
        for batch in self.reader:
            size += batch.arrow.nbytes
            read = [*read, batch] if size <= MOST_KEPT else []
            yield batch
        self.kept = read or None


@dataclass
class Capitals:
    """Counts of how words are written, and of raw documents by language."""

    cases: CaseCounts = field(default_factory=CaseCounts)
    languages: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, documents: Iterable[Documents]) -> Capitals:
        counted = cls()
        for batch in documents:
            counted.cases.update(batch.column("text").to_pylist())
            raw = batch.arrow.filter(pa.compute.is_null(batch.arrow.column("mentions")))
            codes = raw.column("language").to_pylist()
            counted.languages.update(code for code in codes if code)
            for code, text in zip(codes, raw.column("text").to_pylist(), strict=True):
                if code and models.lacks_model(code):
                    counted.cases.learn_names(text, code)
        return counted

    def __add__(self, other: Capitals) -> Capitals:
        return Capitals(self.cases + other.cases, self.languages + other.languages)


def check_kinds(sources: Sequence[Source], name: str | None) -> bool:
    """Return whether the sources hold profiles, and not documents."""
    kinds = {holds_profiles(source) for source in sources}
    if kinds == {True, False}:
        raise errors.mixed_inputs([str(source.path) for source in sources[:5]])
    if kinds == {True} and name is not None:
        raise errors.not_usable_with("--name", "profiles", "documents")
    return kinds == {True}


def extractor_for(
    settings: Settings, name: str | None, salt: bytes, *, describe: bool | None = None
) -> NameExtractor | PluginExtractor | TextExtractor:
    """Return the extractor that a run needs: the one in the settings, or ours for one name or for full text.

    `describe` asks for attributes and relations under a name too; None: if the settings do and the method uses them.
    """
    if describe is None:
        describe = settings.describe and settings.clusterer().method.compares
    if settings.extractor is not None:
        if name is not None:
            raise errors.one_of_two("--name", "the setting `extractor`")
        return load_extractor(settings.extractor)
    secret = salt if settings.contact_salt is None else settings.contact_salt.encode()
    contacts = ContactPolicy(settings.contact_details, secret)
    entity_type = settings.types[0] if len(settings.types) == 1 else "person"
    types = tuple(settings.types) if name is None else (entity_type,)
    whole = TextExtractor(Options(types, settings.window, settings.language_model, contacts), settings.processes)
    if name is None:
        return whole
    return NameExtractor(name, settings.window, entity_type, whole if describe else None, contacts)


def nothing(batch: Any) -> Set[str]:
    return frozenset()


def extract_documents(
    documents: KeptDocuments,
    extractor: Extractor,
    types: Sequence[str],
    add: Add,
    *,
    capitals: Capitals | None = None,
    learned: Callable[[Capitals], None] | None = None,
    skip: Skip = nothing,
    report: Progress | None = None,
) -> Reading:
    """Extract the profiles of documents and `add` them batch by batch.

    Full text is read by the `capitals` of the full collection; without them these documents are counted, and `learned`
    receives the counts.
    """
    report = report or Quiet()
    text = extractor if isinstance(extractor, TextExtractor) else None
    if text is not None:
        if capitals is None:
            report.start("counting capitals")
            capitals = Capitals.of(documents)
            if learned is not None:
                learned(capitals)
        text.cases, text.progress = capitals.cases, report
        # Documents of unknown language are taken to be in the main one of the collection.
        text.languages.update(capitals.languages)
    # With one file per document the number is known beforehand, so the bar can show how much is left.
    total = len(documents.sources) if all(each.kind in ("text", "html") for each in documents.sources) else None
    report.start("reading documents", total)
    found = Reading()
    for batch in documents:
        found.typed += len(batch) - (0 if text is None else batch.column("mentions").null_count)
        new = without(skip(batch), batch)
        found.skipped += len(batch) - len(new)
        if len(new):
            new = new if text is None else with_opening_dates(new)
            mentions, profiles = extracted(extractor, new, types)
            add(new, mentions, profiles)
        found.documents += len(batch)
        if text is not None and any(is_long(document.text) for document in batch):
            # The extractor may have reported characters.
            report.start("reading documents", total)
            report.advance(found.documents)
        else:
            report.advance(len(batch))
    if text is not None and capitals is not None:
        # Other parts report their own languages.
        text.languages.subtract(capitals.languages)
        found.languages, found.taken_for = +text.languages, +text.taken_for
        text.finish()
    if isinstance(extractor, NameExtractor):
        found.without_name = extractor.without_name
    reader = documents.reader
    found.unreadable, found.problems, found.rows = list(reader.skipped), reader.notes, reader.rows
    return found


def extracted(extractor: Extractor, documents: Documents, types: Sequence[str]) -> tuple[Mentions, Profiles]:
    """Run an extractor and keep the types asked for; a profile without a type is kept."""
    mentions, profiles = extractor.extract(documents)
    kept = dated(of_types(profiles, types), documents)
    return Mentions(rows_of(mentions.arrow, kept.ids, "chain")), kept


def of_types(profiles: Profiles, types: Sequence[str]) -> Profiles:
    found_types = profiles.column("type").to_pylist()
    wanted = [each is None or each in types for each in found_types]
    return profiles if all(wanted) else profiles.take(np.flatnonzero(wanted))


def without(ids: Set[str], batch: Any) -> Any:
    return batch.take(np.flatnonzero([id not in ids for id in batch.ids])) if ids else batch


def extraction_notes(extractor: Extractor, name: str | None) -> list[str]:
    if isinstance(extractor, TextExtractor):
        return extractor.notes
    if not isinstance(extractor, NameExtractor) or not extractor.without_name:
        return []
    missing = extractor.without_name
    shown = ", ".join(missing[:5]) + (" …" if len(missing) > 5 else "")
    return [f"{len(missing):,} documents do not contain {name!r} and are compared by their whole text: {shown}"]


def copied_ids(extractor: Extractor, copies: Sequence[str]) -> errors.CrossdocError:
    if isinstance(extractor, PluginExtractor):
        return errors.bad_extraction(extractor.name, [f"the profile id {id!r} stands for several" for id in copies])
    return errors.duplicate_ids("The mentions of different documents", copies)


def take_profiles(
    sources: Sequence[Source], types: Sequence[str], add: Add, *, skip: Skip = nothing, report: Progress | None = None
) -> Reading:
    """Read profiles of other programs and `add` them batch by batch."""
    report = report or Quiet()
    report.start("reading profiles")
    found = Reading(typed=1)
    for batch in read_profiles(sources, notes=found.rows):
        wanted = of_types(batch, types)
        add(Documents.of(()), Mentions.of(()), without(skip(wanted), wanted))
        report.advance(len(batch))
    return found


def fill_with_profiles(
    store: Store, sources: Sequence[Source], settings: Settings, report: Progress, engine: Engine | None = None
) -> list[str]:
    """Read profiles into a store, except those that a stopped run has read; return notes."""
    notes: list[str] = []
    if engine is None:
        reading = take_profiles(
            sources, settings.types, store.add, skip=lambda batch: store.known("profiles", batch.ids), report=report
        )
    else:
        parts = parts_of(sources, profiles=True)
        reading, notes = store_parts(engine, store, parts, "reading profiles", report, profiles_in, settings.types)
        if copies := store.duplicates("profiles"):
            raise errors.duplicate_ids("The input", copies)
    if reading.rows.other_types and not store.count("profiles"):
        raise errors.only_other_types(reading.rows.left_out)
    return [*reading.rows.lines, *settle_types(store, reading), *notes]


def settle_types(store: Store, reading: Reading) -> list[str]:
    """Give names the types that they get once all input is read; return a note on missing ones."""
    settled: dict[tuple[str, str | None], str] = {} if reading.typed else settled_types(store.name_types())
    untyped = store.untyped_names()
    if untyped:
        settled |= complete_types(store.name_types(several=False), untyped)
    store.retype(settled)
    return [f"{sum(untyped.values()):,} profiles without a type were given that of names like theirs"] * bool(untyped)


def fill_with_documents(
    store: Store,
    sources: Sequence[Source],
    settings: Settings,
    report: Progress,
    engine: Engine | None = None,
    name: str | None = None,
    *,
    keep: bool = True,
) -> tuple[list[str], Documents | None]:
    """Read documents into a store, except those that a stopped run has read.

    Without `keep`, only profiles and the ids of finished documents are stored. Return notes, and the documents if they
    fit in memory.
    """
    extractor, kept, skipped = extractor_for(settings, name, store.salt()), None, list[str]()

    def add(new: Documents, mentions: Mentions, profiles: Profiles) -> None:
        if keep:
            store.add(new, mentions, profiles)
        else:
            store.add(Documents.of(Document(id, "") for id in new.ids), Mentions.of(()), profiles)

    def learned(capitals: Capitals) -> None:
        store.save_table("capitals", capital_rows(capitals.cases.listed()))

    if engine is None:
        documents = KeptDocuments(sources, settings)
        reading = extract_documents(
            documents, extractor, settings.types, add, report=report, learned=learned,
            skip=lambda batch: store.known("documents", batch.ids),
        )  # fmt: skip
        if documents.kept is not None:
            kept = Documents(pa.concat_tables([batch.arrow for batch in documents.kept]))
        if reading.skipped:
            skipped = [f"{reading.skipped:,} documents were already read by a stopped run"]
    else:
        wanted = learned if isinstance(extractor, TextExtractor) else None
        reading, skipped = documents_by_parts(engine, store, sources, settings, name, report, wanted)
        if not reading.documents:
            raise nothing_read(sources, reading.unreadable)
        if copies := store.duplicates("documents"):
            raise errors.duplicate_ids("Different files", copies)
    types_notes = settle_types(store, reading)
    if copies := store.duplicates("profiles"):
        raise copied_ids(extractor, copies)
    notes = [*source_notes(sources), *reading.notes(extractor, name), *types_notes, *skipped]
    if isinstance(extractor, TextExtractor) and extractor.models:
        store.set_meta("models", ", ".join(extractor.models))
    return notes, kept


def source_notes(sources: Sequence[Source]) -> list[str]:
    return sources.notes if isinstance(sources, Sources) else []


Part = Sequence[Source]
Found = tuple[tuple[Documents, Mentions, Profiles], Reading]
"""Result of a task: the rows of a part, and its counts and notes."""


def documents_by_parts(
    engine: Engine,
    store: Store,
    sources: Sequence[Source],
    settings: Settings,
    name: str | None,
    report: Progress,
    learned: Callable[[Capitals], None] | None,
) -> tuple[Reading, list[str]]:
    """Extract documents into a store; `learned` receives the capitals of all of them, if wanted."""
    parts, capitals = parts_of(sources, profiles=False), None
    # A task is one process.
    shared = engine.put(settings.model_copy(update={"processes": 1, "threads": 1}))
    if learned is not None:
        report.start("counting capitals")
        # Also in stored parts: a part is read the same whether a run was stopped or not.
        capitals = sum(map(engine.get, engine.map(capitals_in, parts, shared, apart=True)), Capitals())
        learned(capitals)
    given = shared, name, store.salt(), engine.put(capitals)
    return store_parts(engine, store, parts, "reading documents", report, documents_in, *given)


def store_parts(
    engine: Engine, store: Store, parts: Sequence[Part], stage: str, report: Progress, work: Any, *shared: Any
) -> tuple[Reading, list[str]]:
    """Store the results of tasks; return the counts of all parts, and a note on those of a stopped run.

    Each part is stored in one transaction, so that the parts of a stopped run are the first ones.
    """
    done, total, notes = int(store.meta("parts") or 0), Reading(), list[str]()
    if done:
        total = Reading.from_json(store.meta("reading") or "")
        notes = [f"{done:,} of {len(parts):,} parts were already done by a stopped run"]
    report.start(stage, len(parts))
    report.advance(done)
    for number, ref in enumerate(engine.map(work, parts[done:], *shared, apart=True), done + 1):
        rows, own = engine.get(ref)
        total += own
        with store.batch():
            store.add(*rows)
            store.set_meta("parts", str(number))
            store.set_meta("reading", total.to_json())
        report.advance()
    return total, notes


def capitals_in(part: Part, settings: Settings) -> Capitals:
    return Capitals.of(KeptDocuments(part, settings, is_part=True))


def profiles_in(part: Part, types: Sequence[str]) -> Found:
    found = Batches()
    counted = take_profiles(part, types, found.add)
    return found.tables, counted


def documents_in(part: Part, settings: Settings, name: str | None, salt: bytes, capitals: Capitals | None) -> Found:
    found, documents = Batches(), KeptDocuments(part, settings, is_part=True)
    extractor = extractor_for(settings, name, salt)
    counted = extract_documents(documents, extractor, settings.types, found.add, capitals=capitals)
    return found.tables, counted
