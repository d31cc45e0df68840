"""Translators: dictionaries made here, and Apertium where it is installed."""

import gzip
import shutil

import pytest

from crossdoc.crosslingual import (
    ApertiumTranslator,
    DictionaryTranslator,
    FirstThatKnows,
    make_translator,
)
from crossdoc.crosslingual.translators import read_dictionary
from crossdoc.errors import CrossdocError

from .common import TSV


def test_word_by_word(write):
    german = DictionaryTranslator.from_file(write("de-en.tsv", TSV))
    assert (german.language, german.knows("de"), german.knows("nl")) == ("de", True, False)
    assert german.translate(["Das Haus in Gang setzen!", "Häuser fliegt 40.000 mal", ""], "de") == [
        "Das house start !", "Häuser fly 40.000 mal", ""
    ]  # fmt: skip
    assert german.describe("de") == "dictionary de-en.tsv (3 entries)"
    with pytest.raises(CrossdocError, match="'nl'"):
        german.translate(["x"], "nl")


def test_names_are_not_inflected_words():
    dutch = DictionaryTranslator("nl", {"boei": ("buoy",), "daling": ("fall",)})
    assert dutch.translate(["Boeing ziet dalingen"], "nl") == ["Boeing ziet fall"]


def test_the_first_that_knows():
    both = FirstThatKnows(
        [DictionaryTranslator("de", {"haus": ("house",)}), DictionaryTranslator("nl", {"huis": ("home",)})]
    )
    assert (both.knows("de"), both.knows("nl"), both.knows("fr")) == (True, True, False)
    assert both.translate(["huis"], "nl") == ["home"]
    with pytest.raises(CrossdocError, match="'fr'"):
        both.translate(["maison"], "fr")


def test_what_is_asked_for(write, tmp_path, monkeypatch):
    assert make_translator(["none"]) is None
    path = write("words.tsv", TSV)
    assert make_translator([f"de={path}"]).knows("de")
    with pytest.raises(CrossdocError, match="which language it translates from"):
        make_translator([str(path)])
    for unknown in ("google", "", "de=", "xx=words.tsv"):
        with pytest.raises(CrossdocError, match=f"no translator '{unknown}'"):
            make_translator([unknown])
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CrossdocError, match="Apertium is not installed"):
        make_translator(["apertium"])


def test_apertium_itself():
    if shutil.which("apertium") is None:
        pytest.skip("Apertium is not installed")
    apertium = ApertiumTranslator()
    if not apertium.knows("es"):
        pytest.skip("Apertium has no Spanish-English pair here")
    texts = ["La bolsa de Londres cae", "", "El presidente\nvisita a Boeing"] * 100
    found = apertium.translate(texts, "es")
    assert found[:3] == ["The stock exchange of London falls", "", found[2]]
    assert "president" in found[2]
    assert "Boeing" in found[2]
    assert found == found[:3] * 100
    assert apertium.describe("es").startswith("apertium 3")
    # Half of a character, and one that no locale of one byte has.
    assert "Boeing" in apertium.translate(["Boeing \ud800 北京"], "es")[0]
    with pytest.raises(CrossdocError, match="'xx'"):
        apertium.translate(["x"], "xx")


def test_a_failing_apertium(tmp_path, monkeypatch):
    program = tmp_path / "apertium"
    program.write_text('#!/bin/sh\nif [ "$1" = -l ]; then echo "  spa-eng"; else echo "no such mode" >&2; exit 1; fi\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(CrossdocError, match="failed: no such mode"):
        ApertiumTranslator().translate(["hola"], "es")
    program.write_text("#!/bin/sh\nsleep 5\n")
    monkeypatch.setattr("crossdoc.crosslingual.translators.APERTIUM_SECONDS", 0.1)
    with pytest.raises(CrossdocError, match=r"no answer within 0\.1 s"):
        ApertiumTranslator().knows("es")


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
