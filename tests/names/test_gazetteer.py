"""Places by name: defaults, qualifiers, abbreviations, other languages, demonyms, and names that are none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from crossdoc.lang import languages, pack
from crossdoc.lang.en import DIVISIONS_ABBREVIATED
from crossdoc.names.gazetteer import Gazetteer, gazetteer

ROOT = Path(__file__).parents[2]


def code(text: str) -> str | None:
    place = gazetteer().find(text)
    return None if place is None else place.chain[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Paris", "FR.11/paris"),
        ("Paris, France", "FR.11/paris"),
        ("Paris, Texas", "US.TX/paris"),
        ("Paris (Texas)", "US.TX/paris"),
        ("Paris, Tex., U.S.", "US.TX/paris"),
        ("Springfield, Ill.", "US.IL/springfield"),
        ("Springfield, MA", "US.MA/springfield"),
        ("London", "GB.ENG/london"),
        ("London, Ontario", "CA.08/london"),
        ("London, Ont.", "CA.08/london"),
        ("London, England", "GB.ENG/london"),
        ("Atlanta, Georgia", "US.GA/atlanta"),
        ("Tbilisi, Georgia", "GE.51/tbilisi"),
        ("Lafayette, La.", "US.LA/lafayette"),
        ("New York", "US.NY/newyork"),
        ("New York, N.Y.", "US.NY/newyork"),
        ("N.Y.", "US.NY"),
        ("Washington", "US.DC/washingtondc"),
        ("Washington, D.C.", "US.DC/washingtondc"),
        ("L.A.", "US.CA/losangeles"),
        ("Ill.", "US.IL"),
        ("WA", "US.WA"),
        ("U.S.", "US"),
        ("the United States", "US"),
        ("UK", "GB"),
        ("Britain's", "GB"),
        ("Luxembourg", "LU"),
        ("Singapore", "SG"),
        ("Bavaria", "DE.02"),
        ("Scotland", "GB.SCT"),
        ("Europe", "+EU"),
        (", Texas", "US.TX"),
        ("San Jose, California", "US.CA/sanjose"),
    ],
)
def test_names(text: str, expected: str) -> None:
    assert code(text) == expected


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("Germany", "Allemagne", "Deutschland", "Alemania", "Германия", "德国"), "DE"),
        (("London", "Londres", "Londra", "Лондон"), "GB.ENG/london"),
        (("Munich", "München", "Мюнхен"), "DE.02/munich"),
        (("Beijing", "Peking", "Pékin", "北京市"), "CN.22/beijing"),
    ],
)
def test_names_of_other_languages(names: tuple[str, ...], expected: str) -> None:
    assert {name: code(name) for name in names} == dict.fromkeys(names, expected)


@pytest.mark.parametrize("text", ["Springfield", "Georgia", "Cambridge"])
def test_a_name_of_several_places_is_none(text: str) -> None:
    assert len(gazetteer().candidates(text)) > 1
    assert code(text) is None


@pytest.mark.parametrize("text", ["", " ", "a", ",", "()", "Smith, John", "Foo, Bar", "Miss", "x" * 5000, "\x00"])
def test_no_place(text: str) -> None:
    assert gazetteer().find(text) is None


def test_a_small_town_lies_where_it_is_said_to() -> None:
    town, texas = gazetteer().find("Lampasas, Texas"), gazetteer().find("Texas")
    assert town is not None
    assert texas is not None
    assert town.lies_in(texas)
    assert town == gazetteer().find("Lampasas, TX")


def test_containment_is_strict_and_goes_all_the_way_up() -> None:
    paris, france, europe = (gazetteer().find(name) for name in ("Paris", "France", "Europe"))
    assert paris is not None
    assert france is not None
    assert europe is not None
    assert paris.lies_in(france)
    assert paris.lies_in(europe)
    assert not france.lies_in(paris)
    assert not paris.lies_in(paris)


def test_candidates_come_most_populous_first() -> None:
    places = [place.chain[0] for place in gazetteer().candidates("Paris")]
    assert places[0] == "FR.11/paris"
    assert "US.TX/paris" in places


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("French", "FR"),
        ("Britons", "GB"),
        ("Swiss", "CH"),
        ("Scottish", "GB.SCT"),
        ("South Korean", "KR"),
        ("Chile", "CL"),
    ],
)
def test_nations(text: str, expected: str) -> None:
    nation = gazetteer().nation(text)
    assert nation is not None
    assert nation.chain[0] == expected


def test_what_is_no_nation() -> None:
    assert [gazetteer().nation(text) for text in ("Soviet", "Paris", "", "s")] == [None] * 4


@pytest.mark.parametrize(
    ("text", "expected"), [("N.Y.", "US.NY"), ("Mass", "US.MA"), ("Texas", "US.TX"), ("Ont.", "CA.08")]
)
def test_states(text: str, expected: str) -> None:
    state = gazetteer().state(text)
    assert state is not None
    assert state.chain[0] == expected


def test_what_is_no_state() -> None:
    assert [gazetteer().state(text) for text in ("Paris", "France", "")] == [None] * 3


def test_the_hand_written_tables_name_places_that_exist() -> None:
    tables = [DIVISIONS_ABBREVIATED, *(pack(language).affiliations.demonyms for language in languages())]
    assert {code for table in tables for code in table.values()} <= set(gazetteer().places)


def test_demonyms_of_several_languages() -> None:
    for text in ("French", "français", "Françaises"):
        assert gazetteer().nation(text).chain[0] == "FR"


def test_of_two_cities_of_one_name_in_one_division_the_larger_stays() -> None:
    rows = [("+X", "", "Ex", 0, ""), ("XX", "+X", "Exland", 9, ""), ("XX.1", "XX", "", 9, "")]
    small = Gazetteer([*rows, ("", "XX.1", "Twin", 8, "zwilling"), ("", "XX.1", "Twin", 1, "gemello")])
    assert [place.chain for place in small.candidates("Twin")] == [("XX.1/twin", "XX.1", "XX", "+X")]
    assert small.candidates("Zwilling")
    assert not small.candidates("Gemello")


@given(st.text(max_size=30))
def test_any_text_is_looked_up(text: str) -> None:
    place = gazetteer().find(text)
    assert place is None or place.chain[-1].startswith("+")


@given(st.sampled_from(sorted(gazetteer().places)))
def test_every_city_is_found_by_its_name_and_country(key: str) -> None:
    place = gazetteer().places[key]
    assume(place.city and not set(",(") & set(place.name))
    country = gazetteer().places[place.country].name
    found = gazetteer().find(f"{place.name}, {country}")
    assert found is not None
    assert found.country == place.country


def test_the_stored_table_is_what_the_tool_builds() -> None:
    command = [sys.executable, str(ROOT / "tools" / "build_places.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    if done.stdout.startswith("skipped"):
        pytest.skip(done.stdout.strip())
    assert done.stdout.strip() == "current"
