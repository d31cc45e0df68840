"""What a result holds, compared: all of it in memory as in a run, or on demand; and what a run keeps of it.

`StoredCollection` reads profiles, texts and statistics from the store as they are needed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc
from scipy import sparse

from crossdoc import errors
from crossdoc.cluster.clusterer import EVEN, Clusterer
from crossdoc.cluster.methods import DEFAULT
from crossdoc.compare.background import ELSEWHERE
from crossdoc.compare.collection import Collection, CollectionNames, believed
from crossdoc.compare.fields import CONTEXT, RELATED
from crossdoc.compare.known import LINKED, KnownOdds, apart_by_entries, known_table
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.memory_collection import DocumentTexts, MemoryCollection, compare
from crossdoc.compare.name_prior import NameCounts, share_of_personal
from crossdoc.compare.statistics import (
    Lookup,
    Statistics,
    TypeCounts,
    all_readings,
    linked_rows,
    topic_rows,
)
from crossdoc.compare.stories import Stories, Topics
from crossdoc.compare.story_evidence import AS_PEOPLE, Readings
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.extract.asked_name import other_people
from crossdoc.extract.extractor import MASKED
from crossdoc.model import Documents, Facts, Identity, Judgement, KnownEntry, Partition, Profiles, Vectors, rows_of
from crossdoc.model import identity as identities
from crossdoc.model.evidence_protocol import Constraints
from crossdoc.names.index import Index, bearing_on, lookup_keys
from crossdoc.progress import Progress, shortage
from crossdoc.read import read_known
from crossdoc.settings import Settings
from crossdoc.store import Store
from crossdoc.store.collection_tables import FirstNameTotals

if TYPE_CHECKING:
    from crossdoc.cluster.bags.informative_words import BagFit

Rows = npt.NDArray[np.int64]


def bystanders(documents: Any, name: str, window: int, fetch: Any = None) -> Profiles:
    """Return profiles of other people who recur in the documents of one asked-for name.

    `fetch` returns documents by their ids; None: `documents` is a table of all.
    """
    fetch = fetch or (lambda ids: Documents(rows_of(documents.arrow, ids)))
    return Profiles.of(other_people(documents, fetch, name, window, MASKED))


def compiled(judgements: Sequence[Judgement], profiles: Profiles) -> Constraints:
    """Return the closure of the judgements between these profiles; a contradiction is reported with its chain."""
    position = {id: row for row, id in enumerate(profiles.ids)} if judgements else {}
    return Constraints.compile(judgements, position, len(profiles))


def compare_stored(
    store: Store,
    judgements: Sequence[Judgement],
    settings: Settings,
    model: LearnedModel,
    name: str | None,
    report: Progress,
    *,
    documents: Documents | None = None,
    others: Profiles | None = None,
) -> MemoryCollection:
    """Compare all profiles of a store; its texts are read unless the `documents` are in memory.

    Under one name, `others` in its documents are found if they are not given.
    """
    profiles = store.profiles()
    if short := shortage(len(profiles), profiles.arrow.nbytes):
        report.note(short)
    background = settings.background and settings.clusterer().method.compares
    if background and name is not None and model.ensemble is None and others is None:
        fetch = None if documents else store.documents
        others = bystanders(documents or store.each_document(), name, settings.window, fetch)
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
    )


def known_entries(path: Path) -> list[KnownEntry]:
    """Read the entries of a known list; a result gives its identities, described by their documents."""
    if path.suffix.lower() != ".crossdoc":
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
    names = collection.model.names or LearnedModel.default().names
    # The log odds against an entry of a profile whose name clashes.
    bound = names.bound if names else 0.0
    store.save_known(entries, known_table(odds, collection.profiles, entries), bound, LINKED)
    return collection.kept_apart(apart_by_entries(odds, collection.constraints.group))


def keep_statistics(
    store: Store,
    collection: MemoryCollection,
    readings: Mapping[str, Readings],
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
        store.save_table("readings", all_readings(readings), readings="all")


def unmatched_note(count: int, path: errors.AnyPath) -> str:
    match = (
        "entry of the log no longer matches all its" if count == 1 else "entries of the log no longer match all their"
    )
    return f"{count:,} {match} profiles; see crossdoc judgements {path} --unmatched"


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


def run_fills(chosen: Clusterer, seed: int, model: LearnedModel, threads: int = 0) -> dict[str, Any]:
    """Return the parameters that a run sets if the user did not."""
    joins = {} if chosen.threshold is None else {chosen.threshold: model.threshold.get(chosen.name, EVEN)}
    return {**joins, "random_state": seed, "threads": threads or None}


def described(
    partition: Partition,
    profiles: Profiles,
    vectors: Vectors,
    facts: Facts,
    model: LearnedModel,
    names: Mapping[str, tuple[int, str]],
) -> list[Identity]:
    """Describe the identities of a partition as a run does; `names` were given by users."""
    found = identities.describe(partition, profiles, facts, identities.key_words(partition, vectors), names)
    return [replace(each, certainty=believed(each.certainty, model)) for each in found]


LINKS_METHOD = "bags"
"""Method for a table of links, if it explains the table better than names do. A link's profile has one mention with
words of its own, and an entity may have names that share nothing; the bag model learns from all mentions which words go
together. In tables made from running text, windows overlap, and linkage by names is better."""


def measure_bags(matrix: sparse.csr_matrix, names: Sequence[str], seed: int, threads: int) -> BagFit:
    """Measure how well bags explain profiles with these names, in one spelling, and the words of `matrix`."""
    # Imported here, since only tables of links need the bag model.
    from crossdoc.cluster.bags.bags import present
    from crossdoc.cluster.bags.informative_words import fit_of_bags
    from crossdoc.cluster.sampling.mention_clusterer import row_order

    order = row_order(matrix, names)
    return fit_of_bags(present(matrix)[order], np.array(names, dtype=object)[order], seed=seed, threads=threads)


def is_left_open(settings: Settings) -> bool:
    """Return whether the settings state neither a method nor a parameter of the default one."""
    stated = settings.model_fields_set & {"method", "threshold"}
    return not stated and DEFAULT not in settings.parameters


class StoredCollection(Collection):
    """The collection of a result, with the model that was adapted to it and the method that made the answer."""

    def __init__(
        self,
        store: Store,
        model: LearnedModel,
        names: CollectionNames,
        clusterer: Clusterer,
        constraints: Constraints | None = None,
    ) -> None:
        self.store, self.model, self.names, self.clusterer = store, model, names, clusterer
        self.constraints = constraints or Constraints.none(len(names.named))
        self.texts = store.texts_of if store.count("documents") else None
        self._all_words: ContextVectoriser | None = None
        self._indexes: dict[str, Index] | None = None

    @classmethod
    def judged(
        cls, store: Store, model: LearnedModel, asked: bool, judgements: Sequence[Judgement], clusterer: Clusterer
    ) -> Self:
        """Return the collection of a result with judgements, and with profiles of two known entries never one.

        `asked`: one name was asked for. `clusterer` has the method that made the answer.
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
        return cls(store, model, names, clusterer, limits)

    @property
    def ids(self) -> npt.NDArray[np.object_]:
        return self.names.named.ids

    @property
    def row_of(self) -> Mapping[str, int]:
        return self.names.row_of

    def fetch(self, rows: Rows) -> Profiles:
        return self.store.profiles_in_order(self.ids[rows].tolist())

    def count_words(self, words: Set[str] | None) -> ContextVectoriser:
        if words is not None:
            return ContextVectoriser(self.store.size, self.store.word_frequencies(words))
        if self._all_words is None:
            self._all_words = ContextVectoriser(self.store.size, self.store.word_frequencies(None))
        return self._all_words

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
            rows = self.store.spellings()
            columns = (rows.column(name).to_pylist() for name in ("type", "name", "keys"))
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

    @property
    def has_topics(self) -> bool:
        return self.store.meta("topics_cut") is not None and super().has_topics

    @property
    def lacks_statistics(self) -> bool:
        """Whether the run did not keep all statistics: its method compares nothing, or its version kept fewer."""
        of_topics = ["topics_cut", "readings"] * (self.clusterer.method.scope != "type" and super().has_topics)
        return any(self.store.meta(key) is None for key in ("counted", "called", *of_topics))

    def find_stories(self, profiles: Profiles, vectoriser: ContextVectoriser) -> Stories:
        documents = sorted({id or "" for id in profiles.column("document").to_pylist()})
        topics = self.topics_of(documents)
        if self.texts is None:
            return Stories.without_texts(documents, topics)
        return Stories.of(profiles, self.texts, vectoriser, topics)

    def topics_of(self, documents: Iterable[str]) -> Topics:
        return Topics(*self.store.topics(documents))

    def find_readings(self, entity_type: str, topics: Rows) -> Readings:
        return self.store.readings(entity_type, topics.tolist())

    def read_as(self, entity_type: str, names: Set[str]) -> Set[str]:
        if not self.has_topics or (entity_type or None) not in AS_PEOPLE:
            return frozenset()
        return self.store.readings_of(entity_type, names)
