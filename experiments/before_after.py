"""What graph builders and other programs make of a corpus by themselves, and with crossdoc.

    CROSSDOC_DATA=… python experiments/before_after.py [SYSTEM …] [--pages]     # make integrations: its environment

The corpora are the sample corpus and, if CROSSDOC_DATA has it, the newswire of AIDA testa: real articles whose names
were marked by hand. A chunk is a document, an extraction is each different name of each type in it, so that no language
model is needed, and every builder gets the same. *Nodes before* are counted in the builder's own graph: LlamaIndex's
store, GraphRAG's merged table, LightRAG's graph; for neo4j-graphrag they are its rule, one node for each name and label
(its resolver needs a server), and for programs without a graph the different names and types. B³ compares with the
gold. `--pages` writes docs/before-after.json and the tables of the pages.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import json
import logging
import os
import re
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import resources
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from common import table
from corpora import aida

import crossdoc
from crossdoc.integrations.graph_names import GraphCounts
from crossdoc.model import Document, Mention

DOCS = Path(__file__).parents[1] / "docs"
FIGURES = DOCS / "before-after.json"
COLUMNS = ("nodes before", "nodes after", "namesakes split", "variants joined", "B³ before", "B³ after", "seconds")
LABELS = {"person": "PERSON", "organisation": "ORGANIZATION", "place": "GPE"}
NEWSWIRE = "newswire (AIDA testa)"
BUILDERS = ("graphrag", "lightrag", "llama-index", "neo4j-graphrag", "graphiti")
logging.disable(logging.WARNING)


@dataclass
class Corpus:
    """Documents and what was extracted from them: (document, name, type) → gold."""

    name: str
    texts: dict[str, str]
    gold: dict[tuple[str, str, str], str]
    spans: dict[str, list[tuple[int, int, str]]] = field(default_factory=dict)

    def of(self, document: str) -> list[tuple[str, str]]:
        return self.by_document[document]

    def __post_init__(self) -> None:
        self.by_document: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for document, name, kind in self.gold:
            self.by_document[document].append((name, kind))


Keys = dict[tuple[str, str, str], str]
"""Extraction → the node that it is in."""


@dataclass
class Outcome:
    before: Keys
    after: Keys
    seconds: float
    nodes: tuple[int, int] | None = None
    """Entity nodes that the builder's graph has, before and after; None: the different keys."""

    def row(self, corpus: Corpus) -> dict[str, float | int]:
        pairs = {(self.before[each], self.after[each]) for each in corpus.gold}
        old, new = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
        nodes = self.nodes or (len(old), len(new))
        figures = (
            *nodes, sum(count > 1 for count in old.values()), sum(count - 1 for count in new.values()),
            b3(self.before, corpus), b3(self.after, corpus), self.seconds,
        )  # fmt: skip
        return dict(zip(COLUMNS, figures, strict=True))


def b3(keys: Keys, corpus: Corpus) -> float:
    rows = list(corpus.gold)
    ids = ["\t".join(row) for row in rows]
    answer = dict(zip(ids, (keys[row] for row in rows), strict=True))
    scores = crossdoc.score(answer, dict(zip(ids, (corpus.gold[row] for row in rows), strict=True)), bootstrap=0)
    return float(scores.values["b3"]["f1"])


def sample() -> Corpus:
    folder = resources.files("crossdoc.sample")
    lines = folder.joinpath("documents.jsonl").read_text("utf-8").splitlines()
    texts = {each["id"]: each["text"] for each in map(json.loads, lines)}
    rows = csv.DictReader(folder.joinpath("gold.csv").read_text("utf-8").splitlines())
    found = [(row["document"], int(row["start"]), int(row["end"]), row["type"], row["entity"]) for row in rows]
    return corpus_of("the sample corpus", texts, found)


def newswire(folder: Path) -> Corpus:
    texts, found = {}, []
    for document in aida.documents(folder, "testa"):
        texts[document.id] = document.text
        found += [(document.id, mention.start, mention.end, mention.type, mention.chain)
                  for mention in document.mentions or () if mention.chain]  # fmt: skip
    return corpus_of(NEWSWIRE, texts, found)


