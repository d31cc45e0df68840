"""Tasks of a partitioned run: each reads, extracts, counts, compares, clusters or describes one part.

A part of the input has a number, under which its documents, mentions and profiles lie in the folder of the answer. A
task writes its part completely or not at all, and writes the same if it is run again. `partitioned.py` has the stages
in order.
"""

from __future__ import annotations

import heapq
import os
import pickle
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from scipy import sparse

from crossdoc import errors
from crossdoc.cluster.bags.held_out import BagFit
from crossdoc.cluster.cluster_stage import ALONE_ANSWER, parts_of
from crossdoc.cluster.clusterer import Work
from crossdoc.compare.background import adapted
from crossdoc.compare.collection import CollectionNames, believed, evidence, names_evidence
from crossdoc.compare.evidence import ProfileEvidence
from crossdoc.compare.in_topics import Readings
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.statistics import Statistics
from crossdoc.compare.stories import Topics
from crossdoc.compare.unread import profile_notes
from crossdoc.compare.usual_words import count_usual_words
from crossdoc.compare.vectors import ContextVectoriser, _document_frequency
from crossdoc.extract import NameExtractor, TextExtractor
from crossdoc.extract.corrections import settled_types, with_settled_types
from crossdoc.extract.given import chain_entities
from crossdoc.extract.truecase import CaseCounts
from crossdoc.model import Document, Documents, Facts, Judgement, Mentions, Partition, Profiles, Vectors
from crossdoc.model import descriptions as identities
from crossdoc.model.constraints import Constraints
from crossdoc.names import in_one_spelling
from crossdoc.read import DocumentReader, Source, read_profiles
from crossdoc.read.records import RowNotes
from crossdoc.read.slices import lines_in
from crossdoc.run import links
from crossdoc.run.stages import bystanders, extracted, extraction_notes, extractor_for, of_types, run_fills
from crossdoc.run.stored_collection import StoredCollection
from crossdoc.settings import Settings
from crossdoc.store import Store
from crossdoc.store.answers import identity_rows, membership_rows
from crossdoc.store.folder import FolderStore, part_file, write_part

Ints = npt.NDArray[np.int64]
RAW = "raw"
"""Folder of extracted parts, before names with several types get one."""
PAIRS_IN_A_BUNDLE = 2_000_000
MOST_BUNDLES = 512


@dataclass(frozen=True)
class How:
    """Context that every task of a run needs."""

    folder: Path
    settings: Settings
    name: str | None
    model: LearnedModel
    judgements: tuple[Judgement, ...]
    salt: bytes
    documents: bool
    """Whether documents were read, and not profiles."""

    @property
    def compares(self) -> bool:
        return self.settings.clusterer().method.takes in ("relations", "vectors")


Part = tuple[int, Sequence[Source]]


class ReadPart(NamedTuple):
    """Counts and notes of a part that was read."""

    documents: int
    profiles: int
    given: int
    notes: list[str]
    rows: RowNotes


# -- read and extract ------------------------------------------------------------------------------------------------


def count_lines(part: Part) -> int:
    return sum(map(lines_in, part[1]))


def read_profile_part(part: Part, how: How) -> ReadPart:
    number, sources = part
    notes = RowNotes()
    batches = [of_types(batch, how.settings.types).arrow for batch in read_profiles(sources, notes=notes)]
    rows = pa.concat_tables([Profiles.of(()).arrow, *batches])
    write_part(how.folder, "profiles", number, rows)
    return ReadPart(0, len(rows), 0, [], notes)


def count_capitals(part: Part, how: How) -> tuple[npt.NDArray[np.uint32], Counter[str]]:
    """Count how words are capitalised, and the documents in each language."""
    cases, languages = CaseCounts(), Counter[str]()
    for batch in _reader(part, how):
        cases.update(batch.column("text").to_pylist())
        raw = batch.arrow.filter(pa.compute.is_null(batch.arrow.column("mentions")))
        languages.update(code for code in raw.column("language").to_pylist() if code)
    return cases.table, languages


def sum_capitals(
    counted: Sequence[tuple[npt.NDArray[np.uint32], Counter[str]]],
) -> tuple[npt.NDArray[np.uint32], Counter[str]]:
    return sum((table for table, _ in counted[1:]), counted[0][0]), sum((codes for _, codes in counted), Counter())


