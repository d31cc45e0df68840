"""Collections of profiles, and the evidence about them.

:func:`evidence` is the only maker of :class:`ProfileEvidence`. It makes the evidence about all profiles of a
collection, or about some rows exactly as it is among all: the weights of names, words and related people come from
the statistics of the collection (`statistics.py`). `MemoryCollection` holds its profiles; `StoredCollection`
(`stored_collection.py`) reads them from a result.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from crossdoc.compare.across import UNKNOWN, Languages
from crossdoc.compare.background import COHORT, ELSEWHERE, some_rows
from crossdoc.compare.ensemble import Ensemble
from crossdoc.compare.evidence import ComparedFields, EnsembleEvidence, ProfileEvidence, StatedFacts
from crossdoc.compare.fields import CONTEXT, DOCUMENT, rows_of
from crossdoc.compare.known import KnownOdds, known_odds
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.name_evidence import NameEvidence, OpenNames
from crossdoc.compare.name_prior import NameShifts, asked_priors
from crossdoc.compare.specialists import all_specialists
from crossdoc.compare.statistics import Lookup, Statistics, TypeCounts
from crossdoc.compare.stories import Stories, Topics
from crossdoc.compare.story_evidence import AS_PEOPLE, InTopics, NoStories, Readings, StoryEvidence, small_names
from crossdoc.compare.vectors import ContextVectoriser, Texts, main_language
from crossdoc.model import KnownEntry, Profiles
from crossdoc.model.evidence_protocol import Constraints
from crossdoc.names import fold
from crossdoc.names.words import usual_words

TRUST_ELSEWHERE = 0.5
"""Share of a certainty beyond even odds that remains if the background was learned on other collections."""
FEW_DOCUMENTS = 20
"""Documents. Up to this many, the words of their texts are looked up one by one. No answer depends on it."""
Rows = npt.NDArray[np.int64]


class CollectionNames:
    """Names, types and languages of all profiles of a collection, in the form in which they are compared.

    Parameters
    ----------
    named : all profiles; contexts are not needed.
    asked : the probability that all profiles answer to one asked-for name; 0 in an open collection.
    constraints : judgements. Profiles that must be one are clustered with the type of the first of them.
    """

    def __init__(self, named: Profiles, asked: float, constraints: Constraints | None = None) -> None:
        self.asked, self.one_name = asked, asked > 0
        self.languages = Languages(named)
        self.named = named if self.one_name else self.languages.named(named)
        self.types = types_to_cluster(named, constraints or Constraints.none(len(named)))
        self.shares_documents = several_a_document(named)
        """Whether some document has several profiles. Only then topics are compared: of records, each its own document,
        a topic adds nothing to the context."""
        self.main_language = main_language(named)
        self.recounted: Statistics | None = None
        """Counts by the names as they are compared, if a result counts them in another form."""
        self._descriptions: dict[str, Set[str]] = {}

    @classmethod
    def of_result(
        cls, named: Profiles, model: LearnedModel, asked: bool, constraints: Constraints | None = None
    ) -> CollectionNames:
        """Return the names of a result, compared as in its run; `asked` says whether a name was asked for."""
        probability = float(asked) or (probability_asked(named) if model.one_name else 0.0)
        return cls(named, probability, constraints)

    def rows(self, entity_type: str) -> Rows:
        """Return the rows of a type."""
        return np.flatnonzero(self.types == entity_type)

    def of_type(self, entity_type: str) -> Profiles:
        """Return the profiles of a type, by the names as they are compared."""
        return self.named.take(self.rows(entity_type))

    def compared(self, profiles: Profiles) -> Profiles:
        """Return profiles of the collection by the names as they are compared."""
        return profiles if self.one_name else self.languages.named(profiles)

    def descriptions(self, entity_type: str) -> Set[str]:
        """Return the names of a type that are descriptions."""
        if entity_type not in self._descriptions:
            self._descriptions[entity_type] = small_names(self.of_type(entity_type))
        return self._descriptions[entity_type]

    @cached_property
    def row_of(self) -> dict[str, int]:
        """The row of each profile, by its id."""
        return {id: row for row, id in enumerate(self.named.ids.tolist())}

    @cached_property
    def alone(self) -> Rows:
        """1 for each profile that is the only one of its document, as pages and records are; 0 for others."""
        documents = self.named.column("document").to_pylist()
        profiles = Counter(documents)
        return np.array([not id or profiles[id] == 1 for id in documents], dtype=np.int64)

    @cached_property
    def spellings(self) -> list[str]:
        return [name or "" for name in self.named.column("name").to_pylist()]


class Collection(Mapping[str, ProfileEvidence], ABC):
    """Profiles, their texts and statistics: all that evidence is made from.

    As a mapping it has the evidence of each entity type, the empty string for profiles without one.
    """

    model: LearnedModel
    """The fitted model, adapted to the collection."""
    names: CollectionNames
    constraints: Constraints
    texts: Texts | None
    """Texts of documents by id; None for profiles without documents."""

    # -- what a collection looks up ----------------------------------------------------------------------------------

    @abstractmethod
    def fetch(self, rows: Rows) -> Profiles:
        """Return profiles with their contexts."""

    @abstractmethod
    def count_words(self, words: Set[str] | None) -> ContextVectoriser:
        """Return a vectoriser with the document frequencies of some words, or of all (None)."""

    @abstractmethod
    def type_counts(self, lookups: Mapping[str, Lookup]) -> Mapping[str, TypeCounts]:
        """Return the counts of names and related people, by type."""

    @abstractmethod
    def find_stories(self, profiles: Profiles, vectoriser: ContextVectoriser) -> Stories:
        """Return the documents of profiles, with the topics that they have in the collection."""

    @abstractmethod
    def topics_of(self, documents: Iterable[str]) -> Topics:
        """Return the topics of documents."""

    @abstractmethod
    def find_readings(self, entity_type: str, topics: Rows) -> Readings:
        """Return as what names of a type are read in some topics."""

    @abstractmethod
    def read_as(self, entity_type: str, names: Set[str]) -> Set[str]:
        """Return the names as which some names are read in any topic, if their counts have to be looked up."""

    @abstractmethod
    def names_among(self, entity_type: str, names: Set[str]) -> Mapping[str, int]:
        """Return the names of organisations or places that the prior of some depends on, with their frequencies."""

    # -- evidence ----------------------------------------------------------------------------------------------------

    @property
    def one_name(self) -> bool:
        return self.names.one_name

    @property
    def has_topics(self) -> bool:
        """Whether topics of documents are evidence."""
        silent = self.one_name or self.model.topics is None or self.model.ensemble is not None
        return not silent and self.names.shares_documents

    @cached_property
    def asked_odds(self) -> npt.NDArray[np.float32]:
        """The prior of each row by the asked-for name."""
        sizes, names = self.model.names, self.names.spellings
        return np.zeros(len(names), dtype=np.float32) if sizes is None else asked_priors(names, sizes, self.names.asked)

    def vectoriser(self, words: Set[str] | None) -> ContextVectoriser:
        """Return the weights of words.

        Documents gathered for one name are about few people, so words of other texts are counted along.
        """
        vectoriser = self.count_words(words)
        if self.one_name:
            vectoriser.count_along(usual_words(self.names.main_language))
        return vectoriser

    def known_odds(self, entries: list[KnownEntry], rows: Rows | None = None, seed: int = 0) -> KnownOdds:
        """Return the evidence that all profiles, or some rows, are entries of a known list."""
        model = self.model if self.model.ensemble is None else LearnedModel.default()
        none = np.zeros(0, dtype=np.int64)
        found = [KnownOdds(none, none, none.astype(np.float64))]
        for entity_type, own in self.by_type(rows).items():
            profiles = self.fetch(own)
            lookup = Lookup.of(profiles, None, [name for entry in entries for name in (entry.name, *entry.aliases)])
            counts = None if self.one_name else self.type_counts({entity_type: lookup})[entity_type].names
            every = self.names.rows(entity_type)
            sample = self.fetch(every[some_rows(len(every), np.random.default_rng(seed))])
            odds = known_odds(
                profiles, entity_type or None, entries, model, self.vectoriser(None), counts, sample=sample, seed=seed
            )
            found.append(KnownOdds(own[odds.profile], odds.entry, odds.odds))
        return KnownOdds(*(np.concatenate([getattr(each, name) for each in found]) for name in KnownOdds.__slots__))

    def by_type(self, rows: Rows | None = None) -> dict[str, Rows]:
        """Return all rows, or some, by entity type."""
        types = self.names.types if rows is None else self.names.types[rows]
        every = np.arange(len(types)) if rows is None else rows
        return {entity_type: every[types == entity_type] for entity_type in sorted(set(types))}

    def __getitem__(self, entity_type: str) -> ProfileEvidence:
        rows = self.names.rows(entity_type)
        if not len(rows):
            raise KeyError(entity_type)
        return evidence(self, rows)[entity_type]

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(set(self.names.types)))

    def __len__(self) -> int:
        return len(set(self.names.types))


def evidence(collection: Collection, rows: Rows | None = None) -> dict[str, ProfileEvidence]:
    """Make the evidence about all profiles of a collection, or about some rows, by entity type.

    The evidence about some rows equals that part of the evidence about all of them.
    """
    return _evidence(collection, collection.by_type(rows))


def pair_evidence(collection: Collection, a: int, b: int) -> ProfileEvidence:
    """Make the evidence about two rows. Rows of two types are compared as of the first one's type."""
    first = collection.names.types[a]
    return _evidence(collection, {first: np.array([a, b], dtype=np.int64)})[first]


