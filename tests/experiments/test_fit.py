"""The numbers of the model are chosen without the collection that they are measured on."""

import doctest
import importlib
import json
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
    gains = dict.fromkeys(fit.FAMILIES, 0.2)
    assert fit.choose(figures(fit, gains, title)) == {number.path: number.values[0]}
    assert fit.choose(figures(fit, {**gains, "diary": -0.002}, title)) == {}
    assert fit.choose(figures(fit, {**gains, "diary": -0.0005}, title)) == {number.path: number.values[0]}
    assert fit.choose(figures(fit, dict.fromkeys(fit.FAMILIES, 0.0009), title)) == {}


def merged(*found: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    return {case: {title: value for each in found for title, value in each[case].items()} for case in found[0]}


def test_the_value_with_the_best_mean_is_taken(fit: ModuleType) -> None:
    number = fit.NUMBERS[0]
    low, high = (fit.title_of({number.path: value}) for value in number.values)
    both = merged(
        figures(fit, dict.fromkeys(fit.FAMILIES, 0.02), low), figures(fit, dict.fromkeys(fit.FAMILIES, 0.03), high)
    )
    assert fit.choose(both) == {number.path: number.values[1]}


@pytest.mark.parametrize("loss", [0.0, -0.01])
def test_several_numbers_have_to_be_good_together(
    fit: ModuleType, loss: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = ({number.path: number.values[0]} for number in fit.NUMBERS[:2])
    gains = dict.fromkeys(fit.FAMILIES, 0.02)
    found = merged(
        figures(fit, gains, fit.title_of(first)),
        figures(fit, dict.fromkeys(fit.FAMILIES, 0.03), fit.title_of(second)),
    )
    assert fit.choose(found) == second, "together they are not measured"
    asked = []

    def measure(families: list[str], changes: dict[str, dict[str, float]]) -> None:
        asked.extend(families)
        (title,) = changes
        found.update(merged(found, figures(fit, {**gains, "toponyms": loss}, title)))

    monkeypatch.setattr(fit, "measure", measure)
    monkeypatch.setattr(fit, "read_figures", lambda: found)
    assert fit.chosen("diary") == (first | second if loss == 0 else second)
    assert asked == [family for family in fit.FAMILIES if family != "diary"]


def test_the_shipped_file_is_what_the_command_writes(
    fit: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert fit.model_file(fit.changed({})) == fit.shipped()
    monkeypatch.setattr(fit, "read_figures", lambda: {})
    fit.main(["choose", "-o", str(tmp_path / "model.json")])
    assert (tmp_path / "model.json").read_text() == fit.shipped()
    assert json.loads(fit.model_file(fit.changed({"names.bound": 2.5})))["names"]["bound"] == 2.5
    assert "experiments/fit.py choose" in json.loads(fit.shipped())["learned_on"]["numbers"]


def test_cases_have_names_and_forms_that_readers_know(fit: ModuleType) -> None:
    listed = [case for cases in fit.FAMILIES.values() for case in cases]
    assert {name for name, _ in listed} == fit.COLLECTIONS.keys()
    assert {form for _, form in listed} == fit.FORMS.keys()
    assert all(form in fit.SETS[name][1] or form.endswith("-names") or form == "tenth" for name, form in listed)


def test_the_worst_row_is_named(fit: ModuleType) -> None:
    tools = {"string match": 0.5, "last word": "–", "ten lines": 0.6}
    rows = {"a": {**tools, "in sample": 0.7, "left out": 0.69}, "b": {**tools, "in sample": 0.58, "left out": 0.58}}
    assert fit.margins(rows) == {"a": pytest.approx(0.09), "b": pytest.approx(-0.02)}
    assert "*b*: −.020 against" in fit.summary(rows)
    assert "without *a*: −.010" in fit.summary(rows)


def test_the_family_that_is_left_out_does_not_count(fit: ModuleType) -> None:
    number = fit.NUMBERS[0]
    title = f"{number.path} = {number.values[0]:g}"
    only = {**dict.fromkeys(fit.FAMILIES, 0.0), "diary": 0.1}
    assert fit.choose(figures(fit, only, title)) == {number.path: number.values[0]}
    assert fit.choose(figures(fit, only, title), "diary") == {}


def test_the_page_is_made_from_the_figures(fit: ModuleType) -> None:
    assert fit.PAGE.read_text(encoding="utf-8") == fit.page(fit.read_figures())
    assert fit.README.read_text(encoding="utf-8") == fit.readme(fit.read_figures())


def test_every_number_is_in_the_model_with_other_values(fit: ModuleType) -> None:
    now = fit.values_in(fit.changed({}))
    assert [number.path for number in fit.NUMBERS if now[number.path] in number.values] == []
