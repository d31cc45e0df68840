"""The tables of one connection: what is read, written, deleted, each way by one door."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from crossdoc import errors
from crossdoc.files import created_like
from crossdoc.store.connection import limited, reading, uninterrupted, writing
from crossdoc.store.draft import Draft, DraftStep

AS_PARAMETER = 500
"""So many ids are given with a query; a table of more is quicker than a list."""


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
        """One transaction: all of it is kept, or nothing. One within another is a part of it."""
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
        """Whether what is written now goes into one transaction with the rest of a change."""
        return self._in_batch or self._draft is not None

    def drop(self, table: str, ids: Iterable[str], column: str = "id") -> None:
        """Delete the rows of a table whose `column` holds one of the ids."""
        if listed := list(ids):
            self._do(DraftStep(table, pa.table({"id": pa.array(listed, pa.string())}), column))

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
        """Before a query: let it see what a change has done so far to the tables that it names (None: to all)."""
        if self._draft is not None:
            self._draft.show(query)

    def _next(self, table: str) -> int:
        self._show(table)
        return int(self._db.execute(f"SELECT coalesce(max(number), 0) + 1 FROM {table}").fetchall()[0][0])

    def _in_batches(self, select: str, size: int) -> Iterator[list[tuple[Any, ...]]]:
        """The rows of documents, a batch at a time."""
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
        """Ids to join with, as the table `asked` of :meth:`_query`."""
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
        """Another connection to the same file, for an answer that is read while other queries run."""
        self._show()
        cursor = self._db.cursor()
        if self.path is not None:
            search = self._db.execute("SELECT current_setting('search_path')").fetchall()[0][0]
            cursor.execute(f"SET search_path = '{search}'")
        return cursor

    def _has(self, table: str) -> bool:
        with reading(self.path):
            return bool(self._db.execute("SELECT 1 FROM duckdb_tables() WHERE table_name = ?", [table]).fetchall())

    def _meta(self) -> dict[str, str]:
        # While a change is computed nobody else can write the file.
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

    def _query(self, sql: str, parameters: list[Any] | None = None) -> pa.Table:
        self._show(sql)
        given = list(parameters or ())
        if self._few is not None:
            sql, given = f"WITH asked AS (SELECT unnest(?::VARCHAR[]) AS id) {sql}", [self._few, *given]
        with reading(self.path), limited(self._db):
            found = self._db.sql(sql, params=given).to_arrow_table()
        # The views of a draft, or of a folder of Parquet, have the number of a row as a column like others.
        return found.drop_columns(["rowid"]) if "rowid" in found.column_names else found

    def _stream(self, sql: str, parameters: list[Any]) -> Iterator[pa.RecordBatch]:
        with reading(self.path):
            yield from self._cursor().sql(sql, params=parameters).to_arrow_reader(100_000)
