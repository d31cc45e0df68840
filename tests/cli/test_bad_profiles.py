"""Odd profiles and mistaken specialists through `train`, `resolve --model`, `why` and `blocking`, as a user would."""

import json
from importlib.metadata import EntryPoint

import numpy as np
import pytest

from crossdoc.compare import specialists
from crossdoc.compare.specialists import Specialist, specialist

ODD_NAMES = ["x", "?", "Ω", "李", "محمد علي", "Иван Петров", "ஃ", "𝒳", "👍", "a" * 3000, "- -", "Mr.", "Dr. Jr.", "O'"]
MANY = 3_000


class TooLong(Specialist):
    name = "too_long"

    def encode(self, profiles):
        return None

    def compare(self, encoded, pairs):
        return np.zeros(len(pairs) + 1)


@specialist("too_high")
def too_high(a, b):
    return 7.0


@pytest.fixture
def odd(write):
    """Two profiles of each odd name, two with very many relations, and enough of one name to learn from."""
    rows = [
        {"id": f"{i}-{j}", "name": name, "type": kind, "context": f"{name} 漢字 عربى שלום {j}"}
        for i, name in enumerate(ODD_NAMES)
        for j, kind in enumerate(["person", "person", "organisation", "place"])
    ]
    kinds = ("list", "family", "employment", "resident")
    for j in range(2):
        related = [{"type": kinds[k % 4], "name": f"Person {k * (j + 1)}"} for k in range(MANY)]
        rows.append({"id": f"many{j}", "name": "Ann Many", "type": "person", "relations": related})
    rows += [
        {"id": f"smith{j}", "name": "John Smith", "type": "person", "context": ["cars Detroit", "verse Paris"][j % 2]}
        for j in range(12)
    ]
    return write("odd.jsonl", [{"document": f"d{row['id']}", **row} for row in rows])


@pytest.fixture
def gold(write):
    return write("gold.csv", [{"id": f"smith{j}", "entity": f"smith {j % 2}"} for j in range(12)])


def test_odd_names_and_many_relations(run, odd, gold, tmp_path):
    model, result = tmp_path / "model.json", tmp_path / "odd.crossdoc"
    trained = run("train", odd, gold, "-o", model)
    assert trained.code == 0, trained.err
    resolved = run("resolve", odd, "-o", result, "--model", model, "--json")
    assert resolved.code == 0, resolved.err
    assert json.loads(resolved.out)["profiles"] == len(ODD_NAMES) * 4 + 14
    for i in (0, 1, 4, 9):
        told = json.loads(run("why", result, f"{i}-0", f"{i}-1", "--json").out)
        assert 0 <= told["strength"] <= 1
    many = json.loads(run("why", result, "many0", "many1", "--json").out)
    assert all(len(opinion["evidence"]) < 500 for opinion in many["opinions"])


def test_a_profile_without_a_name_is_refused_with_its_line(run, write, gold, tmp_path):
    path = write("nameless.jsonl", [{"id": "1", "document": "d", "name": ""}])
    refused = run("train", path, gold, "-o", tmp_path / "model.json")
    assert refused.code != 0
    assert "line 1: the field 'name' is empty" in refused.err


@pytest.mark.parametrize(
    ("offered", "said"),
    [("TooLong", "too_long' gave 61 scores for 60 pairs"), ("too_high", "outside [0, 1], such as 7")],
)
def test_a_users_specialist_that_gives_no_scores_is_named(run, odd, gold, tmp_path, monkeypatch, offered, said):
    point = EntryPoint(offered, f"{__name__}:{offered}", specialists.ENTRY_POINTS)
    monkeypatch.setattr(EntryPoint, "load", lambda self: globals()[self.value.split(":")[1]])
    monkeypatch.setattr(specialists, "entry_points", lambda group: [point])
    refused = run("train", odd, gold, "-o", tmp_path / "model.json")
    assert refused.code != 0
    assert "too_" in refused.err
    assert said in refused.err
    assert not (tmp_path / "model.json").exists()
