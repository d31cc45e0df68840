"""Names of one entity in several languages and cases, in one form; and what must stay two."""

import pytest

from crossdoc.lang.inflection import INFLECTING
from crossdoc.names.forms import body_named, in_one_form, may_vary, place_named, stems


def formed(type, *told):
    """Names as `language name`, in one form."""
    languages, names = zip(*(each.split(" ", 1) for each in told), strict=True)
    return in_one_form(names, languages, [type] * len(names))


@pytest.mark.parametrize(
    "told",
    [
        ("en Theresa May", "pl Theresy May", "ru Терезы Мэй", "ru Тереза Мэй", "cs Theresou Mayovou", "bg Тереза Мей"),
        ("en Boris Johnson", "pl Borisa Johnsona", "ru Бориса Джонсона", "uk Борисом Джонсоном", "sl Borisu Johnsonu"),
        ("en Nigel Farage", "ru Найджела Фараджа", "pl Nigelem Farage"),
    ],
)
def test_people_of_languages_with_and_without_cases(told):
    assert len(set(formed("person", *told))) <= 2
    assert formed("person", *told)[0] == told[0].split(" ", 1)[1]
    assert formed("person", *told)[1] == formed("person", *told)[0]


def test_without_any_other_language_the_commonest_form_stands():
    told = ["cs Tomáše Nováka", "cs Tomáš Novák", "cs Tomáš Novák", "cs Novákovi"]
    assert formed("person", *told) == ["Tomáš Novák", "Tomáš Novák", "Tomáš Novák", "Novák"]


def test_languages_without_cases_are_as_they_were():
    told = ["en Jane Smith", "fr Jean Smith", "de Jörg Smyth", "en Smith"]
    assert formed("person", *told) == [each[3:] for each in told]
    # Beside another language too: a form of the other may be one of theirs, but theirs are never changed.
    assert formed("person", *told, "ru Джейн Смит")[:4] == [each[3:] for each in told]
    assert formed("person", "en Ann Lee", "ru Оскара Уайльда")[0] == "Ann Lee"


def test_two_words_of_one_language_without_cases_stay_two():
    # The Russian could be either, and must not make one of the English two.
    forms = formed("person", "en Martin Roy", "en Marten Roy", "en Martin Roy", "ru Мартина Роя")
    assert forms[:3] == ["Martin Roy", "Marten Roy", "Martin Roy"]
    assert forms[3].startswith("Martin ")


@pytest.mark.parametrize(
    ("a", "b"),
    [("ru Путина", "ru Пушкина"), ("pl Tusk", "pl Trump"), ("cs Nováka", "cs Dvořáka"), ("ru Мира", "ru Мура")],
)
def test_different_names_stay_two(a, b):
    first, second = formed("person", a, b)
    assert first != second


def test_types_are_apart():
    assert in_one_form(["Moskva", "Москвы"], ["cs", "ru"], ["organisation", "person"]) == ["Moskva", "Москвы"]


def test_organisations_and_acronyms():
    forms = formed(
        "organisation", "ru Верховный суд", "ru Верховного суда", "ru Верховный суд", "ru СССР", "uk Верховним судом"
    )
    assert forms == ["Верховный суд"] * 3 + ["СССР", "Верховный суд"]
    assert [may_vary(word) for word in ("EU", "NATO", "Лев", "of", "Gazprom", "ГАЗПРОМ")] == [
        False, False, True, False, True, True,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "language", "place"),
    [("России", "ru", "Russia"), ("Pákistánu", "cs", "Pakistan"), ("Londynie", "pl", "London"),
     ("Rosso", "it", "Rosso"), ("Nikdeves", "cs", ""), ("Ruskem", "cs", "Russia"), ("Белфастом", "ru", "Belfast")],
)  # fmt: skip
def test_places(name, language, place):
    assert place_named(name, language) == place


def test_stems():
    assert "gazprom" in stems("Газпромом", "ru") & stems("Gazprom", "en") & stems("Gazpromu", "pl")
    assert stems("Anna", "en") == {"anna"}
    assert all(len(stem) >= 3 for code in INFLECTING for stem in stems("Annami", code))
    assert stems("Oto", "cs") == {"oto"}


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (("de Berlins", "de Berlin"), ["Berlin", "Berlin"]),
        (("de Rulslands", "de Rulsland", "de Hinterdorfs"), ["Rulsland", "Rulsland", "Hinterdorfs"]),
        (("de Frankfurts", "de Paris", "de Moos"), ["Frankfurt am Main", "Paris", "Moos"]),
        (("fi Helsingissä", "fi Hämeen", "fi Häme"), ["Helsinki", "Häme", "Häme"]),
        (("sv Sveriges", "sv Sverige", "en Berlins", "en Berlin"), ["Sverige", "Sverige", "Berlins", "Berlin"]),
    ],
)
def test_endings_fall_where_the_name_without_them_is_known(told, expected):
    assert formed("place", *told) == expected


def test_the_name_without_its_ending_is_one_of_the_same_type_and_language():
    assert in_one_form(["Mosers", "Moser"], ["de", "de"], ["organisation", "person"]) == ["Mosers", "Moser"]
    assert formed("organisation", "de Mosers", "fr Moser") == ["Mosers", "Moser"]


def test_endings_of_people():
    assert formed("person", "de Peters", "de Peter") == ["Peters", "Peter"]
    assert formed("person", "fi Mannerheimin", "fi Mannerheim") == ["Mannerheim", "Mannerheim"]


@pytest.mark.parametrize(
    ("name", "language", "body"),
    [
        ("UE", "pl", "European Union"), ("UE", "fr", "European Union"), ("UE", "cs", ""),
        ("ЕС", "bg", "European Union"),
        ("Evropské unie", "cs", "European Union"), ("Организации Объединенных Наций", "ru", "United Nations"),
        ("Spojených států", "cs", "United States"), ("États-Unis", "fr", "United States"), ("Unia", "pl", ""),
        ("Европейской комиссии", "ru", "European Commission"), ("États", "fr", ""), ("ес", "ru", ""),
    ],
)  # fmt: skip
def test_what_languages_translate(name, language, body):
    assert body_named(name, language) == body


def test_a_language_by_itself_is_not_translated():
    assert formed("organisation", "fr ONU", "fr Nations Unies") == ["ONU", "Nations Unies"]


def test_people_are_no_bodies():
    assert in_one_form(["UE", "UE"], ["pl", "fr"], ["person", "organisation"]) == ["UE", "European Union"]
