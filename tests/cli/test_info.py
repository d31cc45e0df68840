"""`crossdoc info`."""

import json


def test_info(run, result):
    ran = run("info", result)
    assert ran.code == 0
    assert "3 documents" in ran.out
    assert "5 profiles" in ran.out
    assert "method average-linkage, seed 0" in ran.out
    assert "documents.jsonl" in ran.out


def test_json(run, result):
    told = json.loads(run("info", result, "--json").out)
    assert (told["documents"], told["mentions"], told["profiles"], told["judgements"]) == (3, 5, 5, 0)
    assert told["bytes"] == result.stat().st_size
    assert [each["method"] for each in told["runs"]] == ["average-linkage"]
    assert told["runs"][0]["settings"]["window"] == 300


def test_block_wise_methods_say_so(run, result):
    assert "block by block" in run("info", result).out
