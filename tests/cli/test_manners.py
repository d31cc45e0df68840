"""What a person gets to see when something is odd: a message of its own, the right exit code, nothing left behind."""

import json
import os
import re
import subprocess
import sys

import duckdb
import pytest
import typer

from crossdoc.cli import ui
from crossdoc.errors import CrossdocError
from crossdoc.read import find_sources, read_answer, read_known, read_profiles
from crossdoc.read.records import sources_of
from crossdoc.settings import Settings


def test_ctrl_c_is_130(capsys):
    for error in (KeyboardInterrupt(), RuntimeError(ui.DUCKDB_INTERRUPTED)):

        def stop(error=error):
            raise error

        with pytest.raises(typer.Exit) as ended:
            ui.guard(stop)()
        assert ended.value.exit_code == 130
    assert capsys.readouterr().err.count("Stopped.") == 2


@pytest.mark.parametrize("error", [MemoryError(), duckdb.OutOfMemoryException("x")])
def test_too_little_memory_says_so(error, capsys):
    def fail():
        raise error

    with pytest.raises(typer.Exit):
        ui.guard(fail)()
    assert "memory of this machine is not enough" in capsys.readouterr().err


def test_a_closed_standard_output_is_no_bug(command_line, result):
    line = " ".join(map(str, command_line("info", result)))
    for shell in (f"{line} >&-", f"{line} | true"):
        done = subprocess.run(["bash", "-c", shell], capture_output=True, timeout=100, check=False)
        assert (done.returncode, b"bug" in done.stderr) == (0, False), done.stderr


def test_marks_find_only_names_that_hold_them(run, result):
    ran = run("show", result, "--find", "???")
    assert (ran.code, "Nobody called '???'" in ran.err) == (1, True)
    assert run("show", result, "--find", " ").code == 1
    assert run("show", result, "--find", "john SMITH").code == 0


def test_a_csv_with_two_columns_of_one_name(write):
    with pytest.raises(CrossdocError, match="2 columns are called 'name'"):
        list(read_profiles(find_sources([write("a.csv", "name,name\nAnn,Lee\n")])))
    with pytest.raises(CrossdocError, match="2 columns are called 'id'"):
        read_answer(write("b.csv", "id,id,entity\n1,2,3\n"))


def rows(path, columns=()):
    return [profile for batch in read_profiles(sources_of([path], columns)) for profile in batch]


def test_other_separators_and_headers(write):
    for name, content in (("a.csv", "name;context\nAnn Lee;a, b\n"), ("b.tsv", "name\tcontext\nAnn Lee\ta, b\n")):
        assert [(p.name, p.context) for p in rows(write(name, content))] == [("Ann Lee", "a, b")]
    path = write("c.csv", "author;title\nAnn Lee;Races\n")
    with pytest.raises(
        CrossdocError, match=r"Columns found, separated by ';': author, title.\n.*--columns name=author"
    ):
        rows(path)
    assert [(p.name, p.context) for p in rows(path, ["name=author", "context=title"])] == [("Ann Lee", "Races")]
    with pytest.raises(CrossdocError, match="FIELD=COLUMN"):
        Settings.load(columns=["author"])


def test_a_csv_carries_attributes_and_relations(write):
    csv = "name,attributes,relations,attribute:role,relation:employment\n"
    csv += 'Ann Lee,"{""born"": [""1931""]}","[{""type"": ""list"", ""name"": ""Bo""}]",racer; owner,IBM\n'
    (ann,) = rows(write("a.csv", csv))
    assert ann.attributes == {"born": ["1931"], "role": ["racer", "owner"]}
    assert [(r.type, r.name) for r in ann.relations] == [("list", "Bo"), ("employment", "IBM")]


def test_types_under_other_names(write):
    told = [{"name": "Ann", "type": type} for type in ("PER", "ORG", "GPE", "LOC", "PERSON", "Organization", "place")]
    found = [profile.type for profile in rows(write("a.jsonl", told))]
    assert found == ["person", "organisation", "place", "place", "person", "organisation", "place"]
    (entry,) = read_known(write("k.csv", "id,name,type\n1,Ann,PER\n"))
    assert entry.type == "person"
    assert [each.name for each in rows(write("b.jsonl", [{"name": "Ann", "type": "EVENT"}, {"name": "Bo"}]))] == ["Bo"]


@pytest.mark.parametrize("membership", ["nan", "-0.1", "", "inf"])
def test_memberships_that_are_none_are_refused(write, membership):
    with pytest.raises(CrossdocError, match="1 memberships are not numbers of at least 0, the first for b"):
        read_answer(write("a.csv", f"id,entity,membership\na,x,0.5\nb,x,{membership}\n"))


def test_scores_for_another_program_are_lines(run, write):
    answer = write("a.csv", "id,entity\n" + "".join(f"{n},{n % 3}\n" for n in range(9)))
    lines = run("score", answer, answer, "--bootstrap", "10").out.splitlines()
    assert all(re.search(r"1\.0000", line) for line in lines[1:])
    assert "95%" in lines[1]


def test_nothing_is_left_after_a_usage_error(run, write, tmp_path):
    path = write("in/d.jsonl", '{"id": "1", "text": "nobody is named here"}\n{"id": "1", "text": "x"}\n')
    assert run("resolve", path, "-o", tmp_path / "in" / "o.crossdoc", "--name", "Ann Lee").code != 0
    assert run("extract", path, "-o", tmp_path / "in" / "p.jsonl").code != 0
    assert os.listdir(tmp_path / "in") == ["d.jsonl"]


def test_a_terminal_that_shows_only_ascii(crossdoc, write, tmp_path):
    """The answer is there, what cannot be shown is a question mark, and JSON loses nothing."""
    profiles = write("a.jsonl", [{"id": "a", "document": "d", "name": "Élodie Ångström", "context": "東京"}])
    around = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    ran = crossdoc("resolve", profiles, "-o", tmp_path / "a.crossdoc", env=around)
    assert (ran.code, ran.out.startswith("0 documents, 1 profiles ? 1 identities")) == (0, True), ran
    shown = crossdoc("show", tmp_path / "a.crossdoc", env=around)
    assert (shown.code, shown.out.startswith("?lodie ?ngstr?m")) == (0, True), shown
    told = json.loads(crossdoc("show", tmp_path / "a.crossdoc", "--json", env=around).out)
    assert told[0]["name"] == "Élodie Ångström"


@pytest.mark.parametrize("error", [duckdb.IOException("IO Error: x"), duckdb.FatalException("FATAL Error: y!")])
def test_a_failing_disk_is_no_bug(error, capsys):
    def fail():
        raise error

    with pytest.raises(typer.Exit):
        ui.guard(fail)()
    told = capsys.readouterr().err
    assert "The disk failed" in told
    assert "bug" not in told


QUIET = """
import crossdoc
answer = crossdoc.resolve([crossdoc.Document("a", "Ann Lee left Rome.")], name="Ann Lee", describe=False)
print(answer.identities()[0].name)
"""


def test_a_script_ends_without_a_word(crossdoc, command_line, result):
    """DuckDB prints a page about what a thread still held when Python ended."""
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", QUIET], capture_output=True, text=True, timeout=100, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, "Ann Lee\n", "")
    line = " ".join(map(str, command_line("export", result)))
    done = subprocess.run(["bash", "-c", f"{line} | head -1"], capture_output=True, timeout=100, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
