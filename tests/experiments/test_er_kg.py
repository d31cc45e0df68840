"""Records of a language model's mentions: the cases that were written, the halves, and the figures by hand."""

import csv
import doctest
import importlib
import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest

EXPERIMENTS = Path(__file__).parents[2] / "experiments"


@pytest.fixture
def er_kg(monkeypatch):
    monkeypatch.syspath_prepend(EXPERIMENTS)
    return importlib.import_module("er_kg")


def test_examples(er_kg):
    assert doctest.testmod(er_kg).failed == 0


def test_each_class_has_twenty_cases_and_no_case_is_in_both_halves(er_kg):
    records = er_kg.read(er_kg.CASES)
    cases = defaultdict(set)
    for record in records:
        cases[record["failure_class"]].add(record["entity_id"].rsplit("-", 2)[1])
        assert re.fullmatch(r"[a-z_]+-\d\d-[a-z]", record["entity_id"])
    assert {name: len(own) for name, own in cases.items()} == dict.fromkeys(cases, 20)
    assert len(cases) == 9
    assert len({record["record_id"] for record in records}) == len(records)
    halves = Counter(er_kg.half(record["entity_id"]) for record in records)
    assert min(halves.values()) > 0.45 * len(records)


def test_a_record_of_another_type_is_alone_and_gold_does_not_go_in(er_kg, tmp_path, capsys, monkeypatch):
    path = tmp_path / "records.csv"
    rows = [
        ("1", "Ann Lee", "PERSON", "Ann Lee, the pilot", "a", "x"),
        ("2", "Ann Lee", "PERSON", "the pilot Ann Lee", "a", "x"),
        ("3", "Easter", "EVENT", "before Easter", "b", "y"),
        ("4", "Easter", "EVENT", "after Easter", "c", "y"),
    ]
    with path.open("w", newline="") as stream:
        csv.writer(stream).writerows([(*er_kg.GIVEN, *er_kg.GOLD), *rows])
    answer, found = er_kg.resolved(er_kg.read(path))
    answer.close()
    assert found["1"] == found["2"]
    assert found["3"] != found["4"]
    monkeypatch.setattr("sys.argv", ["er_kg.py", str(path), "--failures", "1"])
    er_kg.main()
    printed = capsys.readouterr().out
    assert "| all   | 4       | 0.667" in printed


def test_a_file_without_gold_is_refused(er_kg, tmp_path):
    path = tmp_path / "records.csv"
    path.write_text("record_id,mention\n1,Ann\n")
    with pytest.raises(SystemExit, match="no column entity_type"):
        er_kg.read(path)
