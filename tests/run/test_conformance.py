"""One run on any engine: the same inputs and options give the same answer on one machine, over parts, and on Ray."""

import json
from functools import cache

import numpy as np
import pytest

import crossdoc
from crossdoc.compare.learned import LearnedModel
from crossdoc.engine import LocalEngine
from crossdoc.model import Judgement, KnownEntry
from crossdoc.read import slices

NAMES = ["Ann Lee", "Bob Lee", "A. Lee", "Cid Ray", "Dora May", "Eve Orr", "Fay Poe", "Gus Roe"]
FIRMS = ["Acme Motors", "Acme", "Bolt Bank", "Bolt", "Volvo"]


def words(rng, person):
    own = [f"w{10 * person + at}" for at in rng.integers(0, 10, 6)]
    return " ".join([*own, *(f"w{at}" for at in rng.integers(120, 200, 3))])


def people(many=64, language="en"):
    """People who share names and have words of their own, several to a document; ids are in no order."""
    rng = np.random.default_rng(0)
    rows = []
    for n, person in enumerate(rng.integers(0, 12, many)):
        name = NAMES[person % len(NAMES)]
        rows.append({"id": f"p{37 * n % many:03}", "document": f"d{n // 2}", "name": name, "type": "person",
                     "context": f"{name} {words(rng, person)}", "language": language})  # fmt: skip
    return rows


def firms(many=20):
    rng = np.random.default_rng(1)
    return [
        {"id": f"o{n:02}", "document": f"d{n}", "name": FIRMS[n % 5], "type": "organisation",
         "context": f"{FIRMS[n % 5]} {words(rng, n % 5)}", "language": "en"}
        for n in range(many)
    ]  # fmt: skip


def french(many=16):
    rng = np.random.default_rng(2)
    names = ["Ann Lee", "Zoé Petit"]
    return [
        {"id": f"f{n:02}", "document": f"e{n // 2}", "name": names[n % 2], "type": "person",
         "context": f"{names[n % 2]} {words(rng, n % 3)} était le dans", "language": "fr"}
        for n in range(many)
    ]  # fmt: skip


def documents(many=12):
    acts = ["chaired Acme Motors in Detroit", "wrote poems in Paris", "led the Labour party in London"]
    texts = []
    for n in range(many):
        name = NAMES[n % 3]
        texts.append({"id": f"t{n:02}", "text": f"{name} {acts[n % 3]}. On day {n} {name} met Eve Orr of Bolt Bank.",
                      "language": "en", "date": f"1996-01-{n + 1:02}"})  # fmt: skip
    texts[3]["text"] = f"ANN LEE LEAVES ACME MOTORS\n{texts[3]['text']}"
    texts[5]["language"] = None
    return texts


def mentioned(many=24):
    rng = np.random.default_rng(3)
    rows = []
    for n in range(many):
        name = NAMES[n % 4]
        text = f"{name} {words(rng, n % 6)}"
        rows.append({"id": f"t{n:02}", "text": text, "language": "en",
                     "mentions": [{"id": f"m{n:02}", "start": 0, "end": len(name), "type": "person"}]})  # fmt: skip
    return rows


def bare(rows):
    return [{key: row[key] for key in ("id", "name", "context")} for row in rows]


def half_typed(rows):
    return [row if at % 2 else {key: row[key] for key in row if key != "type"} for at, row in enumerate(rows)]


def of_one_name(rows):
    return [{**row, "name": "Ann Lee"} for row in rows]


def renamed(rows):
    return [{"key": row["id"], "author": row["name"], "title": row["context"], "kind": "PER"} for row in rows]


