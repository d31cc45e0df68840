"""`crossdoc info`."""

import json
import re

import pytest

from crossdoc.store import Store


def test_info(run, result):
    ran = run("info", result)
    assert ran.code == 0
    assert "3 documents" in ran.out
    assert "5 profiles" in ran.out
    assert "method mean-max-linkage, seed 0" in ran.out
    assert "documents.jsonl" in ran.out


def test_json(run, result):
    told = json.loads(run("info", result, "--json").out)
    assert (told["documents"], told["mentions"], told["profiles"], told["judgements"]) == (3, 5, 5, 0)
    assert told["bytes"] == result.stat().st_size
    assert [each["method"] for each in told["runs"]] == ["mean-max-linkage"]
    assert told["runs"][0]["settings"]["window"] == 300


@pytest.mark.parametrize(
    ("method", "told"),
    [
        ("mean-max-linkage", "works on groups of profiles connected by agreeing names"),
        ("karc", "works block by block"),
        ("sampling", "works on all profiles of a type at once"),
    ],
)
def test_on_what_a_method_works(run, documents, tmp_path, method, told):
    out = tmp_path / "out.crossdoc"
    assert run("resolve", documents, "-o", out, "--method", method).code == 0
    assert f"The method {method} {told}" in run("info", out).out


def test_a_method_whose_package_is_gone(run, result):
    with Store.open(result, write=True) as store, store.batch():
        store._db.execute("UPDATE runs SET method = 'gone'")
    ran = run("info", result)
    assert ran.code == 0
    assert "method gone" in ran.out


def test_which_model_has_read(run, write, tmp_path):
    path = write("d.jsonl", [{"id": "a", "text": "John Smith spoke in Detroit.", "language": "en"}])
    run("resolve", path, "-o", tmp_path / "o.crossdoc", "--method", "string-match")
    assert re.search(r"read with \w+ \d+\.\d+\.\d+", run("info", tmp_path / "o.crossdoc").out)
