"""`crossdoc show`."""

import json

import pytest


def test_show(run, result):
    ran = run("show", result)
    assert ran.code == 0
    assert "John Smith" in ran.out
    assert "person · 2 documents · 2 mentions · 1996-01-14" in ran.out
    assert "gm1" in ran.out


def test_json(run, result):
    found = json.loads(run("show", result, "--json").out)
    assert {identity["name"] for identity in found} == {"John Smith", "General Motors"}
    first = next(identity for identity in found if identity["id"] == "gm1:0:10")
    assert (first["type"], first["n_documents"], first["variants"]) == ("person", 2, {"John Smith": 2})
    assert {member["document"] for member in first["members"] if member["membership"] > 0.5} == {"gm1", "gm2"}
    assert all("John Smith" in member["snippet"] for member in first["members"])


@pytest.mark.parametrize("asked", ["smith", "JOHN", "John Smith"])
def test_find(run, result, asked):
    found = json.loads(run("show", result, "--find", asked, "--json").out)
    assert {identity["name"] for identity in found} == {"John Smith"}


def test_nobody_of_that_name(run, result):
    ran = run("show", result, "--find", "Napoleon")
    assert (ran.code, ran.out) == (1, "")
    assert "Nobody called 'Napoleon'" in ran.err


def test_top_and_members(run, result):
    found = json.loads(run("show", result, "--top", 1, "--members", 1, "--json").out)
    assert [len(identity["members"]) for identity in found] == [1]
    assert "and 2 more" in run("show", result, "--top", 1).out


def test_names_are_shown_as_they_are(run, write, tmp_path):
    name = "[red]Ann[/x] :100: [link=http://e.vil]Lee"
    profile = {"id": "p", "document": "d[/]:smile:\x1b[31m", "name": name, "context": f"It was {name}."}
    assert run("resolve", write("p.jsonl", [profile]), "-o", tmp_path / "a.crossdoc").code == 0
    ran = run("show", tmp_path / "a.crossdoc")
    assert name in ran.out
    assert "d[/]:smile: [31m" in ran.out
    assert "\x1b" not in ran.out
