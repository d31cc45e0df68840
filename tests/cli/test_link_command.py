"""`crossdoc link`."""

import csv
import json
import os
import shutil

import pytest

GROUPS = [
    {"id": "e1", "language": "en", "titles": ["Airbus wins Qatar order"]},
    {"id": "e2", "language": "en", "titles": ["Apple shares fall 12 percent"]},
    {"id": "d1", "language": "de", "titles": ["Airbus erhält Auftrag aus Qatar"]},
    {"id": "d2", "language": "de", "titles": ["Aktie von Apple fällt 12 Prozent"]},
    {"id": "s1", "language": "es", "titles": ["Airbus gana un pedido de Qatar"]},
]
GOLD = "id,entity\ne1,jets\nd1,jets\ns1,jets\ne2,fall\nd2,fall\n"


@pytest.fixture
def files(write):
    return write("groups.jsonl", GROUPS), write("gold.csv", GOLD)


def rows(path):
    return list(csv.DictReader(path.open(encoding="utf-8")))


@pytest.mark.parametrize("method", ["correlation", "chc", "hc"])
def test_links(run, files, tmp_path, method):
    out, pairs = tmp_path / "links.csv", tmp_path / "pairs.csv"
    ran = run("link", files[0], "-o", out, "--pairs", pairs, "--bias", 0.1, "--method", method, "--gold", files[1])
    assert ran.code == 0, ran.err
    assert "5 groups (de 2, en 2, es 1) → 4 links in 2 clusters" in ran.err
    assert "F1 1.0000" in ran.err
    answer = {row["id"]: row["entity"] for row in rows(out) if float(row["membership"]) > 0.5}
    assert answer["e1"] == answer["d1"] == answer["s1"] != answer["e2"] == answer["d2"]
    assert {(row["a"], row["b"]) for row in rows(pairs)} == {("e1", "d1"), ("e1", "s1"), ("d1", "s1"), ("e2", "d2")}
    assert run("score", out, files[1], "--json").code == 0


def test_summary_and_chosen_bias(run, files, write, tmp_path):
    dictionary = write("de-en.tsv", "erhält\twins\nAuftrag\torder\n")
    ran = run(
        "link", files[0], "-o", tmp_path / "l.jsonl", "--json", "--translator", dictionary, "--translator", "none"
    )
    assert ran.code == 0, ran.err
    told = json.loads(ran.out)
    assert told["translated_by"] == {"de": "dictionary de-en.tsv (2 entries)", "en": "as it is", "es": "none"}
    assert told["notes"] == ["Not translated, since no translator given knows them: es."]
    written = [json.loads(line) for line in (tmp_path / "l.jsonl").read_text().splitlines()]
    assert {row["language"]: row["translated_by"] for row in written} == told["translated_by"]
    assert told["bias_rule"] == "second-best matches"
    assert told["languages"] == {"de": 2, "en": 2, "es": 1}
    assert 0 < told["bias"] < 1
    assert told["solver"]


def test_to_standard_output(run, files):
    ran = run("link", files[0], "--bias", 0.1)
    assert ran.code == 0
    assert "cost 0, which is optimal" in ran.err
    assert "time limit" not in ran.err
    assert ran.out.startswith('"id","entity","membership","language","translated_by","title"')


def test_a_summary_without_output_goes_to_standard_output_alone(run, files):
    told = json.loads(run("link", files[0], "--bias", 0.1, "--json").out)
    assert (told["links"], told["clusters"], told["bias"]) == (4, 2, 0.1)


def test_soft_adds_what_might_be_elsewhere(run, write):
    # The German group might as well be either English one's.
    groups = [("e1", "en", "Airbus wins Qatar order"), ("e2", "en", "Airbus wins Qatar order"), *(
        (group["id"], group["language"], group["titles"][0]) for group in GROUPS[2:]
    )]  # fmt: skip
    path = write("g.jsonl", [{"id": id, "language": language, "titles": [title]} for id, language, title in groups])
    hard, soft = (run("link", path, "--bias", 0.1, *options).out.splitlines()[1:] for options in ([], ["--soft"]))
    assert [row.split(",")[0] for row in hard] == ['"e1"', '"e2"', '"d1"', '"d2"', '"s1"']
    assert set(hard) < set(soft)


def test_sweep_and_plot(run, files, tmp_path):
    curve, picture = tmp_path / "curve.csv", tmp_path / "curve.svg"
    out = tmp_path / "l.csv"
    ran = run("link", files[0], "-o", out, "--gold", files[1], "--sweep", curve, "--plot", picture, "--until", 1)
    assert ran.code == 0, ran.err
    points = rows(curve)
    assert [float(p["bias"]) for p in points] == sorted((float(p["bias"]) for p in points), reverse=True)
    assert max(float(p["f1"]) for p in points) == 1
    assert len({row["id"] for row in rows(out)}) == len(GROUPS)
    assert picture.read_text().lstrip().startswith("<?xml")


