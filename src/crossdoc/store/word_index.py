"""An index of the words in contexts, kept beside the answer (`OUT.crossdoc.words`) and made while one looks at it.

SQLite's FTS5 has it: DuckDB's own extension is no part of what is installed. A context is known by a number; which
profile and text a number stands for is told by the hashes of both, so that what was changed or taken out is noticed,
and only what is new is read. The file can be deleted at any time. Under --read-only, and where a link or a file of
somebody else's has its name, it is in a temporary folder.
"""

from __future__ import annotations

import os
import re
import sqlite3
import stat
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from crossdoc import errors
from crossdoc.files import mode_of
from crossdoc.store.shared_file import SharedFile

AT_ONCE = 20_000
"""Contexts that are read at a time; the file is free for others in between."""
MOST = 150_000
"""Contexts that an answer takes in; who asks for a word of more gets the identities of the first so many."""
MOST_DEAD = 0.3
"""The share of numbers that stand for nothing any more at which all is indexed anew."""
SHORTEST = 3
"""Letters from which on the last word may be the beginning of one."""
TABLES = """
    CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT);
    CREATE TABLE IF NOT EXISTS batches (first INTEGER PRIMARY KEY, keys BLOB, stamps BLOB);
    CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(
        context, content='', tokenize="unicode61 remove_diacritics 2", detail=full
    );
    """


class WordIndex:
    """The index of one file. A thread of its own follows the file; `ready` is set while all is in."""

    def __init__(self, file: SharedFile, read_only: bool = False) -> None:
        self.file = file
        self.ready = threading.Event()
        self.version = 0
        """Grows with every batch that is indexed."""
        self._wanted = threading.Condition()
        self._behind = self._closed = False
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        self._thread: threading.Thread | None = None
        self._creating = threading.Lock()
        if read_only or (os.path.lexists(self.path) and not _is_own(self.path)):
            self._temporary = tempfile.TemporaryDirectory(prefix="crossdoc-")
        with self.file.memory.cursor() as memory:
            memory.execute("CREATE TABLE indexed (number INTEGER, key UBIGINT, stamp UBIGINT)")

    def follow(self) -> None:
        """Say that the file has changed."""
        with self._wanted:
            self._behind = True
            self.ready.clear()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="crossdoc words", daemon=True)
                self._thread.start()
            self._wanted.notify_all()

    def find(self, text: str) -> pa.Table:
        """The numbers of the contexts that have all these words (or "phrases"), the last one perhaps unfinished."""
        asked = _terms(text)
        if not asked:
            return _table([])
        try:
            index = self._connect()
        except sqlite3.OperationalError:
            # The index is put elsewhere at this moment.
            return _table([])
        with index:
            found = self._matching(index, " ".join(asked))
            unquoted = asked[-1].strip('"')
            if not found and len(unquoted) >= SHORTEST and not text.rstrip().endswith('"'):
                found = self._matching(index, " ".join(asked) + "*")
        index.close()
        return _table(found)

    def close(self) -> None:
        with self._wanted:
            self._closed = True
            self._wanted.notify_all()
        if self._thread is not None:
            self._thread.join()
        if self._temporary is not None:
            self._temporary.cleanup()

    # -- inside ----------------------------------------------------------------------------------------------------

    @property
    def path(self) -> Path:
        if self._temporary is not None:
            return Path(self._temporary.name, "words")
        return self.file.path.with_name(self.file.path.name + ".words")

    def _matching(self, index: sqlite3.Connection, asked: str) -> list[int]:
        try:
            rows = index.execute("SELECT rowid FROM words WHERE words MATCH ? LIMIT ?", [asked, MOST])
            return [row[0] for row in rows]
        except sqlite3.OperationalError:
            # The index is being made anew at this moment.
            return []

    def _connect(self) -> sqlite3.Connection:
        if self._temporary is None:
            # One at a time: to close a file drops SQLite's locks on it in the whole process.
            with self._creating:
                _claim(self.path, mode_of(self.file.path) or 0o600)
        index = sqlite3.connect(self.path, timeout=30, isolation_level=None)
        index.execute("PRAGMA journal_mode = WAL")
        index.execute("PRAGMA synchronous = NORMAL")
        index.executescript(TABLES)
        return index

    def _run(self) -> None:
        loaded = False
        while True:
            with self._wanted:
                self._wanted.wait_for(lambda: self._behind or self._closed)
                if self._closed:
                    return
                self._behind = False
            try:
                if not loaded:
                    self._load()
                    loaded = True
                self._catch_up()
            except sqlite3.Error:
                # A folder that cannot be written, or a damaged index: it is made anew where it can be.
                if self._temporary is not None:
                    return
                self._begin_anew(elsewhere=not self._remove())
                loaded = False
                self.follow()
            except (duckdb.Error, errors.CrossdocError):
                # The answer cannot be read now, of which whoever looks at it is told; the next change may help.
                pass
            else:
                with self._wanted:
                    if not self._behind:
                        self.ready.set()

    def _load(self) -> None:
        """Take over what was indexed before, if the hashes are still made the same way."""
        index = self._connect()
        try:
            made_by = dict(index.execute("SELECT key, value FROM meta")).get("duckdb")
            if made_by not in (None, duckdb.__version__):
                raise sqlite3.DatabaseError("made by another version of DuckDB")
            index.execute("INSERT OR REPLACE INTO meta VALUES ('duckdb', ?)", [duckdb.__version__])
            for first, keys, stamps in index.execute("SELECT first, keys, stamps FROM batches ORDER BY first"):
                self._take_in(first, np.frombuffer(keys, np.uint64), np.frombuffer(stamps, np.uint64))
        finally:
            index.close()

    def _take_in(self, first: int, keys: Any, stamps: Any) -> None:
        """What is said later of a profile counts."""
        numbers = np.arange(first, first + len(keys), dtype=np.int32)
        with self.file.memory.cursor() as memory:
            memory.register("incoming", pa.table({"number": numbers, "key": keys, "stamp": stamps}))
            memory.execute("DELETE FROM indexed WHERE key IN (SELECT key FROM incoming)")
            memory.execute("INSERT INTO indexed SELECT number, key, stamp FROM incoming")
        self.version += 1

    def _catch_up(self) -> None:
        """Index all contexts that are not in yet."""
        index = self._connect()
        try:
            with self.file.ask() as db:
                signature = signature_of(db)
            known = dict(index.execute("SELECT key, value FROM meta")).get("complete")
            if signature == known:
                return
            with self.file.ask() as db:
                last = db.execute("SELECT coalesce(max(rowid), -1) FROM profiles").fetchall()[0][0]
            for start in range(0, last + 1, AT_ONCE):
                if self._closed:
                    return
                self._index(index, self._missing(start))
            index.execute("INSERT OR REPLACE INTO meta VALUES ('complete', ?)", [signature])
            self._tidy(index)
        finally:
            index.close()

    def _missing(self, start: int) -> list[tuple[int, int, str]]:
        with self.file.ask() as db:
            return db.execute(
                """
                SELECT hash(p.id) AS key, hash(p.context) AS stamp, coalesce(p.context, '')
                FROM profiles p ANTI JOIN memory.indexed x ON x.key = hash(p.id) AND x.stamp = hash(p.context)
                WHERE p.rowid >= ? AND p.rowid < ? ORDER BY p.rowid
                """,
                [start, start + AT_ONCE],
            ).fetchall()

    def _index(self, index: sqlite3.Connection, rows: list[tuple[int, int, str]]) -> None:
        if not rows:
            return
        keys, stamps = (np.array([row[at] for row in rows], np.uint64) for at in (0, 1))
        index.execute("BEGIN IMMEDIATE")
        try:
            # Another explorer of the same answer may have gone on; to index a context twice does no harm.
            last = index.execute("SELECT first, length(keys) / 8 FROM batches ORDER BY first DESC LIMIT 1").fetchall()
            first = last[0][0] + last[0][1] if last else 1
            index.execute("INSERT INTO batches VALUES (?, ?, ?)", [first, keys.tobytes(), stamps.tobytes()])
            index.executemany(
                "INSERT INTO words (rowid, context) VALUES (?, ?)",
                ((number, context) for number, (_, _, context) in enumerate(rows, first)),
            )
        except BaseException:
            index.execute("ROLLBACK")
            raise
        index.execute("COMMIT")
        self._take_in(first, keys, stamps)

    def _tidy(self, index: sqlite3.Connection) -> None:
        """Begin anew where too many numbers stand for nothing."""
        numbers = index.execute("SELECT coalesce(sum(length(keys) / 8), 0) FROM batches").fetchall()[0][0]
        with self.file.ask() as db:
            alive = db.execute("SELECT count(*) FROM profiles").fetchall()[0][0]
        if numbers - alive > MOST_DEAD * max(numbers, 1):
            raise sqlite3.DatabaseError("mostly of what is gone")

    def _remove(self) -> bool:
        """Whether the index could be removed, and a new one written."""
        if os.path.lexists(self.path) and not _is_own(self.path):
            return False
        with suppress(OSError):
            for ending in ("", "-wal", "-shm"):
                self.path.with_name(self.path.name + ending).unlink(missing_ok=True)
            tempfile.TemporaryFile(dir=self.path.parent).close()
            return True
        return False

    def _begin_anew(self, *, elsewhere: bool) -> None:
        if elsewhere:
            self._temporary = tempfile.TemporaryDirectory(prefix="crossdoc-")
        with self.file.memory.cursor() as memory:
            memory.execute("DELETE FROM indexed")


