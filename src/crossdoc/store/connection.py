"""Opening, locking and flushing a .crossdoc file, with DuckDB's complaints turned into messages for people."""

from __future__ import annotations

import errno
import re
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import duckdb
import pyarrow as pa

from crossdoc import errors
from crossdoc.store import schema

NOT_THE_FILES_FAULT = (
    duckdb.ConnectionException,
    duckdb.InterruptException,
    duckdb.OutOfMemoryException,
    duckdb.ParserException,
    duckdb.ResourceInUseException,
    duckdb.TransactionException,
)

CANNOT_WRITE = ("could not write", "no space left", "file too large", "could not truncate")
"""What DuckDB says of a disk that is full."""
DISK_FAILED = ("input/output error", "fsync failed", "could not sync", "stale file handle", "no such device")
"""What DuckDB and the system say of a disk that fails."""
NOT_ALLOWED = ("permission denied", "operation not permitted")
READ_ONLY_DISK = "read-only file system"
NO_DATABASE = "not a valid duckdb database file"


ALONE = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
}
"""From the start: a file that is another program's (SQLite's) or is called so makes DuckDB fetch no code."""
LOCKS = ("SET enable_external_access = false", "SET lock_configuration = true")
"""Once the file is attached: no statement, and nothing that the file brings, may read or write another one."""
FOREIGN = """
    SELECT 'the view ' || view_name FROM duckdb_views() WHERE database_name = 'stored' AND NOT internal
    UNION ALL
    SELECT 'the macro ' || function_name FROM duckdb_functions() WHERE database_name = 'stored' AND NOT internal
    UNION ALL
    SELECT 'the sequence ' || sequence_name FROM duckdb_sequences() WHERE database_name = 'stored'
    UNION ALL
    SELECT 'the type ' || type_name FROM duckdb_types() WHERE database_name = 'stored' AND NOT internal
    UNION ALL
    SELECT 'the index ' || index_name FROM duckdb_indexes() WHERE database_name = 'stored'
    UNION ALL
    SELECT 'a rule for ' || table_name FROM duckdb_constraints() WHERE database_name = 'stored'
    UNION ALL
    SELECT 'a computed column of ' || table_name FROM duckdb_columns()
    WHERE database_name = 'stored' AND column_default IS NOT NULL
    UNION ALL
    SELECT 'the table ' || schema_name || '.' || table_name FROM duckdb_tables()
    WHERE database_name = 'stored' AND schema_name <> 'main'
    LIMIT 1
"""
"""What a database can hold beside plain tables; crossdoc writes none of it."""
MOST_ROWS = 1_000_000
"""That a file may hold beside one for each of its bytes: more were put into it to fill somebody's memory."""
SECONDS = 1800.0
"""That a query may take; on two million documents none takes a tenth of it."""

SMALL = 64 * 2**20
"""Bytes of a file that one thread reads."""
PATIENCE = 5.0
"""Seconds that a file is waited for which another process writes; that takes less."""
PATIENCE_TO_WRITE = 60.0
"""Seconds that a file is waited for which others read, or compute a change of theirs from."""


def connect(
    path: Path, *, read_only: bool, patience: float = 0.0, again: duckdb.DuckDBPyConnection | None = None
) -> duckdb.DuckDBPyConnection:
    """A connection of its own to the file; one that is in use is waited for, as long as `patience` lasts (in seconds).

    The file is attached to an empty database, since `duckdb.connect(path)` would hand a process that still has the
    replaced file open that old one again. That database is made anew, or is the one `again` that the file was attached
    to before: to make one takes ten times as long as to attach.
    """
    until = time.monotonic() + patience
    while True:
        empty, again = again if again is not None and let_go(again) else None, None
        try:
            return _attached(path, read_only, empty) if read_only else _in_its_place(path, empty)
        except errors.StoreError as error:
            if not is_locked(error.__cause__) or time.monotonic() > until:
                raise
        time.sleep(0.05)


def let_go(connection: duckdb.DuckDBPyConnection) -> bool:
    """Let go of the file and of what was put before it, if nobody reads of it on another connection."""
    try:
        connection.execute("USE memory")
        for name in ("draft", "changed", "stored"):
            connection.execute(f"DETACH DATABASE IF EXISTS {name}")
    except duckdb.Error:
        connection.close()
        return False
    return True


