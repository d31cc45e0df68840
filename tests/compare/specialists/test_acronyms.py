"""Acronyms: what stands for what, and when there is no opinion."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossdoc.compare.specialists import Acronyms
from crossdoc.compare.specialists.acronyms import letters_of, stands_for
from crossdoc.model import Profile, Profiles


def score(a: str, b: str, kind: str = "organisation") -> list[float]:
    table = Profiles.of([Profile("1", "d", a, kind), Profile("2", "d", b, kind)])
    found = Acronyms().score(table, table, [(0, 1), (1, 0)])
    assert np.array_equal(found[:1], found[1:], equal_nan=True)
    return found[:1].tolist()


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("COLING", "International Conference on Computational Linguistics"),
        ("NCA", "National Cycling Association"),
        ("N.C.A.", "the National Cycling Association"),
        ("the UN", "United Nations"),
        ("IBM", "International Business Machines Corp."),
        ("GMC", "General Motors Corp."),
        ("DoD", "Department of Defense"),
        ("AT&T", "American Telephone & Telegraph"),
        ("FedEx", "Federal Express"),
        ("Caltech", "California Institute of Technology"),
        ("Interpol", "International Criminal Police Organization"),
        ("ÖBB", "Österreichische Bundes-Bahnen"),
    ],
)
def test_expansions(short: str, full: str) -> None:
    assert score(short, full) == [1.0]


@pytest.mark.parametrize(("a", "b"), [("NCA", "UN"), ("U.S.", "UK")])
def test_acronyms_that_differ(a: str, b: str) -> None:
    assert score(a, b) == [0.0]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("NCA", "National Rowing Club"),
        ("Boston", "Boston Scientific"),
        ("BOSTON", "Boston Scientific"),
        ("National Cycling Association", "National Rowing Club"),
        ("IBM", "Apple"),
        ("", "UN"),
        ("A", "Alpha Beta"),
    ],
)
def test_no_opinion(a: str, b: str) -> None:
    assert np.isnan(score(a, b)).all()


def test_places_known_by_several_names() -> None:
    assert score("U.S.", "United States", "place") == [1.0]
    assert score("U.S.A.", "America", "place") == [1.0]
    assert score("US", "USA", "place") == [1.0]
    assert np.isnan(score("US", "Britain", "place")).all()


def test_people_have_no_acronyms() -> None:
    assert np.isnan(score("JFK", "John Fitzgerald Kennedy", "person")).all()


@settings(deadline=None)
@given(st.lists(st.text("abcdefghij", min_size=1, max_size=8), min_size=2, max_size=6))
def test_initials_stand_for_their_words(words: list[str]) -> None:
    short = "".join(word[0] for word in words).upper()
    assert letters_of(short) == short.lower()
    assert stands_for(short, " ".join(word.title() for word in words))


@given(st.text(max_size=20), st.text(max_size=20))
def test_any_text(a: str, b: str) -> None:
    if stands_for(a, b):
        assert not stands_for(b, a)
