"""The French pack: what it says by itself, and with its model where that is installed."""

from datetime import date

import pytest

from crossdoc.contacts import ContactPolicy
from crossdoc.extract import TextExtractor, models
from crossdoc.extract.attributes import stated_date
from crossdoc.extract.gender import gender_of_name
from crossdoc.extract.nominals import type_of_head
from crossdoc.extract.text import Options
from crossdoc.kinship import inverse_kin, kin_groups
from crossdoc.lang import pack
from crossdoc.model import Document, Documents
from crossdoc.names import fold

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
    assert inverse_kin("ancienne épouse", "m", "fr") == "ancienne mari"
    assert inverse_kin("fille", "f", "fr") == "mère"
    assert inverse_kin("amie", "f", "fr") == "parent"
    assert set(kin_groups("fr").values()) == set(pack("fr").kinship.inverse)


def test_gender_of_names():
    assert gender_of_name("Jean Moreau", "fr").female < 0.1 < 0.8 < gender_of_name("Jean Moreau").female
    assert gender_of_name("Mlle Dominique Roux", "fr").evidence == "title"


def test_heads():
    assert [type_of_head(word, "fr") for word in ("société", "ville", "directrice", "senator")] == [
        "organisation", "place", "person", None,
    ]  # fmt: skip


def test_what_is_compared_with_names_has_no_accents():
    known = pack("fr")
    sets = (known.titles.telling, known.titles.introducing, known.titles.also, known.name_words.organisations)
    assert all(fold(word) == word for words in (*sets, known.name_words.places) for word in words)


@pytest.mark.skipif(models.installed_model("fr") is None, reason="the extra crossdoc[fr] is not installed")
def test_a_text():
    options = Options(("person", "organisation", "place"), 300, None, ContactPolicy("off"))
    mentions, profiles = TextExtractor(options, 1).extract(Documents.of([Document("d", TEXT, language="fr")]))
    people = {profile.name: profile for profile in profiles if profile.type == "person"}
    jeanne, paul = people["Jeanne Moreau"], people["Paul Moreau"]
    assert (jeanne.attributes["gender"], paul.attributes["gender"]) == (["f"], ["m"])
    assert jeanne.attributes["descriptor"] == ["directrice de Renault"]
    assert {link.type for link in jeanne.relations} >= {"employment:directrice", "family:mari"}
    assert {m.text for m in mentions if m.chain == jeanne.id} == {
        "Jeanne Moreau", "la directrice", "Elle", "Son", "La directrice",
    }  # fmt: skip
    assert "Moreau" in {m.text for m in mentions if m.chain == paul.id}
