"""Contradictions: 0 where there is one, silence where there is none."""

from __future__ import annotations

import numpy as np
import pytest

from crossdoc.compare.specialists import Contradictions
from crossdoc.model import Profile, Profiles

Said = dict[str, list[str]]


def contradict(a: Profile, b: Profile) -> bool:
    table = Profiles.of([a, b])
    found = Contradictions().score(table, table, [(0, 1), (1, 0)])
    assert np.array_equal(found[:1], found[1:], equal_nan=True)
    assert np.isnan(found[0]) or found[0] == 0.0
    return not np.isnan(found[0])


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ({"gender": ["m"]}, {"gender": ["f"]}),
        ({"gender": ["m"], "gender_confidence": ["0.95"]}, {"gender": ["female"]}),
        ({"born": ["1931"]}, {"born": ["1950"]}),
        ({"died": ["1931"]}, {"born": ["1950"]}),
        ({"died": ["1931"]}, {"died": ["1990"]}),
        ({"died": ["1996"], "age": ["30"]}, {"born": ["1920"]}),
    ],
)
def test_attributes(a: Said, b: Said) -> None:
    assert contradict(Profile("1", "d", "", attributes=a), Profile("2", "d", "", attributes=b))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ({}, {}),
        ({"gender": ["m"]}, {"gender": ["m"]}),
        ({"gender": ["m"], "gender_confidence": ["0.8"]}, {"gender": ["f"]}),
        ({"gender": ["m"], "gender_confidence": ["sure"]}, {"gender": ["f"]}),
        ({"gender": ["m"]}, {"gender": ["?"]}),
        ({"born": ["1931"]}, {"born": ["1933"]}),
        ({"born": ["1931"]}, {"died": ["1990"]}),
        ({"age": ["3"]}, {"age": ["90"]}),
    ],
)
def test_no_contradiction_of_attributes(a: Said, b: Said) -> None:
    assert not contradict(Profile("1", "d", "", attributes=a), Profile("2", "d", "", attributes=b))


@pytest.mark.parametrize(
    ("a", "b"),
    [("John A. Smith", "John B. Smith"), ("John Smith Jr.", "John Smith Sr."), ("Mr. Smith", "Mrs. Smith")],
)
def test_names(a: str, b: str) -> None:
    assert contradict(Profile("1", "d", a, "person"), Profile("2", "d", b, "person"))
    assert not contradict(Profile("1", "d", a, "organisation"), Profile("2", "d", b, "person"))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("John A. Smith", "John Smith"),
        ("John A. Smith", "John Albert Smith"),
        ("John Smith Jr.", "John Smith"),
        ("Gabriel José García", "Gabriel García Márquez"),
        ("", ""),
    ],
)
def test_no_contradiction_of_names(a: str, b: str) -> None:
    assert not contradict(Profile("1", "d", a, "person"), Profile("2", "d", b, "person"))
