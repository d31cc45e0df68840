"""Contexts in records, and matrices of NumPy and SciPy."""

import numpy as np
import pytest
from scipy import sparse

from crossdoc import errors
from crossdoc.read.context_files import Context, is_matrix, read_contexts, read_matrix, read_words


def test_a_target_is_marked_by_its_place_or_by_head(write):
    records = [
        {"id": "a", "text": "see John Smith run", "start": 4, "end": 14},
        {"id": "b", "text": "see <head>John</head> run"},
        {"id": "c", "text": "nobody here"},
        {"id": "d", "text": ""},
    ]
    found = read_contexts(write("c.jsonl", records))
    assert [context.target for context in found] == ["John Smith", "John", "", ""]
    assert [context.text for context in found][1] == "see John run"
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


def test_numpys_and_scipys_matrices(tmp_path):
    rows = np.array([[1.0, 0], [0, 2]])
    np.save(tmp_path / "a.npy", rows)
    sparse.save_npz(tmp_path / "a.npz", sparse.csr_matrix(rows))
    for name in ("a.npy", "a.npz"):
        assert is_matrix(tmp_path / name)
        assert read_matrix(tmp_path / name).toarray().tolist() == rows.tolist()


def test_broken_numpy_files(write, tmp_path):
    np.save(tmp_path / "cube.npy", np.zeros((2, 2, 2)))
    for path in (write("a.npy", "not numpy"), write("a.npz", "not scipy"), tmp_path / "cube.npy"):
        with pytest.raises(errors.InputError, match="cannot be read"):
            read_matrix(path)
    assert not is_matrix(write("t.txt", "2 people\n"))
