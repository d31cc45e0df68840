"""A result that the explorer reads for hours while other processes write it: its file is open only for moments.

A process that has a DuckDB file open, even for reading, keeps all others from writing it. The file is therefore closed
shortly after the last query, and for a short time even during constant queries. Opening it again takes a few
milliseconds, because the database in memory that it is attached to stays.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from crossdoc.store.connection import LOCKS, NO_EXTENSIONS, let_go, log_of, reading, spill_folder, when_unlocked
from crossdoc.store.folder import FolderStore, show_tables
from crossdoc.store.store import Store

IDLE = 0.25
"""Seconds without a query after which the file is closed."""
LONGEST_OPEN = 1.5
"""Seconds after which the file is closed even if queries go on."""
OPENING_PATIENCE = 30.0
"""Seconds to wait for a file that another process writes."""
TURN_OF_OTHERS = 0.12
"""Seconds that the file then stays closed: more than twice the time between two attempts of a writer."""

FileState = tuple[tuple[int, int, int] | None, ...]


class SharedFile:
    """Opens a file or folder when it is queried, and closes it again; any thread may query.

    `memory` is a database of this process, for data that are needed without the file. In queries to the file its tables
    are called ``memory.…``.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.memory = duckdb.connect(
            ":memory:", config={"temp_directory": str(spill_folder(self.path)), **NO_EXTENSIONS}
        )
        allowed = [str(each.absolute()) for each in (self.path, log_of(self.path))]
        self.memory.execute("SET allowed_paths = ?", [allowed])
        if self.path.is_dir():
            self.memory.execute("SET allowed_directories = ?", [allowed[:1]])
        for lock in LOCKS:
            self.memory.execute(lock)
        self._changed = threading.Condition()
        self._observing = threading.Lock()
        self._observed = self._state()
        self._version = 0
        self._store: Store | None = None
        """The open file, or None."""
        self._opened_as: FileState = ()
        self._readers = 0
        self._opened = self._last_query = 0.0
        try:
            with self.ask():
                pass
        except BaseException:
            self.memory.close()
            raise

    @property
    def version(self) -> int:
        """A number that grows whenever any process writes the file."""
        state = self._state()
        with self._observing:
            if state != self._observed:
                self._observed = state
                self._version += 1
            return self._version

    @contextmanager
    def ask(self) -> Iterator[Store]:
        """Provide a store for several queries, which are answered from one state of the file.

        Calls must not be nested: the inner one may wait forever.
        """
        with self._changed:
            self._wait_for_turn()
            if self._store is None:
                self._open()
            assert self._store is not None
            # Created within the lock, since a connection runs one statement at a time.
            cursor = self._store.cursor()
            self._readers += 1
        try:
            with reading(self.path):
                yield cursor
        finally:
            cursor.close()
            with self._changed:
                self._readers -= 1
                self._last_query = time.monotonic()
                self._changed.notify_all()

    def close(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: not self._readers)
            self._close_file()
            self.memory.close()

    def _wait_for_turn(self) -> None:
        if self._is_due:
            # New queries wait until the running ones are done; otherwise the file would never be closed.
            self._changed.wait_for(lambda: not (self._is_due and self._readers))
        if self._is_due:
            self._close_file()
            time.sleep(TURN_OF_OTHERS)
        elif self._store is not None and not self._readers and self._state() != self._opened_as:
            self._close_file()

    @property
    def _is_due(self) -> bool:
        """Whether the file has been open for so long that other processes get a turn."""
        return self._store is not None and time.monotonic() - self._opened > LONGEST_OPEN

    def _open(self) -> None:
        state = self._state()
        try:
            if self.path.is_dir():
                self._store = self._open_folder(state)
            else:
                # With a cursor of the database in memory, which stays open if the file cannot be opened.
                self._store = when_unlocked(
                    lambda: Store.open(self.path, again=self.memory.cursor(), patience=0), OPENING_PATIENCE
                )
        except BaseException:
            self._close_file()
            raise
        self._opened_as, self._opened = state, time.monotonic()
        threading.Thread(target=self._close_when_idle, args=[self._opened], daemon=True).start()

    def _open_folder(self, state: FileState) -> Store:
        if state != self._opened_as:
            FolderStore.finished(self.path).close()
        cursor = self.memory.cursor()
        cursor.execute("ATTACH ':memory:' AS stored")
        with reading(self.path):
            show_tables(cursor, self.path, "stored.")
        cursor.execute("USE stored")
        return Store(cursor, self.path)

    def _close_file(self) -> None:
        if self._store is not None:
            self._store.close()
            self._store = None
        let_go(self.memory.cursor())

    def _close_when_idle(self, opened: float) -> None:
        with self._changed:
            while self._store is not None and self._opened == opened:
                quiet = time.monotonic() - self._last_query
                if not self._readers and quiet >= IDLE:
                    self._close_file()
                else:
                    self._changed.wait(IDLE if self._readers else IDLE - quiet)

    def _state(self) -> FileState:
        """Return time, size and inode of the file and of its write-ahead log."""
        found: list[tuple[int, int, int] | None] = []
        for path in (self.path, log_of(self.path)):
            try:
                status = path.stat()
                found.append((status.st_mtime_ns, status.st_size, status.st_ino))
            except OSError:
                found.append(None)
        return tuple(found)
