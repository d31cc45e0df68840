"""Features that can be compared across languages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossdoc.crosslingual.group_features import FEATURE_KINDS, features, heard, names, pieces, places, skeleton, words


def test_words_are_english_or_translated():
    assert "contract" in features("a contract", "en")["word"]
    assert not features("un contrato", "es")["word"]
    assert dict(features("un contrato", "es", "a contract")["word"]) == {"contract": 1}


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("johnson", "dzhonson"),
        ("farage", "faradzh"),
        ("shevchenko", "szewczenko"),
        ("gorbachev", "gorbaczow"),
        ("fox", "foks"),
    ],
)
def test_transliterations_meet(a, b):
    shared = set(pieces(a)) & set(pieces(b))
    assert skeleton(a) == skeleton(b) or len(shared) >= 3


def test_different_names_do_not_meet():
    assert skeleton("merkel") != skeleton("macron")
    assert not set(pieces("merkel")) & set(pieces("johnson"))


def test_a_cognate_counts_as_one_word():
    counted = features("Konstantinopel", "de")["cognate"]
    assert sum(value**2 for value in counted.values()) == pytest.approx(1)


def test_names_and_places():
    text = "Wirtschaft: Der A380 fliegt. Boeing und EADS in New York, sagt die BBC"
    assert list(names(text)) == ["A380", "EADS", "New", "York", "BBC"]
    assert list(places("Dal Regno Unito a New York e Londra", "it")) == ["GB", "US.NY/newyork", "GB.ENG/london"]
    assert list(places("La casa es bonita", "es")) == []


def test_scripts():
    assert "moskva" not in features("Москва", "ru")["name"]
    assert list(places("Встреча в Москве и Москва", "ru")) == ["RU.48/moscow"]
    assert words("北京", "zh") == ["北京"]
    assert words("ในกรุงเทพ", "th")


def test_dates_and_numbers():
    found = features("Am 1. März 2008 kosteten 179 Flugzeuge 40 Milliarden", "de")
    assert dict(found["date"]) == {"2008-03-01": 1, "03-01": 1}
    assert set(found["number"]) == {"179", "4e+10"}


@given(st.text(max_size=80), st.sampled_from(["en", "de", "ru", "zh", "xh"]))
def test_no_text_is_too_strange(text, language):
    found = features(text, language)
    assert tuple(found) == FEATURE_KINDS
    assert all(value > 0 for counted in found.values() for value in counted.values())


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", max_size=12))
def test_hearing_is_steady(word):
    assert len(heard(word)) <= len(word) + word.count("x") + word.count("q")
    assert skeleton(word)[:1] == heard(word)[:1]
