"""`crossdoc resolve`, `extract`, `formats` and `settings`."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys

import duckdb
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import crossdoc
from crossdoc.cli import app
from crossdoc.cli.resolve_commands import formats_text
from crossdoc.cluster.methods import BUILT_IN
from crossdoc.compare import specialists
from crossdoc.compare.specialists import default_specialists, specialist
from crossdoc.crosslingual import read_groups
from crossdoc.errors import UsageError
from crossdoc.read import DocumentReader, find_sources, read_judgements, read_profiles
from crossdoc.read.sources import COMPRESSIONS, ENDINGS
from crossdoc.run import resolve as pipeline
from crossdoc.settings import Settings
from crossdoc.store import Store


def answer(path):
    with Store.open(path) as store:
        return {row["id"]: row["entity"] for row in store.partition().harden().table().to_pylist()}


def test_documents_with_mentions(run, documents, tmp_path):
    ran = run("resolve", documents, "-o", tmp_path / "out.crossdoc")
    assert ran.code == 0
    assert ran.out.startswith("3 documents, 5 profiles → ")
    assert f"crossdoc show {tmp_path}" in ran.err
    found = answer(tmp_path / "out.crossdoc")
    assert found["gm1:0:10"] == found["gm2:24:34"]
    assert found["va:41:51"] != found["gm1:0:10"]


def test_one_name(run, documents, tmp_path):
    ran = run("resolve", documents, "-o", tmp_path / "out.crossdoc", "--name", "John Smith", "--json")
    told = json.loads(ran.out)
    assert (ran.code, ran.err) == (0, "")
    assert {name: told[name] for name in ("documents", "profiles")} == {"documents": 3, "profiles": 3}
    assert set(answer(tmp_path / "out.crossdoc")) == {"gm1", "gm2", "va"}


@pytest.mark.parametrize(("method", "entities"), [("one-in-one", 3), ("all-in-one", 1), ("string-match", 1)])
def test_methods(run, documents, tmp_path, method, entities):
    out = tmp_path / "out.crossdoc"
    assert run("resolve", documents, "-o", out, "--name", "John Smith", "--method", method).code == 0
    assert len(set(answer(out).values())) == entities


@pytest.mark.parametrize("method", ["karc", "arca", "frc", "correlation", "contexts", "sampling", "bags"])
def test_methods_that_look_at_contexts(run, documents, tmp_path, write, method):
    out = tmp_path / "out.crossdoc"
    said = [{"a": "gm1", "b": "gm2", "verdict": "same"}, {"a": "gm1", "b": "va", "verdict": "different"}]
    given = ("--method", method, "--constraints", write("said.csv", said))
    ran = run("resolve", documents, "-o", out, "--name", "John Smith", *given)
    assert ran.code == 0, ran.err
    assert f"method {method}" in ran.err
    found = answer(out)
    assert found["gm1"] == found["gm2"] != found["va"]


@pytest.mark.parametrize("method", ["arca", "contexts", "sampling", "bags", "string-match"])
def test_a_threshold_that_would_not_count_is_refused(run, documents, tmp_path, method):
    ran = run("resolve", documents, "-o", tmp_path / "o.crossdoc", "--method", method, "--threshold", 0.5)
    assert ran.code == 2
    assert "A threshold cannot be used with" in ran.err


@pytest.mark.parametrize(
    ("option", "told"),
    [(("--time-limit", 5), "correlation, sampling"), (("--resume",), "for sampling, bags")],
)
def test_what_only_some_methods_take(run, documents, tmp_path, option, told):
    ran = run("resolve", documents, "-o", tmp_path / "o.crossdoc", *option)
    assert ran.code == 2
    assert told in ran.err


def test_a_table_of_mentions_alone(run, write, tmp_path):
    rows = [{"name": "Li", "context": words} for words in ("red car race", "red car lap", "poems of spring")]
    out = tmp_path / "o.crossdoc"
    assert run("resolve", write("mentions.csv", rows), "-o", out, "--method", "sampling").code == 0
    assert len(answer(out)) == 3


@pytest.mark.parametrize(("threshold", "entities"), [(0, 1), (1, 3)])
def test_threshold(run, documents, tmp_path, threshold, entities):
    out = tmp_path / "out.crossdoc"
    assert run("resolve", documents, "-o", out, "--name", "John Smith", "--threshold", threshold).code == 0
    assert len(set(answer(out).values())) == entities


def test_type(run, documents, tmp_path, write):
    profiles = [
        {"id": "p", "document": "a", "name": "Paris", "type": "place"},
        {"id": "q", "document": "b", "name": "Ann Lee", "type": "person"},
    ]
    out = tmp_path / "out.crossdoc"
    assert run("resolve", write("p.jsonl", profiles), "-o", out, "--type", "place").code == 0
    assert answer(out) == {"p": "p"}


def test_constraints_are_honoured_and_logged(run, documents, tmp_path, write):
    out = tmp_path / "out.crossdoc"
    said = write("c.csv", "gm1,va,same,hard,,ada,seen together\ngm1,gm2,different\n")
    ran = run("resolve", documents, "-o", out, "--name", "John Smith", "--constraints", said)
    assert ran.code == 0
    found = answer(out)
    assert found["gm1"] == found["va"] != found["gm2"]
    with Store.open(out) as store:
        judged = [judgement for entry in store.entries() for judgement in entry.judgements]
        assert [(j.a, j.b, j.who) for j in judged] == [
            ("gm1", "va", "ada"),
            ("gm1", "gm2", ""),
        ]


def test_settings_file(run, documents, tmp_path, write):
    out = tmp_path / "out.crossdoc"
    chosen = write("crossdoc.toml", 'method = "one-in-one"\nseed = 7\n')
    assert run("resolve", documents, "-o", out, "--settings", chosen).code == 0
    with Store.open(out) as store:
        assert (store.runs()[-1].method, store.runs()[-1].seed) == ("one-in-one", 7)
    assert run("resolve", documents, "-o", out, "--settings", chosen, "--method", "all-in-one").code == 0
    with Store.open(out) as store:
        assert [each.method for each in store.runs()] == ["one-in-one", "all-in-one"]


def test_a_folder(run, write, tmp_path):
    for number in range(3):
        write(f"in/{number}.txt", f"Ann Lee of the bank number {number} spoke.")
    write("in/bad.txt", b"\x00\x01\x02")
    ran = run("resolve", tmp_path / "in", "-o", tmp_path / "out.crossdoc", "--name", "Ann Lee")
    assert ran.code == 0
    assert "3 documents, 3 profiles" in ran.out
    assert f"left out: {tmp_path / 'in' / 'bad.txt'} is not text" in ran.err


def test_plain_text_with_the_language_model(run, write, tmp_path):
    text = "John Smith is the chairman of General Motors. Mr. Smith spoke in Detroit on Monday."
    ran = run("resolve", write("a.txt", text), "-o", tmp_path / "out.crossdoc", "--json")
    assert ran.code == 0
    assert json.loads(ran.out)["profiles"] >= 2
    assert "John Smith" in run("show", tmp_path / "out.crossdoc").out


def test_the_output_may_be_called_anything(run, documents, tmp_path):
    out = tmp_path / "[red]new folder[/x]" / "out [1] :100:.crossdoc"
    ran = run("resolve", documents, "-o", out, "--name", "John Smith")
    assert ran.code == 0
    assert str(out) in ran.out
    assert out.exists()
    assert [path.name for path in out.parent.iterdir()] == [out.name]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--method", "magic"], "There is no method 'magic'"),
        (["--type", "robot"], "should be 'person', 'organisation' or 'place' (not 'robot')"),
        (["--name", " "], "--name is empty"),
        (["--threshold", "7"], "less than or equal to 1 (not 7.0)"),
        (["--seed", "-1"], "seed"),
        (["--settings", "missing.toml"], "There is no file or folder missing.toml"),
        (["--constraints", "missing.csv"], "There is no file or folder missing.csv"),
        (["--model", "missing.json"], "There is no file or folder missing.json"),
    ],
)
def test_misuse(run, documents, tmp_path, options, message):
    ran = run("resolve", documents, "-o", tmp_path / "out.crossdoc", *options)
    assert ran.code == 2
    assert message in ran.err
    assert not list(tmp_path.glob("out*"))


def test_sampling_goes_on_where_its_time_ran_out(run, write, tmp_path):
    rows = [{"name": "Li", "context": f"word{chr(97 + i % 20)} thing{chr(97 + i % 7)}"} for i in range(60)]
    table, out = write("mentions.csv", rows), tmp_path / "o.crossdoc"
    ran = run("resolve", table, "-o", out, "--method", "sampling", "--time-limit", 0.000001)
    assert ran.code == 0
    assert "--resume continues it" in ran.err
    assert (tmp_path / "o.crossdoc.profile.sampling").exists()
    ran = run("resolve", table, "-o", out, "--method", "sampling", "--resume")
    assert ran.code == 0, ran.err
    assert "--resume" not in ran.err
    assert not (tmp_path / "o.crossdoc.profile.sampling").exists()


def test_set_a_settings_file_and_a_table_give_one_answer(run, write, tmp_path):
    words = "engine race lap pit wheel verse spring poem rhyme ode fever clinic dose nurse ward".split()
    rows = [
        {"name": "Li", "context": " ".join(words[(5 * i + j * j) % 15] for j in range(4 + i % 3))} for i in range(12)
    ]
    table, found = write("mentions.csv", rows), {}
    chosen = write("crossdoc.toml", 'method = "karc"\n\n[karc]\nvariant = "paper"\nn_clusters = 3\n')
    part = write("part.toml", 'method = "karc"\n\n[karc]\nvariant = "paper"\nn_clusters = 2\n')
    ways = {
        "file": ("--settings", chosen),
        "set": ("--set", "method=karc", "--set", "karc.variant=paper", "--set", "karc.n_clusters=3"),
        "both": ("--settings", part, "--set", "karc.n_clusters=3"),
        "usual": ("--method", "karc"),
    }
    for way, options in ways.items():
        out = tmp_path / f"{way}.crossdoc"
        ran = run("resolve", table, "-o", out, *options)
        assert ran.code == 0, ran.err
        with Store.open(out) as store:
            found[way] = store.memberships().to_pylist()
    assert found["file"] == found["set"] == found["both"] != found["usual"]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("karc.variants=paper", "variants: there is no such parameter, only n_clusters, m, theta"),
        ("karc.variant=printed", "variant: input should be 'linked' or 'paper'"),
        ("magic.m=1", "There is no method 'magic'"),
        ("windows=3", "windows: there is no such setting, only method"),
        ("window=wide", "window: input should be a valid integer"),
        ("window", "--set takes KEY=VALUE or METHOD.KEY=VALUE, not 'window'"),
    ],
)
def test_what_set_refuses(run, documents, tmp_path, said, told):
    ran = run("resolve", documents, "-o", tmp_path / "out.crossdoc", "--set", said)
    assert ran.code == 2
    assert told in " ".join(ran.err.split())
    assert not list(tmp_path.glob("out*"))


def test_what_is_said_of_the_method_reaches_the_user(run, documents, tmp_path):
    ran = run("resolve", documents, "-o", tmp_path / "out.crossdoc", "--threshold", 0.25, "--set", "background=false")
    assert "threshold 0.25 (given)" in " ".join(ran.err.split())


def test_annotated_files(run, write, tmp_path):
    """The mentions, types and chains of the file are the profiles; two files of one format are resolved together."""
    lines = [
        "v 0 0 Ann NNP * - - - - (PERSON* (1",
        "v 0 1 Lee NNP * - - - - *) 1)",
        "v 0 2 Lee NNP * - - - - (PERSON) (1)",
    ]
    for name in ("a.v4_gold_conll", "b.conll"):
        write(name, "\n".join([f"#begin document ({name}); part 000", *lines, "#end document", ""]))
    out = tmp_path / "out.crossdoc"
    given = [tmp_path / "a.v4_gold_conll", tmp_path / "b.conll"]
    ran = run("resolve", *given, "-o", out, "--method", "string-match", "--json")
    told = json.loads(ran.out)
    assert (told["documents"], told["profiles"], told["identities"]) == (2, 2, 1)


def test_on_ray_a_file_is_made_from_named_columns_and_then_replaced(run, write, tmp_path, ray_cluster):
    table = write("table.csv", "author,title\nAnn Lee,Ann Lee raced in Monza\nBob Ray,Bob Ray sang in Paris\n")
    asked = [
        "resolve",
        table,
        "-o",
        tmp_path / "answer.crossdoc",
        "--engine",
        "ray",
        "--columns",
        "name=author,context=title",
    ]
    for _ in range(2):
        ran = run(*asked)
        assert ran.code == 0, ran.err
    table.write_text("author,title\nCid Poe,Cid Poe wrote in Rome\n")
    assert run(*asked).code == 0
    assert [*answer(tmp_path / "answer.crossdoc")] == ["table:2"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["answer.crossdoc", "table.csv"]


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
def plain_documents(write):
    return write("docs.jsonl", RECORDS)


def test_both_formats_hold_the_same_and_resolve_reads_them(plain_documents, tmp_path):
    summaries, answers = [], []
    for ending in ("jsonl", "parquet"):
        output = tmp_path / f"profiles.{ending}"
        summaries.append(json.loads(_run(plain_documents, "-o", output, "--json")))
        with pipeline.resolve(output, method="string-match") as resolution:
            answers.append(resolution.answer().to_pydict())
    assert answers[0] == answers[1]
    assert summaries[0]["documents"] == 30
    assert summaries[0]["profiles"] == summaries[1]["profiles"] == len(answers[0]["id"])


def test_profiles_are_those_of_resolve(plain_documents, tmp_path):
    _run(plain_documents, "-o", tmp_path / "profiles.jsonl")
    with pipeline.resolve(plain_documents, method="string-match") as resolution:
        wanted = {profile.id: profile for profile in resolution.profiles}
    found = _lines(tmp_path / "profiles.jsonl")
    assert sorted(profile["id"] for profile in found) == list(wanted)
    smith = found[0]
    assert (smith["name"], smith["attributes"]) == ("John Smith", wanted[smith["id"]].attributes)
    assert [link["type"] for link in smith["relations"]] == [link.type for link in wanted[smith["id"]].relations]


def test_one_type_alone(plain_documents, tmp_path):
    _run(plain_documents, "-o", tmp_path / "p.jsonl", "--type", "place")
    assert {profile["type"] for profile in _lines(tmp_path / "p.jsonl")} == {"place"}


def test_settings_are_honoured(plain_documents, write, tmp_path):
    settings = write("crossdoc.toml", "window = 20\n")
    _run(plain_documents, "-o", tmp_path / "p.jsonl", "--settings", settings)
    assert max(len(profile["context"]) for profile in _lines(tmp_path / "p.jsonl")) < 80


def test_nothing_is_left_beside_the_output(plain_documents, tmp_path):
    _run(plain_documents, "-o", tmp_path / "p.parquet")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["docs.jsonl", "p.parquet"]


def test_an_output_that_is_there_is_replaced(plain_documents, tmp_path):
    output = tmp_path / "p.jsonl"
    output.write_text('{"something": "else"}\n')
    _run(plain_documents, "-o", output)
    assert _lines(output)[0]["id"] == "d0:0:10"


KILLED = """
import os, signal, sys
from crossdoc.run.resolve import write_extracted
from crossdoc.progress import Quiet

