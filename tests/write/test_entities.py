"""FollowTheMoney entities, read by the followthemoney package, and JSON-LD, read by rdflib; both where they are."""

import csv
import io
import json
import re
import xml.etree.ElementTree as ET

import pyarrow as pa
import pytest

from crossdoc.write import escape_formulas, write_ftm, write_graphml, write_json_ld, write_neo4j
from crossdoc.write.entities import NEO4J_HEADERS

SCHEMA = "https://schema.org/"


@pytest.fixture
def ftm(identities, documents, appearances):
    stream = io.BytesIO()
    count = write_ftm(identities, documents, appearances, stream)
    lines = stream.getvalue().decode().splitlines()
    assert count == len(lines) == 4 + 2 + 4 + 5
    return [json.loads(line) for line in lines]


def test_ftm_has_a_schema_for_each_type(ftm):
    assert [entity["schema"] for entity in ftm] == [
        *("Person", "Organization", "Address", "LegalEntity"),
        *["Document"] * 2,
        *["Documentation"] * 4,
        *["Mention"] * 5,
    ]
    ann = ftm[0]
    assert ann["properties"] == {
        "name": ["Ann <Lee>"],
        "alias": ["A. Lee"],
        "summary": ['a "pilot" & more'],
        "wikidataId": ["Q42"],
    }
    assert ann["referents"] == ["d/1 :0:3", "Q42"]
    assert ftm[1]["referents"] == ["o1", "acme"]
    assert ftm[2]["properties"]["full"] == ["Zürich"]
    assert ftm[2]["properties"]["sourceUrl"] == ["https://example.org/zurich"]


def test_ftm_links_lead_from_identities_to_documents(ftm):
    ids = {entity["id"]: entity for entity in ftm}
    assert len(ids) == len(ftm)
    ends = [
        (ids[link["properties"]["entity"][0]]["referents"][0], ids[link["properties"]["document"][0]]["referents"][0])
        for link in ftm[6:10]
    ]
    assert ends == [("d/1 :0:3", "d/1 "), ("o1", "d/1 "), ("p:ü", "d/1 "), ("d/1 :0:3", "d2")]
    assert ftm[6]["properties"]["namesMentioned"] == ["A. Lee", "Ann <Lee>"]


def test_ftm_mentions_lead_to_what_they_were_resolved_to(ftm):
    mentions = [entity["properties"] for entity in ftm[10:]]
    assert [each["name"] for each in mentions][:2] == [["A. Lee"], ["Ann <Lee>"]]
    assert mentions[0]["resolved"] == [ftm[0]["id"]]
    assert mentions[0]["document"] == [ftm[4]["id"]]
    # FollowTheMoney resolves a mention to a person or an organisation only.
    assert [each["detectedSchema"][0] for each in mentions if "resolved" not in each] == ["Address"]


def test_followthemoney_takes_every_value_as_it_is(ftm):
    model = pytest.importorskip("followthemoney", reason="pip install followthemoney checks the export").model
    for entity in ftm:
        proxy = model.get_proxy(entity)
        proxy.schema.validate(entity)
        for name, values in entity["properties"].items():
            kept = proxy.schema.properties[name]
            cleaned = [kept.type.clean(value, proxy=proxy) for value in values]
            # What followthemoney would mend itself: spaces at the ends, and control characters.
            assert cleaned == [value.replace("\x01", "").strip() for value in values], name
        assert not proxy.schema.abstract


def test_json_ld_by_itself(identities, documents, appearances):
    stream = io.BytesIO()
    assert write_json_ld(identities, documents, iter(appearances), stream) == 6
    whole = json.loads(stream.getvalue())
    ann, acme, zurich, it, day, second = whole["@graph"]
    assert [node["@type"] for node in whole["@graph"][:4]] == ["Person", "Organization", "Place", "Thing"]
    assert ann["sameAs"] == "http://www.wikidata.org/entity/Q42"
    assert acme["identifier"] == ["o1", {"@type": "PropertyValue", "propertyID": "known", "value": "acme"}]
    assert (zurich["sameAs"], zurich["identifier"]) == ("https://example.org/zurich", "p:ü")
    assert "sameAs" not in it
    assert (day["name"], day["datePublished"]) == ("A day", "1996-01-14")
    assert day["mentions"] == [ann["@id"], acme["@id"], zurich["@id"]]
    assert second == {**second, "@type": "CreativeWork", "identifier": "d2", "mentions": [ann["@id"]]}


