"""Why two profiles are one entity, or are not: the evidence, and the texts side by side.

Comparing all profiles again would take as long as the run. The collection statistics are stored with the answer, so two
profiles can be compared as they were in the full collection.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass, replace

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from crossdoc import errors
from crossdoc.compare.across import Languages
from crossdoc.compare.blocking import AS_PEOPLE
from crossdoc.compare.ensemble import Explanation
from crossdoc.compare.evidence import ProfileEvidence
from crossdoc.compare.in_topics import InTopics, small_names
from crossdoc.compare.kept import Asked, Kept, readings_of
from crossdoc.compare.name_prior import NameCounts
from crossdoc.compare.stage import several_a_document
from crossdoc.compare.stories import Stories, Topics
from crossdoc.compare.usual_words import TEXTS, TEXTS_FROM_ELSEWHERE, main_language, usual_words
from crossdoc.compare.vectors import ContextVectoriser, raw_words
from crossdoc.model import Documents, Profiles
from crossdoc.names.lookup import Index, bearing_on, lookup_keys
from crossdoc.resolution import Resolution
from crossdoc.revision import Revision
from crossdoc.stages import compiled
from crossdoc.store import Store
from crossdoc.store.identity_queries import IdentityQueries
from crossdoc.store.views import Line, ProfileView

FETCHED = """
    SELECT * FROM {0} WHERE rowid IN (
        SELECT row FROM memory.{1} WHERE {2} IN (SELECT hash(each) FROM unnest(?::VARCHAR[]) AS t(each))
    ) ORDER BY rowid"""
MOST_COMPARED = 5_000
"""Profiles. Up to this many are all compared to explain a pair that the kept counts do not cover: a pair of two types,
or of a result without kept topics. In a larger collection such a pair is explained by its own two documents. It bounds
the time of a page; no answer depends on it."""
STRONGEST = 2
"""Members of an identity that a profile is compared with."""


@dataclass(frozen=True, slots=True)
class Why:
    """Two profiles side by side, and the evidence for and against their being one entity."""

    a: ProfileView
    b: ProfileView
    explanation: Explanation


@dataclass(frozen=True, slots=True)
class WhyIdentity:
    """A profile compared with the strongest members of an identity."""

    profile: ProfileView
    line: Line
    membership: float | None
    """None if it was never considered."""
    pairs: list[Why]


class Explanations(IdentityQueries):
    """Evidence for pairs of profiles."""

    names_counted: dict[tuple[str, str], tuple[int, int, int]]
    """By state of the profiles and type how many people and names there are, and names that occur once."""
    collection_names: tuple[str, CollectionNames] | None
    """The state of the profiles, and what their names say."""

    def why(self, a: str, b: str) -> Why:
        """Return two profiles and the evidence that they are one entity."""
        return self._why(a, [b])[0]

    def why_identity(self, profile: str, identity: str) -> WhyIdentity:
        """Return the evidence for a profile and an identity, by comparing it with the most certain members."""
        line = self._line(identity)
        others = [id for id in self.surest_members(line.id, STRONGEST + 1) if id != profile]
        pairs = self._why(profile, others[:STRONGEST])
        shown = pairs[0].a if pairs else self.profile(profile)
        memberships = {id: much for id, _, much in [(shown.identity, "", shown.membership), *shown.others]}
        return WhyIdentity(shown, line, memberships.get(line.id), pairs)

    def warm_up(self) -> None:
        """Count the names, so that the first question why is as quick as the others."""
        with suppress(duckdb.Error, errors.CrossdocError):
            for kind, _ in self.catalogue.facets().types:
                with self.file.ask() as asked:
                    FetchingStore(asked, self).counted_names(kind or "", ())
            with self.file.ask() as asked:
                store = FetchingStore(asked, self)
                store.collection_names(Revision(store).name is not None)

    def _why(self, a: str, others: list[str]) -> list[Why]:
        left, shown = self.profile(a), [self.profile(each) for each in others]
        with self.file.ask() as store:
            explanations = explained(FetchingStore(store, self), a, others)
        return [Why(left, right, explanation) for right, explanation in zip(shown, explanations, strict=True)]


class FetchingStore(Store):
    """A store that knows at which rows things are, and does not count the same names twice."""

    def __init__(self, store: Store, reader: Explanations) -> None:
        super().__init__(store._db, store.path)
        self._reader, self._signature = reader, store.profiles_signature()

    def profiles(self, entity_type: str | None = None, ids: Iterable[str] | None = None) -> Profiles:
        if ids is None:
            return super().profiles(entity_type)
        return Profiles(self._query(FETCHED.format("profiles", "profile_rows", "key"), [list(ids)]))

    def documents(self, ids: Iterable[str] | None = None) -> Documents:
        if ids is None:
            return super().documents()
        arrow = self._query(FETCHED.format("documents", "document_rows", "document"), [list(ids)])
        return Documents(arrow.append_column("mentions", pa.nulls(len(arrow), Documents.schema.field("mentions").type)))

    def collection_names(self, one_name: bool) -> CollectionNames:
        held = self._reader.collection_names
        if held is None or held[0] != self._signature:
            self._reader.collection_names = held = self._signature, CollectionNames.of(self, one_name)
        return held[1]

    def counted_names(self, entity_type: str, firsts: Iterable[str]) -> tuple[dict[str, int], int, int, int]:
        counted = self._reader.names_counted
        if (self._signature, entity_type) not in counted:
            for old in [key for key in counted if key[0] != self._signature]:
                counted.pop(old, None)
            counted[self._signature, entity_type] = super().counted_names(entity_type, ())[1:]
        with self._asked(firsts):
            rows = self._query(
                """SELECT value, count(*) AS n FROM (
                    SELECT key, value FROM counts WHERE what = 'name' AND type = ? AND value IN (SELECT id FROM asked)
                    GROUP BY key, value HAVING sum(n) > 0
                ) GROUP BY value""",
                [entity_type],
            ).to_pylist()
        return {row["value"]: row["n"] for row in rows}, *counted[self._signature, entity_type]


@dataclass(frozen=True)
class CollectionNames:
    """Names and languages of all profiles, as far as the strength of a pair depends on them."""

    languages: Languages
    main_language: str
    several: bool
    """Whether any document has several profiles; only then topics are compared."""
    descriptions: Mapping[str, Set[str]]
    """By type the names that are descriptions."""
    counts: Mapping[str, NameCounts]
    """By type how common names are, if names are compared in another form than that in which the result counts them."""
    index: Mapping[str, Index]
    """By type of organisation or place the names, if the result does not keep them in the form that is compared."""

    @classmethod
    def of(cls, store: Store, one_name: bool) -> CollectionNames:
        profiles = store.named()
        languages, main = Languages(profiles), main_language(profiles)
        if one_name:
            return cls(languages.only(profiles.ids), main, False, {}, {}, {})
        named, types = languages.named(profiles), pc.fill_null(profiles.column("type"), "")
        parts = {kind: Profiles(named.arrow.filter(pc.equal(types, kind))) for kind in pc.unique(types).to_pylist()}
        recount = languages.changes_names
        unlisted = recount or store.meta("called") is None
        return cls(
            languages.only(profiles.ids),
            main,
            several_a_document(profiles),
            {kind: small_names(part) for kind, part in parts.items()},
            # People who are only named beside others are counted too.
            {kind: NameCounts.of(languages.named(store.profiles(kind))) for kind in parts if recount},
            {kind: _indexed(part, kind) for kind, part in parts.items() if unlisted and kind not in AS_PEOPLE},
        )


def _indexed(profiles: Profiles, entity_type: str) -> Index:
    often = Counter(name for name in profiles.column("name").to_pylist() if name)
    return Index((name, " ".join(sorted(lookup_keys(name, entity_type).kept)), n) for name, n in often.items())


def explained(store: FetchingStore, a: str, others: list[str]) -> list[Explanation]:
    """What speaks for and against a profile and each of others being one, as :meth:`Resolution.explain` tells it."""
    if a in others:
        raise errors.one_profile(a)
    if not others:
        return []
    revision, profiles = Revision(store), store.profiles(ids=[a, *others])
    # Specialists look at all profiles to know what is usual.
    pairs = None if revision.model.ensemble is not None else Pairs.of(store, revision, profiles)
    row = {id: at for at, id in enumerate(profiles.ids)}
    found = [pairs.explain(profiles.take([row[a], row[each]])) if pairs else None for each in others]
    return [pair or Resolution(store).explain(a, each) for pair, each in zip(found, others, strict=True)]


@dataclass(frozen=True)
class Pairs:
    """Compares two profiles of a collection as the run compared them among all."""

    revision: Revision
    names: CollectionNames
    vectoriser: ContextVectoriser
    texts: Mapping[str, str] | None
    asked: Asked
    topics: Topics | None
    """Those of the profiles' documents; None if the result has not kept them."""

    @classmethod
    def of(cls, store: FetchingStore, revision: Revision, profiles: Profiles) -> Pairs:
        one_name, documents = revision.name is not None, {id or "" for id in profiles.column("document").to_pylist()}
        names, asked = store.collection_names(one_name), Asked.by(profiles)
        texts = None if revision.of_profiles else store.texts_of(documents)
        whole = {word for text in (texts or {}).values() for word in raw_words(text)}
        vectoriser = revision.counted.vectoriser((asked.words or set()) | whole)
        if one_name:
            vectoriser.count_along(usual_words(names.main_language), TEXTS_FROM_ELSEWHERE, of=TEXTS)
        stored = store.topics(documents)
        kept = stored is not None and store.meta("readings") is not None and documents <= stored[0].keys()
        return cls(revision, names, vectoriser, texts, asked, Topics(*stored) if stored and kept else None)

    def explain(self, pair: Profiles) -> Explanation | None:
        """Return the evidence for the two profiles, or None if only the whole collection can tell."""
        kinds = {profile.type or "" for profile in pair}
        with_topics = self.names.several and self.revision.model.topics is not None
        known = len(kinds) == 1 and not (with_topics and self.topics is None)
        if not known and self.revision.store.count("profiles") <= MOST_COMPARED:
            return None
        kind = kinds.pop() if len(kinds) == 1 else ""
        stories = self._stories(pair) if with_topics else None
        evidence = ProfileEvidence(
            self.revision.model,
            self.vectoriser,
            pair,
            compiled([], pair),
            one_name=self.revision.name is not None,
            texts=None if self.texts is None else self._texts_of,
            kept=self._kept(kind, pair, stories if known else None),
            languages=self.names.languages,
            stories=None if stories is None else lambda: stories,
        )
        return evidence.explain(0, 1)

    def _texts_of(self, ids: Iterable[str]) -> dict[str, str]:
        return {id: (self.texts or {}).get(id, "") for id in ids}

    def _stories(self, pair: Profiles) -> Stories | None:
        if self.texts is not None:
            return Stories.of(pair, self._texts_of, self.vectoriser, self.topics)
        documents = sorted({id or "" for id in pair.column("document").to_pylist()})
        return None if self.topics is None else Stories.without_texts(documents, self.topics)

    def _kept(self, kind: str, pair: Profiles, stories: Stories | None) -> Kept:
        """What the collection says of the names of two profiles of one type, and of who is named beside them."""
        counted, names = self.revision.counted, self.names
        kept = counted.kept({kind: self.asked})[kind]
        if self.revision.name is not None:
            return kept
        named = names.languages.named(pair)
        called = {name for name in named.column("name").to_pylist() if name}
        index, in_topics = names.index.get(kind), None
        among = counted.among(kind, called) if index is None else bearing_on(called, kind, index.like)
        if stories is not None and (sizes := self.revision.model.topics) is not None:
            topic = stories.topic[stories.of_profiles(named)]
            listed = counted.store.counted("reading", kind, {str(each) for each in topic.tolist()})
            readings = readings_of(pa.table({"key": [key for key, *_ in listed], "value": [row[1] for row in listed]}))
            in_topics = InTopics(named, topic, sizes, names.descriptions[kind], readings)
        return replace(kept, names=names.counts.get(kind, kept.names), among=among, in_topics=in_topics)
