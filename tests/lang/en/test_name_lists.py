"""Words of names: written as names are looked up in them."""

import pytest

from crossdoc.lang.en import name_lists
from crossdoc.names import fold

FOLDED = [
    name
    for name, value in vars(name_lists).items()
    if name[0].isupper() and isinstance(value, frozenset | dict) and not name.endswith(("TITLES", "SMALL_WORDS"))
]
"""Titles and small words are listed as they are written, too."""


@pytest.mark.parametrize("name", FOLDED)
def test_words_are_folded(name):
    assert {word: fold(word) for word in vars(name_lists)[name] if fold(word) != word} == {}


def test_titles_of_men_and_women_are_apart_and_all_are_titles():
    assert name_lists.MALE_TITLES.isdisjoint(name_lists.FEMALE_TITLES)
    assert name_lists.MALE_TITLES | name_lists.FEMALE_TITLES | name_lists.FIRST_NAMES_TOO <= name_lists.TITLES


def test_generations_are_suffixes_in_one_spelling():
    assert name_lists.GENERATIONS <= name_lists.SUFFIXES
    assert set(name_lists.SAME_SUFFIX.values()) <= name_lists.GENERATIONS


@pytest.mark.parametrize("table", [name_lists.FORMS_OF_FIRST_NAMES, name_lists.ALSO_CALLED])
def test_what_stands_for_others_stands_for_itself(table):
    assert {form for form in table.values() if table.get(form, form) != form} == set()


def test_small_words_are_found_as_written_and_folded():
    assert {word for word in name_lists.SMALL_WORDS if fold(word) not in name_lists.SMALL_WORDS} == set()
