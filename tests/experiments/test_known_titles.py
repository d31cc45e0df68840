"""Titles as a known list: the entries, and the figures by hand."""

import doctest
import importlib
from pathlib import Path
from types import ModuleType

import pytest

EXPERIMENTS = Path(__file__).parents[2] / "experiments"


@pytest.fixture
def titles(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(EXPERIMENTS)
    return importlib.import_module("known_titles")


def test_examples(titles: ModuleType) -> None:
    assert doctest.testmod(titles) == (0, 2)


def test_a_sentence_follows_what_stands_in_parentheses(titles: ModuleType) -> None:
    found = titles.entry("Rabobank_\\u0028cycling_team\\u0029", titles.SENTENCES)
    assert (found.name, found.description[:13]) == ("Rabobank", "cycling team ")


def test_the_figures(titles: ModuleType) -> None:
    gold = {"1": "A", "2": "A", "3": "B", "4": "C", "5": "C"}
    answer = {"1": "A", "2": "B", "3": None, "4": "A", "5": None}
    precision, recall, f1, none, correct = titles.score(answer, gold, {"A", "B"})
    assert (precision, recall, none, correct) == pytest.approx((1 / 3, 1 / 3, 1 / 2, 2 / 5))
    assert f1 == pytest.approx(1 / 3)
