"""From the paths a user names to the files to read."""

import gzip
import io
import lzma
import os
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from crossdoc.errors import CrossdocError
from crossdoc.read import find_sources
from crossdoc.read.sources import kind_of, open_binary, reason


def compress(content: bytes, ending: str) -> bytes:
    return {
        "": lambda: content,
        ".gz": lambda: gzip.compress(content),
        ".xz": lambda: lzma.compress(content),
        ".zst": lambda: pa.compress(content, codec="zstd", asbytes=True),
    }[ending]()


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.txt", "text"),
        ("a.md", "text"),
        ("a.HTM", "html"),
        ("a.html.gz", "html"),
        ("a.jsonl.zst", "jsonl"),
        ("a.ndjson", "jsonl"),
        ("a.csv.xz", "csv"),
        ("a.parquet", "parquet"),
        ("a.png", None),
        ("a", None),
        ("a.gz", None),
        ("a.txt.gz.xz", None),
    ],
)
def test_kind_by_ending(name, kind):
    assert kind_of(Path(name)) == kind


def test_a_folder_gives_text_and_html_in_a_fixed_order(tmp_path):
    for name in ("b.txt", "sub/a.html", "sub/c.txt.gz", "notes.md", "table.csv", ".hidden.txt", ".git/x.txt", "p.png"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
    found = find_sources([tmp_path])
    assert [source.id for source in found] == ["b.txt", "notes.md", "sub/a.html", "sub/c.txt.gz"]
    assert [source.kind for source in found] == ["text", "text", "html", "text"]


def test_what_is_not_read_is_counted_by_kind(tmp_path, monkeypatch):
    for name in ("a.txt", "b.log", "c.log", "d.xls", "table.csv", "more/people.json", "closed/e.txt", "README"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
    (tmp_path / "link").symlink_to(tmp_path / "more")
    scan = os.scandir

    def scandir(path):
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", scandir)
    found = find_sources([tmp_path])
    assert [source.id for source in found] == ["a.txt"]
    assert found.notes == [
        "skipped, because crossdoc does not read them: 2 .log, 1 without an ending, 1 .xls, 1 links to folders",
        "tables next to the documents were skipped (name them to read them): more/people.json, table.csv",
        f"the folder {tmp_path / 'closed'} could not be opened",
    ]


def test_pipes_devices_and_links_to_nowhere_are_counted_and_not_waited_for(tmp_path):
    (tmp_path / "a.txt").write_text("x")
    os.mkfifo(tmp_path / "b.txt")
    (tmp_path / "c.txt").symlink_to("/dev/zero")
    (tmp_path / "d.txt").symlink_to(tmp_path / "gone.txt")
    found = find_sources([tmp_path])
    assert [source.id for source in found] == ["a.txt"]
    assert found.notes == ["skipped, because crossdoc does not read them: 2 pipes or devices, 1 links to nowhere"]


def test_standard_input(monkeypatch):
    for content, kind in ((b"John Smith.", "text"), (b'{"id": "1", "text": "x"}', "jsonl"), (b"id;text\n", "csv")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        (source,) = find_sources(["-"])
        assert (source.id, source.kind) == ("stdin", kind)
        for _ in range(2):
            with source.open() as stream:
                assert stream.read() == content
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        assert find_sources(["-"])[0].stamp() == source.stamp()


def test_a_folder_without_known_endings_is_plain_text(tmp_path):
    (tmp_path / "960114.114").write_text("x")
    (tmp_path / "readme.csv").write_text("x")
    assert [(source.id, source.kind) for source in find_sources([tmp_path])] == [("960114.114", "text")]


def test_several_inputs_keep_their_order(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "x.txt").write_text("x")
    (tmp_path / "a.jsonl").write_text("{}")
    assert [s.id for s in find_sources([tmp_path / "folder", tmp_path / "a.jsonl"])] == ["x.txt", "a.jsonl"]


@pytest.mark.parametrize("ending", ["", ".gz", ".xz", ".zst"])
def test_open_decompresses(tmp_path, ending):
    content = "line one\nZürich\n".encode() * 10_000
    path = tmp_path / f"a.txt{ending}"
    path.write_bytes(compress(content, ending))
    with open_binary(path) as stream:
        assert stream.read() == content
    with open_binary(path) as stream:
        assert next(iter(stream)) == b"line one\n"


@pytest.mark.parametrize(
    ("name", "message"),
    [("nothing.txt", "no file or folder"), ("a.png", "cannot tell what kind"), ("empty", "holds no document")],
)
def test_what_cannot_be_a_source(tmp_path, name, message):
    (tmp_path / "a.png").write_bytes(b"PK")
    (tmp_path / "empty").mkdir()
    with pytest.raises(CrossdocError, match=message):
        find_sources([tmp_path / name])


def test_a_folder_of_tables_says_to_name_them(tmp_path):
    (tmp_path / "a.jsonl").write_text("{}")
    with pytest.raises(CrossdocError, match=r"only tables such as a\.jsonl"):
        find_sources([tmp_path])


def test_a_pipe_is_refused_without_waiting(tmp_path):
    os.mkfifo(tmp_path / "a.jsonl")
    with pytest.raises(CrossdocError, match="a pipe or a device"):
        find_sources([tmp_path / "a.jsonl"])


def test_a_file_name_that_is_not_utf8_gets_a_clean_id(tmp_path):
    (tmp_path / os.fsdecode(b"caf\xe9\x1b.txt")).write_text("x")
    assert [source.id for source in find_sources([tmp_path])] == ["caf\ufffd .txt"]


def test_reason_is_one_line_without_a_full_stop():
    assert reason(OSError(2, "No such file")) == "No such file"
    assert reason(ValueError("first.\nsecond")) == "first"
    assert reason(EOFError()) == "it ends early"
