"""A change to a file that is open for reading: visible to its author at once, and written later in one transaction.

Each changed table is covered by a view of its future rows: its present rows without the deleted ones, and the new rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import duckdb
import pyarrow as pa

from crossdoc.store import schema

NEW_ROW_NUMBERS = 2**62
"""Row number of the first new row: new rows are after all others."""


@dataclass(frozen=True, slots=True)
class DraftStep:
    """Rows to insert into a table, or values of `column` whose rows are deleted; without rows, all are deleted."""

    table: str
    rows: pa.Table | None
    column: str | None = None


def in_few(steps: Iterable[DraftStep]) -> list[DraftStep]:
    """Combine successive steps of one kind per table: a statement costs more than a row.

    >>> rows = pa.table({"key": ["a"], "value": ["1"]})
    >>> [len(step.rows) for step in in_few([DraftStep("meta", rows), DraftStep("runs", rows), DraftStep("meta", rows)])]
    [2, 1]
    """
    by_table: dict[str, list[DraftStep]] = {}
    for step in steps:
        done = by_table.setdefault(step.table, [])
        before = done[-1].rows if done and done[-1].column == step.column else None
        if before is not None and step.rows is not None and before.schema.equals(step.rows.schema):
            done[-1] = replace(step, rows=pa.concat_tables([before, step.rows]))
        else:
            done.append(step)
    return [step for done in by_table.values() for step in done]


class Draft:
    """The steps of a change, and views of their result in front of the attached database `stored`."""

    def __init__(self, db: duckdb.DuckDBPyConnection) -> None:
        self._db = db
        self._covered: set[str] = set()
        self._thinned: set[str] = set()
        """Tables with deleted rows; the views of other tables need no join."""
        self._waiting: list[DraftStep] = []
        """Steps that no query needed yet."""
        self.steps: list[DraftStep] = []
        self.meta: dict[str, str] | None = None
        """Cache of the table `meta`."""
        db.execute("ATTACH ':memory:' AS draft")
        db.execute("SET search_path = 'draft,stored'")

    def do(self, step: DraftStep) -> None:
        """Add a step; queries see it after :meth:`show`."""
        self.steps.append(step)
        self._waiting.append(step)
        if step.table == "meta":
            self.meta = None

    def show(self, query: str | None = None) -> None:
        """Apply the steps on the tables that a query names (None: all steps)."""
        asked = [step for step in self._waiting if query is None or step.table in query]
        if asked:
            self._waiting = [step for step in self._waiting if query is not None and step.table not in query]
            for step in in_few(asked):
                self._apply(step)

    def _apply(self, step: DraftStep) -> None:
        if step.table not in self._covered:
            self._cover(step.table)
        if (step.rows is None or step.column is not None) and step.table not in self._thinned:
            self._thin(step.table)
        if step.rows is None:
            self._db.execute(f"INSERT INTO gone_{step.table} SELECT rowid FROM stored.{step.table}")
            self._db.execute(f"DELETE FROM new_{step.table}")
        elif step.column is None:
            self._db.from_arrow(step.rows).insert_into(f"new_{step.table}")
        else:
            wanted, ids = f"{step.column} IN (SELECT unnest(?))", [step.rows.column("id").to_pylist()]
            self._db.execute(f"INSERT INTO gone_{step.table} SELECT rowid FROM stored.{step.table} WHERE {wanted}", ids)
            self._db.execute(f"DELETE FROM new_{step.table} WHERE {wanted}", ids)

    def _cover(self, table: str) -> None:
        self._covered.add(table)
        self._db.execute(f"CREATE TABLE draft.new_{table} ({schema.TABLES[table]})")
        self._view(table, "")

    def _thin(self, table: str) -> None:
        self._thinned.add(table)
        self._db.execute(f"CREATE TABLE draft.gone_{table} (id BIGINT)")
        self._view(table, f"ANTI JOIN draft.gone_{table} gone ON gone.id = held.rowid")

    def _view(self, table: str, without: str) -> None:
        self._db.execute(f"""
            CREATE OR REPLACE VIEW draft.{table} AS
            SELECT held.*, held.rowid FROM stored.{table} held {without}
            UNION ALL SELECT *, rowid + {NEW_ROW_NUMBERS} FROM draft.new_{table}""")