COLUMNS = {"id": "key", "name": "author", "context": "title", "type": "kind"}
JUDGED = [
    Judgement("p000", "p001", "different"),
    Judgement("p002", "p040", "same"),
    Judgement("p003", "p050", "same", hard=False, weight=4.0),
]
KNOWN = [
    KnownEntry("Q1", "Ann Lee", type="person", description="w1 w2 w3 w4 w5"),
    KnownEntry("Q2", "Cid Ray", type="person"),
]
STRICTER = "stricter.json"
CASES = {
    "documents": (documents(), {}),
    "documents of one name": (documents(), {"name": "Ann Lee"}),
    "documents of one name, not described": (documents(), {"name": "Ann Lee", "describe": False}),
    "documents with mentions": (mentioned(), {}),
    "typed table": (people() + firms(), {}),
    "untyped table": (bare(people()), {}),
    "half of the types missing": (half_typed(people() + firms()), {}),
    "one name": (of_one_name(people()), {}),
    "two languages": (people() + french(), {}),
    "known list": (people(), {"known": KNOWN}),
    "constraints": (people(), {"constraints": JUDGED}),
    "columns": (renamed(people()), {"columns": COLUMNS}),
    "model": (people(), {"model": STRICTER}),
    "no background": (people(), {"background": False}),
    "threshold": (people(), {"threshold": 0.9}),
    "karc": (people(), {"method": "karc"}),
    "correlation": (people(), {"method": "correlation"}),
    "sampling": (people(), {"method": "sampling"}),
    "bags": (bare(people()), {"method": "bags"}),
    "string match": (people(), {"method": "string-match", "constraints": JUDGED}),
}


def resolved(case, tmp_path, engine=None):
    rows, options = CASES[case]
    source = tmp_path / "input.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    if options.get("model") == STRICTER:
        learned = LearnedModel.default()
        learned.model_copy(update={"threshold": {"mean-max-linkage": 0.8}}).save(tmp_path / STRICTER)
        options = {**options, "model": tmp_path / STRICTER}
    if engine is None:
        return crossdoc.resolve(source, output=tmp_path / "one.crossdoc", **options)
    return crossdoc.resolve(source, output=tmp_path / "many.crossdoc", engine=engine, **options)


def rows_of(answer):
    columns = (answer.answer(soft=True).column(name).to_pylist() for name in ("id", "entity", "membership"))
    return sorted((id, entity, round(share, 9)) for id, entity, share in zip(*columns, strict=True))


def compare(one, many):
    with one, many:
        assert many.profiles.arrow.equals(one.profiles.arrow)
        assert many.answer("mention").sort_by("id").equals(one.answer("mention").sort_by("id"))
        assert rows_of(many) == rows_of(one)
        assert {each.id: each for each in many.store.identities()} == {each.id: each for each in one.store.identities()}
        assert sorted(many.notes) == sorted(one.notes)


@pytest.fixture(scope="module")
def on_one_machine(tmp_path_factory):
    """A case resolved without an engine, once for all tests that compare with it."""

    @cache
    def resolve_case(case):
        folder = tmp_path_factory.mktemp("one")
        resolved(case, folder).close()
        return folder / "one.crossdoc"

    return resolve_case


@pytest.mark.parametrize("parts", [1, 4])
@pytest.mark.parametrize("case", CASES)
def test_parts_are_resolved_as_one_machine_does(case, parts, on_one_machine, tmp_path, monkeypatch):
    one = on_one_machine(case)
    if parts > 1:
        size = (one.parent / "input.jsonl").stat().st_size
        for name in ("TEXT_BYTES", "TABLE_BYTES"):
            monkeypatch.setattr(slices, name, size // parts + 1)
    with LocalEngine(1) as engine:
        compare(crossdoc.open(one), resolved(case, tmp_path, engine))


@pytest.mark.parametrize("case", ["typed table", "constraints"])
def test_ray_resolves_as_one_machine_does(case, on_one_machine, tmp_path, ray_cluster):
    from crossdoc.engine.ray_engine import RayEngine

    with RayEngine() as engine:
        compare(crossdoc.open(on_one_machine(case)), resolved(case, tmp_path, engine))
