"""FollowTheMoney entities, read by the followthemoney package, and JSON-LD, read by rdflib; both where they are."""

import io
import json

import pytest

from crossdoc.write import write_ftm, write_json_ld

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
