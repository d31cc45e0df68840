"""Endings of names, and how Slavic letters are read."""

import pytest

from crossdoc.lang.inflection import INFLECTING, OF_PEOPLE, PLAIN_ENDINGS, READ_AS, SLAVIC_ENDINGS, SOFTENED
from crossdoc.names import fold


def test_endings_are_folded():
    endings = [*SLAVIC_ENDINGS, *(ending for own in PLAIN_ENDINGS.values() for ending in own)]
    assert [ending for ending in endings if fold(ending) != ending] == []


def test_languages_are_either_slavic_or_not():
    assert INFLECTING.isdisjoint(PLAIN_ENDINGS)
    assert OF_PEOPLE | set(SOFTENED) <= set(PLAIN_ENDINGS)
    assert set(READ_AS) <= INFLECTING


@pytest.mark.parametrize(("language", "written", "read"), [("cs", "žena", "zhena"), ("pl", "łowa", "lova")])
def test_letters_are_read_as_english_would_write_them(language, written, read):
    for pattern, sound in READ_AS[language]:
        written = pattern.sub(sound, written)
    assert written == read
