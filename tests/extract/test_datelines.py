"""Dates of documents that have none, from the lines at their opening."""

import pytest

import crossdoc
from crossdoc.extract.datelines import opening_date, with_opening_dates
from crossdoc.model import Document, Documents

LETTER = "5. Letter From Ann Lee to Bob Ray\nWashington, January 22, 1964.\nDear Bob:\nAnn Lee wrote to you."


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        (LETTER, "en", "1964-01-22"),
        ("Memorandum\n\nTokyo, 3 May 1931, 7 p.m.\n\nThe talks failed.", "en", "1931-05-03"),
        ("Lettre\nParis, le 14 juillet 1899\nMon cher ami", "fr", "1899-07-14"),
        ("He was born on May 3, 1931.", "en", None),
        ("Report\nIn 1964 nothing happened.\nThe end.", "en", None),
        (
            "Report\n" + "All of this was agreed in long talks that went on until May 3, 1931, " * 2 + "\nThe end.",
            "en",
            None,
        ),
    ],
)
def test_a_date_is_taken_from_a_short_line_at_the_opening(text: str, language: str, expected: str | None) -> None:
    assert opening_date(text, language) == expected


def test_given_dates_are_kept() -> None:
    rows = [Document("a", LETTER, language="en", date="1999"), Document("b", LETTER), Document("c", "Ann.")]
    assert with_opening_dates(Documents.of(rows)).column("date").to_pylist() == ["1999", "1964-01-22", None]


def test_profiles_of_a_letter_say_when_it_was_written() -> None:
    found = crossdoc.extract_profiles([Document("a", LETTER, language="en")])
    assert {date for profile in found.profiles for date in profile.attributes["written"]} == {"1964-01-22"}