def compared_fields(collection: Collection, entity_type: str, rows: Rows) -> ComparedFields:
    """Encode the fields of some rows of a type; names and topics are left out."""
    return _Maker(collection, {entity_type: rows}).fields(entity_type)


def _evidence(collection: Collection, by_type: Mapping[str, Rows]) -> dict[str, ProfileEvidence]:
    needed = {entity_type: np.unique(own) for entity_type, own in by_type.items()}
    if collection.model.ensemble is not None:
        # Specialists look at all profiles of a type to know what is usual.
        needed = {kind: np.union1d(collection.names.rows(kind), own) for kind, own in needed.items()}
    maker = _Maker(collection, needed)
    return {
        entity_type: maker.make(entity_type)
        if np.array_equal(own, needed[entity_type])
        else maker.make(entity_type).part(np.searchsorted(needed[entity_type], own))
        for entity_type, own in by_type.items()
    }


class _Maker:
    """Makes the evidence about rows that are fetched together, by type."""

    def __init__(self, collection: Collection, rows: Mapping[str, Rows]) -> None:
        self._collection, self._rows, self._model = collection, rows, collection.model
        self._profiles = {entity_type: collection.fetch(own) for entity_type, own in rows.items()}
        self._compared = {entity_type: collection.names.compared(own) for entity_type, own in self._profiles.items()}
        lookups = {}
        for entity_type, compared in self._compared.items():
            more = collection.read_as(entity_type, _distinct_names(compared))
            lookups[entity_type] = Lookup.of(compared, self._texts_of(compared), more)
        words = [lookup.words for lookup in lookups.values()]
        self._vectoriser = collection.vectoriser(None if None in words else set().union(*filter(None, words)))
        self._counts = collection.type_counts(lookups)
        self._vectors = {
            entity_type: self._vectoriser.transform(compared) for entity_type, compared in self._compared.items()
        }

    def _texts_of(self, profiles: Profiles) -> Iterable[str] | None:
        """Return the texts of a few documents, whose words are looked up; None for more documents."""
        if self._collection.texts is None:
            return ()
        documents = {id or "" for id in profiles.column("document").to_pylist()}
        return self._collection.texts(sorted(documents)).values() if len(documents) <= FEW_DOCUMENTS else None

    def make(self, entity_type: str) -> ProfileEvidence:
        """Make the evidence about the rows of one type."""
        compared, stories = self._compared[entity_type], self._stories(entity_type)
        limits = self._collection.constraints.restrict(self._rows[entity_type])
        parts = (
            self._profiles[entity_type], entity_type or None, limits, self._names(entity_type, stories),
            self.fields(entity_type), self._vectors[entity_type], stories,
        )  # fmt: skip
        if self._model.ensemble is None:
            return ProfileEvidence(*parts)
        specialists = all_specialists(self._vectoriser)
        return EnsembleEvidence(*parts).with_ensemble(Ensemble.from_file(self._model.ensemble, specialists), compared)

    def _has_all(self, entity_type: str) -> bool:
        """Return whether these are all rows of a type."""
        return np.array_equal(self._rows[entity_type], self._collection.names.rows(entity_type))

    def _names(self, entity_type: str, stories: NoStories) -> NameEvidence:
        collection, compared = self._collection, self._compared[entity_type]
        if collection.one_name:
            return NameEvidence(compared, collection.asked_odds[self._rows[entity_type]])
        among = None
        if not self._has_all(entity_type) and entity_type not in (*AS_PEOPLE, ""):
            among = collection.names_among(entity_type, _distinct_names(compared))
        fitted = self._model.fitted.get(entity_type)
        shifts = fitted.name_shifts if fitted else NameShifts()
        counts = self._counts[entity_type].names
        return OpenNames(compared, entity_type or None, counts, self._model.names, stories, among, shifts)

    def fields(self, entity_type: str) -> ComparedFields:
        """Encode the fields of the rows of a type."""
        compared, languages = self._compared[entity_type], self._collection.names.languages
        codes = languages.of(compared) if languages.several else np.full(len(compared), UNKNOWN)
        rows = {}
        for name in self._model.fields:
            # In an open collection the name is stronger evidence than the topic, and documents cost accuracy.
            if name == DOCUMENT and not self._collection.one_name:
                continue
            found = self._vectors[entity_type]
            if name != CONTEXT:
                usual = self._counts[entity_type].related
                found = rows_of(name, compared, self._vectoriser, self._collection.texts, usual)
            if found.matrix.nnz or name == CONTEXT:
                rows[name] = found
        places = [self._collection.names.row_of[id] for id in compared.ids.tolist()]
        alone = self._collection.names.alone[places]
        facts = StatedFacts(self._model.facts, compared)
        return ComparedFields(self._model.curves(entity_type), rows, facts, codes, alone)

    def _stories(self, entity_type: str) -> NoStories:
        collection, compared, sizes = self._collection, self._compared[entity_type], self._model.topics
        if not collection.has_topics or sizes is None:
            open_records = not collection.one_name and self._model.ensemble is None
            return NoStories([name or "" for name in compared.column("name").to_pylist()] if open_records else ())

        def in_topics(topic: Rows) -> InTopics:
            readings = None
            if not self._has_all(entity_type):
                readings = collection.find_readings(entity_type, np.unique(topic))
            return InTopics(compared, topic, sizes, collection.names.descriptions(entity_type), readings)

        # Contexts that stand for documents have been compared already.
        document = None if collection.texts is None else self._model.fields.get(DOCUMENT)
        return StoryEvidence(lambda: self._all_stories, compared, sizes, document, in_topics)

    @cached_property
    def _all_stories(self) -> Stories:
        every = Profiles(pa.concat_tables([profiles.arrow for profiles in self._profiles.values()]))
        return self._collection.find_stories(every, self._vectoriser)


