"""Files that strangers send: none of them may read another file, run what it brings, or fill the memory."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
import threading
from pathlib import Path

import duckdb
import pytest

from crossdoc import errors
from crossdoc.store import Store, connection, schema
from crossdoc.store.connection import LOCKS, complaint, connect, let_go, limited, writing


def changed(path: Path, *statements: str) -> Path:
    with duckdb.connect(str(path)) as db:
        for statement in statements:
            db.execute(statement)
    return path


@pytest.mark.parametrize(
    ("statements", "told"),
    [
        (["DROP TABLE documents", "CREATE VIEW documents AS SELECT * FROM read_text('SECRET')"], "the view documents"),
        (["CREATE VIEW more AS SELECT * FROM glob('/*')"], "the view more"),
        (["CREATE MACRO lower(x) AS (SELECT content FROM read_text('SECRET'))"], "the macro lower"),
        (["CREATE MACRO everything() AS TABLE SELECT * FROM glob('*')"], "the macro everything"),
        (["CREATE SEQUENCE counted"], "the sequence counted"),
        (["CREATE TYPE mood AS ENUM ('a')"], "the type mood"),
        (["CREATE TABLE extra (a INTEGER)"], "the column a of extra"),
        (["CREATE SCHEMA other", "CREATE TABLE other.documents (a INTEGER)"], r"the table other\.documents"),
        (["ALTER TABLE documents ALTER text SET DEFAULT 'x'"], "a computed column of documents"),
        (["ALTER TABLE documents ADD COLUMN more VARCHAR"], "the column more of documents"),
        (["DROP TABLE runs", "CREATE TABLE runs (started VARCHAR, seed VARCHAR)"], "the column seed of runs"),
        (["CREATE INDEX i ON documents (id)"], "the index i"),
        (["INSERT INTO clustered SELECT NULL, 1 FROM range(10000000)"], "10,000,0.. rows in so small a file"),
    ],
)  # fmt: skip
def test_a_file_with_more_than_plain_tables_is_refused(result, tmp_path, statements, told):
    secret = tmp_path / "secret.txt"
    secret.write_text("SECRET WORDS")
    changed(result, *(statement.replace("SECRET", str(secret)) for statement in statements))
    for write in (False, True):
        with pytest.raises(errors.StoreError, match=told):
            Store.open(result, write=write)


def test_the_judgements_of_a_newer_file_are_read_but_not_through_a_view(result):
    changed(result, "UPDATE meta SET value = '99' WHERE key = 'version'", "CREATE TABLE extra (a INTEGER)")
    assert Store.entries_of(result) == []
    changed(result, "CREATE VIEW v AS SELECT 1")
    with pytest.raises(errors.StoreError, match="the view v"):
        Store.entries_of(result)


@pytest.mark.parametrize("read_only", [True, False])
def test_nothing_else_can_be_reached(result, tmp_path, read_only):
    (tmp_path / "secret.txt").write_text("SECRET")
    db = connect(result, read_only=read_only)
    for asked in (
        f"SELECT * FROM read_text('{tmp_path}/secret.txt')", f"SELECT * FROM '{tmp_path}/secret.csv'",
        f"SELECT * FROM glob('{tmp_path}/*')", f"ATTACH '{tmp_path}/other.db'",
        f"COPY meta TO '{tmp_path}/copy.csv'", f"EXPORT DATABASE '{tmp_path}/all'", "INSTALL httpfs", "LOAD httpfs",
        "SET enable_external_access = true", "SET lock_configuration = false", "SET memory_limit = '1TB'",
    ):  # fmt: skip
        with pytest.raises(duckdb.Error):
            db.execute(asked)
    db.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.crossdoc", "secret.txt"]


def test_a_locked_connection_still_writes_spills_and_checkpoints(tmp_path):
    path = tmp_path / "new.crossdoc"
    db = connect(path, read_only=False)
    db.execute(f"CREATE TABLE word_counts ({schema.TABLES['word_counts']})")
    db.execute("INSERT INTO word_counts SELECT hash(i)::VARCHAR, i FROM range(300000) t(i)")
    db.execute("CHECKPOINT")
    db.close()
    small = duckdb.connect(":memory:", config={"temp_directory": str(tmp_path / "spill"), "memory_limit": "30MB"})
    small.execute(f"ATTACH '{path}' AS stored (READ_ONLY)")
    for lock in LOCKS:
        small.execute(lock)
    sums = small.execute("SELECT sum(n) FROM (SELECT * FROM stored.word_counts ORDER BY word)").fetchall()
    small.close()
    assert sums == [(299999 * 150000,)]


def test_a_query_without_end_is_broken_off(result, monkeypatch):
    monkeypatch.setattr(connection, "QUERY_SECONDS", 0.2)
    db = connect(result, read_only=True)
    with pytest.raises(errors.StoreError, match="was stopped"), limited(db):
        db.execute("SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range + b.range = 7").fetchall()
    db.close()


@pytest.mark.parametrize("settings", ["{", "[]", "", "[" * 100_000])
def test_settings_that_are_no_settings(result, settings):
    changed(result, f"UPDATE runs SET settings = '{settings}'")
    with Store.open(result) as store, pytest.raises(errors.StoreError, match="settings that this result stores"):
        store.runs()[-1].parsed_settings()


@pytest.mark.parametrize("name", ["sqlite:a.crossdoc", "md:a.crossdoc", "ducklake:a.crossdoc", "http:/a.crossdoc"])
def test_a_name_makes_nobody_fetch_code(result, tmp_path, monkeypatch, name):
    """DuckDB would install the extension that such a name asks for."""
    monkeypatch.chdir(tmp_path)
    Path(name).parent.mkdir(exist_ok=True)
    result.rename(name)
    with Store.open(name) as store:
        assert store.count("profiles")


def test_a_file_of_another_database_makes_nobody_fetch_code(tmp_path):
    path = tmp_path / "a.crossdoc"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE meta (key TEXT, value TEXT)")
    with pytest.raises(errors.StoreError) as told:
        Store.open(path)
    assert "extension" not in str(told.value.__cause__).lower()


@pytest.mark.parametrize("link", [os.link, os.symlink])
def test_what_an_unfinished_run_would_be_called_is_somebodys_file(result, tmp_path, link):
    """A new run begins afresh, and the file that was linked to stays as it is."""
    before = result.read_bytes()
    target = tmp_path / "new.crossdoc"
    link(result, tmp_path / "new.crossdoc.part")
    with Store.begin(target, "a run") as store:
        store.finish()
    assert result.read_bytes() == before
    assert target.stat().st_ino != result.stat().st_ino
    assert not target.is_symlink()


def test_a_log_that_is_a_link_is_not_written(result, tmp_path):
    (tmp_path / "out.crossdoc.wal").symlink_to(tmp_path / "elsewhere")
    assert result.name == "out.crossdoc"
    for write in (False, True):
        with pytest.raises(errors.StoreError, match="a link to elsewhere"):
            Store.open(result, write=write)
    assert not (tmp_path / "elsewhere").exists()


def test_a_file_that_was_looked_through_is_looked_through_again_once_it_has_changed(result):
    with Store.open(result) as store:
        assert store.count("profiles") == 3
        with store.for_writing(), store.batch():
            store.set_meta("mine", "1")
        assert store.meta("mine") == "1"
    Store.open(result).close()
    changed(result, "CREATE VIEW seen AS SELECT 1")
    for write in (False, True):
        with pytest.raises(errors.StoreError, match="the view seen"):
            Store.open(result, write=write)


def test_a_file_is_attached_again_to_the_database_that_had_it(result, tmp_path):
    (tmp_path / "secret.txt").write_text("SECRET")
    first = connect(result, read_only=True)
    first.execute("CREATE TABLE memory.kept AS SELECT 1 AS x")
    first.execute("ATTACH ':memory:' AS draft")
    second = connect(result, read_only=False, again=first)
    assert second.execute("SELECT x FROM memory.kept").fetchall() == [(1,)]
    second.execute("INSERT INTO meta VALUES ('k', 'v')")
    with pytest.raises(duckdb.Error, match="disabled by configuration"):
        second.execute(f"SELECT * FROM read_text('{tmp_path}/secret.txt')")
    assert let_go(second)
    assert not connection.log_of(result).exists()
    third = connect(result, read_only=True, again=second)
    assert third.execute("SELECT value FROM meta WHERE key = 'k'").fetchall() == [("v",)]
    with pytest.raises(duckdb.Error, match="read-only"):
        third.execute("DELETE FROM meta")
    third.close()


def test_a_database_that_is_read_elsewhere_or_closed_is_not_used_again(result):
    first = connect(result, read_only=True)
    first.close()
    assert not let_go(first)
    second = connect(result, read_only=True, again=first)
    assert second is not first
    assert second.execute("SELECT count(*) FROM profiles").fetchall() == [(3,)]
    second.close()


def test_another_file_in_the_same_place_is_read_when_it_is_attached_again(result, tmp_path):
    first = connect(result, read_only=True)
    other = Path(shutil.copy(result, tmp_path / "other.crossdoc"))
    changed(other, "INSERT INTO meta VALUES ('which', 'other')")
    os.replace(other, result)
    again = connect(result, read_only=True, again=first)
    assert again.execute("SELECT value FROM meta WHERE key = 'which'").fetchall() == [("other",)]
    again.close()


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ('IO Error: Cannot open file "x": Permission denied', "you do not have permission to change it"),
        ('IO Error: Cannot open file "x": Operation not permitted', "you do not have permission to change it"),
        ('IO Error: Cannot open file "x": Read-only file system', "its file system is read-only"),
        ('IO Error: Cannot open file "x": Too many open files', "x cannot be opened: .*Too many open files"),
        ('IO Error: Could not read from file "x": Input/output error', "The disk failed while x"),
        ("FATAL Error: fsync failed!", r"The disk failed while x was read or written: fsync failed\."),
        (
            'IO Error: Checkpoint failed for database "stored". The database has been invalidated. Original error: '
            'Could not write file "x.wal": Input/output error',
            'was read or written: Could not write file "x.wal": Input/output error',
        ),
        (
            'TransactionContext Error: Failed to commit: Could not write file "x.wal": No space left on device',
            'x could not be written: Could not write file "x.wal": No space left on device',
        ),
        ("IO Error: Could not set lock on file: Conflicting lock is held", "x is open in another crossdoc process"),
        ('IO Error: The file "x" exists, but it is not a valid DuckDB database file!', "x is not a crossdoc result"),
        ("Corrupt database file: computed checksum 1 does not match stored checksum 2", "x is damaged: Corrupt"),
        (
            'IO Error: Could not read enough bytes from file "x": attempted to read 3192 bytes',
            "x is damaged: Could not",
        ),
    ],
)
def test_what_duckdb_says_of_a_file_becomes_what_to_do(said, told):
    """The texts are DuckDB's own, seen on read-only, full and failing disks."""
    with pytest.raises(errors.CrossdocError, match=told):
        raise complaint(Path("x"), duckdb.IOException(said), write=True)


