"""The commands that change a result."""

import json

import pytest
from typer.testing import CliRunner

from crossdoc.cli import app
from crossdoc.run.resolution import Resolution

GM1, GM2, VA = "gm1:0:10", "gm2:24:34", "va:41:51"


@pytest.fixture
def entity(result):
    def of(profile):
        with Resolution.open(result) as opened:
            return opened.store.entity_of()[profile]

    return of


def test_judge_undo_and_the_log(run, result, entity):
    assert entity(GM1) == entity(GM2)
    ran = run("judge", result, "different", GM1, GM2, "--who", "Ada", "--why", "another")
    assert ran.code == 0
    assert "split from" in ran.out
    assert entity(GM1) != entity(GM2)
    assert f"1  {GM1} is different from {GM2} (Ada), hard: another" in run("judgements", result).out
    told = json.loads(run("judgements", result, "--json").out)
    assert [(each["number"], each["act"], each["verdict"]) for each in told] == [(1, "judge", "different")]
    undone = run("undo", result, "--why", "no")
    assert "Entry 1 of the log no longer holds" in undone.err
    assert entity(GM1) == entity(GM2)
    assert "No judgement is in force" in run("judgements", result).out
    assert run("undo", result).code == 2
    assert run("undo", result, 5).code == 2


def test_merge_split_rename_and_history(run, result, entity):
    first, second = entity(GM1), entity(VA)
    merged = json.loads(run("merge", result, first, second, "--json").out)
    assert (merged["entry"], [event["what"] for event in merged["events"]]) == (1, ["merged"])
    whole = entity(VA)
    assert entity(GM1) == whole
    lost = ({first, second} - {whole}).pop()
    told = run("history", result, lost).out
    assert f"{lost} merged into {whole}" in told
    assert f"Now: {whole}" in told
    assert "entry 1: merge" in run("history", result).out
    assert json.loads(run("show", result, "--find", lost, "--json").out)[0]["id"] == whole
    rows = run("export", result, "--find", lost).out.splitlines()
    assert len(rows) == 4
    assert all(f'"{whole}"' in row for row in rows[1:])
    assert run("undo", result).code == 0
    assert run("split", result, entity(GM1), GM1, "--why", "x").code == 0
    assert entity(GM1) != entity(GM2)
    assert "Entry 4" in run("rename", result, entity(GM1), "Jack Smith").err
    assert json.loads(run("show", result, "--find", "Jack", "--json").out)[0]["name"] == "Jack Smith"
    assert "is called Jack Smith" in run("judgements", result).out
    assert json.loads(run("judgements", result, "--json").out)[-1]["name"] == "Jack Smith"
    assert len(json.loads(run("history", result, "--json").out)) == 3


def test_add_and_remove(run, result, write, entity, make_record):
    text = "John Smith, chairman of General Motors, said in Detroit that trucks and cars sold badly."
    more = write("more.jsonl", [make_record("gm3", text)])
    told = json.loads(run("add", result, more, "--json").out)
    assert (told["added"], told["replaced"]) == (1, 0)
    assert entity("gm3:0:10") == entity(GM1)
    again = run("add", result, more)
    assert again.code == 0
    assert "1 documents were already there" in again.err
    assert "did not change" in again.out
    changed = write("changed.jsonl", [make_record("gm3", f"News. {text}")])
    assert json.loads(run("add", result, changed, "--json").out)["replaced"] == 1
    assert entity("gm3:6:16") == entity(GM1)
    assert "1 removed" in run("remove", result, "gm3").err
    unknown = run("remove", result, "gm3")
    assert unknown.code == 1
    assert "'gm3'" in unknown.err
    info = run("info", result).out
    assert "calibrated on 3 documents (now 3)" in info
    assert (
        "New documents are placed by a full run of the method on the components of profiles that they affect." in info
    )
    assert info.count("run") >= 4


def test_unmatched_judgements_are_listed(run, result):
    run("judge", result, "same", GM1, VA)
    assert "match their profiles" in run("judgements", result, "--unmatched").out
    ran = run("remove", result, "va")
    assert "--unmatched" in ran.err
    told = run("judgements", result, "--unmatched").out
    assert f"not found: {VA} (John Smith in va)" in told
    assert json.loads(run("judgements", result, "--unmatched", "--json").out)[0]["number"] == 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["judge", "alike", GM1, VA], "no verdict 'alike'"),
        (["judge", "same", GM1, "nobody"], "'nobody'"),
        (["judge", "same", GM1, "gm1:24:38"], "is a person"),
        (["merge", "nobody", "noone"], "no identity 'nobody'"),
        (["split", "nobody", GM1], "no identity 'nobody'"),
        (["rename", "nobody", "x"], "no identity 'nobody'"),
        (["history", "nobody"], "no identity 'nobody'"),
        (["add", "nowhere.txt"], "nowhere.txt"),
    ],
)
def test_mistakes_are_told(run, result, arguments, told):
    command, *rest = arguments
    ran = run(command, result, *rest)
    assert ran.code in (1, 2)
    assert told in ran.err


@pytest.mark.parametrize("command", [["judge", "same", "a", "b"], ["merge", "a", "b"], ["split", "a", "b"], ["undo"],
                                     ["rename", "a", "b"], ["history"], ["add", "x"], ["remove", "x"]])  # fmt: skip
def test_a_file_that_is_no_result(run, tmp_path, command):
    path = tmp_path / "x.crossdoc"
    path.write_text("no result")
    ran = run(command[0], path, *command[1:])
    assert ran.code == 1
    assert "not a crossdoc result" in ran.err
    assert path.read_text() == "no result"
    assert run(command[0], tmp_path / "none.crossdoc", *command[1:]).code == 2


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
