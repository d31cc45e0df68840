"""Which identities appeared, split, merged and vanished, and who they are now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict

import pyarrow as pa

from crossdoc.lineage import Event
from crossdoc.store.base_tables import Tables
from crossdoc.store.runs import now

HISTORY = pa.schema(
    [("number", pa.int64()), ("id", pa.string()), ("what", pa.string()), ("other", pa.string()),
     ("profiles", pa.int64()), ("when", pa.string()), ("cause", pa.string())]
)  # fmt: skip

ID_CHANGES = pa.schema([("number", pa.int64()), ("id", pa.string()), ("former", pa.string()), ("entity", pa.string())])


class History(Tables):
    """What happened to identities."""

    def add_events(self, events: Iterable[Event], cause: str) -> None:
        """Append to the history of identities."""
        first, when = self._next("history"), now()
        rows = [{"number": n, **asdict(event), "when": when, "cause": cause} for n, event in enumerate(events, first)]
        self._insert("history", pa.Table.from_pylist(rows, HISTORY))

    def save_events(self, events: Iterable[Event], cause: str) -> None:
        """The events of a run that is not finished yet; :meth:`finish` puts them behind those that it takes over."""
        with self.batch():
            self._db.execute("DELETE FROM history")
            self.add_events(events, cause)

    def ages(self) -> dict[str, int]:
        """By identity when it appeared; those of the first run are not listed, and are the oldest."""
        rows = self._query("SELECT id, min(number) FROM history WHERE what IN ('appeared', 'split') GROUP BY id")
        return dict(zip(*(column.to_pylist() for column in rows.columns), strict=True))

    def successors(self, id: str) -> list[str]:
        """Who an identity is now: itself, or those into whom it merged; nobody where it vanished or never was."""
        found, left, seen = [], [id], set[str]()
        while left:
            asked = left.pop()
            if asked in seen:
                continue
            seen.add(asked)
            if len(self._query("SELECT id FROM identities WHERE id = ?", [asked])):
                found.append(asked)
                continue
            merged = self._query("SELECT DISTINCT other FROM history WHERE id = ? AND what = 'merged'", [asked])
            left.extend(merged.column("other").to_pylist())
        return sorted(found)

    def events(self, id: str | None = None) -> list[Event]:
        """What happened to identities, in order; of one: all in which it has a part."""
        rows = self._query(
            "SELECT * EXCLUDE number FROM history WHERE ? OR ? IN (id, other) ORDER BY number", [id is None, id or ""]
        ).to_pylist()
        return [Event(**row) for row in rows]

    def add_id_changes(self, entry: int, before: Mapping[str, str], now: Mapping[str, str]) -> None:
        """Keep the ids, before and after an entry of the log, of all identities that it changed; both are by profile.

        A profile that stayed is kept too, so that a profile that has no row joined its identity after the entry.
        """
        pairs = {profile: (before[profile], entity) for profile, entity in now.items() if profile in before}
        changed = {id for former, entity in pairs.values() if former != entity for id in (former, entity)}
        rows = [
            {"number": entry, "id": profile, "former": former, "entity": entity}
            for profile, (former, entity) in pairs.items()
            if former in changed or entity in changed
        ]
        self._insert("id_changes", pa.Table.from_pylist(rows, ID_CHANGES))

    def id_changes(self, first: int, last: int) -> dict[str, tuple[str, str]]:
        """By profile the id of its identity before entry `first` and after entry `last` of the log.

        A profile is left out if no entry between these changed its identity.
        """
        rows = self._query(
            """
            SELECT id, arg_min(former, number) AS former, arg_max(entity, number) AS entity
            FROM id_changes WHERE number BETWEEN ? AND ? GROUP BY id
            """,
            [first, last],
        ).to_pylist()
        return {row["id"]: (row["former"], row["entity"]) for row in rows}

    def _renumbered_history(self, events: pa.Table) -> None:
        numbers = pa.array(range(self._next("history"), self._next("history") + len(events)), pa.int64())
        self._insert("history", events.set_column(0, "number", numbers))