def test_constraints(run, files, write, tmp_path):
    out = tmp_path / "l.csv"
    ran = run("link", files[0], "-o", out, "--bias", 0.1, "--constraints", write("c.csv", "e1,d1,different\n"))
    assert ran.code == 0, ran.err
    answer = {row["id"]: row["entity"] for row in rows(out) if float(row["membership"]) > 0.5}
    assert answer["e1"] != answer["d1"]
    out.unlink()
    ran = run("link", files[0], "-o", out, "--constraints", write("d.csv", "e1,d1,same\nd1,e2,same\n"))
    assert ran.code == 1
    for step in ("e1 and e2 are the same, but both are in en", "e1 is the same as d1", "d1 is the same as e2"):
        assert step in ran.err
    assert "comparing" not in ran.err
    ran = run("link", files[0], "-o", out, "--constraints", write("f.csv", "e1,nobody,same\n"))
    assert ran.code == 1
    assert "'nobody'" in ran.err
    assert not out.exists()


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--method", "magic"], 2, "no method 'magic'"),
        (["--solver", "cplex"], 2, "no solver 'cplex'"),
        (["--similarity", "dice"], 2, "no similarity 'dice'"),
        (["--features", "word,smell"], 2, "no kind of feature 'smell'"),
        (["--bias", "x"], 2, "not 'x'"),
        (["--bias", "7"], 2, "between 0 and 1"),
        (["--bias", "nan"], 2, "between 0 and 1"),
        (["--bias", "-0.1"], 2, "between 0 and 1"),
        (["--features", "name", "--translator", "de-en.tsv"], 2, "no translator 'de-en.tsv'"),
        (["--pairs", "p.csv", "-o", "./p.csv"], 2, "Two of the outputs are the same file"),
        (["-o", "groups.jsonl"], 2, "groups.jsonl is both read and written"),
        (["--translator", "google"], 2, "no translator 'google'"),
        (["--sweep", "c.csv"], 2, "--sweep needs --gold"),
        (["--plot", "c.svg"], 2, "--plot needs --sweep"),
        (["--plot", "c.gif"], 2, "c.gif"),
        (["--until", 0.5], 2, "--until needs --sweep"),
        (["--method", "hc", "--solver", "lp"], 2, "--solver needs --method correlation"),
        (["-o", "l.xls"], 2, "l.xls"),
        (["--pairs", "p.xls"], 2, "p.xls"),
    ],
)
def test_misuse(run, files, tmp_path, monkeypatch, options, code, message):
    monkeypatch.chdir(tmp_path)
    before = set(os.listdir())
    ran = run("link", files[0], *options)
    assert (ran.code, ran.out) == (code, "")
    assert message in ran.err
    assert set(os.listdir()) == before


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([], "holds no article group"),
        (GROUPS[:2], "one language (en)"),
        ([{"id": "a", "language": "qq", "titles": ["x"]}], "'qq' is not a language code"),
        ([*GROUPS, GROUPS[0]], "'e1'"),
    ],
)
def test_bad_groups(run, write, tmp_path, records, message):
    out = tmp_path / "l.csv"
    ran = run("link", write("g.jsonl", records), "-o", out)
    assert ran.code == 1
    assert message in ran.err
    assert not out.exists()


def test_gold_of_other_ids(run, files, write, tmp_path):
    out = tmp_path / "l.csv"
    ran = run("link", files[0], "-o", out, "--gold", write("other.csv", "id,entity\nq1,x\n"))
    assert ran.code == 1
    assert "no id in common" in ran.err
    assert not out.exists()
    ran = run("link", files[0], "-o", out, "--gold", write("some.csv", "id,entity\ne1,x\nd1,x\nq1,x\n"))
    assert ran.code == 0
    assert "note: Ids in the gold standard without a group, which count as singletons: 1." in ran.err
    assert "note: Groups that are not in the gold standard and are left out of precision and recall: 3." in ran.err


def test_places_that_cannot_be_written(run, files, write, tmp_path):
    (tmp_path / "folder.csv").mkdir()
    write("file", "x")
    for path, why in (("folder.csv", "it is a folder"), ("file/l.csv", "is not a folder that can be written to")):
        ran = run("link", files[0], "-o", tmp_path / path)
        assert ran.code == 1
        assert why in ran.err
        assert "comparing" not in ran.err


def test_nothing_in_common(run, write, tmp_path):
    groups = [{"id": "a", "language": "en", "titles": ["?"]}, {"id": "b", "language": "de", "titles": ["!"]}]
    gold, curve = write("gold.csv", "id,entity\na,x\nb,x\n"), tmp_path / "curve.csv"
    ran = run("link", write("g.jsonl", groups), "-o", tmp_path / "l.csv", "--gold", gold, "--sweep", curve)
    assert ran.code == 0, ran.err
    assert curve.read_text().startswith('"bias","positive_share","precision"')
    assert "0 links in 2 clusters" in ran.err
    assert "note: No two groups of different languages have anything in common that others lack." in ran.err


def test_apertium(run, files, tmp_path):
    if shutil.which("apertium") is None:
        pytest.skip("Apertium is not installed")
    ran = run("link", files[0], "-o", tmp_path / "l.csv", "--translator", "apertium", "--bias", 0.1, "--json")
    assert ran.code == 0, ran.err
    told = json.loads(ran.out)["translated_by"]["es"]
    assert told == "none" or told.startswith("apertium")


def test_formats_shows_groups(run):
    assert '"titles":' in run("formats").out
