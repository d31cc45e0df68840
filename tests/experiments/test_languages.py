"""How found names are matched with gold ones, and B³ where neither side has all of the other's."""

import doctest
import importlib
from pathlib import Path
from types import ModuleType

import pytest

from crossdoc.model import Mention

EXPERIMENTS = Path(__file__).parents[2] / "experiments"


@pytest.fixture
def languages(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(EXPERIMENTS)
    return importlib.import_module("languages")


def mention(id: str, start: int, end: int, chain: str | None, type: str = "person") -> Mention:
    return Mention(id, "d", start, end, "", type, chain=chain)


def test_examples(languages: ModuleType) -> None:
    assert doctest.testmod(languages) == (0, 3)


def test_names_chains_and_identities(languages: ModuleType) -> None:
    gold = [
        mention("g1", 0, 9, "Q1"),
        mention("g2", 20, 25, "Q1"),
        mention("g3", 30, 35, None),
        mention("g4", 40, 45, "Q2"),
    ]
    found = [
        mention("f1", 3, 9, "f1"),
        mention("f2", 20, 25, "f1"),
        mention("f3", 30, 35, "f1"),
        mention("f5", 50, 55, "f5"),
    ]
    found.append(mention("f4", 40, 45, "f4", "place"))
    reading = languages.Reading(found, gold, {"f1": "A", "f5": "A", "f4": "B"})
    assert reading.gold_of == {"f1": "g1", "f2": "g2", "f3": "g3"}
    assert reading.names() == pytest.approx(6 / 9)
    assert reading.names("place") == 0
    assert reading.exact() == pytest.approx((2 / 5, 2 / 4, 4 / 9))
    # Without g3, which has no id: precision (1 + 1 + 0 + 0) / 4, recall (1 + 1 + 0) / 3.
    assert reading.chained(across=False) == pytest.approx(2 * (2 / 4) * (2 / 3) / (2 / 4 + 2 / 3))
    # And with f5 in the same identity: precision (2/3 + 2/3 + 0 + 0) / 4.
    assert reading.chained(across=True) == pytest.approx(2 * (1 / 3) * (2 / 3) / (1 / 3 + 2 / 3))


def test_the_sample_has_gold_in_both_languages(languages: ModuleType) -> None:
    french = languages.gold_of("sample fr")
    assert len(french) == 9
    assert all(d.text[m.start : m.end] == m.text for d in french for m in d.mentions)
    assert len(languages.gold_of("sample en")) > 90