def corpus_of(name: str, texts: dict[str, str], found: Sequence[tuple[str, int, int, Any, str]]) -> Corpus:
    gold: dict[tuple[str, str, str], str] = {}
    spans: dict[str, list[tuple[int, int, str]]] = defaultdict(list)
    for document, start, end, kind, entity in found:
        if kind in LABELS:
            gold.setdefault((document, " ".join(texts[document][start:end].split()), kind), entity)
            spans[document].append((start, end, kind))
    return Corpus(name, texts, gold, spans)


@contextmanager
def stopwatch(seconds: list[float]) -> Any:
    began = time.perf_counter()
    yield
    seconds.append(time.perf_counter() - began)


def spacy(corpus: Corpus, work: Path) -> Outcome:
    import spacy as library
    from spacy.tokens import Doc, Span

    vocab, seconds, docs = library.blank("en").vocab, list[float](), []
    for id, text in corpus.texts.items():
        # Words end where names begin and end, so that each name is a span.
        cuts = sorted({0, len(text), *(at for start, end, _ in corpus.spans[id] for at in (start, end)),
                       *(at for found in re.finditer(r"\s+", text) for at in found.span())})  # fmt: skip
        words = [text[a:b] for a, b in pairwise(cuts)]
        doc = Doc(vocab, words, [False] * len(words))
        doc.user_data["id"] = id
        ents = (doc.char_span(start, end, LABELS[kind]) for start, end, kind in corpus.spans[id])
        doc.ents = library.util.filter_spans([each for each in ents if isinstance(each, Span)])
        docs.append(doc)
    with stopwatch(seconds):
        crossdoc.from_spacy(docs, output=work / "spacy.crossdoc").close()
    after: Keys = {}
    kinds = {label: kind for kind, label in LABELS.items()}
    for doc in docs:
        for each in doc.ents:
            after.setdefault((doc.user_data["id"], " ".join(each.text.split()), kinds[each.label_]), each._.identity)
    return Outcome(by_name(corpus), {row: after.get(row) or "\t".join(row) for row in corpus.gold}, sum(seconds))


def by_name(corpus: Corpus) -> Keys:
    return {row: "\t".join(row[1:]) for row in corpus.gold}


def llama_index(corpus: Corpus, work: Path) -> Outcome:
    from llama_index.core import Document as Given
    from llama_index.core import MockEmbedding, PropertyGraphIndex
    from llama_index.core.graph_stores import SimplePropertyGraphStore
    from llama_index.core.graph_stores.types import EntityNode
    from llama_index.core.schema import TransformComponent

    from crossdoc.integrations.llama_index import CrossdocResolver

    names: Keys = {}
    seconds: list[float] = []

    class Marked(TransformComponent):
        def __call__(self, nodes: Any, **options: Any) -> Any:
            for node in nodes:
                node.metadata["nodes"] = [
                    EntityNode(name=name, label=LABELS[kind], properties={"row": f"{node.ref_doc_id}\t{name}\t{kind}"})
                    for name, kind in corpus.of(node.ref_doc_id)
                ]
            return nodes

    class Noted(TransformComponent):
        def __call__(self, nodes: Any, **options: Any) -> Any:
            for node in nodes:
                for entity in node.metadata["nodes"]:
                    names[tuple(entity.properties.pop("row").split("\t"))] = entity.name  # type: ignore[index]
            return nodes

    class Timed(CrossdocResolver):
        def __call__(self, nodes: Any, **options: Any) -> Any:
            with stopwatch(seconds):
                return super().__call__(nodes, **options)

    def build(*further: Any) -> tuple[Keys, int]:
        names.clear()
        store = SimplePropertyGraphStore()
        PropertyGraphIndex.from_documents(
            [Given(text=text, id_=id) for id, text in corpus.texts.items()],
            kg_extractors=[Marked(), *further, Noted()], property_graph_store=store, embed_kg_nodes=False,
            embed_model=MockEmbedding(2), use_async=False,
        )  # fmt: skip
        return dict(names), sum(isinstance(node, EntityNode) for node in store.graph.nodes.values())

    before, nodes = build()
    after, later = build(Timed())
    return Outcome(before, after, sum(seconds), (nodes, later))


