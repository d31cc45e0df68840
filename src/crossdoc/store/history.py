"""Which identities appeared, split, merged and vanished, and who they are now."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

import pyarrow as pa

from crossdoc.lineage import Event
from crossdoc.store.runs import now
from crossdoc.store.tables import Tables

HISTORY = pa.schema(
    [("number", pa.int64()), ("id", pa.string()), ("what", pa.string()), ("other", pa.string()),
     ("profiles", pa.int64()), ("when", pa.string()), ("cause", pa.string())]
)  # fmt: skip


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

    def _renumbered_history(self, events: pa.Table) -> None:
        numbers = pa.array(range(self._next("history"), self._next("history") + len(events)), pa.int64())
        self._insert("history", events.set_column(0, "number", numbers))
