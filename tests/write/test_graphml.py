"""GraphML, read by the XML parser, and by networkx where it is."""

import io
import xml.etree.ElementTree as ET

import pytest

from crossdoc.write import write_graphml

SPACE = "{http://graphml.graphdrawing.org/xmlns}"
SHARED = [("d/1 :0:3", "o1", 2), ("o1", "p:ü", 1)]


@pytest.fixture
def written(identities):
    stream = io.BytesIO()
    assert write_graphml(identities, SHARED, stream) == 4
    return stream.getvalue()


def test_nodes_and_edges(written):
    root = ET.fromstring(written)
    keys = {key.get("id"): key.get("for") for key in root.iter(f"{SPACE}key")}
    graph = root.find(f"{SPACE}graph")
    assert graph.get("edgedefault") == "undirected"
    nodes = {node.get("id"): {data.get("key"): data.text for data in node} for node in graph.findall(f"{SPACE}node")}
    assert nodes["d/1 :0:3"] == {
        "name": "Ann <Lee>", "type": "person", "descriptor": 'a "pilot" & more', "documents": "2", "mentions": "3",
        "certainty": "0.9123", "known": "Q42",
    }  # fmt: skip
    assert nodes["o1"]["name"] == "Acme Ltd."
    assert set(nodes["u1"]) == {"name", "documents", "mentions", "certainty"}
    edges = [(e.get("source"), e.get("target"), int(e[0].text)) for e in graph.findall(f"{SPACE}edge")]
    assert edges == SHARED
    assert all(end in nodes for a, b, _ in edges for end in (a, b))
    used = {("node", key) for told in nodes.values() for key in told} | {("edge", "shared")}
    assert {(keys[key], key) for _, key in used} == used


def test_networkx_reads_it(written):
    networkx = pytest.importorskip("networkx", reason="pip install networkx checks the export")
    graph = networkx.read_graphml(io.BytesIO(written))
    assert (graph.number_of_nodes(), graph.is_directed()) == (4, False)
    assert graph.nodes["d/1 :0:3"]["documents"] == 2
    assert graph.nodes["p:ü"]["certainty"] == 1.0
    assert {frozenset((a, b)): told["shared"] for a, b, told in graph.edges(data=True)} == {
        frozenset((a, b)): shared for a, b, shared in SHARED
    }
