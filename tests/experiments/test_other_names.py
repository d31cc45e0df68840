"""What names of organisations and places have in common, counted by pairs of names."""

import doctest
import importlib
from collections import Counter
from pathlib import Path

import pytest

from crossdoc.model import Profile


@pytest.fixture
def other_names(monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "experiments")
    return importlib.import_module("other_names")


def test_examples(other_names):
    assert doctest.testmod(other_names).failed == 0


def profiles(entity_type, *rows):
    return [(Profile(str(at), "d", name, entity_type), entity) for at, (name, entity) in enumerate(rows)]


def test_each_pair_of_names_counts_once_by_the_share_of_profiles_that_are_one(other_names):
    rows = profiles(
        "organisation", ("Velox", "a"), ("Velox", "b"), ("Velox Tyres", "a"), ("Velox Tyres", "a"), ("Fiat", "c")
    )
    assert other_names.counted(rows, "organisation", Counter()) == {"part of one": [0.5, 0.5]}


@pytest.mark.parametrize(
    ("entity_type", "names", "kind"),
    [
        ("place", ["Zürich", "Stadt Zürich"], "designation"),
        ("organisation", ["Fund", "Monetary Fund", "Rowing Fund"], "last word, fewer"),
        ("organisation", ["Oz", "Oz Air", "Oz Bank"], "part of several"),
        ("place", ["Gloucester", "Gloucefler"], "two letters, the other a place"),
        ("organisation", ["Westunion", "Westunnon"], "one letter, neither a place"),
        ("organisation", ["NCA", "National Cycling Association"], None),
    ],
)
def test_what_two_names_have_in_common(other_names, entity_type, names, kind):
    assert {found for _, _, found in other_names.kinds(names, entity_type, Counter())} == ({kind} if kind else set())
