"""A .crossdoc file that is looked at for hours while others write it: held open only for moments.

A process that has a DuckDB file open, even for reading, keeps all others from writing it. So the file is given up when
nobody has asked for a moment, and for a short while even under constant questions.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from crossdoc.store import Store
from crossdoc.store.connection import log_of, reading

IDLE = 0.25
"""Seconds without a question after which the file is given up."""
AT_MOST = 1.5
"""Seconds after which it is given up though questions go on."""
GAP = 0.12
"""Seconds that it is then left to others: more than twice as long as a writer waits between two attempts."""

Stamp = tuple[tuple[int, int, int] | None, ...]


class File:
    """Opens the file when something is asked, and closes it again; any thread may ask."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._changed = threading.Condition()
        self._store: Store | None = None
        self._askers = 0
        self._writers = 0
        self._opened = self._asked = 0.0
        self._opened_as: Stamp = ()
        self._closed = False
        self._version = 0
        self._seen = self._stamp()
        with self.ask():
            pass

    @property
    def version(self) -> int:
        """Grows whenever the file is written, by whomever."""
        stamp = self._stamp()
        with self._changed:
            if stamp != self._seen:
                self._seen = stamp
                self._version += 1
            return self._version

    @contextmanager
    def ask(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A connection for some questions that belong together: all are answered from one state of the file."""
        with self._changed:
            self._wait_for_my_turn()
            if self._store is None:
                self._open()
            assert self._store is not None
            store = self._store
            self._askers += 1
        try:
            with reading(self.path):
                cursor = store._cursor()
                try:
                    yield cursor
                finally:
                    cursor.close()
        finally:
            with self._changed:
                self._askers -= 1
                self._asked = time.monotonic()
                self._changed.notify_all()

    @contextmanager
    def released(self) -> Iterator[None]:
        """In here the file is not open, so that this process can write it: questions wait meanwhile.

        A process must not have a file open twice while it writes: closing one of the two would give up the lock.
        """
        with self._changed:
            self._writers += 1
            self._changed.wait_for(lambda: not self._askers)
            self._give_up()
        try:
            yield
        finally:
            with self._changed:
                self._writers -= 1
                self._changed.notify_all()

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.wait_for(lambda: not self._askers)
            self._give_up()
            self._changed.notify_all()

    # -- inside ----------------------------------------------------------------------------------------------------

    def _wait_for_my_turn(self) -> None:
        self._changed.wait_for(lambda: not self._writers)
        if self._store is None or self._askers:
            return
        if time.monotonic() - self._opened > AT_MOST:
            self._give_up()
            time.sleep(GAP)
        elif self._stamp() != self._opened_as:
            self._give_up()

    def _open(self) -> None:
        self._opened_as = self._stamp()
        self._store = Store.open(self.path)
        self._opened = time.monotonic()
        threading.Thread(target=self._give_up_when_idle, daemon=True).start()

    def _give_up(self) -> None:
        if self._store is not None:
            self._store.close()
            self._store = None

    def _give_up_when_idle(self) -> None:
        with self._changed:
            mine = self._store
            while self._store is mine and mine is not None:
                quiet = time.monotonic() - self._asked
                if not self._askers and quiet >= IDLE:
                    self._give_up()
                else:
                    self._changed.wait(IDLE if self._askers else IDLE - quiet)

    def _stamp(self) -> Stamp:
        """When the file and its write-ahead log were last written."""
        found: list[tuple[int, int, int] | None] = []
        for path in (self.path, log_of(self.path)):
            try:
                status = path.stat()
                found.append((status.st_mtime_ns, status.st_size, status.st_ino))
            except OSError:
                found.append(None)
        return tuple(found)
