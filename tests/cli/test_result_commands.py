"""`crossdoc show`."""

import csv
import io
import json
import re

import pytest
from scipy.special import expit, logit
from typer.testing import CliRunner

from crossdoc.cli import app
from crossdoc.store import Store


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


def test_json_of_why(run, result, ids):
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
    rows.append({"id": "c", "document": "c", "name": "Bo Orr", "type": "person", "context": "a captain"})
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


def test_info(run, result):
    ran = run("info", result)
    assert ran.code == 0
    assert "3 documents" in ran.out
    assert "5 profiles" in ran.out
    assert "method mean-max-linkage, seed 0" in ran.out
    assert "documents.jsonl" in ran.out


def test_json_of_info(run, result):
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


def invoke(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_what_was_said_can_be_taken_back(tmp_path):
    documents, said, output = (tmp_path / name for name in ("d.jsonl", "said.csv", "out.crossdoc"))
    documents.write_text(
        "".join(json.dumps({"id": i, "text": "John Smith sings", "language": "en"}) + "\n" for i in "ab")
    )
    said.write_text("a,b,different,hard,,ada,other voice\n")
    resolve = ("resolve", documents, "-o", output, "--name", "John Smith")
    assert invoke(*resolve, "--constraints", said).exit_code == 0
    listed = invoke("judgements", output)
    assert "1  a is different from b (ada), hard: other voice" in listed.stdout
    assert invoke("undo", output, 1, "--why", "same voice").exit_code == 0
    assert json.loads(invoke("judgements", output, "--json").stdout) == []
    said.write_text("a,b,same,hard,,ada\n")
    assert invoke(*resolve, "--constraints", said).exit_code == 0
    unknown = invoke("undo", output, 9)
    assert unknown.exit_code in (1, 2)
    assert "9" in unknown.stderr


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
        ("id,title\n1,Ann\n", 1, "the column 'name' is missing", "`crossdoc formats`"),
        ("id,name\n1,\n", 1, "the field 'name' is empty", "`crossdoc formats`"),
        (b"\xff\xfe\x00", 1, "not UTF-8", "`crossdoc formats`"),
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
