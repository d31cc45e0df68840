"""What the rule for names is worth, on names made for it."""

import importlib
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

EXPERIMENTS = Path(__file__).parents[2] / "experiments"


@pytest.fixture
def experiment(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(EXPERIMENTS)
    return importlib.import_module("name_rule")


def test_pairs_are_counted_by_grade_and_by_mentions(experiment: ModuleType) -> None:
    names = Counter(
        {("Bill Clinton", "bill"): 2, ("Clinton", "bill"): 1, ("Slick", "bill"): 1, ("Clinton", "hillary"): 1}
    )
    rule = experiment.by_rule([text for text, _ in sorted(names)], "person")
    found = experiment.judged(names, rule)
    # One person's: Bill Clinton and Clinton (part); Slick and either (clash). Two's: Clinton with all three.
    assert found.one.tolist() == [2, 0, 1, 0, 0]
    assert found.two.tolist() == [1, 0, 1, 0, 1]
    assert (found.lost(), found.joined()) == pytest.approx((2 / 3, 1000 * 2 / 3))
    # Of the six pairs of Bill's four mentions, those of Slick are lost.
    assert found.complete == 0.5
    letters = experiment.judged(names, experiment.by_key([text for text, _ in sorted(names)], str.lower))
    assert (letters.one.tolist(), letters.two.tolist()) == ([3, 0, 0, 0, 0], [2, 0, 0, 0, 1])


def test_surnames_that_are_alike(experiment: ModuleType) -> None:
    names = Counter([("Reagan", "a"), ("Don Regan", "b"), ("Yeltsin", "c"), ("Jelzin", "c"), ("Jane Regan", "d")])
    assert experiment.spellings(names) == {
        ("one letter apart", False, 2, False): 2,
        ("one transliteration", True, 0, True): 1,
    }
