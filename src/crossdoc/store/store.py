"""One resolution in one DuckDB file.

A run writes into ``OUT.crossdoc.part``, one transaction a batch, and renames it at the very end, so that at any moment
``OUT.crossdoc`` is the old result or the new one. The log of judgements is append-only and is carried over from the old
file to the new one.
"""

from __future__ import annotations

import json
import os
import secrets
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from crossdoc import errors
from crossdoc.identities import canonical_name
from crossdoc.lineage import Event
from crossdoc.model import (
    Appearance,
    Document,
    Documents,
    Facts,
    Identity,
    Judgement,
    KnownEntry,
    Mentions,
    Partition,
    Profiles,
    rows_of,
)
from crossdoc.store import log, migrations, schema
from crossdoc.store.connection import (
    PATIENCE,
    PATIENCE_TO_WRITE,
    check_tables,
    connect,
    flush_to_disk,
    is_locked,
    limited,
    log_of,
    reading,
    remove,
    uninterrupted,
    writing,
)
from crossdoc.store.consistency import inconsistency
from crossdoc.store.draft import Draft, Step
from crossdoc.store.known import LINKS, entries_of, entry_table, with_known

P = ParamSpec("P")
T = TypeVar("T")

RUNS = pa.schema(
    [("started", pa.string()), ("finished", pa.string()), ("version", pa.string()), ("method", pa.string()),
     ("seed", pa.int64()), ("settings", pa.string()), ("inputs", pa.list_(pa.string())),
     ("notes", pa.list_(pa.string()))]
)  # fmt: skip
HISTORY = pa.schema(
    [("number", pa.int64()), ("id", pa.string()), ("what", pa.string()), ("other", pa.string()),
     ("profiles", pa.int64()), ("when", pa.string()), ("cause", pa.string())]
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Run:
    """One call of the resolver: what it read, how, and when."""

    started: str
    finished: str
    version: str
    method: str
    seed: int
    settings: str
    inputs: list[str]
    notes: list[str]

    def told(self) -> dict[str, Any]:
        """The settings, as they were written."""
        try:
            told = json.loads(self.settings)
        except (TypeError, ValueError, RecursionError) as error:
            raise errors.bad_account(str(error)) from error
        if not isinstance(told, dict):
            raise errors.bad_account("they are no object")
        return told


@dataclass(frozen=True)
class Score:
    """How an answer scored against gold: which, when, the run that had made it, and F1 by measure."""

    gold: str
    when: str
    run: str
    f1: dict[str, float]


class Outdated(Exception):
    """Somebody else has changed the file since it was read."""


def until_current(change: Callable[P, T]) -> Callable[P, T]:
    """Let a change begin again where somebody else has changed the file since it was read."""

    @wraps(change)
    def again(*given: P.args, **more: P.kwargs) -> T:
        while True:
            with suppress(Outdated):
                return change(*given, **more)

    return again


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def identity_rows(identities: Iterable[Identity]) -> pa.Table:
    """Identities as rows of their table."""
    rows = [
        (i.id, i.name, i.type, i.descriptor, list(i.variants.items()), i.n_documents, i.n_mentions, i.first_date,
         i.last_date, i.certainty)
        for i in identities
    ]  # fmt: skip
    names = ["id", "name", "type", "descriptor", "variants", "n_documents", "n_mentions", "first_date",
             "last_date", "certainty"]  # fmt: skip
    kinds = [pa.string()] * 4 + [pa.map_(pa.string(), pa.int64()), pa.int64(), pa.int64(), pa.string(),
             pa.string(), pa.float64()]  # fmt: skip
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    arrays = [pa.array(list(column), kind) for column, kind in zip(columns, kinds, strict=True)]
    return pa.table(arrays, names=names)


def membership_rows(partition: Partition) -> pa.Table:
    """Memberships as rows of their table, the strongest of each id first."""
    starts = partition.membership.indptr
    rank = np.arange(starts[-1]) - np.repeat(starts[:-1], np.diff(starts)) + 1
    return partition.table(soft=True).append_column("rank", pa.array(rank, pa.int32()))


class Store:
    """A resolution, in a file or in memory. Use :meth:`begin` to write a new one and :meth:`open` to read one."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, path: Path | None, target: Path | None = None) -> None:
        self._db = connection
        self.path = path
        self._target = target
        self._copied = False
        self._in_batch = False
        self._draft: Draft | None = None
        self.discarded_part = False

    # -- opening and closing ---------------------------------------------------------------------------------------

    @classmethod
    def memory(cls) -> Store:
        store = cls(duckdb.connect(":memory:"), None)
        store._create_tables("")
        return store

    @classmethod
    def begin(cls, target: str | os.PathLike[str], fingerprint: str) -> Store:
        """Start writing `target`, or go on with its unfinished run if that had the same fingerprint."""
        target = Path(target)
        if target.exists():
            cls.open(target).close()
        part = target.with_name(target.name + ".part")
        with writing(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            # DuckDB does not say why it cannot write a file, so the system is asked first.
            tempfile.TemporaryFile(dir=target.parent).close()
            if part.is_symlink() or (part.exists() and part.stat().st_nlink > 1):
                # Somebody's file by another name: only that name goes.
                remove(part)
        try:
            return cls._go_on(part, target, fingerprint)
        except errors.StoreError as error:
            if is_locked(error.__cause__):
                raise
        with writing(target):
            remove(part)
        return cls._go_on(part, target, fingerprint)

    @classmethod
    def _go_on(cls, part: Path, target: Path, fingerprint: str) -> Store:
        store = cls(connect(part, read_only=False), part, target)
        try:
            store._resume_or_clear(fingerprint)
        except BaseException:
            store.close()
            raise
        return store

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, write: bool = False) -> Store:
        """A result of this or an older version; to write, an older one is brought up to date first (`migrations`)."""
        if Path(path).is_dir():
            from crossdoc.store.folder import FolderStore

            if write:
                raise errors.folder_is_read_only(path)
            return FolderStore.finished(Path(path))
        store = cls._attach(Path(path), write)
        try:
            version = store._meta().get("version", "unknown")
            steps = migrations.steps_from(version)
            if steps is None:
                newer = version.isdecimal() and int(version) > int(schema.VERSION)
                raise (
                    errors.newer_version(path, version, schema.VERSION)
                    if newer
                    else errors.unknown_version(path, version)
                )
            check_tables(store._db, Path(path))
            store._migrate(steps, write)
        except BaseException:
            store.close()
            raise
        return store

    @classmethod
    def entries_of(cls, path: str | os.PathLike[str]) -> list[log.Entry]:
        """What holds of the log in a file of any version, also of one that :meth:`open` refuses."""
        with cls._attach(Path(path), write=False) as store:
            store._migrate(migrations.steps_from(store._meta().get("version", "unknown")) or [], write=False)
            return store.entries()

    @classmethod
    def _attach(cls, path: Path, write: bool) -> Store:
        """A result of whatever version, as it is."""
        if not path.exists():
            part = path.with_name(path.name + ".part")
            raise errors.unfinished(path, part) if part.exists() else errors.no_such_path(path)
        if not path.is_file():
            raise errors.not_a_store(path)
        store = cls(connect(path, read_only=not write, patience=PATIENCE_TO_WRITE if write else PATIENCE), path)
        try:
            if store._meta().get("marker") != schema.MARKER:
                raise errors.not_a_store(path)
        except BaseException:
            store.close()
            raise
        return store

    def _migrate(self, steps: list[migrations.Step], write: bool) -> None:
        if steps and write:
            with self.batch():
                migrations.apply(self._db, steps)
        elif steps:
            with reading(self.path):
                migrations.read_through(self._db, steps)
            self._copied = True

    @contextmanager
    def for_writing(self) -> Iterator[None]:
        """The file is open for writing in here alone, since nobody else can open it meanwhile."""
        if self.path is None or self._target is not None:
            yield
            return
        self._db.close()
        try:
            written = type(self).open(self.path, write=True)
            self._db, self._copied = written._db, False
            try:
                yield
            finally:
                self._db.close()
        finally:
            self._read_again()

    def _read_again(self) -> None:
        """Read what is there now."""
        assert self.path is not None
        self._db.close()
        read = type(self).open(self.path)
        self._db, self._copied = read._db, read._copied

    @contextmanager
    def changing(self) -> Iterator[None]:
        """What is written in here is seen at once, and goes into the file at the end, in one transaction.

        Until then others may read the file. If somebody has changed it meanwhile nothing is written (`Outdated`), and
        this store reads what is there now.
        """
        if self.path is None or self._target is not None:
            with self.batch():
                yield
            return
        if self._copied:
            with self.for_writing():
                pass
        state, draft = self._state(), Draft(self._db)
        self._draft = draft
        try:
            with uninterrupted():
                yield
        except BaseException:
            self._draft = None
            self._read_again()
            raise
        self._draft = None
        with self.for_writing(), self.batch():
            if self._state() != state:
                raise Outdated
            for step in draft.steps:
                self._do(step)

    def _state(self) -> tuple[str, int]:
        """What another has changed if it is another one: the salt is a run's, the revision a change's."""
        return self._meta().get("salt", ""), self.revision

    @property
    def revision(self) -> int:
        """How often the answer was written; who has computed on an older one has to compute again."""
        return int(self._meta().get("revision", 0))

    def revised(self) -> None:
        """Say that the answer is another one now."""
        self.set_meta("revision", str(self.revision + 1))

    def set_meta(self, key: str, value: str) -> None:
        with self.batch():
            self.drop("meta", [key], "key")
            self._insert("meta", pa.table({"key": [key], "value": [value]}))

    def meta(self, key: str) -> str | None:
        return self._meta().get(key)

    def keep_score(self, gold: str, f1: Mapping[str, float]) -> None:
        """Remember how the answer, as it is now, scores against gold: by measure the F1."""
        kept = Score(gold, now(), self.runs()[-1].started, {name: round(value, 4) for name, value in f1.items()})
        self.set_meta("scores", json.dumps([*map(asdict, self.scores()), asdict(kept)]))

    def scores(self) -> list[Score]:
        """The scores that were kept, in their order."""
        told = self.meta("scores")
        try:
            return [] if told is None else [Score(**each) for each in json.loads(told)]
        except (TypeError, ValueError, RecursionError) as error:
            raise errors.bad_account(str(error)) from error

    def finish(self) -> None:
        """Carry over the log of judgements, flush everything to disk and put the file under its final name."""
        if self._target is None or self.path is None:
            return
        with writing(self._target):
            old = self._open_old(self._target)
            try:
                if old is not None:
                    self._take_over(old)
                self._db.execute("CHECKPOINT")
                self._db.close()
                flush_to_disk(self.path)
                # The old file stays open until the new one is in its place: no judgement can fall between.
                os.replace(self.path, self._target)
                flush_to_disk(self._target.parent)
            finally:
                if old is not None:
                    old.close()
            remove(self.path)
        self.path, self._target = self._target, None
        self._db = connect(self.path, read_only=True, patience=PATIENCE)

    @classmethod
    def _open_old(cls, target: Path) -> Store | None:
        """The file to be replaced, which others may go on reading but not writing.

        A write-ahead log that a killed process left beside it is worked in first: under the new file it would be the
        log of another database, and DuckDB refuses to open such a pair.
        """
        if not target.exists():
            log_of(target).unlink(missing_ok=True)
            return None
        if log_of(target).exists():
            with cls.open(target, write=True) as old:
                old._db.execute("CHECKPOINT")
        return cls.open(target)

    def remove(self) -> None:
        """Delete the file of a store that was only a place to work in."""
        self.close()
        if self.path is not None:
            self.path.unlink(missing_ok=True)

    def close(self) -> None:
        self._db.close()

    @contextmanager
    def awake(self) -> Iterator[None]:
        """Of a store that was closed: its file is open in here, and others may write it before and after."""
        opened = type(self).open(self.path or "")
        self._db, self._copied = opened._db, opened._copied
        try:
            yield
        finally:
            self._db.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        """Whoever meets what should not be there in a stranger's file hears of the file, and not of a bug."""
        ours = isinstance(error, errors.CrossdocError | OSError | MemoryError | duckdb.Error)
        wrong = None
        if self.path is not None and self._target is None and isinstance(error, Exception) and not ours:
            wrong = inconsistency(self._db)
        self.close()
        if wrong is not None:
            raise errors.foreign_store(self.path or "", wrong) from error

    # -- writing ---------------------------------------------------------------------------------------------------

    @contextmanager
    def batch(self) -> Iterator[None]:
        """One transaction: all of it is kept, or nothing. One within another is a part of it."""
        if self._in_batch or self._draft is not None:
            yield
            return
        if self._copied:
            # DuckDB refuses to write to a file that is open for reading, but would let the copies in memory be written.
            raise errors.cannot_write(self.path or "memory", "it is open for reading only")
        with uninterrupted(), writing(self._target or self.path or Path("memory")):
            self._db.begin()
            self._in_batch = True
            try:
                yield
                self._db.commit()
            except BaseException:
                # A failed commit has already been rolled back, and then there is nothing left to roll back.
                with suppress(duckdb.Error):
                    self._db.rollback()
                raise
            finally:
                self._in_batch = False

    def add(self, documents: Documents, mentions: Mentions, profiles: Profiles) -> None:
        """Keep what was read of a batch of documents, wholly or not at all."""
        with self.batch():
            self.add_documents(documents)
            self.add_mentions(mentions)
            self.add_profiles(profiles)

    def add_documents(self, documents: Documents) -> None:
        self._insert("documents", documents.arrow.drop_columns(["mentions"]))

    def add_mentions(self, mentions: Mentions) -> None:
        self._insert("mentions", mentions.arrow)

    def add_profiles(self, profiles: Profiles) -> None:
        self._insert("profiles", profiles.arrow)

    def retype(self, settled: Mapping[tuple[str, str], str]) -> None:
        """Give the profiles of a name and type, and their mentions, another type."""
        if not settled:
            return
        rows = [(name, old, new) for (name, old), new in settled.items()]
        columns = [pa.array(column, pa.string()) for column in zip(*rows, strict=True)]
        with self.batch():
            self._db.register("settled", pa.table(columns, names=["name", "old", "new"]))
            try:
                self._db.execute("""
                    UPDATE mentions SET type = s.new FROM settled s, profiles p
                    WHERE mentions.chain = p.id AND p.name = s.name AND p.type = s.old""")
                self._db.execute("""
                    UPDATE profiles SET type = s.new FROM settled s
                    WHERE profiles.name = s.name AND profiles.type = s.old""")
            finally:
                self._db.unregister("settled")

    def save_partition(self, entity_type: str, partition: Partition, seconds: float) -> None:
        """Keep the answer for one entity type; a resumed run skips the types that have one."""
        with self.batch():
            self.add_memberships(partition)
            self._db.execute("INSERT INTO clustered VALUES (?, ?)", [entity_type, seconds])

    def add_memberships(self, partition: Partition) -> None:
        self._insert("memberships", membership_rows(partition))

    def save_identities(self, identities: Iterable[Identity]) -> None:
        with self.batch():
            self._db.execute("DELETE FROM identities")
            self.add_identities(identities)

    def add_identities(self, identities: Iterable[Identity]) -> None:
        self._insert("identities", identity_rows(identities))

    def drop(self, table: str, ids: Iterable[str], column: str = "id") -> None:
        """Delete the rows of a table whose `column` holds one of the ids."""
        self._do(Step(table, pa.table({"id": pa.array(list(ids), pa.string())}), column))

    def rename(self, identity: str, name: str) -> None:
        """Call an identity so; without a name as the variants of its name say."""
        row = self._query("SELECT * FROM identities WHERE id = ?", [identity])
        called = name or canonical_name(dict(row.column("variants")[0].as_py()))
        with self.batch():
            self.drop("identities", [identity])
            self._insert("identities", row.set_column(row.schema.get_field_index("name"), "name", [[called]]))

    def add_events(self, events: Iterable[Event], cause: str) -> None:
        """Append to the history of identities."""
        first, when = self._next("history"), now()
        rows = [{"number": n, **asdict(event), "when": when, "cause": cause} for n, event in enumerate(events, first)]
        self._insert("history", pa.Table.from_pylist(rows, HISTORY))

    def save_events(self, events: Iterable[Event], cause: str) -> None:
        """The events of a run that is not finished yet; :meth:`finish` puts them behind those that it takes over."""
        with self.batch():
            self._db.execute("DELETE FROM history")
            self.add_events(events, cause)

    def save_counts(self, counts: pa.Table) -> None:
        """What the comparison counted in the collection as it is now, in place of all that it counted before."""
        with self.batch():
            kinds = self._query("SELECT DISTINCT what FROM counts WHERE what <> 'case'").column("what").to_pylist()
            self.drop("counts", kinds, "what")
            self.add_counts(counts)
            self.set_meta("counted", str(self.size))

    def save_cases(self, counts: pa.Table) -> None:
        """How the texts write their words, in place of what was known of it."""
        with self.batch():
            self.drop("counts", ["case"], "what")
            self.add_counts(counts)

    @property
    def size(self) -> int:
        """How many texts the collection has: documents, or profiles where there are no documents."""
        return self.count("documents") or self.count("profiles")

    def add_counts(self, counts: pa.Table) -> None:
        self._insert("counts", counts)

    def save_known(self, entries: Iterable[KnownEntry], odds: pa.Table, clash: float, least: float) -> None:
        """Keep a known list, the log odds `id, known, odds` of profiles being its entries, and what they are read with.

        `clash` is what a profile whose name clashes speaks against an entry, `least` the probability of a link.
        """
        with self.batch():
            for table in ("known", "known_odds"):
                self._do(Step(table, None))
            self._insert("known", entry_table(list(entries)))
            self._insert("known_odds", odds)
            for key, value in (("known_clash", clash), ("known_least", least)):
                self.set_meta(key, repr(float(value)))

    def add_known_odds(self, odds: pa.Table) -> None:
        self._insert("known_odds", odds)

    def save_run(self, run: Run) -> None:
        with self.batch():
            self._insert("runs", pa.Table.from_pylist([asdict(run)], RUNS))

    def salt(self) -> bytes:
        """The secret of this result's hashed contact details; a resumed run goes on with it."""
        return bytes.fromhex(self._meta()["salt"])

    def judge(self, judgements: Iterable[Judgement]) -> None:
        """Append to the log, an entry each. What was said is never changed; :meth:`undo` says that it does not hold."""
        said = list(judgements)
        with self.batch():
            number = self._next("judgements")
            places = self.places({id for each in said for id in (each.a, each.b)})
            self._record(
                log.Entry(number + more, "judge", each.who, each.why, each.when or now(), (each,), places=places)
                for more, each in enumerate(said)
            )

    def record(self, act: log.Act, *, who: str = "", why: str = "", **said: Any) -> int:
        """Append one entry with all the pairs it stands for; gives its number."""
        with self.batch():
            entry = log.Entry(self._next("judgements"), act, who, why, now(), **said)
            self._record([replace(entry, places=self.places(entry.about))])
        return entry.number

    def stage_judgements(self, judgements: Iterable[Judgement]) -> None:
        """Judgements that came with this run; :meth:`finish` puts them behind the log that it takes over."""
        with self.batch():
            self._db.execute("DELETE FROM judgements")
        self.judge(judgements)

    def undo(self, number: int | None = None, who: str = "", why: str = "") -> log.Entry:
        """Append that an entry (the last one that holds) does not hold, and give that entry."""
        undone = self.undoable(number)
        self.record("undo", who=who, why=why, undoes=undone.number)
        return undone

    def undoable(self, number: int | None = None) -> log.Entry:
        """The entry of that number, or the last one, if it holds."""
        standing = {entry.number: entry for entry in self.entries()}
        if number is None and not standing:
            raise errors.nothing_to_undo()
        wanted = max(standing) if number is None else number
        if wanted not in standing:
            raise errors.no_such_judgement(wanted)
        return standing[wanted]

    def _record(self, entries: Iterable[log.Entry]) -> None:
        rows = [row for entry in entries for row in log.rows_of_entry(entry)]
        self._insert("judgements", pa.Table.from_pylist(rows, log.ROWS))

    def _next(self, table: str) -> int:
        return int(self._db.execute(f"SELECT coalesce(max(number), 0) + 1 FROM {table}").fetchall()[0][0])

    # -- reading ---------------------------------------------------------------------------------------------------

    def count(self, table: str) -> int:
        with reading(self.path):
            return int(self._db.execute(f"SELECT count(*) FROM {table}").fetchall()[0][0])

    def documents(self, ids: Iterable[str] | None = None) -> Documents:
        """All documents, or those asked for."""
        if ids is None:
            arrow = self._query("SELECT * FROM documents ORDER BY rowid")
        else:
            with self._asked(set(ids)):
                arrow = self._query("SELECT * FROM documents SEMI JOIN asked USING (id) ORDER BY documents.rowid")
        return Documents(arrow.append_column("mentions", pa.nulls(len(arrow), Documents.schema.field("mentions").type)))

    def texts_of(self, ids: Iterable[str]) -> dict[str, str]:
        """The texts of some documents, by id."""
        return {document.id: document.text for document in self.documents(ids)}

    def name_types(self, names: Iterable[str] | None = None, *, several: bool = True) -> Iterator[tuple[str, str, int]]:
        """How many profiles have each name and type: of all names or some, if `several` of those of several types."""
        of_several = "SELECT name FROM profiles GROUP BY name HAVING count(DISTINCT type) > 1"
        where = [f"name IN ({of_several})"] if several else []
        with self._asked(names or ()):
            where += ["name IN (SELECT id FROM asked)"] if names is not None else []
            counted = self._query(f"""
                SELECT name, type, count(*) AS n FROM profiles
                WHERE {" AND ".join(["type IS NOT NULL", *where])} GROUP BY name, type ORDER BY name, type""")
        for row in counted.to_pylist():
            yield row["name"], row["type"], row["n"]

    def known(self, table: str, ids: Iterable[str]) -> set[str]:
        """Which of the ids `table` (documents or profiles) holds; the table itself is not loaded."""
        with self._asked(ids):
            return set(self._query(f"SELECT id FROM asked SEMI JOIN {table} USING (id)").column("id").to_pylist())

    def each_document(self, batch_size: int = 256) -> Iterator[Document]:
        """All documents, read a batch at a time, with id, text and language alone."""
        for rows in self._in_batches("SELECT id, text, language FROM documents", batch_size):
            for id, text, language in rows:
                yield Document(id, text, language=language)

    def texts(self, batch_size: int = 256) -> Iterator[list[str]]:
        """The texts of all documents, a batch at a time."""
        for rows in self._in_batches("SELECT text FROM documents", batch_size):
            yield [row[0] for row in rows]

    def _in_batches(self, select: str, size: int) -> Iterator[list[tuple[Any, ...]]]:
        """The rows of documents, a batch at a time."""
        with reading(self.path):
            if self._in_batch:
                # Another connection would not see what this transaction has written.
                for start in range(0, self.count("documents"), size * 16):
                    rows = self._db.execute(f"{select} ORDER BY rowid LIMIT {size * 16} OFFSET {start}").fetchall()
                    yield from (rows[at : at + size] for at in range(0, len(rows), size))
                return
            cursor = self._cursor()
            cursor.execute(f"{select} ORDER BY rowid")
            while rows := cursor.fetchmany(size):
                yield rows

    def profiles(self, entity_type: str | None = None, ids: Iterable[str] | None = None) -> Profiles:
        if ids is not None:
            return self.profiles_of(ids, "id")
        if entity_type is None:
            return Profiles(self._query("SELECT * FROM profiles ORDER BY id"))
        return Profiles(self._query("SELECT * FROM profiles WHERE coalesce(type, '') = ? ORDER BY id", [entity_type]))

    def named(self) -> Profiles:
        """All profiles with id, document, name, type and language alone: what says who may meet whom."""
        rows = self._query("SELECT id, document, name, type, language FROM profiles ORDER BY id")
        for column in Profiles.schema:
            if column.name not in rows.column_names:
                rows = rows.append_column(column, pa.nulls(len(rows), column.type))
        return Profiles(rows)

    def entity_of(self, ids: Iterable[str] | None = None, column: str = "id") -> dict[str, str]:
        """By profile its strongest identity: of all, of some profiles, or of those of some identities (`entity`)."""
        if ids is None:
            rows = self._query("SELECT id, entity FROM memberships WHERE rank = 1")
        else:
            with self._asked(ids):
                rows = self._query(
                    f"SELECT m.id, m.entity FROM memberships m SEMI JOIN asked ON asked.id = m.{column} WHERE rank = 1"
                )
        return dict(zip(*(column.to_pylist() for column in rows.columns), strict=True))

    def holding(self, entities: Iterable[str]) -> set[str]:
        """The profiles that may be one of these identities, however weakly."""
        with self._asked(entities):
            rows = self._query("SELECT DISTINCT m.id FROM memberships m SEMI JOIN asked ON asked.id = m.entity")
        return set(rows.column("id").to_pylist())

    def profiles_of(self, ids: Iterable[str], column: str) -> Profiles:
        """The profiles whose `column` (document or id) holds one of the ids."""
        with self._asked(set(ids)):
            query = f"SELECT p.* FROM profiles p SEMI JOIN asked ON asked.id = p.{column} ORDER BY p.id"
            return Profiles(self._query(query))

    def mentions(self) -> Mentions:
        return Mentions(self._query("SELECT * FROM mentions ORDER BY rowid"))

    def ages(self) -> dict[str, int]:
        """By identity when it appeared; those of the first run are not listed, and are the oldest."""
        rows = self._query("SELECT id, min(number) FROM history WHERE what IN ('appeared', 'split') GROUP BY id")
        return dict(zip(*(column.to_pylist() for column in rows.columns), strict=True))

    def ids_used(self, ids: Iterable[str]) -> set[str]:
        """Which of these ids are an identity's; of those with a number behind them all."""
        with self._asked(ids):
            wanted = "entity IN (SELECT id FROM asked) OR contains(entity, '~')"
            rows = self._query(f"SELECT DISTINCT entity FROM memberships WHERE {wanted}")
        return set(rows.column("entity").to_pylist())

    def counted(self, what: str, entity_type: str, keys: Iterable[str] | None) -> list[tuple[str, str, int]]:
        """How often each of the keys (None: all), with its value, is counted in the collection."""
        with self._asked(keys or ()):
            rows = self._query(
                """
                SELECT key, value, sum(n)::BIGINT AS n FROM counts
                WHERE what = ? AND type = ? AND (? OR key IN (SELECT id FROM asked))
                GROUP BY key, value HAVING sum(n) > 0 ORDER BY key, value
                """,
                [what, entity_type, keys is None],
            )
        return list(zip(*(column.to_pylist() for column in rows.columns), strict=True))

    def counted_names(self, entity_type: str, firsts: Iterable[str]) -> tuple[dict[str, int], int, int, int]:
        """With how many last names each first name is, how many people there are, names that occur once, and names."""
        held = "SELECT key, value FROM counts WHERE what = 'name' AND type = ? GROUP BY key, value HAVING sum(n) > 0"
        with self._asked(firsts):
            by_first = f"SELECT value, count(*) FROM ({held}) SEMI JOIN asked ON asked.id = value GROUP BY value"
            rows = self._query(by_first, [entity_type])
        people = self._query(f"SELECT count(*) AS n FROM ({held})", [entity_type]).column("n")[0].as_py()
        named = "SELECT count(*) AS n FROM profiles WHERE coalesce(type, '') = ? AND name <> '' GROUP BY name"
        told = self._query(f"SELECT count(*) FILTER (n = 1) AS once, count(*) AS n FROM ({named})", [entity_type])
        once, names = (column[0].as_py() for column in told.columns)
        return dict(zip(*(column.to_pylist() for column in rows.columns), strict=True)), people, once, names

    def profile_batches(self, batch_size: int = 4096) -> Iterator[Profiles]:
        """All profiles in the order in which they came, a batch at a time.

        DuckDB keeps that order by itself; to sort by it would mean to hold them all.
        """
        with reading(self.path):
            for batch in self._cursor().sql("SELECT * FROM profiles").to_arrow_reader(batch_size):
                yield Profiles(pa.Table.from_batches([batch]))

    def facts(self, profiles: Profiles | None = None) -> Facts:
        """What identities are described with: names and numbers of mentions by profile, dates by document.

        Of all profiles, or of some.
        """
        chains = documents = None
        if profiles is not None:
            chains, documents = profiles.ids.tolist(), sorted(set(profiles.column("document").to_pylist()) - {None})
        named = "SELECT chain, list(DISTINCT text ORDER BY text) AS names FROM {} WHERE kind = 'name' GROUP BY chain"
        return Facts(
            self._mapping(named, "mentions", "chain", chains),
            self._mapping("SELECT chain, count(*) AS n FROM {} GROUP BY chain", "mentions", "chain", chains),
            self._mapping("SELECT id, date FROM {} WHERE date IS NOT NULL", "documents", "id", documents),
        )

    def _mapping(self, query: str, table: str, column: str, ids: Sequence[str] | None) -> dict[str, Any]:
        if ids is None:
            keys, values = self._query(query.format(table)).columns
        else:
            with self._asked(ids):
                part = f"(SELECT {table}.* FROM {table} SEMI JOIN asked ON asked.id = {table}.{column})"
                keys, values = self._query(query.format(part)).columns
        return dict(zip(keys.to_pylist(), values.to_pylist(), strict=True))

    def duplicates(self, table: str, ids: Iterable[str] | None = None, most: int = 100) -> list[str]:
        """The ids (of all, or of some) that several rows have."""
        part = "" if ids is None else "SEMI JOIN asked USING (id)"
        with self._asked(() if ids is None else ids):
            copies = f"SELECT id FROM {table} {part} GROUP BY id HAVING count(*) > 1 ORDER BY id LIMIT {most}"
            return list(self._query(copies).column("id").to_pylist())

    def partition_of(self, entity_type: str, ids: npt.NDArray[Any]) -> Partition | None:
        """The answer for one entity type, whose profiles have these ids, if there is one."""
        if not len(self._query("SELECT type FROM clustered WHERE type = ?", [entity_type])):
            return None
        return Partition.from_table(ids, rows_of(self.memberships(), ids))

    def keep_answers_under(self, judgements: str) -> None:
        """Forget the answers of a stopped run if it knew other judgements."""
        if self._meta().get("judgements") == judgements:
            return
        with self.batch():
            self._db.execute("DELETE FROM memberships")
            self._db.execute("DELETE FROM clustered")
            self._db.execute("DELETE FROM meta WHERE key = 'judgements'")
            self._db.execute("INSERT INTO meta VALUES ('judgements', ?)", [judgements])

    @property
    def unfinished(self) -> bool:
        """Whether this is a run that has not been put under its final name yet."""
        return self._target is not None

    def members(self, entity: str, top: int | None = None) -> list[dict[str, Any]]:
        """The profiles of an identity with their memberships, strongest first."""
        return self._query(
            """
            SELECT p.id AS profile, p.document, p.name, m.membership, p.context
            FROM memberships m JOIN profiles p ON p.id = m.id
            WHERE m.entity = ? ORDER BY m.membership DESC, p.id LIMIT ?
            """,
            [entity, top if top is not None else 2**62],
        ).to_pylist()

    def partition(self) -> Partition:
        return Partition.from_table(
            self._query("SELECT id FROM profiles ORDER BY rowid").column("id").to_pylist(), self.memberships()
        )

    def memberships(self) -> pa.Table:
        return self._query("SELECT id, entity, membership FROM memberships ORDER BY rowid")

    @property
    def has_known(self) -> bool:
        """Whether there is a known list."""
        return self.count("known") > 0

    def known_entries(self) -> list[KnownEntry]:
        return entries_of(self._query("SELECT * FROM known ORDER BY rowid"))

    def known_odds(self) -> pa.Table:
        """`id, known, odds`: what speaks for profiles being known entries."""
        return self._query("SELECT id, known, odds FROM known_odds ORDER BY rowid")

    def known_links(self, least: float | None = None) -> pa.Table:
        """`entity, known, probability`: the likeliest entry of each identity, where it is as likely as `least`.

        Without `least` it is what the run was told.
        """
        told = self._meta()
        bounds = [float(told.get("known_clash", 0)), float(told.get("known_least", 1)) if least is None else least]
        return self._query(LINKS, bounds)

    def identities(self, find: str | None = None, top: int | None = None) -> list[Identity]:
        """Identities, most documents first; `find` keeps those with these words in a name, or of this id."""
        found = self.identity_table(find, top).to_pylist()
        return [Identity(**{**row, "variants": dict(row["variants"])}) for row in found]

    def identity_table(self, find: str | None = None, top: int | None = None) -> pa.Table:
        """The identities as :meth:`identities` gives them, a row each; with a known list, which entry each is."""
        found = self._query(
            """
            WITH asked AS (
                SELECT ' ' || trim(regexp_replace(lower(strip_accents($1)), '[^\\pL\\pN]+', ' ', 'g')) || ' ' AS words
            )
            SELECT identities.* FROM identities, asked
            WHERE $2 OR list_contains($3, id) OR list_bool_or([
                -- Marks alone are looked for as they are.
                CASE WHEN trim(asked.words) = '' THEN trim($1) <> '' AND contains(v, trim($1)) ELSE contains(
                    ' ' || regexp_replace(lower(strip_accents(v)), '[^\\pL\\pN]+', ' ', 'g') || ' ', asked.words
                ) END
                for v in list_append(map_keys(variants), name)
            ])
            ORDER BY n_documents DESC, n_mentions DESC, id LIMIT $4
            """,
            [find or "", find is None, self.successors(find or ""), top if top is not None else 2**62],
        )
        if not self.has_known:
            return found
        links = self.known_links()
        told = [with_known(batch, links, "id") for batch in found.to_batches()]
        return pa.Table.from_batches(told, pa.schema([*found.schema, *schema.KNOWN]))

    def answer_schema(self, level: str) -> pa.Schema:
        """The columns of :meth:`answer`."""
        return pa.schema([*schema.LEVELS[level], *(schema.KNOWN if self.has_known else [])])

    def successors(self, id: str) -> list[str]:
        """Who an identity is now: itself, or those into whom it merged; nobody where it vanished or never was."""
        found, left, seen = [], [id], set[str]()
        while left:
            asked = left.pop()
            if asked in seen:
                continue
            seen.add(asked)
            if len(self._query("SELECT id FROM identities WHERE id = ?", [asked])):
                found.append(asked)
                continue
            merged = self._query("SELECT DISTINCT other FROM history WHERE id = ? AND what = 'merged'", [asked])
            left.extend(merged.column("other").to_pylist())
        return sorted(found)

    def events(self, id: str | None = None) -> list[Event]:
        """What happened to identities, in order; of one: all in which it has a part."""
        rows = self._query(
            "SELECT * EXCLUDE number FROM history WHERE ? OR ? IN (id, other) ORDER BY number", [id is None, id or ""]
        ).to_pylist()
        return [Event(**row) for row in rows]

    def answer(
        self, level: str, *, soft: bool = False, entities: Sequence[str] | None = None
    ) -> Iterator[pa.RecordBatch]:
        """The rows of `crossdoc export`, streamed: one a profile or a mention, with its strongest identity.

        With `soft` there is a row for each identity that it may be, the strongest first; with `entities` only theirs.
        """
        if level not in schema.LEVELS:
            raise errors.unknown_choice("level", level, list(schema.LEVELS))
        if level == "profile":
            query = """
                WITH said AS (
                    SELECT chain, arg_min(kind, array_position(['name', 'nominal', 'pronoun'], kind)) AS kind
                    FROM mentions GROUP BY chain
                )
                SELECT p.id, m.entity, m.membership, p.name, p.document, p.type, said.kind
                FROM memberships m JOIN profiles p ON p.id = m.id LEFT JOIN said ON said.chain = p.id
                WHERE (? OR m.rank = 1) AND (? OR list_contains(?, m.entity)) ORDER BY p.rowid, m.rank
                """
        else:
            query = """
                SELECT n.id, m.entity, m.membership, p.name, p.document, n.start, n."end", n.text,
                    coalesce(n.type, p.type) AS type, n.kind
                FROM mentions n JOIN memberships m ON m.id = n.chain JOIN profiles p ON p.id = n.chain
                WHERE (? OR m.rank = 1) AND (? OR list_contains(?, m.entity)) ORDER BY n.rowid, m.rank
                """
        batches = self._stream(query, [soft, entities is None, list(entities or [])])
        if not self.has_known:
            return batches
        links = self.known_links()
        return (with_known(batch, links) for batch in batches)

    def appearances(self) -> Iterator[Appearance]:
        """Which identity stands in which document under which names, document by document."""
        query = """
            SELECT m.entity, p.document, list(DISTINCT p.name ORDER BY p.name) AS names
            FROM memberships m JOIN profiles p ON p.id = m.id
            WHERE m.rank = 1 GROUP BY ALL ORDER BY p.document, m.entity
            """
        for batch in self._stream(query, []):
            yield from (Appearance(**row) for row in batch.to_pylist())

    def mentions_in(self, documents: Iterable[str]) -> list[dict[str, Any]]:
        """`document, start, end, entity, type` of every mention in these documents."""
        with self._asked(documents):
            return self._query(
                """
                SELECT n.document, n.start, n."end", m.entity, coalesce(n.type, p.type) AS type
                FROM mentions n SEMI JOIN asked ON asked.id = n.document
                    LEFT JOIN memberships m ON m.id = n.chain AND m.rank = 1 LEFT JOIN profiles p ON p.id = n.chain
                """
            ).to_pylist()

    def document_facts(self) -> Iterator[dict[str, str | None]]:
        """`id, title, date` of every document that names somebody, also where its text is not there."""
        query = """
            SELECT named.document AS id, d.title, d.date
            FROM (SELECT DISTINCT document FROM profiles) named LEFT JOIN documents d ON d.id = named.document
            ORDER BY 1
            """
        for batch in self._stream(query, []):
            yield from batch.to_pylist()

    def shared_documents(self) -> Iterator[tuple[str, str, int]]:
        """Two identities that stand in the same documents, and in how many."""
        query = """
            WITH stands AS (
                SELECT DISTINCT m.entity, p.document FROM memberships m JOIN profiles p ON p.id = m.id WHERE m.rank = 1
            )
            SELECT a.entity AS a, b.entity AS b, count(*) AS n
            FROM stands a JOIN stands b ON a.document = b.document AND a.entity < b.entity
            GROUP BY ALL ORDER BY n DESC, a, b
            """
        for batch in self._stream(query, []):
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)

    def runs(self) -> list[Run]:
        return [Run(**row) for row in self._query("SELECT * FROM runs ORDER BY rowid").to_pylist()]

    def entries(self, *, standing: bool = True) -> list[log.Entry]:
        """The log; only what has not been taken back, unless `standing` is False."""
        rows = self._query("SELECT * FROM judgements ORDER BY rowid")
        # A file of another version may lack columns, and its judgements are to be read all the same.
        for field in log.ROWS:
            if field.name not in rows.column_names:
                rows = rows.append_column(field, pa.nulls(len(rows), field.type))
        return log.entries_of(rows, standing=standing)

    def judgements(self, *, standing: bool = True) -> list[tuple[int, Judgement]]:
        """The judgements in the log, each with the number of its entry."""
        return [(entry.number, said) for entry in self.entries(standing=standing) for said in entry.judgements]

    def located(self, entries: Sequence[log.Entry] | None = None) -> log.Located:
        """The log (or another's) as it applies to the profiles that are here."""
        listed = self.entries() if entries is None else entries
        if not listed:
            return log.located([], {})
        wanted = {(id, entry.places.get(id)) for entry in listed for id in entry.about}
        known = self.known("profiles", {id for id, _ in wanted})
        there = self._candidates({place.document for _, place in wanted if place is not None and place.document})
        found = {
            (id, place): log.locate(id, place, there.get((place and place.document) or "", ()), id in known)
            for id, place in wanted
        }
        return log.located(listed, found)

    def _candidates(self, documents: Set[str]) -> dict[str, list[log.Candidate]]:
        """The profiles of some documents, by document."""
        with self._asked(documents):
            rows = self._query(
                """
                SELECT p.document, p.id, p.name, p.type,
                    (SELECT list([m.start, m."end"] ORDER BY m.start) FROM mentions m WHERE m.chain = p.id) AS spans
                FROM profiles p SEMI JOIN asked ON asked.id = p.document ORDER BY p.rowid
                """
            ).to_pylist()
        found: dict[str, list[log.Candidate]] = {}
        for row in rows:
            spans = [(a, b) for a, b in row["spans"] or ()]
            found.setdefault(row["document"], []).append(
                log.Candidate(row["id"], row["name"] or "", row["type"], spans)
            )
        return found

    def places(self, ids: Set[str]) -> dict[str, log.Place]:
        """What profiles are about: the document, the name, and where it is first mentioned."""
        with self._asked(ids):
            rows = self._query(
                """
                SELECT p.id, p.document, p.name, p.type, m.start, m."end"
                FROM profiles p SEMI JOIN asked USING (id) LEFT JOIN (
                    SELECT chain, min(start) AS start, arg_min("end", start) AS "end"
                    FROM mentions SEMI JOIN asked ON asked.id = chain GROUP BY chain
                ) m ON m.chain = p.id
                """
            ).to_pylist()
        return {row.pop("id"): log.Place(**row) for row in rows}

    @contextmanager
    def _asked(self, ids: Iterable[str]) -> Iterator[None]:
        """Ids to join with, as the table `asked`."""
        self._db.register("asked", pa.table({"id": pa.array(list(ids), pa.string())}))
        try:
            yield
        finally:
            self._db.unregister("asked")

    def sizes(self) -> dict[str, int]:
        return {name: self.count(name) for name in ("documents", "mentions", "profiles", "identities", "judgements")}

    # -- inside ----------------------------------------------------------------------------------------------------

    def _create_tables(self, fingerprint: str) -> None:
        with self.batch():
            for name, columns in schema.TABLES.items():
                self._db.execute(f"CREATE OR REPLACE TABLE {name} ({columns})")
            secret = secrets.token_hex(16)
            for key, value in {
                "marker": schema.MARKER, "version": schema.VERSION, "fingerprint": fingerprint, "salt": secret
            }.items():  # fmt: skip
                self._db.execute("INSERT INTO meta VALUES (?, ?)", [key, value])

    def _cursor(self) -> duckdb.DuckDBPyConnection:
        """Another connection to the same file, for an answer that is read while other queries run."""
        cursor = self._db.cursor()
        if self.path is not None:
            search = self._db.execute("SELECT current_setting('search_path')").fetchall()[0][0]
            cursor.execute(f"SET search_path = '{search}'")
        return cursor

    def _resume_or_clear(self, fingerprint: str) -> None:
        """Keep what an unfinished run with this fingerprint has stored, short of what its last step added."""
        found = self._meta()
        if found.get("fingerprint") != fingerprint or found.get("version") != schema.VERSION:
            self.discarded_part = any(self._has(each) and self.count(each) for each in ("documents", "profiles"))
            self._create_tables(fingerprint)
            return
        taken = int(found.get("judgements_taken_over", 0))
        with self.batch():
            self._db.execute("DELETE FROM runs")
            staged = self._query("SELECT * FROM judgements WHERE number > ? ORDER BY rowid", [taken])
            self._db.execute("DELETE FROM judgements")
            self._append_numbered(staged, -taken)
            self._db.execute("DELETE FROM history")
            self._db.execute("DELETE FROM meta WHERE key = 'judgements_taken_over'")

    def _has(self, table: str) -> bool:
        with reading(self.path):
            return bool(self._db.execute("SELECT 1 FROM duckdb_tables() WHERE table_name = ?", [table]).fetchall())

    def _meta(self) -> dict[str, str]:
        with reading(self.path):
            try:
                return dict(self._db.execute("SELECT key, value FROM meta").fetchall())
            except duckdb.CatalogException:
                return {}

    def _insert(self, table: str, arrow: pa.Table) -> None:
        if len(arrow):
            self._do(Step(table, arrow))

    def _do(self, step: Step) -> None:
        if self._draft is not None:
            self._draft.do(step)
            return
        if step.rows is None:
            self._db.execute(f"DELETE FROM {step.table}")
            return
        self._db.register("step", step.rows)
        try:
            if step.column is None:
                self._db.table("step").insert_into(step.table)
            else:
                self._db.execute(f"DELETE FROM {step.table} WHERE {step.column} IN (SELECT id FROM step)")
        finally:
            self._db.unregister("step")

    def _query(self, sql: str, parameters: list[Any] | None = None) -> pa.Table:
        with reading(self.path), limited(self._db):
            found = self._db.sql(sql, params=parameters or []).to_arrow_table()
        # The views of a draft, or of a folder of Parquet, have the number of a row as a column like others.
        return found.drop_columns(["rowid"]) if "rowid" in found.column_names else found

    def _stream(self, sql: str, parameters: list[Any]) -> Iterator[pa.RecordBatch]:
        with reading(self.path):
            yield from self._cursor().sql(sql, params=parameters).to_arrow_reader(100_000)

    def _take_over(self, old: Store) -> None:
        """Put the old file's runs and judgements before this run's."""
        with self.batch():
            runs = self._query("SELECT * FROM runs")
            staged = self._query("SELECT * FROM judgements ORDER BY rowid")
            log = old._query("SELECT * FROM judgements ORDER BY rowid")
            last = log.column("number")[-1].as_py() if len(log) else 0
            self._db.execute("DELETE FROM runs")
            self._db.execute("DELETE FROM judgements")
            self._insert("runs", old._query("SELECT * FROM runs ORDER BY rowid"))
            self._insert("runs", runs)
            self._insert("judgements", log)
            self._append_numbered(staged, last)
            events = self._query("SELECT * FROM history ORDER BY number")
            self._db.execute("DELETE FROM history")
            self._insert("history", old._query("SELECT * FROM history ORDER BY number"))
            self._renumbered_history(events)
            self.set_meta("revision", str(old.revision + 1))
            self._db.execute("INSERT INTO meta VALUES ('judgements_taken_over', ?)", [str(last)])

    def _renumbered_history(self, events: pa.Table) -> None:
        numbers = pa.array(range(self._next("history"), self._next("history") + len(events)), pa.int64())
        self._insert("history", events.set_column(0, "number", numbers))

    def _append_numbered(self, judgements: pa.Table, shift: int) -> None:
        """Insert judgements with their numbers, and the numbers they take back, moved."""
        for column in ("number", "undoes"):
            moved = pc.add(judgements.column(column), shift).cast(pa.int64())
            judgements = judgements.set_column(judgements.schema.get_field_index(column), column, moved)
        self._insert("judgements", judgements)
