"""The history of an answer: its runs, the events of its identities, and the rows that entries replaced."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa

from crossdoc import errors
from crossdoc.model.partition import Event
from crossdoc.store.base_tables import Tables
from crossdoc.store.schema import cells_of


@dataclass(frozen=True, slots=True)
class Run:
    """One call of the resolver: its inputs, settings and times."""

    started: str
    finished: str
    version: str
    method: str
    seed: int
    settings: str
    inputs: list[str]
    notes: list[str]

    def parsed_settings(self) -> dict[str, Any]:
        parsed = _parsed(self.settings)
        if not isinstance(parsed, dict):
            raise errors.bad_account("they are not an object")
        tables = parsed.get("parameters")
        for method, former in FORMER_PARAMETERS:
            if isinstance(tables, dict) and isinstance(tables.get(method), dict):
                tables[method].pop(former, None)
        return parsed


FORMER_PARAMETERS = [("bags", "partitions"), ("correlation", "rounding"), ("sampling", "samples")]
"""Methods and parameters of earlier versions that a file may name. A change of its answer is made without them."""


def _parsed(written: str) -> Any:
    try:
        return json.loads(written)
    except (TypeError, ValueError, RecursionError) as error:
        raise errors.bad_account(str(error)) from error


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


class History(Tables):
    """Records of runs, events of identities, and the ids that entries of the log changed."""

    def save_run(self, run: Run) -> None:
        with self.batch():
            self._insert("runs", [asdict(run)])

    def runs(self) -> list[Run]:
        return [Run(**row) for row in self.query("SELECT * FROM runs ORDER BY rowid").to_pylist()]

    def salt(self) -> bytes:
        """Return the secret that contact details are hashed with; a resumed run keeps it."""
        return bytes.fromhex(self._meta()["salt"])

    def add_events(self, events: Iterable[Event], cause: str) -> None:
        first, when = self._next("history"), now()
        rows = (cells_of(event, number=n, when=when, cause=cause) for n, event in enumerate(events, first))
        self._insert("history", rows)

    def save_events(self, events: Iterable[Event], cause: str) -> None:
        """Store the events of an unfinished run; :meth:`finish` appends them to those of the replaced file."""
        with self.batch():
            self._empty("history")
            self.add_events(events, cause)

    def ages(self) -> dict[str, int]:
        """Return when each identity appeared, as an event number; identities of the first run are not listed."""
        return dict(self.fetch("SELECT id, min(number) FROM history WHERE what IN ('appeared', 'split') GROUP BY id"))

    def successors(self, id: str) -> list[str]:
        """Return the present ids of an identity: its own, or those it merged into; none if there are none."""
        found, left, seen = set[str](), {id}, set[str]()
        while left:
            present = self._ids("SELECT id FROM identities SEMI JOIN asked USING (id)", asked=left)
            found |= present
            seen |= left
            merged = "SELECT other FROM history SEMI JOIN asked USING (id) WHERE what = 'merged'"
            left = self._ids(merged, asked=left - present) - seen
        return sorted(found)

    def events(self, id: str | None = None) -> list[Event]:
        """Return the events of all identities in order, or those in which one identity takes part."""
        rows = self.query(
            "SELECT * EXCLUDE number FROM history WHERE ? OR ? IN (id, other) ORDER BY number", [id is None, id or ""]
        ).to_pylist()
        return [Event(**row) for row in rows]

    def add_id_changes(self, entry: int, before: Mapping[str, str], now: Mapping[str, str]) -> None:
        """Store the ids before and after an entry of all identities that it changed, by profile, moved or not."""
        pairs = [(profile, before[profile], entity) for profile, entity in now.items() if profile in before]
        changed = {id for _, former, entity in pairs if former != entity for id in (former, entity)}
        rows = [
            {"number": entry, "id": profile, "former": former, "entity": entity}
            for profile, former, entity in pairs
            if not changed.isdisjoint((former, entity))
        ]
        self._insert("id_changes", rows)

    def id_changes(self, first: int, last: int) -> dict[str, tuple[str, str]]:
        """Return the id before entry `first` and after entry `last` by profile, for identities that changed between."""
        rows = self.fetch(
            """
            SELECT id, arg_min(former, number) AS former, arg_max(entity, number) AS entity
            FROM id_changes WHERE number BETWEEN ? AND ? GROUP BY id
            """,
            [first, last],
        )
        return {profile: (former, entity) for profile, former, entity in rows}


FORMER = {"memberships": "former_memberships", "identities": "former_identities"}


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Rows of the two tables that hold the answer."""

    memberships: pa.Table
    identities: pa.Table

    @property
    def profiles(self) -> set[str]:
        return set(self.memberships.column("id").to_pylist())

    @property
    def entities(self) -> set[str]:
        return {*self.memberships.column("entity").to_pylist(), *self.identities.column("id").to_pylist()}


