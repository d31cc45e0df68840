"""A collection in memory, and its preparation for comparison."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from crossdoc.compare.background import adapted, measure_background
from crossdoc.compare.collection import Collection, CollectionNames, have_contexts, probability_asked
from crossdoc.compare.fit import fit
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.statistics import Lookup, Statistics, TypeCounts
from crossdoc.compare.stories import Stories, Topics
from crossdoc.compare.story_evidence import InTopics, Readings
from crossdoc.compare.vectors import ContextVectoriser, Texts, joined_contexts
from crossdoc.model import Documents, Profiles
from crossdoc.model.evidence_protocol import Constraints
from crossdoc.progress import Progress, Quiet

Rows = npt.NDArray[np.int64]


class TextSource(Protocol):
    """The texts that profiles come from."""

    def texts(self) -> Iterable[list[str] | pa.ChunkedArray]:
        """Yield all texts in batches."""

    @property
    def texts_of(self) -> Texts:
        """The texts of some documents, by id."""


class DocumentTexts:
    """Texts of documents in memory."""

    def __init__(self, documents: Documents) -> None:
        self._texts, self._row = documents.column("text"), {id: row for row, id in enumerate(documents.ids.tolist())}

    def texts(self) -> Iterable[pa.ChunkedArray]:
        yield self._texts

    def texts_of(self, ids: Sequence[str]) -> Mapping[str, str]:
        # Only these become Python strings, which take more memory than Arrow's.
        known = [id for id in ids if id in self._row]
        rows = pa.array([self._row[id] for id in known], pa.int64())
        return dict(zip(known, self._texts.take(rows).to_pylist(), strict=True))


class ContextTexts:
    """Contexts of profiles, which stand for documents that are not there."""

    def __init__(self, profiles: Profiles) -> None:
        self._profiles = profiles

    def texts(self) -> Iterable[pa.ChunkedArray]:
        yield self._profiles.column("context")

    @cached_property
    def texts_of(self) -> Texts:
        return joined_contexts(self._profiles)


class MemoryCollection(Collection):
    """A collection whose profiles are in memory.

    Parameters
    ----------
    profiles : all profiles.
    source : their documents; None if contexts stand for them.
    words : document frequencies of all words.
    """

    def __init__(
        self,
        profiles: Profiles,
        source: TextSource | None,
        model: LearnedModel,
        names: CollectionNames,
        constraints: Constraints,
        words: ContextVectoriser,
    ) -> None:
        self.profiles, self.model, self.names, self.constraints = profiles, model, names, constraints
        self.texts = None if source is None else source.texts_of
        self.words = words
        self.notes: tuple[str, ...] = ()
        """Notes on parts of the model that could not be adapted to the collection."""
        self._source: TextSource = source or ContextTexts(profiles)
        self._readings: dict[str, Readings] = {}

    @cached_property
    def statistics(self) -> Statistics:
        """Counts of the collection, by the names that profiles state."""
        counted = Statistics.of(self.profiles)
        return replace(counted, texts=self.words.document_count, words=self.words.document_frequency)

    @cached_property
    def _compared_statistics(self) -> Statistics:
        """The same by the names as they are compared."""
        if not self.names.languages.changes_names:
            return self.statistics
        return Statistics.of(self.names.compared(self.profiles))

    @cached_property
    def _stories(self) -> Stories:
        return Stories.of(self.profiles, self._source.texts_of, self.words)

    @property
    def topics(self) -> Topics | None:
        """The topics of the documents; None if they are no evidence."""
        return self._stories.topics if self.has_topics else None

    def topics_of(self, documents: Iterable[str]) -> Topics:
        return self._stories.topics

    def fetch(self, rows: Rows) -> Profiles:
        return self.profiles if np.array_equal(rows, np.arange(len(self.profiles))) else self.profiles.take(rows)

    def count_words(self, words: Set[str] | None) -> ContextVectoriser:
        return self.words

    def type_counts(self, lookups: Mapping[str, Lookup]) -> Mapping[str, TypeCounts]:
        return self._compared_statistics.type_counts(lookups)

    def find_stories(self, profiles: Profiles, vectoriser: ContextVectoriser) -> Stories:
        return self._stories

    def find_readings(self, entity_type: str, topics: Rows) -> Readings:
        if entity_type not in self._readings:
            own, sizes = self.names.of_type(entity_type), self.model.topics
            assert sizes is not None
            topic = self._stories.topic[self._stories.of_profiles(own)]
            found = InTopics(own, topic, sizes, self.names.descriptions(entity_type))
            self._readings[entity_type] = found.readings
        return self._readings[entity_type]

    def read_as(self, entity_type: str, names: Set[str]) -> Set[str]:
        return frozenset()

    def names_among(self, entity_type: str, names: Set[str]) -> Mapping[str, int]:
        return Counter(name or "" for name in self.names.of_type(entity_type).column("name").to_pylist())

    def kept_apart(self, pairs: npt.NDArray[np.int32]) -> MemoryCollection:
        """Return the collection with these pairs of profiles never one."""
        cannot = np.concatenate([self.constraints.cannot, pairs])
        other = MemoryCollection.__new__(MemoryCollection)
        other.__dict__.update(self.__dict__, constraints=replace(self.constraints, cannot=cannot))
        return other


def compare(
    profiles: Profiles,
    source: TextSource | None = None,
    *,
    model: LearnedModel | None = None,
    constraints: Constraints | None = None,
    one_name: bool = False,
    others: Profiles | None = None,
    background: bool = True,
    seed: int = 0,
    progress: Progress | None = None,
    words: ContextVectoriser | None = None,
) -> MemoryCollection:
    """Prepare profiles for comparison: count words and adapt the model to the collection.

    Parameters
    ----------
    source : the documents of the profiles; left out: the profiles' contexts stand for them.
    model : the fitted model, also one that is adapted to an earlier state; left out: the one that comes with crossdoc.
    one_name : all profiles answer to one asked-for name, as they do if the collection has no other name.
    others : under one name: people of other names in the same documents.
    background : measure similarity against that of different names in this collection (`background.py`).
    words : document frequencies of all words, if they were counted before.
    """
    report = progress or Quiet()
    known = model or LearnedModel.default()
    measured = background and known.ensemble is None
    known = known.as_shipped() if measured else known
    asked = float(one_name)
    if not one_name and known.ensemble is None and have_contexts(profiles):
        asked = probability_asked(profiles)
    limits = constraints or Constraints.none(len(profiles))
    names = CollectionNames(profiles, asked, limits)
    report.start("counting words")
    if words is None:
        words = ContextVectoriser().fit((source or ContextTexts(profiles)).texts())
    found = MemoryCollection(profiles, source, known, names, limits, words)
    if measured:
        report.start("learning what is usual in the collection")
        cohort = (others if others is not None else profiles.take([])) if asked else None
        backgrounds = measure_background(
            known.fields, profiles, found.texts, found.vectoriser(None), others=cohort, languages=names.languages,
            alone=None if asked or len(set(names.alone)) < 2 else names.alone, seed=seed,
        )  # fmt: skip
        found.model, notes = adapted(known, backgrounds)
        found.model = fit(found, backgrounds, seed)
        found.notes = tuple(notes)
    found.model = found.model.model_copy(update={"one_name": names.one_name})
    return found
