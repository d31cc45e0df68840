"""Why two profiles are one entity, or are not: the evidence, and the texts side by side.

To compare all profiles again, as the run did, takes as long as that. What is counted in the collection is kept with the
answer, and so two profiles can be compared as they were among all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from functools import cache

import duckdb
import pyarrow as pa

from crossdoc import errors
from crossdoc.compare.across import Languages
from crossdoc.compare.ensemble import Explanation
from crossdoc.compare.evidence import ProfileEvidence
from crossdoc.compare.kept import Asked, Kept
from crossdoc.compare.stories import Stories, Topics
from crossdoc.compare.usual_words import count_usual_words
from crossdoc.compare.vectors import ContextVectoriser, raw_words
from crossdoc.model import Documents, Profiles
from crossdoc.resolution import Resolution
from crossdoc.revision import Revision
from crossdoc.stages import compiled
from crossdoc.store import Store
from crossdoc.web.reading_identity import Identities
from crossdoc.web.views import Why, WhyIdentity
from crossdoc.web.words import signature_of

FETCHED = """
    SELECT * FROM {0} WHERE rowid IN (
        SELECT row FROM memory.{1} WHERE {2} IN (SELECT hash(each) FROM unnest(?::VARCHAR[]) AS t(each))
    ) ORDER BY rowid"""
STRONGEST = 2
"""Members of an identity that a profile is compared with."""


class Explanations(Identities):
    """Reads about pairs."""

    names_counted: dict[tuple[str, str], tuple[int, int, int]]
    """By state of the profiles and type how many people and names there are, and names that occur once."""

    def why(self, a: str, b: str) -> Why:
        """What speaks for and against two profiles being one entity."""
        return self._why(a, [b])[0]

    def why_identity(self, profile: str, identity: str) -> WhyIdentity:
        """What speaks for and against a profile being an identity: it beside the strongest members."""
        line = self._line(identity)
        others = [id for id in self._surest(line.id, STRONGEST + 1) if id != profile]
        pairs = self._why(profile, others[:STRONGEST])
        shown = pairs[0].a if pairs else self.profile(profile)
        memberships = {id: much for id, _, much in [(shown.identity, "", shown.membership), *shown.others]}
        return WhyIdentity(shown, line, memberships.get(line.id), pairs)

    def _surest(self, identity: str, top: int) -> list[str]:
        with self.file.ask() as db:
            self._select(db, identity, 0, top)
            rows = db.execute("SELECT p.id FROM own o JOIN profiles p ON p.rowid = o.row ORDER BY o.place").fetchall()
        return [id for (id,) in rows]

    def warm_up(self) -> None:
        """Count the names, so that the first question why is as quick as the others."""
        with suppress(duckdb.Error, errors.CrossdocError):
            for kind, _ in self.catalogue.facets().types:
                with self.file.ask() as db:
                    FetchingStore(db, self).counted_names(kind or "", ())

    def _why(self, a: str, others: list[str]) -> list[Why]:
        left, shown = self.profile(a), [self.profile(each) for each in others]
        with self.file.ask() as db:
            explanations = explained(FetchingStore(db, self), a, others)
        return [Why(left, right, explanation) for right, explanation in zip(shown, explanations, strict=True)]


class FetchingStore(Store):
    """A store that knows at which rows things are, and does not count the same names twice."""

    def __init__(self, db: duckdb.DuckDBPyConnection, reader: Explanations) -> None:
        super().__init__(db, reader.file.path)
        self._reader, self._signature = reader, signature_of(db)

    def profiles(self, entity_type: str | None = None, ids: Iterable[str] | None = None) -> Profiles:
        return Profiles(self._query(FETCHED.format("profiles", "profile_rows", "key"), [list(ids or ())]))

    def documents(self, ids: Iterable[str] | None = None) -> Documents:
        arrow = self._query(FETCHED.format("documents", "document_rows", "document"), [list(ids or ())])
        return Documents(arrow.append_column("mentions", pa.nulls(len(arrow), Documents.schema.field("mentions").type)))

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


def explained(store: Store, a: str, others: list[str]) -> list[Explanation]:
    """What speaks for and against a profile and each of others being one, as :meth:`Resolution.explain` tells it."""
    if a in others:
        raise errors.one_profile(a)
    if not others:
        return []
    revision, profiles = Revision(store), store.profiles(ids=[a, *others])
    if revision.model.ensemble is not None:
        # Specialists look at all profiles to know what is usual.
        return [Resolution(store).explain(a, each) for each in others]
    texts = None if revision.of_profiles else store.texts_of(set(profiles.column("document").to_pylist()))
    asked = Asked.by(profiles)
    whole = {word for text in (texts or {}).values() for word in raw_words(text)}
    vectoriser = revision.counted.vectoriser((asked.words or set()) | whole)
    row = {id: at for at, id in enumerate(profiles.ids)}
    names = {profile.name for profile in profiles if profile.name}
    counts = cache(
        lambda kind: replace(revision.counted.kept({kind: asked})[kind], among=revision.counted.among(kind, names))
    )
    stored = store.topics(set(profiles.column("document").to_pylist()) - {None})
    topics = None if stored is None else Topics(*stored)
    return [_pair(revision, profiles.take([row[a], row[each]]), vectoriser, texts, counts, topics) for each in others]


def _pair(
    revision: Revision,
    profiles: Profiles,
    vectoriser: ContextVectoriser,
    texts: dict[str, str] | None,
    counts: Callable[[str], Kept],
    topics: Topics | None,
) -> Explanation:
    """Of the first and the second profile, which are of one type or compared as if they had none."""
    kinds = {profile.type or "" for profile in profiles}
    if revision.name is not None:
        count_usual_words(vectoriser, profiles)

    def texts_of(ids: Iterable[str]) -> dict[str, str]:
        return {id: (texts or {}).get(id, "") for id in ids}

    evidence = ProfileEvidence(
        revision.model,
        vectoriser,
        profiles,
        compiled([], profiles),
        one_name=revision.name is not None,
        texts=None if texts is None else texts_of,
        kept=counts(kinds.pop() if len(kinds) == 1 else ""),
        languages=Languages(profiles),
        stories=None if texts is None else cache(lambda: Stories.of(profiles, texts_of, vectoriser, topics)),
    )
    return evidence.explain(0, 1)
