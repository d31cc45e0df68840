"""An index of the words in contexts, built by the explorer while it runs.

It uses SQLite's FTS5, since DuckDB's full-text extension would have to be downloaded. The index is a temporary
database: what exceeds its cache is in a file without a name, which is gone when the process ends. Each context has a
number; the hashes of its profile and text are kept, so that only new and changed contexts are read again.
"""

from __future__ import annotations

import re
import sqlite3
import threading
from contextlib import suppress
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from crossdoc import errors
from crossdoc.store.shared_file import SharedFile

CONTEXTS_READ = 20_000
"""Contexts that are read at a time; other processes can write the file in between."""
CONTEXTS_INDEXED = 2_000
"""Contexts that are indexed at a time; searches run in between."""
MOST_HITS = 150_000
"""Contexts of one search; identities of further contexts are not found."""
SHORTEST_PREFIX = 3
"""Letters that the last word of a search needs to be taken as the beginning of a word."""
CACHE = 64 * 1024
"""Kibibytes of the index in memory."""


class WordIndex:
    """The index of one file, which a thread keeps up to date; `ready` is set while it is complete."""

    def __init__(self, file: SharedFile) -> None:
        self.file = file
        self.ready = threading.Event()
        self._changed = threading.Event()
        self._closed = False
        self._lock = threading.Lock()
        self._index = sqlite3.connect("", check_same_thread=False)
        self._index.execute(f"PRAGMA cache_size = -{CACHE}")
        self._index.execute(
            """CREATE VIRTUAL TABLE words USING fts5(
                context, content='', tokenize="unicode61 remove_diacritics 2", detail=full
            )"""
        )
        self._count = 0
        """Contexts that were indexed so far."""
        with self.file.memory.cursor() as memory:
            memory.execute("CREATE TABLE indexed (number INTEGER, key UBIGINT, stamp UBIGINT)")
        self._thread = threading.Thread(target=self._run, name="crossdoc words", daemon=True)
        self._thread.start()

    def follow(self) -> None:
        """Note that the file has changed."""
        self.ready.clear()
        self._changed.set()

    def find(self, text: str) -> pa.Table:
        """Return the numbers of contexts with all words and "phrases"; the last word may be the beginning of one."""
        found: list[int] = []
        if asked := _terms(text):
            found = self._matching(" ".join(asked))
            unquoted = asked[-1].strip('"')
            if not found and len(unquoted) >= SHORTEST_PREFIX and not text.rstrip().endswith('"'):
                found = self._matching(" ".join(asked) + "*")
        return pa.table({"number": pa.array(found, pa.int32())})

    def close(self) -> None:
        self._closed = True
        self._changed.set()
        self._thread.join()
        self._index.close()

    def _matching(self, asked: str) -> list[int]:
        with self._lock:
            rows = self._index.execute("SELECT rowid FROM words WHERE words MATCH ? LIMIT ?", [asked, MOST_HITS])
            return [row[0] for row in rows]

    def _run(self) -> None:
        signature = None
        while self._changed.wait() and not self._closed:
            self._changed.clear()
            # If the answer cannot be read now, pages show the error, and the next change starts this again.
            with suppress(duckdb.Error, sqlite3.Error, errors.CrossdocError):
                with self.file.ask() as store:
                    now = store.profiles_signature()
                    last = store.fetch("SELECT coalesce(max(rowid), -1) FROM profiles")[0][0]
                if now != signature:
                    for start in range(0, last + 1, CONTEXTS_READ):
                        self._add(self._missing(start))
                    signature = now
                if not self._changed.is_set():
                    self.ready.set()

    def _missing(self, start: int) -> list[tuple[Any, ...]]:
        with self.file.ask() as store:
            return store.fetch(
                """
                SELECT hash(p.id) AS key, hash(p.context) AS stamp, coalesce(p.context, '')
                FROM profiles p ANTI JOIN memory.indexed x ON x.key = hash(p.id) AND x.stamp = hash(p.context)
                WHERE p.rowid >= ? AND p.rowid < ? ORDER BY p.rowid
                """,
                [start, start + CONTEXTS_READ],
            )

    def _add(self, rows: list[tuple[Any, ...]]) -> None:
        """Index contexts; a later context of a profile replaces an earlier one."""
        first = self._count
        for at in range(0, len(rows), CONTEXTS_INDEXED):
            if self._closed:
                return
            part = [(first + n, rows[n][2]) for n in range(at, min(at + CONTEXTS_INDEXED, len(rows)))]
            with self._lock, self._index:
                self._index.executemany("INSERT INTO words (rowid, context) VALUES (?, ?)", part)
        self._count += len(rows)
        keys, stamps = (np.array([row[at] for row in rows], np.uint64) for at in (0, 1))
        numbers = np.arange(first, self._count, dtype=np.int32)
        with self.file.memory.cursor() as memory:
            memory.register("incoming", pa.table({"number": numbers, "key": keys, "stamp": stamps}))
            memory.execute("DELETE FROM indexed WHERE key IN (SELECT key FROM incoming)")
            memory.execute("INSERT INTO indexed SELECT number, key, stamp FROM incoming")


def _terms(text: str) -> list[str]:
    """Return a search in the syntax of FTS5: each word and phrase in quotes.

    >>> _terms('squid "Penmarrow Marine" -Toledo*')
    ['"squid"', '"Penmarrow Marine"', '"Toledo"']
    """
    found = re.findall(r'"([^"]+)"|([^\s"]+)', text)
    cleaned = (" ".join(re.findall(r"\w+", phrase or word)) for phrase, word in found)
    return [f'"{each}"' for each in cleaned if each]
