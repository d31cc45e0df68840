"""A run over partitions finds what a run of one process finds, on every engine, and goes on where it was."""

import json
from pathlib import Path

import numpy as np
import pytest

import crossdoc
from crossdoc import errors
from crossdoc.engine import LocalEngine
from crossdoc.model import Profile
from crossdoc.read import slices
from crossdoc.run import partitions
from crossdoc.store.folder import pack, part_files

from .common import people, rows_of_answer


def test_blocks_are_clustered_as_in_one_process(table, tmp_path, engine, monkeypatch):
    monkeypatch.setattr(partitions, "PAIRS_IN_A_BUNDLE", 200)
    alone = crossdoc.resolve(table)
    parted = crossdoc.resolve(table, output=tmp_path / "out", engine=engine)
    assert len(part_files(tmp_path / "out", "profiles")) == 4
    assert rows_of_answer(parted) == rows_of_answer(alone)
    assert {i.id: i for i in parted.store.identities()} == {i.id: i for i in alone.store.identities()}
    assert parted.profiles.arrow.equals(alone.profiles.arrow)
    assert not (tmp_path / "out.part").exists()


def test_several_bundles_are_clustered_as_one(table, tmp_path, monkeypatch):
    with LocalEngine(2) as engine:
        one = crossdoc.resolve(table, output=tmp_path / "one", engine=engine)
        monkeypatch.setattr(partitions, "PAIRS_IN_A_BUNDLE", 100)
        several = crossdoc.resolve(table, output=tmp_path / "several", engine=engine)
    assert len(part_files(tmp_path / "one", "identities")) == 1
    assert len(part_files(tmp_path / "several", "identities")) > 3
    assert rows_of_answer(one) == rows_of_answer(several)


def test_documents_of_one_name(tmp_path, monkeypatch):
    monkeypatch.setattr(slices, "TEXT_ROWS", 3)
    folder = tmp_path / "docs"
    folder.mkdir()
    for n in range(8):
        (folder / f"{n}.txt").write_text(
            f"Ann Lee {'raced cars in Monza' if n % 2 else 'painted birds in Oslo'} on day {n}."
        )
    alone = crossdoc.resolve(folder, name="Ann Lee", describe=False)
    with LocalEngine(2) as engine:
        parted = crossdoc.resolve(folder, name="Ann Lee", describe=False, output=tmp_path / "out", engine=engine)
    assert len(part_files(tmp_path / "out", "documents")) == 3
    assert rows_of_answer(parted) == rows_of_answer(alone)
    assert parted.answer("mention").sort_by("id").equals(alone.answer("mention").sort_by("id"))
    # They have one name, so that there are none to start from.
    how = {"sampling": {"start": "names", "partitions": 2, "bias": 0.2}}
    with LocalEngine(1) as engine, pytest.raises(errors.UsageError, match="needs names"):
        crossdoc.resolve(folder, name="Ann Lee", describe=False, output=tmp_path / "names", engine=engine,
                         method="sampling", parameters=how)  # fmt: skip


def test_packed_it_can_be_judged_and_added_to(table, tmp_path):
    with LocalEngine(2) as engine:
        parted = crossdoc.resolve(table, output=tmp_path / "out", engine=engine)
    with crossdoc.open(pack(tmp_path / "out", tmp_path / "out.crossdoc")) as packed:
        assert rows_of_answer(packed) == rows_of_answer(parted)
        change = packed.judge("p000", "p001", "different")
        assert change
        packed.undo()
        assert dict(packed.store.entity_of()) == parted.store.entity_of()
        packed.add([Profile("new", "d", "Ann Lee", "person", "Ann Lee w1 w2 w3 w4", "en")])
        assert packed.store.count("profiles") == 91


def test_bundles_follow_from_the_parts_alone():
    parts = [np.arange(n) for n in (900, 900, 900, 2, 1)]
    assert partitions.bundled(parts, pairs=True) == [[0, 1, 2, 3, 4]]
    assert len(partitions.bundled(parts * 10, pairs=True)) == 12


def test_documents_are_compared_as_in_one_process(write, tmp_path, monkeypatch):
    """Some of the sample's: of several languages and topics, in parts, several profiles a document."""
    monkeypatch.setattr(slices, "TEXT_ROWS", 10)
    monkeypatch.setattr(partitions, "PAIRS_IN_A_BUNDLE", 50)
    some = (Path(crossdoc.__file__).parent / "sample" / "documents.jsonl").read_text().splitlines()[20:45]
    table = write("some.parquet", [json.loads(line) for line in some])
    with LocalEngine(2) as engine:
        parted = crossdoc.resolve(table, output=tmp_path / "out", engine=engine)
    assert len(part_files(tmp_path / "out", "profiles")) > 1
    assert len(part_files(tmp_path / "out", "identities")) > 3
    alone = crossdoc.resolve(table)
    assert rows_of_answer(parted) == rows_of_answer(alone)
    assert {i.id: i for i in parted.store.identities()} == {i.id: i for i in alone.store.identities()}


def test_columns_types_and_ids_are_read_as_in_one_process(write, tmp_path, monkeypatch):
    monkeypatch.setattr(slices, "TABLE_ROWS", 20)
    rows = [{"author": row["name"], "title": row["context"], "kind": "PER" if n % 5 else "EVENT"}
            for n, row in enumerate(people()[0])]  # fmt: skip
    table = write("people.parquet", rows)
    columns = {"name": "author", "context": "title", "type": "kind"}
    alone = crossdoc.resolve(table, columns=columns)
    with LocalEngine(1) as engine:
        parted = crossdoc.resolve(table, columns=columns, output=tmp_path / "out", engine=engine)
    assert rows_of_answer(parted) == rows_of_answer(alone)
    assert len(alone.profiles) == 72
    for note in ("90 rows have no id; ids were made from file and row, as 'people:1'", "'EVENT' (18)"):
        assert all(sum(note in each for each in found.notes) == 1 for found in (alone, parted))


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_columns_of_tables_are_called_as_the_user_says(write, tmp_path, kind):
    rows = [{"author": "Ann Lee", "title": "Ann Lee raced in Monza"}, {"author": "Bob Ray", "title": "Bob Ray sang"}]
    content = "author,title\nAnn Lee,Ann Lee raced in Monza\nBob Ray,Bob Ray sang\n" if kind == "csv" else rows
    table, columns = write(f"table.{kind}", content), ["name=author", "context=title"]
    with LocalEngine(1) as engine:
        parted = crossdoc.resolve(table, output=tmp_path / "out", engine=engine, columns=columns)
    assert parted.profiles.arrow.equals(crossdoc.resolve(table, columns=columns).profiles.arrow)
    assert parted.profiles.column("context").to_pylist() == [row["title"] for row in rows]
