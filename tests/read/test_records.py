"""Rows of tables as records, and the collection of their faults."""

from collections import Counter
from datetime import date

import pyarrow as pa
import pyarrow.parquet
import pytest

from crossdoc.errors import InputError
from crossdoc.read.records import Problems, Record, RowNotes, UniqueIds, batches, csv_lines, rows, separator
from crossdoc.read.sources import Source, find_sources


@pytest.fixture
def source(write):
    return lambda name, content: find_sources([write(name, content)])[0]


def test_json_is_a_list_a_record_or_an_object_with_one_list(source):
    for content in ('[{"id": 1}]', '{"id": 1}', '{"documents": [{"id": 1}], "n": 3}', '{"id": 1}\n'):
        given = source("a.json", content)
        assert list(rows(given, Problems(given))) == [(1, {"id": 1})]
    given = source("a.json", '[1, {"id": 2}]')
    problems = Problems(given)
    assert list(rows(given, problems)) == [(2, {"id": 2})]
    assert problems.found == ["record 1: a JSON object was expected, not int"]


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [("a.tsv", "a,b\tc", "\t"), ("a.csv", 'a;b;"c,d,e"', ";"), ("a.csv", "a|b", "|"), ("a.csv", "alone", ",")],
)
def test_separators(source, name, content, expected):
    assert separator(source(name, content)) == expected


def test_lines_of_a_csv_keep_their_numbers(source):
    given = source("a.csv", 'a,b\n\n"x\ny",z\n1,2\n')
    assert list(csv_lines(given, Problems(given))) == [(1, ["a", "b"]), (4, ["x\ny", "z"]), (5, ["1", "2"])]


def test_columns_are_renamed(write):
    path = write("a.parquet", [{"author": "Ann"}])
    given = Source(path, "a", "parquet", columns=(("author", "name"),))
    assert [batch.to_pylist() for batch in batches(given, 10)] == [[{"name": "Ann"}]]
    assert list(rows(given, Problems(given))) == [(1, {"name": "Ann"})]


def test_texts_ids_and_dates(source):
    problems = Problems(source("a.jsonl", ""))
    record = Record({"id": 7, "date": date(1996, 1, 14), "text": " ", "title": 7, "bad": "a\x1bb"}, problems, 3)
    assert record.texts("id", "date", "text", "bad") == ("7", "1996-01-14", None, "a b")
    assert record.text("text", empty=True) == " "
    assert record.sound
    record.text("title")
    record.text("name", required=True)
    assert not record.sound
    assert problems.found == ["line 3: the field 'title' must be text, not int", "line 3: the field 'name' is missing"]
    with pytest.raises(InputError, match="2 problems"):
        problems.raise_if_any()


def test_repeated_ids_are_reported_together(source):
    given, ids = source("a.jsonl", ""), UniqueIds()
    for id in "abab":
        ids.add(id, given)
    with pytest.raises(InputError) as error:
        ids.raise_if_repeated()
    assert "a" in error.value.what
    assert list(ids.repeated) == ["a", "b"]


def test_notes_add_up():
    first, second = RowNotes(), RowNotes(Counter({"EVENT": 2}))
    first.number("t:1")
    first.number("t:2", 4)
    union = RowNotes.union([first, second])
    assert (union.numbered, union.example, union.other_types) == (5, "t:1", {"EVENT": 2})
    assert union.lines[0] == "5 rows have no id; ids were made from file and row, as 't:1'"
    assert "'EVENT' (2)" in union.lines[1]
    assert RowNotes().lines == []


def test_a_broken_parquet_file(tmp_path):
    path = tmp_path / "a.parquet"
    pa.parquet.write_table(pa.table({"a": [1]}), path)
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(InputError, match="cannot be read"):
        list(batches(find_sources([path])[0], 10))
