"""Documents in, from folders and tables."""

import json
import os
from datetime import date

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crossdoc.errors import CrossdocError
from crossdoc.model import Document, Mention
from crossdoc.read import DocumentReader, find_sources

COMPRESSIONS = ["", ".gz", ".xz", ".zst"]
RECORDS = [
    {"id": "a", "text": "John Smith spoke on Monday.", "title": "T", "language": "en", "date": "1996-01-14"},
    {"id": "b", "text": 'He said "no, never",\nand left; Zürich.', "title": None, "language": "de", "date": "1996"},
]


def read(*paths, **options):
    reader = DocumentReader(find_sources(paths), **options)
    return [document for batch in reader for document in batch], reader


def refused(*paths, **options):
    with pytest.raises(CrossdocError) as caught:
        read(*paths, **options)
    return caught.value.what


@pytest.mark.parametrize("compression", COMPRESSIONS)
@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
def test_tables(write, kind, compression):
    documents, _ = read(write(f"d.{kind}{compression}", RECORDS))
    assert documents == [Document(**record) for record in RECORDS]


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_folder(write, tmp_path, compression):
    write(f"in/one.txt{compression}", "The first one.\r\nSecond line.\x07")
    write(f"in/sub/two.html{compression}", "<title>Two</title><p>John <i>Smith</i>")
    write(f"in/three.md{compression}", "# Heading of three")
    documents, _ = read(tmp_path / "in")
    assert [(d.id.removesuffix(compression), d.text, d.title) for d in documents] == [
        ("one.txt", "The first one.\nSecond line.", None),
        ("sub/two.html", "John Smith", "Two"),
        ("three.md", "# Heading of three", None),
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_encodings_of_files(write, encoding):
    text = "Der Präsident sagte, Müller wohne in Köln und nicht in Düsseldorf."
    documents, _ = read(write("a.txt", text.encode(encoding)))
    assert documents[0].text == text
    assert documents[0].language == "de"


def test_a_language_that_is_given_is_kept(write):
    documents, _ = read(write("d.jsonl", [{"id": "a", "text": "The cat sat on the mat today.", "language": "xx"}]))
    assert documents[0].language == "xx"


def test_given_mentions(write):
    mentions = [
        {"start": 0, "end": 10, "type": "person", "chain": "c1"},
        {"id": "m2", "start": 14, "end": 16},
    ]
    for name in ("d.jsonl", "d.parquet"):
        documents, _ = read(write(name, [{"id": "a", "text": "John Smith of GM", "mentions": mentions}]))
        assert documents[0].mentions == (
            Mention("a:0:10", "a", 0, 10, "John Smith", "person", "name", "c1"),
            Mention("m2", "a", 14, 16, "GM", None, "name", None),
        )


def test_no_mentions_are_not_none(write):
    documents, _ = read(
        write("d.jsonl", [{"id": "a", "text": "x", "mentions": []}, {"id": "b", "text": "x", "mentions": None}])
    )
    assert [document.mentions for document in documents] == [(), None]


def test_mention_offsets_count_code_points_of_the_stored_text(write):
    text = "\x01\ud800🙂 Zoë"
    documents, _ = read(write("d.jsonl", [{"id": "a", "text": text, "mentions": [{"start": 4, "end": 7}]}]))
    assert documents[0].mentions[0].text == "Zoë"
    assert documents[0].text == " \ufffd🙂 Zoë"


def test_whole_numbers_and_dates_are_text(write):
    documents, _ = read(write("d.parquet", [{"id": 7, "text": "x", "date": date(1996, 1, 14)}]))
    assert (documents[0].id, documents[0].date) == ("7", "1996-01-14")


def test_a_date_that_is_none_is_noted(write):
    documents, reader = read(write("d.jsonl", [{"id": "a", "text": "x", "date": "last Monday"}]))
    assert documents[0].date is None
    assert reader.notes == {"dates that are not ISO 8601 (ignored)": 1}


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
def test_an_empty_document_is_kept_and_noted(write, kind):
    documents, reader = read(write(f"d.{kind}", [{"id": "a", "text": ""}, {"id": "b", "text": "x y"}]))
    assert [document.text for document in documents] == ["", "x y"]
    assert reader.notes == {"empty documents": 1}


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
def test_documents_without_id_get_one_from_file_and_line(write, kind):
    documents, reader = read(write(f"d.{kind}", [{"text": "Ann left."}, {"text": "Bob came."}]))
    assert [document.id for document in documents] == (["d:2", "d:3"] if kind == "csv" else ["d:1", "d:2"])
    (note,) = reader.rows.lines
    assert note.startswith("2 rows have no id")


def test_mentions_of_other_types_are_left_out_and_counted(write):
    mentions = [{"start": 0, "end": 3, "type": "PER"}, {"start": 4, "end": 8, "type": "EVENT"}]
    documents, reader = read(write("d.jsonl", [{"id": "a", "text": "Ann left.", "mentions": mentions}]))
    assert [mention.text for mention in documents[0].mentions] == ["Ann"]
    assert reader.rows.lines == [
        "1 row of another type was left out (crossdoc resolves person, organisation and place): 'EVENT' (1)"
    ]


def test_all_problems_of_a_file_are_said_at_once(write):
    lines = [
        '{"id": "a", "text": "fine"}',
        '{"id": "b", "text": ',
        '{"text": 5.5}',
        "[1]",
        '{"id": "", "text": "x", "title": ["y"]}',
        '{"id": "c", "text": "abc", "mentions": [{"start": 1, "end": 9}, {"start": "0", "end": 1}, 3]}',
        '{"id": "d", "text": "abc", "mentions": [{"start": 0, "end": 1, "type": "robot"}]}',
        '{"id": "e", "text": "abc", "mentions": "none"}',
    ]
    told = refused(write("d.jsonl", "\n".join(lines)))
    for expected in (
        "d.jsonl: 10 problems",
        "line 2: not valid JSON",
        "line 3: the field 'id' is missing",
        "line 3: the field 'text' must be text, not float",
        "line 4: a JSON object was expected, not list",
        "line 5: the field 'id' is empty",
        "line 5: the field 'title' must be text, not list",
        "line 6: mention 1: 1–9 does not lie within the text of 3 characters",
        "line 6: mention 2: 'start' and 'end' must be whole numbers",
        "line 6: mention 3 must be an object, not int",
        "line 8: the field 'mentions' must be a list, not str",
    ):
        assert expected in told, told


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("id,text\na,one,two\n", "line 2: more cells than the header has names"),
        ('id,text\na,"never closed\n', "not valid CSV"),
        (b"id,text\na,caf\xe9\n", "line 2: not UTF-8"),
        ("id,body\na,b\n", "Columns found, separated by ',': id, body"),
    ],
)
def test_broken_csv(write, content, message):
    assert message in refused(write("d.csv", content))


