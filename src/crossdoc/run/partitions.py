"""Tasks of a run over parts of the input: each reads, extracts, counts, compares, clusters or describes one part.

A part of the input has a number, under which its documents, mentions and profiles lie in the folder of the answer. A
task writes its part completely or not at all, and writes the same if it is run again. Tasks call the functions that one
machine calls on its only part; `partition_driver.py` starts them.
"""

from __future__ import annotations

import heapq
import os
import pickle
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow.parquet as pq
from scipy import sparse

from crossdoc.cluster.bags.informative_words import BagFit
from crossdoc.cluster.clusterer import Work, cluster, parts_of
from crossdoc.compare.background import adapted, measure_background
from crossdoc.compare.collection import CollectionNames, evidence, have_contexts, names_evidence, probability_asked
from crossdoc.compare.evidence import ProfileEvidence
from crossdoc.compare.fit import fit
from crossdoc.compare.known import known_table
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.statistics import Statistics
from crossdoc.compare.stories import Topics
from crossdoc.compare.story_evidence import Readings
from crossdoc.compare.vectors import ContextVectoriser, count_usual_words
from crossdoc.extract.corrections import with_settled_types
from crossdoc.model import Mentions, Profiles
from crossdoc.model.evidence_protocol import Constraints
from crossdoc.names import in_one_spelling
from crossdoc.read import Source
from crossdoc.read.slices import lines_in
from crossdoc.run.one_part import RunContext
from crossdoc.run.reading import (
    Batches,
    Capitals,
    KeptDocuments,
    Reading,
    extract_documents,
    extractor_for,
    take_profiles,
)
from crossdoc.run.stages import (
    bystanders,
    described,
    measure_bags,
)
from crossdoc.run.stored_collection import StoredCollection
from crossdoc.store import Store
from crossdoc.store.answers import identity_rows, membership_rows
from crossdoc.store.folder import RAW, FolderStore, part_file, write_part

Ints = npt.NDArray[np.int64]
PAIRS_IN_A_BUNDLE = 2_000_000
MOST_BUNDLES = 512
OF_THE_RUN = 999_999
"""Part number for data of the run itself, outside all parts of the input."""
MOST_ESTIMATED = 2_000_000
"""Rows on which one task estimates a parameter."""


def task_extractor(how: RunContext) -> Any:
    # A task is one process.
    alone = how.settings.model_copy(update={"processes": 1, "threads": 1})
    return extractor_for(alone, how.name, how.salt)


def collection_of(
    how: RunContext,
    store: Store,
    model: LearnedModel,
    vectoriser: ContextVectoriser | None = None,
    *,
    topics: bool = True,
) -> StoredCollection:
    """Return the collection of all parts."""
    found = StoredCollection.judged(store, model, how.name is not None, how.judgements, uses_topics=topics)
    found._all_words = vectoriser
    return found


Part = tuple[int, Sequence[Source]]


# -- read and extract ------------------------------------------------------------------------------------------------


def count_lines(part: Part) -> int:
    return sum(map(lines_in, part[1]))


def reading_file(folder: Path, number: int) -> Path:
    """Return the file with the counts and notes of a part that was read."""
    return folder / RAW / "readings" / f"{number:06}.json"


def write_read(found: Batches, how: RunContext, number: int, reading: Reading, words: ContextVectoriser) -> None:
    """Write a part that was read completely; types are settled when all parts are read."""
    documents, mentions, profiles = found.tables
    raw = how.folder / RAW
    if how.documents:
        write_part(how.folder, "documents", number, documents.arrow.drop_columns(["mentions"]))
        write_part(raw, "mentions", number, mentions.arrow)
    counted = Statistics(words.document_count, words.document_frequency)
    write_part(raw, "word_counts", number, counted.tables()["word_counts"])
    write_part(raw, "profiles", number, profiles.arrow)
    # Written last, since it marks the part as done.
    reading.save(reading_file(how.folder, number))


def read_profile_part(part: Part, how: RunContext) -> None:
    found, words = Batches(), ContextVectoriser()
    reading = take_profiles(part[1], how.settings.types, found.add, words=words)
    write_read(found, how, part[0], reading, words)


