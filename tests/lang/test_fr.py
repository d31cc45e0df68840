"""The French pack: what it says by itself, and with its model where that is installed."""

import tomllib
from datetime import date
from pathlib import Path

import pytest

from crossdoc.compare.vectors import words
from crossdoc.extract import TextExtractor, models
from crossdoc.extract.attributes import stated_date
from crossdoc.extract.gender import gender_of_name
from crossdoc.extract.mention_spans import type_of_head
from crossdoc.extract.text_extractor import Options
from crossdoc.lang import pack
from crossdoc.model import Document, Documents
from crossdoc.names import fold
from crossdoc.names.texts import ContactPolicy

TEXT = (
    "Mme Jeanne Moreau est la directrice de Renault. Elle travaille à Paris. Son mari, Paul Moreau, a 45 ans. "
    "La directrice a démissionné. M. Moreau est parti."
)


def test_every_part_is_there():
    assert pack("fr").missing == ()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("le 3 mai 1931", "1931-05-03"),
        ("1er juillet 1999", "1999-07-01"),
        ("juin 2001", "2001-06"),
        ("mardi", "2026-11-10"),
    ],
)
def test_dates(text, told):
    assert stated_date(text, date(2026, 11, 16), "fr") == told


def test_kin():
    known = pack("fr").kinship
    assert known.inverse_of("ancienne épouse", "m") == "ancienne mari"
    assert known.inverse_of("fille", "f") == "mère"
    assert known.inverse_of("amie", "f") == "parent"
    assert set(known.groups) == set(known.inverse)


def test_gender_of_names():
    assert gender_of_name("Jean Moreau", "fr").female < 0.1 < 0.8 < gender_of_name("Jean Moreau").female
    assert gender_of_name("Jean-Marie Le Pen", "fr").female < 0.1
    assert gender_of_name("Hélène Roux", "fr").female > 0.9
    assert gender_of_name("Mlle Dominique Roux", "fr").evidence == "title"


def test_heads():
    assert [type_of_head(word, "fr") for word in ("société", "ville", "directrice", "senator")] == [
        "organisation", "place", "person", None,
    ]  # fmt: skip


def test_what_is_compared_with_names_has_no_accents():
    known = pack("fr")
    names, titles = known.name_words, known.titles
    sets = (titles.telling, titles.also, titles.small, names.organisations)
    more = (names.places, names.countries, names.not_names, names.first_names, known.affiliations.peoples)
    assert all(fold(word) == word for words in (*sets, *more) for word in words)


def test_stop_words_after_an_elision():
    assert words("Il dit qu’il viendrait lorsqu'elle partirait, l'homme d’Orléans", "fr") == [
        "viendrait", "partirait", "homme", "orléans",
    ]  # fmt: skip


ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(not (ROOT / "models.txt").exists(), reason="an sdist has no models.txt")
def test_models_are_pinned_alike_everywhere():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = [*project["dependencies"], *project["optional-dependencies"]["fr"]]
    pinned = [line.split(" --hash=sha256:") for line in (ROOT / "models.txt").read_text().splitlines() if "==" in line]
    assert len(pinned) == 2
    assert all(requirement in asked and len(digest) == 64 for requirement, digest in pinned)
    assert pack("fr").models.requirement in asked


with_model = pytest.mark.skipif(models.installed_model("fr") is None, reason="crossdoc[fr] is not installed")


def read(text):
    """Mentions, and profiles by name."""
    options = Options(("person", "organisation", "place"), 300, None, ContactPolicy("off"))
    document = Document("d", text, language="fr", date="2020-05-05")
    mentions, profiles = TextExtractor(options, 1).extract(Documents.of([document]))
    return mentions, {profile.name: profile for profile in profiles}


@with_model
def test_a_text():
    mentions, profiles = read(TEXT)
    people = {name: profile for name, profile in profiles.items() if profile.type == "person"}
    jeanne, paul = people["Jeanne Moreau"], people["Paul Moreau"]
    assert (jeanne.attributes["gender"], paul.attributes["gender"]) == (["f"], ["m"])
    assert jeanne.attributes["descriptor"] == ["directrice de Renault"]
    assert {link.type for link in jeanne.relations} >= {"employment:directrice", "family:mari"}
    assert {m.text for m in mentions if m.chain == jeanne.id} == {
        "Jeanne Moreau", "la directrice", "Elle", "Son", "La directrice",
    }  # fmt: skip
    assert "Moreau" in {m.text for m in mentions if m.chain == paul.id}