def test_jsonl_that_is_not_utf8(write):
    assert "line 2: not UTF-8" in refused(write("d.jsonl", b'{"id": "a", "text": "x"}\n{"id": "b", "text": "\xe9"}\n'))


@pytest.mark.parametrize("name", ["d.jsonl.gz", "d.csv.xz", "d.jsonl.zst", "d.parquet", "d.parquet.gz", "d.txt.xz"])
@pytest.mark.parametrize("content", [b"", b"not what the ending says", None])
def test_broken_and_truncated_files(write, name, content):
    records = [{"id": str(i), "text": os.urandom(30).hex()} for i in range(200)]
    path = write(name, records if "txt" not in name else os.urandom(9000).hex())
    path.write_bytes(path.read_bytes()[:-40] if content is None else content)
    told = refused(path)
    assert "cannot be read" in told or "holds no document" in told or "problem" in told


def test_duplicates_within_and_across_files(write, tmp_path):
    record = {"id": "a", "text": "x"}
    one = write("one.jsonl", [record, {"id": "b", "text": "x"}, record, {"id": "b", "text": "y"}])
    assert "one.jsonl: several records have the same id: 'a', 'b'." in refused(one)
    two, three = write("two.jsonl", [record]), write("three.csv", [record])
    assert "three.csv: several records have the same id: 'a'." in refused(two, three)


def test_nothing_more_is_given_out_after_a_duplicate(write):
    records = [{"id": id, "text": "x"} for id in "aabcd"]
    given = []
    with pytest.raises(CrossdocError, match="'a'"):
        given.extend(DocumentReader(find_sources([write("d.jsonl", records)]), batch_size=1))
    assert len(given) == 1


def test_one_bad_file_among_good_ones_is_left_out(write, tmp_path):
    write("in/good.txt", "Good text here.")
    write("in/picture.txt", b"\x89PNG\x00\x00")
    write("in/cut.txt.gz", b"")
    (tmp_path / "in/cut.txt.gz").write_bytes(b"\x1f\x8b\x08")
    documents, reader = read(tmp_path / "in")
    assert [document.id for document in documents] == ["good.txt"]
    assert [("cut.txt.gz" in told, "picture.txt" in told) for told in reader.skipped] == [(True, False), (False, True)]


def test_nothing_but_bad_files(write, tmp_path):
    assert "alone.txt is not text" in refused(write("alone.txt", b"\x00\x01"))
    write("in/a.txt", b"\x00")
    write("in/b.txt", b"\x00")
    told = refused(tmp_path / "in")
    assert "a.txt" in told
    assert "b.txt" in told


@pytest.mark.parametrize("name", ["a.txt", "a.html", "a.txt.gz", "a.jsonl", "a.csv"])
@pytest.mark.parametrize("size", [101, 5000])
def test_too_long_a_document(write, name, size):
    text = "x" * size
    path = write(name, [{"id": "a", "text": text}] if name.endswith(("jsonl", "csv")) else text)
    assert "more than 100 characters" in refused(path, max_document_characters=100)


def test_a_document_just_short_enough(write):
    documents, _ = read(write("a.txt", "é" * 100), max_document_characters=100)
    assert len(documents[0].text) == 100


def test_an_unreachable_limit_reserves_no_memory(write):
    documents, _ = read(write("a.txt", "short"), max_document_characters=10**15)
    assert documents[0].text == "short"


def test_batches(write):
    reader = DocumentReader(find_sources([write("d.jsonl", [{"id": i, "text": "x"} for i in range(7)])]), batch_size=3)
    assert [len(batch) for batch in reader] == [3, 3, 1]


PLAIN = st.text(st.characters(exclude_categories=["Cs", "Cc"]))
NAMED = PLAIN.filter(str.strip)


@given(
    st.lists(
        st.fixed_dictionaries(
            {"id": NAMED, "text": PLAIN, "language": st.just("en")}, optional={"title": NAMED, "source": NAMED}
        ),
        min_size=1,
        max_size=5,
        unique_by=lambda record: record["id"],
    ),
    st.sampled_from(["jsonl", "csv", "parquet"]),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
def test_what_is_written_is_read(write, records, kind):
    full = [{"title": None, "source": None, **record} for record in records]
    documents, _ = read(write(f"d.{kind}", full))
    assert documents == [Document(**record) for record in full]


LEAVES = st.none() | st.booleans() | st.floats() | st.text()


@given(st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
def test_any_json_is_read_or_refused(write, value):
    path = write("d.jsonl", json.dumps({"id": "a", "text": value, "mentions": value, "title": value}))
    if isinstance(value, str):
        assert "mentions" in refused(path)
    else:
        assert "the field 'text'" in refused(path)
