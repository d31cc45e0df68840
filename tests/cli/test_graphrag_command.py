"""`crossdoc graphrag` before it reads an index; tests/integrations/test_graphrag.py has the rest."""

import importlib.util

import pytest


@pytest.fixture
def without_packages(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)


def test_a_missing_index_and_a_missing_package_are_named(run, tmp_path, without_packages):
    missing = run("graphrag", tmp_path / "none")
    assert missing.code != 0
    assert "none holds no index of GraphRAG" in missing.err
    bare = run("graphrag", tmp_path)
    assert bare.code == 2
    assert "crossdoc[graphrag]" in bare.err
