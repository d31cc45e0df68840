"""`crossdoc wikilinks`."""

import csv
import json

import pyarrow.parquet as pq
import pytest

TOWNS = ("Bonn", "Rome", "Oslo", "Riga")


def page(number):
    links = " ".join(f"[[{town}]] has a river, a market and number {number}." for town in TOWNS)
    return f"<page><title>P{number}</title><ns>0</ns><revision><text>{links}</text></revision></page>\n"


@pytest.fixture
def dump(write):
    return write("d.xml.gz", f"<mediawiki>{''.join(map(page, range(6)))}</mediawiki>")


def test_the_whole_way(run, dump, tmp_path):
    out, gold, apart = tmp_path / "links.parquet", tmp_path / "gold.csv", tmp_path / "apart.jsonl"
    ran = run(
        "wikilinks", dump, "-o", out, "--gold", gold, "--development", apart,
        "--development-share", 0.25, "--least-words", 5,
    )  # fmt: skip
    assert ran.code == 0
    assert "4 entities, 1 of them for development" in ran.err
    assert "links: 24" in ran.err
    mentions = pq.read_table(out).to_pylist()
    assert len(mentions) == 18
    assert {m["split"] for m in mentions} == {"test"}
    assert [(row["id"], row["entity"]) for row in csv.DictReader(gold.open())] == [
        (m["id"], m["entity"]) for m in mentions
    ]
    held = [json.loads(line) for line in apart.read_text().splitlines()]
    assert len(held) == 6
    assert {m["entity"] for m in held} == set(TOWNS) - {m["entity"] for m in mentions}
    store = tmp_path / "a.crossdoc"
    assert run("resolve", out, "-o", store, "--method", "string-match").code == 0
    assert json.loads(run("score", store, gold, "--json").out)["values"]["b3"]["f1"] == 1
    assert json.loads(run("score", store, out, "--json").out)["values"]["b3"]["f1"] == 1


def test_without_a_file_for_development_all_are_in_one(run, dump, tmp_path):
    assert (
        run("wikilinks", dump, "-o", tmp_path / "new" / "l.jsonl", "--least-words", 5, "--development-share", 0.5).code
        == 0
    )
    found = [json.loads(line) for line in (tmp_path / "new" / "l.jsonl").read_text().splitlines()]
    assert [m["split"] for m in found].count("development") == 12
    assert len(found) == 24


def test_the_same_command_gives_the_same_bytes(run, dump, tmp_path):
    written = []
    for name in ("a.parquet", "b.parquet"):
        assert run("wikilinks", dump, "-o", tmp_path / name, "--least-words", 5).code == 0
        written.append((tmp_path / name).read_bytes())
    assert written[0] == written[1]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["none.xml", "-o", "l.csv"], 2, "no file or folder none.xml"),
        (["d.xml.gz", "-o", "l.txt"], 2, "NAME.parquet"),
        (["d.xml.gz", "-o", "l.csv", "--gold", "l.csv"], 2, "the same file"),
        (["d.xml.gz", "-o", "l.csv", "--most-distance", "7"], 2, "most-distance"),
        (["d.xml.gz", "-o", "l.csv", "--least-links", "7"], 1, "No link to Wikipedia is left"),
        (["cut.xml", "-o", "l.csv"], 1, "--partial"),
        (["broken.xml", "-o", "l.csv"], 1, "line 2"),
    ],
)
def test_misuse_and_bad_input(run, dump, write, tmp_path, monkeypatch, arguments, code, message):
    write("cut.xml", "<mediawiki>\n" + page(1) + "<page><title>Half")
    write("broken.xml", "<mediawiki>\n<page></title></page></mediawiki>")
    before = sorted(tmp_path.iterdir())
    monkeypatch.chdir(tmp_path)
    ran = run("wikilinks", *arguments)
    assert ran.code == code
    assert message in " ".join(ran.err.split())
    assert sorted(tmp_path.iterdir()) == before
