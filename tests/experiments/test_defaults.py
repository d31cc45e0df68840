"""The default beside what it has to beat, on collections made up for it."""

import doctest
import importlib
import json
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from crossdoc.model import Profile, Profiles

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
CHESS, APPLES = "chess club master game title", "apple farm orchard cider tree"


@pytest.fixture
def defaults(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(EXPERIMENTS)
    return importlib.import_module("defaults")


@pytest.fixture
def two_lees(defaults: ModuleType) -> object:
    """Two Ann Lees, and a Lee of whom nothing more is known."""
    rows = [("a", "Ann Lee", CHESS), ("b", "ann lee", CHESS), ("c", "Ann Lee", APPLES), ("d", "Lee", CHESS)]
    profiles = Profiles.of(Profile(id, id, name, "person", context) for id, name, context in rows)
    gold = {"a": {"x"}, "b": {"x"}, "c": {"y"}, "d": {"x"}}
    return defaults.Labelled("t", "records", "build", (defaults.Collection(profiles),), gold)


def groups(answer: dict[str, str]) -> set[frozenset[str]]:
    return {frozenset(id for id in answer if answer[id] == cluster) for cluster in answer.values()}


def test_examples(defaults: ModuleType) -> None:
    assert doctest.testmod(defaults).failed == 0


def test_names_alone(defaults: ModuleType, two_lees: object) -> None:
    assert groups(defaults.COLUMNS["string match"](two_lees)) == {frozenset("abc"), frozenset("d")}
    assert groups(defaults.COLUMNS["head match"](two_lees)) == {frozenset("abcd")}


@pytest.mark.parametrize(("cut", "expected"), [(0.5, {"ab", "c", "d"}), (1.01, {"abc", "d"})])
@pytest.mark.parametrize("kind", ["average", "single"])
def test_trees_of_one_name(defaults: ModuleType, two_lees: object, kind: str, cut: float, expected: set[str]) -> None:
    found = groups(defaults.cut(defaults.grown(two_lees), kind, cut))
    assert found == {frozenset(ids) for ids in expected}


def test_average_and_single_linkage_differ(defaults: ModuleType) -> None:
    """A chain: each is near the next, the ends have nothing in common."""
    contexts = ["ash birch", "birch cedar", "cedar elm", "elm fir"]
    profiles = Profiles.of(Profile(c, c, "Ann Lee", "person", c) for c in contexts)
    given = defaults.Labelled("t", "records", "build", (defaults.Collection(profiles),), {})
    forest = defaults.grown(given)
    assert [len(groups(defaults.cut(forest, kind, 0.8))) for kind in ("single", "average")] == [1, 2]


def test_the_way_that_is_best_for_the_others(defaults: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own curve, which likes the first way best, does not count."""
    ways = len(defaults.WAYS)

    def peak(at: int) -> list[float]:
        return [1.0 if way == at else 0.0 for way in range(ways)]

    monkeypatch.setattr(defaults, "curves", lambda name: {"Ann": peak(0), "Bob": peak(3), "Cy": peak(3)})
    used = []
    monkeypatch.setattr(defaults, "cut", lambda forest, *way: used.append(way) or {"a": "1"})
    profiles = Profiles.of([Profile("a", "a", "Ann", "person", CHESS)])
    given = defaults.Labelled("t", "one-name", "build", (defaults.Collection(profiles),), {"a": {"x"}}, {"a": "Ann"})
    defaults.ten_lines(given)
    assert used == [defaults.WAYS[3]]


def test_relatives_are_from_other_data(defaults: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(defaults, "names_of_sets", lambda part: list(defaults.SOURCES))
    assert set(defaults.relatives("john-smith")) == {"weps-windows", "weps-pages"}
    assert set(defaults.relatives("links-plain")) >= {"links-clear", "links-steep"}
    assert not {"links-plain", "sample"} & set(defaults.relatives("links-plain"))
    found = defaults.relatives("aida-testa")
    assert {"sample", "arnetminer", "ecbplus-dev"} <= set(found)
    assert not {"aida-train", "john-smith", "links-plain", "ecbplus-dev-mentions"} & set(found)


def test_nothing_to_choose_on(defaults: ModuleType) -> None:
    with pytest.raises(SystemExit, match="no other name or set"):
        defaults.best([])


def test_the_public_stages_cluster(defaults: ModuleType, two_lees: object) -> None:
    everyone = defaults.clustered(two_lees, "all-in-one")
    assert groups(everyone) == {frozenset("abcd")}
    assert set(defaults.clustered(two_lees)) == set("abcd")
    assert len(groups(defaults.clustered(two_lees, "average-linkage", threshold=1.0))) == 4


def test_figures(defaults: ModuleType, two_lees: object) -> None:
    found = defaults.figures(two_lees, {"a": "1", "b": "1", "c": "1", "d": "2"})
    # P = (2/3 + 2/3 + 1/3 + 1) / 4, R = (2/3 + 2/3 + 1 + 1/3) / 4.
    assert found["P"] == found["R"] == found["B³"] == pytest.approx(2 / 3)
    assert found["95%"][0] <= found["B³"] <= found["95%"][1]
    assert (found["scored"], found["entities"]) == (4, 2)
    assert "types" not in found
    typed = replace(two_lees, type_of={"x": "person", "y": "place"})  # type: ignore[type-var]
    assert defaults.figures(typed, dict.fromkeys("abcd", "1"))["types"] == {"person": 1, "place": 1}
    rows = defaults.page_rows({"build": {"sample": {"default": {"B³": 0.5, "types": {"place": 0.25}}}}}, "build")
    assert [row["default"] for row in rows.values()] == [0.5, "–", "–", 0.25]


def test_cells_are_added_to_a_file(
    defaults: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "figures.json"
    row = {"B³": 0.51239, "95%": [0.4, 0.6], "CoNLL": None, "purity F": 0.7, "seconds": 1.0, "MB": 100}

    ran = []

    def process(name: str, column: str, parts: list[str], limit: float) -> object:
        assert parts == ["build"]
        ran.append(column)
        return {"build": dict(row)} if column != "sampling mended" else defaults.Why("more than 5 s")

    monkeypatch.setattr(defaults, "_in_process", process)
    # John Smith has nothing to choose by.
    monkeypatch.setattr(defaults, "names_of_sets", lambda part: ["john-smith"] if part == "build" else [])
    monkeypatch.setattr(defaults, "code_state", lambda: "abc")
    defaults.run(["john-smith"], ["head match", "default"], ["build", "choose"], 5, path)
    known = defaults.run(["john-smith"], ["sampling mended", "oracle"], ["build"], 5, path)
    assert ran == ["default", "sampling mended", "oracle"]
    defaults.run(["john-smith"], ["default", "oracle"], ["build", "choose"], 5, path)
    assert len(ran) == 3
    for state in ("abd", "abd+", "abd+"):
        monkeypatch.setattr(defaults, "code_state", lambda state=state: state)
        defaults.run(["john-smith"], ["default"], ["build"], 5, path)
    assert len(ran) == 6
    assert "john-smith" not in json.loads(path.read_text()).get("choose", {})
    assert json.loads(path.read_text())["build"]["john-smith"].keys() == {
        "default",
        "head match",
        "oracle",
        "sampling mended",
    }
    assert json.loads(path.read_text())["build"]["john-smith"]["default"]["B³"] == 0.5124
    found = defaults.page_rows(known, "build")["john-smith"]
    assert found["head match"] == found["sampling mended"] == found["CoNLL"] == "–"
    assert "string match" not in found, "no set has a figure"
    assert found["95%"] == ".400–.600"
    assert list(found)[-1] == "oracle"
    assert "john-smith, build, sampling mended: more than 5 s" in capsys.readouterr().err


def test_a_cell_of_its_own(
    defaults: ModuleType, corpus_folder: object, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Through a process, as `make results` does it."""
    corpus_folder("arnetminer")  # type: ignore[operator]
    monkeypatch.setenv("CROSSDOC_CACHE", str(tmp_path))
    found = defaults._in_process("arnetminer", "string match", ["build", "choose"], 600)
    assert set(found) == {"build", "choose"}
    assert 0.3 < found["build"]["B³"] < 0.8
    assert found["build"]["MB"] > 50
    assert defaults._in_process("arnetminer", "string match", ["build"], 0.01).reason == "more than 0 s"
