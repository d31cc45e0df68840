"""One resolution as a folder of Parquet files, one subfolder per table: the output of a run on several machines.

It is read through DuckDB like a .crossdoc file. During its run, tasks write parts of large tables, and the driver
writes the other tables in memory, which become files when the run is finished. A finished folder is read-only; `pack`
makes a .crossdoc file of it.
"""

from __future__ import annotations

import json
import os
import re
import secrets
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
from crossdoc.store import schema
from crossdoc.store.connection import SPARE_ROWS, check_columns, new_database, reading, writing
from crossdoc.store.store import Store

ROW_NUMBER = "rowid"
"""Column with the position of a row; tables of DuckDB have it implicitly."""
RAW = "raw"
"""Folder of extracted parts, before names with several types get one."""
RUN_FILE, ROUNDS = "run.json", "rounds"
KEPT_PARTS = frozenset({"documents", "mentions", "profiles", "capitals", "bearers", "spellings", "related_counts"})
"""Tables whose parts a run takes over from a stopped one."""
_PART_NAME = re.compile(r"[\w-]+\.parquet")
"""Allowed names of part files: DuckDB reads brackets and stars in a name as a pattern."""


class FolderStore(Store):
    """A folder of Parquet files, to read."""

    @classmethod
    def at(cls, folder: Path, connection: duckdb.DuckDBPyConnection | None = None) -> FolderStore:
        """Return the tables of a folder, whether its run is finished or not; missing tables are empty.

        They are shown in a database `stored` of the connection, as those of a .crossdoc file are.
        """
        if connection is None:
            # Many tasks read one folder, so each spills to a folder of its own.
            spill = Path(tempfile.gettempdir()) / f"crossdoc-{os.getpid()}-{uuid.uuid4().hex}"
            connection = new_database(spill, folder)
        store = cls(connection, folder)
        with store.closed_on_error():
            connection.execute("ATTACH ':memory:' AS stored")
            connection.execute("USE stored")
            store.show_parts()
        return store

    @classmethod
    def finished(cls, path: Path, connection: duckdb.DuckDBPyConnection | None = None) -> FolderStore:
        """Return the answer in a folder, checked."""
        if not part_files(path, "meta"):
            raise errors.not_a_store(path)
        _check_parts(path)
        store = cls.at(path.resolve(), connection)
        with store.closed_on_error():
            check_columns(store._db, path, allowed=ROW_NUMBER)
            if store.meta("marker") != schema.MARKER:
                raise errors.not_a_store(path)
            if steps := store._steps():
                store._read_through(steps)
        return store

    def rows_by_id(self) -> npt.NDArray[np.int64]:
        """Return the row numbers of all profiles across the parts, in the order of their ids."""
        return np.asarray(self._query(f"SELECT {ROW_NUMBER} AS place FROM profiles ORDER BY id").column("place"))

    @contextmanager
    def batch(self) -> Iterator[None]:
        if self._target is None:
            raise errors.folder_is_read_only(self.path or "")
        with super().batch():
            yield

    @contextmanager
    def changing(self) -> Iterator[None]:
        raise errors.folder_is_read_only(self.path or "")
        yield

    for_writing = changing

    # -- during its run ----------------------------------------------------------------------------------------------

    @classmethod
    def begin(cls, target: str | os.PathLike[str], fingerprint: str) -> FolderStore:
        """Start writing `target`, or resume its unfinished run if that has the same fingerprint."""
        goal = check_target(target)
        folder = goal.with_name(f"{goal.name}.part")
        begun = _read_begun(folder)
        discarded = bool(begun) and begun["fingerprint"] != fingerprint
        if discarded or not begun:
            shutil.rmtree(folder, ignore_errors=True)
            begun = {"fingerprint": fingerprint, "salt": secrets.token_hex(16)}
            with whole_file(folder / RUN_FILE) as stream:
                stream.write(json.dumps(begun).encode())
        for name in schema.TABLES.keys() - KEPT_PARTS:
            shutil.rmtree(folder / name, ignore_errors=True)
        store = cls.at(folder.resolve())
        store._target, store.discarded_part = goal, discarded
        for key, value in {"marker": schema.MARKER, "version": schema.VERSION, **begun}.items():
            store.set_meta(key, value)
        return store

    def show_parts(self) -> None:
        """Show the tables with files, also those of which there were no files before; others are empty."""
        assert self.path is not None
        with reading(self.path):
            for name, columns in (schema.TABLES | schema.OLD_TABLES).items():
                if files := part_files(self.path, name):
                    self._db.execute(f"DROP {'TABLE' if self._has(name) else 'VIEW'} IF EXISTS stored.{name}")
                    self._db.execute(f"CREATE VIEW stored.{name} AS {_rows_of(files)}")
                else:
                    self._db.execute(f"CREATE TABLE IF NOT EXISTS stored.{name} ({columns})")

    def finish(self) -> None:
        """Write the tables that are in memory, delete what only the run needed, and give the folder its final name."""
        assert self.path is not None
        assert self._target is not None
        for name in schema.TABLES:
            if self._has(name) and len(rows := self._query(f"SELECT * FROM {name} ORDER BY rowid")):
                write_part(self.path, name, 0, rows)
        for left in (RAW, ROUNDS):
            shutil.rmtree(self.path / left, ignore_errors=True)
        (self.path / RUN_FILE).unlink(missing_ok=True)
        self.close()
        put_in_place(self.path, self._target)
        self.path, self._target = self._target, None
        self._db = type(self).finished(self.path)._db

    @property
    def is_empty(self) -> bool:
        """Whether no part of the input was read yet."""
        assert self.path is not None
        return not (self.path / RAW / "readings").exists()

    def remove(self) -> None:
        """Delete the folder of an unfinished run."""
        self.close()
        shutil.rmtree(self.path or "", ignore_errors=True)


