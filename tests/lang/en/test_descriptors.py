"""Titles, offices and parties in one form."""

import pytest

from crossdoc.lang.en.descriptors import ABBREVIATED_TITLES, OF_A_STATE, OFFICES, PARTIES, PARTS


@pytest.mark.parametrize(
    ("text", "offices"),
    [("former sen. from ohio", {"senator"}), ("vice-president", {"vice president"}), ("presidential", set())],
)
def test_offices(text, offices):
    assert {office for pattern, office in OFFICES if pattern.search(text)} == offices


def test_offices_of_a_state_are_offices():
    assert {office for _, office in OFFICES} >= OF_A_STATE


def test_parties_stand_for_themselves():
    assert all(PARTIES[party] == party for party in PARTIES.values())


def test_abbreviations_are_shorter_than_titles():
    assert all(len(short) < len(title) for short, title in ABBREVIATED_TITLES.items())


def test_descriptions_are_parted():
    assert [part.strip() for part in PARTS.split("lawyer and poet; mayor")] == ["lawyer", "poet", "mayor"]
