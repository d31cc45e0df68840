"""First names that can be one person's, and those that cannot, for the rule and for the specialist alike."""

from __future__ import annotations

import pytest

from crossdoc.compare.specialists import PersonNames
from crossdoc.model import Profile, Profiles
from crossdoc.names import first_names_agree, gender_of_first

ONE_PERSONS = [
    ("jon", "john"),
    ("kate", "katherine"),
    ("bill", "william"),
    ("sam", "samantha"),
    ("alex", "alexandra"),
    ("alexandr", "aleksander"),
    ("mohammed", "muhammad"),
    ("pyotr", "peter"),
    ("yousef", "yusuf"),
    ("dmitri", "dimitri"),
    ("stephen", "steven"),
    ("marie", "mary"),
    ("jonathan", "jonathon"),
    ("j", "jane"),
]
TWO_PEOPLES = [
    ("john", "jane"),
    ("john", "joan"),
    ("john", "jean"),
    ("paul", "paula"),
    ("robert", "roberta"),
    ("eric", "erica"),
    ("daniel", "danielle"),
    ("alexander", "alexandra"),
    ("maria", "mario"),
    ("joseph", "josephine"),
    ("louis", "louise"),
    ("andrew", "andrea"),
    ("tony", "toni"),
    ("bill", "hillary"),
    ("j", "mary"),
]


def score(a: str, b: str) -> float:
    people = Profiles.of(Profile(first, first, f"{first.title()} Smith", "person") for first in (a, b))
    return float(PersonNames().score(people, people, [(0, 1)])[0])


@pytest.mark.parametrize(("a", "b"), ONE_PERSONS)
def test_nicknames_spellings_and_initials_agree(a: str, b: str) -> None:
    assert first_names_agree(a, b)
    assert first_names_agree(b, a)
    assert score(a, b) > 0.5


@pytest.mark.parametrize(("a", "b"), TWO_PEOPLES)
def test_names_of_men_and_women_clash(a: str, b: str) -> None:
    assert not first_names_agree(a, b)
    assert not first_names_agree(b, a)
    assert score(a, b) == 0


def test_a_name_that_is_not_listed_has_no_gender() -> None:
    assert gender_of_first("xyzzy") == gender_of_first("") == ""
