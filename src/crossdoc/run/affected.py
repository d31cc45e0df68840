"""The part of a collection that a change affects: profiles to cluster again, and their evidence as among all.

Names, topics and statistics of the full collection are read; contexts and texts only of affected profiles.

Documents or profiles added to an answer: they are read and extracted as in its run, with its statistics.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from crossdoc import errors
from crossdoc.compare import blocking
from crossdoc.compare.collection import evidence
from crossdoc.compare.evidence import ProfileEvidence
from crossdoc.compare.statistics import linked_rows, reading_rows, topic_rows
from crossdoc.compare.stories import Stories, Topics
from crossdoc.compare.story_evidence import InTopics, Readings, spoken
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.extract.corrections import settled_types, votes_of, with_settled_types
from crossdoc.model import Documents, Mentions, Profiles
from crossdoc.names.index import lookup_keys
from crossdoc.progress import Progress
from crossdoc.read import Source
from crossdoc.run.reading import (
    Batches,
    Capitals,
    KeptDocuments,
    Skip,
    copied_ids,
    extract_documents,
    extractor_for,
    source_notes,
    take_profiles,
)
from crossdoc.run.stored_collection import StoredCollection
from crossdoc.settings import Settings
from crossdoc.store import Store

FEW = 1_000
"""Profiles. Up to this many profiles of affected components are all clustered again; of more, those near the change."""

Rows = npt.NDArray[np.int64]


class ChangedCollection(StoredCollection):
    """The collection of an answer that is being changed: its candidate pairs, and the profiles to cluster."""

    _placed: Stories | None = None
    _made: tuple[Rows, dict[str, ProfileEvidence]] | None = None

    @cached_property
    def topics(self) -> Topics:
        return Topics(*self.store.topics())

    def topics_of(self, documents: Iterable[str]) -> Topics:
        return self.topics

    def place(self, touched: Set[str], left: Set[int] = frozenset()) -> None:
        """Find topics for new documents, among those of all profiles that touched ones may meet.

        `left` are topics that documents were removed from. Records without texts have a topic each until everything
        is compared again.
        """
        if not self.has_topics:
            return
        known = self.topics
        new = sorted({id or "" for id in self.names.named.column("document").to_pylist()} - known.of.keys())
        own = dict(zip(new, known.called(new, np.arange(len(new))).tolist(), strict=True))
        self.topics = Topics({**known.of, **own}, known.cut)
        if new and self.texts is not None:
            near = self.names.named.take(self.to_cluster(touched))
            self._placed = Stories.of(near, self.texts, self.count_words(None), known)
            found = self._placed.topics.of
            own = {id: found.get(id, alone) for id, alone in own.items()}
            self.topics = Topics({**known.of, **own}, known.cut)
        self.store.add_statistics({"document_topics": topic_rows(own)})
        self._read_again(left | set(own.values()))

    def _in_topics(self, entity_type: str, rows: Rows) -> InTopics | None:
        """Return what the topics make of some profiles of a type, as among all of it."""
        return self.in_topics(entity_type, rows, self.readings[entity_type]) if self.has_topics else None

    def topic(self, rows: Rows) -> Rows:
        documents = self.names.named.take(rows).column("document").to_pylist()
        return np.array([self.topics.of[id or ""] for id in documents], dtype=np.int64)

    def in_topics(self, entity_type: str, rows: Rows, readings: Readings | None) -> InTopics:
        """Return what topics make of some rows of a type; without `readings` they are found."""
        assert self.model.topics is not None
        descriptions = self.names.descriptions(entity_type)
        return InTopics(self.names.named.take(rows), self.topic(rows), self.model.topics, descriptions, readings)

    @cached_property
    def readings(self) -> dict[str, Readings]:
        return {each: self.store.readings(each) for each in self}

    def find_readings(self, entity_type: str, topics: Rows) -> Readings:
        return self.readings[entity_type]

    def _read_again(self, topics: Set[int]) -> None:
        if not topics:
            return
        wanted = np.array(sorted(topics), dtype=np.int64)
        for entity_type, before in self.readings.items():
            own = self.names.rows(entity_type)
            now = self.in_topics(entity_type, own[np.isin(self.topic(own), wanted)], None).readings
            gone = {key: read for key, read in before.items() if key[0] in topics and now.get(key) != read}
            come = {key: read for key, read in now.items() if before.get(key) != read}
            for sign, changed in ((-1, gone), (1, come)):
                self.store.add_statistics({"readings": reading_rows(changed, entity_type, sign)})
            kept = {key: read for key, read in before.items() if key not in gone}
            self.readings[entity_type] = {**kept, **come}
        self._named.clear()

    @cached_property
    def _named(self) -> dict[str, Profiles]:
        return {}

    def read(self, entity_type: str) -> Profiles:
        """Return the profiles of a type by the names as they are read, descriptions without a name."""
        if entity_type not in self._named:
            self._named[entity_type] = self._read(entity_type)
        return self._named[entity_type]

    def _read(self, entity_type: str) -> Profiles:
        own = self.names.of_type(entity_type)
        if not self.has_topics:
            return own
        names, read = own.column("name").to_pylist(), self.readings[entity_type]
        english, silent = spoken(own, [name or "" for name in names])
        small, turned = self.names.descriptions(entity_type), {name for _, name in read}
        topic = self.topic(self.names.rows(entity_type)).tolist() if turned else []
        called = [
            None
            if quiet or (large and (name or "") in small)
            else read.get((topic[row], name), name)
            if name in turned
            else name
            for row, (name, large, quiet) in enumerate(zip(names, english.tolist(), silent.tolist(), strict=True))
        ]
        at = own.arrow.schema.get_field_index("name")
        return Profiles(own.arrow.set_column(at, "name", pa.array(called, pa.string())))

    def to_cluster(self, touched: Set[str]) -> Rows:
        """Return the rows of all parts with a touched profile, or with a member of an identity clustered again."""
        part = np.full(len(self.ids), -1, dtype=np.int64)
        seeds = set(touched)
        while True:
            wanted = np.array([self.row_of[id] for id in seeds if id in self.row_of], dtype=np.int64)
            for entity_type in sorted(set(self.names.types[wanted[part[wanted] < 0]])):
                rows = self.names.rows(entity_type)
                for held in self._parts(entity_type):
                    part[rows[held]] = rows[held[0]]
            found = np.flatnonzero(np.isin(part, np.unique(part[wanted])))
            there = set(self.ids[found])
            fellows = self.store.holding(self.store.entity_of(there).values()) & self.row_of.keys()
            if fellows <= there:
                return found
            seeds = there | fellows

    def _parts(self, entity_type: str) -> list[Rows]:
        """Return the parts of all profiles of a type that the method clusters at a time."""
        scope, rows = self.clusterer.method.scope, self.names.rows(entity_type)
        if scope == "type" or self.one_name:
            return [np.arange(len(rows))]
        profiles, limits, in_topics = (
            self.read(entity_type),
            self.constraints.restrict(rows),
            self._in_topics(entity_type, rows),
        )
        if scope == "block":
            return blocking.blocks(profiles, limits.group)
        more = None if in_topics is None else in_topics.among(np.arange(len(rows)))[0]
        return blocking.components(profiles, limits, more, self.linked_names(entity_type))

    def linked_names(self, entity_type: str) -> Mapping[str, str] | None:
        """Return the connected names of organisations or places: as stored, updated for names that came or went."""
        if entity_type in blocking.AS_PEOPLE or not self.is_of_one_kind(entity_type):
            return None
        names = set(self.read(entity_type).column("name").to_pylist()) - {None}
        before = self.store.linked_names(entity_type)
        found = blocking.linked_names(names, entity_type, before, self.index(entity_type).like)
        if self.store.is_changing:
            self.store.add_statistics({"linked_names": linked_rows(before, found, entity_type)})
        return found

    def close(self, rows: Rows | None, changed: Set[str], fellows: Set[str], joins: float) -> Rows:
        """Rows to recluster: members of identities that contain a changed profile or could absorb one.

        `rows` are the rows of large components; `None` means all rows. A method with a threshold joins nothing if no
        pair is at least that strong (`joins`), so an identity without such a pair does not change.
        """
        store, met = self.store, self._pairs(changed)
        there = store.companions(set(self.ids[np.unique(met)]) | fellows) | changed | fellows
        held = np.array(sorted(self.row_of[id] for id in there if id in self.row_of), dtype=np.int64)
        held = held if rows is None else np.intersect1d(rows, held)
        self._made = held, evidence(self, held)
        near = set[str]()
        for entity_type, found in self._made[1].items():
            own = held[self.names.types[held] == entity_type]
            some = met[np.isin(met, own).all(axis=1)]
            strong = found.strengths(np.searchsorted(own, some).astype(np.int32)) >= joins
            near.update(self.ids[some[strong, 1]])
        kept = store.companions(near | changed | fellows) | changed
        return np.array(sorted(self.row_of[id] for id in kept if id in self.row_of), dtype=np.int64)

    def _pairs(self, ids: Set[str]) -> Rows:
        """Return the pairs of these profiles with their candidates by name or topic; these profiles come first."""
        new = np.array(sorted(self.row_of[id] for id in ids if id in self.row_of), dtype=np.int64)
        pairs = [np.zeros((0, 2), dtype=np.int64)]
        for entity_type in sorted(set(self.names.types[new])):
            own = self.names.rows(entity_type)
            asked = np.searchsorted(own, new[self.names.types[new] == entity_type])
            pairs.append(own[self._by_name(entity_type, asked)])
            pairs.append(own[self._in_a_topic(entity_type, asked)])
        return np.concatenate(pairs)

    def _by_name(self, entity_type: str, asked: Rows) -> Rows:
        """Return the pairs of these rows of a type with rows of compatible names, looked up by the keys of names."""
        profiles = self.read(entity_type)
        names, kinds = (profiles.column(column).to_pylist() for column in ("name", "type"))
        keys: dict[str, set[str]] = {}
        for kind, name in {(kinds[row] or "", names[row]) for row in asked.tolist() if names[row]}:
            keys.setdefault(kind, set()).update(lookup_keys(name, kind).asked)
        found = {name for kind, own in keys.items() for name in self.index(kind).like(own)}
        called = np.array([name in found for name in names], dtype=bool)
        called[asked] = True
        rows = np.flatnonzero(called)
        return rows[blocking.meeting(profiles.take(rows), np.searchsorted(rows, asked))]

    def _in_a_topic(self, entity_type: str, asked: Rows) -> Rows:
        """Return the pairs of these rows of a type within a topic, whatever their names; these rows come first."""
        if not self.has_topics:
            return np.zeros((0, 2), dtype=np.int64)
        own = self.names.rows(entity_type)
        topic = self.topic(own)
        rows = np.flatnonzero(np.isin(topic, topic[asked]))
        in_topics = self._in_topics(entity_type, own[rows])
        met = rows[in_topics.among(np.arange(len(rows)))[0]] if in_topics is not None else rows[:0].reshape(0, 2)
        both = np.concatenate([met, met[:, ::-1]])
        return both[np.isin(both[:, 0], asked)]

    def evidence(self, rows: Rows) -> dict[str, ProfileEvidence]:
        """Return the evidence about some rows by type, as a part of what was made before if it covers them."""
        if self._made is None or not np.isin(rows, self._made[0]).all():
            return evidence(self, rows)
        held, made = self._made
        return {
            entity_type: made[entity_type].part(np.searchsorted(held[self.names.types[held] == entity_type], own))
            for entity_type, own in self.by_type(rows).items()
        }

    def find_stories(self, profiles: Profiles, vectoriser: ContextVectoriser) -> Stories:
        documents = {id or "" for id in profiles.column("document").to_pylist()}
        if self._placed is not None and documents <= self._placed.number.keys():
            return self._placed
        return super().find_stories(profiles, vectoriser)


Tables = tuple[Documents, Mentions, Profiles]


@dataclass(frozen=True, slots=True)
class Incoming:
    """Data to add to the store, and the ids of the data that it replaces."""

    documents: Documents
    mentions: Mentions
    profiles: Profiles
    gone: Sequence[str] = ()
    """Ids of documents, or of profiles if the result is made of profiles."""
    unchanged: Sequence[str] = ()


NOTHING = Incoming(Documents.of(()), Mentions.of(()), Profiles.of(()))


def read_incoming(
    store: Store, sources: Sequence[Source], settings: Settings, name: str | None, what: str, report: Progress
) -> tuple[Incoming, list[str]]:
    """Extract new documents or profiles (`what`); unchanged ones are left out. Return them with notes."""
    unchanged: list[str] = []

    def skip(batch: Documents | Profiles) -> set[str]:
        same = _same(store, batch)
        unchanged.extend(sorted(same))
        return same

    if what == "profiles":
        found = Batches()
        reading = take_profiles(sources, settings.types, found.add, skip=skip, report=report)
        if reading.rows.other_types and not len(found.profiles):
            raise errors.only_other_types(reading.rows.left_out)
        (documents, mentions, profiles), notes = found.tables, reading.rows.lines
    else:
        (documents, mentions, profiles), notes = _read_documents(store, sources, settings, name, skip, report)
    return Incoming(documents, mentions, profiles, unchanged=unchanged), notes


def _read_documents(
    store: Store, sources: Sequence[Source], settings: Settings, name: str | None, skip: Skip, report: Progress
) -> tuple[Tables, list[str]]:
    """Extract documents, with the capitals and the types of names of the answer that they join."""
    found, extractor = Batches(), extractor_for(settings, name, store.salt())

    def learned(capitals: Capitals) -> None:
        # All of them: shares of cues are estimated over the collection, and a headline may use any words.
        capitals.cases.put(store.capital_counts(None))
        for code in capitals.cases.learners:
            for text in store.texts_in(code):
                capitals.cases.learn_names(text, code)

    reading = extract_documents(
        KeptDocuments(sources, settings), extractor, settings.types, found.add, learned=learned, skip=skip,
        report=report,
    )  # fmt: skip
    documents, mentions, profiles = found.tables
    if not reading.typed:
        mentions, profiles = with_settled_types(mentions, profiles, settled_types(votes(profiles, store)))
    if copies := [id for id, n in Counter(profiles.ids.tolist()).items() if n > 1]:
        raise copied_ids(extractor, copies)
    # In the order of a store.
    profiles = profiles.take(np.argsort(profiles.ids.astype(str), kind="stable"))
    return (documents, mentions, profiles), [*source_notes(sources), *reading.notes(extractor, name)]


def _same(store: Store, batch: Documents | Profiles) -> set[str]:
    """Return the ids of documents with the stored text, or of profiles equal to the stored ones."""
    if isinstance(batch, Profiles):
        there = {profile.id: profile for profile in store.profiles(ids=batch.ids)}
        return {profile.id for profile in batch if there.get(profile.id) == profile}
    texts = store.texts_of(batch.ids)
    pairs = zip(batch.ids, batch.column("text").to_pylist(), strict=True)
    return {id for id, text in pairs if texts.get(id) == text}


def votes(profiles: Profiles, answer: Store) -> Iterator[tuple[str, str, int]]:
    """Count how often each name of new profiles has each type, among them and in the answer that they join."""
    named = list(zip(profiles.column("name").to_pylist(), profiles.column("type").to_pylist(), strict=True))
    counted = Counter({(name, type_): count for name, type_, count in votes_of(named)})
    for name, type_, count in answer.name_types({name for name, _ in counted}, several=False):
        counted[name, type_] += count
    yield from ((name, type_, count) for (name, type_), count in sorted(counted.items()))
