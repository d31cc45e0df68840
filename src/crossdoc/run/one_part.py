"""A run whose input is one part, in this process: its profiles are compared in memory.

It has the stages of `PartitionDriver`, which runs them over many parts; `resolve.py` has them in order.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crossdoc.cluster.cluster_stage import cluster
from crossdoc.cluster.clusterer import Clusterer, Work
from crossdoc.compare.evidence import ProfileEvidence
from crossdoc.compare.in_topics import Readings
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.model import Documents, Identity, Judgement, KnownEntry, Profiles
from crossdoc.model.lineage import FormerIds
from crossdoc.progress import Progress
from crossdoc.read import Source
from crossdoc.run.comparing import compare_stored, keep_statistics, link_known
from crossdoc.run.reading import fill_with_documents, fill_with_profiles
from crossdoc.run.stages import described, measure_bags, run_fills
from crossdoc.settings import Settings
from crossdoc.store import Store

if TYPE_CHECKING:
    from crossdoc.cluster.bags.held_out import BagFit


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
