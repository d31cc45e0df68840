"""A run whose input is one part, in this process: its profiles are compared in memory.

It has the stages of `PartitionDriver`, which runs them over many parts; `resolve.py` has them in order.

Compare what a store holds: the collection in memory, its links to a known list, and the statistics that are kept.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crossdoc.cluster.clusterer import Clusterer, Work, cluster
from crossdoc.compare.evidence import ProfileEvidence
from crossdoc.compare.known import LINKED, apart_by_entries, known_table
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.memory_collection import DocumentTexts, MemoryCollection, compare
from crossdoc.compare.statistics import all_readings, linked_rows, topic_rows
from crossdoc.compare.story_evidence import Readings
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.model import Documents, Identity, Judgement, KnownEntry, Profiles, rows_of
from crossdoc.model.partition import FormerIds
from crossdoc.progress import Progress, shortage
from crossdoc.read import Source, read_known
from crossdoc.run.reading import fill_with_documents, fill_with_profiles
from crossdoc.run.stages import bystanders, compiled, described, measure_bags, run_fills
from crossdoc.settings import Settings
from crossdoc.store import Store

if TYPE_CHECKING:
    from crossdoc.cluster.bags.informative_words import BagFit


def compare_stored(
    store: Store,
    judgements: Sequence[Judgement],
    settings: Settings,
    model: LearnedModel,
    name: str | None,
    report: Progress,
    *,
    words: ContextVectoriser | None = None,
    documents: Documents | None = None,
    others: Profiles | None = None,
) -> MemoryCollection:
    """Compare all profiles of a store.

    Parameters
    ----------
    words : the document frequencies of all words, if they were counted before.
    documents : the documents, if they are in memory; otherwise texts are read from the store.
    others : under one name, other people in its documents; they are found if they are not given.
    """
    profiles = store.profiles()
    if short := shortage(len(profiles), profiles.arrow.nbytes):
        report.note(short)
    background = settings.background and settings.clusterer().method.compares
    if background and name is not None and model.ensemble is None and others is None:
        others = find_others(store, documents, name, settings.window)
    source = store if store.count("documents") else None
    return compare(
        profiles,
        source if documents is None or source is None else DocumentTexts(documents),
        model=model,
        constraints=compiled(judgements, profiles),
        one_name=name is not None,
        others=others,
        background=background,
        seed=settings.seed,
        progress=report,
        words=words,
    )


def find_others(store: Store, documents: Documents | None, name: str, window: int) -> Profiles:
    """Return other people in the documents of one name."""
    if documents is None:
        return bystanders(store.each_document(), store.documents, name, window)
    return bystanders(documents, lambda ids: Documents(rows_of(documents.arrow, ids)), name, window)


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


def link_known(
    store: Store, collection: MemoryCollection, entries: Sequence[KnownEntry], seed: int
) -> MemoryCollection:
    """Save the odds of profiles being known entries; profiles of two entries are kept apart."""
    odds = collection.known_odds(list(entries), seed=seed)
    store.save_known(entries, known_table(odds, collection.profiles, entries), clash_bound(collection.model), LINKED)
    return collection.kept_apart(apart_by_entries(odds, collection.constraints.group))


def clash_bound(model: LearnedModel) -> float:
    """Return the log odds against an entry of a profile whose name clashes."""
    names = model.names or LearnedModel.default().names
    return names.bound if names else 0.0


def keep_statistics(
    store: Store,
    collection: MemoryCollection,
    readings: Mapping[str, Readings | None],
    linked: Mapping[str, Mapping[str, str] | None],
    *,
    topics: bool,
) -> None:
    """Save the statistics of the collection, so that a subset can be compared as in the full collection.

    `readings` and `linked` have, by type, the readings of names and the connected names that clustering has found.
    """
    store.save_statistics(collection.statistics.tables())
    for entity_type, names in linked.items():
        store.add_statistics({"linked_names": linked_rows({}, names or {}, entity_type)})
    if topics and (kept := collection.topics) is not None:
        store.save_table("document_topics", topic_rows(kept.of), topics_cut=repr(kept.cut))
        if (rows := all_readings(readings)) is not None:
            store.save_table("readings", rows, readings="all")


@dataclass(frozen=True)
class RunContext:
    """Settings and data that the stages of a run need, also in tasks on other machines."""

    folder: Path
    """Folder of the parts of the input, if there are several."""
    settings: Settings
    name: str | None
    model: LearnedModel
    salt: bytes
    documents: bool
    """Whether documents are read, and not profiles."""
    judgements: tuple[Judgement, ...] = ()
    known: tuple[KnownEntry, ...] = ()
    before: FormerIds = field(default_factory=FormerIds)
    given_names: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    """Names that users gave to identities."""
    measured: Mapping[str, Any] = field(default_factory=dict)
    """Parameters of the method that were measured when it was chosen."""

    @property
    def clusterer(self) -> Clusterer:
        return self.settings.clusterer()

    @property
    def compares(self) -> bool:
        """Whether the method uses more than names."""
        return self.clusterer.method.compares

    @property
    def counts(self) -> bool:
        """Whether words and names are counted, for the method or for the known list."""
        return self.compares or bool(self.known)

    def filled(self, model: LearnedModel, threads: int) -> dict[str, Any]:
        """Return the parameters of the method that the run sets if the user did not."""
        return {**run_fills(self.clusterer, self.settings.seed, model, threads), **self.measured}


class OnePart:
    """The stages of a run over one part.

    Parameters
    ----------
    store : the result.
    how : settings and data.
    notes : notes of the run, which are appended to.
    output : the file of the result; methods that can resume keep checkpoints next to it.
    """

    def __init__(
        self, store: Store, how: RunContext, report: Progress, notes: list[str], output: Path | None, resume: bool
    ) -> None:
        self.store, self.how, self.report, self.notes = store, how, report, notes
        self.output, self.resume = output, resume
        self.words = ContextVectoriser()
        """Document frequencies, counted while the input is read."""
        self.documents: Documents | None = None
        """All documents, if they fit in memory."""
        self._made: dict[str, ProfileEvidence] = {}

    def use(self, how: RunContext) -> None:
        """Use other settings or data in the stages that follow."""
        self.how = how

    def read(self, sources: Sequence[Source]) -> None:
        how, report = self.how, self.report
        if how.documents:
            notes, self.documents = fill_with_documents(
                self.store, sources, how.settings, how.name, report, words=self.words
            )
        else:
            notes = fill_with_profiles(self.store, sources, how.settings, self.words, report)
        self.notes.extend(notes)

    def compare(self) -> LearnedModel:
        """Compare all profiles; return the model, adapted to the collection."""
        how = self.how
        self.collection = compare_stored(
            self.store, how.judgements, how.settings, how.model, how.name, self.report, words=self.words,
            documents=self.documents,
        )  # fmt: skip
        self.notes.extend(self.collection.notes)
        return self.collection.model

    def batches(self) -> Iterable[Profiles]:
        """All profiles."""
        return [self.collection.profiles]

    def fit_of_links(self) -> BagFit | None:
        """Measure how well bags explain the profiles; None if they are no links."""
        if not self.store.has_links_only():
            return None
        self.report.start("measuring what contexts explain")
        evidence = self._made[""] = self.collection[""]
        if not evidence.names:
            return None
        threads = self.how.settings.threads or os.cpu_count() or 1
        return measure_bags(evidence.vectors.matrix, evidence.names, self.how.settings.seed, threads)

    def link(self) -> None:
        """Compare all profiles with the entries of the known list."""
        self.report.start("looking for known entries", len(self.how.known))
        self.collection = link_known(self.store, self.collection, self.how.known, self.how.settings.seed)
        self._made.clear()

    def cluster(self) -> None:
        """Cluster and describe the profiles of each type; types that a stopped run has clustered are taken over."""
        how, store, collection = self.how, self.store, self.collection
        clusterer, facts, identities = how.clusterer, store.facts(), list[Identity]()
        readings: dict[str, Readings | None] = {}
        linked: dict[str, Mapping[str, str] | None] = {}
        for entity_type in collection:
            evidence = self._made.pop(entity_type, None) or collection[entity_type]
            partition = store.partition_of(entity_type, evidence.ids)
            if partition is None:
                filled = how.filled(how.model, how.settings.threads)
                clustered = cluster(evidence, clusterer, self._work(entity_type, clusterer), **filled)
                partition = how.before.keep(clustered.partition)
                self.notes.extend(clustered.notes)
                store.save_partition(entity_type, partition, clustered.seconds)
            readings[entity_type], linked[entity_type] = evidence.readings, evidence.linked
            identities += described(
                partition, evidence.profiles, evidence.vectors, facts, collection.model, how.given_names
            )
        store.save_identities(identities)
        if how.compares:
            keep_statistics(store, collection, readings, linked, topics=clusterer.method.scope != "type")

    def _work(self, entity_type: str, clusterer: Clusterer) -> Work:
        kept = None
        if self.output is not None and clusterer.method.resumable:
            kept = self.output.with_name(f"{self.output.name}.{entity_type or 'profile'}.{clusterer.name}")
        settings = self.how.settings
        return Work(settings.max_block, settings.threads, self.report, kept, self.resume)
