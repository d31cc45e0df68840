"""Sets of names made one: which part a name is in, what is hidden, and that no article is taken twice."""

import doctest
import importlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

EXPERIMENTS = Path(__file__).parents[2] / "experiments"


@pytest.fixture
def numbers(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(EXPERIMENTS)
    return importlib.import_module("context_numbers")


def test_examples(numbers: ModuleType) -> None:
    assert doctest.testmod(numbers).failed == 0


def test_a_name_stays_in_its_part(numbers: ModuleType) -> None:
    """So that what is measured at the end is not what the rule was chosen on."""
    parts = [numbers.part_of("reuters", f"person|{name}") for name in ("volcker", "reagan", "lawson", "lyng")]
    assert parts == ["build", "rest", "choose", "build"], "as when the rule was chosen"


def test_every_mention_is_hidden_and_first_names_with_it(numbers: ModuleType) -> None:
    text = "Fed Chairman Paul Volcker spoke. Volcker left."
    starts = [text.index("Volcker"), text.rindex("Volcker")]
    spans = tuple((numbers._with_first_name(text, start), start + 7) for start in starts)
    context = numbers.Article("a", text, spans).hidden()
    assert context.text == "Fed Chairman Pseudonym spoke. Pseudonym left."
    assert context.target == "Pseudonym"


def test_articles_of_two_names_are_left_out(numbers: ModuleType) -> None:
    def articles(ids: range) -> list[object]:
        return [numbers.Article(str(i), f"Somebody said {'word' * (i % 3 + 1)}.", ((0, 8),)) for i in ids]

    names = {"person|ann": articles(range(10)), "person|bob": articles(range(9, 19)), "person|eve": articles(range(10))}
    draw: Callable[..., list[str]] = numbers._chosen
    for seed in range(5):
        chosen = draw(names, 2, np.random.default_rng(seed))
        assert set(chosen) != {"person|ann", "person|eve"}, "they share all their articles"
    profiles = numbers._conflated(["person|ann", "person|bob"], names, np.random.default_rng(0))
    ids = profiles.column("document").to_pylist()
    assert "9" not in ids
    assert len(set(ids)) == len(ids)
