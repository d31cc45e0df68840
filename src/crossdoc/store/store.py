"""One resolution in one DuckDB file.

A run writes into ``OUT.crossdoc.part``, one transaction per batch, and renames it at the end. At any moment
``OUT.crossdoc`` is therefore the old result or the new one. The append-only log of judgements is copied from the old
file to the new one.
"""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import wraps
from pathlib import Path
from typing import ParamSpec, Self, TypeVar

import duckdb

from crossdoc import errors
from crossdoc.files import created_like, flush_to_disk, mode_of, replaced
from crossdoc.store import connection as files
from crossdoc.store import judgement_log as log
from crossdoc.store import schema
from crossdoc.store.answers import Answers
from crossdoc.store.base_tables import Draft
from crossdoc.store.collection_tables import StatisticsTables
from crossdoc.store.judgement_log import JudgementTables

P = ParamSpec("P")
T = TypeVar("T")


class Outdated(Exception):
    """The file was changed by another process since it was read."""


def until_current(change: Callable[P, T]) -> Callable[P, T]:
    """Decorate a change so that it is repeated if another process has changed the file since it was read."""

    @wraps(change)
    def again(*given: P.args, **more: P.kwargs) -> T:
        while True:
            with suppress(Outdated):
                return change(*given, **more)

    return again


