"""Certainties against what is right, on pairs made up for it."""

import doctest
import importlib
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

EXPERIMENTS = Path(__file__).parents[2] / "experiments"


@pytest.fixture
def reliability(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(EXPERIMENTS)
    return importlib.import_module("reliability")


def test_examples(reliability: ModuleType) -> None:
    assert doctest.testmod(reliability).failed == 0


def test_a_famous_name_counts_once(reliability: ModuleType) -> None:
    """Nine pairs of one name, all right, and one of another, wrong."""
    judged = reliability.Judged.of_names([0.8] * 10, [1] * 9 + [0], ["r"] * 9 + ["s"])
    assert judged.bins()[0][1:] == (pytest.approx(0.8), pytest.approx(0.5), 1)
    assert judged.error() == pytest.approx(0.3)


def test_draws_at_their_certainty_are_on_the_line(reliability: ModuleType) -> None:
    rng = np.random.default_rng(0)
    certainty = rng.random(20_000)
    judged = reliability.Judged.of_names(certainty, rng.random(20_000) < certainty, ["n"] * 20_000)
    assert len(judged.bins()) == 10
    assert judged.error() < 0.02
    assert all(abs(mean - right) < 0.04 for _, mean, right, _ in judged.bins())


def test_families_count_the_same_however_many_pairs_they_have(reliability: ModuleType) -> None:
    many = reliability.Judged.of_names([0.75] * 100, [1] * 100, ["a"] * 100)
    one = reliability.Judged.of_names([0.75], [0], ["b"])
    none = reliability.Judged.of_names([], [], [])
    pooled = reliability.Judged.pooled([many, one, none])
    assert pooled.mean(pooled.right) == pytest.approx(0.5)
    assert pooled.error() == pytest.approx(0.25)
    assert reliability.Judged.pooled([none]).certainty.size == 0
    sure = pooled.from_certainty(0.8)
    assert sure.certainty.size == 0


def test_pairs_and_identities_of_a_collection(reliability: ModuleType) -> None:
    referee = importlib.import_module("referee")
    words = {"a": "chess club master game", "b": "chess game master title", "c": "apple farm orchard", "d": "chess"}
    rows = tuple(referee.Row(id, "Ann Lee", "person", context) for id, context in words.items())
    material = referee.Material({"a": {"x"}, "b": {"x", "y"}, "c": {"y"}}, rows=rows)
    found = reliability.measured(material, "table")
    assert sorted(found.pairs.right.tolist()) == [0, 1, 1]
    assert ((found.pairs.certainty >= 0) & (found.pairs.certainty <= 1)).all()
    assert found.pairs.weight.sum() == pytest.approx(1)
    row = found.row()
    assert row["pairs"] == 3
    assert row["right"] == pytest.approx(2 / 3)


def test_a_plot(reliability: ModuleType, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    pairs = reliability.Judged.of_names([0.2, 0.9], [0, 1], ["a", "b"])
    reliability.plot({"t": reliability.Reliability(pairs, pairs)}, tmp_path / "plot.png")
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")
