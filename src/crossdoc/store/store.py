"""One resolution in one DuckDB file.

A run writes into ``OUT.crossdoc.part``, one transaction a batch, and renames it at the very end, so that at any moment
``OUT.crossdoc`` is the old result or the new one. The log of judgements is append-only and is carried over from the old
file to the new one.
"""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from crossdoc import errors
from crossdoc.model import Document, Documents, Identity, Judgement, Mentions, Partition, Profiles
from crossdoc.store import schema
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
        path = Path(path)
        if not path.exists():
            part = path.with_name(path.name + ".part")
            raise errors.unfinished(path, part) if part.exists() else errors.no_such_path(path)
        if not path.is_file():
            raise errors.not_a_store(path)
        store = cls(connect(path, read_only=not write), path)
        try:
            found = store._meta()
            if found.get("marker") != schema.MARKER:
                raise errors.not_a_store(path)
            if found.get("version") != schema.VERSION:
                raise errors.other_version(path, found.get("version", "unknown"), schema.VERSION)
        except BaseException:
            store.close()
            raise
        return store

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

    def add_documents(self, documents: Documents) -> None:
        self._insert("documents", documents.arrow.drop_columns(["mentions"]))

    def add_mentions(self, mentions: Mentions) -> None:
        self._insert("mentions", mentions.arrow)

    def add_profiles(self, profiles: Profiles) -> None:
        self._insert("profiles", profiles.arrow)

    def save_partition(self, entity_type: str, partition: Partition, seconds: float) -> None:
        """Keep the answer for one entity type; a resumed run skips the types that have one."""
        with self.batch():
            self._insert("memberships", partition.table(soft=True))
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

    def document_ids(self) -> set[str]:
        return set(self._query("SELECT id FROM documents").column("id").to_pylist())

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

    def mention_counts(self) -> dict[str, int]:
        """Mentions of each profile."""
        counted = self._query("SELECT chain, count(*) AS n FROM mentions GROUP BY chain")
        return dict(zip(counted.column("chain").to_pylist(), counted.column("n").to_pylist(), strict=True))

    def name_variants(self) -> dict[str, list[str]]:
        """The names that each profile's document uses for it."""
        named = self._query("SELECT chain, list(DISTINCT text ORDER BY text) AS names FROM mentions "
                            "WHERE kind = 'name' GROUP BY chain")  # fmt: skip
        return dict(zip(named.column("chain").to_pylist(), named.column("names").to_pylist(), strict=True))

    def dates(self) -> dict[str, str]:
        dated = self._query("SELECT id, date FROM documents WHERE date IS NOT NULL")
        return dict(zip(dated.column("id").to_pylist(), dated.column("date").to_pylist(), strict=True))

    def duplicates(self, table: str, most: int = 100) -> list[str]:
        with reading(self.path):
            counted = self._db.table(table).aggregate("id, count(*) AS n").filter("n > 1").order("id").limit(most)
            return [row[0] for row in counted.fetchall()]

    def clustered(self) -> set[str]:
        """The entity types that have an answer."""
        return set(self._query("SELECT type FROM clustered").column("type").to_pylist())

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
        return self._query("SELECT * FROM memberships ORDER BY rowid")

    def identities(self, find: str | None = None, top: int | None = None) -> list[Identity]:
        """Identities, most documents first; `find` keeps those with these words in one of their names."""
        found = self._query(
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
        return [Identity(**{**row, "variants": dict(row["variants"])}) for row in found.to_pylist()]

    def answer(self, level: str, soft: bool = False) -> Iterator[pa.RecordBatch]:
        """The rows of `crossdoc export`, streamed: one a profile, or one a mention, with its strongest identity.

        `soft` gives one row for each identity it belongs to.
        """
        best = "m.rowid IN (SELECT arg_max(rowid, (membership, -rowid)) FROM memberships GROUP BY id)"
        if level == "profile":
            query = f"""
                SELECT p.id, m.entity, m.membership, p.name, p.document
                FROM memberships m JOIN profiles p ON p.id = m.id
                WHERE ? OR {best} ORDER BY m.rowid
                """
        else:
            query = f"""
                SELECT n.id, m.entity, m.membership, p.name, p.document, n.start, n."end", n.text
                FROM mentions n JOIN memberships m ON m.id = n.chain JOIN profiles p ON p.id = n.chain
                WHERE ? OR {best} ORDER BY n.rowid, m.membership DESC, m.rowid
                """
        with reading(self.path):
            yield from self._cursor().sql(query, params=[soft]).to_arrow_reader(100_000)

    def runs(self) -> list[Run]:
        return [Run(**row) for row in self._query("SELECT * FROM runs ORDER BY rowid").to_pylist()]

    def judgements(self, *, standing: bool = True) -> list[tuple[int, Judgement]]:
        """The log with its numbers; only what has not been taken back, unless `standing` is False."""
        rows = self._query("SELECT * FROM judgements ORDER BY number").to_pylist()
        undone = {row["undoes"] for row in rows if row["undoes"] is not None}
        kept = []
        for row in rows:
            number, undoes = row.pop("number"), row.pop("undoes")
            if undoes is None and not (standing and number in undone):
                kept.append((number, Judgement(**row)))
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
            cursor.execute("USE stored")
        return cursor

    def _resume_or_clear(self, fingerprint: str) -> None:
        """Keep what an unfinished run with this fingerprint has stored, short of what its last step added."""
        found = self._meta()
        if found.get("fingerprint") != fingerprint or found.get("version") != schema.VERSION:
            self.discarded_part = self._has("documents") and bool(self.count("documents"))
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
            found = self._db.execute(
                "SELECT 1 FROM duckdb_tables() WHERE table_name = ? AND database_name = current_database()", [table]
            ).fetchall()
        return bool(found)

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
