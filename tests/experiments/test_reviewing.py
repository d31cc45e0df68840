"""A reviewer who knows the gold."""

import importlib
from pathlib import Path
from types import ModuleType

import pytest

from crossdoc.compare.memory_collection import compare
from crossdoc.model import Profile, Profiles

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
TEXTS = ["cars and trucks in Detroit", "cars and trucks in Detroit", "verses in Paris", "a plane over the Alps"]
GOLD = {"0": {"x"}, "1": {"y"}, "2": {"z"}, "3": {"z"}}


@pytest.fixture
def reviewing(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(EXPERIMENTS)
    return importlib.import_module("reviewing")


def test_answers_lead_to_the_gold(reviewing: ModuleType) -> None:
    rows = Profiles.of(Profile(str(n), str(n), "John Smith", "person", text) for n, text in enumerate(TEXTS))
    block = reviewing.Block(compare(rows, background=False)["person"], GOLD)
    assert block.labels[0] == block.labels[1] != block.labels[2] != block.labels[3]
    for _ in range(6):
        asked = block.best()
        if asked is None:
            break
        block.answer(asked.a, asked.b, asked.joined)
    assert block.best() is None
    assert block.labels[0] != block.labels[1]
    assert block.labels[2] == block.labels[3]


def test_what_contradicts_is_refused(reviewing: ModuleType) -> None:
    rows = Profiles.of(Profile(str(n), str(n), "John Smith", "person", text) for n, text in enumerate(TEXTS))
    block = reviewing.Block(compare(rows, background=False)["person"], {**GOLD, "2": {"x"}, "3": {"y"}})
    block.answer(0, 2, joined=False)
    before = block.labels.tolist()
    assert before[0] == before[1] == before[2]
    block.answer(0, 1, joined=True)
    assert block.labels.tolist() == before
