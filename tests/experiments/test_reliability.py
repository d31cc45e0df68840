"""Certainties against what is right, on pairs made up for it."""

import doctest
import importlib
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from crossdoc.model import Profile, Profiles

EXPERIMENTS = Path(__file__).parents[2] / "experiments"


@pytest.fixture
def reliability(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(EXPERIMENTS)
    return importlib.import_module("reliability")


def test_examples(reliability: ModuleType) -> None:
    assert doctest.testmod(reliability).failed == 0


def test_a_famous_name_counts_once(reliability: ModuleType) -> None:
    """Nine pairs of one name, all right, and one of another, wrong."""
    pairs = reliability.Pairs(
        np.full(10, 0.8), np.array([True] * 9 + [False]), np.array(["r"] * 9 + ["s"], dtype=object)
    )
    assert reliability.binned(pairs)[0][1:] == (pytest.approx(0.8), pytest.approx(0.9), 10)
    assert reliability.binned(pairs, pairs.weight())[0][2] == pytest.approx(0.5)
    assert reliability.off(pairs) == pytest.approx(0.1)
    assert reliability.off(pairs, pairs.weight()) == pytest.approx(0.3)


def test_draws_at_their_certainty_are_on_the_line(reliability: ModuleType) -> None:
    rng = np.random.default_rng(0)
    certainty = rng.random(20_000)
    pairs = reliability.Pairs(certainty, rng.random(20_000) < certainty, np.full(20_000, "n", dtype=object))
    assert len(reliability.binned(pairs)) == 10
    assert reliability.off(pairs) < 0.02
    assert all(abs(mean - right) < 0.04 for _, mean, right, _ in reliability.binned(pairs))


def test_pairs_of_profiles_with_gold(reliability: ModuleType) -> None:
    words = {"a": "chess club master game", "b": "chess game master title", "c": "apple farm orchard", "d": "chess"}
    profiles = Profiles.of(Profile(id, id, "Ann Lee", "person", context) for id, context in words.items())
    labelled = importlib.import_module("labelled")
    given = labelled.Labelled(
        "t", "records", "build", (labelled.Collection(profiles),), {"a": {"x"}, "b": {"x", "y"}, "c": {"y"}}
    )
    found = reliability.pairs_of(given)
    assert sorted(found.same.tolist()) == [False, True, True]
    assert set(found.name) == {"annlee"}
    assert ((found.certainty >= 0) & (found.certainty <= 1)).all()


def test_a_plot(reliability: ModuleType, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    pairs = reliability.Pairs(np.array([0.2, 0.9]), np.array([False, True]), np.array(["a", "b"], dtype=object))
    reliability.plot({"t": pairs}, tmp_path / "plot.png")
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")
