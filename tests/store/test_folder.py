"""A folder of Parquet files is read as a .crossdoc file is, and packed into one."""

import errno
import itertools
import json
import os
import shutil

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import crossdoc
from crossdoc import errors, files
from crossdoc.store import Store, schema
from crossdoc.store.folder import FolderStore, pack, part_files, put_in_place, write_part
from crossdoc.store.schema import as_table

DOCUMENTS = [crossdoc.Document(f"d{n}", f"Ann Lee {did} in Paris.") for n, did in enumerate(["raced", "sang", "raced"])]


@pytest.fixture
def whole(tmp_path):
    """A result in a file."""
    path = tmp_path / "whole.crossdoc"
    crossdoc.resolve(DOCUMENTS, name="Ann Lee", output=path, describe=False).close()
    return path


@pytest.fixture
def folder(whole, tmp_path):
    """The same as a folder, each table in parts of two rows."""
    with Store.open(whole) as store:
        for name in schema.TABLES:
            rows = store._query(f"SELECT * FROM {name} ORDER BY rowid")
            for number, first in enumerate(range(0, max(len(rows), 1), 2)):
                write_part(tmp_path / "folder", name, number, rows.slice(first, 2))
    return tmp_path / "folder"


def test_it_reads_as_the_file_does(whole, folder):
    with crossdoc.open(whole) as file, crossdoc.open(folder) as parts:
        assert parts.identities() == file.identities()
        assert parts.answer("mention", soft=True).equals(file.answer("mention", soft=True))
        assert parts.answer().equals(file.answer())
        assert parts.profiles.arrow.equals(file.profiles.arrow)
        assert parts.store.documents().arrow.equals(file.store.documents().arrow)
        assert parts.store.sizes() == file.store.sizes()
        assert [*parts.store.texts()] == [*file.store.texts()]
        assert parts.notes == file.notes
        assert parts.find("Ann Lee")


def test_it_is_not_changed_in_place(folder):
    with pytest.raises(errors.StoreError, match="crossdoc pack"):
        Store.open(folder, write=True)
    with crossdoc.open(folder) as answer, pytest.raises(errors.StoreError, match="crossdoc pack"):
        answer.judge("d0", "d1", "different")


def test_packed_it_is_the_file_and_takes_judgements(whole, folder, tmp_path):
    packed = pack(folder, tmp_path / "packed.crossdoc")
    with crossdoc.open(whole) as file, crossdoc.open(packed) as again:
        assert again.identities() == file.identities()
        assert again.answer().equals(file.answer())
        again.judge("d0", "d2", "different")
        assert again.store.entity_of()["d0"] != again.store.entity_of()["d2"]
        again.undo()
        assert again.answer().equals(file.answer())


def test_nothing_is_packed_over_or_from_what_is_no_folder(whole, folder, tmp_path):
    with pytest.raises(errors.UsageError, match="already"):
        pack(folder, whole)
    with pytest.raises(errors.StoreError, match="not a folder"):
        pack(whole, tmp_path / "x.crossdoc")
    with pytest.raises(errors.CrossdocError):
        pack(tmp_path / "nowhere", tmp_path / "x.crossdoc")


def test_a_folder_of_something_else(tmp_path):
    with pytest.raises(errors.StoreError, match="not"):
        Store.open(tmp_path)
    write_part(tmp_path, "meta", 0, as_table("meta", [{"key": "marker", "value": "crossdoc"}]))
    with pytest.raises(errors.StoreError, match="version"):
        Store.open(tmp_path)


def test_tables_that_are_not_there_are_empty(tmp_path):
    with FolderStore.at(tmp_path) as store:
        assert store.sizes()["profiles"] == 0


def test_small_tables_have_the_types_of_the_file():
    found = as_table("runs", [{"started": "now", "inputs": ["a"], "notes": []}])
    assert found.schema.field("inputs").type == pa.list_(pa.string()) or "list" in str(
        found.schema.field("inputs").type
    )
    assert found.column("seed").to_pylist() == [None]


