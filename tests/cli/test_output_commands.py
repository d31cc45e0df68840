"""`crossdoc export`, `report` and `demo`."""

import base64
import csv
import hashlib
import io
import json
import os
import re
from html.parser import HTMLParser

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from crossdoc.cli import output_commands

from .conftest import TEXTS

COLUMNS = {
    "profile": ["id", "entity", "membership", "name", "document", "type", "kind", "identity_name"],
    "mention": [
        "id",
        "entity",
        "membership",
        "name",
        "document",
        "start",
        "end",
        "text",
        "type",
        "kind",
        "identity_name",
    ],
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
    assert (first["type"], first["kind"]) == ("person", "name")


def test_a_profile_says_its_type_and_the_clearest_kind_of_its_mentions(run, write, tmp_path):
    text = "The chairman left. The pilot, Ann Lee, stayed; she sang."
    spans = [("chairman", "nominal", "c"), ("pilot", "nominal", "p"), ("Ann Lee", "name", "p"), ("she", "pronoun", "p")]
    mentions = [
        {"start": text.index(said), "end": text.index(said) + len(said), "type": "person", "kind": kind, "chain": chain}
        for said, kind, chain in spans
    ]
    store = tmp_path / "kinds.crossdoc"
    documents = write("d.jsonl", [{"id": "d", "text": text, "language": "en", "mentions": mentions}])
    assert run("resolve", documents, "-o", store).code == 0
    rows = csv.DictReader(io.StringIO(run("export", store).out))
    assert {row["name"]: (row["type"], row["kind"]) for row in rows} == {
        "chairman": ("person", "nominal"),
        "Ann Lee": ("person", "name"),
    }
    kinds = [row["kind"] for row in csv.DictReader(io.StringIO(run("export", store, "--level", "mention").out))]
    assert sorted(kinds) == ["name", "nominal", "nominal", "pronoun"]


def test_what_a_spreadsheet_would_run_is_text_unless_raw(run, write, tmp_path):
    names = ["=HYPERLINK(1)", "+1", "-2", "@SUM(1)", "Ann"]
    profiles = [{"id": str(at), "document": "d", "name": name, "type": "person"} for at, name in enumerate(names)]
    store = tmp_path / "a.crossdoc"
    assert run("resolve", write("p.jsonl", profiles), "-o", store).code == 0
    safe, raw = (run("export", store, *options) for options in ([], ["--raw"]))
    read = [[row["name"] for row in csv.DictReader(io.StringIO(ran.out))] for ran in (safe, raw)]
    assert read == [[f"'{name}" for name in names[:4]] + ["Ann"], names]
    assert ("8 cells" in safe.err, raw.err) == (True, "")
    # JSON is no spreadsheet.
    assert [json.loads(line)["name"] for line in run("export", store, "--format", "jsonl").out.splitlines()] == names


@pytest.mark.parametrize(
    ("ending", "first"),
    [
        (".ftm", b'{"id": "entity-'),
        (".ftm.json", b'{"id": "entity-'),
        (".jsonld", b'{"@context"'),
        (".graphml", b"<?xml"),
    ],
)
def test_formats_for_other_programs_by_their_ending(run, result, tmp_path, ending, first):
    out = tmp_path / f"people{ending}"
    ran = run("export", result, "-o", out)
    assert (ran.code, ran.out) == (0, "")
    assert out.read_bytes().startswith(first)
    format = ending.split(".")[1]
    assert run("export", result, "--format", format).out.encode() == out.read_bytes()


@pytest.mark.parametrize("option", [["--soft"], ["--level", "mention"], ["--raw"]])
def test_what_is_of_tables_is_refused_for_the_others(run, result, option):
    ran = run("export", result, "--format", "graphml", *option)
    assert (ran.code, option[0] in ran.err, "csv" in ran.err) == (2, True, True)
    assert run("export", result, "--format", "parquet", "--raw").code == 2


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
    assert (ran.code, "c.xls" in ran.err, "NAME.graphml" in ran.err) == (2, True, True)


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


class Page(HTMLParser):
    """The page's elements and its text outside scripts and styles."""

    def __init__(self, source):
        super().__init__()
        self.elements, self.text = [], ""
        self.feed(source)

    def handle_starttag(self, tag, attrs):
        self.elements.append(tag)

    def handle_data(self, data):
        self.text += data


def test_report(run, result, tmp_path):
    out = tmp_path / "new" / "report.html"
    ran = run("report", result, "-o", out)
    assert ran.code == 0
    assert ran.out == f"3 identities in {out}\n"
    page = Page(out.read_text())
    assert page.elements.count("article") == 3
    assert "John Smith" in page.text
    assert "3 documents" in page.text
    assert [path.name for path in out.parent.iterdir()] == ["report.html"]


def test_only_some(run, result, tmp_path):
    out = tmp_path / "report.html"
    assert run("report", result, "-o", out, "--find", "motors", "--members", 0).code == 0
    page = Page(out.read_text())
    assert page.elements.count("article") == 1
    assert "tr" not in page.elements
    assert run("report", result, "-o", out, "--top", 2).code == 0
    assert Page(out.read_text()).elements.count("article") == 2


def test_nobody_found_leaves_the_old_report(run, result, tmp_path):
    (tmp_path / "report.html").write_text("<html>old")
    assert run("report", result, "-o", tmp_path / "report.html", "--find", "Napoleon").code == 1
    assert (tmp_path / "report.html").read_text() == "<html>old"


@pytest.mark.parametrize(
    "attack", ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "{{ 7*7 }}", "'; x='"]
)
def test_what_documents_say_is_never_run(run, write, tmp_path, attack):
    profile = {"id": f"p{attack}", "document": f"d{attack}", "name": f"Ann {attack}", "context": f"Ann {attack} said"}
    other = {**profile, "id": "q", "name": f"Ann Lee {attack}", "attributes": {"descriptor": [attack]}}
    store = tmp_path / "a.crossdoc"
    assert run("resolve", write("p.jsonl", [profile, other]), "-o", store, "--method", "all-in-one").code == 0
    assert run("report", store, "-o", tmp_path / "report.html").code == 0
    page = Page((tmp_path / "report.html").read_text())
    assert page.elements.count("script") == 1
    assert "img" not in page.elements
    assert page.text.count(attack) >= 4


