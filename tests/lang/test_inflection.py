"""Endings of names, and how Slavic letters are read."""

import pytest

from crossdoc.lang.inflection import (
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
