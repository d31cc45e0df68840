"""The wheel as a user installs it: what it holds, that its bytes are the same each time, and that its command runs."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
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
    "crossdoc/cli/templates/formats.txt",
    "crossdoc/cli/templates/report.html",
    "crossdoc/lang/en/words.toml",
    "crossdoc/lang/bodies.toml",
    "crossdoc/crosslingual/words.toml",
    "crossdoc/data/first_names.csv",
    "crossdoc/data/last_names.csv.gz",
    "crossdoc/data/usual_words_en.csv.gz",
    "crossdoc/data/places.csv.gz",
    "crossdoc/data/pronouns.json",
    "crossdoc/data/PLACES-LICENSE.txt",
]


INTERPRETERS = ("python3.11", "python3.12", "python3.13")
ISOLATION = ["--no-isolation"] if importlib.util.find_spec("hatchling") else []


def run(*command: object, **options: object) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--wheel", *ISOLATION, "--outdir", folder, ROOT)
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
    home = Path(run(python, "-c", "import crossdoc; print(crossdoc.__file__)").strip())
    assert not home.is_relative_to(ROOT)
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


def interpreter(name: str) -> str | None:
    """The interpreter of this name on the path, if it runs: pyenv has names of some that are not active."""
    found = shutil.which(name)
    if found is None:
        return None
    asked = subprocess.run([found, "-c", "import venv, sys; print(sys.executable)"], capture_output=True, text=True)
    return asked.stdout.strip() if asked.returncode == 0 else None


# Nothing may go out: there is no proxy at this address, and no name is looked up past it.
OFFLINE = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
UNSHARED = ("unshare", "--user", "--map-root-user", "--net")


def offline() -> tuple[str, ...]:
    """A prefix that takes the network away from a command, where the system lets us."""
    able = shutil.which("unshare") and subprocess.run([*UNSHARED, "true"], capture_output=True).returncode == 0
    return UNSHARED if able else ()


@pytest.mark.slow
@pytest.mark.parametrize("name", INTERPRETERS)
def test_installs_with_its_dependencies(wheel, tmp_path, name):
    """With each Python that is there; then its demo runs without a network and answers as well as here."""
    found = interpreter(name)
    if found is None:
        pytest.skip(f"no {name} on the path")
    run(found, "-m", "venv", tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", f"{wheel}[fr]")
    works(python, tmp_path)
    environment = {**os.environ, **OFFLINE}
    told = run(*offline(), python.with_name("crossdoc"), "demo", "--json", cwd=tmp_path, env=environment)
    assert json.loads(told)["values"]["b3"]["f1"] > 0.85
    assert (tmp_path / "demo.html").exists()


@pytest.mark.slow
def test_the_same_bytes_each_time(tmp_path):
    """As `make dist` builds; the second time from another place, with other times and rights of files."""
    elsewhere = tmp_path / "elsewhere"
    left_out = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", "dist", "*.crossdoc*")
    shutil.copytree(ROOT, elsewhere, ignore=left_out, copy_function=shutil.copyfile)
    shutil.copyfile(ROOT / ".gitignore", elsewhere / ".gitignore")
    digests = []
    for number, source in enumerate((ROOT, elsewhere)):
        folder = tmp_path / str(number)
        environment = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
        run(sys.executable, "-m", "build", *ISOLATION, "--outdir", folder, source, env=environment)
        digests.append({path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()})
    assert len(digests[0]) == 2
    assert digests[0] == digests[1]
