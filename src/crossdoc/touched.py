"""What a change touches: the profiles of a collection that are clustered again, and their evidence as it is among all.

Of the whole collection names, topics and counts are read; contexts and texts of what is touched alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from functools import cache, cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from crossdoc.cluster.clusterer import Clusterer
from crossdoc.compare import blocking
from crossdoc.compare.across import Languages
from crossdoc.compare.evidence import ProfileEvidence
from crossdoc.compare.fields import RELATED
from crossdoc.compare.in_topics import InTopics, Readings, small_names, spoken
from crossdoc.compare.kept import Asked, Kept, all_readings, linked_counts, reading_counts, readings_of, topic_counts
from crossdoc.compare.known import KnownOdds, apart_by_entries
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.name_prior import NameCounts, probability_chosen, share_of_personal
from crossdoc.compare.self_training import joined_contexts
from crossdoc.compare.stage import several_a_document, types_to_cluster
from crossdoc.compare.stories import Stories, Topics
from crossdoc.compare.usual_words import count_usual_words
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.constraints import Constraints
from crossdoc.model import Judgement, Profiles
from crossdoc.names.lookup import Index, bearing_on, lookup_keys
from crossdoc.stages import compiled
from crossdoc.store import Store

FEW = 1_000
"""As many profiles of touched components are all clustered again; of more, those that the change is close to."""

Rows = npt.NDArray[np.int64]


class Counted:
    """What is counted in the collection of an answer, read as far as it is asked for."""

    def __init__(self, store: Store, name: str | None) -> None:
        self.store = store
        self.name = name
        self._all_words: ContextVectoriser | None = None

    def vectoriser(self, words: Set[str] | None) -> ContextVectoriser:
        """How usual some words are, or all of them (None)."""
        if words is None and self._all_words is not None:
            return self._all_words
        vectoriser = ContextVectoriser()
        vectoriser.document_count = self.store.size
        vectoriser.document_frequency.update(self.store.numbers("word", words))
        # Under one name words from elsewhere are counted along.
        if words is None and self.name is None:
            self._all_words = vectoriser
        return vectoriser

    def names(self, entity_type: str, asked: Asked) -> NameCounts:
        firsts, people, once, names = self.store.counted_names(entity_type, asked.firsts)
        bearers = self.store.counted("name", entity_type, asked.lasts)
        personal = share_of_personal(self.store.first_names(entity_type))
        return NameCounts.kept(bearers, firsts, people, probability_chosen(once, names), personal)

    def among(self, entity_type: str, names: Iterable[str]) -> Mapping[str, int] | None:
        """On which names it depends what those of organisations or places are worth; None where none were kept."""
        if entity_type in blocking.AS_PEOPLE or self.name is not None or self.store.meta("called") is None:
            return None
        return bearing_on(names, entity_type, lambda keys: self.store.called_like(entity_type, keys))

    def kept(self, asked: Mapping[str, Asked]) -> dict[str, Kept]:
        """By type what profiles ask for, with as many queries as for one type."""
        lasts = {last for each in asked.values() for last in each.lasts}
        units = {unit for each in asked.values() for named in each.related.values() for unit in named}
        rows = self.store.counted_together(["name", *RELATED], lasts | units | {""})
        firsts = self.store.names_counted({first for each in asked.values() for first in each.firsts})
        found = {}
        for entity_type in asked:
            by_first, people, once, names = firsts.get(entity_type, ({}, 0, 0, 0))
            own = rows.filter(pc.equal(rows.column("type"), entity_type))
            of = {
                what: [each.to_pylist() for each in own.filter(pc.equal(own.column("what"), what)).columns[2:]]
                for what in ("name", *RELATED)
            }
            bearers = list(zip(*of["name"], strict=True))
            personal = share_of_personal(self.store.first_names(entity_type))
            counts = NameCounts.kept(bearers, by_first, people, probability_chosen(once, names), personal)
            related = {field: dict(zip(of[field][0], of[field][2], strict=True)) for field in RELATED}
            usual = {field: (named.get("", 0), named) for field, named in related.items()}
            found[entity_type] = Kept(counts, usual, self.name)
        return found


class Whole:
    """The collection of an answer as it is now: who may meet whom in it, and what all of it says of some."""

    def __init__(
        self, store: Store, model: LearnedModel, clusterer: Clusterer, counted: Counted, judgements: Sequence[Judgement]
    ) -> None:
        self.store = store
        self.model = model
        self.clusterer = clusterer
        self.counted = counted
        self.name = counted.name
        self.has_documents = store.count("documents") > 0
        named = store.named()
        self.languages = Languages(named)
        self.named = named if self.name is not None else self.languages.named(named)
        self.ids = self.named.ids
        self.row_of = {id: row for row, id in enumerate(self.ids.tolist())}
        self.limits = self.linked(judgements)
        self.types = types_to_cluster(self.named, self.limits)
        self.of_type = cache(lambda entity_type: np.flatnonzero(self.types == entity_type))
        self.small = cache(lambda entity_type: small_names(self._own(entity_type)))
        self.read = cache(self._read)
        self._made: tuple[Rows, dict[str, ProfileEvidence]] | None = None
        self._placed: Stories | None = None
        self._names: dict[str, Index] | None = None

    def linked(self, judgements: Sequence[Judgement]) -> Constraints:
        """What was judged, and that profiles of two known entries are never one."""
        limits = compiled(judgements, self.named)
        profile, entry, odds = (column.to_pylist() for column in self.store.known_odds().columns)
        rows = np.array([self.row_of[id] for id in profile], dtype=np.int64)
        coded = np.unique(np.array(entry, dtype=object).astype(str), return_inverse=True)[1]
        apart = apart_by_entries(KnownOdds(rows, coded, np.array(odds, dtype=np.float64)), limits.group)
        return replace(limits, cannot=np.concatenate([limits.cannot, apart]))

    # -- topics ----------------------------------------------------------------------------------------------------

    @cached_property
    def topics(self) -> Topics | None:
        """The topics that were found in the collection; None where no topic says anything of a profile."""
        silent = self.name is not None or self.model.topics is None or self.model.ensemble is not None
        if silent or self.clusterer.method.scope == "type" or not several_a_document(self.named):
            return None
        if (kept := self.store.topics()) is not None:
            return Topics(*kept)
        self._placed = Stories.of(self.named, self._texts, self.counted.vectoriser(None))
        found = self._placed.topics
        self.store.save_topics(topic_counts(found.of), found.cut)
        return found

    def _texts(self, documents: Sequence[str]) -> Mapping[str, str]:
        if self.has_documents:
            return self.store.texts_of(documents)
        return joined_contexts(self.store.profiles_of(documents, "document"))(documents)

    def place(self, touched: Set[str], left: Set[int] = frozenset()) -> None:
        """Find topics for documents that have none, among those of all that touched profiles may meet; documents went
        out of some topics (`left`).

        What they join or found stays theirs. Records without texts have one each until all is compared anew.
        """
        if self.topics is None:
            return
        known = self.topics
        new = sorted({id or "" for id in self.named.column("document").to_pylist()} - known.of.keys())
        own = dict(zip(new, known.called(new, np.arange(len(new))).tolist(), strict=True))
        self.topics = Topics({**known.of, **own}, known.cut)
        if new and self.has_documents:
            near = self.named.take(self.to_cluster(touched))
            self._placed = Stories.of(near, self._texts, self.counted.vectoriser(None), known)
            found = self._placed.topics.of
            own = {id: found.get(id, alone) for id, alone in own.items()}
            self.topics = Topics({**known.of, **own}, known.cut)
        self.store.add_counts(topic_counts(own))
        self._read_again(left | set(own.values()))

    def _own(self, entity_type: str) -> Profiles:
        return self.named.take(self.of_type(entity_type))

    def _topic(self, rows: Rows) -> Rows:
        assert self.topics is not None
        documents = self.named.column("document").take(pa.array(rows)).to_pylist()
        return np.array([self.topics.of[id or ""] for id in documents], dtype=np.int64)

    def _in_topics(self, entity_type: str, rows: Rows) -> InTopics | None:
        """What the topics make of some profiles of a type, as among all of it."""
        if self.topics is None or self.model.topics is None:
            return None
        topic, readings = self._topic(rows), self.readings[entity_type]
        return InTopics(self.named.take(rows), topic, self.model.topics, self.small(entity_type), readings)

    @cached_property
    def readings(self) -> dict[str, Readings]:
        """By type as what names are read in topics."""
        types = sorted(set(self.types))
        if (kept := self.store.readings()) is not None:
            of = np.array(kept.column("type").to_pylist(), dtype=object)
            return {each: readings_of(kept.take(np.flatnonzero(of == each))) for each in types}
        found = {each: self._anew(each, self.of_type(each)) for each in types}
        if (counted := all_readings(found)) is not None:
            self.store.save_readings(counted)
        return found

    def _anew(self, entity_type: str, rows: Rows) -> Readings:
        assert self.model.topics is not None
        topic, small = self._topic(rows), self.small(entity_type)
        return InTopics(self.named.take(rows), topic, self.model.topics, small).readings

    def _read_again(self, topics: Set[int]) -> None:
        """Find out as what names are read in topics that are others now."""
        if not topics or self.model.topics is None:
            return
        wanted = np.array(sorted(topics), dtype=np.int64)
        for entity_type, before in self.readings.items():
            own = self.of_type(entity_type)
            now = self._anew(entity_type, own[np.isin(self._topic(own), wanted)])
            gone = {key: read for key, read in before.items() if key[0] in topics and now.get(key) != read}
            come = {key: read for key, read in now.items() if before.get(key) != read}
            for sign, changed in ((-1, gone), (1, come)):
                self.store.add_counts(reading_counts(changed, entity_type, sign))
            kept = {key: read for key, read in before.items() if key not in gone}
            self.readings[entity_type] = {**kept, **come}
        self.read.cache_clear()

    def _read(self, entity_type: str) -> Profiles:
        """The profiles of a type by the names as which they are compared, descriptions without any."""
        own = self._own(entity_type)
        if self.topics is None or self.model.topics is None:
            return own
        names, read = own.column("name").to_pylist(), self.readings[entity_type]
        english, silent = spoken(own, [name or "" for name in names])
        small, turned = self.small(entity_type), {name for _, name in read}
        topic = self._topic(self.of_type(entity_type)).tolist() if turned else []
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

    # -- who is touched ----------------------------------------------------------------------------------------------

    def to_cluster(self, touched: Set[str]) -> Rows:
        """The rows of all parts that hold a touched profile, or another of an identity that is clustered again."""
        part = np.full(len(self.ids), -1, dtype=np.int64)
        seeds = set(touched)
        while True:
            wanted = np.array([self.row_of[id] for id in seeds if id in self.row_of], dtype=np.int64)
            for entity_type in sorted(set(self.types[wanted[part[wanted] < 0]])):
                rows = self.of_type(entity_type)
                for held in self._parts(entity_type):
                    part[rows[held]] = rows[held[0]]
            found = np.flatnonzero(np.isin(part, np.unique(part[wanted])))
            there = set(self.ids[found])
            fellows = self.store.fellows(there) & self.row_of.keys()
            if fellows <= there:
                return found
            seeds = there | fellows

    def _parts(self, entity_type: str) -> list[Rows]:
        """What the method is given at a time, of all profiles of a type."""
        scope, rows = self.clusterer.method.scope, self.of_type(entity_type)
        if scope == "type" or self.name is not None:
            return [np.arange(len(rows))]
        profiles, limits, in_topics = (
            self.read(entity_type),
            self.limits.restrict(rows),
            self._in_topics(entity_type, rows),
        )
        if scope == "block":
            return blocking.blocks(profiles, limits.group)
        more = None if in_topics is None else in_topics.among(np.arange(len(rows)))[0]
        return blocking.components(profiles, limits, more, self.linked_names(entity_type))

    def linked_names(self, entity_type: str) -> Mapping[str, str] | None:
        """Which names of organisations or places are connected: as it was kept, but for names that came or went."""
        if entity_type in blocking.AS_PEOPLE or not self._is_of_one_kind(entity_type):
            return None
        names = set(self.read(entity_type).column("name").to_pylist()) - {None}
        before = {name: label for name, label, _ in self.store.counted("linked", entity_type, None)}
        found = blocking.linked_names(names, entity_type, before, self._called(entity_type).like)
        if self.store.is_changing:
            self.store.add_counts(linked_counts(before, found, entity_type))
        return found

    def close(self, rows: Rows | None, changed: Set[str], fellows: Set[str], joins: float) -> Rows:
        """Of the rows of large components (None: of all) those of identities that what has changed belongs to or may
        join.

        A method with a threshold joins nothing where no pair is that strong (`joins`), so that an identity without such
        a pair is as it was.
        """
        store, met = self.store, self._pairs(changed)
        there = store.companions(set(self.ids[np.unique(met)]) | fellows) | changed | fellows
        held = np.array(sorted(self.row_of[id] for id in there if id in self.row_of), dtype=np.int64)
        held = held if rows is None else np.intersect1d(rows, held)
        self._made = held, self._compared(held)
        near = set[str]()
        for entity_type, evidence in self._made[1].items():
            own = held[self.types[held] == entity_type]
            some = met[np.isin(met, own).all(axis=1)]
            strong = evidence.strengths(np.searchsorted(own, some).astype(np.int32)) >= joins
            near.update(self.ids[some[strong, 1]])
        kept = store.companions(near | changed | fellows) | changed
        return np.array(sorted(self.row_of[id] for id in kept if id in self.row_of), dtype=np.int64)

    def _pairs(self, ids: Set[str]) -> Rows:
        """The pairs of these profiles with all that they meet by their names, or in a topic; those asked for first."""
        new = np.array(sorted(self.row_of[id] for id in ids if id in self.row_of), dtype=np.int64)
        pairs = [np.zeros((0, 2), dtype=np.int64)]
        for entity_type in sorted(set(self.types[new])):
            own = self.of_type(entity_type)
            asked = np.searchsorted(own, new[self.types[new] == entity_type])
            pairs.append(own[self._by_name(entity_type, asked)])
            pairs.append(own[self._in_a_topic(entity_type, asked)])
        return np.concatenate(pairs)

    def _by_name(self, entity_type: str, asked: Rows) -> Rows:
        """The pairs of these rows of a type with all whose names can be theirs, looked up by the keys of names."""
        profiles = self.read(entity_type)
        names, kinds = (profiles.column(column).to_pylist() for column in ("name", "type"))
        keys: dict[str, set[str]] = {}
        for kind, name in {(kinds[row] or "", names[row]) for row in asked.tolist() if names[row]}:
            keys.setdefault(kind, set()).update(lookup_keys(name, kind).asked)
        found = {name for kind, own in keys.items() for name in self._called(kind).like(own)}
        called = np.array([name in found for name in names], dtype=bool)
        called[asked] = True
        rows = np.flatnonzero(called)
        return rows[blocking.meeting(profiles.take(rows), np.searchsorted(rows, asked))]

    def _in_a_topic(self, entity_type: str, asked: Rows) -> Rows:
        """The pairs of these rows of a type that meet in a topic, whatever their names, the one asked for first."""
        if self.topics is None or self.model.topics is None:
            return np.zeros((0, 2), dtype=np.int64)
        own = self.of_type(entity_type)
        topic = self._topic(own)
        rows = np.flatnonzero(np.isin(topic, topic[asked]))
        in_topics = self._in_topics(entity_type, own[rows])
        met = rows[in_topics.among(np.arange(len(rows)))[0]] if in_topics is not None else rows[:0].reshape(0, 2)
        both = np.concatenate([met, met[:, ::-1]])
        return both[np.isin(both[:, 0], asked)]

    # -- how they compare ----------------------------------------------------------------------------------------------

    def evidence(self, rows: Rows) -> dict[str, ProfileEvidence]:
        """By type the evidence of some profiles, as it is among all of the collection."""
        if self._made is None or not np.isin(rows, self._made[0]).all():
            return self._compared(rows)
        held, made = self._made
        return {
            entity_type: made[entity_type].part(np.searchsorted(held[self.types[held] == entity_type], own))
            for entity_type, own in self._by_type(rows).items()
        }

    def _by_type(self, rows: Rows) -> dict[str, Rows]:
        return {each: rows[self.types[rows] == each] for each in sorted(set(self.types[rows]))}

    def _compared(self, rows: Rows) -> dict[str, ProfileEvidence]:
        by_type = self._by_type(rows)
        # Specialists look at all profiles of a type to know what is usual.
        if self.model.ensemble is not None:
            looked_at = {each: self.of_type(each) for each in by_type}
            whole = self._of_rows(looked_at)
            return {each: whole[each].part(np.searchsorted(looked_at[each], own)) for each, own in by_type.items()}
        return self._of_rows(by_type)

    def _of_rows(self, by_type: Mapping[str, Rows]) -> dict[str, ProfileEvidence]:
        every = np.sort(np.concatenate([*by_type.values(), np.zeros(0, dtype=np.int64)])).astype(np.int64)
        profiles = self.store.profiles(ids=self.ids[every])
        parts = {each: profiles.take(np.searchsorted(every, own)) for each, own in by_type.items()}
        asked = {each: Asked.by(part, whole=self.has_documents) for each, part in parts.items()}
        several = [each.words for each in asked.values()]
        vectoriser = self.counted.vectoriser(None if None in several else set().union(*filter(None, several)))
        if self.name is not None:
            count_usual_words(vectoriser, profiles)
        kept = self.counted.kept(asked)
        stories = None if self.topics is None else cache(lambda: self._stories(profiles, vectoriser))
        found = {}
        for entity_type, rows in by_type.items():
            found[entity_type] = ProfileEvidence(
                self.model,
                vectoriser,
                parts[entity_type],
                self.limits.restrict(rows),
                one_name=self.name is not None,
                texts=self.store.texts_of if self.has_documents else None,
                kept=replace(
                    kept[entity_type],
                    in_topics=self._in_topics(entity_type, rows),
                    among=self._among(entity_type, parts[entity_type]),
                ),
                languages=self.languages,
                stories=stories,
            )
        return found

    def _among(self, entity_type: str, some: Profiles) -> Mapping[str, int] | None:
        """On which names it depends what those of some profiles of a type are worth, as names are compared."""
        own = self._own(entity_type)
        if entity_type in blocking.AS_PEOPLE or self.name is not None or len(some) == len(own):
            return None
        if self._is_of_one_kind(entity_type):
            names = {name for name in self.languages.named(some).column("name").to_pylist() if name}
            return bearing_on(names, entity_type, self._called(entity_type).like)
        return Counter(name or "" for name in own.column("name").to_pylist())

    def _is_of_one_kind(self, entity_type: str) -> bool:
        """Whether no judgement puts profiles of another type, or of none, with those of a type."""
        types = self._own(entity_type).column("type")
        return bool(pc.all(pc.equal(pc.fill_null(types, ""), entity_type)).as_py())

    def _called(self, kind: str) -> Index:
        """The names of profiles of a type, as they are compared, by their keys: as kept, or found where none are."""
        if self._names is None:
            rows = self.store.called() if self.store.meta("called") is not None else None
            columns = () if rows is None else (rows.column(name).to_pylist() for name in ("type", "name", "keys"))
            keys = {(type, name): found for type, name, found in zip(*columns, strict=True)}
            own = (self.named.column(column).to_pylist() for column in ("type", "name"))
            named: dict[str, list[tuple[str, str, int]]] = {}
            for (type, name), n in Counter(zip(*own, strict=True)).items():
                if name:
                    found = keys.get((type or "", name))
                    found = " ".join(sorted(lookup_keys(name, type).kept)) if found is None else found
                    named.setdefault(type or "", []).append((name, found, n))
            self._names = {type: Index(listed) for type, listed in named.items()}
        return self._names.get(kind) or Index(())

    def _stories(self, profiles: Profiles, vectoriser: ContextVectoriser) -> Stories:
        documents = {id or "" for id in profiles.column("document").to_pylist()}
        if self._placed is not None and documents <= self._placed.number.keys():
            return self._placed
        if self.topics is not None and not self.has_documents:
            return Stories.without_texts(sorted(documents), self.topics)
        return Stories.of(profiles, self._texts, vectoriser, self.topics)
