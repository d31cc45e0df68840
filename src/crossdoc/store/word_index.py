"""An index of the words in contexts, kept next to the answer (`OUT.crossdoc.words`) and built by the explorer.

It uses SQLite's FTS5, since DuckDB's full-text extension would have to be downloaded. Each context has a number; the
hashes of its profile and text are stored, so that changed and removed contexts are noticed and only new ones are read.
The file can be deleted at any time. Under --read-only, and if a link or a file of another user has its name, the index
is in a temporary folder.
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

BATCH_OF_CONTEXTS = 20_000
"""Contexts that are read at a time; other processes can write the file in between."""
MOST_HITS = 150_000
"""Contexts of one search; identities of further contexts are not found."""
MOST_DEAD = 0.3
"""Share of numbers without a context. Above this the index is rebuilt."""
SHORTEST_PREFIX = 3
"""Letters that the last word of a search needs to be taken as the beginning of a word."""
INDEX_TABLES = """
    CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT);
    CREATE TABLE IF NOT EXISTS batches (first INTEGER PRIMARY KEY, keys BLOB, stamps BLOB);
    CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(
        context, content='', tokenize="unicode61 remove_diacritics 2", detail=full
    );
    """


class WordIndex:
    """The index of one file, which a thread keeps up to date; `ready` is set while it is complete."""

    def __init__(self, file: SharedFile, read_only: bool = False) -> None:
        self.file = file
        self.ready = threading.Event()
        self.version = 0
        """Number of batches that were indexed."""
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
        """Note that the file has changed."""
        with self._wanted:
            self._behind = True
            self.ready.clear()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="crossdoc words", daemon=True)
                self._thread.start()
            self._wanted.notify_all()

    def find(self, text: str) -> pa.Table:
        """Return the numbers of contexts with all words and "phrases"; the last word may be the beginning of one."""
        asked = _terms(text)
        if not asked:
            return _table([])
        try:
            index = self._connect()
        except sqlite3.OperationalError:
            # The index is being moved.
            return _table([])
        with index:
            found = self._matching(index, " ".join(asked))
            unquoted = asked[-1].strip('"')
            if not found and len(unquoted) >= SHORTEST_PREFIX and not text.rstrip().endswith('"'):
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

    @property
    def path(self) -> Path:
        if self._temporary is not None:
            return Path(self._temporary.name, "words")
        return self.file.path.with_name(self.file.path.name + ".words")

    def _matching(self, index: sqlite3.Connection, asked: str) -> list[int]:
        try:
            rows = index.execute("SELECT rowid FROM words WHERE words MATCH ? LIMIT ?", [asked, MOST_HITS])
            return [row[0] for row in rows]
        except sqlite3.OperationalError:
            # The index is being rebuilt.
            return []

    def _connect(self) -> sqlite3.Connection:
        if self._temporary is None:
            # One at a time: closing a file drops SQLite's locks on it in this process.
            with self._creating:
                _claim(self.path, mode_of(self.file.path) or 0o600)
        index = sqlite3.connect(self.path, timeout=30, isolation_level=None)
        index.execute("PRAGMA journal_mode = WAL")
        index.execute("PRAGMA synchronous = NORMAL")
        index.executescript(INDEX_TABLES)
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
                # The folder cannot be written, or the index is damaged: it is rebuilt, here or elsewhere.
                if self._temporary is not None:
                    return
                self._clear(elsewhere=not self._remove())
                loaded = False
                self.follow()
            except (duckdb.Error, errors.CrossdocError):
                # The answer cannot be read now; pages show the error, and the next change starts this again.
                pass
            else:
                with self._wanted:
                    if not self._behind:
                        self.ready.set()

    def _load(self) -> None:
        """Load an existing index, if its hashes were made by the same version of DuckDB."""
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
        """Add contexts to the table in memory; a later context of a profile replaces an earlier one."""
        numbers = np.arange(first, first + len(keys), dtype=np.int32)
        with self.file.memory.cursor() as memory:
            memory.register("incoming", pa.table({"number": numbers, "key": keys, "stamp": stamps}))
            memory.execute("DELETE FROM indexed WHERE key IN (SELECT key FROM incoming)")
            memory.execute("INSERT INTO indexed SELECT number, key, stamp FROM incoming")
        self.version += 1

    def _catch_up(self) -> None:
        """Index all new contexts."""
        index = self._connect()
        try:
            with self.file.ask() as store:
                signature = store.profiles_signature()
                last = store.fetch("SELECT coalesce(max(rowid), -1) FROM profiles")[0][0]
            known = dict(index.execute("SELECT key, value FROM meta")).get("complete")
            if signature == known:
                return
            for start in range(0, last + 1, BATCH_OF_CONTEXTS):
                if self._closed:
                    return
                self._index(index, self._missing(start))
            index.execute("INSERT OR REPLACE INTO meta VALUES ('complete', ?)", [signature])
            self._tidy(index)
        finally:
            index.close()

    def _missing(self, start: int) -> list[tuple[Any, ...]]:
        with self.file.ask() as store:
            return store.fetch(
                """
                SELECT hash(p.id) AS key, hash(p.context) AS stamp, coalesce(p.context, '')
                FROM profiles p ANTI JOIN memory.indexed x ON x.key = hash(p.id) AND x.stamp = hash(p.context)
                WHERE p.rowid >= ? AND p.rowid < ? ORDER BY p.rowid
                """,
                [start, start + BATCH_OF_CONTEXTS],
            )

    def _index(self, index: sqlite3.Connection, rows: list[tuple[Any, ...]]) -> None:
        if not rows:
            return
        keys, stamps = (np.array([row[at] for row in rows], np.uint64) for at in (0, 1))
        index.execute("BEGIN IMMEDIATE")
        try:
            # Another explorer of the answer may have added batches; indexing a context twice does no harm.
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
        """Have the index rebuilt if too many numbers have no context."""
        numbers = index.execute("SELECT coalesce(sum(length(keys) / 8), 0) FROM batches").fetchall()[0][0]
        with self.file.ask() as store:
            alive = store.count("profiles")
        if numbers - alive > MOST_DEAD * max(numbers, 1):
            raise sqlite3.DatabaseError("mostly of removed contexts")

    def _remove(self) -> bool:
        """Remove the index; return whether a new one can be written in its place."""
        if os.path.lexists(self.path) and not _is_own(self.path):
            return False
        with suppress(OSError):
            for ending in ("", "-wal", "-shm"):
                self.path.with_name(self.path.name + ending).unlink(missing_ok=True)
            tempfile.TemporaryFile(dir=self.path.parent).close()
            return True
        return False

    def _clear(self, *, elsewhere: bool) -> None:
        if elsewhere:
            self._temporary = tempfile.TemporaryDirectory(prefix="crossdoc-")
        with self.file.memory.cursor() as memory:
            memory.execute("DELETE FROM indexed")


def _claim(path: Path, mode: int) -> None:
    """Create the index with the mode of the answer; an existing one must be a plain file of this user."""
    try:
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
        except FileExistsError:
            if not _is_own(path):
                raise sqlite3.OperationalError(f"{path} belongs to another user") from None
        if mode_of(path) != mode:
            os.chmod(path, mode)
    except OSError as error:
        raise sqlite3.OperationalError(str(error)) from error


def _is_own(path: Path) -> bool:
    """Whether this is a plain file of this user under one name; other users could put a link in its place."""
    found = path.lstat()
    return stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid() and found.st_nlink == 1


def _terms(text: str) -> list[str]:
    """Return a search in the syntax of FTS5: each word and phrase in quotes.

    >>> _terms('squid "Penmarrow Marine" -Toledo*')
    ['"squid"', '"Penmarrow Marine"', '"Toledo"']
    """
    found = re.findall(r'"([^"]+)"|([^\s"]+)', text)
    cleaned = (" ".join(re.findall(r"\w+", phrase or word)) for phrase, word in found)
    return [f'"{each}"' for each in cleaned if each]


def _table(numbers: list[int]) -> pa.Table:
    return pa.table({"number": pa.array(numbers, pa.int32())})
