"""Compare what a store holds: the collection in memory, its links to a known list, statistics and notes to keep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from crossdoc import errors
from crossdoc.cluster.clusterer import EVEN, Clusterer
from crossdoc.compare.background import ELSEWHERE
from crossdoc.compare.fields import CONTEXT
from crossdoc.compare.known import LINKED, apart_by_entries, known_table
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.memory_collection import DocumentTexts, MemoryCollection, compare
from crossdoc.compare.statistics import all_readings, linked_rows, topic_rows
from crossdoc.compare.story_evidence import Readings
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.model import Documents, Identity, Judgement, KnownEntry, Profiles, rows_of
from crossdoc.progress import Progress, shortage
from crossdoc.read import read_known
from crossdoc.run.stages import bystanders, compiled
from crossdoc.settings import Settings
from crossdoc.store import Store


def compare_stored(
    store: Store,
    judgements: Sequence[Judgement],
    settings: Settings,
    model: LearnedModel,
    name: str | None,
    report: Progress,
    *,
    words: ContextVectoriser | None = None,
    documents: Documents | None = None,
    others: Profiles | None = None,
) -> MemoryCollection:
    """Compare all profiles of a store.

    Parameters
    ----------
    words : the document frequencies of all words, if they were counted before.
    documents : the documents, if they are in memory; otherwise texts are read from the store.
    others : under one name, other people in its documents; they are found if they are not given.
    """
    profiles = store.profiles()
    if short := shortage(len(profiles), profiles.arrow.nbytes):
        report.note(short)
    background = settings.background and settings.clusterer().method.compares
    if background and name is not None and model.ensemble is None and others is None:
        others = find_others(store, documents, name, settings.window)
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
        words=words,
    )


def find_others(store: Store, documents: Documents | None, name: str, window: int) -> Profiles:
    """Return other people in the documents of one name."""
    if documents is None:
        return bystanders(store.each_document(), store.documents, name, window)
    return bystanders(documents, lambda ids: Documents(rows_of(documents.arrow, ids)), name, window)


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
    store.save_known(entries, known_table(odds, collection.profiles, entries), clash_bound(collection.model), LINKED)
    return collection.kept_apart(apart_by_entries(odds, collection.constraints.group))


def clash_bound(model: LearnedModel) -> float:
    """Return the log odds against an entry of a profile whose name clashes."""
    names = model.names or LearnedModel.default().names
    return names.bound if names else 0.0


def keep_statistics(
    store: Store,
    collection: MemoryCollection,
    readings: Mapping[str, Readings | None],
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
        if (rows := all_readings(readings)) is not None:
            store.save_table("readings", rows, readings="all")


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
