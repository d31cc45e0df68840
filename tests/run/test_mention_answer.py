"""Rows in, the same rows with identities out; later rows; pairs to review; nothing written for bad input."""

import pandas
import polars
import pyarrow as pa
import pytest

import crossdoc
from crossdoc.errors import CrossdocError

ROWS = [
    {"doc_id": "a", "entity": "John Smith", "text": "John Smith, the chairman of General Motors in Detroit", "n": 1},
    {"doc_id": "b", "entity": "J. Smith", "text": "the chairman of General Motors, J. Smith, in Detroit", "n": 2},
    {"doc_id": "c", "entity": "John Smith", "text": "John Smith, Labour leader in the House of Commons", "n": 3},
]
LATER = [{"doc_id": "d", "entity": "John Smith", "text": "the Labour leader John Smith, House of Commons", "n": 4}]


@pytest.fixture(scope="module")
def answer():
    with crossdoc.resolve_mentions(ROWS) as answer:
        yield answer


def test_the_rows_come_back_in_their_order_with_their_own_columns(answer):
    assert [row["n"] for row in answer.rows] == [1, 2, 3]
    assert [row["identity"] for row in answer.rows] == ["row 1", "row 1", "row 3"]
    assert {row["canonical_name"] for row in answer.rows} == {"John Smith"}
    assert all(0 < row["certainty"] <= 1 for row in answer.rows)


@pytest.mark.parametrize("make", [pandas.DataFrame, polars.DataFrame, pa.Table.from_pylist])
def test_the_kind_of_table_is_kept(make):
    given = make(ROWS)
    with crossdoc.resolve_mentions(given) as answer:
        assert type(answer.rows) is type(given)
        assert list(answer.rows["n"]) == list(given["n"])
        assert [str(each) for each in answer.rows["identity"]] == ["row 1", "row 1", "row 3"]


def test_an_index_and_a_former_answer_do_not_disturb():
    frame = pandas.DataFrame(ROWS, index=["x", "y", "z"])
    with crossdoc.resolve_mentions(frame) as first, crossdoc.resolve_mentions(first.rows) as second:
        assert list(second.rows.index) == ["x", "y", "z"]
        assert list(second.rows.columns).count("identity") == 1


def test_later_rows_join_and_ids_stay(tmp_path):
    path = tmp_path / "people.crossdoc"
    with crossdoc.resolve_mentions(ROWS, output=path) as answer:
        (later,) = answer.add(LATER)
        assert later["identity"] == "row 3"
        assert [row["identity"] for row in answer.rows] == ["row 1", "row 1", "row 3", "row 3"]
        assert answer.ids == ["row 1", "row 2", "row 3", "row 4"]
    with crossdoc.resolve_mentions([{**LATER[0], "doc_id": "e"}], into=path) as again:
        assert [(row["n"], row["identity"]) for row in again.rows] == [(4, "row 3")]


def test_a_type_that_is_not_resolved_has_no_identity():
    rows = [{"name": "Ann Lee", "type": "PER"}, {"name": "Christmas", "type": "EVENT"}]
    with crossdoc.resolve_mentions(rows) as answer:
        assert [row["identity"] for row in answer.rows] == ["row 1", None]


def test_a_later_row_takes_no_number_that_is_in_use():
    rows = [{"name": "Christmas", "type": "EVENT"}, {"name": "Ann Lee", "type": "PER"}]
    with crossdoc.resolve_mentions(rows) as answer:
        answer.add([{"name": "Bob Ray", "type": "PER"}])
        assert answer.ids == [None, "row 2", "row 3"]


def test_pairs_to_review(answer):
    pairs = answer.review()
    assert pairs.column_names == ["a", "b", "name_a", "name_b", "joined", "doubt"]
    assert all(0 <= doubt <= 1 for doubt in pairs["doubt"].to_pylist())
    assert {*pairs["a"].to_pylist(), *pairs["b"].to_pylist()} <= set(answer.ids)
    assert len(answer.review(top=0)) == 0


def test_a_correction_shows_in_the_rows_and_is_undone():
    with crossdoc.resolve_mentions(ROWS) as answer:
        before = [row["identity"] for row in answer.rows]
        answer.resolution.judge("row 1", "row 2", "different", who="Ada")
        assert len({row["identity"] for row in answer.rows}) == 3
        answer.resolution.undo()
        assert [row["identity"] for row in answer.rows] == before


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([{"x": "a"}], "no column with the names"),
        ([{"name": "Ann", "text": "Ann", "start": 1, "end": 9}], "does not lie within the text of 3 characters"),
        ([{"name": "Ann", "type": "EVENT"}], "'EVENT'"),
        ([], "nothing"),
    ],
)
def test_nothing_is_written_for_bad_input(tmp_path, table, message):
    with pytest.raises(CrossdocError, match=message):
        crossdoc.resolve_mentions(table, output=tmp_path / "out.crossdoc")
    assert list(tmp_path.iterdir()) == []


def test_into_takes_no_settings(answer):
    with pytest.raises(CrossdocError, match="`into` cannot be used"):
        crossdoc.resolve_mentions(ROWS, into=answer.resolution, output="x.crossdoc")
