"""The stages in order: read → extract → compare → cluster → describe. Read this file first.

Stages exchange the types of model.py (stages.py has each stage by itself). The store keeps finished work, so that a
stopped run continues from there.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from crossdoc import errors
from crossdoc.cluster import registry
from crossdoc.cluster.cluster_stage import cluster
from crossdoc.cluster.clusterer import EVEN, Work
from crossdoc.compare.background import ELSEWHERE
from crossdoc.compare.evidence import ProfileEvidence
from crossdoc.compare.fields import CONTEXT
from crossdoc.compare.in_topics import Readings
from crossdoc.compare.known import LINKED
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.memory_collection import MemoryCollection
from crossdoc.compare.unread import profile_notes
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.engine import Engine
from crossdoc.memory import return_large, return_unused
from crossdoc.model import (
    Documents,
    EntityType,
    Identity,
    Judgement,
    KnownEntry,
    Profiles,
)
from crossdoc.progress import Progress, Quiet
from crossdoc.read import Input, Source, read_judgements, sources_of
from crossdoc.read.clean_text import printable
from crossdoc.run.comparing import clash_bound, compare_stored, keep_statistics, known_entries, link_known
from crossdoc.run.former_ids import FormerIds
from crossdoc.run.reading import check_kinds, fill_with_documents, fill_with_profiles, source_notes
from crossdoc.run.resolution import Resolution
from crossdoc.run.stages import (
    LINKS_METHOD,
    described,
    has_names_and_contexts_only,
    is_left_open,
    links_note,
    measure_bags,
    run_fills,
)
from crossdoc.settings import AnnotationFormat, ContactDetails, Settings, takes_settings
from crossdoc.store import Run, Store
from crossdoc.store.folder import FolderStore, check_target
from crossdoc.store.runs import now
from crossdoc.store.schema import as_table
from crossdoc.store.store import until_current
from crossdoc.version import __version__

if TYPE_CHECKING:
    from crossdoc.cluster.bags.held_out import BagFit

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
    if alone:
        return Resolver(*given).run(inputs, output)
    if not isinstance(engine, str):
        return Resolver(*given, engine=engine).run(inputs, output)
    if engine != "ray":
        raise errors.unknown_choice("engine", engine, ["local", "ray"])
    from crossdoc.engine.ray_engine import RayEngine

    with RayEngine(address, storage=check_target(output).resolve().parent) as cluster_of_nodes:
        return Resolver(*given, engine=cluster_of_nodes).run(inputs, output)


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
    engine : Engine or None, default None
        Where the tasks of a run over parts of the input run; None is a single part in this process.

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
    engine: Engine | None = None

    def __post_init__(self) -> None:
        self.clusterer = self.settings.clusterer()
        self.report = self.progress or Quiet()
        self.given_profiles = False
        self.words = ContextVectoriser()
        """Document frequencies, counted while the input is read."""
        self.documents: Documents | None = None
        """All documents, if they fit in memory."""
        self.before = FormerIds()
        self.given_names: dict[str, tuple[int, str]] = {}

    @property
    def _compares(self) -> bool:
        """Whether the method uses more than names."""
        return self.clusterer.method.compares

    def run(self, inputs: Iterable[Input], output: AnyPath | None = None) -> Resolution:
        started = now()
        return_large()
        sources = sources_of(inputs, self.settings.format, self.settings.columns)
        store = self._begin(output, fingerprint(sources, self.settings, self.name, self.model, self.known))
        try:
            if store.discarded_part:
                self.notes.append("an unfinished run with other input or settings was discarded")
            self._read(store, sources)
            return_unused()
            judgements = self._judgements(store, output)
            store.keep_answers_under(_judgements_hash(judgements))
            model = self._resolve(store, judgements, None if output is None else Path(output))
            self.notes.extend(self._soft_notes(judgements))
            self.notes.append(self._method_note(model))
            store.save_events(self.before.events(store.entity_of()), "a new run")
            for note in self.notes:
                self.report.note(note)
            store.save_run(self._account(started, sources, model))
            store.finish()
        except BaseException as error:
            leave(store, error)
            raise
        if self.before.ids:
            self._catch_up(store, judgements)
        return Resolution(store)

    def _begin(self, output: AnyPath | None, fingerprint: str) -> Store:
        if self.engine is not None:
            return FolderStore.begin(check_target(output), fingerprint)
        return Store.memory() if output is None else Store.begin(output, fingerprint)

    @until_current
    def _catch_up(self, store: Store, judgements: Sequence[Judgement]) -> None:
        """Apply judgements that were made during this run and carried over with the log."""
        from crossdoc.run.revise import Revision

        located = store.located()
        if {*map(_content, located.judgements)} != {*map(_content, judgements)} or located.names != self.given_names:
            Revision(store, self.progress).catch_up(judgements, self.given_names)

    # -- read and extract ------------------------------------------------------------------------------------------

    def _read(self, store: Store, sources: Sequence[Source]) -> None:
        self.given_profiles = check_kinds(sources, self.name)
        if isinstance(store, FolderStore):
            self._read_parts(store, sources)
        elif self.given_profiles:
            self.notes.extend(fill_with_profiles(store, sources, self.settings, self.words, self.report))
        else:
            notes, self.documents = fill_with_documents(
                store, sources, self.settings, self.name, self.report, words=self.words
            )
            self.notes.extend(notes)
        if not store.count("profiles"):
            raise errors.nothing_extracted(" or ".join(self.settings.types))

    def _read_parts(self, store: FolderStore, sources: Sequence[Source]) -> None:
        from crossdoc.run.partition_driver import PartitionDriver
        from crossdoc.run.partitions import TaskContext

        assert self.engine is not None
        assert store.path is not None
        how = TaskContext(store.path, self.settings, self.name, self.model, store.salt(), not self.given_profiles)
        self.driver = PartitionDriver(self.engine, store, how, self.report)
        # Notes of the tasks are notes of the run.
        self.driver.notes = self.notes
        self.notes.extend(source_notes(sources) if how.documents else ())
        self.driver.read(sources)

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
        """Take over judgements, names given to identities, and ids from the result that is being replaced.

        A folder of Parquet files cannot be changed after its run, so that there are none.
        """
        if output is None or self.engine is not None or not Path(output).exists():
            return []
        with Store.open(output) as old:
            located = store.located(old.entries())
            self.before = FormerIds.of(old, store.named())
        self.given_names = located.names
        if located.unmatched:
            self.notes.append(unmatched_note(len(located.unmatched), output))
        return located.judgements

    # -- compare, cluster, describe --------------------------------------------------------------------------------

    def _resolve(self, store: Store, judgements: Sequence[Judgement], output: Path | None) -> LearnedModel:
        """Compare, cluster and describe all profiles; return the model, adapted to the collection."""
        if isinstance(store, FolderStore):
            return self._resolve_parts(store, judgements)
        collection = self.compare(store, judgements)
        self.notes.extend(collection.notes)
        self._note_profiles([collection.profiles])
        if self.known:
            self.report.start("looking for known entries", len(self.known))
            collection = link_known(store, collection, self.known, self.settings.seed)
        self.documents = None
        return_unused()
        identities, readings, linked = self._clustered(store, collection, output)
        store.save_identities(identities)
        if self._compares:
            keep_statistics(store, collection, readings, linked, topics=self.clusterer.method.scope != "type")
        return collection.model

    def compare(self, store: Store, judgements: Sequence[Judgement]) -> MemoryCollection:
        given = judgements, self.settings, self.model, self.name, self.report
        return compare_stored(store, *given, words=self.words, documents=self.documents)

    def _resolve_parts(self, store: FolderStore, judgements: Sequence[Judgement]) -> LearnedModel:
        from crossdoc.run.partition_sampling import sample

        driver = self.driver
        driver.use(replace(driver.how, judgements=tuple(judgements), known=tuple(self.known)))
        self._note_profiles(store.profile_batches())
        model = driver.compare()
        if self._may_be_links and (fit := driver.fit_of_links()) is not None:
            self._choose_method(fit, driver.profiles)
            driver.use(replace(driver.how, settings=self.settings))
        if self.known:
            store.save_known(self.known, as_table("known_odds", ()), clash_bound(model), LINKED)
            driver.link()
        if self.clusterer.name not in ("sampling", "bags") or not sample(driver, self.resume):
            driver.cluster()
        store.set_meta("counted", str(store.size))
        if self._compares:
            store.set_meta("called", "all")
        return model

    def _note_profiles(self, batches: Iterable[Profiles]) -> None:
        self.notes.extend(profile_notes(batches, self.model, self.given_profiles, self.settings.window))

    @property
    def _may_be_links(self) -> bool:
        return self.given_profiles and is_left_open(self.settings)

    def _choose_method(self, fit: BagFit, profiles: int) -> None:
        """Choose the method for links, if bags explain the profiles better than names do."""
        if fit.is_better:
            self.settings = self.settings.model_copy(update={"method": LINKS_METHOD})
            self.clusterer = self.settings.clusterer()
            self.notes.append(links_note(profiles))

    def _choose_by_evidence(self, evidence: ProfileEvidence) -> dict[str, Any]:
        """Choose the method for links; return the parameters of it that were measured on the way."""
        if self._may_be_links and evidence.names and has_names_and_contexts_only(evidence.profiles):
            self.report.start("measuring what contexts explain")
            threads = self.settings.threads or os.cpu_count() or 1
            fit = measure_bags(evidence.vectors.matrix, evidence.names, self.settings.seed, threads)
            self._choose_method(fit, len(evidence))
            if fit.is_better:
                return {"words": fit.words}
        return {}

    def _clustered(
        self, store: Store, collection: MemoryCollection, output: Path | None
    ) -> tuple[list[Identity], dict[str, Readings | None], dict[str, Mapping[str, str] | None]]:
        """Cluster each type; return the identities, and by type the readings of names and the connected names.

        Types that a stopped run has finished are taken over.
        """
        facts, identities = store.facts(), list[Identity]()
        readings: dict[str, Readings | None] = {}
        linked: dict[str, Mapping[str, str] | None] = {}
        for entity_type, evidence in collection.items():
            measured = self._choose_by_evidence(evidence) if len(collection) == 1 else {}
            filled = run_fills(self.clusterer, self.settings.seed, self.model, self.settings.threads) | measured
            partition = store.partition_of(entity_type, evidence.ids)
            if partition is None:
                clustered = cluster(evidence, self.clusterer, self._work(entity_type, output), **filled)
                partition = self.before.keep(clustered.partition)
                self.notes.extend(clustered.notes)
                store.save_partition(entity_type, partition, clustered.seconds)
            readings[entity_type], linked[entity_type] = evidence.readings, evidence.linked
            identities += described(
                partition, evidence.profiles, evidence.vectors, facts, collection.model, self.given_names
            )
        return identities, readings, linked

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
    parts = [__version__, stated, *given, [source.stamp() for source in sources]]
    return hashlib.sha256(json.dumps(parts, default=_in_words).encode()).hexdigest()


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


def leave(store: Store, error: BaseException) -> None:
    """After a failure keep only the data that a later run can continue from."""
    mistaken = isinstance(error, errors.InputError) and store.is_empty
    if store.unfinished and (mistaken or isinstance(error, errors.UsageError)):
        store.remove()
    else:
        store.close()