class Killing(Quiet):
    batches = 0
    def advance(self, steps=1):
        Killing.batches += 1
        if Killing.batches == 4:
            os.kill(os.getpid(), signal.SIGKILL)

write_extracted(sys.argv[1], output=sys.argv[2], batch_size=5, progress=Killing())
"""


def test_a_killed_run_goes_on_and_ends_with_the_same_file(plain_documents, tmp_path):
    straight, resumed, work = (tmp_path / name for name in ("a.parquet", "b.parquet", "b.parquet.work.part"))
    crossdoc.write_extracted(plain_documents, output=straight, batch_size=5)
    killed = subprocess.run([sys.executable, "-c", KILLED, str(plain_documents), str(resumed)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert not resumed.exists()
    with duckdb.connect(str(work)) as left:
        kept = left.execute("SELECT count(*), max(length(text)) FROM documents").fetchone()
        assert kept == (20, 0), "the ids of the documents that are done, without their texts"
    done = crossdoc.write_extracted(plain_documents, output=resumed, batch_size=5)
    assert "20 documents were already read by a stopped run" in done.notes
    assert pq.read_table(resumed).equals(pq.read_table(straight))
    assert not list(tmp_path.glob("*.part*"))


def test_a_stopped_run_with_other_settings_is_started_afresh(plain_documents, tmp_path):
    output = tmp_path / "p.jsonl"
    subprocess.run([sys.executable, "-c", KILLED, str(plain_documents), str(output)], check=False)
    done = crossdoc.write_extracted(plain_documents, output=output, batch_size=5, window=20)
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


def test_misuse_is_told_what_to_do(plain_documents, write, tmp_path):
    assert "NAME.parquet, NAME.jsonl" in _run(plain_documents, "-o", tmp_path / "p.csv", code=2)
    assert "no type 'thing'" in _run(plain_documents, "-o", tmp_path / "p.jsonl", "--type", "thing", code=2)
    profiles = write("profiles.jsonl", [{"id": "p", "document": "d", "name": "John Smith"}])
    assert "already profiles" in _run(profiles, "-o", tmp_path / "p.jsonl", code=2)
    with pytest.raises(UsageError, match="no file or folder"):
        crossdoc.write_extracted(tmp_path / "nowhere", output=tmp_path / "p.jsonl")


def test_help_has_an_example():
    assert "crossdoc extract articles/ -o profiles.parquet" in _run("--help")


FORMATS = formats_text()


def test_printed(run):
    ran = run("formats")
    assert (ran.code, ran.out, ran.err) == (0, FORMATS, "")


def test_every_ending_is_told():
    told = set(re.findall(r"\.\w+", FORMATS))
    assert set(ENDINGS) - {".ndjson"} <= told
    assert set(COMPRESSIONS) <= told


def test_every_type_of_evidence_is_told_with_its_meaning_and_readers():
    for judge in default_specialists():
        for type, meaning in (judge.reads_attributes | judge.reads_relations).items():
            (line,) = re.findall(rf"^    {type} .*$", FORMATS, re.MULTILINE)
            told, readers = re.fullmatch(rf"    {type} +(.*)  \[(.*)\]", line).groups()
            assert told == meaning
            assert judge.name in readers.split(", ")
    assert re.search(r"not compared:\n    education", FORMATS)


def test_users_own_evidence_is_told(run, monkeypatch):
    own = specialist("shoe", attributes={"shoe_size": "of the left foot"}, relations={"education": "where"})(
        lambda a, b: None
    )

    class Point:
        name = value = "a.package"

        def load(self):
            return own

    monkeypatch.setattr(specialists, "entry_points", lambda group: [Point()])
    told = run("formats").out
    assert "shoe_size          of the left foot  [shoe]" in told
    assert re.findall(r"^    education .*", told, re.MULTILINE) == ["    education          where  [shoe]"]


def test_the_examples_are_read(write):
    first, second, *others = re.findall(r"\{\"id\": .*?\}(?=\n  ? ?\S|\n    \.csv)", FORMATS, re.DOTALL)
    document, profile = json.loads(first.split("\n    .csv")[0]), json.loads(second)
    (read,) = [d for batch in DocumentReader(find_sources([write("d.jsonl", [document])])) for d in batch]
    assert read.mentions[0].text == "John Smith"
    (found,) = [p for batch in read_profiles(find_sources([write("p.jsonl", [profile])])) for p in batch]
    assert found.relations[0].name == "General Motors"
    shown = next(json.loads(example) for example in others if '"titles"' in example)
    (group,) = read_groups(write("g.jsonl", [shown]))[0]
    assert (group.language, len(group.titles), len(group.texts)) == ("es", 1, 1)
    lines = re.findall(r"^    (a,b,verdict.*\n)    (a1.*\n)    (a1.*\n)", FORMATS, re.MULTILINE)[0]
    said = read_judgements(write("c.csv", "".join(lines)))
    assert [(j.verdict, j.hard, j.weight, j.who) for j in said] == [
        ("same", True, 1.0, "ada"),
        ("different", False, 0.4, "rule"),
    ]


def test_what_is_printed_loads_again(run, write):
    ran = run("settings")
    assert (ran.code, ran.err) == (0, "")
    assert Settings.load(write("crossdoc.toml", ran.out)) == Settings()
    for name in Settings.model_fields:
        assert f"{name} =" in ran.out or name == "parameters"
    for method in BUILT_IN:
        assert f"# [{method.name}]\n" in ran.out or not method.parameters
    assert '# stop = "even"' in ran.out, "what a run does, not what the estimator would do by itself"
