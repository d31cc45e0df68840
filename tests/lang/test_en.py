"""English words of every part: each kind is what it is described as, and lists that belong together agree."""

import pytest
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from crossdoc.lang import en, tables
from crossdoc.lang.en import LANGUAGE
from crossdoc.names import fold
from crossdoc.names.gazetteer import gazetteer

FOLDED = sorted(
    {name.upper() for name in tables("en")["names"]} - {"MALE_TITLES", "FEMALE_TITLES", "TITLES", "SMALL_WORDS"}
)
"""Titles and small words are listed as they are written, too."""


def test_titles_have_one_gender():
    assert LANGUAGE.titles.male.isdisjoint(LANGUAGE.titles.female)
    assert LANGUAGE.titles.neutral.isdisjoint(LANGUAGE.titles.male | LANGUAGE.titles.female)


def test_words_within_names_are_folded():
    for words in (
        LANGUAGE.name_words.organisations,
        LANGUAGE.name_words.places,
        LANGUAGE.name_words.too_general,
        LANGUAGE.name_words.bodies,
    ):
        assert {word for word in words if fold(word) != word} == set()


def test_surnames_too_are_words_of_organisations_or_places():
    assert LANGUAGE.name_words.surnames_too <= LANGUAGE.name_words.organisations | LANGUAGE.name_words.places


def test_stop_words_are_scikit_learns():
    assert LANGUAGE.function_words.stop == ENGLISH_STOP_WORDS


def test_every_group_of_kin_has_an_inverse_of_known_words():
    assert set(LANGUAGE.kinship.groups) == set(LANGUAGE.kinship.inverse)
    assert {word for words in LANGUAGE.kinship.groups.values() for word in words.split()} <= LANGUAGE.kinship.nouns


def test_roles_contain_offices_and_people_contain_roles():
    assert LANGUAGE.roles.offices < LANGUAGE.roles.roles < LANGUAGE.roles.people
    assert LANGUAGE.roles.male.isdisjoint(LANGUAGE.roles.female)


def test_general_and_telling_heads_are_heads():
    heads = LANGUAGE.nominals.people | LANGUAGE.nominals.organisations | LANGUAGE.nominals.places
    assert LANGUAGE.nominals.general | LANGUAGE.nominals.countries | LANGUAGE.nominals.states <= heads
    assert LANGUAGE.nominals.male.isdisjoint(LANGUAGE.nominals.female)


def test_a_pronoun_has_one_gender_and_number():
    kinds = (LANGUAGE.pronouns.masculine, LANGUAGE.pronouns.feminine, LANGUAGE.pronouns.plural, LANGUAGE.pronouns.thing)
    assert len(frozenset().union(*kinds)) == sum(map(len, kinds))


@pytest.mark.parametrize(
    "text", ["BOSTON (AP)", "WASHINGTON, March 3 --", "NEW YORK, N.Y. (Reuters)", "PARIS, July 14 (AFP) -"]
)
def test_datelines(text):
    match = LANGUAGE.dates.dateline.search(text)
    assert match is not None
    assert text.startswith(match["place"])


def test_faiths_and_parties_are_no_peoples():
    assert LANGUAGE.affiliations.religions.isdisjoint(LANGUAGE.affiliations.ethnicities | LANGUAGE.affiliations.parties)


def test_statements_of_being_are_copulas_and_naming_is_serving():
    assert LANGUAGE.statements.be in LANGUAGE.statements.copulas
    assert LANGUAGE.statements.naming <= LANGUAGE.statements.serving


def test_relations_of_kin_go_by_the_words_for_kin():
    assert {row.words for row in LANGUAGE.relations.nouns if row.type == "family"} == {LANGUAGE.kinship.nouns}
    assert LANGUAGE.relations.degree_verbs <= frozenset().union(*(row.words for row in LANGUAGE.relations.verbs))


@pytest.mark.parametrize(
    ("text", "offices"),
    [("former sen. from ohio", {"senator"}), ("vice-president", {"vice president"}), ("presidential", set())],
)
def test_offices(text, offices):
    assert {office for pattern, office in en.OFFICES if pattern.search(text)} == offices


def test_offices_of_a_state_are_offices():
    assert {office for _, office in en.OFFICES} >= en.OF_A_STATE


def test_parties_stand_for_themselves():
    assert all(en.PARTIES[party] == party for party in en.PARTIES.values())


def test_abbreviations_are_shorter_than_titles():
    assert all(len(short) < len(title) for short, title in en.ABBREVIATED_TITLES.items())


def test_descriptions_are_parted():
    assert [part.strip() for part in en.PARTS.split("lawyer and poet; mayor")] == ["lawyer", "poet", "mayor"]


@pytest.mark.parametrize("name", FOLDED)
def test_words_are_folded(name):
    assert {word: fold(word) for word in vars(en)[name] if fold(word) != word} == {}


def test_titles_of_men_and_women_are_apart_and_all_are_titles():
    assert en.MALE_TITLES.isdisjoint(en.FEMALE_TITLES)
    assert en.MALE_TITLES | en.FEMALE_TITLES | en.FIRST_NAMES_TOO <= en.TITLES


def test_generations_are_suffixes_in_one_spelling():
    assert en.GENERATIONS <= en.SUFFIXES
    assert set(en.SAME_SUFFIX.values()) <= en.GENERATIONS


@pytest.mark.parametrize("table", [en.FORMS_OF_FIRST_NAMES, en.ALSO_CALLED])
def test_what_stands_for_others_stands_for_itself(table):
    assert {form for form in table.values() if table.get(form, form) != form} == set()


def test_small_words_are_found_as_written_and_folded():
    assert {word for word in en.SMALL_WORDS if fold(word) not in en.SMALL_WORDS} == set()


@pytest.mark.parametrize("table", [en.PLACES_ALSO_CALLED, LANGUAGE.affiliations.demonyms, en.DIVISIONS_ABBREVIATED])
def test_every_code_is_a_place(table):
    assert {code for code in table.values() if code not in gazetteer().places} <= {
        "GB.ENG",
        "GB.NIR",
        "GB.SCT",
        "GB.WLS",
    }


def test_articles_and_possessives_are_no_part_of_a_name():
    assert [en.ARTICLE.sub("", name) for name in ("the Hague", "Boston's", "Theale")] == ["Hague", "Boston", "Theale"]


@pytest.mark.parametrize(
    ("text", "state"), [("N.Y.", "New York"), ("NY", "New York"), ("W.Va.", "West Virginia"), ("Texas ", "Texas")]
)
def test_state_named(text, state):
    assert en.state_named(text) == state


def test_there_are_fifty_states_and_no_country_among_them():
    assert len(en.STATES) == 50
    assert not en.STATES & en.COUNTRIES
    assert en.state_named("Georgia") == "Georgia"
    assert en.state_named("Paris") is None


def test_countries_are_whole_names():
    assert {"Costa Rica", "United Arab Emirates", "Zimbabwe"} <= en.COUNTRIES
    assert all(name == name.strip() and name for name in en.COUNTRIES)
    assert all(fold(name) == name for name in en.SAME_PLACE)
