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
from crossdoc.cluster.clusterer import EVEN, Clusterer
from crossdoc.cluster.methods import method_named
from crossdoc.compare.background import ELSEWHERE
from crossdoc.compare.fields import CONTEXT
from crossdoc.compare.learned import LearnedModel, profile_notes
from crossdoc.engine import Engine
from crossdoc.model import (
    EntityType,
    Judgement,
    KnownEntry,
)
from crossdoc.model.partition import FormerIds
from crossdoc.progress import Progress, Quiet, return_large, return_unused
from crossdoc.read import Input, Source, read_judgements, sources_of
from crossdoc.read.clean_text import printable
from crossdoc.run.one_part import OnePart, RunContext, known_entries
from crossdoc.run.reading import check_kinds
from crossdoc.run.resolution import Resolution
from crossdoc.run.stages import (
    LINKS_METHOD,
    is_left_open,
    links_note,
)
from crossdoc.settings import AnnotationFormat, ContactDetails, Settings, takes_settings
from crossdoc.store import Run, Store
from crossdoc.store.folder import FolderStore, check_target
from crossdoc.store.history_table import now
from crossdoc.store.store import until_current
from crossdoc.version import __version__

if TYPE_CHECKING:
    from crossdoc.run.partition_driver import PartitionDriver

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
    if resume and alone and not method_named(chosen.method).resumable:
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
    """One run from inputs to identities: the stages in order. It is run once.

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
    engine : Engine or None, default None
        Where the tasks of a run over parts of the input run; None is a single part in this process.
    notes : list[str], optional
        What the run has to say; it is appended to.

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
    engine: Engine | None = None
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.report = self.progress or Quiet()
        self.before = FormerIds()
        self.given_names: dict[str, tuple[int, str]] = {}

    def run(self, inputs: Iterable[Input], output: AnyPath | None = None) -> Resolution:
        started = now()
        return_large()
        sources = sources_of(inputs, self.settings.format, self.settings.columns)
        store = self._begin(output, fingerprint(sources, self.settings, self.name, self.model, self.known))
        try:
            if store.discarded_part:
                self.notes.append("an unfinished run with other input or settings was discarded")
            has_profiles = check_kinds(sources, self.name)
            stages = self.stages(store, None if output is None else Path(output), documents=not has_profiles)
            stages.read(sources)
            if not store.count("profiles"):
                raise errors.nothing_extracted(" or ".join(self.settings.types))
            return_unused()
            judgements = self._judgements(store, output)
            store.keep_answers_under(_judgements_hash(judgements))
            stages.use(
                replace(stages.how, judgements=tuple(judgements), before=self.before, given_names=self.given_names)
            )
            model = stages.compare()
            self.notes.extend(profile_notes(stages.batches(), self.model, has_profiles, self.settings.window))
            if has_profiles and is_left_open(self.settings):
                self._choose_method(stages, store.count("profiles"))
            if self.known:
                stages.link()
            return_unused()
            stages.cluster()
            self.notes.extend(self._last_notes(judgements, model))
            store.save_events(self.before.events(store.entity_of()) if self.before.ids else [], "a new run")
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

    def stages(self, store: Store, output: Path | None, *, documents: bool) -> OnePart | PartitionDriver:
        """Return the stages over the only part of the input, or over many."""
        how = RunContext(
            store.path or Path(), self.settings, self.name, self.model, store.salt(), documents, known=tuple(self.known)
        )
        if self.engine is None:
            return OnePart(store, how, self.report, self.notes, output, self.resume)
        from crossdoc.run.partition_driver import PartitionDriver

        assert isinstance(store, FolderStore)
        return PartitionDriver(self.engine, store, how, self.report, self.notes, self.resume)

    def _choose_method(self, stages: OnePart | PartitionDriver, profiles: int) -> None:
        """Choose the method for links, if bags explain the profiles better than names do."""
        fit = stages.fit_of_links()
        if fit is not None and fit.is_better:
            self.settings = self.settings.model_copy(update={"method": LINKS_METHOD})
            self.notes.append(links_note(profiles))
            stages.use(replace(stages.how, settings=self.settings, measured={"words": fit.words}))

    @until_current
    def _catch_up(self, store: Store, judgements: Sequence[Judgement]) -> None:
        """Apply judgements that were made during this run and carried over with the log."""
        from crossdoc.run.revise import Revision

        located = store.located()
        if {*map(_content, located.judgements)} != {*map(_content, judgements)} or located.names != self.given_names:
            Revision(store, self.progress).catch_up(judgements, self.given_names)

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

        A folder of Parquet files cannot be changed after its run, so that there is nothing to take over.
        """
        if output is None or self.engine is not None or not Path(output).exists():
            return []
        with Store.open(output) as old:
            located = store.located(old.entries())
            self.before = FormerIds.of(old.entity_of(), old.named(), old.ages(), store.named())
        self.given_names = located.names
        if located.unmatched:
            self.notes.append(unmatched_note(len(located.unmatched), output))
        return located.judgements

    # -- what a run says of itself ---------------------------------------------------------------------------------

    def _last_notes(self, judgements: Sequence[Judgement], model: LearnedModel) -> list[str]:
        clusterer = self.settings.clusterer()
        note = method_note(clusterer, model)
        if clusterer.method.soft or all(judgement.hard for judgement in judgements):
            return [note]
        return [f"soft constraints have no effect with the method {clusterer.name}", note]

    def _account(self, started: str, sources: Sequence[Source], model: LearnedModel) -> Run:
        chosen = self.settings.model_dump(exclude={"contact_salt"})
        settings = json.dumps({**chosen, "name": self.name, "learned": model.model_dump()}, default=_in_words)
        paths = [printable(str(source.path)) for source in sources[:1000]]
        seed = self.settings.seed
        return Run(started, now(), __version__, self.settings.method, seed, settings, paths, self.notes)


def method_note(clusterer: Clusterer, model: LearnedModel) -> str:
    """Return a note on the method, its threshold, and what that was measured against."""
    method = clusterer.method
    if not method.compares:
        return f"method {method.name}: {method.about[0].lower()}{method.about[1:].rstrip('.')}"
    compared = "names, contexts and relations" if model.ensemble is None else "an ensemble of specialists"
    note = f"method {method.name} over {compared}"
    if clusterer.threshold is None:
        return note
    at, why = model.threshold.get(method.name, EVEN), "even odds"
    if clusterer.threshold in clusterer.parameters:
        at, why = clusterer.parameters[clusterer.threshold], "given"
    elif method.name in model.threshold:
        why = f"learned on {model.learned_on['threshold']}"
    note += f", threshold {at:g} ({why})"
    if model.ensemble is None:
        even, here = model.fields[CONTEXT].cosine_at(0.0), model.learned_on.get("background", ELSEWHERE)
        note += f"; apart from names, a cosine of {even:.3f} between contexts means even odds (measured against {here})"
    return note


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