def _reader(part: Part, how: How) -> DocumentReader:
    settings = how.settings
    return DocumentReader(
        part[1],
        batch_size=settings.batch_size,
        max_document_characters=settings.max_document_characters,
        chain=chain_entities,
    )


def extract_part(part: Part, how: How, capitals: Any) -> ReadPart:
    """Extract documents, mentions and profiles of a part. All parts decide the language of documents without one."""
    settings, number = replace_processes(how.settings), part[0]
    extractor = extractor_for(settings, how.name, how.salt, describe=settings.describe and how.compares)
    if isinstance(extractor, TextExtractor) and capitals is not None:
        extractor.cases = CaseCounts()
        extractor.cases.table, languages = capitals
        extractor.languages.update(languages)
    reader = _reader(part, how)
    documents, mentions, profiles, given = [Documents.of(()).arrow], [Mentions.of(()).arrow], [Profiles.of(()).arrow], 0
    for batch in reader:
        given += len(batch) - batch.column("mentions").null_count
        found, described = extracted(extractor, batch, settings.types)
        documents.append(batch.arrow)
        mentions.append(found.arrow)
        profiles.append(described.arrow)
    if isinstance(extractor, TextExtractor) and capitals is not None:
        # Other parts report their own languages.
        extractor.languages.subtract(capitals[1])
    notes = [f"left out: {problem}" for problem in reader.skipped]
    notes += [f"{count:,} {what}" for what, count in reader.notes.items()]
    notes += extraction_notes(extractor, how.name) if isinstance(extractor, NameExtractor | TextExtractor) else []
    rows = pa.concat_tables(profiles)
    write_part(how.folder, "documents", number, pa.concat_tables(documents).drop_columns(["mentions"]))
    write_part(how.folder / RAW, "mentions", number, pa.concat_tables(mentions))
    # Written last, since it marks the part as done.
    write_part(how.folder / RAW, "profiles", number, rows)
    return ReadPart(sum(map(len, documents)), len(rows), given, notes, reader.rows)


def replace_processes(settings: Settings) -> Settings:
    """Return settings for one process, since a task is one."""
    return settings.model_copy(update={"processes": 1, "threads": 1})


def settle(folder: Path, by_votes: bool) -> dict[tuple[str, str], str]:
    """Choose one type for each name that occurs with several; ids used more than once are reported."""
    with FolderStore.at(folder / RAW) as store:
        if copies := store.duplicates("profiles"):
            raise errors.duplicate_ids("The mentions of different documents", copies)
        settled = settled_types(store.name_types()) if by_votes else {}
    with FolderStore.at(folder) as store:
        if copies := store.duplicates("documents"):
            raise errors.duplicate_ids("Different files", copies)
    return settled


def retype(number: int, folder: Path, settled: Mapping[tuple[str, str], str]) -> None:
    """Put a part in its place, with the types that names have in the full collection."""
    mentions, profiles = (pq.read_table(part_file(folder / RAW, name, number)) for name in ("mentions", "profiles"))
    typed = with_settled_types(Mentions(mentions), Profiles(profiles), settled)
    write_part(folder, "mentions", number, typed[0].arrow)
    write_part(folder, "profiles", number, typed[1].arrow)


def check_profiles(folder: Path) -> None:
    with FolderStore.at(folder) as store:
        if copies := store.duplicates("profiles"):
            raise errors.duplicate_ids("The input", copies)


# -- compare ---------------------------------------------------------------------------------------------------------


def profiles_of(folder: Path, number: int) -> Profiles:
    return Profiles(pq.read_table(part_file(folder, "profiles", number)))


def holds_names_and_contexts_only(number: int, how: How) -> bool:
    return links.has_names_and_contexts_only(profiles_of(how.folder, number))


def notes_on_profiles(parts: int, how: How) -> list[str]:
    """Return the notes on evidence that is not used and on long contexts, from all parts, one at a time."""
    batches = (profiles_of(how.folder, number) for number in range(parts))
    return profile_notes(batches, how.model, not how.documents, how.settings.window)


