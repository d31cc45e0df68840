"""The collection of a result: profiles, texts and statistics are read from the store as they are needed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc

from crossdoc.compare.collection import Collection, CollectionNames
from crossdoc.compare.fields import RELATED
from crossdoc.compare.known import KnownOdds, apart_by_entries
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.name_prior import NameCounts, share_of_personal
from crossdoc.compare.statistics import Lookup, Statistics, TypeCounts
from crossdoc.compare.stories import Stories, Topics
from crossdoc.compare.story_evidence import AS_PEOPLE, InTopics, Readings
from crossdoc.compare.vectors import ContextVectoriser, joined_contexts
from crossdoc.model import Judgement, Profiles
from crossdoc.model.evidence_protocol import Constraints
from crossdoc.names.index import Index, bearing_on, lookup_keys
from crossdoc.run.stages import compiled
from crossdoc.store import Store
from crossdoc.store.collection_tables import FirstNameTotals

Rows = npt.NDArray[np.int64]


class StoredCollection(Collection):
    """The collection of a result.

    Parameters
    ----------
    store : the result.
    model : the fitted model, adapted to the collection.
    names : the names of its profiles.
    constraints : judgements and other limits, by row.
    uses_topics : whether the method that made the answer asked for topics.
    finds_topics : whether topics that the result did not keep are found among all documents. Otherwise they are found
        among the documents at hand, which takes no time in a large collection.
    """

    def __init__(
        self,
        store: Store,
        model: LearnedModel,
        names: CollectionNames,
        constraints: Constraints | None = None,
        *,
        uses_topics: bool = True,
        finds_topics: bool = True,
    ) -> None:
        self.store, self.model, self.names, self.uses_topics = store, model, names, uses_topics
        self.finds_topics = finds_topics
        self.constraints = constraints or Constraints.none(len(names.named))
        self.texts = store.texts_of if store.count("documents") else None
        self._all_words: ContextVectoriser | None = None
        self._indexes: dict[str, Index] | None = None

    @classmethod
    def judged(
        cls, store: Store, model: LearnedModel, asked: bool, judgements: Sequence[Judgement], *, uses_topics: bool
    ) -> Self:
        """Return the collection of a result with judgements, and with profiles of two known entries never one.

        `asked`: one name was asked for.
        """
        named = store.named()
        limits = compiled(judgements, named)
        profile, entry, odds = (column.to_pylist() for column in store.known_odds().columns)
        if profile:
            row_of = {id: row for row, id in enumerate(named.ids.tolist())}
            rows = np.array([row_of[id] for id in profile], dtype=np.int64)
            coded = np.unique(np.array(entry, dtype=object).astype(str), return_inverse=True)[1]
            apart = apart_by_entries(KnownOdds(rows, coded, np.array(odds, dtype=np.float64)), limits.group)
            limits = replace(limits, cannot=np.concatenate([limits.cannot, apart]))
        names = CollectionNames.of_result(named, model, asked, limits)
        return cls(store, model, names, limits, uses_topics=uses_topics)

    @property
    def ids(self) -> npt.NDArray[np.object_]:
        return self.names.named.ids

    @property
    def row_of(self) -> Mapping[str, int]:
        return self.names.row_of

    # -- profiles and words ------------------------------------------------------------------------------------------

    def fetch(self, rows: Rows) -> Profiles:
        return self.store.profiles_in_order(self.ids[rows].tolist())

    def count_words(self, words: Set[str] | None) -> ContextVectoriser:
        if words is not None:
            return ContextVectoriser(self.store.size, self.store.word_frequencies(words))
        if self._all_words is None:
            self._all_words = ContextVectoriser(self.store.size, self.store.word_frequencies(None))
        return self._all_words

    # -- counts of names ---------------------------------------------------------------------------------------------

    def type_counts(self, lookups: Mapping[str, Lookup]) -> Mapping[str, TypeCounts]:
        if self.names.languages.changes_names:
            if self.names.recounted is None:
                self.names.recounted = Statistics.of(self.names.compared(self.store.profiles()))
            return self.names.recounted.type_counts(lookups)
        bearers = self.store.bearers({last for each in lookups.values() for last in each.lasts})
        units = {unit for each in lookups.values() for named in each.related.values() for unit in named}
        related = self.store.related_counts(units)
        totals = self.store.name_totals({first for each in lookups.values() for first in each.firsts})
        personal = share_of_personal(self.store.untyped_first_names() if "" in lookups else ())
        found = {}
        for entity_type in lookups:
            own = bearers.filter(pc.equal(bearers.column("type"), entity_type)).columns[1:]
            counted = totals.get(entity_type, FirstNameTotals({}))
            rows = zip(*(column.to_pylist() for column in own), strict=True)
            names = NameCounts.from_counts(rows, counted.firsts, counted.people, counted.mentions, personal)
            by_field: dict[str, dict[str, int]] = {name: {} for name in RELATED}
            for row in related.filter(pc.equal(related.column("type"), entity_type)).to_pylist():
                by_field[row["field"]][row["unit"]] = row["n"]
            usual = {name: (units.get("", 0), units) for name, units in by_field.items()}
            found[entity_type] = TypeCounts(names, usual)
        return found

    def names_among(self, entity_type: str, names: Set[str]) -> Mapping[str, int]:
        if self.is_of_one_kind(entity_type):
            return bearing_on(names, entity_type, self.names_like(entity_type))
        return Counter(name or "" for name in self.names.of_type(entity_type).column("name").to_pylist())

    def is_of_one_kind(self, entity_type: str) -> bool:
        """Return whether no judgement puts profiles of another type, or of none, with those of a type."""
        types = self.names.of_type(entity_type).column("type")
        return bool(pc.all(pc.equal(pc.fill_null(types, ""), entity_type)).as_py())

    def names_like(self, entity_type: str) -> Callable[[Set[str]], Mapping[str, int]]:
        """Return the lookup of names of a type by their keys."""
        if self._indexes is None and self.store.meta("called") is not None and not self.names.languages.changes_names:
            return lambda keys: self.store.names_like(entity_type, keys)
        return self.index(entity_type).like

    def index(self, entity_type: str) -> Index:
        """Return all names of a type by their keys, as they are kept or found if none are."""
        if self._indexes is None:
            rows = self.store.spellings() if self.store.meta("called") is not None else None
            columns = () if rows is None else (rows.column(name).to_pylist() for name in ("type", "name", "keys"))
            keys = {(type, name): found for type, name, found in zip(*columns, strict=True)}
            own = (self.names.named.column(column).to_pylist() for column in ("type", "name"))
            named: dict[str, list[tuple[str, str, int]]] = {}
            for (type, name), n in Counter(zip(*own, strict=True)).items():
                if name:
                    found = keys.get((type or "", name))
                    found = " ".join(sorted(lookup_keys(name, type).kept)) if found is None else found
                    named.setdefault(type or "", []).append((name, found, n))
            self._indexes = {type: Index(listed) for type, listed in named.items()}
        return self._indexes.get(entity_type) or Index(())

    # -- topics ------------------------------------------------------------------------------------------------------

    @property
    def has_topics(self) -> bool:
        return self.uses_topics and super().has_topics

    @cached_property
    def topics(self) -> Topics:
        """The topics of all documents, as they were kept or found if none were."""
        kept = self.store.topics()
        return self._all_stories.topics if kept is None else Topics(*kept)

    @cached_property
    def _all_stories(self) -> Stories:
        return Stories.of(self.names.named, self.texts_of, self.count_words(None))

    def texts_of(self, documents: Sequence[str]) -> Mapping[str, str]:
        """Return the texts of documents, or the contexts that stand for them."""
        if self.texts is not None:
            return self.texts(documents)
        return joined_contexts(self.store.profiles(documents, "document"))(documents)

    def find_stories(self, profiles: Profiles, vectoriser: ContextVectoriser) -> Stories:
        documents = sorted({id or "" for id in profiles.column("document").to_pylist()})
        if not self._knows_topics:
            return Stories.of(profiles, self.texts_of, vectoriser)
        topics = self.topics_of(documents)
        if self.texts is None:
            return Stories.without_texts(documents, topics)
        return Stories.of(profiles, self.texts_of, vectoriser, topics)

    @property
    def _knows_topics(self) -> bool:
        return self.finds_topics or self.store.meta("topics_cut") is not None

    def topics_of(self, documents: Iterable[str]) -> Topics:
        """Return the topics of some documents."""
        if "topics" in vars(self):
            return self.topics
        kept = self.store.topics(documents)
        return self.topics if kept is None else Topics(*kept)

    def topic(self, rows: Rows) -> Rows:
        """Return the topic of each row's document."""
        documents = self.names.named.take(rows).column("document").to_pylist()
        topics = self.topics_of({id or "" for id in documents})
        return np.array([topics.of[id or ""] for id in documents], dtype=np.int64)

    def find_readings(self, entity_type: str, topics: Rows | None = None) -> Readings:
        if not self._knows_topics:
            return {}
        kept = self.store.readings(entity_type, None if topics is None else topics.tolist())
        return self.read_again(entity_type, self.names.rows(entity_type)) if kept is None else kept

    def read_again(self, entity_type: str, rows: Rows) -> Readings:
        """Find as what the names of some rows of a type are read in their topics."""
        return self.in_topics(entity_type, rows, None).readings

    def in_topics(self, entity_type: str, rows: Rows, readings: Readings | None) -> InTopics:
        """Return what topics make of some rows of a type; without `readings` they are found."""
        assert self.model.topics is not None
        descriptions = self.names.descriptions(entity_type)
        return InTopics(self.names.named.take(rows), self.topic(rows), self.model.topics, descriptions, readings)

    def read_as(self, entity_type: str, names: Set[str]) -> Set[str]:
        if not self.has_topics or (entity_type or None) not in AS_PEOPLE:
            return frozenset()
        return self.store.readings_of(entity_type, names)
