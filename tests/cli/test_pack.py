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
