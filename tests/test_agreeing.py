"""Names that agree, found by look-up, against the rule for each pair."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossdoc.names import agreeing_names, others_agree, parse_person, persons_agree

COMPANIES = [
    "General Motors", "General Motors Corp.", "GM", "General", "Motors", "G.M.", "Green Mountain", "Bank of America",
    "America", "National Cycling Association", "NCA", "IBM", "Cycling Association", "GeneralMotors", "", "...", "日産",
]  # fmt: skip
PEOPLE = [
    "Bill Clinton", "William J. Clinton", "B. Clinton", "Clinton", "Bill", "President Clinton", "Hillary Clinton",
    "Mrs. Clinton", "George W. Bush", "George H. W. Bush", "Jeb Bush", "Pyotr Chernov", "Peter Tchernov", "P Chernov",
    "Anna Levi-Montalcini", "A. Montalcini", "John Smith Jr.", "John Smith Sr.", "Jon Smith", "Jane Smith", "", "...",
]  # fmt: skip
firsts = st.sampled_from(["Bill", "William", "Will", "B.", "Peter", "Pyotr", "Sam", "Samantha", "Samuel", "Jonathan",
                          "Jonathon", "Xi", "Zhi", "W"])  # fmt: skip
lasts = st.sampled_from(["Clinton", "Klinton", "Levi-Montalcini", "Montalcini", "Smith", "Smyth", "Li", "Lee", "Bill"])
middles = st.sampled_from(["", " A.", " Anna", " Albert J.", " J."])
titles = st.sampled_from(["", "Mr. ", "Mrs. ", "President "])
people = st.builds("{}{}{} {}".format, titles, firsts, middles, lasts) | lasts | st.text("AaBb .,'", max_size=8)


def of_every_pair(names: list[str], agree: Callable[[str, str], bool]) -> list[int]:
    n = len(names)
    return [i * n + j for i, j in product(range(n), repeat=2) if i == j or agree(names[i], names[j])]


def one_person(a: str, b: str) -> bool:
    return persons_agree(parse_person(a), parse_person(b))


@pytest.mark.parametrize(
    ("names", "entity_type", "agree"),
    [(COMPANIES, "organisation", others_agree), (COMPANIES, "place", others_agree), (PEOPLE, "person", one_person)],
)
def test_they_are_those_of_the_pairwise_rule(
    names: list[str], entity_type: str, agree: Callable[[str, str], bool]
) -> None:
    expected = of_every_pair(names, agree)
    assert agreeing_names(names, entity_type).tolist() == expected
    assert len(names) + 10 < len(expected) < len(names) ** 2 / 2


@given(st.lists(st.text("AaBb .&", max_size=8) | st.sampled_from(COMPANIES), max_size=8, unique=True))
def test_of_any_organisations(names: list[str]) -> None:
    assert agreeing_names(names, "organisation").tolist() == of_every_pair(names, others_agree)


@settings(max_examples=300)
@given(st.lists(people | st.sampled_from(PEOPLE), max_size=12, unique=True))
def test_of_any_people(names: list[str]) -> None:
    assert agreeing_names(names, None).tolist() == of_every_pair(names, one_person)


def test_no_names() -> None:
    assert agreeing_names([], "person").tolist() == agreeing_names([], "place").tolist() == []