@with_model
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Jean Dupont, né le 3 mars 1950 à Lyon, est mort en 1999.", {"born": "1950-03-03", "died": "1999"}),
        ("Jean Dupont est né à Lyon le 1er mai 1867 et mort en juin 1934.", {"born": "1867-05-01", "died": "1934-06"}),
        ("L'écrivain Jean Dupont (né en 1888) vivait à Paris.", {"born": "1888", "descriptor": "écrivain"}),
        ("Jean Dupont (1802–1885) écrivait.", {"born": "1802", "died": "1885"}),
        ("Le chanteur Jean Dupont est décédé lundi à 88 ans.", {"died": "2020-05-04", "age": "88"}),
        ("Jean Dupont est un écrivain suisse.", {"nationality": "suisse"}),
        ("Me Jean Dupont a plaidé.", {"title": "me"}),
    ],
)  # fmt: skip
def test_attributes(text, told):
    _, profiles = read(text)
    attributes = profiles["Jean Dupont"].attributes
    assert {key: attributes.get(key, [""])[0] for key in told} == told


@with_model
@pytest.mark.parametrize(
    ("text", "type", "other"),
    [
        ("Jean Dupont, président de la Société générale, est parti.", "employment:président", "Société générale"),
        ("Le PDG d'Airbus, Jean Dupont, a démenti.", "employment:pdg", "Airbus"),
        ("Jean Dupont, fils de Paul Dupont, est parti.", "family:père", "Paul Dupont"),
        ("Le fils de Paul Dupont, Jean Dupont, étudie.", "family:père", "Paul Dupont"),
        ("Selon Jean Dupont, économiste chez BNP Paribas, tout va bien.", "employment:économiste", "BNP Paribas"),
        ("Le maire de Lyon, Jean Dupont, a reçu Paul Roux.", "employment:maire", "Lyon"),
        ("Jean Dupont travaille chez Renault.", "employment", "Renault"),
        ("Jean Dupont est professeur à l'Université de Genève.", "employment:professeur", "Université de Genève"),
        ("Jean Dupont est né à Rabat.", "location:lieu de naissance", "Rabat"),
        ("L'écrivain Jean Dupont vivait à Paris.", "resident", "Paris"),
    ],
)
def test_relations(text, type, other):
    _, profiles = read(text)
    assert (type, other) in {(link.type, link.name) for link in profiles["Jean Dupont"].relations}


@with_model
@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Le général de Gaulle est parti à Londres.", {"de Gaulle": "person", "Londres": "place"}),
        ("Dominique de Villepin est né à Rabat.", {"Dominique de Villepin": "person", "Rabat": "place"}),
        ("L'Allemand Uwe Peschel a battu les Suisses.", {"Uwe Peschel": "person"}),
        ("Le Crédit Lyonnais a perdu de l'argent.", {"Crédit Lyonnais": "organisation"}),
        ("Le ministre des Finances, Bruno Lemoine, est parti.", {"Bruno Lemoine": "person"}),
        ("Jean Moreau et Jeanne Moreau sont partis.", {"Jean Moreau": "person", "Jeanne Moreau": "person"}),
    ],
)
def test_names(text, names):
    _, profiles = read(text)
    assert {name: profile.type for name, profile in profiles.items()} == names


@with_model
def test_pronouns_of_things_and_of_nothing():
    mentions, _ = read("La SNCF a annoncé une grève. Elle a supprimé des trains. Son directeur part. Il faut attendre.")
    assert [m.text for m in mentions if m.kind == "pronoun"] == ["Elle", "Son"]
    assert {m.type for m in mentions} == {"organisation"}
    mentions, _ = read("Alain Durand a démissionné. Il travaille à Paris, a-t-il dit.")
    assert [m.text for m in mentions if m.kind == "pronoun"] == ["Il", "-il"]
    mentions, _ = read("Le Crédit Lyonnais a perdu de l'argent. Elle cherche un repreneur.")
    assert not any(m.kind == "pronoun" for m in mentions)


@with_model
@pytest.mark.parametrize(
    "text", ["M.", "MM.", "MM. et", "né", "(né en", "Le duc d'", "de de de", "😀 M. 😀", "\nM.\nDupont\n", "M. " * 300]
)
def test_odd_text(text):
    mentions, profiles = read(text)
    assert set(profiles) <= {"Dupont"}
    assert len(mentions) <= 1


@with_model
def test_a_mixed_collection_is_read_document_by_document():
    options = Options(("person", "organisation", "place"), 300, None, ContactPolicy("off"))
    extractor = TextExtractor(options, 1)
    texts = {"en": "Jean Moreau left. She was late.", "fr": "Jean Moreau est parti. Il était en retard."}
    documents = Documents.of(Document(code, text, language=code) for code, text in texts.items())
    mentions, profiles = extractor.extract(documents)
    assert {p.document: p.attributes["gender"] for p in profiles} == {"en": ["f"], "fr": ["m"]}
    assert {m.document: m.text for m in mentions if m.kind == "pronoun"} == {"en": "She", "fr": "Il"}
    assert extractor.notes == []
