"""The worst inputs so far, of fuzzing (tools/fuzz_readers.py) and by hand: each is read or refused, and at once."""

import gzip
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from crossdoc.errors import CrossdocError
from crossdoc.names.texts import find_contacts, find_name
from crossdoc.read import DocumentReader, find_sources, read_edges, read_known, read_profiles
from crossdoc.read.clean_text import html_to_text
from crossdoc.read.context_files import read_matrix

WORST = Path(__file__).parent / "worst"
SECONDS = 10.0
"""Of CPU, on a slow machine; before they were bounded the first took 47, others minutes."""


def documents(path):
    return [len(batch) for batch in DocumentReader(find_sources([path]))]


def profiles(path):
    return [len(batch) for batch in read_profiles(find_sources([path]))]


TEXTS = {
    "nested HTML": lambda: html_to_text("<div>" * 100_000 + "John Smith"),
    "nested and open": lambda: html_to_text("<div><b>x" * 60_000),
    "open title": lambda: html_to_text("<title>" * 70_000),
    "open tags": lambda: html_to_text("<a " * 170_000),
    "at signs": lambda: find_contacts("a@" * 100_000 + "a." * 50_000),
    "digits": lambda: find_contacts("1-" * 100_000 + "(1) " * 50_000),
    "addresses": lambda: find_contacts("http://" * 50_000),
    "a name again and again": lambda: find_name("John " * 60_000, "John Smith"),
    "initials": lambda: find_name("John " + "A. " * 60_000, "John Smith"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_texts(name):
    began = time.process_time()
    TEXTS[name]()
    assert time.process_time() - began < SECONDS


FILES = {
    "deep.jsonl": (profiles, b'{"name": ' + b"[" * 500_000),
    "deep.json": (documents, b"[" * 500_000),
    "long.csv": (documents, b'id,text\n1,"' + b"a" * 1_000_000),
    "quotes.csv": (documents, b"id,text\n" + b'"' * 500_001),
    "wide.csv": (documents, b"," * 500_000),
    "bomb.jsonl.gz": (documents, gzip.compress(bytes(300_000_000), 9)),
    "bomb.txt.gz": (documents, gzip.compress(b"a " * 150_000_000, 9)),
    "known.csv": (read_known, b"id,name,attributes\n1,Ann," + b"[" * 100_000),
    "edges.csv": (read_edges, b"a,b,strength\n" + b"x,y,1e999\n" * 1000),
}


@pytest.mark.parametrize("name", FILES)
def test_files(write, tmp_path, name):
    reader, content = FILES[name]
    path = tmp_path / name
    path.write_bytes(content)
    began = time.process_time()
    with suppress(CrossdocError):
        reader(path)
    assert time.process_time() - began < SECONDS


def test_what_the_fuzzer_found():
    with pytest.raises(CrossdocError, match="cannot be read"):
        read_matrix(WORST / "header.npy")
    with pytest.raises(CrossdocError, match="cannot be read"):
        read_edges(WORST / "header.npy")
    for name in ("not-utf8.parquet", "no-name.zip"):
        with pytest.raises(CrossdocError, match="cannot be read"):
            documents(WORST / name)


def test_nothing_is_unpickled(tmp_path):
    np.save(tmp_path / "a.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(CrossdocError):
        read_matrix(tmp_path / "a.npy")