def _in_its_place(path: Path, empty: duckdb.DuckDBPyConnection | None) -> duckdb.DuckDBPyConnection:
    """The file to write, which is held from now on; not one that was replaced between finding and holding it."""
    while True:
        was = path.stat().st_ino if path.exists() else None
        connection = _attached(path, False, empty)
        if was in (None, path.stat().st_ino):
            return connection
        connection.close()
        empty = None


State = tuple[int, int, int]
_opened: dict[Path, State] = {}
"""By file its place, size and time when it was opened and nothing foreign was in it."""
_looked_at: dict[Path, State] = {}
"""The same where its tables were as they should be, too: to look takes longer than to open."""


def wrote(path: Path) -> None:
    """Say that a file, which was looked at, holds beside that what this process has just written."""
    if (state := _state(path)) is not None:
        _looked_at[path.absolute()] = state


def _is_known(path: Path) -> bool:
    """Whether a file is as it was when it was looked at."""
    state = _state(path)
    return state is not None and _looked_at.get(path.absolute()) == state


def _state(path: Path) -> State | None:
    """None where there is no file, or a log that is not worked in."""
    if not path.exists() or log_of(path).exists():
        return None
    status = path.stat()
    return status.st_ino, status.st_size, status.st_mtime_ns


def _attached(path: Path, read_only: bool, empty: duckdb.DuckDBPyConnection | None = None) -> duckdb.DuckDBPyConnection:
    before = _state(path)
    if log_of(path).is_symlink():
        raise errors.foreign_store(path, f"a link to elsewhere next to it ({log_of(path).name})")
    connection = empty or duckdb.connect(":memory:", config=_configuration(path, read_only))
    # A path from the root on, since "sqlite:name" would be taken for another kind of database.
    quoted = str(path.absolute()).replace("'", "''")
    try:
        connection.execute(f"ATTACH '{quoted}' AS stored (TYPE duckdb{', READ_ONLY' if read_only else ''})")
        connection.execute("USE stored")
        if empty is None:
            # The file itself may be attached again, to be written.
            for lock in (f"SET allowed_paths = ['{quoted}', '{quoted}.wal']", *LOCKS):
                connection.execute(lock)
        foreign = [] if _is_known(path) else connection.execute(FOREIGN).fetchall()
    except duckdb.Error as error:
        connection.close()
        raise complaint(path, error, write=not read_only) from error
    if foreign:
        connection.close()
        raise errors.foreign_store(path, foreign[0][0])
    if read_only and before is not None and before == _state(path):
        _opened[path.absolute()] = before
    return connection


def _configuration(path: Path, read_only: bool) -> dict[str, str]:
    """Of a small result that is there already, a second thread costs more time than it saves."""
    small = read_only and path.exists() and path.stat().st_size < SMALL
    return {"temp_directory": str(spill_folder(path)), **ALONE, **({"threads": "1"} if small else {})}


