"""An answer that is looked at for hours while others write it: its file (or folder) is held open only for moments.

A process that has a DuckDB file open, even for reading, keeps all others from writing it. So the file is given up when
nobody has asked for a moment, and for a short while even under constant questions. To open it again costs few
milliseconds, because the database in memory that it is attached to stays.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import duckdb

from crossdoc import errors
from crossdoc.store import migrations
from crossdoc.store.connection import NO_EXTENSIONS, complaint, is_locked, log_of, reading, spill_folder
from crossdoc.store.folder import show_tables
from crossdoc.store.store import Store

IDLE = 0.25
"""Seconds without a question after which the file is given up."""
AT_MOST = 1.5
"""Seconds after which it is given up though questions go on."""
PATIENCE = 30.0
"""Seconds that a file is waited for which another process writes."""
GAP = 0.12
"""Seconds that it is then left to others: more than twice as long as a writer waits between two attempts."""

Stamp = tuple[tuple[int, int, int] | None, ...]


class SharedFile:
    """Opens the file when something is asked, and closes it again; any thread may ask.

    `memory` is a database of this process alone, for what is to be at hand without the file; in questions to the file
    its tables are called ``memory.…``.
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
        self.memory.execute("SET enable_external_access = false")
        self._changed = threading.Condition()
        self._seeing = threading.Lock()
        self._seen = self._stamp()
        self._version = 0
        self._checked: Stamp = ()
        self._search_path = ""
        """Where tables are looked for; nothing while the file is not open."""
        self._opened_as: Stamp = ()
        self._askers = self._writers = 0
        self._opened = self._asked = 0.0
        try:
            with self.ask():
                pass
        except BaseException:
            self.memory.close()
            raise

    @property
    def version(self) -> int:
        """Grows whenever the file is written, by whomever."""
        stamp = self._stamp()
        with self._seeing:
            if stamp != self._seen:
                self._seen = stamp
                self._version += 1
            return self._version

    @contextmanager
    def ask(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A connection for some questions that belong together: all are answered from one state of the file.

        Who asks in here for another one may wait for ever.
        """
        with self._changed:
            self._wait_for_a_turn()
            if not self._search_path:
                self._open()
            # Taken here, since a connection does one thing at a time.
            cursor = self._cursor()
            self._askers += 1
        try:
            with reading(self.path):
                yield cursor
        finally:
            cursor.close()
            with self._changed:
                self._askers -= 1
                self._asked = time.monotonic()
                self._changed.notify_all()

    @contextmanager
    def released(self) -> Iterator[None]:
        """In here the file is not open, so that it can be written: questions wait meanwhile."""
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
            self._changed.wait_for(lambda: not self._askers)
            self._give_up()
            self.memory.close()

    # -- inside ----------------------------------------------------------------------------------------------------

    def _wait_for_a_turn(self) -> None:
        self._changed.wait_for(lambda: not self._writers)
        if self._is_due:
            # Who comes now waits for those who are asking, or there would always be somebody.
            self._changed.wait_for(lambda: not (self._is_due and self._askers))
        if self._is_due:
            self._give_up()
            time.sleep(GAP)
        elif self._search_path and not self._askers and self._stamp() != self._opened_as:
            self._give_up()

    @property
    def _is_due(self) -> bool:
        """Whether the file has been open for so long that others are to have a turn."""
        return bool(self._search_path) and time.monotonic() - self._opened > AT_MOST

    def _open(self) -> None:
        until = time.monotonic() + PATIENCE
        while True:
            try:
                stamp = self._stamp()
                self._attach(stamp)
                break
            except errors.StoreError as error:
                if not is_locked(error.__cause__) or time.monotonic() > until:
                    raise
            time.sleep(0.05)
        self._search_path = "stored"
        try:
            with self._cursor() as cursor, reading(self.path):
                version = cursor.execute("SELECT value FROM meta WHERE key = 'version'").fetchall()[0][0]
                if steps := migrations.steps_from(version):
                    migrations.read_through(cursor, steps)
                    self._search_path = "changed,stored"
        except BaseException:
            self._give_up()
            raise
        self._opened_as, self._opened = stamp, time.monotonic()
        threading.Thread(target=self._give_up_when_idle, args=[self._opened], daemon=True).start()

    def _attach(self, stamp: Stamp) -> None:
        if stamp != self._checked:
            Store.open(self.path).close()
            self._checked = stamp
        quoted = str(self.path.absolute()).replace("'", "''")
        try:
            if self.path.is_dir():
                self.memory.execute("ATTACH ':memory:' AS stored")
                show_tables(self.memory, self.path, "stored.")
                return
            self.memory.execute(f"ATTACH '{quoted}' AS stored (TYPE duckdb, READ_ONLY)")
        except duckdb.Error as error:
            raise complaint(self.path, error, write=False) from error

    def _cursor(self) -> duckdb.DuckDBPyConnection:
        cursor = self.memory.cursor()
        cursor.execute(f"SET search_path = '{self._search_path}'")
        return cursor

    def _give_up(self) -> None:
        if self._search_path:
            self._search_path = ""
            self.memory.execute("DETACH stored")
            with suppress(duckdb.Error):
                self.memory.execute("DETACH changed")

    def _give_up_when_idle(self, opened: float) -> None:
        with self._changed:
            while self._search_path and self._opened == opened:
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
