"""States, their abbreviations, and countries of several names."""

import pytest

from crossdoc.lang.geography import COUNTRIES, SAME_PLACE, STATES, state_named
from crossdoc.names import fold


@pytest.mark.parametrize(
    ("text", "state"), [("N.Y.", "New York"), ("NY", "New York"), ("W.Va.", "West Virginia"), ("Texas ", "Texas")]
)
def test_state_named(text, state):
    assert state_named(text) == state


def test_there_are_fifty_states_and_no_country_among_them():
    assert len(STATES) == 50
    assert not STATES & COUNTRIES
    assert state_named("Georgia") == "Georgia"
    assert state_named("Paris") is None


def test_countries_are_whole_names():
    assert {"Costa Rica", "United Arab Emirates", "Zimbabwe"} <= COUNTRIES
    assert all(name == name.strip() and name for name in COUNTRIES)
    assert all(fold(name) == name for name in SAME_PLACE)