def check_tables(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Refuse a file of a known version with tables, columns or types that crossdoc does not write, or with more rows
    than its size allows."""
    if _is_known(path):
        return
    check_columns(connection, "stored", path)
    counted = "SELECT sum(estimated_size) FROM duckdb_tables() WHERE database_name = 'stored'"
    rows = int(connection.execute(counted).fetchall()[0][0] or 0)
    if rows > MOST_ROWS + path.stat().st_size + (log_of(path).stat().st_size if log_of(path).exists() else 0):
        raise errors.foreign_store(path, f"{rows:,} rows in so small a file")
    if (state := _opened.pop(path.absolute(), None)) is not None:
        _looked_at[path.absolute()] = state


def check_columns(connection: duckdb.DuckDBPyConnection, database: str, path: Path, beside: str = "") -> None:
    """Refuse tables, columns (but for `beside`) and types that crossdoc does not write."""
    asked = "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE NOT internal AND database_name = ?"
    for table, column, kind in connection.execute(asked, [database]).fetchall():
        if column != beside and _columns().get((table, column)) != kind:
            raise errors.foreign_store(path, f"the column {column} of {table} ({kind})")


@cache
def _columns() -> dict[tuple[str, str], str]:
    """The type of each column, as DuckDB calls it."""
    with duckdb.connect(":memory:") as plain:
        for name, columns in (schema.TABLES | schema.OLD_TABLES).items():
            plain.execute(f"CREATE TABLE {name} ({columns})")
        listed = plain.execute("SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE NOT internal")
        return {(table, column): kind for table, column, kind in listed.fetchall()}


@contextmanager
def limited(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """A query in here is broken off when it takes longer than any should."""
    late = threading.Event()

    def stop() -> None:
        late.set()
        connection.interrupt()

    timer = threading.Timer(SECONDS, stop)
    timer.daemon = True
    timer.start()
    try:
        yield
    except (duckdb.InterruptException, RuntimeError) as error:
        if late.is_set():
            raise errors.query_too_long(SECONDS) from error
        raise
    finally:
        timer.cancel()
        # A thread that still ends when Python does keeps the connection, and DuckDB prints a page about what it lost.
        timer.join()


def is_locked(error: BaseException | None) -> bool:
    """Whether DuckDB says that another process, or another part of this one, has the file open for writing."""
    message = str(error).lower()
    return "could not set lock" in message or "unique file handle conflict" in message


def is_the_systems_fault(error: BaseException | None) -> bool:
    """Whether a file may be whole though it could not be opened: it is locked, or the disk or permissions forbid it."""
    text = str(error).lower()
    signs = (*DISK_FAILED, *NOT_ALLOWED, READ_ONLY_DISK, "cannot open file")
    return is_locked(error) or any(sign in text for sign in signs)


def complaint(path: Path, error: Exception, *, write: bool) -> errors.CrossdocError:
    """A message for what DuckDB or the system says of a file: whose fault it is decides what to do."""
    text, why = str(error).lower(), _reason(error)
    if is_locked(error):
        return errors.store_locked(path)
    if any(sign in text for sign in NOT_ALLOWED):
        return errors.no_permission(path, "change" if write else "read")
    if READ_ONLY_DISK in text:
        return errors.read_only_disk(path)
    if any(sign in text for sign in DISK_FAILED):
        return errors.disk_failed(path, why)
    if any(sign in text for sign in CANNOT_WRITE):
        return errors.cannot_write(path, why)
    if "cannot open file" in text:
        return errors.cannot_open(path, why)
    return errors.not_a_store(path) if NO_DATABASE in text else errors.damaged_store(path, why)


@contextmanager
def reading(path: Path | None) -> Iterator[None]:
    """What cannot be read of a file that is one of ours is damage."""
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
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise complaint(path, error, write=True) from error
        raise errors.cannot_write(path, _reason(error)) from error
    except duckdb.Error as error:
        if is_the_systems_fault(error):
            raise complaint(path, error, write=True) from error
        raise errors.cannot_write(path, _reason(error)) from error


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Ctrl-C waits until the block is done: DuckDB, broken off in a statement, may swallow it and complain later."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    asked: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: asked.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if asked:
        raise KeyboardInterrupt


@contextmanager
def interruptible() -> Iterator[None]:
    """Within :func:`uninterrupted`: long work that is not DuckDB's, which Ctrl-C may end."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _reason(error: Exception) -> str:
    """What an error says, without DuckDB's names for its kind and for the step that failed.

    >>> _reason(duckdb.Error('TransactionContext Error: Failed to commit: Could not write file "a": No space left'))
    'Could not write file "a": No space left'
    """
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    line = next(iter(str(error).splitlines()), type(error).__name__)
    return re.sub(r"^(\w+ Error: )?(Failed to commit: |Checkpoint failed .*Original error: )?", "", line).rstrip(".!")


def log_of(path: Path) -> Path:
    """DuckDB's write-ahead log, which a process that was killed leaves behind."""
    return path.with_name(path.name + ".wal")


def spill_folder(path: Path) -> Path:
    return path.with_name(path.name + ".tmp")


def remove(part: Path) -> None:
    for path in (part, log_of(part)):
        path.unlink(missing_ok=True)
    shutil.rmtree(spill_folder(part), ignore_errors=True)
