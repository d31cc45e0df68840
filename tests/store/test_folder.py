"""A folder of Parquet files is read as a .crossdoc file is, and packed into one."""

import pyarrow as pa
import pytest

import crossdoc
from crossdoc import errors
from crossdoc.store import Store, schema
from crossdoc.store.folder import FolderStore, as_table, pack, part_files, put_in_place, write_part

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
    with pytest.raises(errors.StoreError, match="no folder"):
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
