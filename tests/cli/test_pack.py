"""`crossdoc pack` from a folder of Parquet files."""

from typer.testing import CliRunner

import crossdoc
from crossdoc.cli import app
from crossdoc.engine import LocalEngine

run = CliRunner().invoke


def test_a_folder_becomes_a_file_that_every_command_takes(tmp_path):
    people = [crossdoc.Profile(f"p{n}", f"d{n}", "Ann Lee", "person", "Ann Lee raced in Monza") for n in range(3)]
    with LocalEngine(1) as engine:
        crossdoc.resolve(people, output=tmp_path / "answer", engine=engine).close()
    assert run(app, ["show", str(tmp_path / "answer")]).exit_code == 0
    packed = run(app, ["pack", str(tmp_path / "answer"), "-o", str(tmp_path / "answer.crossdoc")])
    assert packed.exit_code == 0, packed.output
    judged = run(app, ["judge", str(tmp_path / "answer.crossdoc"), "different", "p0", "p1"])
    assert judged.exit_code == 0, judged.output
    refused = run(app, ["judge", str(tmp_path / "answer"), "different", "p0", "p1"])
    assert refused.exit_code == 1
    assert "crossdoc pack" in refused.output


def test_what_is_no_folder(tmp_path):
    refused = run(app, ["pack", str(tmp_path / "nowhere"), "-o", str(tmp_path / "x.crossdoc")])
    assert refused.exit_code != 0
    assert "nowhere" in refused.output


def test_every_command_takes_a_folder_or_names_the_one_that_does(tmp_path):
    """What reads works; what changes says `crossdoc pack`, before it asks or computes anything."""
    people = [crossdoc.Profile(f"p{n}", f"d{n}", "Ann Lee", "person", "Ann Lee raced in Monza") for n in range(3)]
    people.append(crossdoc.Profile("q", "d9", "Bob Ray", "person", "Bob Ray sang in Paris"))
    folder, gold, more = tmp_path / "answer", tmp_path / "gold.csv", tmp_path / "more.jsonl"
    with LocalEngine(1) as engine:
        said = [crossdoc.Judgement("p0", "p1", "same")]
        crossdoc.resolve(people, output=folder, engine=engine, constraints=said).close()
    gold.write_text("id,entity\np0,a\np1,a\n")
    more.write_text('{"id": "x", "document": "y", "name": "Ann Lee", "context": "Ann Lee raced"}\n')
    reading = {
        "show": [folder], "report": [folder, "-o", tmp_path / "r.html"], "why": [folder, "p0", "p1"],
        "judgements": [folder], "history": [folder, "p0"], "review": [folder, "--json"], "export": [folder],
        "info": [folder], "score": [folder, gold, "--bootstrap", 0],
        "resolve": [more, "--known", folder, "-o", tmp_path / "known.crossdoc"],
    }  # fmt: skip
    changing = {
        "add": [folder, more], "remove": [folder, "p0"], "judge": [folder, "different", "p0", "p2"],
        "merge": [folder, "p0", "q"], "split": [folder, "p0", "p1"], "rename": [folder, "p0", "Ada"],
        "undo": [folder], "review": [folder], "score": [folder, gold, "--bootstrap", 0, "--keep"],
    }  # fmt: skip
    for name, given in reading.items():
        ran = run(app, [name, *map(str, given)])
        assert ran.exit_code == 0, (name, ran.output)
    assert "p0 is the same as p1" in run(app, ["judgements", str(folder)]).output
    for name, given in changing.items():
        ran = run(app, [name, *map(str, given)])
        assert ran.exit_code == 1, (name, ran.output)
        assert "crossdoc pack" in ran.output, (name, ran.output)
        assert "question" not in ran.output
