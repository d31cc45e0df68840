"""Article groups and their files."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossdoc.crosslingual import ArticleGroup, read_groups
from crossdoc.crosslingual.groups import (
    FEATURE_KINDS,
    THREE_LETTERS,
    dates,
    features,
    heard,
    language_code,
    month_number,
    names,
    numbers,
    pieces,
    places,
    skeleton,
    words,
)
from crossdoc.errors import CrossdocError

GROUPS = [
    {"id": "g1", "language": "en", "titles": ["Airbus wins order", "Qatar buys"], "texts": ["The maker said …"]},
    {"id": "g2", "language": "spa", "titles": ["Airbus gana un pedido"]},
    {"id": 3, "language": "pt-BR", "titles": "Um só título"},
]


@pytest.mark.parametrize("name", ["g.jsonl", "g.jsonl.gz"])
def test_reading(write, name):
    groups, notes = read_groups(write(name, GROUPS))
    assert groups == [
        ArticleGroup("g1", "en", ("Airbus wins order", "Qatar buys"), ("The maker said …",)),
        ArticleGroup("g2", "es", ("Airbus gana un pedido",)),
        ArticleGroup("3", "pt", ("Um só título",)),
    ]
    assert notes == []
    assert groups[0].text() == "Airbus wins order\nQatar buys\nThe maker said …"
    assert groups[0].text(titles_only=True) == "Airbus wins order\nQatar buys"


def test_parquet_and_csv(write):
    listed = [
        {"id": "a", "language": "en", "titles": ["One", "Two"]},
        {"id": "b", "language": "de", "titles": ["Drei"]},
    ]
    assert [g.titles for g in read_groups(write("g.parquet", listed))[0]] == [("One", "Two"), ("Drei",)]
    single = [{"id": "a", "language": "en", "titles": "One"}, {"id": "b", "language": "de", "titles": "Drei"}]
    assert [g.titles for g in read_groups(write("g.csv", single))[0]] == [("One",), ("Drei",)]


def test_a_missing_language_is_identified_and_said(write):
    text = "El presidente del gobierno anunció ayer en Madrid una nueva ley sobre las pensiones"
    groups, notes = read_groups(write("g.jsonl", [{"id": "g", "titles": [text]}]))
    assert groups[0].language == "es"
    assert "g: es" in notes[0]


@pytest.mark.parametrize(
    ("records", "messages"),
    [
        ([{"language": "en", "titles": ["x"]}], ["line 1: the field 'id' is missing"]),
        ([{"id": "a", "language": "en"}], ["neither a title nor a text"]),
        ([{"id": "a", "language": "en", "titles": [" "], "texts": [""]}], ["neither a title nor a text"]),
        ([{"id": "a", "language": "en", "titles": [1]}], ["'titles' must be a list of texts"]),
        ([{"id": "a", "language": "xx", "titles": ["x"]}], ["'xx' is not a language code"]),
        ([{"id": "a", "language": "Spanish", "titles": ["x"]}], ["'Spanish' is not a language code"]),
        ([{"id": "a", "titles": ["x"]}], ["the text is too short to identify it"]),
        ([{"id": "a", "language": "en", "titles": ["x"]}] * 2, ["'a'"]),
        ([], ["holds no article group"]),
        ([{"id": "a", "language": "zz", "titles": ["x"]}, {"titles": ["y"]}], ["2 problems", "line 1", "line 2"]),
    ],
)
def test_bad_records(write, records, messages):
    with pytest.raises(CrossdocError) as caught:
        read_groups(write("g.jsonl", records))
    for message in messages:
        assert message in str(caught.value)


def test_other_files(write, tmp_path):
    with pytest.raises(CrossdocError, match=r"no file or folder"):
        read_groups(tmp_path / "missing.jsonl")
    with pytest.raises(CrossdocError, match=r"what kind of file"):
        read_groups(write("g.txt", "text"))
    with pytest.raises(CrossdocError, match="not valid JSON"):
        read_groups(write("g.jsonl", "{"))


def test_a_group_is_in_order_from_python_too():
    assert ArticleGroup("g", "spa", "Un título", ["Texto"]) == ArticleGroup("g", "es", ("Un título",), ("Texto",))
    for language in ("", "klingon", "xx"):
        with pytest.raises(CrossdocError, match=f"g: '{language}' is not a language code"):
            ArticleGroup("g", language, ("x",))


def test_a_rare_language_is_said(write):
    groups, notes = read_groups(write("g.jsonl", [{"id": "g", "language": "ceb", "titles": ["Usa ka balita"]}]))
    assert groups[0].language == "ceb"
    assert notes == ["Languages without a two-letter code, used as written: ceb."]


def test_odd_characters(write):
    records = [{"id": "g\ud800", "language": "en", "titles": ["a \ud800 b\u0000", "Ｑatar\u2028news"]}]
    crlf = json.dumps(records[0]).encode() + b"\r\n"
    (group,), _ = read_groups(write("g.jsonl", b"\xef\xbb\xbf" + crlf))
    assert "".join([group.id, *group.titles]).encode()
    assert "\0" not in group.titles[0]
    with pytest.raises(CrossdocError, match="line 2: not UTF-8"):
        read_groups(write("h.jsonl", crlf + b'{"id": "\xff"}\n'))


def test_language_codes():
    assert len(THREE_LETTERS) == 184
    assert [language_code(tag) for tag in ("EN", "deu", "ger", "zh_Hant", " fr ", "", "e", "e1")] == [
        "en", "de", "de", "zh", "fr", None, None, None
    ]  # fmt: skip


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


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("a $40 billion contract", "en"), ("40.000 millones de dólares", "es"), ("40 mil millones", "es"),
        ("40 miliardi di dollari", "it"), ("van 40 miljard", "nl"), ("40 Milliarden Euro", "de"),
        ("40 milliards", "fr"), ("40 mld zł", "pl"), ("40 млрд долларов", "ru"), ("40 мільярдів", "uk"),
        ("40 милиарда", "bg"), ("worth $40bn", "en"),
    ],
)  # fmt: skip
def test_one_number_in_many_languages(text, language):
    assert list(numbers(text, language)) == ["4e+10"]


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("2,000 jobs", "en", ["2000"]),
        ("2.000 Stellen", "de", ["2000"]),
        ("1.5 per cent", "en", ["1.5"]),
        ("1,5 Prozent", "de", ["1.5"]),
        ("1 000 000 zł", "pl", ["1e+06"]),
        ("1.234,56 Euro", "de", ["1234.56"]),
        ("5 men, 7 women and 12 children", "en", ["12"]),
        ("the A380 and the 737s", "en", ["737"]),
        ("3 Billionen", "de", ["3e+12"]),
        ("3 billion", "en", ["3e+09"]),
        ("", "en", []),
    ],
)
def test_numbers(text, language, expected):
    assert list(numbers(text, language)) == expected


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("March 01, 2008", "en"), ("1st March 2008", "en"), ("Mar. 1, 2008", "en"), ("1 de marzo de 2008", "es"),
        ("1 de marzo del 2008", "es"), ("1 marzo 2008", "it"), ("01-Mar-08", "nl"), ("1 maart 2008", "nl"),
        ("1. März 2008", "de"), ("1.3.2008", "cs"), ("1/3/2008", "fr"), ("1 março de 2008", "pt"),
        ("1 marca 2008", "pl"),
        ("1 марта 2008 года", "ru"), ("1 березня 2008", "uk"), ("1 март 2008", "bg"), ("2008-03-01", "en"),
    ],
)  # fmt: skip
def test_one_date_in_many_languages(text, language):
    assert dates(f"x {text} y", language)[0] == ["2008-03-01"]


@pytest.mark.parametrize(
    ("text", "language"),
    [("3/4/2008", "en"), ("5 may be enough", "en"), ("32 March 2008", "en"), ("13.13.2008", "de"), ("in 2008", "en")],
)
def test_what_is_no_clear_date(text, language):
    assert dates(text, language) == ([], text)


def test_a_date_is_not_a_number_too():
    found, rest = dates("On 24 May 1996 it sold 179 jets")
    assert (found, list(numbers(rest))) == (["1996-05-24"], ["179"])


def test_listopad_is_not_one_month():
    assert month_number("listopada", "pl") == 11
    assert month_number("listopada", "es") is None


@given(st.text(max_size=60), st.sampled_from(["en", "de", "ru", "zh", "xx"]))
def test_no_text_is_too_strange_quantities(text, language):
    found, rest = dates(text, language)
    assert all(len(date) in (5, 10) for date in found)
    assert all(float(number) >= 0 for number in numbers(rest, language))