def test_an_older_answer_goes_when_a_new_one_is_there(tmp_path):
    for name in ("old", "new"):
        write_part(tmp_path / name, "meta", 0, as_table("meta", [{"key": "which", "value": name}]))
    put_in_place(tmp_path / "new", tmp_path / "old")
    assert part_files(tmp_path / "old", "meta")
    with FolderStore.at(tmp_path / "old") as store:
        assert store.meta("which") == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["old"]


def linked(part, tmp_path):
    (tmp_path / "secret.parquet").write_bytes(part.read_bytes())
    part.unlink()
    part.symlink_to(tmp_path / "secret.parquet")


def linked_table(part, tmp_path):
    part.parent.rename(tmp_path / "elsewhere")
    part.parent.symlink_to(tmp_path / "elsewhere")


def other_type(part, tmp_path):
    rows = pq.read_table(part)
    pq.write_table(rows.set_column(rows.schema.get_field_index("name"), "name", pa.array(range(len(rows)))), part)


def another_column(part, tmp_path):
    rows = pq.read_table(part)
    pq.write_table(rows.append_column("more", pa.array(range(len(rows)))), part)


def many_rows(part, tmp_path):
    pq.write_table(pq.read_table(part).take(pa.array(np.zeros(2_000_000, np.int64))), part)


def a_pipe(part, tmp_path):
    part.unlink()
    os.mkfifo(part)


@pytest.mark.parametrize(
    ("crafted", "told"),
    [
        (linked, "identities/000000.parquet"),
        (linked_table, "identities/000000.parquet"),
        (a_pipe, "identities/000000.parquet"),
        (lambda part, _: part.rename(part.with_name("*.parquet")), r"identities/\*.parquet"),
        (other_type, "the column name of identities"),
        (another_column, "the column more of identities"),
        (many_rows, "rows in so small files"),
        (lambda part, _: part.write_bytes(b"PAR1 PAR1"), "damaged"),
    ],
)
def test_a_folder_that_somebody_else_has_made(folder, tmp_path, crafted, told):
    crafted(folder / "identities" / "000000.parquet", tmp_path)
    for use in (crossdoc.open, lambda path: pack(path, tmp_path / "x.crossdoc")):
        with pytest.raises(errors.StoreError, match=told):
            use(folder)
    assert not (tmp_path / "x.crossdoc").exists()


def test_a_folder_with_any_name_through_a_link(folder, tmp_path):
    folder.rename(tmp_path / "id=5 [a]'s")
    (tmp_path / "link").symlink_to(tmp_path / "id=5 [a]'s")
    with crossdoc.open(tmp_path / "link") as answer:
        assert answer.find("Ann Lee")


def test_another_folder_of_a_similar_name_stays(folder, tmp_path):
    kept = tmp_path / "folder.old" / "thesis.txt"
    kept.parent.mkdir()
    kept.write_text("mine")
    write_part(tmp_path / "new", "meta", 0, as_table("meta", [{"key": "which", "value": "new"}]))
    put_in_place(tmp_path / "new", folder)
    assert kept.read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "folder.old", "whole.crossdoc"]


def no_exchange(*names):
    raise OSError(errno.EINVAL, "Invalid argument")


def two_answers(tmp_path):
    """An old answer under its name and a new one next to it, and what each holds by file."""
    shutil.rmtree(tmp_path)
    for name, which in (("out", "old"), ("out.part", "new")):
        for table in ("meta", "runs"):
            write_part(tmp_path / name, table, 0, as_table("meta", [{"key": "which", "value": which}]))
    return content(tmp_path / "out"), content(tmp_path / "out.part")


