"""Words by numbers, against `raw_words`, which splits one text at a time."""

import random
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

from crossdoc.compare import word_codes
from crossdoc.compare.vectors import raw_words
from crossdoc.compare.word_codes import UncompiledWordTable, WordTable, clear_cells, count_texts, word_table


def _read(texts: pa.ChunkedArray, made: type[WordTable] = WordTable) -> list[list[str]]:
    table = made(raw_words)
    coded = [(one.start, one.code) for one in table.codes(texts)]
    words = table.words()
    assert len(set(words)) == len(words) == len(table)
    return [[words[c] for c in code[a:b]] for start, code in coded for a, b in pairwise(start)]


@pytest.mark.parametrize("at_once", [1, 2_000, 4 * 2**20])
def test_texts_are_split_as_one_by_one(monkeypatch, at_once):
    monkeypatch.setattr(word_codes, "BYTES_AT_ONCE", at_once)
    rng = random.Random(1)
    texts = ["".join(rng.choice("aAzZ09_ '.-é’ß1b") for _ in range(rng.randrange(25))) for _ in range(3_000)]
    texts += [None, "", "3d4f x9", "90s F16's 7", "A_b"]
    chunks = pa.chunked_array([pa.array(texts[:50]), pa.array(texts).slice(50)])
    for made in (WordTable, UncompiledWordTable):
        assert _read(chunks, made) == [raw_words(text or "") for text in texts]


def test_a_table_grows_with_its_words():
    texts = [f"word{number} {number}x the" for number in range(5_000)]
    assert _read(pa.chunked_array([texts])) == [[f"word{number}", "x", "the"] for number in range(5_000)]


@pytest.mark.parametrize("made", [WordTable, UncompiledWordTable])
def test_words_from_a_number_on(made):
    table = made(raw_words)
    list(table.codes(pa.chunked_array([["red car"], ["red bus"]])))
    assert (table.words(), table.words(2), table.words(3)) == (["red", "car", "bus"], ["bus"], [])


def test_without_a_compiler_no_kernel_is_needed(monkeypatch):
    assert type(word_table(raw_words)) is WordTable
    monkeypatch.setattr(word_codes.config, "DISABLE_JIT", 1)
    assert type(word_table(raw_words)) is UncompiledWordTable


def test_a_text_counts_a_word_once():
    seen, counted = np.full(2, -1), np.zeros(2, dtype=np.int64)
    count_texts(np.array([0, 3, 4]), np.array([0, 1, 0, 1], dtype=np.int32), seen, counted, 0)
    assert counted.tolist() == [1, 2]


def test_cells_that_are_there_are_cleared():
    value = np.array([1.0, 2.0, 3.0])
    rows, columns = np.array([0, 1, 0, 1]), np.array([4, 4, 3, 9])
    clear_cells(np.array([0, 2, 3]), np.array([1, 4, 4], dtype=np.int32), value, rows, columns)
    assert value.tolist() == [1.0, 0.0, 0.0]
