"""Documents or profiles added to an answer: they are read and extracted as in its run, with its statistics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from crossdoc import errors
from crossdoc.extract.corrections import settled_types, votes_of, with_settled_types
from crossdoc.model import Documents, Mentions, Profiles
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
from crossdoc.settings import Settings
from crossdoc.store import Store

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

    def skip(batch: Any) -> set[str]:
        same = _same(store, batch)
        unchanged.extend(sorted(same))
        return same

    if what == "profiles":
        (documents, mentions, profiles), notes = _read_profiles(sources, settings, skip, report)
    else:
        (documents, mentions, profiles), notes = _read_documents(store, sources, settings, name, skip, report)
    gone = store.known(what, (profiles if what == "profiles" else documents).ids)
    return Incoming(documents, mentions, profiles, sorted(gone), unchanged), notes


def _read_profiles(
    sources: Sequence[Source], settings: Settings, skip: Skip, report: Progress
) -> tuple[Tables, list[str]]:
    found = Batches()
    reading = take_profiles(sources, settings.types, found.add, skip=skip, report=report)
    if reading.rows.other_types and not len(found.profiles):
        raise errors.only_other_types(reading.rows.left_out)
    return found.tables, reading.rows.lines


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
    if reading.settles_types:
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
