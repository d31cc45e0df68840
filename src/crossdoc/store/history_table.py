"""The history of identities: which appeared, split, merged and vanished, and their present ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pyarrow as pa

from crossdoc.lineage import Event
from crossdoc.store.base_tables import Tables
from crossdoc.store.runs import now
from crossdoc.store.schema import as_table, cells_of


class History(Tables):
    """Events of identities, and the ids that entries of the log changed."""

    def add_events(self, events: Iterable[Event], cause: str) -> None:
        """Append to the history of identities."""
        first, when = self._next("history"), now()
        rows = [cells_of(event, number=n, when=when, cause=cause) for n, event in enumerate(events, first)]
        self._insert("history", as_table("history", rows))

    def save_events(self, events: Iterable[Event], cause: str) -> None:
        """Store the events of an unfinished run; :meth:`finish` appends them to those of the replaced file."""
        with self.batch():
            self._empty("history")
            self.add_events(events, cause)

    def ages(self) -> dict[str, int]:
        """Return when each identity appeared, as an event number; identities of the first run are not listed."""
        return dict(self._rows("SELECT id, min(number) FROM history WHERE what IN ('appeared', 'split') GROUP BY id"))

    def successors(self, id: str) -> list[str]:
        """Return the present ids of an identity: its own, or those it merged into; none if there are none."""
        found, left, seen = [], [id], set[str]()
        while left:
            asked = left.pop()
            if asked in seen:
                continue
            seen.add(asked)
            if self._ids("SELECT id FROM identities WHERE id = ?", [asked]):
                found.append(asked)
            else:
                left += self._ids("SELECT other FROM history WHERE id = ? AND what = 'merged'", [asked])
        return sorted(found)

    def events(self, id: str | None = None) -> list[Event]:
        """Return the events of all identities in order, or those in which one identity takes part."""
        rows = self._query(
            "SELECT * EXCLUDE number FROM history WHERE ? OR ? IN (id, other) ORDER BY number", [id is None, id or ""]
        ).to_pylist()
        return [Event(**row) for row in rows]

    def add_id_changes(self, entry: int, before: Mapping[str, str], now: Mapping[str, str]) -> None:
        """Store the ids, before and after an entry of the log, of all identities that it changed, by profile.

        Profiles that stayed are stored too: a profile without a row joined its identity after the entry.
        """
        pairs = {profile: (before[profile], entity) for profile, entity in now.items() if profile in before}
        changed = {id for former, entity in pairs.values() if former != entity for id in (former, entity)}
        rows = [
            {"number": entry, "id": profile, "former": former, "entity": entity}
            for profile, (former, entity) in pairs.items()
            if former in changed or entity in changed
        ]
        self._insert("id_changes", as_table("id_changes", rows))

    def id_changes(self, first: int, last: int) -> dict[str, tuple[str, str]]:
        """Return, by profile, the id of its identity before entry `first` and after entry `last` of the log.

        Profiles whose identity no entry in this range changed are left out.
        """
        rows = self._rows(
            """
            SELECT id, arg_min(former, number) AS former, arg_max(entity, number) AS entity
            FROM id_changes WHERE number BETWEEN ? AND ? GROUP BY id
            """,
            [first, last],
        )
        return {profile: (former, entity) for profile, former, entity in rows}

    def _append_history(self, events: pa.Table) -> None:
        """Insert events after those of the table."""
        numbers = pa.array(range(self._next("history"), self._next("history") + len(events)), pa.int64())
        self._insert("history", events.set_column(0, "number", numbers))
