"""Endings of names, how Slavic letters are read, and what countries are called."""

import pytest

from crossdoc.lang.foreign_names import (
    CALLED,
    INFLECTING,
    OF_PEOPLE,
    PLAIN_ENDINGS,
    SLAVIC_ENDINGS,
    SOFTENED,
    SOUNDS,
    spell_sounds,
)
from crossdoc.names import fold


def test_endings_are_folded():
    endings = [*SLAVIC_ENDINGS, *(ending for own in PLAIN_ENDINGS.values() for ending in own)]
    assert [ending for ending in endings if fold(ending) != ending] == []


def test_languages_are_either_slavic_or_not():
    assert INFLECTING.isdisjoint(PLAIN_ENDINGS)
    assert OF_PEOPLE | set(SOFTENED) <= set(PLAIN_ENDINGS)
    assert set(SOUNDS) <= INFLECTING


@pytest.mark.parametrize(
    ("language", "written", "read"),
    [
        ("cs", "žena", "zhena"),
        ("pl", "łowa", "lova"),
        ("pl", "czech", "tchekh"),
        ("cs", "černoch", "tchernokh"),
        ("sl", "hočevar", "khotchevar"),
    ],
)
def test_letters_are_read_once_as_english_would_write_them(language, written, read):
    assert spell_sounds(written, language) == read


def test_a_name_stands_for_one_body_in_its_language():
    for language, named in CALLED.items():
        assert len({name for name, _ in named}) == len(named), language


def test_names_and_acronyms_are_listed_apart():
    assert {("UE", "European Union"), ("Unia Europejska", "European Union")} <= set(CALLED["pl"])
    assert all(name == name.strip() and ";" not in name for named in CALLED.values() for name, _ in named)