def test_a_report_is_one_file(run, result, tmp_path):
    run("report", result, "-o", tmp_path / "report.html")
    source = (tmp_path / "report.html").read_text()
    assert "://" not in source
    assert "src=" not in source
    assert "@import" not in source


def test_only_its_own_script_may_run(run, result, tmp_path):
    run("report", result, "-o", tmp_path / "report.html")
    source = (tmp_path / "report.html").read_text()
    script = source.partition("<script>")[2].partition("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'" in source


def test_documents_open_within_the_file(run, result, tmp_path):
    out = tmp_path / "report.html"
    run("report", result, "-o", out)
    page = Page(out.read_text())
    assert page.elements.count("dialog") == 3
    assert "who mapped the rivers of Virginia" in page.text
    assert "gm1:0:10" in page.text
    run("report", result, "-o", out, "--no-texts")
    assert "dialog" not in Page(out.read_text()).elements


def test_the_largest_come_first_where_not_all_texts_fit(run, result, tmp_path, monkeypatch):
    monkeypatch.setattr(output_commands, "MOST_CHARACTERS", len(TEXTS["gm1"]) + len(TEXTS["gm2"]))
    run("report", result, "-o", tmp_path / "report.html")
    page = Page((tmp_path / "report.html").read_text())
    assert page.elements.count("dialog") == 2
    assert "1 document would have made this file too large" in page.text


def test_demo(crossdoc, tmp_path):
    compiled = tmp_path / "compiled"
    ran = crossdoc("demo", cwd=tmp_path, env={**os.environ, "NUMBA_CACHE_DIR": str(compiled)})
    assert ran.code == 0, ran.err
    assert (tmp_path / "demo.crossdoc").exists()
    assert "John Smith: " in ran.out
    assert "crossdoc show demo.crossdoc" in ran.out
    page = tmp_path / "demo.html"
    assert page.as_uri() in ran.out
    assert "John Smith" in page.read_text()
    assert "\x1b" not in ran.out + ran.err
    assert float(re.search(r"B³ (0\.\d+)", ran.out)[1]) > 0.7
    # It would take longer than the rest of the demo.
    assert not compiled.exists()
