"""UIMA's CAS: XMI and JSON as dkpro-cassis writes them, with DKPro's names, links and chains."""

import json

import pytest

from crossdoc import Settings, errors, read_documents
from crossdoc.read.annotated.cas import read_cas
from crossdoc.read.sources import Source

TEXT = "😀 Steve Jobs led Apple. He left Apple."
NER = "de.tudarmstadt.ukp.dkpro.core.api.ner.type"
COREF = "de.tudarmstadt.ukp.dkpro.core.api.coref.type"


@pytest.fixture
def cassis():
    return pytest.importorskip("cassis", reason="dkpro-cassis is not installed (crossdoc[cas])")


@pytest.fixture
def made(cassis):
    types = cassis.TypeSystem()
    named = types.create_type(f"{NER}.NamedEntity", supertypeName="uima.tcas.Annotation")
    place = types.create_type(f"{NER}.Organization", supertypeName=f"{NER}.NamedEntity")
    link = types.create_type(f"{COREF}.CoreferenceLink", supertypeName="uima.tcas.Annotation")
    chain = types.create_type(f"{COREF}.CoreferenceChain", supertypeName="uima.cas.AnnotationBase")
    about = types.create_type("x.DocumentMetaData", supertypeName="uima.tcas.DocumentAnnotation")
    for type, feature, range in (
        (named, "value", "uima.cas.String"), (named, "identifier", "uima.cas.String"), (link, "next", link),
        (chain, "first", link), (about, "documentId", "uima.cas.String"), (about, "documentTitle", "uima.cas.String"),
    ):  # fmt: skip
        types.create_feature(type, feature, range)
    cas = cassis.Cas(types)
    cas.sofa_string = TEXT
    cas.sofa_mime = "text/plain"
    cas.add(about(begin=0, end=len(TEXT), language="en", documentId="d1", documentTitle="On Apple"))
    cas.add(named(begin=2, end=12, value="PER"))
    cas.add(place(begin=17, end=22, identifier="Q312"))
    cas.add(named(begin=32, end=37, value="ORG", identifier="Q312"))
    cas.add(named(begin=13, end=16, value="EVENT"))
    second = link(begin=24, end=26)
    first = link(begin=2, end=12, next=second)
    cas.add(first)
    cas.add(second)
    cas.add(chain(first=first))
    return cas


EXPECTED = [
    ("Steve Jobs", 2, "person", "name", "chain1"),
    ("Apple", 17, "organisation", "name", "link:Q312"),
    ("He", 24, "person", "pronoun", "chain1"),
    ("Apple", 32, "organisation", "name", "link:Q312"),
]


def told(document):
    return [(m.text, m.start, m.type, m.kind, m.chain) for m in document.mentions]


def test_xmi(made, write):
    write("TypeSystem.xml", made.typesystem.to_xml())
    (document,) = read_documents(write("a.xmi", made.to_xmi()))
    assert (document.id, document.title, document.language, document.text) == ("d1", "On Apple", "en", TEXT)
    assert told(document) == EXPECTED


def test_json(made, write):
    (document,) = read_documents(write("a.json", made.to_json()), settings=Settings(format="cas"))
    assert told(document) == EXPECTED


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("<!DOCTYPE x [<!ENTITY y SYSTEM 'file:///etc/hostname'>]>\n<x>&y;</x>", "line 1: a document type"),
        ("<a>\n</b>", "line 2: it is not XML"),
        ("<a/>", "has no text"),
        ('{"a":\n}', "line 2: not valid JSON"),
        ('{"a": 1}', "cannot be read"),
    ],
)
def test_broken(made, write, content, why):
    write("TypeSystem.xml", made.typesystem.to_xml())
    with pytest.raises(errors.InputError) as error:
        read_documents(write("a.xmi", content))
    assert why in error.value.what
    assert "a.xmi" in error.value.what


def test_a_hostile_type_system(made, write):
    write("a.xml", "<!DOCTYPE x>\n<x/>")
    with pytest.raises(errors.InputError, match=r"a\.xml, line 1: a document type"):
        read_documents(write("a.xmi", made.to_xmi()))


def test_a_place_outside_the_text(made, write):
    cells = json.loads(made.to_json())
    next(cell for cell in cells["%FEATURE_STRUCTURES"] if cell.get("value") == "PER")["end"] = 900
    with pytest.raises(errors.InputError, match="cannot be read"):
        read_documents(write("a.json", json.dumps(cells)), settings=Settings(format="cas"))


def test_no_type_system(made, write):
    with pytest.raises(errors.InputError, match="no type system next to it"):
        read_documents(write("a.xmi", made.to_xmi()))


def test_without_the_package(write, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "cassis", None)
    path = write("a.xmi", "<a/>")
    with pytest.raises(errors.UsageError, match="needs dkpro-cassis"):
        list(read_cas(Source(path, "a.xmi", "cas")))
