"""`crossdoc extract`: profiles that `crossdoc resolve` reads, whole after any interruption, whatever the text."""

import json
import signal
import subprocess
import sys

import duckdb
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import crossdoc
from crossdoc.cli import app
from crossdoc.errors import UsageError
from crossdoc.run import resolve as pipeline

NAMES = ["John Smith", "Mary Jones", "Peter Brown", "Anna White"]
RECORDS = [
    {
        "id": f"d{n}",
        "text": f"{NAMES[n % 4]} met {NAMES[(n + 1) % 4]} in Paris. {NAMES[n % 4][-5:]} works for General Motors.",
        "language": "en",
    }
    for n in range(30)
]


def _run(*arguments, code=0):
    result = CliRunner().invoke(app, ["extract", *map(str, arguments)])
    assert result.exit_code == code, result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert "Traceback" not in result.output
    assert "has a bug" not in result.output
    return result.output


def _lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture
def documents(write):
    return write("docs.jsonl", RECORDS)


def test_both_formats_hold_the_same_and_resolve_reads_them(documents, tmp_path):
    summaries, answers = [], []
    for ending in ("jsonl", "parquet"):
        output = tmp_path / f"profiles.{ending}"
        summaries.append(json.loads(_run(documents, "-o", output, "--json")))
        with pipeline.resolve(output, method="string-match") as resolution:
            answers.append(resolution.answer().to_pydict())
    assert answers[0] == answers[1]
    assert summaries[0]["documents"] == 30
    assert summaries[0]["profiles"] == summaries[1]["profiles"] == len(answers[0]["id"])


def test_profiles_are_those_of_resolve(documents, tmp_path):
    _run(documents, "-o", tmp_path / "profiles.jsonl")
    with pipeline.resolve(documents, method="string-match") as resolution:
        wanted = {profile.id: profile for profile in resolution.profiles}
    found = _lines(tmp_path / "profiles.jsonl")
    assert sorted(profile["id"] for profile in found) == list(wanted)
    smith = found[0]
    assert (smith["name"], smith["attributes"]) == ("John Smith", wanted[smith["id"]].attributes)
    assert [link["type"] for link in smith["relations"]] == [link.type for link in wanted[smith["id"]].relations]


def test_one_type_alone(documents, tmp_path):
    _run(documents, "-o", tmp_path / "p.jsonl", "--type", "place")
    assert {profile["type"] for profile in _lines(tmp_path / "p.jsonl")} == {"place"}


def test_settings_are_honoured(documents, write, tmp_path):
    settings = write("crossdoc.toml", "window = 20\n")
    _run(documents, "-o", tmp_path / "p.jsonl", "--settings", settings)
    assert max(len(profile["context"]) for profile in _lines(tmp_path / "p.jsonl")) < 80


def test_nothing_is_left_beside_the_output(documents, tmp_path):
    _run(documents, "-o", tmp_path / "p.parquet")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["docs.jsonl", "p.parquet"]


def test_an_output_that_is_there_is_replaced(documents, tmp_path):
    output = tmp_path / "p.jsonl"
    output.write_text('{"something": "else"}\n')
    _run(documents, "-o", output)
    assert _lines(output)[0]["id"] == "d0:0:10"


KILLED = """
import os, signal, sys
from crossdoc.run.extraction import write_extracted
from crossdoc.progress import Quiet

class Killing(Quiet):
    batches = 0
    def advance(self, steps=1):
        Killing.batches += 1
        if Killing.batches == 4:
            os.kill(os.getpid(), signal.SIGKILL)

write_extracted(sys.argv[1], output=sys.argv[2], batch_size=5, progress=Killing())
"""


