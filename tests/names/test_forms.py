"""Names of one entity in several languages and cases, in one form; and what must stay two."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossdoc.compare.across import Languages
from crossdoc.lang.foreign_names import INFLECTING
from crossdoc.model import Profile, Profiles
from crossdoc.names.forms import (
    body_named,
    full_forms,
    in_one_form,
    may_vary,
    place_named,
    probability_inflected,
    stems,
)


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


BASES = [f"{stem}{end}" for stem in ("Salt", "Bahr", "Mahl", "Hajek", "Speid", "Kerr") for end in ("en", "el", "er")]


def diary(inflected: int) -> Counter[str]:
    """Surnames, five mentions each, some of them also with an ending."""
    return Counter(dict.fromkeys(BASES, 5)) + Counter(f"{name}s" for name in BASES[:inflected])


def test_an_ending_is_taken_off_where_many_names_have_it():
    found = full_forms(diary(9))
    assert found == {f"{name}s": name for name in BASES[:9]}


def test_where_few_names_have_an_ending_it_makes_another_name():
    assert full_forms(Counter({"Robert": 5, "Roberts": 5, **dict.fromkeys(BASES * 5, 5)})) == {}
    assert full_forms({"Adam": 9, "Adams": 9}) == {}


def test_sibilants_have_another_ending():
    names = diary(9) + Counter({"Kainz": 5, "Kainzens": 2, "Kainzs": 1})
    assert full_forms(names)["Kainzens"] == "Kainz"
    assert "Kainzs" not in full_forms(names)


def test_the_first_name_stays():
    names = diary(9) + Counter({"Felix Salten": 2, "Felix Saltens": 1})
    assert full_forms(names)["Felix Saltens"] == "Felix Salten"


def test_an_abbreviation_stands_for_the_name_that_is_far_more_frequent():
    names = {"Gustav Schwarzkopf": 9, "Gustav Schw.": 2, "Gustav Sch.": 1, "Gustav Schmidt": 4}
    names |= {"Fanny Mut": 2, "Fanny M.": 9}
    assert full_forms(names) == {"Gustav Schw.": "Gustav Schwarzkopf", "Fanny M.": "Fanny Mut"}
    assert full_forms({"Richard": 8, "Richter": 2, "Rich.": 1}) == {"Rich.": "Richard"}
    assert full_forms({"Richard": 7, "Richter": 2, "Rich.": 1}) == {}


def test_an_abbreviated_name_may_be_inflected():
    assert (
        full_forms(diary(9) + Counter({"Hugo Saltens": 1, "Hugo Salt.": 1, "Hugo Salten": 4}))["Hugo Salt."]
        == "Hugo Salten"
    )


def test_initials_and_titles_are_no_abbreviations():
    names = {
        "J. Smith": 3,
        "John Smith": 90,
        "Dr. Orr": 2,
        "Dror": 9,
        "S.": 4,
        "Smith": 9,
        "Smith Jr.": 1,
        "U.S. Steel": 2,
    }
    assert full_forms(names) == {}


def test_an_initial_after_the_surname_is_compared_by_the_rule():
    assert full_forms({"Wang, Jun": 9, "Wang, J.": 3, "Jun Wang": 2}) == {}


def test_only_names_of_people_are_written_out():
    profiles = [
        Profile(f"{n}", "d", name, "person") for n, name in enumerate(["Gustav Schwarzkopf"] * 5 + ["Gustav Schw."])
    ]
    firms = [
        Profile(f"o{n}", "d", name, "organisation") for n, name in enumerate(["Acme Corporation"] * 5 + ["Acme Corp."])
    ]
    compared = Languages(both := Profiles.of([*profiles, *firms])).named(both).column("name").to_pylist()
    assert compared == ["Gustav Schwarzkopf"] * 6 + ["Acme Corporation"] * 5 + ["Acme Corp."]


@given(st.integers(0, 100), st.integers(0, 100))
def test_the_probability_rises_with_the_names_in_both_forms(both, others):
    here = probability_inflected(both, both + others)
    assert 0 <= here <= 1
    assert probability_inflected(both + 1, both + 1 + others) >= here
