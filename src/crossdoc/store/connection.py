"""Opening, locking, removing and repairing a .crossdoc file, and DuckDB's errors as messages.

A file is repaired after a power cut in the middle of a write. DuckDB writes new data to free blocks, but rewrites the
blocks that describe the tables in place. Each has 256 kB and one checksum, so a cut during such a write would make the
file unreadable. A copy of them is therefore kept next to the file (`OUT.crossdoc.blocks`) while it is open for writing.
If the last entry of DuckDB's log is incomplete, the log is cut before it: that change had not been reported as done.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

import duckdb
import pyarrow as pa

from crossdoc import errors
from crossdoc.files import flush_to_disk, mode_of
from crossdoc.store import schema

HEADERS = 3 * 4096
"""Bytes before the first block of a DuckDB file: the file's header and two headers of states, written in turn."""
BLOCK = 262_144
"""Bytes."""
BAD_BLOCK = re.compile(r"Corrupt database file: .* in block at location (\d+)", re.DOTALL)
BAD_ENTRY = re.compile(r"Corrupt WAL file: entry at byte position (\d+)")


def blocks_of(path: Path) -> Path:
    return path.with_name(path.name + ".blocks")


def keep_blocks(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Copy the headers of an attached file, and the blocks that DuckDB rewrites in place."""
    numbers = connection.execute("SELECT block_id FROM pragma_metadata_info('stored') ORDER BY 1").fetchall()
    places = [(0, HEADERS), *((HEADERS + number * BLOCK, BLOCK) for (number,) in numbers)]
    with path.open("rb") as file:
        copied = b"".join(os.pread(file.fileno(), size, at) for at, size in places)
    kept, described = blocks_of(path), json.dumps(places).encode() + b"\n"
    kept.unlink(missing_ok=True)
    with os.fdopen(os.open(kept, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode_of(path) or 0o600), "wb") as stream:
        stream.write(hashlib.sha256(described + copied).digest() + described + copied)
        stream.flush()
        os.fsync(stream.fileno())
    flush_to_disk(kept.parent)


def forget_blocks(path: Path) -> None:
    # A copy that stays does no harm: it is not of the file's present state.
    with suppress(OSError):
        blocks_of(path).unlink()


def repair(path: Path, error: Exception) -> bool:
    """Repair a file that could not be opened; return whether something was repaired."""
    with suppress(OSError):
        if found := BAD_BLOCK.search(str(error)):
            return _restore_blocks(path, int(found[1]))
        if found := BAD_ENTRY.search(str(error)):
            return _cut_log(log_of(path), int(found[1]))
    return False


def _restore_blocks(path: Path, damaged: int) -> bool:
    kept = blocks_of(path)
    stored = b"" if kept.is_symlink() or not kept.is_file() else kept.read_bytes()
    described, _, copied = stored[32:].partition(b"\n")
    if hashlib.sha256(stored[32:]).digest() != stored[:32]:
        return False
    with path.open("r+b") as file:
        now = file.read(HEADERS)
        # A header that has changed says that the blocks were complete, unless the header itself is damaged.
        if now != copied[:HEADERS] and (damaged >= HEADERS or now[:4096] != copied[:4096]):
            return False
        for at, size in json.loads(described):
            os.pwrite(file.fileno(), copied[:size], at)
            copied = copied[size:]
        os.fsync(file.fileno())
    kept.unlink()
    return True


def _cut_log(log: Path, position: int) -> bool:
    if log.is_symlink() or position >= log.stat().st_size:
        return False
    with log.open("r+b") as file:
        file.truncate(position)
        os.fsync(file.fileno())
    return True


T = TypeVar("T")

NOT_THE_FILES_FAULT = (
    duckdb.ConnectionException, duckdb.InterruptException, duckdb.OutOfMemoryException, duckdb.ParserException,
    duckdb.PermissionException, duckdb.ResourceInUseException, duckdb.TransactionException,
)  # fmt: skip

CANNOT_WRITE = ("could not write", "no space left", "file too large", "could not truncate")
"""Parts of DuckDB's messages about a full disk."""
FAILED_DISK = ("input/output error", "fsync failed", "could not sync", "stale file handle", "no such device")
"""Parts of the messages of DuckDB and the system about a failing disk."""
NOT_ALLOWED = ("permission denied", "operation not permitted")
READ_ONLY_DISK = "read-only file system"
LOCKED = ("could not set lock", "unique file handle conflict")
NOT_OPENED = "cannot open file"
NO_DATABASE = "not a valid duckdb database file"

EXTENSIONS = ("autoinstall_known_extensions", "autoload_known_extensions", "allow_community_extensions")
NO_EXTENSIONS = dict.fromkeys(EXTENSIONS, "false")
"""Settings under which DuckDB downloads no code, not even for a file of another program."""
LOCKS = ("SET enable_external_access = false", "SET lock_configuration = true")
"""Settings after the file is attached: no statement, and nothing in the file, may access another file."""
OBJECTS = [
    ("the view", "view_name", "views", "NOT internal"),
    ("the macro", "function_name", "functions", "NOT internal"),
    ("the sequence", "sequence_name", "sequences", "true"),
    ("the type", "type_name", "types", "NOT internal"),
    ("the index", "index_name", "indexes", "true"),
    ("a rule for", "table_name", "constraints", "true"),
    ("a computed column of", "table_name", "columns", "column_default IS NOT NULL"),
    ("the table", "schema_name || '.' || table_name", "tables", "schema_name <> 'main'"),
]
FOREIGN_OBJECTS = " UNION ALL ".join(
    f"SELECT '{what} ' || {name} FROM duckdb_{kind}() WHERE database_name = 'stored' AND {condition}"
    for what, name, kind, condition in OBJECTS
)
"""Query for the first object that is not a plain table; crossdoc writes none."""
SPARE_ROWS = 1_000_000
"""Rows. A file with more rows than this plus its size in bytes is refused: it would exhaust memory."""
QUERY_SECONDS = 1800.0
"""Seconds. Longer queries are interrupted; on two million documents none takes a tenth of this."""

PATIENCE_TO_READ = 5.0
"""Seconds to wait for a file that another process writes."""
PATIENCE_TO_WRITE = 60.0
"""Seconds to wait for a file that other processes have open."""
RETRY = 0.05
"""Seconds between two attempts to open a file."""


def new_database(spill: Path, allowed: Path) -> duckdb.DuckDBPyConnection:
    """Return an empty database in memory that may access only one file with its log."""
    database = duckdb.connect(":memory:", config={"temp_directory": str(spill), **NO_EXTENSIONS})
    paths = [str(allowed.absolute()) + ending for ending in ("", ".wal", ".wal.checkpoint", ".wal.recovery")]
    database.execute("SET allowed_paths = ?", [paths])
    for lock in LOCKS:
        database.execute(lock)
    return database


def connect(
    path: Path, *, read_only: bool, patience: float = 0.0, again: duckdb.DuckDBPyConnection | None = None
) -> duckdb.DuckDBPyConnection:
    """Return a connection to the file; a file in use is waited for up to `patience` seconds.

    The file is attached to an empty database. `duckdb.connect(path)` would return the old file in a process that still
    has the replaced file open. The database is a new one, or that of the earlier connection `again`: creating one takes
    ten times as long as attaching.
    """
    database = again if again is not None and let_go(again) else None
    return when_unlocked(lambda: _attached(path, read_only, database and database.cursor()), patience)


def when_unlocked(do: Callable[[], T], patience: float, waiting: Callable[[], None] = lambda: None) -> T:
    """Call `do` until no other process holds its file, for up to `patience` seconds; `waiting` is called in between."""
    until = time.monotonic() + patience
    while True:
        try:
            return do()
        except errors.StoreError as error:
            if not is_locked(error.__cause__) or time.monotonic() > until:
                raise
        waiting()
        time.sleep(RETRY)


def let_go(connection: duckdb.DuckDBPyConnection) -> bool:
    """Detach the file and the views on it; return False and close if another connection is reading it."""
    try:
        connection.execute("USE memory")
        for name in ("draft", "changed", "stored"):
            connection.execute(f"DETACH DATABASE IF EXISTS {name}")
    except duckdb.Error:
        connection.close()
        return False
    return True


State = tuple[int, int, int]
_checked: dict[Path, State] = {}
"""States of files whose content was checked: checking takes longer than opening."""


def state_of(path: Path) -> State | None:
    """Return inode, size and time of a file, or None if there is none."""
    with suppress(OSError):
        status = path.stat()
        return status.st_ino, status.st_size, status.st_mtime_ns
    return None


def mark_as_checked(path: Path) -> None:
    """Mark the present file as checked, after its check, or after this process has written it."""
    state = state_of(path)
    if state is not None and not log_of(path).exists():
        _checked[path.absolute()] = state


def _is_checked(path: Path) -> bool:
    """Whether a file has not changed since it was checked."""
    state = None if log_of(path).exists() else state_of(path)
    return state is not None and _checked.get(path.absolute()) == state


def _attached(path: Path, read_only: bool, empty: duckdb.DuckDBPyConnection | None) -> duckdb.DuckDBPyConnection:
    before = state_of(path)
    if log_of(path).is_symlink():
        raise errors.foreign_store(path, f"a link to elsewhere next to it ({log_of(path).name})")
    # The file itself may be attached again, to be written.
    connection = empty or new_database(spill_folder(path), path)
    # The path is absolute, since "sqlite:name" would be read as another kind of database.
    quoted = str(path.absolute()).replace("'", "''")
    try:
        connection.execute(f"ATTACH '{quoted}' AS stored (TYPE duckdb{', READ_ONLY' if read_only else ''})")
        connection.execute("USE stored")
        foreign = [] if _is_checked(path) else connection.execute(f"{FOREIGN_OBJECTS} LIMIT 1").fetchall()
    except duckdb.Error as error:
        connection.close()
        if repair(path, error):
            return _attached(path, read_only, None)
        raise complaint(path, error, write=not read_only) from error
    if foreign:
        connection.close()
        raise errors.foreign_store(path, foreign[0][0])
    now = state_of(path)
    if before is not None and now is not None and now[0] != before[0]:
        # Another process has replaced the file in the meantime.
        connection.close()
        return _attached(path, read_only, None)
    return connection


def check_tables(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Refuse a file of a known version with tables, columns or types that crossdoc does not write, or with more rows
    than its size allows."""
    if _is_checked(path):
        return
    asked = "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE database_name = 'stored'"
    for table, column, kind in connection.execute(asked).fetchall():
        if schema.column_types().get((table, column)) != kind:
            raise errors.foreign_store(path, f"the column {column} of {table} ({kind})")
    counted = "SELECT sum(estimated_size) FROM duckdb_tables() WHERE database_name = 'stored'"
    rows = int(connection.execute(counted).fetchall()[0][0] or 0)
    if rows > SPARE_ROWS + path.stat().st_size + (log_of(path).stat().st_size if log_of(path).exists() else 0):
        raise errors.foreign_store(path, f"{rows:,} rows in so small a file")
    mark_as_checked(path)


@contextmanager
def limited(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Interrupt the queries in a block after `QUERY_SECONDS`."""
    started = time.monotonic()
    timer = threading.Timer(QUERY_SECONDS, connection.interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    except (duckdb.InterruptException, RuntimeError) as error:
        if time.monotonic() - started >= QUERY_SECONDS:
            raise errors.query_too_long(QUERY_SECONDS) from error
        raise
    finally:
        timer.cancel()
        # A timer that is still alive at exit keeps the connection open, and DuckDB prints a report.
        timer.join()


def _says(error: BaseException | None, signs: Iterable[str]) -> bool:
    return any(sign in str(error).lower() for sign in signs)


def is_locked(error: BaseException | None) -> bool:
    """Whether DuckDB says that another process, or another part of this one, has the file open for writing."""
    return _says(error, LOCKED)


def is_the_systems_fault(error: BaseException | None) -> bool:
    """Whether a file that could not be opened may be intact: it is locked, or the disk or permissions forbid it."""
    return _says(error, (*LOCKED, *FAILED_DISK, *NOT_ALLOWED, READ_ONLY_DISK, NOT_OPENED))


def complaint(path: Path, error: Exception, *, write: bool) -> errors.CrossdocError:
    """Return the message for an error of DuckDB or the system about a file."""
    complaints = [
        (LOCKED, errors.store_locked(path)),
        (NOT_ALLOWED, errors.cannot_open(path, f"you do not have permission to {'change' if write else 'read'} it")),
        ([READ_ONLY_DISK], errors.cannot_open(path, "its file system is read-only")),
        (FAILED_DISK, errors.disk_failed(path, why := _reason(error))),
        (CANNOT_WRITE, errors.cannot_write(path, why)),
        ([NOT_OPENED], errors.cannot_open(path, why)),
        ([NO_DATABASE], errors.not_a_store(path)),
    ]
    return next((found for signs, found in complaints if _says(error, signs)), errors.damaged_store(path, why))


@contextmanager
def reading(path: Path | None) -> Iterator[None]:
    """Turn errors of the queries in a block into messages about the file."""
    try:
        yield
    except (duckdb.Error, pa.ArrowInvalid, UnicodeDecodeError) as error:
        if path is None or isinstance(error, NOT_THE_FILES_FAULT):
            raise
        raise complaint(path, error, write=False) from error


@contextmanager
def writing(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, duckdb.Error) as error:
        forbidden = isinstance(error, OSError) and error.errno in (errno.EACCES, errno.EPERM, errno.EROFS)
        if forbidden or (isinstance(error, duckdb.Error) and is_the_systems_fault(error)):
            raise complaint(path, error, write=True) from error
        raise errors.cannot_write(path, _reason(error)) from error


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Delay Ctrl-C until the block is done: DuckDB may swallow an interrupt within a statement."""
    asked: list[int] = []
    with interruptible(lambda number, frame: asked.append(number)):
        yield
    if asked:
        raise KeyboardInterrupt


@contextmanager
def interruptible(handler: Callable[[int, FrameType | None], Any] = signal.default_int_handler) -> Iterator[None]:
    """Allow Ctrl-C again in a block within :func:`uninterrupted`, for long work outside DuckDB."""
    # No other thread receives it.
    is_main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGINT, handler) if is_main else None
    try:
        yield
    finally:
        if is_main:
            signal.signal(signal.SIGINT, before)


def _reason(error: Exception) -> str:
    """Return the message of an error, without DuckDB's names for its kind and for the step that failed.

    >>> _reason(duckdb.Error('TransactionContext Error: Failed to commit: Could not write file "a": No space left'))
    'Could not write file "a": No space left'
    """
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    line = next(iter(str(error).splitlines()), type(error).__name__)
    return re.sub(r"^(\w+ Error: )?(Failed to commit: |Checkpoint failed .*Original error: )?", "", line).rstrip(".!")


def log_of(path: Path) -> Path:
    """Return the path of DuckDB's write-ahead log, which a killed process leaves behind."""
    return path.with_name(path.name + ".wal")


def spill_folder(path: Path) -> Path:
    return path.with_name(path.name + ".tmp")


def remove(part: Path) -> None:
    """Delete an unfinished file with all that belongs to it."""
    for path in (part, log_of(part), blocks_of(part)):
        path.unlink(missing_ok=True)
    shutil.rmtree(spill_folder(part), ignore_errors=True)
