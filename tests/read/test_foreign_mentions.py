"""Tables of other programs: which column is which, rows as profiles, and what is refused."""

import re

import pandas
import polars
import pyarrow as pa
import pytest

from crossdoc.errors import CrossdocError
from crossdoc.read.foreign_mentions import find_columns, read_mention_rows
from crossdoc.read.records import RowNotes

ROWS = [
    {"doc_id": "a", "entity": "John Smith", "label": "PER", "chunk": "John Smith runs General Motors."},
    {"doc_id": "b", "entity": "General Motors", "label": "ORG", "chunk": "Cars of General Motors."},
    {"doc_id": "b", "entity": "Christmas", "label": "EVENT", "chunk": "Christmas is near."},
]


@pytest.mark.parametrize(
    ("columns", "field", "column"),
    [
        (["title", "type", "description"], "name", "title"),
        (["Entity", "Doc ID"], "document", "Doc ID"),
        (["name", "title", "text"], "name", "name"),
        (["text", "start_char", "end_char", "label_"], "text", "text"),
        (["mention", "context", "record_id"], "id", "record_id"),
        (["name", "source", "doc_id"], "document", "doc_id"),
    ],
)
def test_columns_are_found_by_the_names_that_programs_use(columns, field, column):
    assert find_columns(columns)[field] == column


def test_a_given_column_goes_first():
    assert find_columns(["name", "author"], {"name": "author"})["name"] == "author"


@pytest.mark.parametrize("make", [list, pa.Table.from_pylist, pandas.DataFrame, polars.DataFrame,
                                  lambda rows: {key: [row[key] for row in rows] for key in rows[0]}])  # fmt: skip
def test_every_kind_of_table_gives_the_same_profiles(make):
    notes = RowNotes()
    first, second, third = read_mention_rows(make(ROWS), notes=notes)
    assert (first.id, first.document, first.name, first.type) == ("row 1", "a", "John Smith", "person")
    assert second.type == "organisation"
    assert third is None
    assert notes.other_types == {"EVENT": 1}


def test_offsets_give_the_name_the_id_and_the_window():
    text = "x " * 500 + "John Smith" + " y" * 500
    (profile,) = read_mention_rows([{"doc_id": "d", "text": text, "start": 1000, "end": 1010}], reach=10)
    assert (profile.name, profile.id) == ("John Smith", "d:1000:1010")
    assert profile.context == "x x x x x John Smith y y y y y"


def test_a_long_text_is_cut_round_the_name_and_a_short_one_is_kept():
    long, short = "z " * 500 + "Ann Lee spoke. " + "z " * 500, "She spoke."
    cut, kept = read_mention_rows([{"name": "Ann Lee", "text": long}, {"name": "Ann Lee", "text": short}], reach=20)
    assert "Ann Lee spoke." in cut.context
    assert len(cut.context) < 60
    assert kept.context == short


@pytest.mark.parametrize(
    ("table", "columns", "message"),
    [
        ([{"enity": "x", "doc": "a"}], None, "it has enity, doc.*'enity'"),
        ([{"entity": "x"}], {"name": "entty"}, "no column 'entty'; it has entity.*mean entity"),
        ([{"entity": "x"}], {"nme": "entity"}, "no field 'nme'"),
        ([{"name": "x", "text": "short", "start": 2, "end": 9}], None, "2–9 does not lie within the text of 5"),
        ([{"name": "x", "text": "short", "start": 0.5, "end": 2}], None, "whole numbers"),
        ([{"name": "x", "text": "short", "start": float("nan"), "end": 2.0}], None, "whole numbers"),
        ([{"name": "x", "id": "1"}, {"name": "y", "id": "1"}], None, "same id: '1'"),
        ([{"name": "x"}, {"name": ""}], None, "row 2: the row has no name"),
        (7, None, "cannot be read"),
        ({"name": ["a"], "doc": []}, None, "cannot be read"),
    ],
)
def test_what_cannot_be_read_is_named(table, columns, message):
    with pytest.raises(CrossdocError) as raised:
        read_mention_rows(table, columns)
    assert re.search(message, str(raised.value), re.DOTALL), str(raised.value)


def test_a_column_that_only_a_later_record_has_is_read():
    rows = [{"name": "Ann Lee"}, {"name": "Easter", "type": "EVENT"}]
    assert [profile is None for profile in read_mention_rows(rows)] == [False, True]
