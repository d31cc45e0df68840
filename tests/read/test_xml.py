"""XML that is repaired or read with its lines; lines and bytes of annotated files."""

import pytest

from crossdoc import errors
from crossdoc.errors import CrossdocError, InputError
from crossdoc.read import xml
from crossdoc.read.sources import Source
from crossdoc.read.xml import bytes_of, lines_of, parse_safely, parse_xml


@pytest.mark.parametrize("name", ["a.xml", "a.xml.gz"])
def test_entities_ampersands_and_control_characters_are_repaired(write, name):
    root = parse_xml(write(name, "<?xml version='1.0'?>\n<a>M&uuml;ller &amp; S&P &nosuch; \x01&#233;</a>"))
    assert root.text == "Müller & S&P &nosuch; é"


@pytest.mark.parametrize(
    ("content", "message"),
    [("<a>\n<b></a>", "line 2"), ("", "line 1"), (b"\x00\x01", "zero bytes"), ("no tag", "line 1")],
)
def test_faults_name_file_and_line(write, content, message):
    with pytest.raises(InputError, match=message) as error:
        parse_xml(write("bad.xml", content))
    assert "bad.xml" in error.value.what


def test_a_missing_file_and_a_truncated_one(write, tmp_path):
    with pytest.raises(CrossdocError, match="no file"):
        parse_xml(tmp_path / "none.xml")
    path = write("a.xml.gz", "<a>" + "x" * 1000 + "</a>")
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(InputError, match="cannot be read"):
        parse_xml(path)


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
    monkeypatch.setattr(xml, "MOST_ANNOTATED_BYTES", 1 << 20)
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