def measure_links(held: Sequence[Any], how: How) -> BagFit:
    """Measure how well bags explain the profiles of some parts, from their numbers and vectors."""
    numbers, *matrices = held
    parts = [profiles_of(how.folder, number).column("name").to_pylist() for number in numbers]
    names = [in_one_spelling(name or "") for part in parts for name in part]
    return links.measure_links(sparse.vstack(matrices, format="csr"), names, how.settings.seed, 1)


def count_words(number: int, how: How) -> tuple[int, Counter[str]]:
    """Count in how many texts of a part each word occurs, and write the other counts."""
    profiles = profiles_of(how.folder, number)
    if how.compares:
        for table, rows in Statistics.of(profiles).tables().items():
            if len(rows):
                write_part(how.folder, table, number, rows)
    if not how.documents:
        return _document_frequency(profiles.column("context"))
    texts = pq.read_table(part_file(how.folder, "documents", number), columns=["text"])
    return _document_frequency(texts.column("text"))


def sum_words(counted: Sequence[tuple[int, Counter[str]]]) -> tuple[int, Counter[str]]:
    total: Counter[str] = Counter()
    for _, words in counted:
        total.update(words)
    return sum(texts for texts, _ in counted), total


def vectorise(counted: tuple[int, Counter[str]], how: How, number: int) -> ContextVectoriser:
    vectoriser = ContextVectoriser.from_counts(*counted)
    if how.compares:
        write_part(how.folder, "word_counts", number, Statistics(*counted).tables()["word_counts"])
    if how.name is not None:
        with FolderStore.at(how.folder) as store:
            count_usual_words(vectoriser, store.named())
    return vectoriser


def vectors_of(number: int, how: How, vectoriser: ContextVectoriser) -> sparse.csr_matrix:
    return vectoriser.transform(profiles_of(how.folder, number)).matrix


def width_of(matrix: sparse.csr_matrix) -> int:
    return int(matrix.shape[1])


Spread = dict[str, tuple[Ints, int]]


def spread_of(held: Sequence[Any], how: How) -> Spread:
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
    row: Ints
    """Number of each profile in the corpus."""
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


def meet(
    types: Sequence[str], how: How, vectoriser: ContextVectoriser, adapted: tuple[LearnedModel, Any]
) -> tuple[list[bytes | None], int]:
    """Find candidate profiles by names and topics: bundles of parts that share none, and their number.

    Contexts are not used here: the evidence about a bundle is made in its own task.
    """
    ensemble, found = adapted[0].ensemble is not None, list[bytes | None]()
    clusterer = how.settings.clusterer()
    with FolderStore.at(how.folder) as store:
        row = store.rows_by_id()
        collection = StoredCollection.judged(store, adapted[0], how.name is not None, how.judgements, uses_topics=True)
        collection._all_words = vectoriser
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
                    kind, row[rows[own]], [np.searchsorted(own, parts[at]) for at in bundle],
                    named.constraints.restrict(own), collection.names.only(rows[own], kind),
                    collection.topics.only(documents) if collection.has_topics else None, readings,
                )  # fmt: skip
                # In one piece: kernels would be compiled a second time for the read-only arrays of an object store.
                found.append(pickle.dumps(meeting, protocol=5))
    return [*found, *[None] * (MOST_BUNDLES - len(found))], len(found)


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


class Found(NamedTuple):
    """Rows (numbers of profiles in the corpus) with their possible clusters, and their bundle."""

    row: Ints
    bundle: Ints
    start: Ints
    cluster: Ints
    weight: npt.NDArray[np.float64]

    def take(self, rows: Ints) -> Found:
        many = np.diff(self.start)[rows]
        begins = np.concatenate([[0], np.cumsum(many)]).astype(np.int64)
        cells = np.repeat(self.start[rows] - begins[:-1], many) + np.arange(begins[-1])
        return Found(self.row[rows], self.bundle[rows], begins, self.cluster[cells], self.weight[cells])


