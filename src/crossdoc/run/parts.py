"""Reading over an engine: tasks extract parts of the input, and what they return is stored in the order of the parts.

Each part is stored in one transaction, so that the parts of a stopped run are the first ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import add
from typing import Any

from crossdoc.engine import Engine
from crossdoc.model import Documents, Mentions, Profiles
from crossdoc.progress import Progress
from crossdoc.read import Source
from crossdoc.read.slices import parts_of
from crossdoc.run import reading
from crossdoc.run.reading import Batches, Capitals, KeptDocuments, Reading
from crossdoc.settings import Settings
from crossdoc.store import Store

Part = Sequence[Source]
Found = tuple[tuple[Documents, Mentions, Profiles], Reading]
"""Result of a task: the rows of a part, and its counts and notes."""


def read_profiles(
    engine: Engine, store: Store, sources: Sequence[Source], settings: Settings, report: Progress
) -> tuple[Reading, list[str]]:
    """Read profiles into a store; return the counts of all parts, and a note on those of a stopped run."""
    parts = parts_of(sources, profiles=True)
    return _stored(engine, store, parts, "reading profiles", report, profiles_in, settings.types)


def extract_documents(
    engine: Engine,
    store: Store,
    sources: Sequence[Source],
    settings: Settings,
    name: str | None,
    report: Progress,
    learned: Callable[[Capitals], None] | None,
) -> tuple[Reading, list[str]]:
    """Extract documents into a store, as `read_profiles`; `learned` receives the capitals of all of them, if wanted."""
    parts, capitals = parts_of(sources, profiles=False), None
    # A task is one process.
    shared = engine.put(settings.model_copy(update={"processes": 1, "threads": 1}))
    if learned is not None:
        report.start("counting capitals")
        # Also in stored parts: a part is read the same whether a run was stopped or not.
        capitals = reduce(add, map(engine.get, engine.map(capitals_in, parts, shared, apart=True)), Capitals())
        learned(capitals)
    given = shared, name, store.salt(), engine.put(capitals)
    return _stored(engine, store, parts, "reading documents", report, documents_in, *given)


def _stored(
    engine: Engine, store: Store, parts: Sequence[Part], stage: str, report: Progress, work: Any, *shared: Any
) -> tuple[Reading, list[str]]:
    done, total, notes = int(store.meta("parts") or 0), Reading(), list[str]()
    if done:
        total = Reading.from_json(store.meta("reading") or "")
        notes = [f"{done:,} of {len(parts):,} parts were already done by a stopped run"]
    report.start(stage, len(parts))
    report.advance(done)
    for number, ref in enumerate(engine.map(work, parts[done:], *shared, apart=True), done + 1):
        rows, own = engine.get(ref)
        total += own
        with store.batch():
            store.add(*rows)
            store.set_meta("parts", str(number))
            store.set_meta("reading", total.to_json())
        report.advance()
    return total, notes


# -- tasks -----------------------------------------------------------------------------------------------------------


def capitals_in(part: Part, settings: Settings) -> Capitals:
    return Capitals.of(KeptDocuments(part, settings, is_part=True))


def profiles_in(part: Part, types: Sequence[str]) -> Found:
    found = Batches()
    counted = reading.take_profiles(part, types, found.add)
    return found.tables, counted


def documents_in(part: Part, settings: Settings, name: str | None, salt: bytes, capitals: Capitals | None) -> Found:
    found, documents = Batches(), KeptDocuments(part, settings, is_part=True)
    extractor = reading.extractor_for(settings, name, salt)
    counted = reading.extract_documents(documents, extractor, settings.types, found.add, capitals=capitals)
    return found.tables, counted
