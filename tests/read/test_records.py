"""Rows of tables as records, and the collection of their faults."""

import json
from collections import Counter
from datetime import date

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

import crossdoc
from crossdoc import errors
from crossdoc.errors import InputError
from crossdoc.model import Document, Documents, Profile, Profiles
from crossdoc.read.records import Problems, Record, RowNotes, UniqueIds, batches, csv_lines, rows, separator, sources_of
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


CARS, POEMS = "engine race lap pit wheel", "verse spring poem rhyme ode"
TEXTS = [
    {"id": f"d{i}", "text": f"John Smith {words}.", "language": "en", "date": "1996-01"}
    for i, words in enumerate((CARS, CARS, POEMS, POEMS))
]
ROWS = [
    {"id": f"p{i}", "document": f"d{i}", "name": name, "type": "person", "context": words}
    for i, (name, words) in enumerate(
        (("John Smith", CARS), ("John Smith", CARS), ("John Smith", POEMS), ("Bo Orr", POEMS))
    )
]
FORMS = {
    "nouns": lambda records, noun, table: [noun(**record) for record in records],
    "iterator": lambda records, noun, table: (noun(**record) for record in records),
    "table": lambda records, noun, table: table.of(noun(**record) for record in records),
    "records": lambda records, noun, table: records,
    "arrow": lambda records, noun, table: pa.Table.from_pylist(records),
    "pandas": lambda records, noun, table: pd.DataFrame(records),
    "polars": lambda records, noun, table: pl.DataFrame(records),
}


def written(path, records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def answer(*inputs, **options):
    with crossdoc.resolve(*inputs, **options) as found:
        return found.partition.table(soft=True).to_pylist(), found.identities()


@pytest.mark.parametrize("form", FORMS)
def test_documents_in_any_form(tmp_path, form):
    wanted = answer(written(tmp_path / "d.jsonl", TEXTS), name="John Smith")
    assert answer(FORMS[form](TEXTS, Document, Documents), name="John Smith") == wanted
    assert len(wanted[1]) == 2
    assert wanted[1][0].first_date == "1996-01"


@pytest.mark.parametrize("form", FORMS)
def test_profiles_in_any_form(tmp_path, form):
    wanted = answer(written(tmp_path / "p.jsonl", ROWS))
    assert answer(FORMS[form](ROWS, Profile, Profiles)) == wanted
    assert len(wanted[1]) == 3


def test_single_nouns_and_several_inputs(tmp_path):
    documents = [Document(**record) for record in TEXTS]
    wanted = answer(documents, name="John Smith")
    assert answer(*documents, name="John Smith") == wanted
    path = written(tmp_path / "first.jsonl", TEXTS[:2])
    assert answer(path, pd.DataFrame(TEXTS[2:]), name="John Smith") == wanted


def test_a_table_of_mentions_alone_gets_ids_by_its_number():
    rows = [{"name": "Li", "context": words} for words in ("red car", "red car")]
    (cells, _) = answer(rows)
    assert {row["id"] for row in cells} == {"input 1:1", "input 1:2"}


def test_sources_are_told_apart_by_their_content():
    first, again, other = sources_of([TEXTS, list(TEXTS), TEXTS[1:]])
    assert first.stamp() == again.stamp() != other.stamp()
    assert [str(source.path) for source in (first, again, other)] == ["input 1", "input 2", "input 3"]
    assert first.kind == "memory"


def test_a_stopped_run_of_records_goes_on_only_with_the_same_records(tmp_path):
    class Stop:
        def start(self, stage, total=None):
            if stage == "counting words":
                raise KeyboardInterrupt

        def advance(self, steps=1):
            pass

    output = tmp_path / "o.crossdoc"
    for records, note in ((list(TEXTS), "already read"), (TEXTS[1:], "was discarded")):
        with pytest.raises(KeyboardInterrupt):
            crossdoc.resolve(TEXTS, name="John Smith", output=output, progress=Stop())
        with crossdoc.resolve(records, name="John Smith", output=output) as found:
            assert any(note in said for said in found.notes)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ([], "This input (list of nothing) cannot be read: it must hold Documents, Profiles or records"),
        ([Document("a", "x"), Profile("p", "a", "Ann")], "This input (list of Document, Profile) cannot be read"),
        ([{"id": "a", "text": "x"}, Document("b", "y")], "This input (list of Document, dict) cannot be read"),
        ([1, 2], "This input (list of int) cannot be read"),
        ([{"id": "a", "text": "x"}, {"id": "b", "text": [1]}], "This input (list of records) cannot be read"),
        (7, "This input (int) cannot be read"),
        (pa.table({"name": ["Ann"], "id": ["a"], "document": [[1]]}), "the field 'document' must be text, not list"),
        ([{"id": "a", "text": 3}], "input 1"),
        ([{"text": "x", "id": ""}], "row 1: the field 'id' is empty"),
        (pd.DataFrame({"id": ["a"], "title": ["x"]}), "row 1: the field 'text' is missing"),
        (pl.DataFrame({"context": ["x"]}), "row 1: the field 'name' is missing"),
        (pd.DataFrame(), "input 1 holds no document"),
        (pl.DataFrame({"id": [], "text": []}), "input 1 holds no document"),
        (Profiles.of([]), "input 1 holds no"),
        (pd.DataFrame({"id": ["a", "a"], "text": ["x", "y"]}), "'a'"),
        (pd.DataFrame({"id": ["a", 3], "text": ["x", "y"]}), "This input (DataFrame) cannot be read"),
    ],
)
def test_what_is_no_collection_gets_a_message(given, told):
    with pytest.raises(errors.CrossdocError) as caught:
        crossdoc.resolve(given)
    assert told in str(caught.value)


def test_documents_beside_profiles_in_memory():
    with pytest.raises(errors.UsageError, match="cannot be resolved in one run: input 1, input 2"):
        crossdoc.resolve(TEXTS, ROWS)
