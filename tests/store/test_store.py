"""A result on file: what comes back, what is refused, and how the log of judgements grows."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import duckdb
import numpy as np
import pytest

from crossdoc import errors
from crossdoc.model import Document, Documents, Judgement
from crossdoc.store import Store, connection, schema
from crossdoc.store import store as store_module

SAME = Judgement("d1:0:10", "d2:0:15", "same", who="ann", why="seen both", when="2024-05-06T07:08:09+00:00")
DIFFERENT = Judgement("d1:0:10", "it's", "different", hard=False, weight=0.5, when="2024-05-06T07:08:10+00:00")


def test_everything_comes_back(result, made):
    with Store.open(result) as store:
        assert list(store.documents()) == list(made.documents)
        assert list(store.documents(["d2", "unknown"])) == [made.documents[1]]
        assert list(store.profiles()) == list(made.profiles)
        assert list(store.profiles(ids=["it's"])) == [made.profiles[2]]
        assert list(store.profiles(["d1"], "document")) == [made.profiles[0]]
        assert store.runs() == [made.run]
        assert sorted(store.identities(), key=lambda i: i.id) == made.identities
        assert set(store.documents().ids) == {"d1", "d2", "empty"}
        assert [text for batch in store.texts() for text in batch] == [d.text for d in made.documents]
        facts = store.facts()
        assert facts.mention_counts == {"d1:0:10": 2, "d2:0:15": 1}
        assert facts.variants == {"d1:0:10": ["John Smith", "Smith"], "d2:0:15": ["Élodie Ångström"]}
        assert facts.dates == {"d1": "1996-01"}
        assert store.sizes() == {"documents": 3, "mentions": 3, "profiles": 3, "identities": 2, "judgements": 0}
        assert len(store.salt()) == 16
        back = store.partition()
        assert back.ids.tolist() == made.profiles.ids.tolist()
        assert np.array_equal(back.membership.toarray(), made.partition.membership.toarray())
    assert os.listdir(result.parent) == [result.name]


def test_memory_store_holds_the_same(made):
    store = Store.memory()
    made.write(store)
    assert list(store.profiles()) == list(made.profiles)
    assert [text for batch in store.texts() for text in batch] == [d.text for d in made.documents]
    store.finish()
    assert sum(batch.num_rows for batch in store.answer("profile", soft=True)) == 4


def test_begin_goes_on_with_the_same_fingerprint(tmp_path, made):
    path = tmp_path / "x.crossdoc"
    with Store.begin(path, "f") as store:
        with store.batch():
            store.add(made.documents)
        salt = store.salt()
    with pytest.raises(errors.StoreError, match="unfinished run"):
        Store.open(path)
    with Store.begin(path, "f") as store:
        assert (store.count("documents"), store.salt(), store.discarded_part) == (3, salt, False)
    with Store.begin(path, "g") as store:
        assert (store.count("documents"), store.discarded_part) == (0, True)
        assert store.salt() != salt


def test_a_damaged_part_is_begun_afresh(tmp_path, made):
    path = tmp_path / "x.crossdoc"
    with Store.begin(path, "f") as store:
        made.write(store)
    part = tmp_path / "x.crossdoc.part"
    part.write_bytes(part.read_bytes()[:5000])
    with Store.begin(path, "f") as store:
        assert store.count("documents") == 0
        made.write(store)
        store.finish()
    with Store.open(path) as store:
        assert store.count("documents") == 3


SECOND_WRITER = """
import sys
from crossdoc import errors
from crossdoc.store import Store
try:
    Store.begin(sys.argv[1], sys.argv[2])
except errors.StoreError as error:
    print(error)
