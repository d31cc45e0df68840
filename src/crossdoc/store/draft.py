"""A change to a file that is open for reading: seen by whoever makes it, and written later, all at once.

Each table that is touched is covered by a view of what it will be: its rows without those that go, and the new ones.
"""

from __future__ import annotations

from dataclasses import dataclass

import duckdb
import pyarrow as pa

from crossdoc.store import schema

BEHIND = 2**62
"""New rows come after all that are there."""


@dataclass(frozen=True, slots=True)
class Step:
    """Rows that go into a table, or the values of a column whose rows go out of it (None: all of them)."""

    table: str
    rows: pa.Table | None
    column: str | None = None


class Draft:
    """What a connection sees in front of the attached database `stored`."""

    def __init__(self, db: duckdb.DuckDBPyConnection) -> None:
        self._db = db
        self._covered: set[str] = set()
        self.steps: list[Step] = []
        db.execute("ATTACH ':memory:' AS draft")
        db.execute("SET search_path = 'draft,stored'")

    def do(self, step: Step) -> None:
        """Let a step count for whoever reads from now on."""
        self.steps.append(step)
        if step.table not in self._covered:
            self._cover(step.table)
        if step.rows is None:
            self._db.execute(f"INSERT INTO gone_{step.table} SELECT rowid FROM stored.{step.table}")
            self._db.execute(f"DELETE FROM new_{step.table}")
            return
        self._db.register("step", step.rows)
        try:
            if step.column is None:
                self._db.execute(f"INSERT INTO new_{step.table} SELECT * FROM step")
            else:
                wanted = f"{step.column} IN (SELECT id FROM step)"
                self._db.execute(f"INSERT INTO gone_{step.table} SELECT rowid FROM stored.{step.table} WHERE {wanted}")
                self._db.execute(f"DELETE FROM new_{step.table} WHERE {wanted}")
        finally:
            self._db.unregister("step")

    def _cover(self, table: str) -> None:
        self._covered.add(table)
        self._db.execute(f"CREATE TABLE draft.new_{table} ({schema.TABLES[table]})")
        self._db.execute(f"CREATE TABLE draft.gone_{table} (id BIGINT)")
        self._db.execute(f"""
            CREATE VIEW draft.{table} AS
            SELECT held.*, held.rowid FROM stored.{table} held ANTI JOIN draft.gone_{table} gone ON gone.id = held.rowid
            UNION ALL SELECT *, rowid + {BEHIND} FROM draft.new_{table}""")
