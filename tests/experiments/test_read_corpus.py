"""Published corpora as files that the commands of crossdoc read."""

import csv
import json
from types import SimpleNamespace

import pytest
import read_corpus
from typer.testing import CliRunner

from crossdoc.cli import app


@pytest.fixture
def run():
    def run(*arguments):
        ran = CliRunner().invoke(app, [str(argument) for argument in arguments])
        return SimpleNamespace(code=ran.exit_code, out=ran.stdout)

    return run


def read(*arguments):
    read_corpus.main([str(argument) for argument in arguments])


@pytest.fixture
def john_smith(write, tmp_path):
    for person, name, text in (("0", "960101.001", "John Smith of GM."), ("1", "970203.002", "Captain John Smith.")):
        write(f"corpus/{person}/{name}", text)
    return tmp_path / "corpus"


def test_documents_and_gold(capsys, john_smith, tmp_path):
    out, gold = tmp_path / "d.jsonl", tmp_path / "gold.csv"
    read("john-smith", john_smith, "-o", out, "--gold", gold)
    assert f"2 documents in {out}" in capsys.readouterr().out
    assert [(d["id"], d["date"]) for d in map(json.loads, out.open())] == [
        ("0/960101.001", "1996-01-01"),
        ("1/970203.002", "1997-02-03"),
    ]
    assert [row["entity"] for row in csv.DictReader(gold.open())] == ["0", "1"]


def test_the_whole_way(run, john_smith, tmp_path):
    read("john-smith", john_smith, "-o", tmp_path / "d.jsonl", "--gold", tmp_path / "g.csv")
    store = tmp_path / "a.crossdoc"
    assert run("resolve", tmp_path / "d.jsonl", "-o", store, "--name", "John Smith", "--method", "one-in-one").code == 0
    ran = run("score", store, tmp_path / "g.csv", "--json")
    assert json.loads(ran.out)["values"]["b3"]["f1"] == 1


def test_one_language_and_what_is_left_out(run, capsys, write, tmp_path):
    lines = ["TOKEN\tNE-COARSE-LIT\tNEL-LIT\tMISC"]
    for id, language, name in (("a", "fr", "Rome"), ("b", "fr", "Rome"), ("c", "it", "Roma")):
        lines += [f"# hipe2022:{key} = {value}" for key, value in (("document_id", id), ("language", language))]
        lines += ["# hipe2022:dataset = tiny", f"{name}\tB-loc\tQ220\t_", "hier\tB-time\tNIL\t_", ""]
    write("HIPE-2022-tiny.tsv", "\n".join(lines))
    out, gold = tmp_path / "d.jsonl", tmp_path / "gold.csv"
    read("hipe", tmp_path, "--language", "fr", "-o", out, "--gold", gold)
    assert "2 mentions of other kinds left out: time 2" in capsys.readouterr().out
    assert [d["id"] for d in map(json.loads, out.open())] == ["tiny/fr/a", "tiny/fr/b"]
    assert [row["id"] for row in csv.DictReader(gold.open())] == ["tiny/fr/a:0:4", "tiny/fr/b:0:4"]
    store = tmp_path / "a.crossdoc"
    assert run("resolve", out, "-o", store, "--method", "string-match").code == 0
    assert json.loads(run("score", store, gold, "--json").out)["values"]["b3"]["f1"] == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["john-smith", "missing", "-o", "d.jsonl"], "no file or folder missing"),
        (["john-smith", ".", "-o", "d.csv"], "NAME.jsonl"),
        (["john-smith", ".", "-o", "d.jsonl", "--gold", "g.xml"], "g.xml"),
        (["weps", ".", "-o", "d.jsonl"], "holds no document"),
        (["reuters", ".", "-o", "d.jsonl", "--name", "Ann Lee"], "it is for john-smith-serif"),
        (["bsnlp", ".", "-o", "d.jsonl", "--language", "pl"], "it is for hipe, meantime"),
        (["meantime", ".", "-o", "d.jsonl", "--part", "dev"], "it is for aida, ecbplus, hipe"),
        (["aida", ".", "-o", "d.jsonl", "--part", "dev"], "no part 'dev'"),
    ],
)
def test_misuse(tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit, match=message):
        read(*arguments)
    assert list(tmp_path.iterdir()) == []


def test_documents_without_annotations_are_counted(capsys, write, tmp_path):
    write("c/raw/pl/a.txt", "pl-1\npl\n2020-01-12\nhttp://x\nTheresa May.\n")
    write("c/raw/pl/b.txt", "pl-2\npl\n2020-01-12\nhttp://x\nTheresa May.\n")
    write("c/annotated/pl/b.out", "pl-2\nTheresa May\tTheresa May\tPER\tPER-May\n")
    read("bsnlp", tmp_path / "c", "-o", tmp_path / "d.jsonl")
    assert "1 of the documents have no annotation (or none of a name), such as c/pl/a" in capsys.readouterr().out
