"""Translators: dictionaries made here, Apertium and neural models where they are installed."""

import importlib.util
import json
import shutil
import sys
import zipfile

import pytest

from crossdoc.crosslingual import (
    ApertiumTranslator,
    ArticleGroup,
    DictionaryTranslator,
    FirstThatKnows,
    LinkDetector,
    NoTranslator,
    make_translator,
)
from crossdoc.crosslingual.translators import CTranslate2Translator, installed_argos_models
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
    assert both.describe("fr") == "none"
    with pytest.raises(CrossdocError, match="'fr'"):
        both.translate(["maison"], "fr")


def test_what_is_asked_for(write, tmp_path, monkeypatch):
    assert isinstance(make_translator(["none"]), NoTranslator)
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
    monkeypatch.setenv("ARGOS_PACKAGES_DIR", str(tmp_path / "none"))
    with pytest.raises(CrossdocError, match="No Argos model"):
        make_translator(["argos"])


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


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "lacks model.bin"),
        ({"metadata.json": "{}"}, "does not say its languages"),
        ({"metadata.json": json.dumps({"from_code": "en", "to_code": "es"})}, "translates en into es"),
        ({"metadata.json": json.dumps({"from_code": "es", "to_code": "en"})}, "lacks model/model.bin"),
        ({"model.bin": "x", "sentencepiece.model": "x"}, "language is not given"),
    ],
)
def test_what_is_no_model(tmp_path, files, message):
    folder = tmp_path / "model"
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_text(content)
    with pytest.raises(CrossdocError, match=message):
        CTranslate2Translator.from_path(folder)
    (tmp_path / "broken.argosmodel").write_text("no zip")
    with pytest.raises(CrossdocError, match="not a translation model"):
        make_translator([str(tmp_path / "broken.argosmodel")])


def test_models_without_what_runs_them(tmp_path, monkeypatch):
    folder = tmp_path / "es_en"
    (folder / "model").mkdir(parents=True)
    (folder / "model" / "model.bin").touch()
    (folder / "sentencepiece.model").touch()
    (folder / "metadata.json").write_text('{"from_code":"es","to_code":"en"}')
    monkeypatch.setenv("ARGOS_PACKAGES_DIR", str(tmp_path))
    monkeypatch.setitem(sys.modules, "ctranslate2", None)
    groups = [ArticleGroup("e", "en", "Airbus wins"), ArticleGroup("s", "es", "Airbus gana")]
    with pytest.raises(CrossdocError, match="need the package ctranslate2, which is not installed"):
        LinkDetector(translator=make_translator(["argos"])).fit(groups)


@pytest.fixture
def argos(tmp_path):
    """A package with a real, tiny and untrained model: what it says means nothing, but it runs."""
    if not all(importlib.util.find_spec(name) for name in ("ctranslate2", "sentencepiece")):
        pytest.skip("ctranslate2 and sentencepiece are not installed")
    folder = tmp_path / "packages" / "translate-es_en"
    build_tiny_model(folder)
    told = {"from_code": "es", "to_code": "en", "package_version": "1.0"}
    (folder / "metadata.json").write_text(json.dumps(told))
    return folder


def build_tiny_model(folder):
    import ctranslate2
    import numpy as np
    import sentencepiece

    (folder / "model").mkdir(parents=True)
    (folder / "text").write_text("la casa verde\nel perro come\nuna casa y un perro\n" * 50)
    sentencepiece.SentencePieceTrainer.train(
        input=str(folder / "text"), model_prefix=str(folder / "sentencepiece"), vocab_size=40, hard_vocab_limit=False
    )
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(folder / "sentencepiece.model"))
    words = ["<blank>", "<s>", "</s>", "<unk>", *(pieces.id_to_piece(i) for i in range(3, pieces.get_piece_size()))]
    spec = ctranslate2.specs.TransformerSpec.from_config(1, 2)
    size, rng = 8, np.random.default_rng(0)

    def fill(layer):
        for name, value in vars(layer).items():
            if isinstance(value, list):
                for item in value:
                    fill(item)
            elif isinstance(value, ctranslate2.specs.LayerSpec):
                fill(value)
            elif value is None and name in ("gamma", "beta"):
                setattr(layer, name, np.full(size, name == "gamma", dtype=np.float32))

    def linear(layer, outputs, inputs):
        layer.weight = rng.normal(size=(outputs, inputs)).astype(np.float32)
        if layer.bias is None:
            layer.bias = np.zeros(outputs, dtype=np.float32)

    fill(spec)
    for side in (spec.encoder, spec.decoder):
        embeddings = side.embeddings if not isinstance(side.embeddings, list) else side.embeddings[0]
        embeddings.weight = rng.normal(size=(len(words), size)).astype(np.float32)
        for layer in side.layer:
            linear(layer.self_attention.linear[0], 3 * size, size)
            linear(layer.self_attention.linear[1], size, size)
            if side is spec.decoder:
                linear(layer.attention.linear[0], size, size)
                linear(layer.attention.linear[1], 2 * size, size)
                linear(layer.attention.linear[2], size, size)
            linear(layer.ffn.linear_0, 16, size)
            linear(layer.ffn.linear_1, size, 16)
    linear(spec.decoder.projection, len(words), size)
    spec.register_source_vocabulary(words)
    spec.register_target_vocabulary(words)
    spec.validate()
    spec.save(str(folder / "model"))


def test_a_model_runs(argos, tmp_path, monkeypatch):
    model = CTranslate2Translator.from_path(argos)
    found = model.translate(["la casa\nel perro", "", "una casa"], "es")
    assert [text.count("\n") for text in found] == [1, 0, 0]
    assert found[1] == ""
    assert model.translate(["una casa"], "es") == found[2:]
    assert model.describe("es").startswith("Argos 1.0 es-en, ctranslate2 ")
    with zipfile.ZipFile(tmp_path / "m.argosmodel", "w") as packed:
        for path in argos.rglob("*"):
            packed.write(path, path.relative_to(argos.parent))
    assert make_translator([str(tmp_path / "m.argosmodel")]).translate(["una casa"], "es") == found[2:]
    monkeypatch.setenv("ARGOS_PACKAGES_DIR", str(argos.parent))
    assert [model.language for model in installed_argos_models()] == ["es"]
