"""`crossdoc resolve --known`, and `crossdoc known`."""

import csv
import io
import json

import pytest

from crossdoc.store import Store

LIST = """id,name,aliases,type,description
gm,John Smith,,person,chairman of the carmaker General Motors in Detroit who sells cars and trucks
va,John Smith,,person,captain of the colonists of Jamestown who mapped the rivers of Virginia
co,General Motors Corp.,GM,organisation,
no,Zaphod Beeblebrox,,person,
"""


@pytest.fixture
def linked(run, documents, write, tmp_path):
    out = tmp_path / "linked.crossdoc"
    ran = run("resolve", documents, "-o", out, "--known", write("known.csv", LIST))
    assert ran.code == 0
    assert "of the 4 known entries" in ran.out
    return out


def test_identities_are_entries_or_none(run, linked):
    rows = list(csv.DictReader(io.StringIO(run("export", linked).out)))
    found = {(row["document"], row["name"]): row["known"] for row in rows}
    assert found["va", "John Smith"] == "va"
    assert found["gm1", "John Smith"] == found["gm2", "John Smith"] == "gm"
    assert found["gm1", "General Motors"] == "co"
    assert all(0 < float(row["known_probability"]) <= 1 for row in rows if row["known"])
    shown = json.loads(run("show", linked, "--json").out)
    assert {identity["known"] for identity in shown} >= {"va", "gm", "co"}
    assert "known as va" in run("show", linked).out


def test_a_summary_says_how_many_are_linked(run, documents, write, tmp_path):
    options = ["-o", tmp_path / "o.crossdoc", "--known", write("known.csv", LIST), "--json"]
    told = json.loads(run("resolve", documents, *options).out)
    assert (told["known"], told["linked"]) == (4, 3)


def test_the_list_with_its_identities(run, linked):
    listed = {entry["id"]: entry for entry in json.loads(run("known", linked, "--json").out)}
    assert list(listed) == ["gm", "va", "co", "no"]
    assert [each["name"] for each in listed["co"]["identities"]] == ["General Motors"]
    told = run("known", linked).out.splitlines()
    assert told[1].startswith("John Smith va: John Smith (va:")
    assert run("known", linked, "--unmentioned").out == "Zaphod Beeblebrox no: not mentioned\n"


@pytest.mark.parametrize("method", ["mean-max-linkage --threshold 0", "string-match", "all-in-one", "arca"])
def test_two_entries_are_never_one(run, documents, write, tmp_path, method):
    """Even where everything would be joined, whatever the method."""
    out, name = tmp_path / "joined.crossdoc", write("known.csv", LIST)
    ran = run("resolve", documents, "-o", out, "--known", name, "--method", *method.split())
    assert ran.code == 0
    rows = csv.DictReader(io.StringIO(run("export", out).out))
    entities = {row["document"]: row["entity"] for row in rows if row["name"] == "John Smith"}
    assert entities["gm1"] != entities["va"]


def test_what_is_added_and_judged_is_linked_too(run, linked, write):
    text = "In Jamestown the colonists of Virginia heard captain John Smith, who mapped rivers."
    start = text.index("John")
    mention = {"start": start, "end": start + 10, "type": "person", "chain": "x"}
    more = write("more.jsonl", [{"id": "new", "text": text, "language": "en", "mentions": [mention]}])
    assert run("add", linked, more).code == 0
    rows = list(csv.DictReader(io.StringIO(run("export", linked).out)))
    found = {(row["document"], row["name"]): row for row in rows}
    assert found["new", "John Smith"]["known"] == "va"
    assert found["gm1", "John Smith"]["known"] == "gm"
    new, car = (found[document, "John Smith"]["id"] for document in ("new", "gm1"))
    # A person's word stands over the list.
    assert run("judge", linked, "same", new, car).code == 0
    rows = csv.DictReader(io.StringIO(run("export", linked).out))
    entities = {row["document"]: row["entity"] for row in rows if row["name"] == "John Smith"}
    assert entities["new"] == entities["gm1"]
    assert run("remove", linked, "new").code == 0
    with Store.open(linked) as store:
        assert not any(id.startswith("new:") for id in store.known_odds().column("id").to_pylist())


def test_another_result_is_a_list_too(run, result, documents, tmp_path):
    out = tmp_path / "again.crossdoc"
    assert run("resolve", documents, "-o", out, "--known", result).code == 0
    rows = list(csv.DictReader(io.StringIO(run("export", out).out)))
    assert {row["known"] for row in rows if row["document"] == "va"} == {"va:41:51"}
    assert run("known", out, "--unmentioned").out.startswith("Every known entry is mentioned")


@pytest.mark.parametrize(
    ("content", "code", "told", "do"),
    [
        ("id,name\n1,Ann\n1,Bo\n", 1, "several records have the same id: '1'", "rename or remove"),
        ("id,title\n1,Ann\n", 1, "the column 'name' is missing", "columns id and name"),
        ("id,name\n1,\n", 1, "the field 'name' is empty", "columns id and name"),
        (b"\xff\xfe\x00", 1, "not UTF-8", "columns id and name"),
        ("", 1, "holds no known entry", "crossdoc formats"),
    ],
)
def test_bad_lists(run, documents, write, tmp_path, content, code, told, do):
    out = tmp_path / "bad.crossdoc"
    ran = run("resolve", documents, "-o", out, "--known", write("known.csv", content))
    assert (ran.code, out.exists()) == (code, False)
    assert told in ran.err
    assert do in ran.err


def test_no_list_and_no_file(run, result, documents, write, tmp_path):
    ran = run("known", result)
    assert (ran.code, "--known" in ran.err) == (2, True)
    for known in (tmp_path / "missing.csv", tmp_path / "missing.crossdoc", write("x.crossdoc", "no result")):
        ran = run("resolve", documents, "-o", tmp_path / "o.crossdoc", "--known", known)
        assert ran.code in (1, 2)
        assert known.name in ran.err
