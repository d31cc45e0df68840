"""Reading an answer for the pages and the HTTP interface, with the evidence for pairs of profiles.

The statistics of the collection are kept with the answer, so two profiles are compared as they were among all.

>>> from crossdoc.web.reader import Reader
>>> reader = Reader("articles.crossdoc")                            # doctest: +SKIP
>>> [line.name for line in reader.search("smith").rows]             # doctest: +SKIP
['John Smith', 'Smith & Sons']
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

import duckdb

from crossdoc import errors
from crossdoc.compare.collection import CollectionNames, pair_evidence
from crossdoc.compare.ensemble import Explanation
from crossdoc.model import Documents, Profiles
from crossdoc.model.partition import Event
from crossdoc.run.revise import Revision
from crossdoc.run.stored_collection import StoredCollection
from crossdoc.store import Store
from crossdoc.store.collection_tables import without_mentions
from crossdoc.store.identity_queries import IdentityQueries
from crossdoc.store.views import Line, LogLine, Overview, ProfileView

FETCHED = """
    SELECT * FROM {0} WHERE rowid IN (
        SELECT row FROM memory.{1} WHERE {2} IN (SELECT hash(each) FROM unnest(?::VARCHAR[]) AS t(each))
    ) ORDER BY rowid"""
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


class Reader(IdentityQueries):
    """Reads a .crossdoc file that other processes may write; any thread may call it."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        super().__init__(path)
        self.names_read: tuple[str, CollectionNames, dict[str, tuple[int, int]]] | None = None
        """The state of the profiles, their names, and by type how many names there are."""
        self._warming = threading.Thread(target=self.warm_up, daemon=True)
        self._warming.start()

    @property
    def version(self) -> int:
        """A number that grows whenever any process writes the file."""
        return self.file.version

    def overview(self, top: int = 10) -> Overview:
        """Return sizes, extremes, runs and latest changes of the collection."""
        with self.file.ask() as store:
            sizes, runs, events = store.sizes(), store.runs(), store.events()
            known = len(store.known_links()) if store.has_known else 0
        return Overview(
            sizes,
            self.facets(),
            self.ambiguous(top),
            self.search(limit=top).rows,
            self.search(sort="certainty", descending=False, sizes=(3, None), limit=top).rows,
            runs[-1].notes if runs else [],
            runs[::-1],
            events[: -top - 1 : -1],
            known,
        )

    def why(self, a: str, b: str) -> Why:
        """Return two profiles and the evidence that they are one entity."""
        return self._why(a, [b])[0]

    def why_identity(self, profile: str, identity: str) -> WhyIdentity:
        """Return the evidence for a profile and an identity, by comparing it with the most certain members."""
        line = self.line(identity)
        others = [id for id in self.surest_members(line.id, STRONGEST + 1) if id != profile]
        pairs = self._why(profile, others[:STRONGEST])
        shown = pairs[0].a if pairs else self.profile(profile)
        memberships = {id: much for id, _, much in [(shown.identity, "", shown.membership), *shown.others]}
        return WhyIdentity(shown, line, memberships.get(line.id), pairs)

    def log(self) -> list[LogLine]:
        """Return all judgements, latest first, and whether they are in force."""
        with self.file.ask() as store:
            standing = {entry.number for entry in store.entries()}
            return [LogLine(entry, entry.number in standing) for entry in store.entries(standing=False)[::-1]]

    def history(self, id: str | None = None) -> list[Event]:
        """Return the events of all identities, or of one."""
        with self.file.ask() as store:
            return store.events(id)

    def warm_up(self) -> None:
        """Read the names, so that the first question why is as quick as the others."""
        with suppress(duckdb.Error, errors.CrossdocError), self.file.ask() as asked:
            collection = FetchingStore(asked, self).collection()
            _ = collection.row_of
            if collection.has_topics:
                for entity_type in collection:
                    collection.names.descriptions(entity_type)

    def _why(self, a: str, others: list[str]) -> list[Why]:
        """Explain a profile and each of others being one, as :meth:`Resolution.explain` does."""
        left, shown = self.profile(a), [self.profile(each) for each in others]
        if a in others:
            raise errors.one_profile(a)
        if not others:
            return []
        with self.file.ask() as asked:
            collection = FetchingStore(asked, self).collection()
            row_of = collection.row_of
            pairs = [pair_evidence(collection, row_of[a], row_of[each]) for each in others]
            explanations = [pair.explain(0, 1) for pair in pairs]
        return [Why(left, right, explanation) for right, explanation in zip(shown, explanations, strict=True)]

    def close(self) -> None:
        self._warming.join()
        super().close()

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class FetchingStore(Store):
    """A store that knows at which rows things are, and does not count the same names twice."""

    def __init__(self, store: Store, reader: Reader) -> None:
        super().__init__(store._db, store.path)
        self._reader = reader

    def profiles(self, ids: Iterable[str] | None = None, column: str = "id") -> Profiles:
        if ids is None or column != "id":
            return super().profiles(ids, column)
        return Profiles(self.query(FETCHED.format("profiles", "profile_rows", "key"), [list(ids)]))

    def documents(self, ids: Iterable[str] | None = None) -> Documents:
        if ids is None:
            return super().documents()
        return without_mentions(self.query(FETCHED.format("documents", "document_rows", "document"), [list(ids)]))

    def collection(self) -> StoredCollection:
        """Return the collection; names of all profiles are read once for each state of the file."""
        revision, held, signature = Revision(self), self._reader.names_read, self.profiles_signature()
        if held is None or held[0] != signature:
            names = CollectionNames.of_result(self.named(), revision.model, revision.name is not None)
            self._reader.names_read = held = signature, names, super().name_counts()
        self._name_counts = held[2]
        return StoredCollection(self, revision.model, held[1], revision.clusterer)

    def name_counts(self) -> dict[str, tuple[int, int]]:
        return self._name_counts
