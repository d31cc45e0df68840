"""Links from entities to identities. No Neo4j server runs in tests.

An openCypher parser reads each query, and a driver that records them checks what is written. FalkorDB, an engine of
openCypher in this process, executes them if `falkordblite` (Python 3.12) is installed; it has `id` for `elementId`.
"""

import asyncio
import re
from types import SimpleNamespace

import pytest

pytest.importorskip("neo4j_graphrag")

import neo4j

from crossdoc.integrations import neo4j_graphrag
from crossdoc.integrations.neo4j_graphrag import FORGET, LINK, READ, SELECT, SWEEP, IdentityResolver
from crossdoc.run.resolution import Resolution

CHUNKS = {
    "a": ("John Smith", "John Smith, the chairman of General Motors, lives in Detroit."),
    "b": ("J. Smith", "The chairman of General Motors, J. Smith, closed plants in Detroit."),
    "c": ("John Smith", "John Smith, leader of the Labour Party, spoke in the House of Commons."),
}
COLUMNS = ("id", "labels", "name", "texts", "paths")


class PoolOfNoServer:
    """The part of a driver in which neo4j-graphrag notes its name."""

    def __init__(self):
        self._pool = SimpleNamespace(pool_config=SimpleNamespace())


class RecordingDriver(PoolOfNoServer):
    """Answers the reading query as a server would for `CHUNKS`, and records all others."""

    def __init__(self, chunks=CHUNKS):
        super().__init__()
        self.chunks = chunks
        self.written = []
        self.databases = set()

    def execute_query(self, query, parameters, database_):
        self.databases.add(database_)
        records = []
        if query.startswith(SELECT):
            self.read = query
            values = [(f"4:{id}", ["__Entity__", "__KGBuilder__", "Person"], name, [text], [f"{id}.txt"])
                      for id, (name, text) in self.chunks.items()]  # fmt: skip
            records = [neo4j.Record(zip(COLUMNS, each, strict=True)) for each in values]
        else:
            self.written.append((query, parameters))
        return SimpleNamespace(records=records)


def test_entities_are_linked_and_no_node_of_the_graph_is_changed(tmp_path):
    driver = RecordingDriver()
    resolver = IdentityResolver(driver, "WHERE entity.name <> ''", str(tmp_path / "graph.crossdoc"), "people")
    for _ in range(2):
        driver.written.clear()
        stats = asyncio.run(resolver.run())
        assert (stats.number_of_nodes_to_resolve, stats.number_of_created_nodes) == (3, 2)
        queries = [query for query, _ in driver.written]
        assert queries == [FORGET, LINK, SWEEP]
    identity = {row["entity"]: row["identity"] for row in driver.written[1][1]["links"]}
    assert identity["4:a"] == identity["4:b"] != identity["4:c"]
    assert driver.written[0][1]["ids"] == ["4:a", "4:b", "4:c"]
    assert {row["type"] for row in driver.written[1][1]["links"]} == {"person"}
    assert "WHERE entity.name <> ''" in driver.read
    assert driver.databases == {"people"}
    assert not re.search(r"mergeNodes|DETACH|DELETE entity|SET entity", "".join([READ, *queries]))
    with Resolution.open(tmp_path / "graph.crossdoc") as answer:
        assert answer.explain("4:a", "4:b").strength > 0.5


def test_an_empty_graph_is_left_alone():
    driver = RecordingDriver({})
    assert asyncio.run(IdentityResolver(driver).run()).number_of_nodes_to_resolve == 0
    assert driver.written == []


@pytest.mark.parametrize("name", ["READ", "FORGET", "LINK", "SWEEP"])
def test_the_queries_are_open_cypher(name):
    antlr4 = pytest.importorskip("antlr4")
    cypher = pytest.importorskip("antlr4_cypher")
    query = getattr(neo4j_graphrag, name)
    text = f"{SELECT} WHERE entity.name STARTS WITH 'A' {query}" if name == "READ" else query
    for given, wrong in ((text, False), (text.replace("entity", "entity)", 1), True)):
        parser = cypher.CypherParser(antlr4.CommonTokenStream(cypher.CypherLexer(antlr4.InputStream(given))))
        parser.removeErrorListeners()
        parser.script()
        assert bool(parser.getNumberOfSyntaxErrors()) == wrong


class EmbeddedDriver(PoolOfNoServer):
    def __init__(self, graph):
        super().__init__()
        self.graph = graph

    def execute_query(self, query, parameters, database_):
        found = self.graph.query(re.sub(r"elementId\((\w+)\)", r"toString(id(\1))", query), parameters)
        names = [name for _, name in found.header]
        return SimpleNamespace(records=[neo4j.Record(zip(names, row, strict=True)) for row in found.result_set])


def test_an_embedded_engine_runs_the_queries(tmp_path):
    client = pytest.importorskip("redislite.falkordb_client")
    graph = client.FalkorDB(str(tmp_path / "falkor.db")).select_graph("people")
    for id, (name, text) in CHUNKS.items():
        graph.query(
            "CREATE (:Document {path: $id})<-[:FROM_DOCUMENT]-(:Chunk {text: $text})"
            "<-[:FROM_CHUNK]-(:__Entity__:Person {name: $name})",
            {"id": id, "name": name, "text": text},
        )
    before = graph.query("MATCH (n) WHERE NOT n:Identity RETURN labels(n), properties(n) ORDER BY id(n)").result_set
    for _ in range(2):
        asyncio.run(IdentityResolver(EmbeddedDriver(graph)).run())
    found = "MATCH (c:Chunk)<-[:FROM_CHUNK]-(e)-[l:IS]->(i:Identity) RETURN c.text, i.id, i.name, i.type, l.certainty"
    rows = {text: rest for text, *rest in graph.query(found).result_set}
    ids = [rows[text][0] for _, text in CHUNKS.values()]
    assert ids[0] == ids[1] != ids[2]
    assert graph.query("MATCH (i:Identity) RETURN count(i)").result_set == [[2]]
    after = graph.query("MATCH (n) WHERE NOT n:Identity RETURN labels(n), properties(n) ORDER BY id(n)").result_set
    assert after == before
