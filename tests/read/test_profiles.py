"""Profiles that another extractor made."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from crossdoc.errors import CrossdocError
from crossdoc.model import Profile, Relation
from crossdoc.read import find_sources, read_all_profiles, read_profiles
from crossdoc.read.documents import holds_profiles
from crossdoc.read.profiles import type_of
from crossdoc.read.records import RowNotes

RECORD = {
    "id": "p1",
    "document": "a1",
    "name": "John Smith",
    "type": "person",
    "context": "chairman of …",
    "language": "en",
    "attributes": {"descriptor": ["chairman", "CEO"], "age": ["54"]},
    "relations": [{"type": "employment", "name": "General Motors", "profile": "p7", "evidence": None}],
}
PROFILE = Profile(
    "p1",
    "a1",
    "John Smith",
    "person",
    "chairman of …",
    "en",
    {"descriptor": ["chairman", "CEO"], "age": ["54"]},
    (Relation("employment", "General Motors", "p7"),),
)
BARE = {"id": "p2", "document": "a1", "name": "Ann"}


def read(*paths):
    return [profile for batch in read_profiles(find_sources(paths)) for profile in batch]


def refused(*paths):
    with pytest.raises(CrossdocError) as caught:
        read(*paths)
    return caught.value.what


@pytest.mark.parametrize("compression", ["", ".gz", ".xz", ".zst"])
@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_read(write, kind, compression):
    path = write(f"p.{kind}{compression}", [RECORD, BARE])
    assert holds_profiles(find_sources([path])[0])
    assert read(path) == [PROFILE, Profile("p2", "a1", "Ann")]


def test_a_struct_column_has_none_for_what_a_profile_lacks(write):
    records = [RECORD, {**BARE, "attributes": {"title": ["Dr."]}}, {**BARE, "id": "p3", "attributes": None}]
    found = read(write("p.parquet", records))
    assert [profile.attributes for profile in found] == [RECORD["attributes"], {"title": ["Dr."]}, {}]


def test_a_map_column(tmp_path):
    kind = pa.map_(pa.string(), pa.list_(pa.string()))
    pairs = [("descriptor", ["chairman"]), ("age", None), ("descriptor", ["CEO"])]
    table = pa.table({"id": ["p"], "document": ["a"], "name": ["Ann"], "attributes": pa.array([pairs], kind)})
    pq.write_table(table, tmp_path / "p.parquet")
    assert read(tmp_path / "p.parquet")[0].attributes == {"descriptor": ["chairman", "CEO"]}


def test_single_texts_and_numbers_are_lists_of_texts(write):
    path = write("p.jsonl", [{**BARE, "attributes": {"age": 54, "title": "Dr.", "ages": [1, 2.5], "none": []}}])
    assert read(path)[0].attributes == {"age": ["54"], "title": ["Dr."], "ages": ["1", "2.5"], "none": []}


def test_rows_of_other_types_are_left_out_and_counted(write):
    notes = RowNotes()
    types = ["PER", "EVENT", "geo", "EVENT", "ship", None]
    path = write("p.jsonl", [{**BARE, "id": str(n), "type": type} for n, type in enumerate(types)])
    found = [profile for batch in read_profiles(find_sources([path]), notes=notes) for profile in batch]
    assert [(profile.id, profile.type) for profile in found] == [("0", "person"), ("2", "place"), ("5", None)]
    (note,) = notes.lines
    assert note.startswith("3 rows of other types were left out")
    assert note.endswith("'EVENT' (2), 'ship' (1)")


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
def test_rows_without_id_are_called_by_document_and_place_or_else_by_line(write, kind):
    notes = RowNotes()
    rows = [{"document": "d", "name": name, "start": 3, "end": 9} for name in ("Ann", "Anna")]
    path = write(f"p.{kind}", [*rows, {"document": "d", "name": "Bob", "start": 20, "end": 23}])
    ids = [id for batch in read_profiles(find_sources([path]), notes=notes) for id in batch.ids]
    assert [ids[0], ids[2]] == ["d:3:9", "d:20:23"]
    assert ids[1] == {"jsonl": "p:2", "csv": "p:3", "parquet": "p:2"}[kind]
    assert notes.lines == ["3 rows have no id; ids were made from file and row, as 'd:3:9'"]


def test_all_problems_are_said_at_once(write):
    told = refused(
        write(
            "p.jsonl",
            [
                {**BARE, "id": None},
                {"name": "", "document": 1.5, "id": "q", "type": "dog"},
                {**BARE, "attributes": 5},
                {**BARE, "attributes": {"age": [None], "job": {"x": 1}, "is": True}},
                {**BARE, "relations": {"type": "x"}},
                {**BARE, "relations": [{"type": "x"}, "y"]},
            ],
        )
    )
    for expected in (
        "10 problems",
        "line 1: the field 'id' is missing",
        "line 2: the field 'name' is empty",
        "line 2: the field 'document' must be text, not float",
        "line 3: the field 'attributes' must be an object, not int",
        "line 4: attribute 'age' must be a list of texts",
        "line 4: attribute 'job' must be a list of texts",
        "line 4: attribute 'is' must be a list of texts",
        "line 5: the field 'relations' must be a list, not dict",
        "line 6: relation 1 must be an object with the texts 'type' and 'name'",
    ):
        assert expected in told, told


def test_mentions_without_document_or_id_have_their_own(write):
    found = read(write("m.jsonl", [{"id": "a", "name": "Ann", "context": "x"}, {"id": "b", "name": "Bob"}]))
    assert [(profile.id, profile.document) for profile in found] == [("a", "a"), ("b", "b")]
    found = read(write("n.jsonl", [{"name": "Ann", "document": "d"}, {"name": "Bob", "document": "d"}]))
    assert [(profile.id, profile.document) for profile in found] == [("n:1", "d"), ("n:2", "d")]
    found = read(write("l.jsonl", [{"id": "a", "name": "Ann"}, {"id": "b", "name": "Bob", "document": "d"}]))
    assert [(profile.id, profile.document) for profile in found] == [("a", "a"), ("b", "d")]
    told = refused(write("o.jsonl", [BARE, {"id": "b", "name": "Bob"}]))
    assert "line 2: the field 'document' is missing" in told


def test_duplicate_ids(write):
    assert "'p2'" in refused(write("p.jsonl", [BARE, RECORD, BARE]))
    assert "two.jsonl" in refused(write("one.jsonl", [BARE]), write("two.jsonl", [RECORD, BARE]))


def test_no_profile(write):
    assert "p.jsonl holds no profile" in refused(write("p.jsonl", ""))


@pytest.mark.parametrize(
    ("records", "is_profile"),
    [
        ([BARE], True),
        ([{"id": "a", "text": "x"}], False),
        ([{"name": "x", "text": "y"}], False),
        ([{"id": "a", "name": None}, BARE], True),
        ([{"id": "a", "context": "x y"}], True),
        ([{"id": "a", "name": "x"}, {"id": "b", "text": "y"}], False),
    ],
)
def test_profiles_are_told_from_documents(write, records, is_profile):
    assert holds_profiles(find_sources([write("x.jsonl", records)])[0]) is is_profile


def test_contexts_without_names_are_not_taken_for_documents(write):
    assert "line 1: the field 'name' is missing" in refused(write("x.jsonl", [{"id": "a", "context": "x y"}]))


def test_the_profiles_of_several_files_are_one_table(write):
    paths = [
        write(f"{name}.jsonl", [{"id": f"{name}{row}", "document": "d", "name": "Ann"} for row in range(2)])
        for name in "ba"
    ]
    assert read_all_profiles(paths).ids.tolist() == ["b0", "b1", "a0", "a1"]
    with pytest.raises(CrossdocError, match="holds no profile"):
        read_all_profiles([write("none.jsonl", "")])


ODD = {
    "plain": {},
    "no ids": {"id": None},
    "no document": {"document": ["d1", None, "d3"]},
    "a document that comes later": {"document": [None, "d2", "d3"]},
    "an id that comes later": {"id": [None, "p2", "p3"]},
    "numbers": {"id": [1, 2, 3]},
    "no name": {"name": ["Ann", "", "Bo"]},
    "a blank name": {"name": ["Ann", " \u2003", "Bo"]},
    "a control character": {"name": ["Ann", "B\x1bo", "C\x9f"]},
    "and one in a context": {"context": ["a\x00b", None, "c"]},
    "contexts without anything": {"context": [None, "", " \t"]},
    "a type": {"type": ["PER", "person", None]},
    "an attribute": {"attribute:title": ["Dr.", None, "Ms"]},
    "the same id twice": {"id": ["p1", "p2", "p1"]},
}


@pytest.mark.parametrize("columns", ODD.values(), ids=ODD)
def test_columns_are_read_as_records_are(tmp_path, write, columns):
    usual = {"id": ["p1", "p2", "p3"], "name": ["Ann", "B ö", "C\u00a0"], "context": ["a b", "tab\t", "é"]}
    table = pa.table({name: each for name, each in {**usual, **columns}.items() if each is not None})
    pq.write_table(table, tmp_path / "p.parquet")
    lines = [{name: cell for name, cell in row.items() if cell is not None} for row in table.to_pylist()]
    path = write("p.jsonl", lines)
    try:
        wanted = read(path)
    except CrossdocError:
        assert refused(tmp_path / "p.parquet").replace("parquet", "jsonl").replace("row", "line") == refused(path)
    else:
        assert read(tmp_path / "p.parquet") == wanted


@pytest.mark.parametrize(
    ("label", "type"),
    [("PER", "person"), ("Location", "place"), ("GPE", "place"), ("I-ORG", "organisation"), ("place", "place"),
     ("", None), (None, None), ("NORP", None)],
)  # fmt: skip
def test_labels_of_other_tools(label, type):
    assert type_of(label) == type
