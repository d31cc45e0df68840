"""`make results`: tables get into pages and nothing else does, failures and missing data leave what was there."""

import doctest
import importlib
import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
PAGE = """# Results

Before, with .123 in it.

<!-- results:tiny -->
| old | table |
<!-- /results:tiny -->

Between.

<!-- results:other -->
kept
<!-- /results:other -->

After.
"""
README = "Top.\n\n<!-- results:readme -->\n| old |\n<!-- /results:readme -->\n\nEnd.\n"
LINES = ["| data | B³ |", "|---|---|", "| tiny | {tiny/ours/B³ F1} |"]
ROWS = {"ours": {"B³ F1": 0.9149612, "pairs": 19306}, "theirs": {"B³ F1": 0.5, "note": "as printed"}}


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(EXPERIMENTS)
    return importlib.import_module("result_pages")


@pytest.fixture
def results(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(EXPERIMENTS)
    return importlib.import_module("results")


@pytest.fixture
def written(tmp_path: Path, pages: ModuleType) -> Callable[..., bool]:
    """Run parts on a page, a README and a JSON file in `tmp_path`."""
    (tmp_path / "results.md").write_text(PAGE)
    (tmp_path / "README.md").write_text(README)

    def run(**parts: object) -> bool:
        places = pages.Pages(tmp_path / "results.json", tmp_path / "results.md", tmp_path / "README.md")
        return pages.run(list(parts), parts, places, LINES)

    return run


def text(folder: Path, name: str) -> str:
    return (folder / name).read_text()


def test_a_table_is_replaced_and_the_prose_survives(
    written: Callable[..., bool], pages: ModuleType, tmp_path: Path
) -> None:
    assert written(tiny=pages.Part(lambda: ROWS, "method", "crossdoc tiny"))
    page = text(tmp_path, "results.md")
    start, end = page.index("<!-- results:tiny -->"), page.index("<!-- /results:tiny -->")
    table = page[start:end].splitlines()
    assert table[1:5] == [
        "| method | B³ F1 | pairs | note |",
        "| --- | --- | --- | --- |",
        "| ours | .915 | 19,306 |  |",
        "| theirs | .500 |  | as printed |",
    ]
    assert table[-1] == "`crossdoc tiny`: 0 s."
    old = PAGE.index("<!-- results:tiny -->"), PAGE.index("<!-- /results:tiny -->")
    assert (page[:start], page[end:]) == (PAGE[: old[0]], PAGE[old[1] :])
    assert text(tmp_path, "README.md") == README.replace("| old |", "\n".join(LINES[:2]) + "\n| tiny | .915 |")
    assert json.loads(text(tmp_path, "results.json")) == {
        "tiny": {"ours": {"B³ F1": 0.914961, "pairs": 19306}, "theirs": {"B³ F1": 0.5, "note": "as printed"}}
    }


def test_twice_is_as_once_and_other_parts_stay(written: Callable[..., bool], pages: ModuleType, tmp_path: Path) -> None:
    written(tiny=pages.Part(lambda: ROWS, "method", "crossdoc tiny"))
    once = [text(tmp_path, name) for name in ("results.md", "README.md", "results.json")]
    written(tiny=pages.Part(lambda: ROWS, "method", "crossdoc tiny"))
    assert [text(tmp_path, name) for name in ("results.md", "README.md", "results.json")] == once
    written(other=pages.Part(lambda: {"a": {"b": 1}}, "x", "y"))
    assert json.loads(text(tmp_path, "results.json")).keys() == {"tiny", "other"}
    assert "| tiny | .915 |" in text(tmp_path, "README.md")


@pytest.mark.parametrize(
    "broken",
    [
        PAGE.replace("<!-- results:tiny -->", ""),
        PAGE.replace("<!-- /results:tiny -->", ""),
        PAGE + "<!-- results:tiny -->",
        PAGE.replace("<!-- results:tiny -->", "<!-- /results:tiny -->", 1).replace(
            "| old | table |\n<!-- /results:tiny -->", "| old | table |\n<!-- results:tiny -->"
        ),
    ],
)
def test_a_marker_that_is_missing_is_found_before_anything_runs(
    written: Callable[..., bool], pages: ModuleType, tmp_path: Path, broken: str
) -> None:
    (tmp_path / "results.md").write_text(broken)
    ran: list[str] = []

    def rows() -> dict:
        ran.append("tiny")
        return ROWS

    with pytest.raises(SystemExit, match=r"results.md must have <!-- results:tiny --> and, after it, <!-- /results"):
        written(tiny=pages.Part(rows, "method", "crossdoc tiny"))
    assert not ran
    assert text(tmp_path, "results.md") == broken


@pytest.mark.parametrize("error", [ValueError("no such pair"), SystemExit("no data")])
def test_a_part_that_fails_says_so_and_the_others_go_on(
    written: Callable[..., bool],
    pages: ModuleType,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    error: BaseException,
) -> None:
    def fails() -> dict:
        raise error

    tiny = pages.Part(lambda: ROWS, "method", "crossdoc tiny")
    assert not written(other=pages.Part(fails, "x", "y"), tiny=tiny)
    told = capfd.readouterr()
    assert str(error) in told.err
    assert "other: FAILED" in told.err
    assert told.err.rstrip().endswith("Failed: other.")
    assert not told.out
    assert "\nkept\n" in text(tmp_path, "results.md")
    assert "| ours | .915 |" in text(tmp_path, "results.md")


def test_data_that_is_missing_is_named_and_the_old_table_kept(
    written: Callable[..., bool],
    pages: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "data" / "here").mkdir(parents=True)
    tiny = pages.Part(lambda: ROWS, "method", "crossdoc tiny", ("here", "not/here"))
    monkeypatch.setenv("CROSSDOC_DATA", str(tmp_path / "data"))
    assert written(tiny=tiny)
    assert "tiny: skipped, its table stays as it was: CROSSDOC_DATA has no not/here." in capfd.readouterr().err
    monkeypatch.delenv("CROSSDOC_DATA")
    assert tiny.missing() == ["here", "not/here"]
    assert text(tmp_path, "results.md") == PAGE
    assert not (tmp_path / "results.json").exists()


def test_a_readme_whose_figures_are_not_there_yet_stays(
    written: Callable[..., bool], pages: ModuleType, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert written(other=pages.Part(lambda: {"a": {"b": 1}}, "x", "y"))
    assert text(tmp_path, "README.md") == README
    assert "README.md stays as it is: results.json has no 'tiny' yet." in capfd.readouterr().err


def test_what_a_part_prints_is_not_mixed_with_the_answer(
    written: Callable[..., bool], pages: ModuleType, capfd: pytest.CaptureFixture[str]
) -> None:
    def rows() -> dict:
        print("on the way")
        return ROWS

    written(tiny=pages.Part(rows, "method", "crossdoc tiny"))
    told = capfd.readouterr()
    assert "on the way" in told.err
    assert not told.out


OLD = {"a": {"r": {"x": 0.5, "n": 10, "s": "40%", "gone": 1}}, "b": {"r": {"x": 1.0}}}
NEW = {"a": {"r": {"x": 0.5009, "n": 12, "s": "41%", "came": 0.0}}, "c": {"r": {"x": 1.0}}}


def test_changes(pages: ModuleType) -> None:
    assert pages.changes(OLD, NEW) == [
        "a / r / n: 10 → 12 (+2.000)",
        "a / r / s: 40% → 41%",
        "a / r / gone: 1 → –",
        "a / r / came: – → .000",
        "only in the old figures: b",
        "only in the new figures: c",
    ]
    assert pages.changes({"a": {"r": {"x": 0.52}}}, {"a": {"r": {"x": 0.5}}}) == ["a / r / x: .520 → .500 (-0.020)"]
    assert pages.changes(OLD, OLD) == []


def test_compare(
    results: ModuleType, write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = write("old.json", json.dumps(OLD)), write("new.json", json.dumps(NEW))
    for path, expected in ((new, "a / r / n: 10 → 12 (+2.000)"), (old, "nothing changed")):
        monkeypatch.setattr("sys.argv", ["results.py", "--compare", str(old), "--json", str(path)])
        results.main()
        assert capsys.readouterr().out.startswith(expected)
    monkeypatch.setattr("sys.argv", ["results.py", "--compare", "nowhere.json", "--json", str(new)])
    with pytest.raises(SystemExit):
        results.main()
    assert "there is no nowhere.json to compare" in capsys.readouterr().err


def test_a_registry_entry_from_the_command_line(
    results: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(results.PARTS, "tiny", results.Part(lambda: ROWS, "method", "crossdoc tiny"))
    monkeypatch.setitem(results.PARTS, "broken", results.Part(lambda: 1 / 0, "x", "y"))
    figures = tmp_path / "figures.json"
    monkeypatch.setattr("sys.argv", ["results.py", "tiny", "--json", str(figures)])
    results.main()
    assert json.loads(figures.read_text())["tiny"]["ours"]["B³ F1"] == 0.914961
    monkeypatch.setattr("sys.argv", ["results.py", "broken", "--json", str(figures)])
    with pytest.raises(SystemExit) as stopped:
        results.main()
    assert stopped.value.code == 1
    monkeypatch.setattr("sys.argv", ["results.py", "nothing"])
    with pytest.raises(SystemExit) as stopped:
        results.main()
    assert stopped.value.code == 2
    assert "there is no part nothing" in capsys.readouterr().err


def test_examples(pages: ModuleType) -> None:
    assert doctest.testmod(pages) == (0, 2)


def test_every_part_has_its_place(results: ModuleType) -> None:
    results.Pages(Path("never written")).check(list(results.PARTS))


def test_the_pages_say_what_the_figures_say(results: ModuleType, pages: ModuleType) -> None:
    figures = pages.read_figures(pages.DOCS / "results.json")
    page = text(pages.DOCS, "results.md")
    for name, rows in figures.items():
        assert f"<!-- results:{name} -->\n{pages.page_table(results.PARTS[name].of, rows)}\n" in page
    assert "\n".join(pages.filled(line, figures) for line in results.README_LINES) in pages.README.read_text()