def cluster_bundle(
    held: Sequence[Any], how: How, vectoriser: ContextVectoriser, adapted: tuple[LearnedModel, Any]
) -> tuple[Found, list[Any], list[str]]:
    """Return the clusters of one bundle, facts for the method's notes, and notes."""
    number, blob = held
    meeting: Meeting = pickle.loads(blob)
    settings = how.settings
    clusterer = settings.clusterer()
    # All profiles of a type are one task, so that there are no more tasks than types, and processors to spare.
    threads = (os.cpu_count() or 1) if clusterer.method.scope == "type" else 1
    filled = run_fills(clusterer, settings.seed, adapted[0], threads)
    row, start, cluster, weight = [], [np.zeros(1, np.int64)], [], []
    facts: list[Any] = []
    notes: list[str] = []
    first = end = 0
    with FolderStore.at(how.folder) as store:
        found = bundle_evidence(meeting, vectoriser, adapted[0], store)
        for own in meeting.parts:
            answer = ALONE_ANSWER
            if len(own) > 1:
                some = found if len(own) == len(found) else found.part(own)
                answer = clusterer.partition(some, Work(settings.max_block, threads), **filled)
            facts += [answer.facts] if answer.facts else []
            notes += answer.notes
            matrix = sparse.csr_matrix(answer.membership)
            row.append(meeting.row[own])
            start.append(end + matrix.indptr[1:].astype(np.int64))
            cluster.append(first + matrix.indices.astype(np.int64))
            weight.append(matrix.data.astype(np.float64))
            first, end = first + matrix.shape[1], end + matrix.nnz
    which = np.full(sum(map(len, row)), number, dtype=np.int64)
    clusters = Found(np.concatenate(row), which, *(np.concatenate(each) for each in (start, cluster, weight)))
    return clusters, facts, notes


def found_of(answer: tuple[Found, Any, Any]) -> Found:
    return answer[0]


def notes_of(answer: tuple[Found, Any, Any]) -> tuple[Any, Any]:
    return answer[1:]


# -- describe --------------------------------------------------------------------------------------------------------


def to_parts(found: Found, firsts: Ints) -> tuple[list[Found], int]:
    """Split the rows of a bundle by their part of the input."""
    part = np.searchsorted(firsts, found.row, side="right") - 1
    return [found.take(np.flatnonzero(part == at)) for at in range(len(firsts))], len(found.row)


class Parcel(NamedTuple):
    """Profiles sent to the bundle of their identities, with their descriptions and without contexts."""

    profiles: pa.Table
    vectors: sparse.csr_matrix | None
    found: Found


FACTS = ("variants", "mentions", "date")


def to_bundles(held: Sequence[Any], how: How, firsts: Ints, bundles: int) -> tuple[list[Parcel | None], int]:
    """Split the profiles of a part of the input by the bundle that they were clustered in."""
    number, matrix, *pieces = held
    profiles = pq.read_table(part_file(how.folder, "profiles", number))
    where = profiles.schema.get_field_index("context")
    bare = profiles.set_column(where, "context", pa.nulls(len(profiles), pa.string()))
    profiles = _with_facts(bare, how, number)
    sent: list[list[Parcel]] = [[] for _ in range(bundles)]
    for found in pieces:
        for bundle in np.unique(found.bundle).tolist():
            some = found.take(np.flatnonzero(found.bundle == bundle))
            local = some.row - firsts[number]
            sent[bundle].append(Parcel(profiles.take(pa.array(local)), None if matrix is None else matrix[local], some))
    return [_together(each) for each in sent], len(profiles)


def _with_facts(profiles: pa.Table, how: How, number: int) -> pa.Table:
    """Add to each profile the names that its document uses for it, its number of mentions, and the date."""
    facts = Facts()
    if how.documents:
        mentions = Mentions(pq.read_table(part_file(how.folder, "mentions", number)))
        columns = pq.read_table(part_file(how.folder, "documents", number), columns=["id", "date"]).to_pylist()
        facts = Facts.of(mentions, Documents.of(Document(row["id"], "", date=row["date"]) for row in columns))
    ids, documents = profiles.column("id").to_pylist(), profiles.column("document").to_pylist()
    cells = (
        pa.array([facts.variants.get(id) for id in ids], pa.list_(pa.string())),
        pa.array([facts.mention_counts.get(id, 0) for id in ids], pa.int64()),
        pa.array([facts.dates.get(document) for document in documents], pa.string()),
    )
    for name, column in zip(FACTS, cells, strict=True):
        profiles = profiles.append_column(name, column)
    return profiles


