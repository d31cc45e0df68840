"""The numbers of the model are chosen without the collection that they are measured on."""

import doctest
import importlib
from pathlib import Path
from types import ModuleType

import pytest

EXPERIMENTS = Path(__file__).parents[2] / "experiments"


@pytest.fixture
def fit(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(EXPERIMENTS)
    return importlib.import_module("fit")


def figures(fit: ModuleType, gains: dict[str, float], title: str) -> dict[str, dict[str, float]]:
    """Figures in which one change gains so much on each family, and nothing else is measured."""
    return {
        f"{name} {form}": {fit.SHIPPED: 0.9, title: 0.9 + gains[family]}
        for family, cases in fit.FAMILIES.items()
        for name, form in cases
    }


def test_examples(fit: ModuleType) -> None:
    assert doctest.testmod(fit).failed == 0


def test_a_gain_on_many_does_not_pay_for_a_loss_on_one(fit: ModuleType) -> None:
    number = fit.NUMBERS[0]
    title = f"{number.path} = {number.values[0]:g}"
    gains = dict.fromkeys(fit.FAMILIES, 0.02)
    assert fit.choose(figures(fit, gains, title)) == {number.path: number.values[0]}
    assert fit.choose(figures(fit, {**gains, "diary": -0.03}, title)) == {}


def test_the_family_that_is_left_out_does_not_count(fit: ModuleType) -> None:
    number = fit.NUMBERS[0]
    title = f"{number.path} = {number.values[0]:g}"
    only = {**dict.fromkeys(fit.FAMILIES, 0.0), "diary": 0.1}
    assert fit.choose(figures(fit, only, title)) == {number.path: number.values[0]}
    assert fit.choose(figures(fit, only, title), "diary") == {}


def test_the_page_is_made_from_the_figures(fit: ModuleType) -> None:
    assert fit.PAGE.read_text(encoding="utf-8") == fit.page(fit.read_figures())


def test_every_number_is_in_the_model_with_other_values(fit: ModuleType) -> None:
    now = fit.values_in(fit.changed({}))
    assert [number.path for number in fit.NUMBERS if now[number.path] in number.values] == []
