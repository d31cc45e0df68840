"""`crossdoc reconcile` before it serves."""

import importlib.util

from typer.testing import CliRunner

from crossdoc.cli import app


def test_a_missing_answer_and_a_missing_package_are_named(tmp_path, whole_result, monkeypatch):
    missing = CliRunner().invoke(app, ["reconcile", str(tmp_path / "none.crossdoc")])
    assert missing.exit_code != 0
    assert "none.crossdoc" in missing.output
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    bare = CliRunner().invoke(app, ["reconcile", str(whole_result)])
    assert bare.exit_code == 2
    assert "crossdoc[web]" in bare.output
