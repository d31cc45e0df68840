"""The wheel as a user installs it: what it holds, and that its command runs in an environment of its own."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MUST_HOLD = [
    "crossdoc/py.typed",
    "crossdoc/sample/documents.jsonl",
    "crossdoc/compare/default_model.json",
    "crossdoc/cli/templates/report.html",
    "crossdoc/data/first_names.csv",
    "crossdoc/data/last_names.csv.gz",
    "crossdoc/data/usual_words_en.csv.gz",
    "crossdoc/data/places.csv.gz",
    "crossdoc/data/pronouns.json",
    "crossdoc/data/PLACES-LICENSE.txt",
]


def run(*command: object) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    isolation = ["--no-isolation"] if importlib.util.find_spec("hatchling") else []
    run(sys.executable, "-m", "build", "--wheel", *isolation, "--outdir", folder, ROOT)
    return next(folder.glob("*.whl"))


def test_holds_code_and_data_and_nothing_else(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert [name for name in MUST_HOLD if name not in names] == []
    assert {name.split("/")[0].split("-")[0] for name in names} == {"crossdoc"}
    assert [name for name in names if "__pycache__" in name or name.endswith((".pyc", ".nbc", ".nbi"))] == []
    tracked = {
        path.relative_to(ROOT / "src").as_posix()
        for path in (ROOT / "src" / "crossdoc").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {name for name in names if name.startswith("crossdoc/")} == tracked


def works(python: Path, folder: Path) -> None:
    command = python.with_name("crossdoc")
    assert run(command, "--version").strip()
    assert "crossdoc" in run(python, "-c", "import crossdoc; print(crossdoc.__file__)")
    assert str(ROOT) not in run(python, "-c", "import crossdoc; print(crossdoc.__file__)")
    assert "jsonl" in run(command, "formats").lower()
    pages = folder / "pages"
    pages.mkdir()
    for number, trade in enumerate(["lawyer", "goalkeeper", "lawyer"]):
        (pages / f"{number}.txt").write_text(f"John Smith is a {trade}. John Smith, the {trade}, spoke.")
    result = folder / "smith.crossdoc"
    run(command, "resolve", pages, "--name", "John Smith", "-o", result)
    found = [json.loads(line) for line in run(command, "export", result, "--format", "jsonl").splitlines()]
    assert [row["id"] for row in found] == ["0.txt", "1.txt", "2.txt"]
    assert found[0]["entity"] == found[2]["entity"] == "0.txt"


def test_runs_in_an_environment_of_its_own(wheel, tmp_path, monkeypatch):
    """Quick: the dependencies are those of this environment, and nothing is compiled."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    venv.create(tmp_path / "venv", with_pip=False)
    python = tmp_path / "venv" / "bin" / "python"
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    run(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", "--quiet", wheel)
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    works(python, tmp_path)


@pytest.mark.slow
def test_installs_with_its_dependencies(wheel, tmp_path):
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", wheel)
    works(python, tmp_path)
