"""`crossdoc mcp` before it serves: a missing answer, a missing package, a folder with --write."""

import importlib.util

from typer.testing import CliRunner

from crossdoc.cli import app


def invoke(*arguments: str):
    return CliRunner().invoke(app, ["mcp", *arguments])


def test_a_missing_answer_is_named_before_packages_are_loaded(tmp_path):
    ran = invoke(str(tmp_path / "none.crossdoc"))
    assert ran.exit_code != 0
    assert "none.crossdoc" in ran.output


def test_a_missing_package_is_named(whole_result, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    ran = invoke(str(whole_result))
    assert ran.exit_code == 2
    assert "crossdoc[mcp]" in ran.output
