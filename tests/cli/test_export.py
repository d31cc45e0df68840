"""`crossdoc export`."""

import csv
import io
import json
import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

COLUMNS = {
    "profile": ["id", "entity", "membership", "name", "document"],
    "mention": ["id", "entity", "membership", "name", "document", "start", "end", "text"],
}


@pytest.mark.parametrize("level", COLUMNS)
def test_formats_and_columns(run, result, tmp_path, level):
    found = {}
    count = len(run("export", result, "--format", "jsonl", "--level", level).out.splitlines())
    assert count >= 5
    for format in ("csv", "jsonl", "parquet"):
        out = tmp_path / f"answer.{format}"
        ran = run("export", result, "--format", format, "--level", level, "-o", out)
        assert (ran.code, ran.out, ran.err) == (0, "", f"{count} rows in {out}\n")
        if format == "csv":
            rows = list(csv.DictReader(out.open()))
        elif format == "jsonl":
            rows = [json.loads(line) for line in out.open()]
        else:
            rows = pq.read_table(out).to_pylist()
        assert [list(row) for row in rows] == [COLUMNS[level]] * count
        found[format] = [[str(value) for value in row.values() if not isinstance(value, float)] for row in rows]
    memberships = COLUMNS[level].index("membership")
    from_csv = [[cell for at, cell in enumerate(row) if at != memberships] for row in found["csv"]]
    assert from_csv == found["jsonl"] == found["parquet"]


def test_mentions_say_where_they_stand(run, result):
    rows = list(csv.DictReader(io.StringIO(run("export", result, "--level", "mention").out)))
    first = next(row for row in rows if row["id"] == "gm2:24:34")
    assert (first["document"], first["start"], first["end"], first["text"]) == ("gm2", "24", "34", "John Smith")


def test_each_profile_once_and_all_memberships_with_soft(run, soft_result):
    rows, soft = (
        list(csv.DictReader(io.StringIO(run("export", soft_result, *options).out))) for options in ([], ["--soft"])
    )
    assert [(row["id"], row["entity"], row["membership"]) for row in rows] == [("a", "a", "0.7"), ("b", "b", "0.6")]
    assert [(row["id"], row["entity"], row["membership"]) for row in soft] == [
        ("a", "a", "0.7"),
        ("a", "b", "0.3"),
        ("b", "b", "0.6"),
        ("b", "a", "0.4"),
    ]


def test_the_ending_says_the_format_unless_it_is_given(run, result, tmp_path):
    assert run("export", result, "-o", tmp_path / "a.parquet").code == 0
    assert pq.read_table(tmp_path / "a.parquet").column_names == COLUMNS["profile"]
    assert run("export", result, "-o", tmp_path / "b.csv", "--format", "jsonl").code == 0
    assert list(json.loads((tmp_path / "b.csv").read_text().splitlines()[0])) == COLUMNS["profile"]
    ran = run("export", result, "-o", tmp_path / "c.xls")
    assert (ran.code, "c.xls" in ran.err) == (2, True)


def test_a_result_is_not_written_over(run, result):
    before = result.read_bytes()
    ran = run("export", result, "--format", "csv", "-o", result)
    assert (ran.code, "is both read and written" in ran.err) == (2, True)
    assert result.read_bytes() == before


def test_profiles_without_mentions_give_a_header_all_the_same(run, write, tmp_path):
    store = tmp_path / "a.crossdoc"
    assert run("resolve", write("p.jsonl", [{"id": "p", "document": "d", "name": "Ann"}]), "-o", store).code == 0
    assert run("export", store, "--level", "mention").out.replace('"', "").split() == [",".join(COLUMNS["mention"])]
    assert run("export", store, "--level", "mention", "--format", "parquet", "-o", tmp_path / "m.parquet").code == 0
    assert pq.read_table(tmp_path / "m.parquet").column_names == COLUMNS["mention"]
    assert run("export", store, "--level", "mention", "--format", "jsonl").out == ""


def test_parquet_into_a_pipe(crossdoc, result, command_line):
    import subprocess

    done = subprocess.run(command_line("export", result, "--format", "parquet"), capture_output=True, check=True)
    assert pq.read_table(pa.BufferReader(done.stdout)).column_names == COLUMNS["profile"]


def test_an_old_file_is_replaced_and_keeps_no_leftovers(run, result, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "answer.csv").write_text("old")
    (folder / "link.csv").symlink_to("answer.csv")
    assert run("export", result, "-o", folder / "link.csv").code == 0
    assert (folder / "answer.csv").read_text().startswith('"id"')
    assert sorted(path.name for path in folder.iterdir()) == ["answer.csv", "link.csv"]
    assert (folder / "answer.csv").stat().st_mode & 0o777 == 0o666 & ~_umask()


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_a_device_is_written_to_and_never_replaced(run, result):
    before = os.stat("/dev/null")
    assert run("export", result, "--format", "csv", "-o", "/dev/null").code == 0
    after = os.stat("/dev/null")
    assert (before.st_mode, before.st_rdev, before.st_ino) == (after.st_mode, after.st_rdev, after.st_ino)


@pytest.mark.parametrize(("option", "value"), [("--format", "xml"), ("--level", "sentence")])
def test_misuse(run, result, option, value):
    ran = run("export", result, option, value)
    assert ran.code == 2
    assert f"{value!r}" in ran.err
