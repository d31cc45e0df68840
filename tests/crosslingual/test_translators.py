"""Translators: dictionaries made here, and Apertium where it is installed."""

import shutil

import pytest

from crossdoc.crosslingual import (
    ApertiumTranslator,
    DictionaryTranslator,
    FirstThatKnows,
    make_translator,
)
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
    with pytest.raises(CrossdocError, match="apertium failed: no such mode"):
        ApertiumTranslator().translate(["hola"], "es")
    program.write_text("#!/bin/sh\nsleep 5\n")
    monkeypatch.setattr("crossdoc.crosslingual.translators.APERTIUM_SECONDS", 0.1)
    with pytest.raises(CrossdocError, match=r"no answer within 0\.1 s"):
        ApertiumTranslator().knows("es")
