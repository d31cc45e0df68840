"""Words within English sentences: lists that belong together agree."""

import pytest
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from crossdoc.lang.en.sentence_parts import (
    AFFILIATIONS,
    DATES,
    FUNCTION_WORDS,
    KINSHIP,
    NOMINALS,
    PRONOUNS,
    RELATIONS,
    ROLES,
    STATEMENTS,
)


def test_stop_words_are_scikit_learns():
    assert FUNCTION_WORDS.stop == ENGLISH_STOP_WORDS


def test_every_group_of_kin_has_an_inverse_of_known_words():
    assert set(KINSHIP.groups) == set(KINSHIP.inverse)
    assert {word for words in KINSHIP.groups.values() for word in words.split()} <= KINSHIP.nouns


def test_roles_contain_offices_and_people_contain_roles():
    assert ROLES.offices < ROLES.roles < ROLES.people
    assert ROLES.male.isdisjoint(ROLES.female)


def test_general_and_telling_heads_are_heads():
    heads = NOMINALS.people | NOMINALS.organisations | NOMINALS.places
    assert NOMINALS.general | NOMINALS.countries | NOMINALS.states <= heads
    assert NOMINALS.male.isdisjoint(NOMINALS.female)


def test_a_pronoun_has_one_gender_and_number():
    kinds = (PRONOUNS.masculine, PRONOUNS.feminine, PRONOUNS.plural, PRONOUNS.thing)
    assert len(frozenset().union(*kinds)) == sum(map(len, kinds))


@pytest.mark.parametrize(
    "text", ["BOSTON (AP)", "WASHINGTON, March 3 --", "NEW YORK, N.Y. (Reuters)", "PARIS, July 14 (AFP) -"]
)
def test_datelines(text):
    match = DATES.dateline.search(text)
    assert match is not None
    assert text.startswith(match["place"])


def test_faiths_and_parties_are_no_peoples():
    assert AFFILIATIONS.religions.isdisjoint(AFFILIATIONS.ethnicities | AFFILIATIONS.parties)


def test_statements_of_being_are_copulas_and_naming_is_serving():
    assert STATEMENTS.be in STATEMENTS.copulas
    assert STATEMENTS.naming <= STATEMENTS.serving


def test_relations_of_kin_go_by_the_words_for_kin():
    assert {row.words for row in RELATIONS.nouns if row.type == "family"} == {KINSHIP.nouns}
    assert RELATIONS.degree_verbs <= frozenset().union(*(row.words for row in RELATIONS.verbs))
