"""One resolution as a folder of Parquet files, a folder a table: what a run on several machines writes.

It is read through DuckDB like a .crossdoc file, and not changed: `pack` makes a file of it, in which judgements count.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import accumulate
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from crossdoc import errors
from crossdoc.files import exchange, flush_to_disk, mode_of, replaced, whole_file
from crossdoc.store import migrations, schema
from crossdoc.store.connection import ALONE, LOCKS, MOST_ROWS, check_columns, reading, writing
from crossdoc.store.store import Store

PLACE = "rowid"
"""What the rows of a table are in order by; a table of DuckDB has such a column unasked."""
_PART = re.compile(r"[\w-]+\.parquet")
"""What a file of a table is called; DuckDB takes brackets and stars of a name for a pattern."""


class FolderStore(Store):
    """A folder of Parquet files, to read."""

    @classmethod
    def at(cls, folder: str | os.PathLike[str]) -> FolderStore:
        """The tables of a folder, whether its run is finished or not; those that are not there are empty."""
        path = Path(folder)
        # Many tasks read one folder: what each spills is its own.
        spill = Path(tempfile.gettempdir()) / f"crossdoc-{os.getpid()}-{uuid.uuid4().hex}"
        connection = duckdb.connect(":memory:", config={"temp_directory": str(spill), **ALONE})
        store = cls(connection, path)
        with reading(path):
            show_tables(connection, path)
            # As of a .crossdoc file: nothing beside this folder can be read through it.
            inside = str(path.absolute()).replace("'", "''")
            for lock in (f"SET allowed_directories = ['{inside}']", *LOCKS):
                connection.execute(lock)
        return store

    @classmethod
    def finished(cls, path: Path) -> FolderStore:
        """The answer in a folder."""
        if not part_files(path, "meta"):
            raise errors.not_a_store(path)
        _check_parts(path)
        store = cls.at(path.resolve())
        try:
            check_columns(store._db, "memory", path, beside=PLACE)
            facts = store._meta()
        except BaseException:
            store.close()
            raise
        if facts.get("marker") != schema.MARKER:
            store.close()
            raise errors.not_a_store(path)
        steps = migrations.steps_from(facts.get("version", "unknown"))
        # Tables that a folder lacks are empty, so a step that only adds tables needs no work; `show_tables` splits the
        # former table of counts.
        if steps is None or any(set(step.tables) - {"runs", *schema.OLD_TABLES} for step in steps):
            store.close()
            raise errors.unknown_version(path, facts.get("version", "unknown"))
        if _run_steps(steps):
            store._db.execute(f"CREATE TABLE changed AS SELECT * EXCLUDE ({PLACE}) FROM runs ORDER BY {PLACE}")
            store._db.execute("DROP VIEW runs")
            store._db.execute("ALTER TABLE changed RENAME TO runs")
        for step in _run_steps(steps):
            step.change(store._db)
        return store

    def rows_by_id(self) -> npt.NDArray[np.int64]:
        """Of each profile, in the order of their ids, which row it is in the parts one after the other."""
        return np.asarray(self._query(f"SELECT {PLACE} AS place FROM profiles ORDER BY id").column("place"))

    @contextmanager
    def batch(self) -> Iterator[None]:
        raise errors.folder_is_read_only(self.path or "")
        yield

    @contextmanager
    def changing(self) -> Iterator[None]:
        raise errors.folder_is_read_only(self.path or "")
        yield

    @contextmanager
    def for_writing(self) -> Iterator[None]:
        raise errors.folder_is_read_only(self.path or "")
        yield


def _run_steps(steps: list[migrations.Migration]) -> list[migrations.Migration]:
    """Return the steps that change the table of runs."""
    return [step for step in steps if "runs" in step.tables]


def _check_parts(folder: Path) -> None:
    """Refuse what a run does not write: links to elsewhere, pipes, odd names, more rows than so many bytes can mean."""
    rows = size = 0
    for name in (*schema.TABLES, *schema.OLD_TABLES):
        for file in part_files(folder, name):
            inside = file.resolve() == folder.resolve() / name / file.name
            if not (inside and file.is_file() and _PART.fullmatch(file.name)):
                raise errors.foreign_store(folder, f"{name}/{file.name}")
            with reading(folder):
                rows += pq.read_metadata(file).num_rows
            size += file.stat().st_size
    if rows > MOST_ROWS + size:
        raise errors.foreign_store(folder, f"{rows:,} rows in so small files")


def show_tables(connection: duckdb.DuckDBPyConnection, folder: Path, within: str = "") -> None:
    """Let a connection see the tables of a folder, in one of its databases; those that are not there are empty."""
    for name, columns in schema.TABLES.items():
        files = part_files(folder, name)
        if not files:
            connection.execute(f"CREATE TABLE {within}{name} ({columns})")
            continue
        listed = ", ".join("'" + str(each).replace("'", "''") + "'" for each in files)
        # Without gaps, as in a file: what lies between two rows is asked for by their numbers.
        firsts = [0, *accumulate(pq.read_metadata(file).num_rows for file in files)]
        connection.execute(
            f"CREATE VIEW {within}{name} AS SELECT * EXCLUDE (file_row_number), "
            f"{firsts}[file_index::BIGINT + 1]::BIGINT + file_row_number AS {PLACE} "
            f"FROM read_parquet([{listed}], file_row_number = true, hive_partitioning = false)"
        )
    _split_counts(connection, folder, within)


def _split_counts(connection: duckdb.DuckDBPyConnection, folder: Path, within: str = "") -> None:
    """Fill the tables of statistics from the table `counts` that an older folder has."""
    for file in part_files(folder, "counts"):
        with pq.ParquetFile(file) as opened:
            connection.register("counts", opened.read())
        for table, rows in migrations.TYPED.items():
            connection.execute(f"INSERT INTO {within}{table} {rows}")
        connection.unregister("counts")


def part_files(folder: Path, table: str) -> list[Path]:
    return sorted((folder / table).glob("*.parquet"))


def part_file(folder: Path, table: str, number: int) -> Path:
    return folder / table / f"{number:06}.parquet"


def write_part(folder: Path, table: str, number: int, rows: pa.Table) -> None:
    """One part of a table, whole or not there: a task that is run again writes the same once more."""
    with whole_file(part_file(folder, table, number)) as stream:
        pq.write_table(rows, stream, compression="zstd")


def as_table(name: str, rows: list[dict[str, Any]]) -> pa.Table:
    """Rows of a small table with the types that it has in a .crossdoc file."""
    connection = duckdb.connect(":memory:")
    connection.execute(f"CREATE TABLE {name} ({schema.TABLES[name]})")
    given = pa.Table.from_pylist(rows)
    if len(rows):
        connection.register("given", given)
        connection.execute(f"INSERT INTO {name} BY NAME SELECT * FROM given")
    return connection.sql(f"SELECT * FROM {name}").to_arrow_table()


def pack(folder: str | os.PathLike[str], target: str | os.PathLike[str]) -> Path:
    """Make one .crossdoc file of a folder; tables go through one after the other, and none is held.

    ``crossdoc.store.folder.pack("answer/", "answer.crossdoc")``
    """
    path, goal = Path(folder), Path(target)
    if not path.exists():
        raise errors.no_such_path(path)
    if not path.is_dir():
        raise errors.not_a_folder_answer(path)
    with FolderStore.finished(path) as finished:
        version = finished._meta().get("version", "")
    if goal.exists():
        raise errors.already_there(goal)
    store = Store.begin(goal, f"packed from {path.resolve()}")
    with store:
        with store.batch():
            for name in schema.TABLES:
                store._db.execute(f"DELETE FROM {name}")
                for file in part_files(path, name):
                    with pq.ParquetFile(file) as opened:
                        store._db.register(
                            "rows", pa.RecordBatchReader.from_batches(opened.schema_arrow, opened.iter_batches())
                        )
                        store._db.execute(f"INSERT INTO {name} BY NAME SELECT * FROM rows")
                        store._db.unregister("rows")
            _split_counts(store._db, path)
            for step in _run_steps(migrations.steps_from(version) or []):
                step.change(store._db)
            store.set_meta("version", schema.VERSION)
        store.finish()
    return goal


def put_in_place(part: Path, target: Path) -> None:
    """Give a finished folder its name. An older answer of that name is exchanged for it and then deleted.

    Whenever the process ends, one of the two is there and whole.
    """
    old = None
    with writing(target):
        flush_to_disk(part)
        if os.path.lexists(target):
            os.chmod(part, mode_of(target) or 0o777)
            old = exchange(part, target)
        else:
            os.rename(part, target)
        with replaced(target):
            flush_to_disk(target.parent)
    # If it cannot be deleted now, the next run does so.
    if old is not None and old.is_symlink():
        with suppress(OSError):
            old.unlink()
    elif old is not None:
        shutil.rmtree(old, ignore_errors=True)
