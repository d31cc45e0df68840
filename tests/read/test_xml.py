"""XML with repair of entities, ampersands and control characters."""

import pytest

from crossdoc.errors import CrossdocError, InputError
from crossdoc.read.xml import parse_xml


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
