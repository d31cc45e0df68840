"""How usual names are, against figures of the census."""

from __future__ import annotations

import pytest

from crossdoc.names import first_names, name_share, parse_person, share_of_first, share_of_last
from crossdoc.names.commonness import UNLISTED_FIRST, UNLISTED_LAST, last_names


@pytest.mark.parametrize(
    ("last", "percent"), [("smith", 1.006), ("johnson", 0.810), ("jones", 0.621), ("regan", 0.006), ("acres", 0.001)]
)
def test_surnames_have_the_share_of_the_census(last: str, percent: float) -> None:
    assert share_of_last(last) == pytest.approx(percent / 100)


@pytest.mark.parametrize(
    ("first", "of_men", "of_women"), [("james", 3.318, 0.010), ("mary", 0.009, 2.629), ("pat", 0.022, 0.040)]
)
def test_first_names_have_the_mean_of_men_and_women(first: str, of_men: float, of_women: float) -> None:
    assert share_of_first(first) == pytest.approx((of_men + of_women) / 200, abs=5e-6)


def test_what_is_not_listed_is_rarer_than_all_that_is() -> None:
    assert share_of_last("xyzzy") == share_of_last("") == UNLISTED_LAST < min(last_names().values())
    assert share_of_first("xyzzy") == share_of_first("") == UNLISTED_FIRST <= min(map(share_of_first, first_names()))


def test_an_initial_is_as_usual_as_all_its_names() -> None:
    jays = [name for name in first_names() if name[0] == "j"]
    assert share_of_first("j") == pytest.approx(sum(map(share_of_first, jays)))
    letters = "abcdefghijklmnopqrstuvwxyz"
    assert 0.9 < sum(map(share_of_first, letters)) < 1
    # The surnames that the Bureau does not round to nothing are those of 77.48 % of all people, before rounding.
    assert sum(map(share_of_last, letters)) == pytest.approx(0.7748, rel=0.03)
    assert share_of_last("x") < share_of_last("q") < share_of_last("s")


def test_a_name_is_as_usual_as_its_parts_together() -> None:
    def share(name: str) -> float:
        return name_share(parse_person(name))

    assert share("John Smith") == share("Smith, Mr. John A.") == share_of_last("smith") * share_of_first("john")
    assert share("J. Smith") == share_of_last("smith") * share_of_first("j")
    assert share("Smith") == share("Mr. Smith") == share_of_last("smith")
    assert share("John") == share_of_first("john")
    assert share("Mr. John") == share_of_last("john") < share("John")
    assert share("...") == 1