class FormerAnswers(Tables):
    """The rows that each entry of the log replaced, since the last change that was not an entry."""

    def snapshot(self, profiles: Iterable[str], identities: Iterable[str]) -> Snapshot:
        """Return the memberships of these profiles and the rows of these identities."""
        return Snapshot(self._rows_of("memberships", profiles), self._rows_of("identities", identities))

    def _rows_of(self, table: str, ids: Iterable[str]) -> pa.Table:
        return self.query(f"SELECT t.* FROM {table} t SEMI JOIN asked USING (id)", asked=ids)

    def keep_former(self, entry: int, before: Snapshot, always: Iterable[str] = ()) -> None:
        """Keep the rows of `before` that the entry replaced, and those of the profiles in `always`."""
        wanted = set(always)
        for table, old in (("memberships", before.memberships), ("identities", before.identities)):
            new = self._rows_of(table, old.column("id").unique().to_pylist())
            changed = {row[0] for row in _as_tuples(old) ^ _as_tuples(new)} | wanted
            kept = old.filter(pa.array([id in changed for id in old.column("id").to_pylist()], pa.bool_()))
            number = pa.array([entry] * len(kept), pa.int64())
            self._insert(FORMER[table], kept.add_column(0, "number", number))

    def former(self, first: int, last: int) -> Snapshot:
        """Return the rows before entry `first` that one of the entries from `first` to `last` replaced."""
        earliest = """
            SELECT t.* EXCLUDE number FROM {0} t SEMI JOIN (
                SELECT id, min(number) AS number FROM {0} WHERE number BETWEEN ? AND ? GROUP BY id
            ) USING (id, number)"""
        return Snapshot(*(self.query(earliest.format(table), [first, last]) for table in FORMER.values()))

    def keeps_former(self, entry: int) -> bool:
        """Whether the rows that this entry and all later ones replaced are kept."""
        return bool(self.fetch("SELECT 1 FROM former_memberships WHERE number = ? LIMIT 1", [entry]))

    def put_back(self, former: Snapshot) -> None:
        """Replace the memberships of the snapshot's profiles, and the identities that change with them."""
        left = set(self._rows_of("memberships", former.profiles).column("entity").to_pylist())
        self.drop("memberships", former.profiles)
        self._insert("memberships", former.memberships)
        described = former.identities.column("id").to_pylist()
        filled = "SELECT DISTINCT m.entity FROM memberships m SEMI JOIN asked ON asked.id = m.entity"
        there = self._ids(filled, asked=left | set(described))
        self.drop("identities", (left - there) | set(described))
        # An identity that one of the entries made, and a later one changed, has a row here too.
        self._insert("identities", former.identities.filter(pa.array([id in there for id in described], pa.bool_())))

    def forget_former(self) -> None:
        """Delete all kept rows, when the answer was changed by something else than an entry."""
        self._empty(*FORMER.values())


def _as_tuples(rows: pa.Table) -> set[tuple[object, ...]]:
    """Return the rows as tuples that start with the id."""
    columns = ([tuple(cell) if isinstance(cell, list) else cell for cell in each.to_pylist()] for each in rows.columns)
    return set(zip(*columns, strict=True))
