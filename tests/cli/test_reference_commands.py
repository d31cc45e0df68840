"""`crossdoc formats`: what it shows is what crossdoc reads."""

import json
import re

from crossdoc.cli.reference_commands import formats_text
from crossdoc.cluster.methods import BUILT_IN
from crossdoc.compare import specialists
from crossdoc.compare.specialists import default_specialists, specialist
from crossdoc.crosslingual import read_groups
from crossdoc.read import DocumentReader, find_sources, read_judgements, read_profiles
from crossdoc.read.sources import COMPRESSIONS, ENDINGS
from crossdoc.settings import Settings

FORMATS = formats_text()


def test_printed(run):
    ran = run("formats")
    assert (ran.code, ran.out, ran.err) == (0, FORMATS, "")


def test_every_ending_is_told():
    told = set(re.findall(r"\.\w+", FORMATS))
    assert set(ENDINGS) - {".ndjson"} <= told
    assert set(COMPRESSIONS) <= told


def test_every_type_of_evidence_is_told_with_its_meaning_and_readers():
    for judge in default_specialists():
        for type, meaning in (judge.reads_attributes | judge.reads_relations).items():
            (line,) = re.findall(rf"^    {type} .*$", FORMATS, re.MULTILINE)
            told, readers = re.fullmatch(rf"    {type} +(.*)  \[(.*)\]", line).groups()
            assert told == meaning
            assert judge.name in readers.split(", ")
    assert re.search(r"not compared:\n    education", FORMATS)


def test_users_own_evidence_is_told(run, monkeypatch):
    own = specialist("shoe", attributes={"shoe_size": "of the left foot"}, relations={"education": "where"})(
        lambda a, b: None
    )

    class Point:
        name = value = "a.package"

        def load(self):
            return own

    monkeypatch.setattr(specialists, "entry_points", lambda group: [Point()])
    told = run("formats").out
    assert "shoe_size          of the left foot  [shoe]" in told
    assert re.findall(r"^    education .*", told, re.MULTILINE) == ["    education          where  [shoe]"]


def test_the_examples_are_read(write):
    first, second, *others = re.findall(r"\{\"id\": .*?\}(?=\n  ? ?\S|\n    \.csv)", FORMATS, re.DOTALL)
    document, profile = json.loads(first.split("\n    .csv")[0]), json.loads(second)
    (read,) = [d for batch in DocumentReader(find_sources([write("d.jsonl", [document])])) for d in batch]
    assert read.mentions[0].text == "John Smith"
    (found,) = [p for batch in read_profiles(find_sources([write("p.jsonl", [profile])])) for p in batch]
    assert found.relations[0].name == "General Motors"
    shown = next(json.loads(example) for example in others if '"titles"' in example)
    (group,) = read_groups(write("g.jsonl", [shown]))[0]
    assert (group.language, len(group.titles), len(group.texts)) == ("es", 1, 1)
    lines = re.findall(r"^    (a,b,verdict.*\n)    (a1.*\n)    (a1.*\n)", FORMATS, re.MULTILINE)[0]
    said = read_judgements(write("c.csv", "".join(lines)))
    assert [(j.verdict, j.hard, j.weight, j.who) for j in said] == [
        ("same", True, 1.0, "ada"),
        ("different", False, 0.4, "rule"),
    ]


def test_what_is_printed_loads_again(run, write):
    ran = run("settings")
    assert (ran.code, ran.err) == (0, "")
    assert Settings.load(write("crossdoc.toml", ran.out)) == Settings()
    for name in Settings.model_fields:
        assert f"{name} =" in ran.out or name == "parameters"
    for method in BUILT_IN:
        assert f"# [{method.name}]\n" in ran.out or not method.parameters
    assert '# stop = "even"' in ran.out, "what a run does, not what the estimator would do by itself"