"""


@pytest.mark.parametrize("fingerprint", ["f", "another"])
def test_a_second_writer_is_told_to_wait(tmp_path, made, fingerprint):
    path = tmp_path / "x.crossdoc"
    with Store.begin(path, "f") as store:
        with store.batch():
            store.add(made.documents)
        told = subprocess.run(
            [sys.executable, "-c", SECOND_WRITER, str(path), fingerprint], capture_output=True, text=True, check=True
        )
        assert "is open in another crossdoc" in told.stdout
        with pytest.raises(errors.StoreError, match="open in another"):
            Store.begin(path, fingerprint)
        assert store.count("documents") == 3


def test_readers_read_the_old_result_while_a_new_one_is_written(result, made):
    with Store.open(result) as reader, Store.begin(result, "two") as store:
        with store.batch():
            store.add(Documents.of([Document("new", "text")]))
        with Store.open(result) as another:
            assert another.count("documents") == 3
        store.finish()
        # A reader keeps the file it opened; whoever opens now, in this process too, gets the new one.
        assert set(reader.documents().ids) == {"d1", "d2", "empty"}
        assert set(store.documents().ids) == {"new"}
        with Store.open(result) as another:
            assert set(another.documents().ids) == {"new"}


@pytest.mark.parametrize("content", [b"", b"x", b"id,entity\na,b\n" * 1000, b"\0" * 20_000], ids=repr)
def test_a_file_of_another_kind_is_refused_and_left_alone(tmp_path, content):
    path = tmp_path / "x.crossdoc"
    path.write_bytes(content)
    for use in (Store.open, lambda p: Store.open(p, write=True), lambda p: Store.begin(p, "f")):
        with pytest.raises(errors.StoreError, match="not a crossdoc result"):
            use(path)
    assert path.read_bytes() == content
    assert os.listdir(tmp_path) == ["x.crossdoc"]


def test_a_folder_and_nothing_are_refused(tmp_path):
    with pytest.raises(errors.StoreError, match="not a crossdoc result"):
        Store.open(tmp_path)
    with pytest.raises(errors.StoreError, match="not a crossdoc result"):
        Store.begin(tmp_path, "f")
    with pytest.raises(errors.UsageError, match="no file or folder"):
        Store.open(tmp_path / "nothing.crossdoc")


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("CREATE TABLE t (a INT)", "not a crossdoc result"),
        ("CREATE TABLE meta (a INT)", "not a crossdoc result"),
        ("CREATE TABLE meta (key VARCHAR, value VARCHAR)", "not a crossdoc result"),
        ("CREATE TABLE meta AS SELECT 'marker' AS key, 'crossdoc' AS value", "file version unknown"),
        (
            "CREATE TABLE meta AS SELECT unnest(['marker', 'version']) AS key, unnest(['crossdoc', '99']) AS value",
            f"file version 99; this crossdoc reads versions up to {schema.VERSION}",
        ),
    ],
)
def test_other_databases_are_refused(tmp_path, script, told):
    path = tmp_path / "x.crossdoc"
    with duckdb.connect(str(path)) as connection:
        connection.execute(script)
    for use in (Store.open, lambda p: Store.begin(p, "f")):
        with pytest.raises(errors.StoreError, match=told):
            use(path)


def test_a_file_without_its_tables_is_damaged(tmp_path):
    path = tmp_path / "x.crossdoc"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE meta AS SELECT unnest(['marker', 'version']) AS key, unnest(['crossdoc', ?]) AS value",
            [schema.VERSION],
        )
    with Store.open(path) as store:
        for read in (store.documents, store.partition, store.entries, store.sizes, store.runs, store.identities):
            with pytest.raises(errors.StoreError, match="damaged"):
                read()
        for stream in (store.texts, lambda: store.answer("profile"), lambda: store.duplicates("documents")):
            with pytest.raises(errors.StoreError, match="damaged"):
                list(stream())


def read_all(path: Path) -> list[object]:
    with Store.open(path) as store:
        answers = [batch.to_pylist() for level in ("profile", "mention") for batch in store.answer(level)]
        return [list(store.documents()), list(store.profiles()), store.identities(), store.runs(), store.entries(),
                store.partition().entities, list(store.texts()), answers]  # fmt: skip


def opens_or_says_why(path: Path, whole: list[object]) -> str:
    try:
        return "same" if read_all(path) == whole else "changed"
    except errors.StoreError:
        return "refused"


def test_truncated_files_are_refused(result, tmp_path):
    whole, content = read_all(result), result.read_bytes()
    for size in np.linspace(0, len(content) - 1, 30).astype(int):
        result.write_bytes(content[:size])
        outcome = opens_or_says_why(result, whole)
        assert outcome != "changed", size
        assert outcome == "refused" or size > len(content) // 2


def test_flipped_bytes_are_noticed_or_do_no_harm(result):
    whole, content = read_all(result), result.read_bytes()
    rng = np.random.default_rng(0)
    outcomes = []
    # Blocks of 256 KiB behind three headers of 4 KiB; what a block does not use may change unnoticed.
    places = [*range(0, 12_288, 1024), *rng.integers(12_288, 40_000, 15), *rng.integers(12_288, len(content), 15)]
    for place in places:
        broken = bytearray(content)
        broken[place] ^= 0xFF
        result.write_bytes(broken)
        outcomes.append(opens_or_says_why(result, whole))
    assert "changed" not in outcomes
    assert "refused" in outcomes


def test_writing_under_a_file_says_why(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(errors.CrossdocError, match="could not be written"):
        Store.begin(tmp_path / "file" / "x.crossdoc", "f")


def test_odd_names_of_files(tmp_path, made):
    path = tmp_path / 'it\'s a "résumé"; (READ_ONLY) 東京.crossdoc'
    with Store.begin(path, "f") as store:
        made.write(store)
        store.finish()
    with Store.open(path) as store:
        assert store.count("profiles") == 3


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_what_takes_the_place_of_a_result_has_its_permissions_all_the_time(result, made, mode):
    result.chmod(mode)
    seen = set()
    with Store.begin(result, "another run") as store:
        made.write(store)
        for path in result.parent.iterdir():
            seen.add((path.name.removeprefix(result.name), path.stat().st_mode & 0o777 & ~mode))
        store.finish()
    assert seen == {("", 0), (".part", 0), (".part.wal", 0)}
    assert result.stat().st_mode & 0o777 == mode
    with Store.open(result) as store, store.for_writing(), store.batch():
        store.set_meta("k", "v")
    assert result.stat().st_mode & 0o777 == mode


@pytest.mark.parametrize("call", ["flush_to_disk", "remove"])
def test_a_disk_that_fails_after_the_rename_is_told_so(result, made, monkeypatch, call):
    """The new file has its name already: the message must not say that the old one is untouched."""
    module = connection if call == "remove" else store_module
    real, before = getattr(module, call), result.stat().st_ino

    def fails(path):
        if result.stat().st_ino != before:
            raise OSError(5, "Input/output error")
        real(path)

    with Store.begin(result, "another run") as store:
        made.write(store)
        monkeypatch.setattr(module, call, fails)
        with pytest.raises(errors.CrossdocError, match="has replaced the previous file") as told:
            store.finish()
    assert "untouched" not in str(told.value)
    with Store.open(result) as store:
        assert store.runs()[-1] == made.run
