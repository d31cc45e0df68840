"""Contact details: found, normalised, hashed, and never shown where they may not be.

Where a name stands, and the words around it.
"""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossdoc.names.texts import (
    Contact,
    ContactPolicy,
    find_contacts,
    find_name,
    normal_email,
    normal_phone,
    normal_url,
    window,
    without_contacts,
)


def found(text: str) -> list[tuple[str, str]]:
    return [(contact.kind, contact.value) for contact in find_contacts(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Write to John.Smith@Example.org.", [("email", "john.smith@example.org")]),
        ("Call (212) 555-0100 now", [("phone", "12125550100")]),
        ("Call 1-212-555-0100.", [("phone", "12125550100")]),
        ("Ring +44 (0)20 7946 0000, please", [("phone", "442079460000")]),
        ("Tel: 020 7946 000", [("phone", "1207946000")]),
        ("See https://www.Example.org/People/.", [("url", "example.org/People")]),
        ("(www.example.org)", [("url", "example.org")]),
        ("https://example.org/?to=a@example.org", [("url", "example.org/?to=a@example.org")]),
        ("a@example.org, b@example.org", [("email", "a@example.org"), ("email", "b@example.org")]),
    ],
)
def test_found(text: str, expected: list[tuple[str, str]]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "He was born on 1931-05-03 and died on 12.11.1999.",
        "It rose from 1,234,567 to 2,345,678 shares.",
        "The score was 21-14 28-3 7-0.",
        "$212 555 0100",
        "user@localhost",
        "1990-1995 2000-2005",
        "@smith said so",
    ],
)
def test_not_a_contact(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    "phone", ["(212) 555-0100", "212.555.0100", "1-212-555-0100", "+1 212 555 0100", "001 2125550100"]
)
def test_ways_to_write_a_number_are_one(phone: str) -> None:
    assert normal_phone(phone) == "12125550100"


def test_national_number_takes_the_given_prefix() -> None:
    assert normal_phone("020 7946 0000", "44") == normal_phone("+44 20 7946 0000") == "442079460000"


def test_normal_forms() -> None:
    assert normal_email("A@B.Org") == "a@b.org"
    assert normal_url("HTTP://B.org/Path/") == normal_url("b.org/Path") == "b.org/Path"


EMAIL = Contact("email", "jsmith@example.org", 0, 18)


def test_hash_is_stable_for_a_salt_and_differs_for_another() -> None:
    one, again, other = (ContactPolicy(salt=salt).kept(EMAIL) for salt in (b"salt", b"salt", b"pepper"))
    assert one == again
    assert one != other
    assert one is not None
    assert "smith" not in one


def test_kinds_do_not_collide() -> None:
    policy = ContactPolicy(salt=b"salt")
    assert policy.kept(Contact("url", "12125550100", 0, 1)) != policy.kept(Contact("phone", "12125550100", 0, 1))


def test_keep_and_off() -> None:
    assert ContactPolicy("keep").kept(EMAIL) == "jsmith@example.org"
    assert ContactPolicy("off").kept(EMAIL) is None


def test_match_needs_a_salt() -> None:
    with pytest.raises(ValueError, match="salt"):
        ContactPolicy("match")


@given(st.binary(min_size=1), st.text(min_size=1))
def test_hash_has_one_shape_whatever_the_value(salt: bytes, value: str) -> None:
    kept = ContactPolicy(salt=salt).kept(Contact("email", value.encode(errors="replace").decode(), 0, 1))
    assert kept is not None
    assert len(kept) == 32
    assert set(kept) <= set("0123456789abcdef")


@given(st.text())
def test_any_text(text: str) -> None:
    contacts = find_contacts(text)
    assert all(0 <= contact.start < contact.end <= len(text) for contact in contacts)
    assert all(a.end <= b.start for a, b in pairwise(contacts))


def test_long_lines_take_no_time() -> None:
    for text in (
        "a" * 50_000,
        "1" * 50_000,
        "1 " * 25_000,
        "a." * 25_000,
        "a@" * 25_000,
        "www." * 12_500,
        "(212) " * 9_000,
    ):
        find_contacts(text)


def test_without_contacts_of_a_part_that_cuts_one() -> None:
    text = "Call 212-555-0100 now"
    assert without_contacts(text, find_contacts(text), 0, 10) == "Call [phone]"
    assert without_contacts(text, find_contacts(text), 10) == "[phone] now"


TEXT = "one two three four five six seven eight nine ten"


@pytest.mark.parametrize(
    ("spans", "reach", "expected"),
    [
        ([(8, 13)], 5, "two three four"),
        ([(8, 13), (14, 18)], 5, "two three four five"),
        ([(0, 3), (45, 48)], 4, "one two … ten"),
        ([(45, 48), (0, 3)], 5, "one two … nine ten"),
        ([(8, 13)], 0, "three"),
        ([(0, 48)], 9, TEXT),
        ([], 9, ""),
    ],
)
def test_whole_words_within_reach(spans, reach, expected):
    assert window(TEXT, spans, reach) == expected


def test_a_name_is_found_with_middle_names_turned_round_and_over_a_line_end():
    text = "John\nSmith; John F. K. Smith; Smith, John; Johnny Smith; John\n\nSmith; JOHN SMITH"
    assert [text[start:end] for start, end in find_name(text, "John Smith")] == [
        "John\nSmith",
        "John F. K. Smith",
        "Smith, John",
        "JOHN SMITH",
    ]
