"""Party, state and office."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from crossdoc.compare.specialists import Office, Party, Specialist, State
from crossdoc.model import Profile, Profiles

Said = dict[str, list[str]]


def score(specialist: Specialist[Any], a: Said, b: Said) -> float:
    table = Profiles.of([Profile("1", "d", "Ann", "person", attributes=a), Profile("2", "d", "Ann", attributes=b)])
    there, back = specialist.score(table, table, [(0, 1), (1, 0)])
    assert there == back or (np.isnan(there) and np.isnan(back))
    return float(there)


@pytest.mark.parametrize(
    ("a", "b", "wanted"),
    [
        ({"party": ["Democrat"]}, {"party": ["Democratic"]}, 1.0),
        ({"party": ["Republicans"]}, {"descriptor": ["GOP senator"]}, 1.0),
        ({"party": ["Democrat"]}, {"party": ["Republican"]}, 0.0),
        ({"party": ["Likud"]}, {"party": ["Likud Party"]}, 1.0),
    ],
)
def test_party(a: Said, b: Said, wanted: float) -> None:
    assert score(Party(), a, b) == wanted


@pytest.mark.parametrize(
    ("a", "b", "wanted"),
    [
        ({"state": ["N.Y."]}, {"state": ["New York"]}, 1.0),
        ({"state": ["Tex."]}, {"descriptor": ["former Texas governor"]}, 1.0),
        ({"state": ["Va."]}, {"descriptor": ["governor of West Virginia"]}, 0.0),
        ({"state": ["Calif."]}, {"state": ["Maine"]}, 0.0),
    ],
)
def test_state(a: Said, b: Said, wanted: float) -> None:
    assert score(State(), a, b) == wanted


def test_a_state_without_an_office_is_only_a_place() -> None:
    assert np.isnan(score(State(), {"state": ["Tex."]}, {"descriptor": ["Texas rancher"]}))


@pytest.mark.parametrize(
    ("a", "b", "wanted"),
    [
        ({"title": ["sen"]}, {"title": ["senator"]}, 1.0),
        ({"title": ["senator"]}, {"party": ["Democrat"], "state": ["N.Y."]}, 0.75),
        ({"title": ["gov"]}, {"descriptor": ["mayor of Boston"]}, 0.25),
        ({"title": ["president"]}, {"title": ["vice president"]}, 0.25),
    ],
)
def test_office(a: Said, b: Said, wanted: float) -> None:
    assert score(Office(), a, b) == wanted


@pytest.mark.parametrize("specialist", [Party(), State(), Office()])
def test_asleep_when_one_side_says_nothing(specialist: Specialist[Any]) -> None:
    said = {"party": ["Democrat"], "state": ["N.Y."], "title": ["senator"]}
    assert np.isnan(score(specialist, said, {}))
    assert np.isnan(score(specialist, said, {"party": [], "state": [""], "descriptor": ["!"]}))


def test_mayors_are_not_written_with_party_and_state() -> None:
    assert np.isnan(score(Office(), {"title": ["mayor"]}, {"party": ["Democrat"], "state": ["N.Y."]}))