def count_capitals(part: Part, how: RunContext) -> Capitals:
    return Capitals.of(KeptDocuments(part[1], how.settings, is_part=True))


def extract_part(part: Part, how: RunContext, capitals: Capitals | None) -> None:
    """Extract documents, mentions and profiles of a part."""
    found, words, documents = Batches(), ContextVectoriser(), KeptDocuments(part[1], how.settings, is_part=True)
    reading = extract_documents(
        documents, task_extractor(how), how.settings.types, found.add, capitals=capitals, words=words
    )
    write_read(found, how, part[0], reading, words)


def retype(number: int, how: RunContext, settled: Mapping[tuple[str, str | None], str]) -> None:
    """Put a part in its place, with the types that names have in the full collection."""
    raw = how.folder / RAW
    mentions = Mentions(pq.read_table(part_file(raw, "mentions", number))) if how.documents else Mentions.of(())
    profiles = Profiles(pq.read_table(part_file(raw, "profiles", number)))
    mentions, profiles = with_settled_types(mentions, profiles, settled)
    if how.documents:
        write_part(how.folder, "mentions", number, mentions.arrow)
    write_part(how.folder, "profiles", number, profiles.arrow)
    write_statistics(number, how, profiles)


def write_statistics(number: int, how: RunContext, profiles: Profiles) -> None:
    for table, rows in Statistics.of(profiles).tables().items() if how.counts else ():
        if len(rows):
            write_part(how.folder, table, number, rows)


# -- compare ---------------------------------------------------------------------------------------------------------


def profiles_of(folder: Path, number: int) -> Profiles:
    return Profiles(pq.read_table(part_file(folder, "profiles", number)))


def measure_links(held: Sequence[Any], how: RunContext) -> BagFit:
    """Measure how well bags explain the profiles of some parts, from their numbers and vectors."""
    numbers, *matrices = held
    parts = [profiles_of(how.folder, number).column("name").to_pylist() for number in numbers]
    names = [in_one_spelling(name or "") for part in parts for name in part]
    return measure_bags(sparse.vstack(matrices, format="csr"), names, how.settings.seed, 1)


def vectorise(folder: Path, how: RunContext) -> ContextVectoriser:
    """Return the weights of words, from the counts of all parts."""
    with FolderStore.at(folder) as store, FolderStore.at(folder / RAW) as raw:
        counted = Counter(raw.word_frequencies(None))
        vectoriser = ContextVectoriser(store.size, counted)
        if how.counts:
            tables = Statistics(store.size, counted).tables()
            write_part(folder, "word_counts", OF_THE_RUN, tables["word_counts"])
        if answers_to_one_name(how, store):
            count_usual_words(vectoriser, store.named())
    return vectoriser


def answers_to_one_name(how: RunContext, store: Store) -> bool:
    """Return whether all profiles have one name, asked for or not."""
    if how.name is not None or how.model.ensemble is not None:
        return how.name is not None
    profiles = SampledProfiles(store)
    return probability_asked(profiles) > 0 and have_contexts(profiles)


def vectors_of(number: int, how: RunContext, vectoriser: ContextVectoriser) -> sparse.csr_matrix:
    return vectoriser.transform(profiles_of(how.folder, number)).matrix


Spread = dict[str, tuple[Ints, int]]


def spread_of(held: Sequence[Any], how: RunContext) -> Spread:
    """Count the profiles of a part that have each word, and all profiles, by type."""
    number, matrix = held
    types = np.array([t or "" for t in profiles_of(how.folder, number).column("type").to_pylist()], dtype=object)
    width = matrix.shape[1]
    found = {}
    for kind in sorted(set(types)):
        rows = np.flatnonzero(types == kind)
        found[kind] = np.bincount(matrix[rows].indices, minlength=width), len(rows)
    return found


def sum_spread(held: Sequence[Spread]) -> Spread:
    total: Spread = {}
    for each in held:
        for kind, (words, rows) in each.items():
            before = total.get(kind, (0, 0))
            total[kind] = before[0] + words, before[1] + rows
    return total


