import json

from typer.testing import CliRunner

from crossdoc.cli import app


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_what_was_said_can_be_taken_back(tmp_path):
    documents, said, output = (tmp_path / name for name in ("d.jsonl", "said.csv", "out.crossdoc"))
    documents.write_text(
        "".join(json.dumps({"id": i, "text": "John Smith sings", "language": "en"}) + "\n" for i in "ab")
    )
    said.write_text("a,b,different,hard,,ada,other voice\n")
    resolve = ("resolve", documents, "-o", output, "--name", "John Smith")
    assert run(*resolve, "--constraints", said).exit_code == 0
    listed = run("judgements", output)
    assert "1  a is different from b (ada), hard: other voice" in listed.stdout
    assert run("undo", output, 1, "--why", "same voice").exit_code == 0
    assert json.loads(run("judgements", output, "--json").stdout) == []
    said.write_text("a,b,same,hard,,ada\n")
    assert run(*resolve, "--constraints", said).exit_code == 0
    unknown = run("undo", output, 9)
    assert unknown.exit_code in (1, 2)
    assert "9" in unknown.stderr
