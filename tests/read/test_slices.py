"""Parts of an input hold what the whole holds, once, with the numbers that it has there."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from crossdoc.read import slices
from crossdoc.read.profiles import read_profiles
from crossdoc.read.records import Problems, rows
from crossdoc.read.slices import parts_of
from crossdoc.read.sources import find_sources

RECORDS = [{"name": f"Ann {n}", "context": "x" * (n % 7)} for n in range(57)]


def read(parts):
    return [
        (line, record["name"]) for part in parts for source in part for line, record in rows(source, Problems(source))
    ]


@pytest.mark.parametrize("group", [5, 20, 100])
def test_parquet_is_cut_by_rows_whatever_its_groups(tmp_path, monkeypatch, group):
    monkeypatch.setattr(slices, "TABLE_ROWS", 8)
    pq.write_table(pa.Table.from_pylist(RECORDS), tmp_path / "t.parquet", row_group_size=group)
    parts = parts_of(find_sources([tmp_path / "t.parquet"]), profiles=True)
    assert len(parts) == 8
    assert read(parts) == [(n + 1, each["name"]) for n, each in enumerate(RECORDS)]
    assert len(read(parts[-1:])) == 1


def test_batches_of_a_large_group_are_cut_too(tmp_path, monkeypatch):
    monkeypatch.setattr(slices, "TABLE_ROWS", 3000)
    many = [{"name": f"Ann {n}", "context": ""} for n in range(10_000)]
    pq.write_table(pa.Table.from_pylist(many), tmp_path / "t.parquet")
    parts = parts_of(find_sources([tmp_path / "t.parquet"]), profiles=True)
    assert [len(read([part])) for part in parts] == [3000, 3000, 3000, 1000]
    assert read(parts) == [(n + 1, each["name"]) for n, each in enumerate(many)]


@pytest.mark.parametrize("most", [1, 50, 300, 10_000])
def test_lines_are_whole(write, monkeypatch, most):
    monkeypatch.setattr(slices, "TABLE_BYTES", most)
    path = write("t.jsonl", RECORDS)
    parts = parts_of(find_sources([path]), profiles=True)
    assert read(parts) == [(n, each["name"]) for n, each in enumerate(RECORDS, 1)]
    assert (len(parts) > 1) == (most < 10_000)


def test_lines_behind_others_know_their_numbers(write, monkeypatch):
    monkeypatch.setattr(slices, "TABLE_BYTES", 300)
    parts = parts_of(find_sources([write("t.jsonl", RECORDS)]), profiles=True)
    ids = [id for batch in read_profiles([part[0] for part in parts]) for id in batch.ids]
    assert ids == [f"t:{n}" for n in range(1, 58)]


def test_files_of_a_folder_and_a_table_between_them(tmp_path, monkeypatch, write):
    monkeypatch.setattr(slices, "TEXT_ROWS", 2)
    folder = tmp_path / "docs"
    folder.mkdir()
    for n in range(3):
        (folder / f"{n}.txt").write_text("text")
    sources = [*find_sources([folder]), *find_sources([write("t.csv", RECORDS)])]
    assert [[source.id for source in part] for part in parts_of(sources, profiles=False)] == [
        ["0.txt", "1.txt"],
        ["2.txt", "t.csv"],
    ]
