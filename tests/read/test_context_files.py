import pytest

from crossdoc import errors
from crossdoc.read.context_files import Context, read_contexts, read_words

SENSEVAL = """<?xml version="1.0"?>
<corpus lang="en">
<lexelt item="line-n">
<instance id="l1"><answer instance="l1" senseid="cord"/>
<context> <s>tie the <head>line</head> &amp; pull</s> AT&T </context></instance>
<instance id="l2"><context><wf pos="DT">the</wf> <head> <wf pos="NNS">lines</wf></head> <wf>were</wf></context>
</instance>
<instance id="l3"><context></context></instance>
</lexelt>
</corpus>
"""


def test_senseval_with_heads_senses_and_bare_ampersands(write):
    for name in ("line.xml", "line.sval2.gz"):
        found = read_contexts(write(name, SENSEVAL))
        first, second, empty = found.items
        assert first == Context("l1", "tie the line & pull AT&T", 8, 12, "cord")
        assert (second.text, second.target, second.sense) == ("the lines were", "lines", None)
        assert (empty.text, empty.target) == ("", "")
        assert found.unmarked == 1
    assert found.profiles()[1].name == "lines"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<corpus>\n<instance>\n<context>a</contxt></instance></corpus>", "bad.xml, line 3"),
        ("<corpus>\n", "line 2"),
        ("<corpus><instance id='x'/></corpus>", "instance x has no <context>"),
        ("<corpus></corpus>", "no context"),
        ("\x00\x01", "zero bytes"),
    ],
)
def test_malformed_xml_names_file_and_line(write, text, message):
    with pytest.raises(errors.InputError, match=message):
        read_contexts(write("bad.xml", text))


def test_a_target_is_marked_by_its_place_or_by_head(write):
    records = [
        {"id": "a", "text": "see John Smith run", "start": 4, "end": 14, "sense": "x"},
        {"id": "b", "text": "see <head>John</head> run"},
        {"id": "c", "text": "nobody here"},
        {"id": "d", "text": ""},
    ]
    found = read_contexts(write("c.jsonl", records))
    assert [context.target for context in found.items] == ["John Smith", "John", "", ""]
    assert [context.text for context in found.items][1] == "see John run"
    assert found.unmarked == 2
    assert found.senses == ["x", None, None, None]
    csv = read_contexts(write("c.csv", "id,text,start,end\na,see John run,4,8\nb,see <head>Ann</head>,,\n"))
    assert [context.target for context in csv.items] == ["John", "Ann"]


def test_windows_keep_words_round_the_target():
    context = Context("a", "one two three John Smith four five six", 14, 24)
    near = context.within(2)
    assert (near.text, near.target) == ("two three John Smith four five", "John Smith")
    assert context.within(0).text == "John Smith"
    assert context.within(99) == context
    assert Context("b", "no target").within(1).text == "no target"


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([{"id": "a"}], "'text' is missing"),
        ([{"id": "a", "text": "abc", "start": 1}], "both 'start' and 'end'"),
        ([{"id": "a", "text": "abc", "start": 2, "end": 9}], "not within the text"),
        ([{"id": "a", "text": "abc", "start": 2, "end": 2}], "not within the text"),
        ([{"id": "a", "text": "abc", "start": "x", "end": 2}], "whole number"),
        ([{"id": "a", "text": "abc", "start": True, "end": 2}], "whole number"),
        ([{"id": "a", "text": 7}], "must be text"),
        ([{"id": "a", "text": "b"}, {"id": "a", "text": "c"}], "same id"),
    ],
)
def test_bad_records(write, records, message):
    with pytest.raises(errors.InputError, match=message):
        read_contexts(write("c.jsonl", records))


def test_files_that_hold_no_contexts(write, tmp_path):
    with pytest.raises(errors.InputError, match="no context"):
        read_contexts(write("c.jsonl", ""))
    with pytest.raises(errors.InputError, match="what kind of file"):
        read_contexts(write("c.txt", "text"))
    with pytest.raises(errors.UsageError, match="no file"):
        read_contexts(tmp_path / "none.jsonl")


def test_stop_lists(write, tmp_path):
    assert read_words(write("stop.txt", "The\nof und\n\n")) == {"the", "of", "und"}
    with pytest.raises(errors.CrossdocError, match="is not text"):
        read_words(write("latin.txt", b"\xff\xfe"))
    with pytest.raises(errors.CrossdocError, match="no file"):
        read_words(tmp_path / "none.txt")
