"""Profiles → Evidence, one entity type after the other, with what was learned on the collection itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from crossdoc.compare.across import Languages
from crossdoc.compare.background import ELSEWHERE, adapted
from crossdoc.compare.evidence import ProfileEvidence
from crossdoc.compare.known import KnownOdds, known_odds
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.name_prior import NameCounts
from crossdoc.compare.self_training import joined_contexts
from crossdoc.compare.stories import Stories, Topics
from crossdoc.compare.usual_words import count_usual_words
from crossdoc.compare.vectors import ContextVectoriser, Texts
from crossdoc.constraints import Constraints
from crossdoc.model import Documents, KnownEntry, Profiles
from crossdoc.progress import Progress, Quiet

TRUST_ELSEWHERE = 0.5
"""Of a certainty, the part beyond even odds that remains where what is usual was learned on other collections."""


class Collection(Protocol):
    """The texts that profiles are from: how often words occur in them, and which tell one story."""

    def texts(self) -> Iterable[list[str] | pa.ChunkedArray]:
        """All of them, a batch at a time."""

    @property
    def texts_of(self) -> Texts:
        """Those of some documents, by id."""


class InMemory:
    """A collection of documents in memory."""

    def __init__(self, documents: Documents) -> None:
        self._texts: dict[str, str] = dict(
            zip(documents.ids, documents.column("text").to_pylist(), strict=True),
        )

    def texts(self) -> Iterable[list[str]]:
        yield list(self._texts.values())

    def texts_of(self, ids: Sequence[str]) -> Mapping[str, str]:
        return {id: self._texts[id] for id in ids if id in self._texts}


class OnlyContexts:
    """Of profiles without documents: what is known of each document is what its profiles quote."""

    def __init__(self, profiles: Profiles) -> None:
        self._profiles = profiles

    def texts(self) -> Iterable[pa.ChunkedArray]:
        yield self._profiles.column("context")

    @cached_property
    def texts_of(self) -> Texts:
        return joined_contexts(self._profiles)


@dataclass(frozen=True)
class Comparison(Mapping[str, ProfileEvidence]):
    """The evidence of each entity type ('' for profiles that have none), made when it is asked for."""

    profiles: Profiles
    constraints: Constraints
    model: LearnedModel
    """What compares them, as adapted to the collection."""
    vectoriser: ContextVectoriser
    one_name: bool
    texts: Texts | None
    type_of: npt.NDArray[np.object_]
    languages: Languages
    notes: tuple[str, ...] = ()
    """What could not be learned on the collection."""
    stories: Callable[[], Stories] | None = None
    """Which documents are alike, in an open collection of several profiles a document; found once."""

    def __getitem__(self, entity_type: str) -> ProfileEvidence:
        rows = np.flatnonzero(self.type_of == entity_type)
        if not len(rows):
            raise KeyError(entity_type)
        if len(rows) == len(self.profiles):
            return self.whole()
        profiles, limits = self.profiles.take(rows), self.constraints.restrict(rows)
        return self._evidence(profiles, limits)

    def known_odds(self, entries: list[KnownEntry], seed: int = 0) -> KnownOdds:
        """What speaks for each profile being each of these entries (`known.py`)."""
        model = self.model if self.model.ensemble is None else LearnedModel.default()
        found = []
        for entity_type in self:
            rows = np.flatnonzero(self.type_of == entity_type)
            profiles = self.profiles.take(rows)
            counts = None if self.one_name else NameCounts.of(profiles)
            own = known_odds(profiles, entity_type or None, entries, model, self.vectoriser, counts, seed=seed)
            found.append(KnownOdds(rows[own.profile], own.entry, own.odds))
        return KnownOdds(*(np.concatenate([getattr(each, name) for each in found]) for name in KnownOdds.__slots__))

    def kept_apart(self, pairs: npt.NDArray[np.int32]) -> Comparison:
        """The same where these pairs of profiles are never one."""
        cannot = np.concatenate([self.constraints.cannot, pairs])
        return replace(self, constraints=replace(self.constraints, cannot=cannot))

    @property
    def topics(self) -> Topics | None:
        """The topics of the documents; None where they say nothing of a profile."""
        silent = self.stories is None or self.model.topics is None or self.model.ensemble is not None
        return None if silent or self.stories is None else self.stories().topics

    def whole(self) -> ProfileEvidence:
        """The evidence of all profiles, whatever their types, by which any two of them can be explained."""
        return self._evidence(self.profiles, self.constraints)

    def _evidence(self, profiles: Profiles, limits: Constraints) -> ProfileEvidence:
        return ProfileEvidence(
            self.model,
            self.vectoriser,
            profiles,
            limits,
            one_name=self.one_name,
            texts=self.texts,
            languages=self.languages,
            stories=self.stories,
        )

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(set(self.type_of)))

    def __len__(self) -> int:
        return len(set(self.type_of))


def compare(
    profiles: Profiles,
    collection: Collection | None = None,
    *,
    model: LearnedModel | None = None,
    constraints: Constraints | None = None,
    one_name: bool = False,
    others: Profiles | None = None,
    background: bool = True,
    seed: int = 0,
    progress: Progress | None = None,
    vectoriser: ContextVectoriser | None = None,
    topics: Topics | None = None,
) -> Comparison:
    """What there is to know about profiles before they are clustered.

    Parameters
    ----------
    collection : the documents that the profiles are from; left out: the profiles' own contexts stand for them.
    model : what was learned before; left out: the one that comes with crossdoc.
    one_name : all profiles answer to one asked-for name, which then is no evidence.
    others : under one name: people of other names in the same documents.
    background : measure likeness against that of different names in this collection (background.py), not in others.
    vectoriser : in how many texts of the collection each word occurs, where that has been counted already.
    topics : those of its documents, where they have been found already.
    """
    report = progress or Quiet()
    known = model or LearnedModel.default()
    languages = Languages(profiles)
    texts = collection or OnlyContexts(profiles)
    if vectoriser is None:
        report.start("counting words")
        vectoriser = ContextVectoriser().fit(texts.texts())
    if one_name:
        count_usual_words(vectoriser, profiles)
    texts_of = None if collection is None else collection.texts_of
    notes: list[str] = []
    if background and known.ensemble is None:
        report.start("learning what is usual in the collection")
        cohort = (others if others is not None else profiles.take([])) if one_name else None
        known, notes = adapted(known, profiles, texts_of, vectoriser, others=cohort, languages=languages, seed=seed)
    limits = constraints or Constraints.none(len(profiles))
    types = types_to_cluster(profiles, limits)
    stories = None
    if not one_name and several_a_document(profiles):
        stories = cache(lambda: Stories.of(profiles, texts.texts_of, vectoriser, topics))
    return Comparison(profiles, limits, known, vectoriser, one_name, texts_of, types, languages, tuple(notes), stories)


def several_a_document(profiles: Profiles) -> bool:
    """Whether there are documents: of records, each its own, no story can be told that the context does not tell."""
    return bool(pc.count_distinct(profiles.column("document"), mode="all").as_py() < len(profiles))


def believed(certainty: float, model: LearnedModel) -> float:
    """A certainty, or the half of it beyond even odds, where what is usual was learned on other collections.

    >>> believed(0.9, LearnedModel.default())
    0.9
    """
    return 0.5 + TRUST_ELSEWHERE * (certainty - 0.5) if model.learned_on.get("background") == ELSEWHERE else certainty


def types_to_cluster(profiles: Profiles, limits: Constraints) -> npt.NDArray[np.object_]:
    """Each profile's type ('' where it has none); profiles that must be one take the type of the first of them."""
    types = np.array([t or "" for t in profiles.column("type").to_pylist()], dtype=object)
    for rows in limits.linked_rows():
        types[rows] = types[rows[0]]
    return types
