"""The search for words in contexts, by an index that the explorer makes in the background while it runs.

It uses SQLite's FTS5, since DuckDB's full-text extension would have to be downloaded. The index is a temporary
database: what exceeds its cache is in a file without a name, which is gone when the process ends. While it is being
made, a search reads all contexts instead, a second for 300,000.
"""

from __future__ import annotations

import re
import sqlite3
import threading
from contextlib import suppress

import duckdb
import numpy as np
import pyarrow as pa

from crossdoc import errors
from crossdoc.store.shared_file import SharedFile

CONTEXTS_READ = 20_000
"""Contexts that are read at a time; other processes can write the file in between."""
MOST_HITS = 150_000
"""Contexts of one search; identities of further contexts are not found."""
SHORTEST_PREFIX = 3
"""Letters that the last word of a search needs to be taken as the beginning of a word."""
CACHE = 64 * 1024
"""Kibibytes of the index in memory."""
GAP = r"[^\pL\pM\pN_]"
"""Regular expression for what is between words."""


class WordIndex:
    """The words of one file, which a thread indexes; `ready` is set while the index is that of the present file."""

    def __init__(self, file: SharedFile) -> None:
        self.file = file
        self.ready = threading.Event()
        self._changed = threading.Event()
        self._closed = False
        self._lock = threading.Lock()
        self._index = sqlite3.connect("", check_same_thread=False)
        self._keys = np.zeros(0, dtype=np.uint64)
        """The key of the profile of each context."""
        self._thread = threading.Thread(target=self._run, name="crossdoc words", daemon=True)
        self._thread.start()

    def follow(self) -> None:
        self.ready.clear()
        self._changed.set()

    def find(self, text: str) -> pa.Table:
        """Return the keys of profiles whose context has all words and "phrases"; the last word may be incomplete."""
        terms = _terms(text)
        may_be_incomplete = terms and len(terms[-1]) >= SHORTEST_PREFIX and not text.rstrip().endswith('"')
        keys = np.zeros(0, dtype=np.uint64)
        for is_complete in [True] * bool(terms) + [False] * bool(may_be_incomplete):
            if not len(keys):
                keys = (self._matching if self.ready.is_set() else self._read)(terms, is_complete)
        return pa.table({"key": keys})

    def close(self) -> None:
        self._closed = True
        self._changed.set()
        self._thread.join()
        self._index.close()

    def _matching(self, terms: list[str], is_complete: bool) -> np.ndarray:
        asked = " ".join(f'"{term}"' for term in terms) + "*" * (not is_complete)
        with self._lock:
            rows = self._index.execute("SELECT rowid FROM words WHERE words MATCH ? LIMIT ?", [asked, MOST_HITS])
            return self._keys[[row[0] for row in rows]]

    def _read(self, terms: list[str], is_complete: bool) -> np.ndarray:
        patterns = [f"(?i)(^|{GAP}){f'{GAP}+'.join(term.split())}($|{GAP})" for term in terms]
        if not is_complete:
            patterns[-1] = patterns[-1].removesuffix(f"($|{GAP})")
        conditions = " AND ".join(["regexp_matches(plain, strip_accents(?))"] * len(terms))
        query = f"""
            SELECT key FROM (SELECT hash(id) AS key, strip_accents(context) AS plain FROM profiles)
            WHERE {conditions} LIMIT {MOST_HITS}"""
        with self.file.ask() as store:
            return store.query(query, patterns).column("key").to_numpy()

    def _run(self) -> None:
        signature = None
        while self._changed.wait() and not self._closed:
            self._changed.clear()
            # If the answer cannot be read now, pages show the error, and the next change starts this again.
            with suppress(duckdb.Error, sqlite3.Error, errors.CrossdocError):
                with self.file.ask() as store:
                    now = store.profiles_signature()
                if now != signature:
                    self._make()
                    signature = now
                if not self._changed.is_set() and not self._closed:
                    self.ready.set()

    def _make(self) -> None:
        index, keys, start, last = sqlite3.connect("", check_same_thread=False), list[int](), 0, 0
        index.execute(f"PRAGMA cache_size = -{CACHE}")
        index.execute(
            """CREATE VIRTUAL TABLE words USING fts5(
                context, content='', tokenize="unicode61 remove_diacritics 2", detail=full
            )"""
        )
        while start <= last and not self._closed:
            with self.file.ask() as store:
                last = store.fetch("SELECT coalesce(max(rowid), -1) FROM profiles")[0][0]
                given = [start, start + CONTEXTS_READ]
                rows = store.fetch("SELECT hash(id), context FROM profiles WHERE rowid >= ? AND rowid < ?", given)
            with index:
                index.executemany(
                    "INSERT INTO words (rowid, context) VALUES (?, ?)",
                    [(number, context or "") for number, (_, context) in enumerate(rows, len(keys))],
                )
            keys += [key for key, _ in rows]
            start += CONTEXTS_READ
        with self._lock:
            self._index.close()
            self._index, self._keys = index, np.array(keys, dtype=np.uint64)


def _terms(text: str) -> list[str]:
    """Return the words and phrases of a search.

    >>> _terms('squid "Penmarrow Marine" -Toledo*')
    ['squid', 'Penmarrow Marine', 'Toledo']
    """
    found = re.findall(r'"([^"]+)"|([^\s"]+)', text)
    cleaned = (" ".join(re.findall(r"\w+", phrase or word)) for phrase, word in found)
    return list(filter(None, cleaned))