def test_a_killed_run_goes_on_and_ends_with_the_same_file(documents, tmp_path):
    straight, resumed, work = (tmp_path / name for name in ("a.parquet", "b.parquet", "b.parquet.work.part"))
    crossdoc.write_extracted(documents, output=straight, batch_size=5)
    killed = subprocess.run([sys.executable, "-c", KILLED, str(documents), str(resumed)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert not resumed.exists()
    with duckdb.connect(str(work)) as left:
        kept = left.execute("SELECT count(*), max(length(text)) FROM documents").fetchone()
        assert kept == (20, 0), "the ids of the documents that are done, without their texts"
    done = crossdoc.write_extracted(documents, output=resumed, batch_size=5)
    assert "20 documents were already read by a stopped run" in done.notes
    assert pq.read_table(resumed).equals(pq.read_table(straight))
    assert not list(tmp_path.glob("*.part*"))


def test_a_stopped_run_with_other_settings_is_started_afresh(documents, tmp_path):
    output = tmp_path / "p.jsonl"
    subprocess.run([sys.executable, "-c", KILLED, str(documents), str(output)], check=False)
    done = crossdoc.write_extracted(documents, output=output, batch_size=5, window=20)
    assert any("discarded" in note for note in done.notes)
    assert {profile["document"] for profile in _lines(output)} == {record["id"] for record in RECORDS}


@pytest.mark.parametrize(
    "text",
    [
        "John",
        "\x00\x01\x02 John\x07 Smith\x1b[31m met \x85 Mary Jones.",
        "<div class='x'>John Smith</div> &nbsp; <a href=\"http://x.y\">Mary Jones</a> <!-- <b> -->",
        "John Smith lives in London. Jean Dupont habite à Paris. 田中さんは東京にいる。 Иван Чернов в Москве.",
        "(((((((([[[[[[{{{{ John Smith ))))",
        "\u202e\u200b\ufeff John\u00a0Smith \U0001f600",
        "a" * 1_000_000,
    ],
    ids=["one word", "control characters", "markup", "languages", "brackets", "invisible", "a million letters"],
)
def test_odd_texts_are_read(write, tmp_path, text):
    path = write("docs.jsonl", [{"id": "odd", "text": text}, RECORDS[0]])
    _run(path, "-o", tmp_path / "p.jsonl")
    profiles = _lines(tmp_path / "p.jsonl")
    assert {"John Smith", "Mary Jones"} <= {profile["name"] for profile in profiles if profile["document"] == "d0"}


@pytest.mark.slow
def test_a_million_characters_on_one_line(write, tmp_path):
    path = write("docs.jsonl", [{"id": "long", "text": (RECORDS[0]["text"] + " ") * 12_500, "language": "en"}])
    _run(path, "-o", tmp_path / "p.jsonl")
    assert {profile["name"] for profile in _lines(tmp_path / "p.jsonl")} >= {"John Smith", "Mary Jones"}


@pytest.mark.parametrize("text", ["", "   \n \t ", "nothing of note"])
def test_documents_without_any_name_are_said_to_be_so(write, tmp_path, text):
    path = write("docs.jsonl", [{"id": "empty", "text": text}])
    assert "No person or organisation or place was found" in _run(path, "-o", tmp_path / "p.jsonl", code=1)
    assert [file.name for file in tmp_path.iterdir()] == ["docs.jsonl"]


def test_misuse_is_told_what_to_do(documents, write, tmp_path):
    assert "NAME.parquet, NAME.jsonl" in _run(documents, "-o", tmp_path / "p.csv", code=2)
    assert "no type 'thing'" in _run(documents, "-o", tmp_path / "p.jsonl", "--type", "thing", code=2)
    profiles = write("profiles.jsonl", [{"id": "p", "document": "d", "name": "John Smith"}])
    assert "already profiles" in _run(profiles, "-o", tmp_path / "p.jsonl", code=2)
    with pytest.raises(UsageError, match="no file or folder"):
        crossdoc.write_extracted(tmp_path / "nowhere", output=tmp_path / "p.jsonl")


def test_help_has_an_example():
    assert "crossdoc extract articles/ -o profiles.parquet" in _run("--help")