def content(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.parquet")}


def at_call(monkeypatch, number, act):
    """Let the given call (from 0) that changes a name or flushes it do something else; returns the count of calls."""
    count = itertools.count()
    done = []

    def instead(real):
        def call(*given, **more):
            done.append(real)
            if next(count) == number:
                act()
            return real(*given, **more)

        return call

    for name in ("rename", "replace", "fsync", "unlink", "rmdir"):
        monkeypatch.setattr(os, name, instead(getattr(os, name)))
    monkeypatch.setattr(files, "_swap_names", instead(files._swap_names))
    return done


def refuse():
    raise OSError(errno.EIO, "Input/output error")


@pytest.mark.parametrize("swaps", [True, False])
def test_whatever_call_fails_the_old_or_the_new_answer_is_whole_and_the_message_says_which(
    tmp_path, monkeypatch, swaps
):
    place = tmp_path / "place"
    place.mkdir()
    for number in itertools.count():
        old, new = two_answers(place)
        told = None
        with monkeypatch.context() as patched:
            if not swaps:
                patched.setattr(files, "_swap_names", no_exchange)
            calls = at_call(patched, number, refuse)
            try:
                put_in_place(place / "out.part", place / "out")
            except errors.CrossdocError as error:
                told = error
        found = content(place / "out")
        assert found == (old if told and "untouched" in str(told) else new)
        assert told is None or found == old or "has replaced the previous" in str(told)
        if number >= len(calls):
            break
    assert number > 5
    assert os.listdir(place) == ["out"]


@pytest.mark.parametrize("swaps", [True, False])
def test_killed_at_any_call_the_old_or_the_new_answer_is_whole(tmp_path, monkeypatch, swaps):
    place = tmp_path / "place"
    place.mkdir()
    for number in itertools.count():
        old, new = two_answers(place)
        child = os.fork()
        if not child:
            if not swaps:
                monkeypatch.setattr(files, "_swap_names", no_exchange)
            at_call(monkeypatch, number, lambda: os._exit(9))
            put_in_place(place / "out.part", place / "out")
            os._exit(0)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if swaps:
            assert content(place / "out") in (old, new)
        else:
            # Between two renames nothing has the name, but both answers are whole.
            assert any(content(folder) in (old, new) for folder in place.iterdir() if folder.name != "out.part")
        if code == 0:
            break
        assert code == 9
    assert number > 5


def test_a_link_to_an_answer_is_replaced_and_what_it_points_to_stays(folder, tmp_path):
    before = content(folder)
    (tmp_path / "link").symlink_to(folder)
    write_part(tmp_path / "new", "meta", 0, as_table("meta", [{"key": "which", "value": "new"}]))
    new = content(tmp_path / "new")
    put_in_place(tmp_path / "new", tmp_path / "link")
    assert not (tmp_path / "link").is_symlink()
    assert content(tmp_path / "link") == new
    assert content(folder) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "link", "whole.crossdoc"]


@pytest.mark.parametrize("packed", [False, True])
def test_a_folder_of_an_older_version_is_read_and_packed(folder, tmp_path, packed):
    for table in schema.TYPED:
        shutil.rmtree(folder / table, ignore_errors=True)
    rows = {"what": ["word", "topic"], "type": ["", ""], "key": ["engine", "d1"], "value": ["", "12"], "n": [3, 1]}
    write_part(folder, "counts", 0, pa.table(rows))
    meta = {row["key"]: row["value"] for file in part_files(folder, "meta") for row in pq.read_table(file).to_pylist()}
    shutil.rmtree(folder / "meta")
    meta |= {"version": "5", "topics_cut": "0.5"}
    write_part(folder, "meta", 0, pa.table({"key": list(meta), "value": list(meta.values())}))
    settings = json.dumps({"method": "sampling", "parameters": {"sampling": {"model": "bags"}}})
    (run,) = part_files(folder, "runs")
    runs = pq.read_table(run)
    for column, value in (("method", "sampling"), ("settings", settings)):
        at = runs.schema.get_field_index(column)
        runs = runs.set_column(at, column, pa.array([value] * len(runs), pa.string()))
    write_part(folder, "runs", 0, runs)
    path = pack(folder, tmp_path / "packed.crossdoc") if packed else folder
    with crossdoc.open(path) as answer:
        assert answer.store.word_frequencies(None) == {"engine": 3}
        assert answer.store.topics() == ({"d1": 12}, 0.5)
        assert [each.method for each in answer.runs] == ["bags"] * len(answer.runs)
        assert len(answer.identities()) > 0
