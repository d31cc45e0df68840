"""Lines and bytes of annotated files: encodings, bounds, and elements that know their line."""

import pytest

from crossdoc import errors
from crossdoc.read.annotated import lines
from crossdoc.read.annotated.lines import bytes_of, lines_of, parse_safely
from crossdoc.read.sources import Source


def source_of(path):
    return Source(path, path.name, "naf")


def test_lines(write):
    path = write("a.naf.gz", "\ufeffone\r\ntwo\n\nthree".encode())
    assert list(lines_of(source_of(path))) == [(1, "one"), (2, "two"), (3, ""), (4, "three")]


def test_a_file_that_is_cut_short(write):
    path = write("a.naf.gz", "one two three " * 100)
    path.write_bytes(path.read_bytes()[:-12])
    for read in (bytes_of, lambda source: list(lines_of(source))):
        with pytest.raises(errors.InputError, match="cannot be read"):
            read(source_of(path))


def test_what_unpacks_to_more_than_the_bound_is_refused(write, monkeypatch):
    monkeypatch.setattr(lines, "MOST_ANNOTATED_BYTES", 1 << 20)
    assert len(bytes_of(source_of(write("a.gz", b"x" * (1 << 20))))) == 1 << 20
    with pytest.raises(errors.InputError, match="more than 1 MB"):
        bytes_of(source_of(write("b.gz", b"x" * ((1 << 20) + 1))))


def test_elements_know_their_line(write):
    path = write("a.naf", "<a>\n<b x='1'>t</b>\n\n<c/></a>")
    root = parse_safely(source_of(path), path.read_bytes())
    assert [(e.tag, e.line, e.text, e.get("x")) for e in root.iter()] == [
        ("a", 1, "\n", None), ("b", 2, "t", "1"), ("c", 4, None, None),
    ]  # fmt: skip


def test_deep_xml_is_no_danger(write):
    content = b"<a>" * 200_000 + b"</a>" * 200_000
    assert parse_safely(source_of(write("a.naf", content)), content).tag == "a"
