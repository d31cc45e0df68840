"""Word lists on file: what their signs mean, and that every table is one that is read."""

from dataclasses import fields

import pytest

from crossdoc.lang import OWN, Language
from crossdoc.lang.word_tables import by_word, tables, word_list

ALSO = {"en": {"names", "descriptors", "places"}}
"""Tables that modules of a language read themselves."""


def test_a_list_may_hold_another_and_leave_words_out():
    assert word_list("en", "realm &nominals.countries") == {"realm", "country", "nation"}
    assert word_list("en", "&nominals.countries !nation") == {"country"}
    assert word_list("en", "&roles.roles !&roles.offices").isdisjoint(word_list("en", "&roles.offices"))
    assert word_list("en", "&affiliations.demonyms") >= {"French", "Frenchman"}


def test_a_list_that_does_not_exist_is_an_error():
    with pytest.raises(KeyError, match="nothing"):
        word_list("en", "&roles.nothing")


def test_words_by_value():
    assert by_word({"a": "x y", "b": "z"}) == {"x": "a", "y": "a", "z": "b"}


@pytest.mark.parametrize("code", sorted(OWN))
def test_every_table_is_read(code):
    assert set(tables(code)) <= {each.name for each in fields(Language)} | ALSO.get(code, set())