def graphrag(corpus: Corpus, work: Path) -> Outcome:
    import pandas as pd
    from graphrag.index.operations.extract_graph.extract_graph import _merge_entities

    from crossdoc.integrations.graphrag import resolve_graph

    units = pd.DataFrame([{"id": id, "text": text, "document_id": id} for id, text in corpus.texts.items()])
    extracted = [{"title": name.upper(), "type": LABELS[kind], "description": name, "source_id": document}
                 for document, name, kind in corpus.gold]  # fmt: skip
    entities = _merge_entities([pd.DataFrame(extracted)])
    entities["description"] = entities["description"].map("\n".join)
    links = pd.DataFrame(columns=["source", "target", "description", "text_unit_ids", "weight"])
    seconds: list[float] = []
    with stopwatch(seconds):
        found, _, counts = resolve_graph(entities, links, units)
    places: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row in found.itertuples():
        for unit in row.text_unit_ids:
            for name in row.description.split("\n"):
                places[unit, name.upper()].append(row.title)
    before = {row: f"{row[1].upper()}\t{row[2]}" for row in corpus.gold}
    after = {row: places[row[0], row[1].upper()][0] for row in corpus.gold}
    assert isinstance(counts, GraphCounts)
    return Outcome(before, after, sum(seconds), (len(entities), len(found)))


def lightrag(corpus: Corpus, work: Path) -> Outcome:
    import numpy as np
    from lightrag import LightRAG
    from lightrag.utils import EmbeddingFunc, Tokenizer

    from crossdoc.integrations.lightrag import prepare_graph

    graph = {
        "chunks": [{"content": text, "source_id": id, "file_path": id} for id, text in corpus.texts.items()],
        "entities": [
            {"entity_name": name, "entity_type": kind, "description": "\t".join((document, name, kind)),
             "source_id": document} for document, name, kind in corpus.gold
        ],
    }  # fmt: skip

    async def embed(texts: list[str]) -> Any:
        return np.array([[len(text), text.count("e") + 1.0] for text in texts])

    async def no_model(*arguments: Any, **options: Any) -> str:
        raise AssertionError("a language model was called")

    async def nodes(given: Any, folder: Path) -> int:
        letters = SimpleNamespace(encode=lambda text: [*map(ord, text)], decode=lambda each: "".join(map(chr, each)))
        rag = LightRAG(working_dir=str(folder), llm_model_func=no_model, tokenizer=Tokenizer("letters", letters),
                       embedding_func=EmbeddingFunc(embedding_dim=2, max_token_size=8192, func=embed))  # fmt: skip
        await rag.initialize_storages()
        await rag.ainsert_custom_kg(given)
        found = await rag.chunk_entity_relation_graph.get_all_nodes()
        await rag.finalize_storages()
        return len(found)

    seconds: list[float] = []
    with stopwatch(seconds):
        made, _ = prepare_graph(graph)
    after: Keys = {}
    for each in made["entities"]:
        for line in each["description"].split("\n"):
            after[tuple(line.split("\t"))] = each["entity_name"]  # type: ignore[index]
    counts = (asyncio.run(nodes(graph, work / "before")), asyncio.run(nodes(made, work / "after")))
    return Outcome({row: row[1] for row in corpus.gold}, after, sum(seconds), counts)


def neo4j_graphrag(corpus: Corpus, work: Path) -> Outcome:
    import neo4j

    from crossdoc.integrations.neo4j_graphrag import LINK, SELECT, IdentityResolver

    rows = list(corpus.gold)
    after: Keys = {}

    class Driver:
        _pool = SimpleNamespace(pool_config=SimpleNamespace())

        def execute_query(self, query: str, parameters: dict[str, Any], database_: str | None) -> Any:
            records = []
            if query.startswith(SELECT):
                records = [
                    neo4j.Record({"id": str(at), "labels": ["__Entity__", LABELS[kind]], "name": name,
                                  "texts": [corpus.texts[document]], "paths": [document]})
                    for at, (document, name, kind) in enumerate(rows)
                ]  # fmt: skip
            if query == LINK:
                after.update({rows[int(each["entity"])]: each["identity"] for each in parameters["links"]})
            return SimpleNamespace(records=records)

    seconds: list[float] = []
    with stopwatch(seconds):
        asyncio.run(IdentityResolver(Driver()).run())
    return Outcome(by_name(corpus), after, sum(seconds))


