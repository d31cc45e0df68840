"""Matrices of SenseClusters, NumPy and SciPy."""

import numpy as np
import pytest
from scipy import sparse

from crossdoc import errors
from crossdoc.model import Document
from crossdoc.read.context_files import Conflation, Context, looks_like_matrix, read_contexts, read_matrix, read_words

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
        first, second, empty = found
        assert first == Context("l1", "tie the line & pull AT&T", 8, 12, "cord")
        assert (second.text, second.target, second.sense) == ("the lines were", "lines", None)
        assert (empty.text, empty.target) == ("", "")
    assert found[1].profile().name == "lines"


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
    assert [context.target for context in found] == ["John Smith", "John", "", ""]
    assert [context.text for context in found][1] == "see John run"
    assert [context.sense for context in found] == ["x", None, None, None]
    csv = read_contexts(write("c.csv", "id,text,start,end\na,see John run,4,8\nb,see <head>Ann</head>,,\n"))
    assert [context.target for context in csv] == ["John", "Ann"]


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
        ([{"id": "a", "text": "abc", "start": 2, "end": 9}], "2–9 does not lie within the text"),
        ([{"id": "a", "text": "abc", "start": 2, "end": 2}], "2–2 does not lie within the text"),
        ([{"id": "a", "text": "abc", "start": "x", "end": 2}], "whole number"),
        ([{"id": "a", "text": "abc", "start": float("inf"), "end": 2}], "whole number"),
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


def test_the_programs_matrices(write):
    dense = read_matrix(write("a.vectors", "2 3\n1 0 2\n0\t1  0.5\n\n"))
    assert dense.toarray().tolist() == [[1, 0, 2], [0, 1, 0.5]]
    thin = read_matrix(write("b.vectors", "3 4 3\n1 2.5 4 1\n\n3 7\n"))
    assert thin.toarray().tolist() == [[2.5, 0, 0, 1], [0] * 4, [0, 0, 7, 0]]


def test_numpys_and_scipys_matrices(tmp_path):
    rows = np.array([[1.0, 0], [0, 2]])
    np.save(tmp_path / "a.npy", rows)
    sparse.save_npz(tmp_path / "a.npz", sparse.csr_matrix(rows))
    for name in ("a.npy", "a.npz"):
        assert looks_like_matrix(tmp_path / name)
        assert read_matrix(tmp_path / name).toarray().tolist() == rows.tolist()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2 3\n1 0 2\n", "line 1: 2 rows were announced and there are 1"),
        ("2 3\n1 0 2\n1 0\n", "line 3: 2 values for 3 columns"),
        ("1 2\n1 x\n", "line 2"),
        ("1 2\n1 nan\n", "line 2: a number is not finite"),
        ("1 4 1\n5 1\n", "line 2: a column is not a whole number from 1 to 4"),
        ("1 4 1\n1.5 1\n", "line 2: a column"),
        ("1 4 1\n1\n", "line 2: a column without a value"),
        ("1 4 2\n1 1\n", "line 1: 2 entries were announced and there are 1"),
        ("rows\n1 2\n", "line 1"),
        ("2\n1 0.5\n0.5 1\n", "line 1: these are similarities"),
        ("3 5\n1 1 2 0.5\n1 0.5 2 1\n3 1\n", "line 1: these are similarities"),
        ("", "line 1"),
    ],
)
def test_broken_matrices_name_the_line(write, text, message):
    with pytest.raises(errors.InputError, match=message):
        read_matrix(write("a.vectors", text))


def test_broken_numpy_files(write, tmp_path):
    np.save(tmp_path / "cube.npy", np.zeros((2, 2, 2)))
    for path in (write("a.npy", "not numpy"), write("a.npz", "not scipy"), tmp_path / "cube.npy"):
        with pytest.raises(errors.InputError, match="cannot be read"):
            read_matrix(path)
    assert not looks_like_matrix(write("t.txt", "2 people\n"))
    assert not looks_like_matrix(write("b.bin", b"\xff\xfe"))


def test_conflation_hides_every_mention_and_keeps_the_gold():
    text = "Mrs. Gandhi met Leonid\nKuchma; Gandhi spoke. Kuchmanov and Gandhis are others."
    names = ["Sonia Gandhi|Mrs. Gandhi|Gandhi", "Leonid Kuchma|Kuchma"]
    found = list(Conflation(names, words=None).contexts([Document("d", text)]))
    assert [context.sense for context in found] == ["Sonia Gandhi", "Leonid Kuchma", "Sonia Gandhi"]
    assert all(context.target == "SoniaGandhiLeonidKuchma" for context in found)
    hidden = "SoniaGandhiLeonidKuchma"
    wanted = f"{hidden} met {hidden}; {hidden} spoke. Kuchmanov and Gandhis are others."
    assert {context.text for context in found} == {wanted}
    for context in found:
        start, end = map(int, context.id.split(":")[1:])
        assert " ".join(text[start:end].split()) in ("Mrs. Gandhi", "Leonid Kuchma", "Gandhi")
    once = Conflation(names, words=1, once=True, pseudonym="X").contexts([Document("d", text), Document("e", "no one")])
    assert [context.text for context in once] == ["X met"]


@pytest.mark.parametrize("names", [[], ["A"], ["A", "A"], ["A", " | "], ["A|B", "B"]])
def test_names_that_cannot_be_conflated(names):
    with pytest.raises(errors.UsageError, match="conflate"):
        Conflation(names)
