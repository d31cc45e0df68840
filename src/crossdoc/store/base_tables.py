"""Reading, inserting and deleting rows of the tables of one connection.

A `Draft` is a change to a file that is open for reading: visible to its author at once, and written later in one
transaction. Each changed table is covered by a view of its future rows: its present rows without the deleted ones, and
the new rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import duckdb
import pyarrow as pa

from crossdoc import errors
from crossdoc.files import created_like
from crossdoc.store import schema
from crossdoc.store.connection import limited, reading, uninterrupted, writing

AS_PARAMETER = 500
"""Ids. Up to this many are a parameter of a query; more are joined as a table, which is faster."""


def tuples(rows: pa.Table) -> list[tuple[Any, ...]]:
    """Return the rows of a table as tuples."""
    return list(zip(*(column.to_pylist() for column in rows.columns), strict=True))


class Tables:
    """The tables of a resolution, in a file or in memory."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, path: Path | None, target: Path | None = None) -> None:
        self._db = connection
        self.path = path
        self._target = target
        self._copied = False
        self._in_batch = False
        self._draft: Draft | None = None
        self._few: list[str] | None = None
        self.discarded_part = False

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Run a block as one transaction. A nested block is part of the outer transaction."""
        if self._in_batch or self._draft is not None:
            yield
            return
        if self._copied:
            # DuckDB refuses to write to a file that is open for reading, but would let the copies in memory be written.
            raise errors.cannot_write(self.path or "memory", "it is open for reading only")
        with uninterrupted(), writing(self._target or self.path or Path("memory")):
            self._db.begin()
            self._in_batch = True
            try:
                yield
                # The write-ahead log is created here.
                with created_like(self._target if self._target and self._target.exists() else self.path):
                    self._db.commit()
            except BaseException:
                # A failed commit has already been rolled back, and then there is nothing left to roll back.
                with suppress(duckdb.Error):
                    self._db.rollback()
                raise
            finally:
                self._in_batch = False

    @property
    def is_changing(self) -> bool:
        """Whether rows written now are part of a transaction or of a draft."""
        return self._in_batch or self._draft is not None

    def drop(self, table: str, ids: Iterable[str], column: str = "id") -> None:
        """Delete the rows of a table whose `column` holds one of the ids."""
        if listed := list(ids):
            self._do(DraftStep(table, pa.table({"id": pa.array(listed, pa.string())}), column))

    def _empty(self, *tables: str) -> None:
        """Delete all rows of some tables."""
        for table in tables:
            self._do(DraftStep(table, None))

    def set_meta(self, key: str, value: str) -> None:
        with self.batch():
            self.drop("meta", [key], "key")
            self._insert("meta", pa.table({"key": [key], "value": [value]}))

    def meta(self, key: str) -> str | None:
        return self._meta().get(key)

    def count(self, table: str) -> int:
        self._show(table)
        with reading(self.path):
            return int(self._db.execute(f"SELECT count(*) FROM {table}").fetchall()[0][0])

    def _show(self, query: str | None = None) -> None:
        """Make the steps of a draft visible in the tables that a query names (None: in all tables)."""
        if self._draft is not None:
            self._draft.show(query)

    def _next(self, table: str) -> int:
        self._show(table)
        return int(self._db.execute(f"SELECT coalesce(max(number), 0) + 1 FROM {table}").fetchall()[0][0])

    def _in_batches(self, select: str, size: int) -> Iterator[list[tuple[Any, ...]]]:
        """Yield the rows of documents in batches."""
        with reading(self.path):
            if self._in_batch:
                # Another connection would not see what this transaction has written.
                for start in range(0, self.count("documents"), size * 16):
                    rows = self._db.execute(f"{select} ORDER BY rowid LIMIT {size * 16} OFFSET {start}").fetchall()
                    yield from (rows[at : at + size] for at in range(0, len(rows), size))
                return
            cursor = self._cursor()
            cursor.execute(f"{select} ORDER BY rowid")
            while rows := cursor.fetchmany(size):
                yield rows

    @contextmanager
    def _asked(self, ids: Iterable[str]) -> Iterator[None]:
        """Provide ids as the table `asked` to the queries in a block."""
        listed = list(ids)
        if len(listed) <= AS_PARAMETER:
            self._few = listed
            try:
                yield
            finally:
                self._few = None
            return
        self._db.register("asked", pa.table({"id": pa.array(listed, pa.string())}))
        try:
            yield
        finally:
            self._db.unregister("asked")

    def _cursor(self) -> duckdb.DuckDBPyConnection:
        """Return another connection to the same file, for a result that is read while other queries run."""
        self._show()
        cursor = self._db.cursor()
        if self.path is not None:
            search = self._db.execute("SELECT current_setting('search_path')").fetchall()[0][0]
            cursor.execute(f"SET search_path = '{search}'")
        return cursor

    def fetch(self, sql: str, parameters: Sequence[Any] | None = None) -> list[tuple[Any, ...]]:
        """Run a statement with DuckDB's own types, and return its rows."""
        return self._db.execute(sql, parameters).fetchall()

    def fetch_arrow(self, sql: str) -> pa.Table:
        return self._db.sql(sql).to_arrow_table()

    def register(self, name: str, rows: pa.Table) -> None:
        """Provide rows to the queries of this connection as a table."""
        self._db.register(name, rows)

    def cursor(self) -> Self:
        """Return a store on another connection to the same file."""
        return type(self)(self._cursor(), self.path)

    def close(self) -> None:
        self._db.close()

    def _has(self, table: str) -> bool:
        with reading(self.path):
            return bool(self._db.execute("SELECT 1 FROM duckdb_tables() WHERE table_name = ?", [table]).fetchall())

    def _meta(self) -> dict[str, str]:
        # The table is cached for the duration of a draft: only the draft can change it.
        if self._draft is not None and self._draft.meta is not None:
            return self._draft.meta
        self._show("meta")
        with reading(self.path):
            try:
                found = dict(self._db.execute("SELECT key, value FROM meta").fetchall())
            except (duckdb.CatalogException, duckdb.BinderException):
                return {}
        if self._draft is not None:
            self._draft.meta = found
        return found

    def _insert(self, table: str, arrow: pa.Table) -> None:
        if len(arrow):
            self._do(DraftStep(table, arrow))

    def _do(self, step: DraftStep) -> None:
        if self._draft is not None:
            self._draft.do(step)
            return
        if step.rows is None:
            self._db.execute(f"DELETE FROM {step.table}")
            return
        if step.column is None:
            self._db.from_arrow(step.rows).insert_into(step.table)
            return
        ids = step.rows.column("id").to_pylist()
        self._db.execute(f"DELETE FROM {step.table} WHERE {step.column} IN (SELECT unnest(?))", [ids])

    def _query(self, sql: str, parameters: list[Any] | None = None, asked: Iterable[str] | None = None) -> pa.Table:
        """Run a query; the ids in `asked` are its table of that name."""
        if asked is not None:
            with self._asked(asked):
                return self._query(sql, parameters)
        self._show(sql)
        given = list(parameters or ())
        if self._few is not None:
            sql, given = f"WITH asked AS (SELECT unnest(?::VARCHAR[]) AS id) {sql}", [self._few, *given]
        with reading(self.path), limited(self._db):
            found = self._db.sql(sql, params=given).to_arrow_table()
        # The views of a draft, or of a folder of Parquet, have the number of a row as a column like others.
        return found.drop_columns(["rowid"]) if "rowid" in found.column_names else found

    def _rows(
        self, sql: str, parameters: list[Any] | None = None, asked: Iterable[str] | None = None
    ) -> list[tuple[Any, ...]]:
        """Run a query and return its rows as tuples."""
        return tuples(self._query(sql, parameters, asked))

    def _ids(self, sql: str, parameters: list[Any] | None = None, asked: Iterable[str] | None = None) -> set[str]:
        """Run a query and return the distinct values of its first column."""
        return {row[0] for row in self._rows(sql, parameters, asked)}

    def _stream(self, sql: str, parameters: list[Any]) -> Iterator[pa.RecordBatch]:
        with reading(self.path):
            yield from self._cursor().sql(sql, params=parameters).to_arrow_reader(100_000)


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
