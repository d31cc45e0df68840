"""Rows that are refused when they are made by hand."""

from __future__ import annotations

import pytest

from crossdoc import errors
from crossdoc.model import (
    Document,
    Judgement,
    Mention,
    Profile,
)


@pytest.mark.parametrize(
    ("a", "b", "verdict", "weight", "told"),
    [
        ("a", "b", "Same", 1.0, "'Same', and must be 'same' or 'different'"),
        ("a", "b", "", 1.0, "'same' or 'different'"),
        ("a", "b", None, 1.0, "'same' or 'different'"),
        ("a", "a", "same", 1.0, "'a' is judged against itself"),
        ("", "b", "same", 1.0, "id is empty"),
        ("a", "", "same", 1.0, "id is empty"),
        ("a", "b", "same", -0.5, "weight is -0.5"),
        ("a", "b", "same", float("nan"), "weight is nan"),
        ("a", "b", "same", float("inf"), "weight is inf"),
    ],
)
def test_what_is_no_judgement_is_refused(a, b, verdict, weight, told):
    with pytest.raises(errors.InputError, match=told):
        Judgement(a, b, verdict, weight=weight)


def test_a_judgement_says_what_it_means():
    assert str(Judgement("a", "b", "same", weight=0.0)) == "a is the same as b"
    assert str(Judgement("a", "b", "different", who="ann")) == "a is different from b (ann)"


@pytest.mark.parametrize(("start", "end"), [(-1, 3), (5, 4), (-3, -1)])
def test_a_mention_lies_within_a_text(start, end):
    with pytest.raises(errors.InputError, match=f"'m' goes from character {start} to {end}"):
        Mention("m", "d", start, end, "text")
    assert Mention("m", "d", 0, 0, "").end == 0


def test_documents_and_profiles_have_ids():
    with pytest.raises(errors.InputError, match="document has an empty id"):
        Document("", "text")
    with pytest.raises(errors.InputError, match="profile has an empty id"):
        Profile("", "d", "Ann")
