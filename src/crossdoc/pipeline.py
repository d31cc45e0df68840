"""The stages in order: read → extract → compare → cluster → identities. Who has read this file has seen the system."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from crossdoc import errors
from crossdoc.cluster.methods import SAMPLING, WITHOUT_THRESHOLD
from crossdoc.clustering import ClusterStage
from crossdoc.compare.learned import LearnedModel
from crossdoc.extract import Extractor, NameExtractor, PluginExtractor, TextExtractor, models
from crossdoc.extract.output import format_of, write_profiles
from crossdoc.extract.parsed import chain_entities
from crossdoc.extraction import extractor_for
from crossdoc.model import Document, Documents, Judgement, Mentions, Profiles, rows_of
from crossdoc.progress import Progress, Quiet
from crossdoc.read import DocumentReader, Source, find_sources, read_judgements, read_profiles
from crossdoc.read.documents import holds_profiles
from crossdoc.read.text import printable
from crossdoc.resolution import Resolution
from crossdoc.settings import Settings
from crossdoc.store import Run, Store
from crossdoc.store.store import now
from crossdoc.version import __version__

AnyPath = str | os.PathLike[str]


def resolve(
    *inputs: AnyPath,
    name: str | None = None,
    output: AnyPath | None = None,
    constraints: Sequence[Judgement] | AnyPath = (),
    model: AnyPath | None = None,
    settings: AnyPath | Settings | None = None,
    resume: bool = False,
    progress: Progress | None = None,
    **overrides: Any,
) -> Resolution:
    """Say who is who in documents, or in profiles that another extractor made.

    Parameters
    ----------
    inputs : folders, or files of documents or profiles (`crossdoc formats`).
    name : resolve one ambiguous name, one profile a document, as in web people search.
    output : the .crossdoc file to write; without it the answer stays in memory.
    constraints : judgements that the answer has to honour, or a file of them.
    model : a file of learned values in place of the one that comes with crossdoc.
    resume : let sampling go on from where it was stopped (by its time limit, Ctrl-C or a crash).
    settings : a crossdoc.toml or a `Settings`; further keyword arguments override single settings.

    Example
    -------
    ``crossdoc.resolve("docs/").find("John Smith")``
    """
    if not inputs:
        raise errors.no_inputs()
    chosen = _chosen(settings, overrides)
    if isinstance(constraints, str | os.PathLike):
        constraints = read_judgements(Path(constraints))
    if resume and chosen.method != SAMPLING:
        raise errors.nothing_to_resume(chosen.method)
    learned = LearnedModel.load(None if model is None else Path(model))
    return Resolver(chosen, name, constraints, learned, progress, resume).run(inputs, output)


@dataclass(frozen=True, slots=True)
class Extraction:
    """What `extract_profiles` has written."""

    output: Path
    documents: int
    profiles: int
    notes: list[str]


def extract_profiles(
    *inputs: AnyPath,
    output: AnyPath,
    settings: AnyPath | Settings | None = None,
    progress: Progress | None = None,
    **overrides: Any,
) -> Extraction:
    """Read documents and write their profiles (.parquet or .jsonl), which `resolve` takes as its input.

    However many documents there are, memory holds a batch of them. A stopped run leaves ``OUTPUT.work.part`` behind,
    and the same call goes on from there.

    Example
    -------
    ``crossdoc.pipeline.extract_profiles("docs/", output="profiles.parquet")``
    """
    return Resolver(_chosen(settings, overrides), progress=progress).extract(inputs, output)


def _chosen(settings: AnyPath | Settings | None, overrides: dict[str, Any]) -> Settings:
    if isinstance(settings, Settings):
        return Settings.load(None, **{**settings.model_dump(), **overrides})
    return Settings.load(None if settings is None else Path(settings), **overrides)


@dataclass
class Resolver:
    """One run from inputs to identities, or to profiles."""

    settings: Settings
    name: str | None = None
    judgements: Sequence[Judgement] = ()
    model: LearnedModel = field(default_factory=LearnedModel.default)
    progress: Progress | None = None
    resume: bool = False

    def run(self, inputs: Iterable[AnyPath], output: AnyPath | None = None) -> Resolution:
        report = self.progress or Quiet()
        notes: list[str] = []
        started = now()
        if self.settings.threshold is not None and self.settings.method in WITHOUT_THRESHOLD:
            raise errors.no_threshold(self.settings.method)
        sources = find_sources(inputs)
        store = Store.memory() if output is None else Store.begin(output, self._fingerprint(sources))
        try:
            if store.discarded_part:
                notes.append("an unfinished run with other input or settings was discarded")
            self._read(store, sources, report, notes)
            judgements = self._judgements(store, output)
            target = None if output is None else Path(output)
            stage = ClusterStage(self.settings, self.model, self.name, report, notes, target, self.resume)
            learned = stage.run(store, judgements)
            for note in notes:
                report.note(note)
            told = self.settings.model_dump(exclude={"contact_salt"})
            settings = json.dumps({**told, "name": self.name, "learned": learned.model_dump()})
            paths = [printable(str(source.path)) for source in sources[:1000]]
            run = Run(started, now(), __version__, self.settings.method, self.settings.seed, settings, paths, notes)
            store.save_run(run)
            store.finish()
        except BaseException as error:
            _leave(store, error)
            raise
        return Resolution(store)

    def extract(self, inputs: Iterable[AnyPath], output: AnyPath) -> Extraction:
        """The reading stage alone: profiles in a file of their own."""
        report = self.progress or Quiet()
        notes: list[str] = []
        target = Path(output)
        format_of(target)
        sources = find_sources(inputs)
        if any(map(holds_profiles, sources)):
            raise errors.documents_wanted([str(source.path) for source in sources[:5]])
        store = Store.begin(target.with_name(f"{target.name}.work"), self._fingerprint(sources))
        with store:
            if store.discarded_part:
                notes.append("an unfinished run with other input or settings was discarded")
            self._read_documents(store, sources, report, notes, keep=False)
            documents, profiles = store.count("documents"), store.count("profiles")
            if profiles:
                report.start("writing profiles")
                write_profiles(store.profile_batches(), target)
        store.remove()
        if not profiles:
            raise errors.nothing_extracted(" or ".join(self.settings.types))
        for note in notes:
            report.note(note)
        return Extraction(target, documents, profiles, notes)

    def _fingerprint(self, sources: Sequence[Source]) -> str:
        """The same input and settings give the same one, so that a stopped run can be told from another."""
        files = [(str(s.path.resolve()), s.path.stat().st_size, s.path.stat().st_mtime_ns) for s in sources]
        told = [
            __version__,
            self.settings.model_dump(exclude={"time_limit"}),
            self.name,
            self.model.model_dump(),
            files,
        ]
        return hashlib.sha256(json.dumps(told).encode()).hexdigest()

    # -- read and extract ------------------------------------------------------------------------------------------

    def _read(self, store: Store, sources: Sequence[Source], report: Progress, notes: list[str]) -> None:
        kinds = {holds_profiles(source) for source in sources}
        if kinds == {True, False}:
            raise errors.mixed_inputs([str(source.path) for source in sources[:5]])
        if kinds == {True}:
            if self.name is not None:
                raise errors.name_needs_documents()
            self._read_profiles(store, sources, report)
        else:
            self._read_documents(store, sources, report, notes)
        if not store.count("profiles"):
            raise errors.nothing_extracted(" or ".join(self.settings.types))

    def _read_profiles(self, store: Store, sources: Sequence[Source], report: Progress) -> None:
        report.start("reading profiles")
        known = set(store.profiles().ids)
        for batch in read_profiles(sources):
            new = batch.take(np.flatnonzero([id not in known for id in batch.ids])) if known else batch
            with store.batch():
                store.add_profiles(self._of_wanted_types(new))
            report.advance(len(batch))

    def _of_wanted_types(self, profiles: Profiles) -> Profiles:
        """Profiles of the types asked for; a profile that does not say its type is kept."""
        types = profiles.column("type").to_pylist()
        return profiles.take(np.flatnonzero([t is None or t in self.settings.types for t in types]))

    def _read_documents(
        self, store: Store, sources: Sequence[Source], report: Progress, notes: list[str], *, keep: bool = True
    ) -> None:
        """Fill the store; unless `keep`, with profiles and the ids of the documents that are done, and no more."""
        settings = self.settings
        reader = DocumentReader(
            sources,
            batch_size=settings.batch_size,
            max_document_characters=settings.max_document_characters,
            chain=chain_entities,
        )
        extractor = extractor_for(settings, self.name, store.salt(), describe=self.model.ensemble is not None)
        done = store.document_ids()
        # One file a document is known beforehand, so the bar can show how much is left.
        total = len(sources) if all(source.kind in ("text", "html") for source in sources) else None
        report.start("reading documents", total)
        for batch in reader:
            new = batch.take(np.flatnonzero([id not in done for id in batch.ids])) if done else batch
            if len(new):
                self._store_batch(store, new, extractor, keep)
            report.advance(len(batch))
        copies = store.duplicates("profiles")
        if copies and isinstance(extractor, PluginExtractor):
            raise errors.bad_extraction(extractor.name, [f"the profile id {id!r} stands for several" for id in copies])
        if copies:
            raise errors.duplicate_ids("The mentions of different documents", copies)
        notes.extend(f"left out: {problem}" for problem in reader.skipped)
        notes.extend(f"{count:,} {what}" for what, count in reader.notes.items())
        if done:
            notes.append(f"{len(done):,} documents were already there from an earlier, stopped run")
        if isinstance(extractor, NameExtractor) and extractor.without_name:
            missing = extractor.without_name
            shown = ", ".join(missing[:5]) + (" …" if len(missing) > 5 else "")
            notes.append(
                f"{len(missing):,} documents do not contain {self.name!r} and are compared by their whole text: {shown}"
            )
        if isinstance(extractor, TextExtractor):
            for language, count in sorted(extractor.unread_languages.items()):
                notes.append(
                    f"{count:,} documents in language {language!r} were read with the English model; "
                    f"for a better answer: {models.how_to_install(language)}"
                )

    def _store_batch(self, store: Store, documents: Documents, extractor: Extractor, keep: bool) -> None:
        mentions, profiles = extractor.extract(documents)
        # Mentions that came with the documents, and a foreign extractor's, may be of any type.
        profiles = self._of_wanted_types(profiles)
        with store.batch():
            if keep:
                store.add_documents(documents)
                store.add_mentions(Mentions(rows_of(mentions.arrow, profiles.ids, "chain")))
            else:
                store.add_documents(Documents.of(Document(id, "") for id in documents.ids))
            store.add_profiles(profiles)

    # -- judgements ------------------------------------------------------------------------------------------------

    def _judgements(self, store: Store, output: AnyPath | None) -> list[Judgement]:
        """Those given now, which must fit the profiles, and those in the log of the result that is being replaced."""
        known = set(store.profiles().ids)
        unknown = sorted({id for j in self.judgements for id in (j.a, j.b)} - known)
        if unknown:
            raise errors.unknown_profiles("The constraints", unknown)
        logged: list[Judgement] = []
        if output is not None and Path(output).exists():
            with Store.open(output) as old:
                logged = [judgement for _, judgement in old.judgements()]
        said = {(j.a, j.b, j.verdict, j.hard, j.weight) for j in logged}
        new = [j for j in self.judgements if (j.a, j.b, j.verdict, j.hard, j.weight) not in said]
        store.stage_judgements(new)
        return [*logged, *new]


def _leave(store: Store, error: BaseException) -> None:
    """After a failure keep what a later run can go on from, and nothing else."""
    mistaken = isinstance(error, errors.UsageError | errors.InputError)
    if mistaken and store.unfinished and not store.count("profiles"):
        store.remove()
    else:
        store.close()