def graphiti(corpus: Corpus, work: Path) -> Outcome:
    """Before, a node is a lower-case name: Graphiti takes a single node of the same one."""
    import warnings
    from datetime import UTC, datetime

    from graphiti_core.driver.kuzu_driver import KuzuDriver
    from graphiti_core.edges import EpisodicEdge
    from graphiti_core.nodes import EntityNode, EpisodeType, EpisodicNode

    from crossdoc.integrations.graphiti import resolve_group

    warnings.simplefilter("ignore", DeprecationWarning)
    now = datetime.now(UTC)
    before = {row: row[1].lower() for row in corpus.gold}
    labels = {before[row]: LABELS[row[2]] for row in corpus.gold}
    same: dict[str, Any] = {"group_id": "g", "created_at": now}
    seconds: list[float] = []

    async def run() -> int:
        driver = KuzuDriver()
        for id, text in corpus.texts.items():
            await EpisodicNode(uuid=id, name=id, content=text, valid_at=now, source=EpisodeType.text,
                               source_description="", **same).save(driver)  # fmt: skip
        for name, label in labels.items():
            await EntityNode(uuid=name, name=name.title(), labels=["Entity", label], **same).save(driver)
        for name, document in sorted({(before[row], row[0]) for row in corpus.gold}):
            await EpisodicEdge(source_node_uuid=document, target_node_uuid=name, **same).save(driver)
        with stopwatch(seconds):
            await resolve_group(driver, "g", output=work / "graph.crossdoc")
        return len(await EntityNode.get_by_group_ids(driver, ["g"]))

    nodes = asyncio.run(run())
    with crossdoc.Resolution.open(work / "graph.crossdoc") as resolution:
        identity = {row["id"]: row["entity"] for row in resolution.answer().to_pylist()}
    after = {row: identity[f"{before[row]}:{row[0]}"] for row in corpus.gold}
    return Outcome(before, after, sum(seconds), (len(labels), nodes))


def answer(corpus: Corpus, work: Path) -> tuple[Outcome, Path]:
    """An answer to the articles with their names, as agents, OpenRefine and SQL get it."""
    path, seconds = work / "answer.crossdoc", list[float]()
    given = [
        Document(id, text, mentions=tuple(
            Mention(f"{id}:{start}:{end}", id, start, end, text[start:end], kind)  # type: ignore[arg-type]
            for start, end, kind in corpus.spans[id])) for id, text in corpus.texts.items()
    ]  # fmt: skip
    with stopwatch(seconds), crossdoc.resolve(given, output=path) as resolution:
        found = {(row["document"], " ".join(corpus.texts[row["document"]][row["start"] : row["end"]].split())): row
                 for row in reversed(resolution.answer("mention").to_pylist())}  # fmt: skip
    after = {row: found[row[:2]]["entity"] if row[:2] in found else "\t".join(row) for row in corpus.gold}
    return Outcome(by_name(corpus), after, sum(seconds)), path


def agents(corpus: Corpus, work: Path) -> Outcome:
    """Nodes are what `find` of the MCP server lists, all pages of it."""
    import mcp

    from crossdoc.integrations.mcp_server import MOST, AnswerTools, make_server

    outcome, path = answer(corpus, work)

    async def count() -> int:
        total = 0
        with AnswerTools(path) as tools:
            async with mcp.Client(make_server(tools)) as client:
                while True:
                    page = await client.call_tool("find", {"offset": total, "limit": MOST})
                    total += len(page.structured_content["rows"])
                    if total >= page.structured_content["total"]:
                        return total

    outcome.nodes = (len(set(outcome.before.values())), asyncio.run(count()))
    return outcome


def openrefine(corpus: Corpus, work: Path) -> Outcome:
    """Cells are the different names; those that are matched by themselves, and those with several namesakes."""
    from crossdoc.integrations.reconcile import Reconciliation
    from crossdoc.web.reader import Reader

    outcome, path = answer(corpus, work)
    with Reader(path) as reader:
        service = Reconciliation(reader, "http://127.0.0.1/")
        cells = sorted({(name, kind) for _, name, kind in corpus.gold})
        found = [service.candidates({"query": name, "type": kind}) for name, kind in cells]
    matched = sum(any(each["match"] for each in own) for own in found)
    several = sum(sum(each["score"] == 100 for each in own) > 1 for own in found)
    print(f"{corpus.name}, openrefine: {len(cells):,} cells, {matched:,} matched by themselves, {several:,} namesakes")
    return outcome


