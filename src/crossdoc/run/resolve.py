"""The stages in order: read → extract → compare → cluster → describe. Read this file first.

Stages exchange the types of model.py (stages.py has each stage by itself). The store keeps finished work, so that a
stopped run continues from there.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from crossdoc import errors
from crossdoc.cluster.clusterer import Work, cluster
from crossdoc.cluster.methods import DEFAULT, method_named
from crossdoc.compare.evidence import ProfileEvidence
from crossdoc.compare.learned import LearnedModel, profile_notes
from crossdoc.compare.memory_collection import MemoryCollection
from crossdoc.compare.story_evidence import Readings
from crossdoc.engine import Engine
from crossdoc.extract.output import format_of, write_profiles
from crossdoc.model import Documents, EntityType, Identity, Judgement, KnownEntry
from crossdoc.model.partition import FormerIds, carried
from crossdoc.progress import Progress, Quiet, return_large, return_unused
from crossdoc.read import Input, Source, read_judgements, sources_of
from crossdoc.read.clean_text import printable
from crossdoc.read.documents import holds_profiles
from crossdoc.run.reading import check_kinds, fill_with_documents, fill_with_profiles
from crossdoc.run.resolution import Resolution
from crossdoc.run.stored_collection import (
    LINKS_METHOD,
    compare_stored,
    described,
    is_left_open,
    keep_statistics,
    known_entries,
    link_known,
    measure_bags,
    method_note,
    run_fills,
    unmatched_note,
)
from crossdoc.settings import ContactDetails, Settings, takes_settings
from crossdoc.store import Run, Store
from crossdoc.store.history_table import now
from crossdoc.store.store import until_current
from crossdoc.version import __version__

AnyPath = str | os.PathLike[str]


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
        "local" is this machine. "ray" is a cluster (the one at `address`, or one that is started here), which reads
        parts of the input and runs the rounds of sampling; or give an :class:`crossdoc.engine.Engine`.
    address : str or None, default None
        Where the Ray cluster is.
    progress : Progress or None, default None
        Where progress is reported; None reports nothing.
    method, parameters, threshold, background, time_limit, max_block, threads, seed : default None
        Settings of comparing and clustering; :class:`Settings` describes every setting, and None leaves it as it is in
        `settings`. A method may be an estimator such as ``KARC(variant="paper")``.
    types, describe, window, extractor, language_model, processes, batch_size : default None
        Settings of extraction.
    columns, max_document_characters, contact_details, contact_salt : default None
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
    if resume and engine == "local" and not method_named(chosen.method).resumable:
        raise errors.not_usable_with("--resume", f"the method {chosen.method}", ["sampling", "bags"])
    if address is not None and engine != "ray":
        raise errors.needs_option("--address", "--engine ray")
    learned = LearnedModel.load(None if model is None else Path(model))
    entries = known_entries(Path(known)) if isinstance(known, str | os.PathLike) else list(known)
    given = chosen, name, constraints, learned, progress, resume, entries
    if engine == "local":
        return Resolver(*given).run(inputs, output)
    if not isinstance(engine, str):
        return Resolver(*given, engine=engine).run(inputs, output)
    if engine != "ray":
        raise errors.unknown_choice("engine", engine, ["local", "ray"])
    from crossdoc.engine.ray_engine import RayEngine

    with RayEngine(address) as nodes:
        return Resolver(*given, engine=nodes).run(inputs, output)


@dataclass
class Resolver:
    """One run from inputs to identities: the stages in order. It is run once.

    `engine` reads parts of the input and runs the rounds of sampling; None is this process. `notes` is appended to.

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
    engine: Engine | None = None
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.report = self.progress or Quiet()
        self.before = FormerIds()
        self.given_names: dict[str, tuple[int, str]] = {}
        """Names that users gave to identities."""
        self._made: dict[str, ProfileEvidence] = {}
        """Evidence by type that was made before clustering."""
        self._measured: dict[str, Any] = {}
        """Parameters of the method that were measured when it was chosen."""

    def run(self, inputs: Iterable[Input], output: AnyPath | None = None) -> Resolution:
        started = now()
        return_large()
        sources = sources_of(inputs, self.settings.columns)
        # Parts of the input are stored in their order, the documents of one machine as they come.
        over = "" if self.engine is None else " in parts"
        mark = fingerprint(sources, self.settings, self.name, self.model, self.known) + over
        store = self.store = Store.memory() if output is None else Store.begin(output, mark)
        try:
            if store.discarded_part:
                self.notes.append("an unfinished run with other input or settings was discarded")
            has_profiles = check_kinds(sources, self.name)
            documents = self.read(sources, has_profiles)
            if not store.count("profiles"):
                raise errors.nothing_extracted(" or ".join(self.settings.types))
            return_unused()
            judgements = self._judgements(output)
            # An answer depends on the judgements in addition to the input.
            store.keep_answers_under(_hash([_content(judgement) for judgement in judgements]))
            collection = self.compare(judgements, documents)
            self.notes.extend(collection.notes)
            self.notes.extend(profile_notes(collection.profiles, self.model, has_profiles, self.settings.window))
            if has_profiles and is_left_open(self.settings) and store.has_links_only():
                self._choose_method(collection)
            if self.known:
                self.report.start("looking for known entries", len(self.known))
                collection = link_known(store, collection, self.known, self.settings.seed)
                self._made.clear()
            return_unused()
            self.cluster(collection, None if output is None else Path(output))
            clusterer = self.settings.clusterer()
            if not clusterer.method.soft and not all(judgement.hard for judgement in judgements):
                self.notes.append(f"soft constraints have no effect with the method {clusterer.name}")
            self.notes.append(method_note(clusterer, collection.model))
            store.save_events(self.before.events(store.entity_of()) if self.before.ids else [], "a new run")
            for note in self.notes:
                self.report.note(note)
            store.drop("meta", ["parts", "reading"], "key")
            store.save_run(self._account(started, sources, collection.model))
            store.finish()
        except BaseException as error:
            leave(store, error)
            raise
        if self.before.ids:
            self._catch_up(judgements)
        return Resolution(store)

    def read(self, sources: Sequence[Source], has_profiles: bool) -> Documents | None:
        """Read the input into the store; return its documents if they fit in memory."""
        given = self.store, sources, self.settings, self.report, self.engine
        notes, documents = (
            (fill_with_profiles(*given), None) if has_profiles else fill_with_documents(*given, self.name)
        )
        self.notes.extend(notes)
        return documents

    def compare(self, judgements: Sequence[Judgement], documents: Documents | None) -> MemoryCollection:
        """Compare all profiles; the model is adapted to the collection."""
        given = self.store, judgements, self.settings, self.model, self.name, self.report
        return compare_stored(*given, documents=documents)

    def _choose_method(self, collection: MemoryCollection) -> None:
        """Choose the method for links if bags explain the profiles better than names do."""
        self.report.start("measuring what contexts explain")
        evidence = self._made[""] = collection[""]
        if not evidence.names:
            return
        threads = self.settings.threads or os.cpu_count() or 1
        fit = measure_bags(evidence.vectors.matrix, evidence.names, self.settings.seed, threads)
        if fit.is_better:
            self.settings = self.settings.model_copy(update={"method": LINKS_METHOD})
            self._measured = {"words": fit.words}
            self.notes.append(
                f"{len(collection.profiles):,} profiles with a name and a context each, and no type: clustered as "
                "links, by bags, since bags of words explain them better than names do "
                f"(--method {DEFAULT}: as profiles of documents)"
            )

    def cluster(self, collection: MemoryCollection, output: Path | None) -> None:
        """Cluster and describe the profiles of each type; types that a stopped run has clustered are taken over."""
        store, settings, clusterer = self.store, self.settings, self.settings.clusterer()
        facts, identities = store.facts(), list[Identity]()
        filled = {**run_fills(clusterer, settings.seed, self.model, settings.threads), **self._measured}
        readings: dict[str, Readings] = {}
        linked: dict[str, Mapping[str, str] | None] = {}
        for entity_type in collection:
            evidence = self._made.pop(entity_type, None) or collection[entity_type]
            partition = store.partition_of(entity_type, evidence.ids)
            if partition is None:
                kept = None
                if output is not None and clusterer.method.resumable:
                    kept = output.with_name(f"{output.name}.{entity_type or 'profile'}.{clusterer.name}")
                where = settings.max_block, settings.threads, self.report, kept, self.resume
                clustered = cluster(evidence, clusterer, Work(*where, engine=self.engine), **filled)
                partition = self.before.keep(clustered.partition)
                self.notes.extend(clustered.notes)
                store.save_partition(entity_type, partition, clustered.seconds)
            if clusterer.method.compares:
                readings[entity_type], linked[entity_type] = evidence.readings, evidence.linked
            known = facts, collection.model, self.given_names
            identities += described(partition, evidence.profiles, evidence.vectors, *known)
        store.save_identities(identities)
        if clusterer.method.compares:
            keep_statistics(store, collection, readings, linked, topics=clusterer.method.scope != "type")

    @until_current
    def _catch_up(self, judgements: Sequence[Judgement]) -> None:
        """Apply judgements that were made during this run and carried over with the log."""
        from crossdoc.run.revise import Revision

        located = self.store.located()
        if {*map(_content, located.judgements)} != {*map(_content, judgements)} or located.names != self.given_names:
            Revision(self.store, self.progress).catch_up(judgements, self.given_names)

    def _judgements(self, output: AnyPath | None) -> list[Judgement]:
        """Return the judgements given now, which must fit the profiles, and those in the log of the replaced result."""
        store = self.store
        asked = {id for j in self.judgements for id in (j.a, j.b)}
        unknown = sorted(asked - store.known("profiles", asked))
        if unknown:
            raise errors.unknown_profiles("The constraints", unknown)
        logged = [] if output is None or not Path(output).exists() else self._take_over(output)
        known = {_content(judgement) for judgement in logged}
        new = [judgement for judgement in self.judgements if _content(judgement) not in known]
        store.stage_judgements(new)
        return [*logged, *new]

    def _take_over(self, output: AnyPath) -> list[Judgement]:
        """Take over judgements, names given to identities, and ids from the result that is being replaced."""
        with Store.open(output) as old:
            located = self.store.located(old.entries())
            was = old.entity_of()
            self.before = FormerIds(carried(was, old.named(), self.store.named()), set(was.values()), old.ages())
        self.given_names = located.names
        if located.unmatched:
            self.notes.append(unmatched_note(len(located.unmatched), output))
        return located.judgements

    def _account(self, started: str, sources: Sequence[Source], model: LearnedModel) -> Run:
        chosen = self.settings.model_dump(exclude={"contact_salt"})
        settings = json.dumps({**chosen, "name": self.name, "learned": model.model_dump()}, default=_in_words)
        paths = [printable(str(source.path)) for source in sources[:1000]]
        seed = self.settings.seed
        return Run(started, now(), __version__, self.settings.method, seed, settings, paths, self.notes)