class Store(Answers, StatisticsTables, JudgementTables):
    """A resolution, in a file or in memory. Use :meth:`begin` to write a new one and :meth:`open` to read one."""

    _keeps_blocks = False
    """Whether this store has its file open for writing in place."""
    _is_resting = False
    """Whether the file is closed except for queries."""

    @classmethod
    def memory(cls) -> Store:
        store = cls(duckdb.connect(":memory:"), None)
        store._create_tables("")
        return store

    @classmethod
    def begin(cls, target: str | os.PathLike[str], fingerprint: str) -> Store:
        """Start writing `target`, or resume its unfinished run if that has the same fingerprint."""
        target = Path(target)
        if target.exists():
            cls.open(target).close()
        part = target.with_name(target.name + ".part")
        with files.writing(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            # DuckDB gives no reason if it cannot write a file, so the system is asked first.
            tempfile.TemporaryFile(dir=target.parent).close()
            if part.is_symlink() or (part.exists() and part.stat().st_nlink > 1):
                # A file of another user under a second name: only that name is removed.
                files.remove(part)
        try:
            return cls._resume(part, target, fingerprint)
        except errors.StoreError as error:
            if files.is_the_systems_fault(error.__cause__):
                raise
        with files.writing(target):
            files.remove(part)
        return cls._resume(part, target, fingerprint)

    @classmethod
    def _resume(cls, part: Path, target: Path, fingerprint: str) -> Store:
        with created_like(target):
            store = cls(files.connect(part, read_only=False), part, target)
        with store.closed_on_error():
            store._resume_or_clear(fingerprint)
        return store

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        write: bool = False,
        again: duckdb.DuckDBPyConnection | None = None,
        patience: float | None = None,
        any_version: bool = False,
    ) -> Store:
        """Open a result of this or an older version; for writing, an older one is migrated first.

        `again` is an earlier connection to the file, which is reused. `patience` is the time to wait for a file in use,
        in seconds. With `any_version` the file is neither checked nor migrated.
        """
        path = Path(path)
        if not path.exists():
            part = path.with_name(path.name + ".part")
            raise errors.unfinished(path, part) if part.exists() else errors.no_such_path(path)
        if not path.is_file():
            raise errors.not_a_store(path)
        if patience is None:
            patience = files.PATIENCE_TO_WRITE if write else files.PATIENCE_TO_READ
        store = cls(files.connect(path, read_only=not write, patience=patience, again=again), path)
        with store.closed_on_error():
            meta = store._meta()
            if meta.get("marker") != schema.MARKER:
                raise errors.not_a_store(path)
            if write:
                with files.writing(path):
                    files.keep_blocks(store._db, path)
                store._keeps_blocks = True
            if not any_version:
                store._migrate(path, meta.get("version", "unknown"), write)
        return store

    def _migrate(self, path: Path, version: str, write: bool) -> None:
        """Check a file, and bring an older one up to date: in place or, for reading, in memory."""
        steps = schema.steps_from(version)
        if steps is None:
            raise errors.other_version(path, version, schema.VERSION)
        files.check_tables(self._db, path)
        if write and steps:
            with self.batch():
                schema.apply(self._db, steps)
        elif steps:
            with files.reading(path):
                schema.read_through(self._db, steps)
            self._copied = True

    @classmethod
    def entries_of(cls, path: str | os.PathLike[str]) -> list[log.Entry]:
        """Return the entries in force of a file of any version, also of one that :meth:`open` refuses."""
        with cls.open(path, any_version=True) as store:
            return store.entries()

    @contextmanager
    def for_writing(self) -> Iterator[None]:
        """Open the finished file for writing during a block; no other process can open it meanwhile."""
        assert self.path is not None
        try:
            self._db, self._copied = type(self).open(self.path, write=True, again=self._db)._db, False
            try:
                yield
            finally:
                files.let_go(self._db)
                files.forget_blocks(self.path)
                files.mark_as_checked(self.path)
        finally:
            self._read_again()

    def _read_again(self) -> None:
        assert self.path is not None
        read = type(self).open(self.path, again=self._db)
        self._db, self._copied = read._db, read._copied

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Collect the changes of a block, and write them at its end in one transaction.

        The block sees its changes at once, and other processes can read the file until the end. If another process has
        changed the file meanwhile, nothing is written (`Outdated`), and this store reads the changed file.
        """
        if self.path is None or self._target is not None:
            with self.batch():
                yield
            return
        if self._copied:
            with self.for_writing():
                pass
        state, draft = self.state(), Draft(self._db)
        self._draft = draft
        try:
            with files.uninterrupted():
                yield
        except BaseException:
            self._read_again()
            raise
        finally:
            self._draft = None
        with self.for_writing(), self.batch():
            if self.state() != state:
                raise Outdated
            for step in draft.steps:
                self._do(step)

    def state(self) -> tuple[str, int]:
        """Return a value that differs after a change: each run has its own salt, each change its own revision."""
        return self._meta().get("salt", ""), self.revision

    @property
    def revision(self) -> int:
        """Number of times that the answer was written; results computed on an older one are outdated."""
        return int(self._meta().get("revision", 0))

    def finish(self) -> None:
        """Copy the log of judgements, flush everything to disk and give the file its final name."""
        if self._target is None or self.path is None:
            return
        with files.writing(self._target):
            old = self._open_old(self._target)
            try:
                if old is not None:
                    self._take_over(old)
                self._db.execute("CHECKPOINT")
                self._db.close()
                if (mode := mode_of(self._target)) is not None:
                    os.chmod(self.path, mode)
                flush_to_disk(self.path)
                # The old file stays open until it is replaced, so that no judgement is lost in between.
                os.replace(self.path, self._target)
                with replaced(self._target):
                    flush_to_disk(self._target.parent)
            finally:
                if old is not None:
                    old.close()
            with replaced(self._target):
                files.remove(self.path)
                files.forget_blocks(self._target)
        self.path, self._target = self._target, None
        self._db = files.connect(self.path, read_only=True, patience=files.PATIENCE_TO_READ)

    @classmethod
    def _open_old(cls, target: Path) -> Store | None:
        """Open the file to be replaced; other processes can read it but not write it."""
        # A killed process's write-ahead log is merged: DuckDB refuses the new file next to the log of another one.
        if not target.exists():
            files.log_of(target).unlink(missing_ok=True)
            return None
        if files.log_of(target).exists():
            with cls.open(target, write=True) as old:
                old._db.execute("CHECKPOINT")
        return cls.open(target)

    def close(self) -> None:
        super().close()
        if self._keeps_blocks and self.path is not None:
            files.forget_blocks(self.path)

    def remove(self) -> None:
        self.close()
        if self.path is not None:
            self.path.unlink(missing_ok=True)

    @contextmanager
    def at_rest(self) -> Iterator[None]:
        """Keep the file closed during a block, except for queries, so that other processes can write it."""
        if self.path is None:
            yield
            return
        files.let_go(self._db)
        self._is_resting = True
        try:
            yield
        finally:
            self._is_resting = False
            self._read_again()

    @contextmanager
    def awake(self) -> Iterator[None]:
        """Open the file of a store at rest, or of a closed one, during a block."""
        self._is_resting = False
        self._read_again()
        try:
            yield
        finally:
            files.let_go(self._db)
            self._is_resting = True

    @contextmanager
    def _asking(self, asked: Iterable[str] | None = None) -> Iterator[duckdb.DuckDBPyConnection]:
        with self.awake() if self._is_resting else nullcontext(), super()._asking(asked) as db:
            yield db

    @contextmanager
    def closed_on_error(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        self.close()

    @property
    def unfinished(self) -> bool:
        """Whether the file of this run does not have its final name yet."""
        return self._target is not None

    def sizes(self) -> dict[str, int]:
        sizes = {name: self.count(name) for name in ("documents", "mentions", "profiles", "identities")}
        # A row is a pair, and an entry may have many.
        return {**sizes, "judgements": self.fetch("SELECT count(DISTINCT number) FROM judgements")[0][0]}

    def _create_tables(self, fingerprint: str) -> None:
        with self.batch():
            schema.create_tables(self._db)
            secret = secrets.token_hex(16)
            facts = {"marker": schema.MARKER, "version": schema.VERSION, "fingerprint": fingerprint, "salt": secret}
            self._insert("meta", [{"key": key, "value": value} for key, value in facts.items()])

    def _resume_or_clear(self, fingerprint: str) -> None:
        """Keep the data of an unfinished run with this fingerprint, except those of its last step."""
        found = self._meta()
        if found.get("fingerprint") != fingerprint or found.get("version") != schema.VERSION:
            self.discarded_part = bool(found) and any(map(self.count, ("documents", "profiles")))
            self._create_tables(fingerprint)
            return
        taken = int(found.get("judgements_taken_over", 0))
        with self.batch():
            staged = self.query(f"{_renumbered('judgements', -taken)} WHERE number > {taken} ORDER BY rowid")
            self._empty("runs", "judgements", "history", "id_changes")
            self._insert("judgements", staged)
            self.forget_former()
            self.drop("meta", ["judgements_taken_over"], "key")

    def _take_over(self, old: Store) -> None:
        """Insert the old file's runs, judgements and history before those of this run."""
        taken = old._next("judgements") - 1
        with self.batch():
            for table, shift in (("runs", 0), ("judgements", taken), ("history", old._next("history") - 1)):
                own = self.query(f"{_renumbered(table, shift)} ORDER BY rowid")
                self._empty(table)
                self._insert(table, old.query(f"SELECT * FROM {table} ORDER BY rowid"))
                self._insert(table, own)
            self._insert("id_changes", old.query("SELECT * FROM id_changes"))
            self.set_meta("revision", str(old.revision + 1))
            self.set_meta("judgements_taken_over", str(taken))


def _renumbered(table: str, shift: int) -> str:
    """Return a query for the rows of a table, with `shift` added to the numbers of entries or events."""
    numbers = {"judgements": ("number", "undoes"), "history": ("number",)}.get(table, ())
    replaced = ", ".join(f"{column} + ({shift}) AS {column}" for column in numbers)
    return f"SELECT * {replaced and f'REPLACE ({replaced})'} FROM {table}"
