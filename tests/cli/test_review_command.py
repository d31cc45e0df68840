"""`crossdoc review`, with keys from a pipe."""

import json

import pytest
from typer.testing import CliRunner

from crossdoc.cli import app
from crossdoc.resolution import Resolution


@pytest.fixture
def reviewed(result):
    def run(keys: str, *options: str) -> str:
        ran = CliRunner().invoke(app, ["review", str(result), *options], input="\n".join(keys) + "\n")
        assert ran.exit_code == 0, ran.output
        return ran.output

    return run


def entities(result) -> dict[str, str]:
    with Resolution.open(result) as resolution:
        return resolution.store.entity_of()


def test_questions_as_json(run, result):
    asked = json.loads(run("review", result, "--json").out)
    assert set(asked[0]) == {"a", "b", "joined", "wrong", "worth"}
    assert len(json.loads(run("review", result, "--json", "--top", "1").out)) == 1
    before = entities(result)
    assert entities(result) == before


def test_an_answer_counts_at_once_and_can_be_taken_back(run, result, reviewed):
    first = json.loads(run("review", result, "--json", "--top", "1").out)[0]
    before = entities(result)
    key = "d" if first["joined"] else "s"
    told = reviewed([key, "q"], "--who", "ann")
    assert "question 1" in told
    assert "1 answer is in the log" in told
    after = entities(result)
    assert (after[first["a"]] == after[first["b"]]) != first["joined"]
    assert "(ann" in run("judgements", result).out
    run("undo", result)
    assert entities(result) == before
    told = reviewed([key, "u", "q"])
    assert "0 answers are in the log" in told
    assert entities(result) == before


def test_both_texts_are_shown_side_by_side_with_the_evidence(reviewed):
    told = reviewed(["q"])
    assert "names" in told
    assert "context" in told
    assert told.count("Detroit") >= 2
    assert "s same · d different · k skip · u undo · q quit" in told


def test_other_keys_and_the_end_of_input(reviewed):
    told = reviewed(["x", "u", "k"])
    assert "Nothing has been answered in this review yet" in told
    assert "question 2" in told or "no more questions" in told
    assert "0 answers" in reviewed([])


def test_no_result(run, tmp_path):
    ran = run("review", tmp_path / "missing.crossdoc")
    assert (ran.code, "no file" in ran.err) == (2, True)