@dataclass(frozen=True)
class Meeting:
    """Profiles of one bundle, with the facts about them that depend on all profiles of their type."""

    kind: str
    parts: list[Ints]
    """Rows of each part, numbered within the bundle."""
    limits: Constraints
    names: CollectionNames
    topics: Topics | None
    readings: Readings


class BundleCollection(StoredCollection):
    """The profiles of one bundle, with the topics and readings of the full collection.

    A bundle has all names that its own names can be connected with.
    """

    is_part = True
    meeting: Meeting

    def count_words(self, words: Set[str] | None) -> ContextVectoriser:
        # All words, so that the columns are those of the counts by which identities are described.
        return super().count_words(None)

    @property
    def has_topics(self) -> bool:
        return self.meeting.topics is not None and super().has_topics

    def topics_of(self, documents: Iterable[str]) -> Topics:
        assert self.meeting.topics is not None
        return self.meeting.topics

    def find_readings(self, entity_type: str, topics: Ints | None = None) -> Readings:
        return self.meeting.readings

    def read_as(self, entity_type: str, names: Set[str]) -> Set[str]:
        return {read for (_, name), read in self.meeting.readings.items() if name in names}

    def names_among(self, entity_type: str, names: Set[str]) -> Mapping[str, int]:
        return Counter(self.names.spellings)


def adapt(vectoriser: ContextVectoriser, how: RunContext) -> tuple[LearnedModel, list[str]]:
    """Return the model fitted to this collection, from a sample of its profiles."""
    with FolderStore.at(how.folder) as store:
        known = how.model.model_copy(update={"one_name": answers_to_one_name(how, store)})
        if not (how.settings.background and known.ensemble is None and how.compares):
            return known, []
        others = store.named().take([]) if known.one_name else None
        if how.name is not None:
            others = bystanders(store.each_document(), store.documents, how.name, how.settings.window)
        texts = store.texts_of if how.documents else None
        seed = how.settings.seed
        backgrounds = measure_background(
            known.fields, SampledProfiles(store), texts, vectoriser, others=others, seed=seed
        )
        model, notes = adapted(known, backgrounds)
        return fit(collection_of(how, store, model, vectoriser), backgrounds, seed), notes


class SampledProfiles(Profiles):
    """The names of all profiles of a folder; rows that are taken are read with their contexts."""

    def __init__(self, store: Store) -> None:
        super().__init__(store.named().arrow)
        self._store = store

    def take(self, rows: Any) -> Any:
        return self._store.profiles_in_order(self.ids[rows].tolist())


Adapted = tuple[LearnedModel, list[str]]


def link_part(number: int, how: RunContext, vectoriser: ContextVectoriser, adapted: Adapted) -> None:
    """Write the odds that the profiles of a part are known entries."""
    with FolderStore.at(how.folder) as store:
        collection = collection_of(how, store, adapted[0], vectoriser)
        rows = np.array(sorted(collection.row_of[id] for id in profiles_of(how.folder, number).ids), dtype=np.int64)
        odds = collection.known_odds(list(how.known), rows, seed=how.settings.seed)
        write_part(how.folder, "known_odds", number, known_table(odds, collection.names.named, how.known))