def _claim(path: Path, mode: int) -> None:
    """Create the index with the mode of the answer; one that is there must be ours, and is never reached by a link."""
    try:
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
        except FileExistsError:
            if not _is_own(path):
                raise sqlite3.OperationalError(f"{path} belongs to somebody else") from None
        if mode_of(path) != mode:
            os.chmod(path, mode)
    except OSError as error:
        raise sqlite3.OperationalError(str(error)) from error


def _is_own(path: Path) -> bool:
    """Whether this is a plain file of this user's, under one name; others could put a link in its place."""
    found = path.lstat()
    return stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid() and found.st_nlink == 1


def signature_of(db: duckdb.DuckDBPyConnection) -> str:
    """Of a file: changes whenever its profiles do, and not when something is judged."""
    found = db.execute("""
        SELECT count(*), max(finished), (SELECT count(*) FROM profiles), (SELECT value FROM meta WHERE key = 'salt')
        FROM runs""").fetchall()
    return str(found[0])


def _terms(text: str) -> list[str]:
    """What is asked for, in FTS5's language: every word and every phrase in quotes.

    >>> _terms('squid "Penmarrow Marine" -Toledo*')
    ['"squid"', '"Penmarrow Marine"', '"Toledo"']
    """
    found = re.findall(r'"([^"]+)"|([^\s"]+)', text)
    cleaned = (" ".join(re.findall(r"\w+", phrase or word)) for phrase, word in found)
    return [f'"{each}"' for each in cleaned if each]


def _table(numbers: list[int]) -> pa.Table:
    return pa.table({"number": pa.array(numbers, pa.int32())})
