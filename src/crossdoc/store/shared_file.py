"""A result that the explorer reads for hours while other processes write it: its file is open only for moments.

A process that has a DuckDB file open, even for reading, keeps all others from writing it. The file is therefore closed
a moment after it was opened, even during constant queries. Opening it again takes a few milliseconds, because the
database in memory that it is attached to stays.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from crossdoc.store import connection as files
from crossdoc.store.store import Store

LONGEST_OPEN = 0.4
"""Seconds after which the file is closed."""
OPENING_PATIENCE = 30.0
"""Seconds to wait for a file that another process writes."""
TURN_OF_OTHERS = 0.12
"""Seconds that the file then stays closed: more than twice the time between two attempts of a writer."""

FileState = tuple[files.State | None, ...]


class SharedFile:
    """Opens a file when it is queried, and closes it again; any thread may query.

    `memory` is a database of this process, for data that are needed without the file. In queries to the file its tables
    are called ``memory.…``.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.memory = files.new_database(files.spill_folder(self.path), self.path)
        self._changed = threading.Condition()
        self._observing = threading.Lock()
        self._observed = self._state()
        self._version = 0
        self._store: Store | None = None
        """The open file, or None."""
        self._opened_as: FileState = ()
        self._readers = 0
        self._closing = False
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
        """Provide a store for queries about one state of the file. A nested call may wait forever."""
        with self._changed:
            self._changed.wait_for(lambda: not self._closing)
            if not self._readers and self._state() != self._opened_as:
                self._close_file()
            if self._store is None:
                self._open()
            assert self._store is not None
            # Created within the lock, since a connection runs one statement at a time.
            cursor = self._store.cursor()
            cursor.limits_each = False
            self._readers += 1
        try:
            # A limit for each of many short queries would take a tenth of their time.
            with files.reading(self.path), files.limited(cursor._db):
                yield cursor
        finally:
            cursor.close()
            with self._changed:
                self._readers -= 1
                self._changed.notify_all()

    def close(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: not self._readers)
            self._close_file()
            self.memory.close()

    def _open(self) -> None:
        state = self._state()
        try:
            self._store = Store.open(self.path, again=self.memory, patience=OPENING_PATIENCE)
        except BaseException:
            files.let_go(self.memory.cursor())
            raise
        self._opened_as = state
        threading.Thread(target=self._close_soon, args=[self._store], daemon=True).start()

    def _close_file(self) -> None:
        if self._store is not None:
            self._store.close()
            self._store = None
            files.let_go(self.memory.cursor())

    def _close_soon(self, store: Store) -> None:
        """Give other processes a turn; new queries wait until the running ones are done."""
        time.sleep(LONGEST_OPEN)
        with self._changed:
            if self._store is not store:
                return
            self._closing = True
            self._changed.wait_for(lambda: not self._readers)
            self._close_file()
            time.sleep(TURN_OF_OTHERS)
            self._closing = False
            self._changed.notify_all()

    def _state(self) -> FileState:
        return files.state_of(self.path), files.state_of(files.log_of(self.path))