def test_json_ld_of_nobody():
    stream = io.BytesIO()
    assert write_json_ld([], [], [], stream) == 0
    assert json.loads(stream.getvalue())["@graph"] == []


def test_rdflib_reads_who_is_mentioned_where(identities, documents, appearances):
    rdflib = pytest.importorskip("rdflib", reason="pip install rdflib checks the export")
    stream = io.BytesIO()
    write_json_ld(identities, documents, appearances, stream)
    graph = rdflib.Graph().parse(data=stream.getvalue(), format="json-ld")
    names = {
        (
            str(graph.value(work, rdflib.URIRef(SCHEMA + "identifier"))),
            str(graph.value(who, rdflib.URIRef(SCHEMA + "name"))),
        )
        for work, who in graph.subject_objects(rdflib.URIRef(SCHEMA + "mentions"))
    }
    assert names == {("d/1 ", "Ann <Lee>"), ("d/1 ", "Acme\x01 Ltd."), ("d/1 ", "Zürich"), ("d2", "Ann <Lee>")}
    people = list(graph.subjects(rdflib.RDF.type, rdflib.URIRef(SCHEMA + "Person")))
    assert len(people) == 1
    assert str(graph.value(people[0], rdflib.URIRef(SCHEMA + "sameAs"))) == "http://www.wikidata.org/entity/Q42"


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


@pytest.mark.parametrize("sign", [*"=+-@\t\r\n＝＋－＠"])
def test_every_sign_that_begins_a_formula(sign):
    batch = pa.record_batch(
        {"name": [f"{sign}1", f"a{sign}1", "", None], "large": pa.array([sign] * 4, pa.large_string())}
    )
    safe, changed = escape_formulas(batch)
    assert safe.to_pydict() == {"name": [f"'{sign}1", f"a{sign}1", "", None], "large": [f"'{sign}"] * 4}
    assert (changed, safe.schema) == (5, batch.schema)


def test_numbers_are_no_danger():
    batch = pa.record_batch({"score": [-1.5, 2.0], "n": [-3, 4]})
    assert escape_formulas(batch) == (batch, 0)


# -- CSV for neo4j-admin: headers of its form, keys that are there, text that a CSV reader gets back ----------------

FIELD = re.compile(
    r"\w+:ID\(\w+\)|:(?:START|END)_ID\(\w+\)|:LABEL|:TYPE|\w+(?::(?:int|long|double|boolean|string)(?:\[\])?)?"
)
"""A field of a header, as the manual of neo4j-admin has it."""


def read(path):
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_every_header_is_of_the_form_that_the_manual_gives():
    assert all(FIELD.fullmatch(field) for header in NEO4J_HEADERS.values() for field in header)
    for name, header in NEO4J_HEADERS.items():
        ends = sum("_ID(" in field for field in header)
        assert ends == (0 if name in ("identities.csv", "documents.csv") else 2)
        assert header[-1] in (":LABEL", ":TYPE")


def test_relationships_lead_to_nodes_that_are_there(identities, documents, appearances, tmp_path):
    shared = [("d/1 :0:3", "o1", 1)]
    assert write_neo4j(identities, documents, appearances, shared, tmp_path / "graph") == 4
    nodes = {row["id:ID(Identity)"]: row for row in read(tmp_path / "graph" / "identities.csv")}
    texts = {row["id:ID(Document)"] for row in read(tmp_path / "graph" / "documents.csv")}
    assert nodes["d/1 :0:3"] == {**nodes["d/1 :0:3"], "name": "Ann <Lee>", "names:string[]": "Ann <Lee>;A. Lee",
                                 ":LABEL": "Identity;Person", "documents:int": "2"}  # fmt: skip
    assert nodes["u1"][":LABEL"] == "Identity"
    for row in read(tmp_path / "graph" / "mentioned_in.csv"):
        assert row[":START_ID(Identity)"] in nodes
        assert row[":END_ID(Document)"] in texts
    (link,) = read(tmp_path / "graph" / "shares_documents.csv")
    assert {link[":START_ID(Identity)"], link[":END_ID(Identity)"]} <= nodes.keys()
    assert "--relationships=mentioned_in.csv" in (tmp_path / "graph" / "import.sh").read_text()


def test_a_separator_within_a_name_does_not_split_it(identities, tmp_path):
    from dataclasses import replace

    odd = replace(identities[1], variants={"A; B": 1, "C": 1})
    write_neo4j([odd], [], [], [], tmp_path)
    assert read(tmp_path / "identities.csv")[0]["names:string[]"] == "A, B;C"
