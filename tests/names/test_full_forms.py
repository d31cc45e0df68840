"""Inflected and abbreviated names of people."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from crossdoc.compare.across import Languages
from crossdoc.model import Profile, Profiles
from crossdoc.names.full_forms import full_forms, probability_inflected

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