def fingerprint(
    sources: Sequence[Source],
    settings: Settings,
    name: str | None = None,
    model: LearnedModel | None = None,
    known: Sequence[KnownEntry] = (),
) -> str:
    """Return a hash of input and settings, by which a stopped run is recognised."""
    stated = settings.model_dump(exclude={"time_limit", "processes", "batch_size"})
    given = [name, (model or LearnedModel.default()).model_dump(), [asdict(entry) for entry in known]]
    return _hash([__version__, stated, *given, [source.stamp() for source in sources]])


def _content(judgement: Judgement) -> tuple[Any, ...]:
    return judgement.a, judgement.b, judgement.verdict, judgement.hard, judgement.weight


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, default=_in_words).encode()).hexdigest()


def _in_words(value: Any) -> str:
    """Represent a value that JSON cannot hold: a function by its name, an array by its content."""
    if isinstance(value, np.ndarray):
        return hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
    return getattr(value, "__qualname__", None) or repr(value)


def leave(store: Store, error: BaseException) -> None:
    """After a failure keep only the data that a later run can continue from."""
    mistaken = isinstance(error, errors.InputError) and not store.count("profiles")
    if store.unfinished and (mistaken or isinstance(error, errors.UsageError)):
        store.remove()
    else:
        store.close()


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
    types: Sequence[EntityType] | None = None,
    describe: bool | None = None,
    window: int | None = None,
    extractor: str | None = None,
    language_model: str | None = None,
    processes: int | None = None,
    batch_size: int | None = None,
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
    types, describe, window, extractor, language_model, processes, batch_size : default None
        Settings of extraction; :class:`Settings` describes each, and None leaves it as it is in `settings`.
    columns, max_document_characters, contact_details, contact_salt : default None
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
    chosen, report, target = Settings.choose(settings, locals()), progress or Quiet(), Path(output)
    format_of(target)
    sources = sources_of(inputs, chosen.columns)
    if any(map(holds_profiles, sources)):
        raise errors.documents_wanted([str(source.path) for source in sources[:5]])
    store = Store.begin(target.with_name(f"{target.name}.work"), fingerprint(sources, chosen))
    try:
        notes = ["an unfinished run with other input or settings was discarded"] if store.discarded_part else []
        notes += fill_with_documents(store, sources, chosen, report, keep=False)[0]
        documents, profiles = store.count("documents"), store.count("profiles")
        if profiles:
            report.start("writing profiles")
            write_profiles(store.profile_batches(), target)
    except BaseException as error:
        leave(store, error)
        raise
    store.remove()
    if not profiles:
        raise errors.nothing_extracted(" or ".join(chosen.types))
    for note in notes:
        report.note(note)
    return Extraction(target, documents, profiles, notes)
