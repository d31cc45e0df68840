"""English words of every part: each kind is what it is described as, and lists that belong together agree."""

import pytest
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from crossdoc.lang.en import LANGUAGE
from crossdoc.names import fold


def test_titles_have_one_gender():
    assert LANGUAGE.titles.male.isdisjoint(LANGUAGE.titles.female)
    assert LANGUAGE.titles.neutral.isdisjoint(LANGUAGE.titles.male | LANGUAGE.titles.female)


def test_a_name_follows_titles_that_introduce_it():
    assert LANGUAGE.titles.introducing <= LANGUAGE.titles.telling
    assert LANGUAGE.titles.places_too <= LANGUAGE.titles.introducing


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
