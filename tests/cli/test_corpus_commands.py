"""`crossdoc corpus`."""

import csv
import json

import pytest


@pytest.fixture
def john_smith(write, tmp_path):
    for person, name, text in (("0", "960101.001", "John Smith of GM."), ("1", "970203.002", "Captain John Smith.")):
        write(f"corpus/{person}/{name}", text)
    return tmp_path / "corpus"


def test_documents_and_gold(run, john_smith, tmp_path):
    out, gold = tmp_path / "d.jsonl", tmp_path / "gold.csv"
    ran = run("corpus", "john-smith", john_smith, "-o", out, "--gold", gold)
    assert ran.code == 0
    assert f"2 documents in {out}" in ran.err
    assert [(d["id"], d["date"]) for d in map(json.loads, out.open())] == [
        ("0/960101.001", "1996-01-01"),
        ("1/970203.002", "1997-02-03"),
    ]
    assert [row["entity"] for row in csv.DictReader(gold.open())] == ["0", "1"]


def test_the_whole_way(run, john_smith, tmp_path):
    run("corpus", "john-smith", john_smith, "-o", tmp_path / "d.jsonl", "--gold", tmp_path / "g.csv")
    store = tmp_path / "a.crossdoc"
    assert run("resolve", tmp_path / "d.jsonl", "-o", store, "--name", "John Smith", "--method", "one-in-one").code == 0
    ran = run("score", store, tmp_path / "g.csv", "--json")
    assert json.loads(ran.out)["values"]["b3"]["f1"] == 1


def test_one_language_and_what_is_left_out(run, write, tmp_path):
    lines = ["TOKEN\tNE-COARSE-LIT\tNEL-LIT\tMISC"]
    for id, language, name in (("a", "fr", "Rome"), ("b", "fr", "Rome"), ("c", "it", "Roma")):
        lines += [f"# hipe2022:{key} = {value}" for key, value in (("document_id", id), ("language", language))]
        lines += ["# hipe2022:dataset = tiny", f"{name}\tB-loc\tQ220\t_", "hier\tB-time\tNIL\t_", ""]
    write("HIPE-2022-tiny.tsv", "\n".join(lines))
    out, gold = tmp_path / "d.jsonl", tmp_path / "gold.csv"
    ran = run("corpus", "hipe", tmp_path, "--language", "fr", "-o", out, "--gold", gold)
    assert ran.code == 0
    assert "2 mentions of other kinds left out: time 2" in ran.err
    assert [d["id"] for d in map(json.loads, out.open())] == ["tiny/fr/a", "tiny/fr/b"]
    assert [row["id"] for row in csv.DictReader(gold.open())] == ["tiny/fr/a:0:4", "tiny/fr/b:0:4"]
    store = tmp_path / "a.crossdoc"
    assert run("resolve", out, "-o", store, "--method", "string-match").code == 0
    assert json.loads(run("score", store, gold, "--json").out)["values"]["b3"]["f1"] == 1


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["nosuch", ".", "-o", "d.jsonl"], 2, "no corpus 'nosuch'"),
        (["john-smith", "missing", "-o", "d.jsonl"], 2, "no file or folder missing"),
        (["john-smith", ".", "-o", "d.csv"], 2, "NAME.jsonl"),
        (["john-smith", ".", "-o", "d.jsonl", "--gold", "g.xml"], 2, "g.xml"),
        (["weps", ".", "-o", "d.jsonl"], 1, "holds no document"),
        (["weps", ".", "-o", "d.jsonl", "--name", "Ann Lee"], 2, "has documents"),
        (["bsnlp", ".", "-o", "d.jsonl", "--language", "pl"], 2, "it is for hipe, meantime"),
        (["meantime", ".", "-o", "d.jsonl", "--part", "dev"], 2, "it is for aida, ecbplus, hipe"),
        (["aida", ".", "-o", "d.jsonl", "--part", "dev"], 2, "no part 'dev'"),
    ],
)
def test_misuse(run, tmp_path, monkeypatch, arguments, code, message):
    monkeypatch.chdir(tmp_path)
    ran = run("corpus", *arguments)
    assert ran.code == code
    assert message in ran.err
    assert list(tmp_path.iterdir()) == []


def test_documents_without_annotations_are_counted(run, write, tmp_path):
    write("c/raw/pl/a.txt", "pl-1\npl\n2020-01-12\nhttp://x\nTheresa May.\n")
    write("c/raw/pl/b.txt", "pl-2\npl\n2020-01-12\nhttp://x\nTheresa May.\n")
    write("c/annotated/pl/b.out", "pl-2\nTheresa May\tTheresa May\tPER\tPER-May\n")
    ran = run("corpus", "bsnlp", tmp_path / "c", "-o", tmp_path / "d.jsonl")
    assert "1 of the documents have no annotation (or none of a name), the first: c/pl/a" in ran.err


@pytest.fixture
def articles(write):
    texts = ["Ada Lovelace wrote of engines and numbers.", "Grace Hopper wrote of compilers.", "Ms. Lovelace wrote."]
    return write("d.jsonl", [{"id": f"d{i}", "text": text, "language": "en"} for i, text in enumerate(texts)])


def test_names_become_one_and_can_be_told_apart_again(run, articles, tmp_path):
    out, gold = tmp_path / "c.jsonl", tmp_path / "g.csv"
    names = ["--names", "Ada Lovelace|Ms. Lovelace", "Grace Hopper"]
    ran = run("conflate", articles, *names, "-o", out, "--gold", gold, "--as", "Somebody", "--words", 2)
    assert ran.code == 0
    assert "3 contexts" in ran.err
    assert "Ada Lovelace 2, Grace Hopper 1" in ran.err
    records = [json.loads(line) for line in out.read_text().splitlines()]
    assert [record["text"] for record in records] == ["Somebody wrote of"] * 2 + ["Somebody wrote."]
    assert [record["sense"] for record in records] == ["Ada Lovelace", "Grace Hopper", "Ada Lovelace"]
    assert gold.read_text().splitlines()[1] == '"d0:0:12","Ada Lovelace"'
    assert run("contexts", out).code == 0


def test_names_may_be_given_one_by_one_and_documents_kept_whole(run, articles, tmp_path):
    out = tmp_path / "c.jsonl"
    assert (
        run("conflate", articles, "-o", out, "--names", "Ada Lovelace", "--names", "Grace Hopper", "--words", 0).code
        == 0
    )
    assert json.loads(out.read_text().splitlines()[0])["text"] == "AdaLovelaceGraceHopper wrote of engines and numbers."


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--names", "Ada Lovelace"], "two or more"),
        (["--names", "Ada Lovelace", "Ada Lovelace"], "two or more different names"),
        (["--names", "Ada Lovelace", "Bob Unknown"], "do not mention 'Bob Unknown'"),
        ([], "names"),
    ],
)
def test_what_cannot_be_conflated(run, articles, tmp_path, options, message):
    ran = run("conflate", articles, "-o", tmp_path / "c.jsonl", *options)
    assert ran.code in (1, 2)
    assert message in " ".join(ran.err.split())
    assert not (tmp_path / "c.jsonl").exists()


def test_output_is_jsonl(run, articles, tmp_path):
    ran = run("conflate", articles, "--names", "Ada Lovelace", "Grace Hopper", "-o", tmp_path / "c.csv")
    assert (ran.code, "NAME.jsonl" in ran.err) == (2, True)