def _distinct_names(profiles: Profiles) -> set[str]:
    return {name for name in profiles.column("name").to_pylist() if name}


def probability_asked(named: Profiles) -> float:
    """Return the probability that the name of all profiles was asked for; 0 if they are not people of one name.

    If the next name of a text is a new one with the odds 1 : n after n names (a Chinese restaurant process), n names
    are the same with probability 1/n.

    >>> from crossdoc.model import Profile
    >>> found = [Profiles.of(Profile(f"p{n}", None, "Ann Lee") for n in range(many)) for many in (2, 9)]
    >>> [round(probability_asked(each), 2) for each in found]
    [0.67, 0.9]
    """
    names = set(named.column("name").to_pylist())
    kinds = {kind or "" for kind in set(named.column("type").to_pylist())}
    if not kinds <= {*AS_PEOPLE, ""} or None in names or len({fold(name or "") for name in names}) != 1:
        return 0.0
    return len(named) / (len(named) + 1)


def have_contexts(profiles: Profiles) -> bool:
    """Return whether some profiles have a context with a word, which can distinguish people of one name."""
    contexts = profiles.take(np.arange(min(len(profiles), COHORT))).column("context").to_pylist()
    return any(re.search(r"\w\w", context or "") for context in contexts)


def several_a_document(profiles: Profiles) -> bool:
    """Return whether some document has several profiles."""
    return bool(pc.count_distinct(profiles.column("document"), mode="all").as_py() < len(profiles))


def believed(certainty: float, model: LearnedModel) -> float:
    """Return a certainty, moved halfway to even odds if the background was learned on other collections.

    >>> believed(0.9, LearnedModel.default())
    0.9
    """
    return 0.5 + TRUST_ELSEWHERE * (certainty - 0.5) if model.learned_on.get("background") == ELSEWHERE else certainty


def types_to_cluster(profiles: Profiles, limits: Constraints) -> npt.NDArray[np.object_]:
    """Return each profile's type, or the empty string; profiles that must be one take the type of the first."""
    types = np.array([t or "" for t in profiles.column("type").to_pylist()], dtype=object)
    for rows in limits.linked_rows():
        types[rows] = types[rows[0]]
    return types
