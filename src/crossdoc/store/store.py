"""One resolution in one DuckDB file.

A run writes into ``OUT.crossdoc.part``, one transaction a batch, and renames it at the very end, so that at any moment
``OUT.crossdoc`` is the old result or the new one. The log of judgements is append-only and is carried over from the old
file to the new one.
"""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from crossdoc import errors
from crossdoc.model import (
    Document,
    Documents,
    Facts,
    Identity,
    Judgement,
    Mentions,
    Partition,
    Profiles,
    rows_of,
    view_of,
)
from crossdoc.store import migrations, schema
from crossdoc.store.connection import connect, flush_to_disk, is_locked, log_of, reading, remove, uninterrupted, writing

JUDGEMENTS = pa.schema(
    [("number", pa.int64()), ("a", pa.string()), ("b", pa.string()), ("verdict", pa.string()), ("hard", pa.bool_()),
     ("weight", pa.float64()), ("who", pa.string()), ("why", pa.string()), ("when", pa.string()),
     ("undoes", pa.int64())]
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


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


class Store:
    """A resolution, in a file or in memory. Use :meth:`begin` to write a new one and :meth:`open` to read one."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, path: Path | None, target: Path | None = None) -> None:
        self._db = connection
        self.path = path
        self._target = target
        self._copied = False
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
            store._migrate(steps, write)
        except BaseException:
            store.close()
            raise
        return store

    @classmethod
    def judgements_of(cls, path: str | os.PathLike[str]) -> list[tuple[int, Judgement]]:
        """The judgements that hold in a file of any version, also of one that :meth:`open` refuses."""
        with cls._attach(Path(path), write=False) as store:
            store._migrate(migrations.steps_from(store._meta().get("version", "unknown")) or [], write=False)
            return store.judgements()

    @classmethod
    def _attach(cls, path: Path, write: bool) -> Store:
        """A result of whatever version, as it is."""
        if not path.exists():
            part = path.with_name(path.name + ".part")
            raise errors.unfinished(path, part) if part.exists() else errors.no_such_path(path)
        if not path.is_file():
            raise errors.not_a_store(path)
        store = cls(connect(path, read_only=not write), path)
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
        self._db = connect(self.path, read_only=True)

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

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    # -- writing ---------------------------------------------------------------------------------------------------

    @contextmanager
    def batch(self) -> Iterator[None]:
        """One transaction: all of it is kept, or nothing."""
        if self._copied:
            # DuckDB refuses to write to a file that is open for reading, but would let the copies in memory be written.
            raise errors.cannot_write(self.path or "memory", "it is open for reading only")
        with uninterrupted(), writing(self._target or self.path or Path("memory")):
            self._db.begin()
            try:
                yield
                self._db.commit()
            except BaseException:
                # A failed commit has already been rolled back, and then there is nothing left to roll back.
                with suppress(duckdb.Error):
                    self._db.rollback()
                raise

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
        starts = partition.membership.indptr
        rank = np.arange(starts[-1]) - np.repeat(starts[:-1], np.diff(starts)) + 1
        with self.batch():
            self._insert("memberships", partition.table(soft=True).append_column("rank", pa.array(rank, pa.int32())))
            self._db.execute("INSERT INTO clustered VALUES (?, ?)", [entity_type, seconds])

    def save_identities(self, identities: Iterable[Identity]) -> None:
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
        with self.batch():
            self._db.execute("DELETE FROM identities")
            self._insert("identities", pa.table(arrays, names=names))

    def save_run(self, run: Run) -> None:
        with self.batch():
            self._db.execute(
                "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [run.started, run.finished, run.version, run.method, run.seed, run.settings, run.inputs, run.notes],
            )

    def salt(self) -> bytes:
        """The secret of this result's hashed contact details; a resumed run goes on with it."""
        return bytes.fromhex(self._meta()["salt"])

    def judge(self, judgements: Iterable[Judgement]) -> None:
        """Append to the log. What was said is never changed; :meth:`take_back` appends that it no longer holds."""
        with self.batch():
            self._append_judgements({**asdict(said), "when": said.when or now()} for said in judgements)

    def stage_judgements(self, judgements: Iterable[Judgement]) -> None:
        """Judgements that came with this run; :meth:`finish` puts them behind the log that it takes over."""
        with self.batch():
            self._db.execute("DELETE FROM judgements")
        self.judge(judgements)

    def take_back(self, number: int, who: str = "", why: str = "") -> None:
        if number not in dict(self.judgements(standing=False)):
            raise errors.no_such_judgement(number)
        with self.batch():
            self._append_judgements([{"who": who, "why": why, "when": now(), "undoes": number}])

    def _append_judgements(self, rows: Iterable[dict[str, Any]]) -> None:
        last = self._db.execute("SELECT coalesce(max(number), 0) FROM judgements").fetchall()[0][0]
        numbered = [{"number": number, **row} for number, row in enumerate(rows, last + 1)]
        self._insert("judgements", pa.Table.from_pylist(numbered, JUDGEMENTS))

    # -- reading ---------------------------------------------------------------------------------------------------

    def count(self, table: str) -> int:
        with reading(self.path):
            return int(self._db.table(table).count("*").fetchall()[0][0])

    def documents(self, ids: Iterable[str] | None = None) -> Documents:
        """All documents, or those asked for."""
        if ids is None:
            arrow = self._query("SELECT * FROM documents ORDER BY rowid")
        else:
            arrow = self._query("SELECT * FROM documents WHERE list_contains(?, id) ORDER BY rowid", [list(set(ids))])
        return Documents(arrow.append_column("mentions", pa.nulls(len(arrow), Documents.schema.field("mentions").type)))

    def texts_of(self, ids: Iterable[str]) -> dict[str, str]:
        """The texts of some documents, by id."""
        return {document.id: document.text for document in self.documents(ids)}

    def name_types(self) -> Iterator[tuple[str, str, int]]:
        """How many profiles have each name and type, of the names that have several types."""
        several = "SELECT name FROM profiles GROUP BY name HAVING count(DISTINCT type) > 1"
        counted = self._query(f"""
            SELECT name, type, count(*) AS n FROM profiles SEMI JOIN ({several}) USING (name)
            WHERE type IS NOT NULL GROUP BY name, type ORDER BY name, type""")
        for row in counted.to_pylist():
            yield row["name"], row["type"], row["n"]

    def known(self, table: str, ids: Iterable[str]) -> set[str]:
        """Which of the ids `table` (documents or profiles) holds; the table itself is not loaded."""
        with reading(self.path):
            self._db.register("asked", pa.table({"id": pa.array(ids, pa.string())}))
            try:
                return set(self._query(f"SELECT id FROM asked SEMI JOIN {table} USING (id)").column("id").to_pylist())
            finally:
                self._db.unregister("asked")

    def each_document(self, batch_size: int = 256) -> Iterator[Document]:
        """All documents, read a batch at a time, with id, text and language alone."""
        with reading(self.path):
            cursor = self._cursor()
            cursor.execute("SELECT id, text, language FROM documents ORDER BY rowid")
            while rows := cursor.fetchmany(batch_size):
                for id, text, language in rows:
                    yield Document(id, text, language=language)

    def texts(self, batch_size: int = 256) -> Iterator[list[str]]:
        """The texts of all documents, a batch at a time."""
        with reading(self.path):
            cursor = self._cursor()
            cursor.execute("SELECT text FROM documents ORDER BY rowid")
            while rows := cursor.fetchmany(batch_size):
                yield [row[0] for row in rows]

    def profiles(self, entity_type: str | None = None, ids: Iterable[str] | None = None) -> Profiles:
        if ids is not None:
            return Profiles(
                self._query("SELECT * FROM profiles WHERE list_contains(?, id) ORDER BY rowid", [list(set(ids))])
            )
        if entity_type is None:
            return Profiles(self._query("SELECT * FROM profiles ORDER BY rowid"))
        return Profiles(
            self._query("SELECT * FROM profiles WHERE coalesce(type, '') = ? ORDER BY rowid", [entity_type])
        )

    def profile_batches(self, batch_size: int = 4096) -> Iterator[Profiles]:
        """All profiles in the order in which they came, a batch at a time.

        DuckDB keeps that order by itself; to sort by it would mean to hold them all.
        """
        with reading(self.path):
            for batch in self._cursor().sql("SELECT * FROM profiles").to_arrow_reader(batch_size):
                yield Profiles(pa.Table.from_batches([batch]))

    def facts(self) -> Facts:
        """What identities are described with: names and numbers of mentions by profile, dates by document."""
        named = """
            SELECT chain, list(DISTINCT text ORDER BY text) AS names FROM mentions WHERE kind = 'name' GROUP BY chain
            """
        return Facts(
            self._mapping(named),
            self._mapping("SELECT chain, count(*) AS n FROM mentions GROUP BY chain"),
            self._mapping("SELECT id, date FROM documents WHERE date IS NOT NULL"),
        )

    def _mapping(self, query: str) -> dict[str, Any]:
        keys, values = self._query(query).columns
        return dict(zip(keys.to_pylist(), values.to_pylist(), strict=True))

    def duplicates(self, table: str, most: int = 100) -> list[str]:
        with reading(self.path):
            counted = self._db.table(table).aggregate("id, count(*) AS n").filter("n > 1").order("id").limit(most)
            return [row[0] for row in counted.fetchall()]

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

    def identities(self, find: str | None = None, top: int | None = None) -> list[Identity]:
        """Identities, most documents first; `find` keeps those with these words in one of their names."""
        found = self.identity_table(find, top).to_pylist()
        return [Identity(**{**row, "variants": dict(row["variants"])}) for row in found]

    def identity_table(self, find: str | None = None, top: int | None = None) -> pa.Table:
        """The identities as :meth:`identities` gives them, a row each."""
        return self._query(
            """
            WITH asked AS (
                SELECT ' ' || trim(regexp_replace(lower(strip_accents(?)), '[^\\pL\\pN]+', ' ', 'g')) || ' ' AS words
            )
            SELECT identities.* FROM identities, asked
            WHERE ? OR list_bool_or([
                contains(' ' || regexp_replace(lower(strip_accents(v)), '[^\\pL\\pN]+', ' ', 'g') || ' ', asked.words)
                for v in map_keys(variants)
            ])
            ORDER BY n_documents DESC, n_mentions DESC, id LIMIT ?
            """,
            [find or "", find is None, top if top is not None else 2**62],
        )

    def answer(self, level: str, *, soft: bool = False) -> Iterator[pa.RecordBatch]:
        """The rows of `crossdoc export`, streamed: one a profile or a mention, with its strongest identity.

        With `soft` there is a row for each identity that it may be, the strongest first.
        """
        if level not in schema.LEVELS:
            raise errors.unknown_choice("level", level, list(schema.LEVELS))
        if level == "profile":
            query = """
                SELECT p.id, m.entity, m.membership, p.name, p.document
                FROM memberships m JOIN profiles p ON p.id = m.id
                WHERE ? OR m.rank = 1 ORDER BY m.rowid
                """
        else:
            query = """
                SELECT n.id, m.entity, m.membership, p.name, p.document, n.start, n."end", n.text
                FROM mentions n JOIN memberships m ON m.id = n.chain JOIN profiles p ON p.id = n.chain
                WHERE ? OR m.rank = 1 ORDER BY n.rowid, m.rank
                """
        return self._stream(query, [soft])

    def runs(self) -> list[Run]:
        return [Run(**row) for row in self._query("SELECT * FROM runs ORDER BY rowid").to_pylist()]

    def judgements(self, *, standing: bool = True) -> list[tuple[int, Judgement]]:
        """The log with its numbers; only what has not been taken back, unless `standing` is False."""
        columns = ", ".join(f'"{name}"' for name in JUDGEMENTS.names)
        rows = self._query(f"SELECT {columns} FROM judgements ORDER BY number").to_pylist()
        undone = {row["undoes"] for row in rows if row["undoes"] is not None}
        kept = []
        for row in rows:
            number, undoes = row.pop("number"), row.pop("undoes")
            if undoes is None and not (standing and number in undone):
                kept.append((number, view_of(Judgement, row)))
        return kept

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
            staged = self._query("SELECT * FROM judgements WHERE number > ? ORDER BY number", [taken])
            self._db.execute("DELETE FROM judgements")
            self._append_numbered(staged, -taken)
            self._db.execute("DELETE FROM meta WHERE key = 'judgements_taken_over'")

    def _has(self, table: str) -> bool:
        with reading(self.path):
            return bool(self._db.execute("SELECT 1 FROM duckdb_tables() WHERE table_name = ?", [table]).fetchall())

    def _meta(self) -> dict[str, str]:
        if not self._has("meta"):
            return {}
        with reading(self.path):
            return dict(self._db.execute("SELECT key, value FROM meta").fetchall())

    def _insert(self, table: str, arrow: pa.Table) -> None:
        if not len(arrow):
            return
        self._db.register("incoming", arrow)
        try:
            self._db.table("incoming").insert_into(table)
        finally:
            self._db.unregister("incoming")

    def _query(self, sql: str, parameters: list[Any] | None = None) -> pa.Table:
        with reading(self.path):
            return self._db.sql(sql, params=parameters or []).to_arrow_table()

    def _stream(self, sql: str, parameters: list[Any]) -> Iterator[pa.RecordBatch]:
        with reading(self.path):
            yield from self._cursor().sql(sql, params=parameters).to_arrow_reader(100_000)

    def _take_over(self, old: Store) -> None:
        """Put the old file's runs and judgements before this run's."""
        with self.batch():
            runs = self._query("SELECT * FROM runs")
            staged = self._query("SELECT * FROM judgements ORDER BY number")
            log = old._query("SELECT * FROM judgements ORDER BY number")
            last = log.column("number")[-1].as_py() if len(log) else 0
            self._db.execute("DELETE FROM runs")
            self._db.execute("DELETE FROM judgements")
            self._insert("runs", old._query("SELECT * FROM runs ORDER BY rowid"))
            self._insert("runs", runs)
            self._insert("judgements", log)
            self._append_numbered(staged, last)
            self._db.execute("INSERT INTO meta VALUES ('judgements_taken_over', ?)", [str(last)])

    def _append_numbered(self, judgements: pa.Table, shift: int) -> None:
        """Insert judgements with their numbers, and the numbers they take back, moved."""
        for column in ("number", "undoes"):
            moved = pc.add(judgements.column(column), shift).cast(pa.int64())
            judgements = judgements.set_column(judgements.schema.get_field_index(column), column, moved)
        self._insert("judgements", judgements)
