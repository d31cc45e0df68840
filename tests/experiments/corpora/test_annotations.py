"""Shared parts of the corpus readers."""

import pyarrow as pa
import pytest
from corpora.annotations import (
    RunningText,
    corpus_file,
    corpus_files,
    gold_of_chains,
    gold_table,
    join_tokens,
    mention_at,
    parse_xml,
    read_utf8,
    tag_runs,
)

from crossdoc.errors import CrossdocError, InputError
from crossdoc.model import Document


def test_offsets_are_those_of_the_tokens():
    tokens = [(0, 0, "("), (0, 1, "Ann"), (0, 2, ")"), (0, 3, "left"), (0, 4, "."), (4, 0, "She"), (4, 1, "sang")]
    text, offsets = join_tokens(tokens)
    assert text == "(Ann) left.\nShe sang"
    assert [text[slice(*offsets[sentence, token])] for sentence, token, _ in tokens] == [word for _, _, word in tokens]
    assert join_tokens([(0, 0, "U.S"), (0, 1, ".")], (), ())[0] == "U.S ."


def test_runs_of_tags_end_at_another_type_and_at_breaks():
    tags = ["I-PER", "I-PER", "I-PER", "I-LOC", "O", "B-ORG", "B-ORG", "I-ORG"]
    assert list(tag_runs(tags)) == [(0, 3), (3, 4), (5, 6), (6, 8)]
    assert list(tag_runs(tags, breaks={2})) == [(0, 2), (2, 3), (3, 4), (5, 6), (6, 8)]


def test_gold_has_one_row_per_chain_and_document():
    text = "Ann Lee and Lee"
    spans = [((0, 7), "e"), ((12, 15), "e"), ((4, 7), None)]
    mentions = tuple(mention_at("d", text, span, "person", chain=chain) for span, chain in spans)
    assert mentions[0].text == "Ann Lee"
    assert gold_of_chains([Document("d", text, mentions=mentions)]).to_pylist() == [{"id": "d:0:7", "entity": "e"}]


def test_tables_have_text_columns_even_without_rows():
    assert gold_table([]).schema == pa.schema([("id", pa.string()), ("entity", pa.string())])
    assert gold_table([("a", "x", "n")], groups=True).column_names == ["id", "entity", "group"]


def test_files(write, tmp_path):
    write("a.txt", b"\xef\xbb\xbfM\xc3\xbcller")
    write("b.txt.gz", "Lee")
    assert [read_utf8(path) for path in corpus_files(tmp_path, "*.txt*", "a.txt")] == ["Müller", "Lee"]
    for wrong in (
        lambda: corpus_files(tmp_path, "*.xml", "NAME.xml"),
        lambda: corpus_files(tmp_path / "none", "*", "a.txt"),
        lambda: corpus_file(tmp_path, "c.txt"),
        lambda: read_utf8(write("latin.txt", b"M\xfcller")),
    ):
        with pytest.raises(CrossdocError):
            wrong()


def test_running_text():
    running = RunningText()
    running.end_sentence()
    assert [running.add("Ann", ""), running.add("'s")] == [(0, 3), (3, 5)]
    running.end_sentence()
    assert running.add("Bob") == (6, 9)
    assert running.text == "Ann's\nBob"


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
