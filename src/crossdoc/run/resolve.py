"""The stages in order: read → extract → compare → cluster → describe. Read this file first.

Stages exchange the types of model.py (stages.py has each stage by itself). The store keeps finished work, so that a
stopped run continues from there.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from crossdoc import errors
from crossdoc.cluster import registry
from crossdoc.cluster.bags.held_out import BagFit
from crossdoc.cluster.cluster_stage import cluster
from crossdoc.cluster.clusterer import EVEN, Work
from crossdoc.compare.background import ELSEWHERE
from crossdoc.compare.collection import believed
from crossdoc.compare.evidence import ProfileEvidence
from crossdoc.compare.fields import CONTEXT
from crossdoc.compare.in_topics import Readings
from crossdoc.compare.known import LINKED, apart_by_entries, known_table
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.memory_collection import MemoryCollection, compare
from crossdoc.compare.statistics import all_readings, capital_rows, linked_rows, topic_rows
from crossdoc.compare.unread import profile_notes
from crossdoc.engine import Engine
from crossdoc.extract import PluginExtractor, TextExtractor
from crossdoc.extract.corrections import settled_types
from crossdoc.extract.given import chain_entities
from crossdoc.extract.output import format_of, write_profiles
from crossdoc.extract.pieces import is_long
from crossdoc.extract.truecase import CaseCounts
from crossdoc.memory import return_large, return_unused, shortage
from crossdoc.model import (
    Document,
    Documents,
    EntityType,
    Facts,
    Identity,
    Judgement,
    KnownEntry,
    Mentions,
    Partition,
    Profiles,
    lineage,
)
from crossdoc.model import descriptions as identities
from crossdoc.progress import Progress, Quiet
from crossdoc.read import DocumentReader, Input, Source, read_judgements, read_known, read_profiles, sources_of
from crossdoc.read.clean_text import printable
from crossdoc.read.documents import holds_profiles
from crossdoc.read.records import RowNotes
from crossdoc.read.sources import Sources
from crossdoc.run import links
from crossdoc.run.resolution import Resolution
from crossdoc.run.stages import (
    bystanders,
    compiled,
    extracted,
    extraction_notes,
    extractor_for,
    of_types,
    run_fills,
)
from crossdoc.settings import AnnotationFormat, ContactDetails, Settings, takes_settings
from crossdoc.store import Run, Store
from crossdoc.store.runs import now
from crossdoc.store.store import until_current
from crossdoc.version import __version__

AnyPath = str | os.PathLike[str]


class Checkpoint(Protocol):
    """Finished work of a run, kept where it survives a crash. The store is one."""

    def known(self, table: str, ids: Iterable[str]) -> set[str]:
        """Return which of these documents or profiles are stored."""

    def add(self, documents: Documents, mentions: Mentions, profiles: Profiles) -> None:
        """Store a batch, completely or not at all."""

    def profiles(self) -> Profiles: ...

    def texts(self) -> Iterable[list[str]]: ...

    def texts_of(self, ids: Sequence[str]) -> Mapping[str, str]: ...

    def documents(self, ids: Iterable[str] | None = None) -> Documents: ...

    def each_document(self) -> Iterator[Document]: ...

    def facts(self) -> Facts:
        """Data that describe identities."""

    def partition_of(self, entity_type: str, ids: Any) -> Partition | None:
        """Return the answer for one type, if there is one."""

    def save_partition(self, entity_type: str, partition: Partition, seconds: float) -> None: ...


@takes_settings
def resolve(
    *inputs: Input,
    name: str | None = None,
    output: AnyPath | None = None,
    constraints: Sequence[Judgement] | AnyPath = (),
    model: AnyPath | None = None,
    known: AnyPath | Sequence[KnownEntry] = (),
    settings: AnyPath | Settings | None = None,
    resume: bool = False,
    engine: str | Engine = "local",
    address: str | None = None,
    progress: Progress | None = None,
    method: str | Any | None = None,
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    threshold: float | None = None,
    background: bool | None = None,
    time_limit: float | None = None,
    max_block: int | None = None,
    threads: int | None = None,
    seed: int | None = None,
    types: Sequence[EntityType] | None = None,
    describe: bool | None = None,
    window: int | None = None,
    extractor: str | None = None,
    language_model: str | None = None,
    processes: int | None = None,
    batch_size: int | None = None,
    format: AnnotationFormat | None = None,
    columns: Mapping[str, str] | Sequence[str] | None = None,
    max_document_characters: int | None = None,
    contact_details: ContactDetails | None = None,
    contact_salt: str | None = None,
) -> Resolution:
    """Find out who is who in documents, or in profiles that another extractor made.

    Parameters
    ----------
    *inputs : Input
        Folders, or files of documents or profiles (`crossdoc formats`); or `Document`s, `Profile`s, and Arrow,
        pandas or polars tables of them.
    name : str or None, default None
        Resolve one ambiguous name, one profile per document, as in web people search.
    output : path or None, default None
        The .crossdoc file to write; without it the answer stays in memory.
    constraints : sequence of Judgement or path, default ()
        Judgements that the answer must respect, or a file of them.
    model : path or None, default None
        A file of learned values in place of the one that comes with crossdoc.
    known : path or sequence of KnownEntry, default ()
        A list of known entities, or a file of it (also another result), to link identities to.
    settings : path or Settings or None, default None
        A crossdoc.toml, or a `Settings`.
    resume : bool, default False
        Continue sampling where it was stopped (by its time limit, Ctrl-C or a crash).
    engine : str or Engine, default "local"
        "local" is this machine. "ray" is a cluster (the one at `address`, or one that is started here), or give
        an :class:`crossdoc.engine.Engine`: then the run is over partitions, and `output` is a folder of Parquet
        files.
    address : str or None, default None
        Where the Ray cluster is.
    progress : Progress or None, default None
        Where progress is reported; None reports nothing.
    method, parameters, threshold, background, time_limit, max_block, threads, seed : default None
        Settings of comparing and clustering; :class:`Settings` describes every setting, and None leaves it as it is in
        `settings`. A method may be an estimator such as ``KARC(variant="paper")``.
    types, describe, window, extractor, language_model, processes, batch_size : default None
        Settings of extraction.
    format, columns, max_document_characters, contact_details, contact_salt : default None
        Settings of reading; ``columns={"name": "author"}`` is for a table whose columns have other names.

    Returns
    -------
    Resolution
        The answer: to look at, and to change.

    Raises
    ------
    CrossdocError
        If the input, the settings or the judgements are not right; the message says what to do.

    Notes
    -----
    Extraction is linear in the text and takes most of the time up to some 10,000 documents. Pairs are compared only
    where names agree.

    Examples
    --------
    >>> from crossdoc import Document
    >>> documents = [
    ...     Document("a", "John Smith, the chairman of General Motors, lives in Detroit."),
    ...     Document("b", "The chairman of General Motors, John Smith, closed plants in Detroit."),
    ...     Document("c", "John Smith, the Labour leader, spoke in the House of Commons."),
    ... ]
    >>> answer = resolve(documents, name="John Smith", describe=False)
    >>> answer.partition.labels.tolist()
    [0, 0, 1]
    """
    given_settings = locals()
    if not inputs:
        raise errors.no_inputs()
    if name is not None and not name.strip():
        raise errors.empty_name()
    chosen = Settings.choose(settings, given_settings)
    if isinstance(constraints, str | os.PathLike):
        constraints = read_judgements(Path(constraints))
    alone = engine == "local"
    if resume and alone and not registry.method_named(chosen.method).resumable:
        raise errors.nothing_to_resume(chosen.method)
    if address is not None and engine != "ray":
        raise errors.address_without_ray()
    learned = LearnedModel.load(None if model is None else Path(model))
    entries = known_entries(Path(known)) if isinstance(known, str | os.PathLike) else list(known)
    given = chosen, name, constraints, learned, progress, resume, entries
    return Resolver(*given).run(inputs, output) if alone else _over_partitions(engine, address, given, inputs, output)


def _over_partitions(
    engine: str | Engine, address: str | None, given: tuple[Any, ...], inputs: Sequence[Input], output: AnyPath | None
) -> Resolution:
    from crossdoc.run.partitioned import PartitionedResolver, folder_for

    resolver = PartitionedResolver(*given)
    if not isinstance(engine, str):
        resolver.engine = engine
        return resolver.run(inputs, output)
    if engine != "ray":
        raise errors.unknown_choice("engine", engine, ["local", "ray"])
    from crossdoc.engine.ray_engine import RayEngine

    with RayEngine(address, storage=folder_for(output).resolve().parent) as resolver.engine:
        return resolver.run(inputs, output)


def known_entries(path: Path) -> list[KnownEntry]:
    """Read the entries of a known list; a result gives its identities, described by their documents."""
    if path.suffix.lower() != ".crossdoc" and not path.is_dir():
        return read_known(path)
    with Store.open(path) as store:
        return [
            _entry(each, [row["context"] or "" for row in store.members(each.id, 5)]) for each in store.identities()
        ]


def _entry(identity: Identity, contexts: Sequence[str]) -> KnownEntry:
    others = tuple(name for name in identity.variants if name != identity.name)
    return KnownEntry(identity.id, identity.name, others, identity.type, " ".join([identity.descriptor, *contexts]))


@dataclass(frozen=True, slots=True)
class Extraction:
    """Result of `write_extracted`."""

    output: Path
    documents: int
    profiles: int
    notes: list[str]


@takes_settings
def write_extracted(
    *inputs: Input,
    output: AnyPath,
    settings: AnyPath | Settings | None = None,
    progress: Progress | None = None,
    method: str | Any | None = None,
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    threshold: float | None = None,
    background: bool | None = None,
    time_limit: float | None = None,
    max_block: int | None = None,
    threads: int | None = None,
    seed: int | None = None,
    types: Sequence[EntityType] | None = None,
    describe: bool | None = None,
    window: int | None = None,
    extractor: str | None = None,
    language_model: str | None = None,
    processes: int | None = None,
    batch_size: int | None = None,
    format: AnnotationFormat | None = None,
    columns: Mapping[str, str] | Sequence[str] | None = None,
    max_document_characters: int | None = None,
    contact_details: ContactDetails | None = None,
    contact_salt: str | None = None,
) -> Extraction:
    """Read documents and write their profiles (.parquet or .jsonl), which `resolve` takes as its input.

    However many documents there are, memory holds a batch of them. A stopped run leaves ``OUTPUT.work.part`` behind,
    and the same call continues from there.

    Parameters
    ----------
    *inputs : Input
        Folders and files of documents, `Document` objects or tables.
    output : path
        The file to write, .parquet or .jsonl.
    settings : path or Settings or None, default None
        A crossdoc.toml, or a `Settings`.
    progress : Progress or None, default None
        Where progress is reported; None reports nothing.
    method, parameters, threshold, background, time_limit, max_block, threads, seed : default None
        Settings of comparing and clustering, which are checked; :class:`Settings` describes every setting, and None
        leaves it as it is in `settings`.
    types, describe, window, extractor, language_model, processes, batch_size : default None
        Settings of extraction.
    format, columns, max_document_characters, contact_details, contact_salt : default None
        Settings of reading; ``columns={"name": "author"}`` is for a table whose columns have other names.

    Returns
    -------
    Extraction
        How many documents were read and profiles written, with notes.

    Examples
    --------
    >>> import tempfile
    >>> from crossdoc import Document
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_extracted([Document("a", "Ann Lee left Rome.")], output=f"{folder}/p.jsonl", processes=1).documents
    1
    """
    return Resolver(Settings.choose(settings, locals()), progress=progress).extract(inputs, output)


@dataclass(frozen=True)
class Before:
    """The answer that a new one replaces. Unchanged identities keep its ids."""

    entity_of: Mapping[str, str] = field(default_factory=dict)
    """Former identity of each present profile."""
    ids: Set[str] = frozenset()
    ages: Mapping[str, int] = field(default_factory=dict)
    used: Set[str] = frozenset()
    """Ids of identities that stay as they are."""
    late: Set[str] = frozenset()
    """Profiles that are counted after all others (:func:`lineage.kept_ids`)."""
    given: set[str] = field(default_factory=set)
    """Ids already given to partitions of other types."""

    @classmethod
    def of(cls, old: Store, now: Profiles) -> Before:
        was = old.entity_of()
        entity_of = lineage.carried(was, old.named(), now)
        return cls(entity_of, set(was.values()), old.ages())

    def called(self, partition: Partition) -> Partition:
        """Return the partition with the former ids of its identities."""
        if not self.ids:
            return partition
        left = {id: entity for id, entity in self.entity_of.items() if entity not in self.given}
        named = lineage.kept_ids(partition, left, self.ages, self.used | self.given, self.late)
        self.given.update(named.entities)
        return named

    def events(self, now: Mapping[str, str]) -> list[lineage.Event]:
        """List the events of this run; a first run has none."""
        return lineage.events(self.entity_of, now, self.ids) if self.ids else []


def unmatched_note(count: int, path: AnyPath) -> str:
    match = (
        "entry of the log no longer matches all its" if count == 1 else "entries of the log no longer match all their"
    )
    return f"{count:,} {match} profiles; see crossdoc judgements {path} --unmatched"


@dataclass
class Resolver:
    """One run from inputs to identities, or to profiles: what `resolve` uses. It is run once.

    Parameters
    ----------
    settings : Settings
        How to resolve.
    name : str or None, default None
        The one ambiguous name to resolve; None resolves all.
    judgements : sequence of Judgement, default ()
        What the answer must respect.
    model : LearnedModel, optional
        Learned values.
    progress : Progress or None, default None
        Where progress is reported; None reports nothing.
    resume : bool, default False
        Whether to continue sampling where it was stopped.
    known : sequence of KnownEntry, default ()
        The entries of a known list.
    notes : list[str], optional
        What the run has to say; it is appended to.
    left_out : Callable[[Any], Set[str]], optional
        Of a batch of documents or profiles, the ids of those that need not be read.
    beside : Store or None, default None
        The answer that documents are added to.

    Examples
    --------
    >>> from crossdoc.model import Document
    >>> resolver = Resolver(Settings(describe=False), name="Ann Lee")
    >>> resolver.run([[Document("a", "Ann Lee spoke."), Document("b", "Ann Lee left.")]]).partition
    <Partition: 2 profiles in 2 clusters>
    """

    settings: Settings
    name: str | None = None
    judgements: Sequence[Judgement] = ()
    model: LearnedModel = field(default_factory=LearnedModel.default)
    progress: Progress | None = None
    resume: bool = False
    known: Sequence[KnownEntry] = ()
    notes: list[str] = field(default_factory=list)
    left_out: Callable[[Any], Set[str]] = lambda batch: frozenset()
    """Returns the ids of documents or profiles of a batch that need not be read."""
    beside: Store | None = None
    """The answer that documents are added to. It provides counts of capitals and types of names."""

    def __post_init__(self) -> None:
        self.clusterer = self.settings.clusterer()
        self.report = self.progress or Quiet()
        self.given_profiles = False
        self.readings: dict[str, Readings | None] = {}
        self.linked: dict[str, Mapping[str, str] | None] = {}
        self.before = Before()
        self.given_names: dict[str, tuple[int, str]] = {}

    @property
    def _compares(self) -> bool:
        """Whether the method uses more than names."""
        return self.clusterer.method.takes in ("relations", "vectors")

    def run(self, inputs: Iterable[Input], output: AnyPath | None = None) -> Resolution:
        started = now()
        return_large()
        sources = sources_of(inputs, self.settings.format, self.settings.columns)
        store = Store.memory() if output is None else Store.begin(output, self._fingerprint(sources))
        try:
            if store.discarded_part:
                self.notes.append("an unfinished run with other input or settings was discarded")
            self._read(store, sources)
            return_unused()
            judgements = self._judgements(store, output)
            store.keep_answers_under(_judgements_hash(judgements))
            comparison = self._linked(store, self._compare(store, judgements))
            return_unused()
            store.save_identities(
                self._clustered(store, comparison, None if output is None else Path(output), judgements)
            )
            if self._compares:
                self._keep(store, comparison)
            store.save_events(self.before.events(store.entity_of()), "a new run")
            for note in self.notes:
                self.report.note(note)
            store.save_run(self._account(started, sources, comparison.model))
            store.finish()
        except BaseException as error:
            _leave(store, error)
            raise
        if self.before.ids:
            self._catch_up(store, judgements)
        return Resolution(store)

    def _keep(self, store: Store, comparison: MemoryCollection) -> None:
        """Save the statistics of the collection, so that a subset can be compared as in the full collection."""
        store.save_statistics(comparison.statistics.tables())
        for entity_type, linked in self.linked.items():
            store.add_statistics({"linked_names": linked_rows({}, linked or {}, entity_type)})
        if self.clusterer.method.scope != "type" and (topics := comparison.topics) is not None:
            store.save_topics(topic_rows(topics.of), topics.cut)
            if (readings := all_readings(self.readings)) is not None:
                store.save_readings(readings)

    @until_current
    def _catch_up(self, store: Store, judgements: Sequence[Judgement]) -> None:
        """Apply judgements that were made during this run and carried over with the log."""
        from crossdoc.run.revise import Revision

        located = store.located()
        if {*map(_content, located.judgements)} != {*map(_content, judgements)} or located.names != self.given_names:
            Revision(store, self.progress).catch_up(judgements, self.given_names)

    def extract(self, inputs: Iterable[Input], output: AnyPath) -> Extraction:
        """Run the reading stage alone: write profiles to a file."""
        target = Path(output)
        format_of(target)
        sources = sources_of(inputs, self.settings.format, self.settings.columns)
        if any(map(holds_profiles, sources)):
            raise errors.documents_wanted([str(source.path) for source in sources[:5]])
        store = Store.begin(target.with_name(f"{target.name}.work"), self._fingerprint(sources))
        try:
            if store.discarded_part:
                self.notes.append("an unfinished run with other input or settings was discarded")
            self._read_documents(store, sources, keep=False)
            documents, profiles = store.count("documents"), store.count("profiles")
            if profiles:
                self.report.start("writing profiles")
                write_profiles(store.profile_batches(), target)
        except BaseException as error:
            _leave(store, error)
            raise
        store.remove()
        if not profiles:
            raise errors.nothing_extracted(" or ".join(self.settings.types))
        for note in self.notes:
            self.report.note(note)
        return Extraction(target, documents, profiles, self.notes)

    def _fingerprint(self, sources: Sequence[Source]) -> str:
        """Return a hash of input and settings, by which a stopped run is recognised."""
        settings = self.settings.model_dump(exclude={"time_limit", "processes", "batch_size"})
        given = [self.name, self.model.model_dump(), [asdict(entry) for entry in self.known]]
        parts = [__version__, settings, *given, [source.stamp() for source in sources]]
        return hashlib.sha256(json.dumps(parts, default=_in_words).encode()).hexdigest()

    # -- read and extract ------------------------------------------------------------------------------------------

    def _read(self, store: Store, sources: Sequence[Source]) -> None:
        kinds = {holds_profiles(source) for source in sources}
        if kinds == {True, False}:
            raise errors.mixed_inputs([str(source.path) for source in sources[:5]])
        if kinds == {True}:
            if self.name is not None:
                raise errors.name_needs_documents()
            self.given_profiles = True
            self._read_profiles(store, sources)
        else:
            self._read_documents(store, sources)
        if not store.count("profiles"):
            raise errors.nothing_extracted(" or ".join(self.settings.types))

    def _read_profiles(self, store: Store, sources: Sequence[Source]) -> None:
        self.report.start("reading profiles")
        rows = RowNotes()
        for batch in read_profiles(sources, notes=rows):
            new = _without(self.left_out(batch), _new(store, "profiles", batch))
            store.add(Documents.of(()), Mentions.of(()), of_types(new, self.settings.types))
            self.report.advance(len(batch))
        if rows.other_types and not store.count("profiles"):
            raise errors.only_other_types(rows.left_out)
        self.notes.extend(rows.lines)

    def _read_documents(self, store: Store, sources: Sequence[Source], *, keep: bool = True) -> None:
        """Fill the store; without `keep`, only with profiles and the ids of finished documents."""
        settings = self.settings
        reader, first = (
            DocumentReader(
                sources,
                batch_size=settings.batch_size,
                max_document_characters=settings.max_document_characters,
                chain=chain_entities,
            )
            for _ in range(2)
        )
        extractor = extractor_for(settings, self.name, store.salt(), describe=settings.describe and self._compares)
        if isinstance(extractor, TextExtractor):
            self.report.start("counting capitals")
            self._keep_cases(store, extractor.learn(batch.column("text").to_pylist() for batch in first))
        # With one file per document the number is known beforehand, so the bar can show how much is left.
        total = len(sources) if all(source.kind in ("text", "html") for source in sources) else None
        self.report.start("reading documents", total)
        already = given = done = 0
        if isinstance(extractor, TextExtractor):
            extractor.progress = self.report
        for batch in reader:
            given += len(batch) - batch.column("mentions").null_count
            new = _new(store, "documents", batch)
            already += len(batch) - len(new)
            new = _without(self.left_out(new), new)
            if len(new):
                mentions, profiles = extracted(extractor, new, settings.types)
                if not keep:
                    new, mentions = Documents.of(Document(id, "") for id in new.ids), Mentions.of(())
                store.add(new, mentions, profiles)
            done += len(batch)
            if isinstance(extractor, TextExtractor) and any(is_long(document.text) for document in batch):
                # The extractor may have reported characters.
                self.report.start("reading documents", total)
                self.report.advance(done)
            else:
                self.report.advance(len(batch))
        if isinstance(extractor, TextExtractor) and extractor.models:
            store.set_meta("models", ", ".join(extractor.models))
            extractor.finish()
        if isinstance(extractor, TextExtractor) and not given:
            store.retype(settled_types(self._votes(store)))
        copies = store.duplicates("profiles")
        if copies and isinstance(extractor, PluginExtractor):
            raise errors.bad_extraction(extractor.name, [f"the profile id {id!r} stands for several" for id in copies])
        if copies:
            raise errors.duplicate_ids("The mentions of different documents", copies)
        self.notes.extend(sources.notes if isinstance(sources, Sources) else ())
        self.notes.extend(f"left out: {problem}" for problem in reader.skipped)
        self.notes.extend(f"{count:,} {what}" for what, count in reader.notes.items())
        self.notes.extend(reader.rows.lines)
        if already:
            self.notes.append(f"{already:,} documents were already read by a stopped run")
        self.notes.extend(extraction_notes(extractor, self.name))

    def _keep_cases(self, store: Store, cases: CaseCounts) -> None:
        """Store how words are capitalised; added documents also use the counts of the answer they join."""
        if self.beside is None:
            store.save_capitals(capital_rows(cases.listed()))
            return
        # A headline may use any words; without one, only the words of the new documents matter.
        slots = None if cases.headlines else {slot for slot, _, _ in cases.listed()}
        cases.put(self.beside.capital_counts(slots))

    # -- judgements ------------------------------------------------------------------------------------------------

    def _judgements(self, store: Store, output: AnyPath | None) -> list[Judgement]:
        """Return the judgements given now, which must fit the profiles, and those in the log of the replaced result."""
        asked = {id for j in self.judgements for id in (j.a, j.b)}
        unknown = sorted(asked - store.known("profiles", asked))
        if unknown:
            raise errors.unknown_profiles("The constraints", unknown)
        logged = self._earlier(store, output)
        known = {_content(judgement) for judgement in logged}
        new = [judgement for judgement in self.judgements if _content(judgement) not in known]
        store.stage_judgements(new)
        return [*logged, *new]

    def _earlier(self, store: Store, output: AnyPath | None) -> list[Judgement]:
        """Take over judgements, names given to identities, and ids from the result that is being replaced."""
        if output is None or not Path(output).exists():
            return []
        with Store.open(output) as old:
            located = store.located(old.entries())
            self.before = Before.of(old, store.named())
        self.given_names = located.names
        if located.unmatched:
            self.notes.append(unmatched_note(len(located.unmatched), output))
        return located.judgements

    # -- compare, cluster, describe --------------------------------------------------------------------------------

    @property
    def _may_be_links(self) -> bool:
        return self.given_profiles and links.is_left_open(self.settings)

    def _choose_method(self, fit: BagFit, profiles: int) -> None:
        """Choose the method for links, if bags explain the profiles better than names do."""
        if fit.is_better:
            self.settings = self.settings.model_copy(update={"method": links.METHOD})
            self.clusterer = self.settings.clusterer()
            self.notes.append(links.note(profiles))

    def _choose_by_evidence(self, evidence: ProfileEvidence) -> dict[str, Any]:
        """Choose the method for links; return the parameters of it that were measured on the way."""
        if self._may_be_links and evidence.names and links.has_names_and_contexts_only(evidence.profiles):
            self.report.start("measuring what contexts explain")
            threads = self.settings.threads or os.cpu_count() or 1
            fit = links.measure_links(evidence.vectors.matrix, evidence.names, self.settings.seed, threads)
            self._choose_method(fit, len(evidence))
            if fit.is_better:
                return {"words": fit.words}
        return {}

    def _compare(self, store: Store, judgements: Sequence[Judgement]) -> MemoryCollection:
        profiles = store.profiles()
        if short := shortage(len(profiles), profiles.arrow.nbytes):
            self.report.note(short)
        background = self.settings.background and self._compares
        others = None
        if background and self.name is not None and self.model.ensemble is None:
            others = self._bystanders(store)
        comparison = compare(
            profiles,
            store if store.count("documents") else None,
            model=self.model,
            constraints=compiled(judgements, profiles),
            one_name=self.name is not None,
            others=others,
            background=background,
            seed=self.settings.seed,
            progress=self.report,
        )
        self.notes.extend(comparison.notes)
        self.notes.extend(profile_notes([profiles], self.model, self.given_profiles, self.settings.window))
        return comparison

    def _bystanders(self, store: Store) -> Profiles:
        assert self.name is not None
        return bystanders(store.each_document(), store.documents, self.name, self.settings.window)

    def _linked(self, store: Store, comparison: MemoryCollection) -> MemoryCollection:
        """Save the odds of profiles being known entries; profiles of two entries are kept apart."""
        if not self.known:
            return comparison
        self.report.start("looking for known entries", len(self.known))
        odds = comparison.known_odds(list(self.known), seed=self.settings.seed)
        names = comparison.model.names or LearnedModel.default().names
        store.save_known(
            self.known, known_table(odds, comparison.profiles, self.known), names.bound if names else 0.0, LINKED
        )
        return comparison.kept_apart(apart_by_entries(odds, comparison.constraints.group))

    def _votes(self, store: Store) -> Iterator[tuple[str, str, int]]:
        """Count how often each name has each type, including the answer that documents are added to."""
        if self.beside is None:
            yield from store.name_types()
            return
        votes = Counter({(name, type_): count for name, type_, count in store.name_types(several=False)})
        for name, type_, count in self.beside.name_types({name for name, _ in votes}, several=False):
            votes[name, type_] += count
        yield from ((name, type_, count) for (name, type_), count in sorted(votes.items()))

    def _clustered(
        self, store: Checkpoint, comparison: MemoryCollection, output: Path | None, judgements: Sequence[Judgement]
    ) -> list[Identity]:
        """Return the identities of each type; types that a stopped run has finished are taken over."""
        facts = store.facts()
        found: list[Identity] = []
        for entity_type in comparison:
            evidence = comparison[entity_type]
            measured = self._choose_by_evidence(evidence) if len(comparison) == 1 else {}
            filled = run_fills(self.clusterer, self.settings.seed, self.model, self.settings.threads) | measured
            partition = store.partition_of(entity_type, evidence.ids)
            if partition is None:
                clustered = cluster(evidence, self.clusterer, self._work(entity_type, output), **filled)
                partition = self.before.called(clustered.partition)
                self.notes.extend(clustered.notes)
                store.save_partition(entity_type, partition, clustered.seconds)
            self.readings[entity_type] = evidence.readings
            self.linked[entity_type] = evidence.linked
            words = identities.key_words(partition, evidence.vectors)
            described = identities.describe(partition, evidence.profiles, facts, words, self.given_names)
            found.extend(replace(each, certainty=believed(each.certainty, comparison.model)) for each in described)
        self.notes.extend(self._soft_notes(judgements))
        self.notes.append(self._method_note(comparison.model))
        return found

    def _soft_notes(self, judgements: Sequence[Judgement]) -> list[str]:
        if self.clusterer.method.soft or all(judgement.hard for judgement in judgements):
            return []
        return [f"soft constraints have no effect with the method {self.clusterer.name}"]

    def _work(self, entity_type: str, output: Path | None) -> Work:
        beside = None
        if output is not None and self.clusterer.method.resumable:
            beside = output.with_name(f"{output.name}.{entity_type or 'profile'}.{self.clusterer.name}")
        return Work(self.settings.max_block, self.settings.threads, self.report, beside, self.resume)

    # -- what a run says of itself ---------------------------------------------------------------------------------

    def _method_note(self, model: LearnedModel) -> str:
        method = self.clusterer.method
        if method.takes not in ("relations", "vectors"):
            return f"method {method.name}: {method.about[0].lower()}{method.about[1:].rstrip('.')}"
        compared = "names, contexts and relations" if model.ensemble is None else "an ensemble of specialists"
        note = f"method {method.name} over {compared}"
        if self.clusterer.threshold is None:
            return note
        at, why = model.threshold.get(method.name, EVEN), "even odds"
        if self.clusterer.threshold in self.clusterer.parameters:
            at, why = self.clusterer.parameters[self.clusterer.threshold], "given"
        elif method.name in model.threshold:
            why = f"learned on {model.learned_on['threshold']}"
        note += f", threshold {at:g} ({why})"
        if model.ensemble is None:
            even = model.fields[CONTEXT].cosine_at(0.0)
            here = model.learned_on.get("background", ELSEWHERE)
            note += (
                f"; apart from names, a cosine of {even:.3f} between contexts means even odds (measured against {here})"
            )
        return note

    def _account(self, started: str, sources: Sequence[Source], model: LearnedModel) -> Run:
        chosen = self.settings.model_dump(exclude={"contact_salt"})
        settings = json.dumps({**chosen, "name": self.name, "learned": model.model_dump()}, default=_in_words)
        paths = [printable(str(source.path)) for source in sources[:1000]]
        seed = self.settings.seed
        return Run(started, now(), __version__, self.settings.method, seed, settings, paths, self.notes)


def _new(store: Checkpoint, table: str, batch: Any) -> Any:
    """Return the rows of a batch that an earlier, stopped run has not stored."""
    return _without(store.known(table, batch.ids), batch)


def _without(known: Set[str], batch: Any) -> Any:
    return batch.take(np.flatnonzero([id not in known for id in batch.ids])) if known else batch


def _content(judgement: Judgement) -> tuple[Any, ...]:
    return judgement.a, judgement.b, judgement.verdict, judgement.hard, judgement.weight


def _judgements_hash(judgements: Sequence[Judgement]) -> str:
    """Return a hash of the judgements, on which an answer depends in addition to the input."""
    return hashlib.sha256(json.dumps([_content(judgement) for judgement in judgements]).encode()).hexdigest()


def _in_words(value: Any) -> str:
    """Represent a value that JSON cannot hold: a function by its name, an array by its content."""
    if isinstance(value, np.ndarray):
        return hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
    return getattr(value, "__qualname__", None) or repr(value)


def _leave(store: Store, error: BaseException) -> None:
    """After a failure keep only the data that a later run can continue from."""
    mistaken = isinstance(error, errors.InputError) and not store.count("profiles")
    if store.unfinished and (mistaken or isinstance(error, errors.UsageError)):
        store.remove()
    else:
        store.close()