@pytest.mark.parametrize("write", [False, True])
def test_a_file_that_one_may_not_open_is_not_called_damaged(result, write):
    """As another user, where the tests run as root; a folder of its own, since pytest's is closed to others."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(shutil.copy(result, Path(folder, "a.crossdoc")))
        path.chmod(0o444 if write else 0)
        os.chmod(folder, 0o755)
        user = os.geteuid()
        if not user:
            os.seteuid(65534)
        try:
            with pytest.raises(errors.StoreError) as told:
                Store.open(path, write=write)
        finally:
            os.seteuid(user)
        act = "change" if write else "read"
        assert told.value.what == f"{path} cannot be opened: you do not have permission to {act} it."


class FailingAtCommit:
    """A connection whose disk fails when a transaction is committed."""

    def __init__(self, db, error):
        self._db, self._error = db, error

    def commit(self):
        self._db.rollback()
        raise self._error

    def __getattr__(self, name):
        return getattr(self._db, name)


@pytest.mark.parametrize(
    "error", [duckdb.FatalException("FATAL Error: fsync failed!"), duckdb.IOException("IO Error: Input/output error")]
)
def test_a_disk_that_fails_at_a_commit(result, error):
    with Store.open(result, write=True) as store:
        store._db = FailingAtCommit(store._db, error)
        with pytest.raises(errors.StoreError, match="The disk failed while") as told:
            store.set_meta("k", "v")
    assert "untouched" not in str(told.value)


def test_a_place_that_one_may_not_write_to(tmp_path):
    with pytest.raises(errors.StoreError, match="permission to change"), writing(tmp_path):
        raise PermissionError(13, "Permission denied")
    with pytest.raises(errors.CrossdocError, match="could not be written: No space left on device"), writing(tmp_path):
        raise OSError(28, "No space left on device")


def test_an_unfinished_run_that_the_disk_keeps_back_is_not_deleted(result, tmp_path, monkeypatch):
    part = Path(shutil.copy(result, tmp_path / "new.crossdoc.part"))

    def fails(path, **_):
        raise complaint(path, error, write=True) from error

    error = duckdb.IOException(f'IO Error: Could not read from file "{part}": Input/output error')
    monkeypatch.setattr("crossdoc.store.connection.connect", fails)
    with pytest.raises(errors.StoreError, match="The disk failed"):
        Store.begin(tmp_path / "new.crossdoc", "f")
    assert part.read_bytes() == result.read_bytes()


def test_no_thread_is_left_after_a_query(result):
    """One that still ends when Python does keeps the connection."""
    db = connect(result, read_only=True)
    for _ in range(100):
        with limited(db):
            db.execute("SELECT 1")
        assert [each for each in threading.enumerate() if isinstance(each, threading.Timer)] == []
    db.close()
