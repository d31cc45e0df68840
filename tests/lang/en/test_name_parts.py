"""Titles and words of names: each kind is what it is said to be."""

from crossdoc.lang.en.name_parts import NAME_WORDS, TITLES
from crossdoc.names import fold


def test_titles_have_one_gender():
    assert TITLES.male.isdisjoint(TITLES.female)
    assert TITLES.neutral.isdisjoint(TITLES.male | TITLES.female)


def test_a_name_follows_titles_that_introduce_it():
    assert TITLES.introducing <= TITLES.telling
    assert TITLES.places_too <= TITLES.introducing


def test_words_within_names_are_folded():
    for words in (NAME_WORDS.organisations, NAME_WORDS.places, NAME_WORDS.too_general, NAME_WORDS.bodies):
        assert {word for word in words if fold(word) != word} == set()


def test_surnames_too_are_words_of_organisations_or_places():
    assert NAME_WORDS.surnames_too <= NAME_WORDS.organisations | NAME_WORDS.places
