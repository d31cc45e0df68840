"""Names of organisations and places."""

from __future__ import annotations

import pytest

from crossdoc.names import acronym, others_agree, relate_others, telling_words
from crossdoc.names.others import plain_name


@pytest.mark.parametrize(
    ("grade", "a", "b"),
    [
        ("equal", "General Motors Corp.", "The General Motors"),
        ("equal", "Paris", "PARIS"),
        ("variant", "New-York Times", "NewYork Times"),
        ("variant", "NCA", "National Cycling Association"),
        ("variant", "U.S.", "United States"),
        ("variant", "U.S.", "America"),
        ("variant", "Britain", "UK"),
        ("variant", "N.Y.", "New York"),
        ("variant", "Calif.", "California"),
        ("part", "Ford", "Ford Motor"),
        ("part", "Cycling Association", "National Cycling Association"),
        ("clash", "Motors", "General Motors"),
        ("clash", "Ford", "Fiat"),
        ("clash", "NCA", "National Coal Authority of Britain"),
        ("clash", "", ""),
        ("clash", "...", "..."),
        ("clash", "calif.", "California"),
    ],
)
def test_how_two_relate(grade: str, a: str, b: str) -> None:
    assert str(relate_others(a, b)) == str(relate_others(b, a)) == grade
    assert others_agree(a, b) == (grade != "clash")


def test_words_and_letters() -> None:
    assert telling_words("The Co. of the") == ("co",)
    assert telling_words("of the") == ("of", "the")
    assert (acronym("A.B.C."), acronym("ABCDEFG"), acronym("the Bank of England")) == ("abc", "", "be")
    assert (plain_name("UAE"), plain_name("Texas")) == ("unitedarabemirates", "texas")
