"""What all commands have in common."""

import os
import re
import shlex
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from crossdoc.cli import COMMANDS, app, command, function_of, summary_of

HEAVY = ("spacy", "sklearn", "numba", "numpy", "scipy", "pandas", "duckdb", "pyarrow", "joblib", "jinja2")
"""Pydantic is not among them: typer itself imports it."""
QUICK = """
import sys
from crossdoc.cli import main
for arguments in {all}:
    sys.argv = ["crossdoc", *arguments]
    try:
        main()
    except SystemExit as ended:
        assert not ended.code
    print("LOADED", *(name for name in {heavy} if name in sys.modules))
"""


def test_help_lists_every_command(run):
    ran = run("--help")
    assert ran.code == 0
    for name in COMMANDS:
        assert re.search(rf"\b{name}\b", ran.out)
    assert "crossdoc demo" in ran.out


def test_help_lists_commands_in_groups(run):
    told = run("--help").out
    panels = re.findall(r"^╭─ ([A-Z][^─]*) ─+╮\n(.*?)^╰", told, re.MULTILINE | re.DOTALL)
    listed = {title: re.findall(r"^│ (\w+) ", body, re.MULTILINE) for title, body in panels if title != "Options"}
    assert listed == {
        "Daily work": ["resolve", "show", "explore", "report", "why", "add", "remove", "judge", "merge", "split",
                       "rename", "undo", "judgements", "history", "review", "known", "export", "info", "demo"],
        "Other programs": ["mcp", "reconcile", "graphrag"],
        "Individual methods": ["extract", "cluster", "contexts", "link"],
        "Research": ["train", "score"],
        "Reference": ["formats", "settings"],
    }  # fmt: skip


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_each_command(run, name):
    ran = run(name, "--help")
    assert ran.code == 0
    assert f"Example: crossdoc {name}" in " ".join(ran.out.split())
    assert run(name, "-h").out == ran.out


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_says_what_the_command_says(name):
    assert function_of(name).__doc__.splitlines()[0] == summary_of(name)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_examples_of_each_command_can_be_given(name):
    """Each is parsed by the command itself: options, their values, and how many arguments there are."""
    whole = command(name)
    assert "Example" not in whole.help
    examples = [line.removeprefix("Example:").strip() for line in whole.epilog.split("\n\n")]
    assert examples
    for example in examples:
        program, given, *words = shlex.split(example.replace("\\[", "[").split(" > ")[0])
        assert (program, given) == ("crossdoc", name)
        whole.make_context(name, words)


def test_alone_it_says_what_it_does_and_offers_the_demo(run):
    ran = run()
    assert ran.code == 0
    assert "who is who" in ran.out
    assert "crossdoc demo" in ran.out
    assert len(ran.out.splitlines()) < 24


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("crossdoc re", ["resolve", "report", "remove", "rename", "review", "reconcile"]),
        ("crossdoc resolve --me", ["--method"]),
        ("crossdoc resolve --method ka", ["karc"]),
        ("crossdoc cluster --method s", ["single-linkage"]),
    ],
)
def test_the_shell_completes(run, monkeypatch, typed, offered):
    monkeypatch.setenv("_CROSSDOC_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", str(typed.count(" ")))
    result = CliRunner().invoke(app, prog_name="crossdoc")
    assert result.stdout.split() == offered


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_the_shell(run, monkeypatch, shell):
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    ran = run("--show-completion", shell)
    assert (ran.code, "_COMPLETE=complete_" in ran.out) == (0, True)


def test_version(run):
    assert re.fullmatch(r"crossdoc \d+\.\d+\.\d+\S*\n", run("--version").out)


@pytest.mark.parametrize(
    "arguments",
    [
        ["nosuch"],
        ["show"],
        ["show", "--nosuch", "x"],
        ["score", "a.csv"],
        ["resolve", "in"],
        ["resolve", "in", "-o", "out", "--threshold", "high"],
        ["show", "x.crossdoc", "--top", "0"],
    ],
)
def test_misuse_is_2(run, arguments):
    ran = run(*arguments)
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err


def test_a_quick_answer_imports_nothing_heavy():
    told = [[], ["--help"], ["--version"], *([name, "--help"] for name in COMMANDS)]
    code = QUICK.format(all=told, heavy=HEAVY)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = re.findall(r"^LOADED(.*)$", done.stdout, re.MULTILINE)
    assert loaded == [""] * len(told)


def test_the_public_names_are_all_there():
    import crossdoc

    assert all(getattr(crossdoc, name) is not None for name in crossdoc.__all__)
    assert set(crossdoc.__all__) <= set(dir(crossdoc))
    with pytest.raises(AttributeError, match="nosuch"):
        crossdoc.nosuch  # noqa: B018


def test_a_pipe_gets_lines_without_escape_codes(crossdoc, documents, tmp_path):
    ran = crossdoc("resolve", documents, "-o", tmp_path / "out.crossdoc", "--method", "string-match")
    assert ran.code == 0
    assert "\x1b" not in ran.out + ran.err
    assert "\r" not in ran.out + ran.err
    assert ran.out.count("\n") == 1
    shown = crossdoc("show", tmp_path / "out.crossdoc")
    assert shown.code == 0
    assert "\x1b" not in shown.out


def test_a_reader_that_stops_early_is_no_error(result, command_line):
    ran = subprocess.run(
        ["bash", "-c", 'set -o pipefail; "$@" | true', "bash", *command_line("export", result)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.parametrize("command", ["export", "show --json", "info"])
def test_an_output_that_is_full(result, command_line, command):
    name, *options = command.split()
    buffered = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
    with open("/dev/full", "wb") as full:
        ran = subprocess.run(
            command_line(name, result, *options), stdout=full, stderr=subprocess.PIPE, check=False, env=buffered
        )
    told = ran.stderr.decode()
    assert ran.returncode == 1
    assert "No space left on device" in told
    assert "Traceback" not in told
    assert "bug" not in told