def meet(
    types: Sequence[str], how: RunContext, vectoriser: ContextVectoriser, adapted: Adapted
) -> tuple[list[bytes | None], list[str]]:
    """Find candidate profiles by names and topics: bundles of parts that share none, and their types.

    Contexts are not used here: the evidence about a bundle is made in its own task.
    """
    ensemble, found, clusterer = adapted[0].ensemble is not None, list[bytes](), how.clusterer
    kinds = list[str]()
    with FolderStore.at(how.folder) as store:
        collection = collection_of(how, store, adapted[0], vectoriser)
        for kind in types:
            rows = collection.names.rows(kind)
            if not len(rows):
                continue
            named = names_evidence(collection, kind, counts=False)
            parts = parts_of(named, clusterer)
            readings = named.readings
            if readings is None:
                readings = collection.find_readings(kind) if collection.has_topics else {}
            pairs = clusterer.method.takes == "relations" and clusterer.method.scope != "type"
            for bundle in bundled(parts, pairs, MOST_BUNDLES // len(types)):
                # Specialists need all profiles of a type to compute frequencies.
                own = np.arange(len(rows)) if ensemble else np.sort(np.concatenate([parts[at] for at in bundle]))
                documents = collection.names.named.take(rows[own]).column("document").to_pylist()
                meeting = Meeting(
                    kind, [np.searchsorted(own, parts[at]) for at in bundle], named.constraints.restrict(own),
                    collection.names.only(rows[own], kind),
                    collection.topics.only(documents) if collection.has_topics else None, readings,
                )  # fmt: skip
                # In one piece: kernels would be compiled a second time for the read-only arrays of an object store.
                found.append(pickle.dumps(meeting, protocol=5))
                kinds.append(kind)
    return [*found, *[None] * (MOST_BUNDLES - len(found))], kinds


def bundle_evidence(
    meeting: Meeting, vectoriser: ContextVectoriser, model: LearnedModel, store: Store
) -> ProfileEvidence:
    """Make the evidence about the profiles of a bundle, as it is among all of the collection."""
    collection = BundleCollection(store, model, meeting.names, meeting.limits)
    collection.meeting, collection._all_words = meeting, vectoriser
    return evidence(collection)[meeting.kind]


def bundled(parts: Sequence[Ints], pairs: bool, most: int = MOST_BUNDLES) -> list[list[int]]:
    """Group parts into bundles of similar numbers of pairs (or rows), largest first; the result is deterministic.

    >>> bundled([np.arange(3), np.arange(2)], pairs=True)
    [[0, 1]]
    """
    cost = np.array([len(rows) ** (2 if pairs else 1) for rows in parts], dtype=np.float64)
    wanted = int(np.clip(cost.sum() / PAIRS_IN_A_BUNDLE, 1, min(most, max(len(parts), 1))))
    load: list[tuple[float, int]] = [(0.0, at) for at in range(wanted)]
    bundles: list[list[int]] = [[] for _ in range(wanted)]
    for part in np.argsort(-cost, kind="stable").tolist():
        least, at = heapq.heappop(load)
        bundles[at].append(part)
        heapq.heappush(load, (least + cost[part], at))
    return bundles


# -- cluster ---------------------------------------------------------------------------------------------------------


class BundleResult(NamedTuple):
    """Counts, facts and remarks of a clustered bundle."""

    profiles: int
    facts: Sequence[Mapping[str, Any]] = ()
    remarks: Sequence[str] = ()


def cluster_bundle(
    held: Sequence[Any], how: RunContext, vectoriser: ContextVectoriser, adapted: Adapted, spread: Spread | None
) -> BundleResult:
    """Cluster the profiles of one bundle, and write their identities."""
    number, blob = held
    meeting: Meeting = pickle.loads(blob)
    settings, clusterer, parts = how.settings, how.clusterer, meeting.parts
    # All profiles of a type are one task, so that there are no more tasks than types, and processors to spare.
    threads = (os.cpu_count() or 1) if clusterer.method.scope == "type" else 1
    with FolderStore.at(how.folder) as store:
        found = bundle_evidence(meeting, vectoriser, adapted[0], store)
        rows = np.sort(np.concatenate(parts))
        if len(rows) < len(found):
            found, parts = found.part(rows), [np.searchsorted(rows, own) for own in parts]
        clustered = cluster(
            found, clusterer, Work(settings.max_block, threads), parts, **how.filled(adapted[0], threads)
        )
        facts = store.facts(found.profiles)
    usual = None if spread is None else spread.get(meeting.kind)
    identities = described(clustered.partition, found.profiles, found.vectors, facts, adapted[0], usual=usual)
    write_part(how.folder, "identities", number, identity_rows(identities))
    write_part(how.folder, "memberships", number, membership_rows(clustered.partition))
    return BundleResult(len(found), clustered.facts, clustered.remarks)
