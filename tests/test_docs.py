"""What the pages say, done: examples run and print what they show, links lead somewhere, commands and options exist."""

import doctest
import re
import runpy
import shlex
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from crossdoc.cli import COMMANDS, app
from crossdoc.settings import Settings, set_to

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
RUN = [
    *sorted((ROOT / "docs" / "extending").glob("*.md")),
    *(ROOT / "docs" / f"{page}.md" for page in ("python", "names", "comparing")),
]
FENCE = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LEFT_OUT = re.escape("\n…\n").removeprefix(re.escape("\n"))
"""A line of three dots stands for any lines."""
pytestmark = pytest.mark.skipif(not (ROOT / "docs").is_dir(), reason="the pages are not in the sdist")


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path) -> list[tuple[str, str, str]]:
    """(language, file, content); a Python block's file is in its first line."""
    found = []
    for language, file, content in FENCE.findall(page.read_text()):
        given = re.match(r"# (\w+\.py)\n", content) if language == "python" else None
        found.append((language, given[1] if given else file, content))
    return found


def run(command: str) -> str:
    program, *arguments = shlex.split(command)
    if program == "python":
        runpy.run_path(arguments[0], run_name="__main__")
        return ""
    assert program == "crossdoc", command
    ran = CliRunner().invoke(app, arguments)
    assert ran.exit_code == 0, ran.output
    return ran.stdout


def session(content: str) -> str:
    """A console block as it comes out today."""
    lines = []
    for command in re.findall(r"^\$ (.*)$", content, re.MULTILINE):
        lines += [f"$ {command}", *(line.rstrip() for line in run(command).rstrip().splitlines())]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("page", RUN, ids=named)
def test_the_examples_print_what_they_show(page, package, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    found = blocks(page)
    modules = {file.removesuffix(".py"): content for language, file, content in found if language == "python" and file}
    points = "".join(content for language, _, content in found if language == "toml")
    if points:
        package(modules, points)
    for _, file, content in found:
        if file:
            (tmp_path / file).write_text(content)
    space: dict[str, object] = {}
    for language, _, content in found:
        if language == "console":
            assert re.fullmatch(re.escape(content).replace(LEFT_OUT, r"(?:.*\n)*"), came := session(content)), came
        elif language == "pycon":
            example = doctest.DocTestParser().get_doctest(content, space, page.name, str(page), 0)
            told: list[str] = []
            runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
            runner.run(example, out=told.append, clear_globs=False)
            assert runner.failures == 0, "".join(told)
            space = example.globs


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_somewhere(page):
    broken = []
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        target, _, anchor = link.partition("#")
        if re.match(r"\w+:", target):
            continue
        there = (page.parent / target).resolve() if target else page
        if not there.exists() or (anchor and anchor not in anchors(there)):
            broken.append(link)
    assert broken == []


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


PATH = re.compile(r"`((?:src/crossdoc/|experiments/|benchmarks/|tests/|tools/|docs/)[\w/.-]+\.\w+)`")


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_files_that_are_named_are_there(page):
    missing = [path for path in PATH.findall(page.read_text()) if not (ROOT / path).exists()]
    assert missing == []


@cache
def options(command: str) -> set[str]:
    alone = typer.Typer(add_completion=False)
    alone.command()(getattr(import_module(f"crossdoc.cli.{command}"), command))
    return {option for parameter in typer.main.get_command(alone).params for option in parameter.opts} | {"--help"}


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_commands_and_their_options_exist(page):
    wrong = []
    text = page.read_text()
    fenced = "".join(re.findall(r"^```\w*\n(.*?)^```$", text, re.DOTALL | re.MULTILINE))
    told = re.findall(r"(?:`|^    )crossdoc ([a-z]+(?: [^`\n]*)?)", text, re.MULTILINE)
    for line in told + re.findall(r"^(?:\$ )?crossdoc ([a-z]+.*)$", fenced, re.MULTILINE):
        name, *rest = line.split(" #")[0].split()
        if name not in COMMANDS:
            wrong.append(name)
            continue
        given = [word.split("=")[0].rstrip(".,;:)") for word in rest if re.match(r"--[a-z]", word)]
        wrong += [f"{name} {option}" for option in given if option not in options(name)]
    assert wrong == []


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_what_is_set_can_be_set(page):
    """Each `--set` is a setting, or a parameter of its method, and takes the value that is shown."""
    for quoted, plain in re.findall(r"--set (?:'([^']+)'|([\w.-]+=[\w.]+))", page.read_text()):
        said = quoted or plain
        if not said.startswith(("METHOD.", "in-order.", "extractor=")):
            Settings.load(None, **set_to({}, [said]))
