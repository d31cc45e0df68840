"""`crossdoc conflate`."""

import json

import pytest


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
