"""The documentation site: it builds strictly, from this machine alone, and its reference has all that the code has."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import zipfile
from html import unescape
from pathlib import Path

import pytest

import crossdoc
from crossdoc.cli import COMMANDS
from crossdoc.store.schema import TABLES

ROOT = Path(__file__).parent.parent
pytestmark = pytest.mark.skipif(not (ROOT / "mkdocs.yml").exists(), reason="the pages are not in the sdist")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built by a process whose way to the network leads nowhere."""
    pytest.importorskip("mkdocstrings", reason="MkDocs is not installed: pip install 'crossdoc[docs]'")
    folder = tmp_path_factory.mktemp("site")
    nowhere = dict.fromkeys(("http_proxy", "https_proxy", "all_proxy"), "http://127.0.0.1:9")
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)],
        cwd=ROOT, env={**os.environ, **nowhere, "NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    return folder


def text(page: Path) -> str:
    return unescape(re.sub(r"<[^>]+>", "", page.read_text(encoding="utf-8")))


def test_nothing_is_loaded_from_elsewhere(site):
    loads = re.compile(r"""<(?:script|img|iframe)[^>]* src=["']?https?:|<link[^>]* href=["']?https?:|@import\s+url""")
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 40
    assert [page.name for page in pages if loads.search(page.read_text(encoding="utf-8"))] == []


def test_every_command_is_described(site):
    page = text(site / "reference" / "commands" / "index.html")
    assert [name for name in COMMANDS if f"crossdoc {name}" not in page] == []
    assert "--time-limit" in page
    assert "--no-texts" in page


def test_every_public_name_is_described(site):
    page = (site / "reference" / "python" / "index.html").read_text(encoding="utf-8")
    names = {*crossdoc.__all__, "open"} - {"__version__"}
    assert sorted(name for name in names if f'id="crossdoc.{name}"' not in page) == []


def test_the_tables_of_a_result_and_the_settings_are_described(site):
    page = text(site / "reference" / "formats" / "index.html")
    assert [name for name in TABLES if name not in page] == []
    assert 'method = "mean-max-linkage"' in page
    assert "KNOWN LISTS" in page


def test_what_changed_is_there_with_its_links(site):
    page = (site / "changelog" / "index.html").read_text(encoding="utf-8")
    assert '<a href="../corrections/">' in page


def test_the_examples_can_be_taken_along(site):
    with zipfile.ZipFile(site / "examples.zip") as packed:
        assert {"articles/motors-1.txt", "authors.csv", "README.md"} <= set(packed.namelist())


@pytest.mark.slow
def test_the_figures_are_those_that_the_script_draws(tmp_path):
    """By the words and numbers in them; what the default decides may have changed since they were drawn."""
    pytest.importorskip("matplotlib")
    spec = importlib.util.spec_from_file_location("make_figures", ROOT / "tools" / "make_figures.py")
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    drawn = tool.draw(tmp_path)
    assert len(drawn) == 3
    for path in drawn:
        kept = ROOT / "docs" / "figures" / path.name
        assert words(path) == words(kept), f"python tools/make_figures.py draws {path.name} differently"


def words(figure: Path) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]+)</text>", figure.read_text(encoding="utf-8"))