def check_target(target: str | os.PathLike[str] | None) -> Path:
    """Return the folder that a run may write; one of something else is refused."""
    if target is None:
        raise errors.folder_wanted("")
    goal = Path(target)
    if goal.suffix.lower() == ".crossdoc" or goal.is_file():
        raise errors.folder_wanted(goal)
    if goal.is_dir() and any(goal.iterdir()):
        FolderStore.finished(goal).close()
        _check_ours(goal)
    return goal


def _check_ours(folder: Path) -> None:
    """Refuse to replace a folder that no run has written."""
    written = {*schema.TABLES, *schema.OLD_TABLES, RAW, ROUNDS, RUN_FILE}
    for each in folder.iterdir() if folder.exists() else ():
        if each.name not in written and not each.name.startswith(".crossdoc-"):
            raise errors.not_our_folder(folder, each.name)


def _read_begun(folder: Path) -> dict[str, str]:
    """Read the record of an unfinished run."""
    _check_ours(folder)
    try:
        stored: Any = json.loads((folder / RUN_FILE).read_bytes())
        return {"fingerprint": str(stored["fingerprint"]), "salt": bytes.fromhex(stored["salt"]).hex()}
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return {}


def _check_parts(folder: Path) -> None:
    """Refuse links to elsewhere, pipes, odd names, and more rows than the size of the files allows."""
    rows = size = 0
    for name in (*schema.TABLES, *schema.OLD_TABLES):
        for file in part_files(folder, name):
            inside = file.resolve() == folder.resolve() / name / file.name
            if not (inside and file.is_file() and _PART_NAME.fullmatch(file.name)):
                raise errors.foreign_store(folder, f"{name}/{file.name}")
            with reading(folder):
                rows += pq.read_metadata(file).num_rows
            size += file.stat().st_size
    if rows > SPARE_ROWS + size:
        raise errors.foreign_store(folder, f"{rows:,} rows in so small files")


def _rows_of(files: list[Path]) -> str:
    """Return a query for the rows of Parquet files. Row numbers have no gaps: queries select ranges of them."""
    listed = ", ".join("'" + str(each).replace("'", "''") + "'" for each in files)
    firsts = [0, *accumulate(pq.read_metadata(file).num_rows for file in files)]
    return (
        f"SELECT * EXCLUDE (file_row_number), {firsts}[file_index::BIGINT + 1]::BIGINT + file_row_number "
        f"AS {ROW_NUMBER} FROM read_parquet([{listed}], file_row_number = true, hive_partitioning = false)"
    )


def part_files(folder: Path, table: str) -> list[Path]:
    return sorted((folder / table).glob("*.parquet"))


def part_file(folder: Path, table: str, number: int) -> Path:
    return folder / table / f"{number:06}.parquet"


def write_part(folder: Path, table: str, number: int, rows: pa.Table) -> None:
    """Write one part of a table atomically; a task that is repeated writes the same part again."""
    with whole_file(part_file(folder, table, number)) as stream:
        pq.write_table(rows, stream, compression="zstd")


def pack(folder: str | os.PathLike[str], target: str | os.PathLike[str]) -> Path:
    """Make one .crossdoc file of a folder, table by table and in batches.

    ``crossdoc.store.folder.pack("answer/", "answer.crossdoc")``
    """
    path, goal = Path(folder), Path(target)
    if not path.exists():
        raise errors.no_such_path(path)
    if not path.is_dir():
        raise errors.not_a_folder_answer(path)
    if goal.exists():
        raise errors.already_there(goal)
    with FolderStore.finished(path) as finished, Store.begin(goal, f"packed from {path.resolve()}") as store:
        with store.batch():
            for name in schema.TABLES:
                store._empty(name)
                for batch in finished._stream(f"SELECT {schema.COLUMNS} FROM {name}"):
                    store._insert(name, pa.Table.from_batches([batch]).select(schema.arrow_schema(name).names))
        store.finish()
    return goal


def put_in_place(part: Path, target: Path) -> None:
    """Rename a finished folder to its target. An older answer there is exchanged for it and then deleted.

    Whenever the process ends, the target is one complete answer.
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
    # If it cannot be deleted now, the next run deletes it.
    if old is not None and old.is_symlink():
        with suppress(OSError):
            old.unlink()
    elif old is not None:
        shutil.rmtree(old, ignore_errors=True)
