"""`crossdoc blocking`: what a user sees of it."""

import json

import pytest


@pytest.fixture
def people(write):
    names = ["George W. Bush", "President Bush", "Jeb Bush", "Dubya [43]"]
    return write(
        "people.jsonl",
        [
            {"id": str(i), "document": f"d{i}", "name": name, "type": "person", "context": "a ranch in Texas"}
            for i, name in enumerate(names)
        ],
    )


@pytest.fixture
def gold(write):
    return write("gold.csv", [{"id": str(i), "entity": "bush"} for i in (0, 1, 3)])


def test_saved_and_lost_pairs(run, people, gold):
    told = json.loads(run("blocking", people, "--gold", gold, "--json").out)
    assert (told["profiles"], told["pairs"], told["blocks"], told["labelled"]) == (4, 2, 2, 3)
    assert told["reduction"] == pytest.approx(2 / 3)
    assert told["completeness"] == pytest.approx(1 / 3)
    assert told["largest"][1] == [1, "Dubya [43]"]
    shown = run("blocking", people, "--gold", gold).out
    assert "pair completeness  0.3333" in shown
    assert "Dubya [43]" in shown


def test_similar_contexts_bring_different_names_together(run, people, gold):
    told = json.loads(run("blocking", people, "--gold", gold, "--neighbours", 3, "--json").out)
    assert (told["pairs"], told["completeness"]) == (6, 1.0)


def test_without_gold_nothing_is_said_of_it(run, people):
    shown = run("blocking", people).out
    assert "reduction ratio" in shown
    assert "completeness" not in shown
    assert json.loads(run("blocking", people, "--json").out)["completeness"] is None


def test_what_cannot_be_read(run, people, tmp_path):
    assert run("blocking", tmp_path / "nowhere.jsonl").code != 0
    refused = run("blocking", people, "--gold", people)
    assert refused.code != 0
    assert refused.err
