"""Several names as one, which `crossdoc contexts` can tell apart again."""

import json

import conflate
import pytest

from crossdoc.read.context_files import read_contexts


@pytest.fixture
def articles(write):
    texts = ["Ada Lovelace wrote of engines and numbers.", "Grace Hopper wrote of compilers.", "Ms. Lovelace wrote."]
    return write("d.jsonl", [{"id": f"d{i}", "text": text, "language": "en"} for i, text in enumerate(texts)])


def run(*arguments):
    conflate.main([str(argument) for argument in arguments])


def test_names_become_one(capsys, articles, tmp_path):
    out, gold = tmp_path / "c.jsonl", tmp_path / "g.csv"
    names = ["--names", "Ada Lovelace|Ms. Lovelace", "Grace Hopper"]
    run(articles, *names, "-o", out, "--gold", gold, "--as", "Somebody", "--words", 2)
    assert "3 contexts in" in (told := capsys.readouterr().out)
    assert "Ada Lovelace 2, Grace Hopper 1" in told
    assert [context.text for context in read_contexts(out)] == ["Somebody wrote of"] * 2 + ["Somebody wrote."]
    assert gold.read_text().splitlines()[1] == '"d0:0:12","Ada Lovelace"'


def test_documents_kept_whole(articles, tmp_path):
    run(articles, "-o", tmp_path / "c.jsonl", "--names", "Ada Lovelace", "Grace Hopper", "--words", 0)
    first = json.loads((tmp_path / "c.jsonl").read_text().splitlines()[0])
    assert first["text"] == "AdaLovelaceGraceHopper wrote of engines and numbers."


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["Ada Lovelace"], "two or more"),
        (["Ada Lovelace", "Ada Lovelace"], "two or more different names"),
        (["Ada Lovelace", "Bob Unknown"], "do not mention 'Bob Unknown'"),
    ],
)
def test_what_cannot_be_conflated(articles, tmp_path, names, message):
    with pytest.raises(SystemExit, match=message):
        run(articles, "-o", tmp_path / "c.jsonl", "--names", *names)
    assert not (tmp_path / "c.jsonl").exists()
