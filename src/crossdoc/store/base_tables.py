"""Reading, inserting and deleting rows of the tables of one connection.

A `Draft` is a change to a file that is open for reading: visible to its author at once, and written later in one
transaction. Each changed table is covered by a view of its future rows: its present rows without the deleted ones, and
the new rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import duckdb
import pyarrow as pa

from crossdoc import errors
from crossdoc.files import created_like
from crossdoc.store import schema
from crossdoc.store.connection import limited, reading, uninterrupted, writing


def tuples(rows: pa.Table) -> list[tuple[Any, ...]]:
    return list(zip(*(column.to_pylist() for column in rows.columns), strict=True))


class Tables:
    """The tables of a resolution, in a file or in memory."""

    limits_each = True
    """Whether each query has a time limit; otherwise its caller sets one for several."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, path: Path | None, target: Path | None = None) -> None:
        self._db = connection
        self.path = path
        self._target = target
        self._copied = False
        self._in_batch = False
        self._draft: Draft | None = None
        self.discarded_part = False

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Run a block as one transaction. A nested block is part of the outer transaction."""
        if self.is_changing:
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
            self._do(DraftStep(table, f"WHERE {column} IN (SELECT unnest(?))", [listed]))

    def _empty(self, *tables: str) -> None:
        for table in tables:
            self._do(DraftStep(table))

    def _insert(self, table: str, rows: pa.Table | Iterable[Mapping[str, Any]]) -> None:
        arrow = rows if isinstance(rows, pa.Table) else schema.as_table(table, rows)
        if len(arrow):
            self._do(DraftStep(table, rows=arrow))

    def _do(self, step: DraftStep) -> None:
        if self._draft is not None:
            self._draft.do(step)
        elif step.rows is not None:
            self._db.from_arrow(step.rows).insert_into(step.table)
        else:
            self._db.execute(f"DELETE FROM {step.table} {step.where}", step.given)

    def set_meta(self, key: str, value: str) -> None:
        with self.batch():
            self.drop("meta", [key], "key")
            self._insert("meta", [{"key": key, "value": value}])

    def meta(self, key: str) -> str | None:
        return self._meta().get(key)

    def _meta(self) -> dict[str, str]:
        with self._asking() as db, suppress(duckdb.CatalogException, duckdb.BinderException):
            return dict(db.execute("SELECT key, value FROM meta").fetchall())
        return {}

    def count(self, table: str) -> int:
        return int(self.fetch(f"SELECT count(*) FROM {table}")[0][0])

    def _next(self, table: str) -> int:
        return int(self.fetch(f"SELECT coalesce(max(number), 0) + 1 FROM {table}")[0][0])

    @contextmanager
    def _asking(self, asked: Iterable[str] | None = None) -> Iterator[duckdb.DuckDBPyConnection]:
        """Provide the connection to the queries in a block, with ids as the table `asked`."""
        with reading(self.path), limited(self._db) if self.limits_each else nullcontext():
            if asked is not None:
                self._db.register("asked", pa.table({"id": pa.array(list(asked), pa.string())}))
            try:
                yield self._db
            finally:
                if asked is not None:
                    self._db.unregister("asked")

    def _cursor(self) -> duckdb.DuckDBPyConnection:
        """Return another connection to the same file, for a result that is read while other queries run."""
        cursor = self._db.cursor()
        if self.path is not None:
            search = self._db.execute("SELECT current_setting('search_path')").fetchall()[0][0]
            cursor.execute(f"SET search_path = '{search}'")
        return cursor

    def cursor(self) -> Self:
        """Return a store on another connection to the same file."""
        return type(self)(self._cursor(), self.path)

    def close(self) -> None:
        self._db.close()

    def register(self, name: str, rows: pa.Table) -> None:
        """Provide rows to the queries of this connection as a table."""
        self._db.register(name, rows)

    def query(self, sql: str, parameters: Sequence[Any] = (), asked: Iterable[str] | None = None) -> pa.Table:
        """Run a query and return its rows as a table; the ids in `asked` are its table of that name."""
        with self._asking(asked) as db:
            found = db.sql(sql, params=list(parameters)).to_arrow_table()
        # The views of a draft have the number of a row as a column like others.
        return found.drop_columns(["rowid"]) if "rowid" in found.column_names else found

    def fetch(
        self, sql: str, parameters: Sequence[Any] = (), asked: Iterable[str] | None = None
    ) -> list[tuple[Any, ...]]:
        """Run a statement and return its rows as tuples."""
        with self._asking(asked) as db:
            return db.execute(sql, list(parameters)).fetchall()

    def _ids(self, sql: str, parameters: Sequence[Any] = (), asked: Iterable[str] | None = None) -> set[str]:
        """Run a query and return the distinct values of its first column."""
        return {row[0] for row in self.fetch(sql, parameters, asked)}

    def _stream(self, sql: str, parameters: Sequence[Any] = (), size: int = 100_000) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a query in batches; other queries can run in between."""
        if self._in_batch:
            # Another connection would not see what this transaction has written.
            yield from self.query(sql, parameters).to_batches(size)
            return
        with self._asking():
            yield from self._cursor().sql(sql, params=list(parameters)).to_arrow_reader(size)


NEW_ROW_NUMBERS = 2**62
"""Row number of the first new row: new rows are after all others."""


@dataclass(frozen=True, slots=True)
class DraftStep:
    """Rows to insert into a table, or else a condition with parameters: rows that are deleted (by default all)."""

    table: str
    where: str = ""
    given: Sequence[Any] = ()
    rows: pa.Table | None = None


class Draft:
    """The steps of a change, and views of their result in front of the attached database `stored`."""

    def __init__(self, db: duckdb.DuckDBPyConnection) -> None:
        self._db = db
        self._covered: set[str] = set()
        self.steps: list[DraftStep] = []
        db.execute("ATTACH ':memory:' AS draft")
        db.execute("SET search_path = 'draft,stored'")

    def do(self, step: DraftStep) -> None:
        """Add a step, which queries see at once."""
        self.steps.append(step)
        new, gone = f"new_{step.table}", f"gone_{step.table}"
        if step.table not in self._covered:
            self._covered.add(step.table)
            self._db.execute(f"CREATE TABLE draft.{new} ({schema.TABLES[step.table]})")
            self._db.execute(f"CREATE TABLE draft.{gone} (id BIGINT)")
            self._db.execute(f"""
                CREATE VIEW draft.{step.table} AS
                SELECT held.*, held.rowid FROM stored.{step.table} held ANTI JOIN draft.{gone} g ON g.id = held.rowid
                UNION ALL SELECT *, rowid + {NEW_ROW_NUMBERS} FROM draft.{new}""")
        if step.rows is not None:
            self._db.from_arrow(step.rows).insert_into(new)
            return
        self._db.execute(f"INSERT INTO {gone} SELECT rowid FROM stored.{step.table} {step.where}", step.given)
        self._db.execute(f"DELETE FROM {new} {step.where}", step.given)
