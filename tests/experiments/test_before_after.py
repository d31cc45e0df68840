"""Figures of graph builders before and after: what is counted, and that the pages have what the script printed."""

import importlib
import json
from pathlib import Path

import pytest

EXPERIMENTS = Path(__file__).parents[2] / "experiments"


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(EXPERIMENTS)
    return importlib.import_module("before_after")


@pytest.fixture
def corpus(script):
    texts = {"a": "Ann Lee, the pilot, landed.", "b": "The pilot A. Lee landed.", "c": "Ann Lee sang."}
    found = [("a", 0, 7, "person", "pilot"), ("b", 10, 16, "person", "pilot"), ("c", 0, 7, "person", "singer")]
    return script.corpus_of("three", texts, found)


def test_names_that_are_split_and_joined_are_counted(script, corpus):
    before = script.by_name(corpus)
    after = dict(zip(corpus.gold, "xxy", strict=True))
    row = script.Outcome(before, after, 1.0).row(corpus)
    assert [row[name] for name in script.COLUMNS[:4]] == [2, 2, 1, 1]
    assert row["B³ before"] == pytest.approx(2 / 3)
    assert row["B³ after"] == 1.0
    assert script.Outcome(before, after, 1.0, (5, 6)).row(corpus)["nodes after"] == 6


def test_an_answer_for_agents_and_spacy_is_made(script, corpus, tmp_path):
    for measure in (script.answer, script.spacy):
        outcome = measure(corpus, tmp_path)
        outcome = outcome if isinstance(outcome, script.Outcome) else outcome[0]
        assert set(outcome.after) == set(corpus.gold)
        assert outcome.after["a", "Ann Lee", "person"] == outcome.after["b", "A. Lee", "person"]


def test_the_pages_have_the_figures_of_the_file(script):
    figures = json.loads(script.FIGURES.read_text("utf-8"))
    assert set(figures) == set(script.SYSTEMS)
    for path, marker, content in script.tables(figures):
        page = path.read_text("utf-8")
        assert page == script.replaced(page, marker, content), f"{path.name}: run before_after.py --pages"
