"""Which entities cost an answer most."""

import doctest
import importlib
from pathlib import Path
from types import ModuleType

import pytest

from crossdoc.model import Profile, Profiles

EXPERIMENTS = Path(__file__).parents[2] / "experiments"


@pytest.fixture
def worst(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(EXPERIMENTS)
    return importlib.import_module("worst_cases")


def test_examples(worst: ModuleType) -> None:
    assert doctest.testmod(worst).failed == 0


def test_costs_are_what_b3_lacks(worst: ModuleType) -> None:
    """Against B³ itself: Σ cost = items · (1 − P + 1 − R)."""
    labelled = importlib.import_module("labelled")
    names = {"a": "Ann Lee", "b": "A. Lee", "c": "Ann Lee", "d": "Bo", "e": "Bo", "f": "Cy"}
    profiles = Profiles.of(Profile(id, id, name, "person") for id, name in names.items())
    gold = {"a": {"x"}, "b": {"x"}, "c": {"x"}, "d": {"y"}, "e": {"y"}, "f": {"z"}}
    given = labelled.Labelled("t", "open", "build", (labelled.Collection(profiles),), gold)
    answer = {"a": "1", "b": "1", "c": "2", "d": "2", "e": "2", "f": "3"}
    found = list(worst.cases(given, answer))
    scores = given.scored(answer).values["b3"]
    assert sum(case.cost for case in found) == pytest.approx(6 * (2 - scores["precision"] - scores["recall"]))
    assert [case.entity for case in found] == ["x", "y"]
    assert (found[0].clusters, found[0].strangers, found[0].size) == ([2, 1], {"y": 2}, 3)
    assert found[0].names == ["Ann Lee (2)", "A. Lee (1)"]
    assert [len(worst.shown(given, answer, most).splitlines()) for most in (1, 2, 20)] == [3, 4, 4]


def test_mentions_that_were_not_found(worst: ModuleType) -> None:
    labelled = importlib.import_module("labelled")
    gold = {"m1": {"x"}, "m2": {"x"}, "m3": {"x"}}
    given = labelled.Labelled("t", "open", "build", (), {}, None, gold, {"m1": "p", "m2": "p"})
    (case,) = worst.cases(given, {"p": "1"})
    assert case.clusters == [2, 1]
    assert case.names == ["(not found) (3)"]