def _together(parcels: Sequence[Parcel]) -> Parcel | None:
    if not parcels:
        return None
    founds = [each.found for each in parcels]
    ends = np.cumsum([0, *(each.start[-1] for each in founds)])
    start = np.concatenate([*(each.start[:-1] + at for each, at in zip(founds, ends, strict=False)), ends[-1:]])
    vectors = [each.vectors for each in parcels if each.vectors is not None]
    row, bundle, cluster, weight = (np.concatenate([each[at] for each in founds]) for at in (0, 1, 3, 4))
    found = Found(row, bundle, start.astype(np.int64), cluster, weight)
    return Parcel(
        pa.concat_tables([each.profiles for each in parcels]),
        sparse.vstack(vectors, format="csr") if vectors else None,
        found,
    )


def describe_bundle(
    held: Sequence[Any], how: How, model: LearnedModel, vectoriser: ContextVectoriser | None, spread: Spread | None
) -> tuple[int, int]:
    """Write the identities of one bundle; return the numbers of profiles and identities."""
    number, *pieces = held
    parcel = _together([piece for piece in pieces if piece is not None])
    if parcel is None:
        return 0, 0
    # Sorted by id, as in one process, so that sums are equal to the last digit.
    order = np.array(pc.sort_indices(parcel.profiles.column("id")))
    rows, found = parcel.profiles.take(pa.array(order)), parcel.found.take(order)
    columns, cluster = np.unique(found.cluster, return_inverse=True)
    membership = sparse.csr_matrix((found.weight, cluster, found.start), shape=(len(order), len(columns)))
    profiles = Profiles(rows.drop_columns(FACTS))
    partition = Partition(profiles.ids, membership)
    words = None
    if parcel.vectors is not None and vectoriser is not None and spread is not None:
        features = np.array(vectoriser._vocabulary, dtype=object) if vectoriser.document_frequency else None
        kind = rows.column("type")[0].as_py() or ""
        words = identities.key_words(partition, Vectors(parcel.vectors[order], features), spread.get(kind))
    described = identities.describe(partition, profiles, _facts_of(rows, how.documents), words)
    listed = [replace(each, certainty=believed(each.certainty, model)) for each in described]
    write_part(how.folder, "identities", number, identity_rows(listed))
    write_part(how.folder, "memberships", number, membership_rows(partition))
    return len(profiles), len(listed)


def _facts_of(rows: pa.Table, documents: bool) -> Facts:
    ids, named, counted, dates = (rows.column(name).to_pylist() for name in ("id", *FACTS))
    if not documents:
        return Facts()
    where = rows.column("document").to_pylist()
    return Facts(
        {id: names for id, names in zip(ids, named, strict=True) if names},
        dict(zip(ids, counted, strict=True)),
        {document: date for document, date in zip(where, dates, strict=True) if date is not None},
    )


def types_of(folder: Path) -> list[str]:
    """Return the types of the profiles, '' for none."""
    with FolderStore.at(folder) as store:
        found = store._query("SELECT DISTINCT coalesce(type, '') AS type FROM profiles ORDER BY 1")
    return found.column("type").to_pylist()


def known_profiles(folder: Path, ids: frozenset[str]) -> set[str]:
    with FolderStore.at(folder) as store:
        return store.known("profiles", ids)


class OnDisk:
    """All profiles of a folder, read a few rows at a time."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.named = store.named()

    def __len__(self) -> int:
        return len(self.named)

    def column(self, name: str) -> Any:
        return self.named.column(name)

    @property
    def ids(self) -> Any:
        return self.named.ids

    def take(self, rows: Any) -> Profiles:
        ids = self.named.ids[rows].tolist()
        found = self.store.profiles(ids=ids)
        place = {id: at for at, id in enumerate(found.ids)}
        return found.take(np.array([place[id] for id in ids], dtype=np.int64))


def adapt(vectoriser: ContextVectoriser, how: How) -> tuple[LearnedModel, list[str]]:
    """Return the model with this collection's background, from a sample of its profiles."""
    if not (how.settings.background and how.model.ensemble is None and how.compares):
        return how.model, []
    with FolderStore.at(how.folder) as store:
        others = None
        if how.name is not None:
            others = bystanders(store.each_document(), store.documents, how.name, how.settings.window)
        some: Any = OnDisk(store)
        texts = store.texts_of if how.documents else None
        return adapted(how.model, some, texts, vectoriser, others=others, seed=how.settings.seed)
