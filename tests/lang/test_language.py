"""What a language is: parts that may be left out, and what they then do."""

from dataclasses import fields

import pytest

from crossdoc.lang import Dates, FunctionWords, Language, Pronouns, Row, Titles, pack, row, words


def test_a_part_that_is_left_out_is_missing_and_empty():
    language = Language("xx", titles=Titles(male=words("mr")))
    assert "titles" not in language.missing
    assert set(language.missing) == {each.name for each in fields(language)} - {"code", "titles"}
    assert language.pronouns.personal == frozenset()
    assert language.dates.date.fullmatch("") is None
    assert language.function_words == FunctionWords()


def test_pronouns_of_people_are_those_of_either_gender():
    assert Pronouns(masculine=words("a"), feminine=words("b"), either=words("c"), plural=words("d")).personal == {
        *"abc"
    }


@pytest.mark.parametrize(
    ("language", "word", "month"),
    [
        ("en", "Sept", 9),
        ("en", "June", 6),
        ("en", "xyz", None),
        ("fr", "juin", 6),
        ("fr", "Juillet", 7),
        ("de", "Mai", 5),
    ],
)
def test_a_month_by_the_letters_that_tell_it(language, word, month):
    assert pack(language).dates.month(word) == month


def test_no_months_tell_nothing():
    assert Dates().month("may") is None
    assert pack("en").dates.month("") is None


def test_rows():
    assert row("family", "marry", "passive to with", "person", "spouse") == Row(
        "family", words("marry"), words("to with"), "person", "spouse", True
    )
    assert not row("family", words("marry"), "object", "person").passive
