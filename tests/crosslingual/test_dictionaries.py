"""Bilingual dictionaries on file."""

import gzip

import pytest

from crossdoc.crosslingual.dictionaries import read_dictionary
from crossdoc.errors import CrossdocError

from .common import TSV

ARTICLES = [
    ("00databaseinfo", "FreeDict"),
    ("haus", "Haus /haʊs/ <neut>\n[archit.] house <n>, building (large)\n   Synonym: {Gebäude}\n"),
    ("ĳs", "ĳs /ɛis/\n1. ice; ice cream\n"),
    ("gang", "Gang\n 1.\n walk, gait\n"),
]


DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def base64(number):
    return (base64(number // 64) if number >= 64 else "") + DIGITS[number % 64]


@pytest.fixture
def dictd(tmp_path):
    body, index = b"", []
    for word, article in ARTICLES:
        content = article.encode()
        index.append(f"{word}\t{base64(len(body))}\t{base64(len(content))}\n")
        body += content
    (tmp_path / "freedict-deu-eng.dict.dz").write_bytes(gzip.compress(body))
    (tmp_path / "freedict-deu-eng.index").write_text("".join(index), encoding="utf-8")
    return tmp_path / "freedict-deu-eng.dict.dz"


def test_tsv(write):
    assert read_dictionary(write("de-en.tsv", TSV)) == {
        "haus": ("house", "building", "home"), "in gang setzen": ("start",), "fliegen": ("fly",)
    }  # fmt: skip


def test_dictd(dictd):
    entries = read_dictionary(dictd)
    assert dict(entries) == {"haus": ("house", "building"), "ijs": ("ice", "ice cream"), "gang": ("walk", "gait")}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("de-en.tsv", "only a word\n", "line 1: a word, a tab"),
        ("de-en.tsv", "", "no dictionary entry"),
        ("de-en.doc", "x", "what kind of file"),
        ("de-en.tsv", b"\xff\xfe\xff", "is not text: invalid start byte at byte 0"),
        ("deu-eng.dict", "x", "no file or folder"),
    ],
)
def test_broken_dictionaries(write, name, content, message):
    with pytest.raises(CrossdocError, match=message):
        read_dictionary(write(name, content))


@pytest.mark.parametrize(
    ("index", "message"),
    [
        ("haus\t!!\tB\n", r"eng\.index: .*\n.*line 1: a word, an offset and a length"),
        ("haus\tA\tB\nhaus\n", "line 2: a word, an offset and a length"),
        ("haus\tA\tZZZZ\n", r"line 1: the article is beyond the end of freedict-deu-eng\.dict\.dz"),
        ("", "no dictionary entry"),
    ],
)
def test_a_broken_index(dictd, index, message):
    (dictd.parent / "freedict-deu-eng.index").write_text(index)
    with pytest.raises(CrossdocError, match=message):
        read_dictionary(dictd)