def databases(corpus: Corpus, work: Path) -> Outcome:
    """Nodes are the rows of `identities` in SQLite."""
    import sqlite3

    from crossdoc.store import Store
    from crossdoc.store.export_tables import export_tables
    from crossdoc.write.databases import write_sqlite

    outcome, path = answer(corpus, work)
    with Store.open(path) as store, (work / "answer.sqlite").open("wb") as stream:
        write_sqlite(export_tables(store), stream)
    with sqlite3.connect(work / "answer.sqlite") as database:
        ((rows,),) = database.execute("SELECT count(*) FROM identities")
    outcome.nodes = (len(set(outcome.before.values())), rows)
    return outcome


SYSTEMS: dict[str, tuple[str, Callable[[Corpus, Path], Outcome]]] = {
    "spacy": ("spaCy, text and label", spacy),
    "llama-index": ("LlamaIndex", llama_index),
    "graphrag": ("GraphRAG", graphrag),
    "lightrag": ("LightRAG", lightrag),
    "neo4j-graphrag": ("neo4j-graphrag", neo4j_graphrag),
    "graphiti": ("Graphiti", graphiti),
    "agents": ("names in the articles", agents),
    "openrefine": ("names in a table", openrefine),
    "databases": ("names in a column", databases),
}
"""Page → what is there before, and what measures it."""


def corpora() -> list[Corpus]:
    folder = Path(os.environ.get("CROSSDOC_DATA", ""), "aida")
    return [sample(), *([newswire(folder)] if os.environ.get("CROSSDOC_DATA") and folder.is_dir() else [])]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("systems", nargs="*", default=[])
    parser.add_argument("--pages", action="store_true", help="write docs/before-after.json and the pages' tables")
    options = parser.parse_args()
    if unknown := [name for name in options.systems if name not in SYSTEMS]:
        parser.error(f"there is no system {unknown[0]}; there are {', '.join(SYSTEMS)}")
    figures = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    for name in options.systems or SYSTEMS:
        for corpus in corpora():
            with tempfile.TemporaryDirectory(prefix="before-after-") as work:
                row = SYSTEMS[name][1](corpus, Path(work)).row(corpus)
            figures.setdefault(name, {})[corpus.name] = {
                key: round(value, 1 if key == "seconds" else 3) for key, value in row.items()
            }
            print(name, figures[name][corpus.name], flush=True)
    if options.pages:
        FIGURES.write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        write_pages(figures)


def shown(rows: dict[str, dict[str, float]]) -> str:
    cells = [[name, *(f"{value:,}" if isinstance(value, int) else f"{value:.3f}".lstrip("0") if key != "seconds"
                      else f"{value:.1f}" for key, value in row.items())] for name, row in rows.items()]  # fmt: skip
    return table(["", *COLUMNS], cells)


def page_of(name: str) -> Path:
    return DOCS / "howto" / f"{name}.md"


def tables(figures: dict[str, Any]) -> Iterator[tuple[Path, str, str]]:
    """Page, marker and table; the builders together have a page of their own."""
    for name, rows in figures.items():
        yield page_of(name), f"before-after:{name}", shown(rows)
    together = {SYSTEMS[name][0]: figures[name][NEWSWIRE] for name in BUILDERS if NEWSWIRE in figures.get(name, {})}
    yield page_of("graph-builders"), "before-after", shown(together)


def replaced(page: str, marker: str, content: str) -> str:
    start, end = f"<!-- {marker} -->\n", f"\n<!-- /{marker} -->"
    before, _, rest = page.partition(start)
    return before + start + content + end + rest.partition(end)[2]


def write_pages(figures: dict[str, Any]) -> None:
    for path, marker, content in tables(figures):
        path.write_text(replaced(path.read_text(encoding="utf-8"), marker, content), encoding="utf-8")


if __name__ == "__main__":
    main()
