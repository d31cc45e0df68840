from __future__ import annotations

import csv
import importlib.util
import json
import sys
from collections import defaultdict
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = ROOT / "src" / "crossdoc" / "sample"

DOCUMENT = "# id: one\ntitle: T\ndate: 2001-02-03\nsource: S\nlanguage: en\n\n"
ENTITY = "@ smith | person | John Smith | a person\n"


def load_builder() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build_sample", ROOT / "tools" / "build_sample.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


builder = load_builder()


def read_csv(name: str) -> list[dict[str, str]]:
    with (SAMPLE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def documents() -> dict[str, dict[str, str]]:
    rows = [json.loads(line) for line in (SAMPLE / "documents.jsonl").read_text(encoding="utf-8").splitlines()]
    by_id = {row["id"]: row for row in rows}
    assert len(by_id) == len(rows)
    return by_id


@pytest.fixture(scope="module")
def gold() -> list[dict[str, str]]:
    return read_csv("gold.csv")


@pytest.fixture(scope="module")
def entities() -> list[dict[str, str]]:
    return read_csv("entities.csv")


def test_shipped_files_are_what_the_sources_give() -> None:
    assert builder.main(["--check"]) == 0


def test_stale_files(tmp_path: Path) -> None:
    files = builder.render(builder.read_sample())
    assert builder.stale_files(files, tmp_path) == ["documents.jsonl", "gold.csv", "entities.csv"]
    for name, content in files.items():
        (tmp_path / name).write_bytes(content.encode())
    assert builder.stale_files(files, tmp_path) == []
    (tmp_path / "gold.csv").write_text("id\n", encoding="utf-8")
    assert builder.stale_files(files, tmp_path) == ["gold.csv"]


def test_document_fields(documents: dict[str, dict[str, str]]) -> None:
    for document in documents.values():
        assert list(document) == ["id", "title", "date", "source", "language", "text"]
        assert all(document.values())


def test_counts(
    documents: dict[str, dict[str, str]], gold: list[dict[str, str]], entities: list[dict[str, str]]
) -> None:
    by_surface: dict[str, set[str]] = defaultdict(set)
    for mention in gold:
        by_surface[mention["text"]].add(mention["entity"])
    assert len(documents) >= 80
    assert len(entities) >= 40
    assert sum(len(found) >= 2 for found in by_surface.values()) >= 10
    assert len(by_surface["John Smith"]) >= 6
    assert len({m["document"] for m in gold if m["entity"].startswith("smith-") and m["type"] == "person"}) >= 20


def test_gold_spans(documents: dict[str, dict[str, str]], gold: list[dict[str, str]]) -> None:
    for mention in gold:
        start, end = int(mention["start"]), int(mention["end"])
        assert documents[mention["document"]]["text"][start:end] == mention["text"]
        assert mention["id"] == f"{mention['document']}:{start}:{end}"
    assert len({mention["id"] for mention in gold}) == len(gold)


def test_gold_entities_are_declared(gold: list[dict[str, str]], entities: list[dict[str, str]]) -> None:
    types = {entity["entity"]: entity["type"] for entity in entities}
    assert len(types) == len(entities)
    assert set(types.values()) == {"person", "organisation", "place"}
    assert set(types) == {mention["entity"] for mention in gold}
    assert all(types[mention["entity"]] == mention["type"] for mention in gold)


def test_second_language_shares_entities(documents: dict[str, dict[str, str]], gold: list[dict[str, str]]) -> None:
    languages = [document["language"] for document in documents.values()]
    assert set(languages) == {"en", "fr"}
    assert languages.count("fr") >= 6
    english = {m["entity"] for m in gold if documents[m["document"]]["language"] == "en"}
    for document in documents.values():
        if document["language"] == "fr":
            assert english & {m["entity"] for m in gold if m["document"] == document["id"]}


def test_ambiguous_bush_documents(documents: dict[str, dict[str, str]], gold: list[dict[str, str]]) -> None:
    names = [f"bush-ambiguous-{number}" for number in range(1, 6)]
    assert set(names) <= set(documents)
    assert sorted(m["document"] for m in gold if m["entity"] == "bush-ambiguous") == names


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (ENTITY + DOCUMENT + "[[John Smith|smith]] met [[Ann|ann]].", "undeclared entity ann"),
        (ENTITY + DOCUMENT + "[[John Smith|smith] left.", "broken markup"),
        (ENTITY + DOCUMENT + "[[Smith|smith]].\n\n" + DOCUMENT + "[[Smith|smith]].", "document id one is used twice"),
        (ENTITY + ENTITY + DOCUMENT + "[[Smith|smith]].", "entity smith is declared twice"),
        (ENTITY + DOCUMENT + "Nobody.", "never mentioned: smith"),
        (ENTITY + DOCUMENT.replace("2001-02-03", "yesterday") + "[[Smith|smith]].", "not an ISO date"),
    ],
)
def test_broken_source_is_refused(tmp_path: Path, source: str, message: str) -> None:
    (tmp_path / "source.txt").write_text(source, encoding="utf-8")
    with pytest.raises(builder.SampleError, match=message):
        builder.read_sample(tmp_path)


def test_offsets_are_code_points(tmp_path: Path) -> None:
    (tmp_path / "source.txt").write_text(
        ENTITY + DOCUMENT + "Élan 𝄞\nand [[Smith|smith]]'s\n\n[[Smith|smith]].", encoding="utf-8"
    )
    document = builder.read_sample(tmp_path).documents["one"]
    assert document.text == "Élan 𝄞 and Smith's\n\nSmith."
    assert [(m.start, m.end) for m in document.mentions] == [(11, 16), (20, 25)]
