"""`crossdoc why` on an answer of the model that comes along; test_train.py has it with an ensemble."""

import csv
import io
import json

import pytest
from scipy.special import expit, logit


@pytest.fixture
def ids(run, result) -> dict[str, str]:
    """The profile of John Smith in each document."""
    rows = csv.DictReader(io.StringIO(run("export", result, "--format", "csv").out))
    return {row["document"]: row["id"] for row in rows if row["name"] == "John Smith"}


def test_what_speaks_for_and_against(run, result, ids):
    ran = run("why", result, ids["gm1"], ids["gm2"])
    assert ran.code == 0
    assert ran.out.startswith("strength 0.99")
    assert "detroit" in ran.out
    assert "John Smith / John Smith: equal" in " ".join(ran.out.split())


def test_what_counted_adds_up_to_the_strength(run, result, ids):
    for other in ("gm2", "va"):
        strength, _, *rows = run("why", result, ids["gm1"], ids[other]).out.splitlines()
        counted = [float(row.split()[3]) for row in rows]
        assert expit(sum(counted)) == pytest.approx(float(strength.split()[1]), abs=0.005)
    told = " ".join(run("why", "--help").out.split())
    assert "in log odds" in told
    assert "1 / (1 + e^−sum)" in told


def test_json(run, result, ids):
    near, far, back = (
        json.loads(run("why", result, ids[a], ids[b], "--json").out)
        for a, b in (("gm1", "gm2"), ("gm1", "va"), ("gm2", "gm1"))
    )
    assert near["strength"] > far["strength"] >= 0
    assert near["strength"] == pytest.approx(back["strength"])
    contexts, document, _ = near["opinions"]
    assert [said["specialist"] for said in near["opinions"]] == ["context", "document", "names"]
    assert sum(said["weight"] for said in near["opinions"]) == pytest.approx(logit(near["strength"]), abs=1e-3)
    assert document["evidence"].startswith("one topic: ")
    assert not {"john", "smith"} & set(document["evidence"].replace(",", "").split())
    assert contexts["probability"] == pytest.approx(expit(contexts["weight"]), abs=1e-6)
    assert 0 < contexts["score"] < contexts["probability"]
    assert set(contexts) == {"specialist", "score", "probability", "weight", "evidence"}


def test_a_profile_and_itself(run, result, ids):
    ran = run("why", result, ids["va"], ids["va"], "--json")
    assert ran.code == 0
    assert json.loads(ran.out)["strength"] > 0.99


def test_names_in_brackets_are_shown_as_they_are(run, write, tmp_path):
    rows = [
        {"id": id, "document": id, "name": "Ann [bold] Li", "type": "person", "context": "a poet of Paris"}
        for id in "ab"
    ]
    path = write("profiles.jsonl", rows)
    assert run("resolve", path, "-o", tmp_path / "b.crossdoc").code == 0
    assert "[bold]" in run("why", tmp_path / "b.crossdoc", "a", "b").out


def test_unknown_ids_are_named(run, result, ids):
    ran = run("why", result, "nobody", ids["va"])
    assert ran.code == 1
    assert "'nobody'" in ran.err
    assert ids["va"] not in ran.err
    both = run("why", result, "nobody", "no one", "--json")
    assert both.code == 1
    assert "'no one', 'nobody'" in both.err
    assert both.out == ""


def test_no_answer(run, tmp_path, write):
    assert run("why", tmp_path / "none.crossdoc", "a", "b").code == 2
    ran = run("why", write("text.crossdoc", "no database"), "a", "b")
    assert ran.code == 1
    assert "not a crossdoc result" in ran.err
