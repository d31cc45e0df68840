"""What people who join find: the container, the citation, the workflows and the hooks say what the code says."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from datetime import date
from pathlib import Path
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

ROOT = Path(__file__).parent.parent
pytestmark = pytest.mark.skipif(not (ROOT / "Dockerfile").exists(), reason="an sdist has none of this")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PYTHONS = [c.rsplit(" ", 1)[1] for c in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", c)]
Text = Annotated[str, StringConstraints(min_length=1)]


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Person(Strict):
    family: Text = Field(alias="family-names")
    given: Text = Field(alias="given-names")


class Team(Strict):
    name: Text


class Reference(Strict):
    type: Literal["conference-paper", "article"]
    title: Text
    year: int = Field(ge=1900, le=date.today().year)
    authors: list[Person] = Field(min_length=1)


class Citation(Strict):
    """The part of the Citation File Format 1.2.0 that we use, with what it requires."""

    cff_version: Literal["1.2.0"] = Field(alias="cff-version")
    message: Text
    type: Literal["software"]
    title: Text
    abstract: Text
    version: Text
    license: Text
    authors: list[Person | Team] = Field(min_length=1)
    keywords: list[Text] = Field(min_length=1)
    references: list[Reference]


def loaded(path: str):
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load((ROOT / path).read_text())


def tool(name: str) -> str:
    found = shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def test_the_citation_is_valid_and_of_this_version():
    citation = Citation.model_validate(loaded("CITATION.cff"))
    assert (citation.version, citation.license) == (PROJECT["version"], PROJECT["license"])
    assert [author.name for author in citation.authors] == [author["name"] for author in PROJECT["authors"]]
    assert [len(reference.authors) for reference in citation.references] == [5, 2, 2, 4]


def test_the_command_is_called_as_the_package_is():
    """So that `pipx run crossdoc` finds it."""
    assert list(PROJECT["scripts"]) == [PROJECT["name"]]


def test_the_changelog_begins_with_this_version():
    heading = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert heading[1] == PROJECT["version"]


def test_the_dockerfile():
    text = (ROOT / "Dockerfile").read_text()
    assert text.index("--require-hashes -r models.txt") < text.index("'.[exact,web]'")
    assert re.findall(r"^USER (\d+)", text, re.MULTILINE)[-1] != "0"
    linted = subprocess.run([tool("hadolint"), ROOT / "Dockerfile"], capture_output=True, text=True, check=False)
    assert (linted.returncode, linted.stdout) == (0, "")


def test_what_the_dockerfile_copies_is_let_in():
    ignored = (ROOT / ".dockerignore").read_text().split()
    copied = re.findall(r"^COPY (?!--from)(.*) \S+$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    names = " ".join(copied).split()
    assert [name for name in names if not (ROOT / name).exists() or f"!{name}" not in ignored] == []


def test_the_workflow_runs_what_ci_runs_with_every_python():
    jobs = loaded(".github/workflows/ci.yml")["jobs"]
    assert PYTHONS == ["3.11", "3.12", "3.13"]
    for job in ("test", "wheel"):
        assert jobs[job]["strategy"]["matrix"]["python"] == PYTHONS
    assert ".ci/run" in [step.get("run") for step in jobs["test"]["steps"]]
    assert "make test" in (ROOT / ".ci" / "run").read_text().splitlines()


def test_ci_installs_a_browser_and_requires_it():
    lines = (ROOT / ".ci" / "run").read_text().splitlines()
    assert lines.index("export CROSSDOC_REQUIRE_BROWSER=1") < lines.index("make browser") < lines.index("make test")


@pytest.mark.parametrize(("required", "status", "told"), [("", 0, "1 skipped"), ("1", 1, "1 error")])
def test_a_browser_test_without_a_browser_fails_where_one_is_required(tmp_path, required, status, told):
    test = "tests/web/pages/test_add_page.py::test_files_are_added_while_one_works"
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", test]
    environment = {**os.environ, "PATH": str(tmp_path), "CROSSDOC_REQUIRE_BROWSER": required}
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (run.returncode, told in run.stdout) == (status, True), run.stdout + run.stderr


@pytest.mark.parametrize(("failures", "tries"), [(0, 1), (2, 3), (9, 3)])
def test_a_browser_is_installed_though_the_mirror_fails_at_first(tmp_path, failures, tries):
    """With an apt-get of our own, which fails some times and then puts a chromium on the path."""
    fake = {
        "apt-get": f"""
            [ $1 = update ] || exec cp "$0" {tmp_path}/chromium
            echo try >> {tmp_path}/tries
            [ $(wc -l < {tmp_path}/tries) -gt {failures} ]""",
        "sleep": "exit 0",
    }
    for name, script in fake.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    for name in ("cp", "wc"):
        (tmp_path / name).symlink_to(tool(name))
    command = [tool("make"), "browser", "PYTHON=python3"]
    run = subprocess.run(command, cwd=ROOT, env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False)
    assert (run.returncode == 0) == (failures < 3), run.stderr
    assert len((tmp_path / "tries").read_text().split()) == tries


def test_what_make_is_asked_for_is_there():
    """Of every file here that says `make TARGET`."""
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    told = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", ".ci/run", ".github/workflows/ci.yml", "Makefile")]
    asked = {
        target for path in told for target in re.findall(r"(?:^ *|`|run: |\")make ([a-z-]+)", path.read_text(), re.M)
    }
    assert {"demo", "test", "dist"} <= asked <= targets
    phony = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert set(phony[1].split()) == targets


def test_hooks_run_what_is_linted_with():
    hooks = {hook["id"]: hook for repo in loaded(".pre-commit-config.yaml")["repos"] for hook in repo["hooks"]}
    assert set(hooks) == {"ruff-check", "ruff-format", "mypy"}
    for hook in hooks.values():
        assert hook["entry"].startswith(".venv/bin/")
    valid = subprocess.run(
        [tool("pre-commit"), "validate-config", ROOT / ".pre-commit-config.yaml"], capture_output=True, text=True
    )
    assert valid.returncode == 0, valid.stdout


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "CODE_OF_CONDUCT.md", "SECURITY.md"])
def test_links_lead_somewhere(page):
    links = [link.partition("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", (ROOT / page).read_text())]
    assert [link for link in links if ":" not in link and not (ROOT / link).exists()] == []
    paths = re.findall(r"`((?:src|tests|docs|experiments|benchmarks|tools)/[\w/.-]+\.\w+)`", (ROOT / page).read_text())
    missing = [path for path in paths if "NAME" not in path and not (ROOT / path).exists()]
    assert missing == []


@pytest.mark.parametrize("template", sorted((ROOT / ".github").glob("ISSUE_TEMPLATE/*.md")), ids=lambda path: path.stem)
def test_templates_have_a_name_and_ask_for_the_version(template):
    head = re.match(r"---\nname: .+\nabout: .+\nlabels: \w+\n---\n", template.read_text())
    assert head
    assert ("crossdoc --version" in template.read_text()) == (template.stem != "wish")


def test_the_install_line_of_the_readme_brings_the_readers_of_what_the_readme_promises():
    """PDF and Word files are read by packages that `office_worker.py` imports."""
    readme = (ROOT / "README.md").read_text()
    (extras,) = re.findall(r"pip install '\.\[([\w,]+)\]'", readme)
    optional = PROJECT["optional-dependencies"]
    installed = [*PROJECT["dependencies"], *(each for extra in extras.split(",") for each in optional[extra])]
    names = {re.match(r"[\w-]+", each)[0].lower() for each in installed}
    worker = ast.parse((ROOT / "src/crossdoc/read/office_worker.py").read_text())
    imported = {alias.name for node in ast.walk(worker) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module for node in ast.walk(worker) if isinstance(node, ast.ImportFrom) and node.module}
    needed = {name.partition(".")[0] for name in imported} - sys.stdlib_module_names - {"crossdoc"}
    assert {"mammoth", "pypdfium2"} <= needed
    assert needed <= names
    assert "PDF" in readme
    assert "Word" in readme
