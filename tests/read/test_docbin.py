"""Documents that the user's own spaCy pipeline has annotated."""

import gc

import pytest
import spacy
from spacy.tokens import Doc, DocBin, Span

from crossdoc.errors import InputError
from crossdoc.extract.given import GivenExtractor, chain_entities
from crossdoc.model import Documents
from crossdoc.read import DocumentReader, find_sources
from crossdoc.run import resolve as pipeline

WORDS = ["John", "Smith", "runs", "Acme", ".", "He", "and", "Smith", "left", "Paris", "."]


def _doc(words=WORDS, entities=(), *, heads=None, deps=None, tags=None, **user_data):
    doc = Doc(spacy.blank("en").vocab, words, heads=heads, deps=deps, tags=tags)
    doc.ents = [Span(doc, start, end, label, kb_id=kb) for start, end, label, kb in entities]
    doc.user_data.update(user_data)
    return doc


PLAIN = [(0, 2, "PERSON", ""), (3, 4, "ORG", ""), (7, 8, "PER", ""), (9, 10, "LOC", "")]


@pytest.fixture
def saved(tmp_path):
    def save(*docs, name="docs.spacy"):
        DocBin(docs=docs, store_user_data=True).to_disk(tmp_path / name)
        return tmp_path / name

    return save


def _read(path, chain=None):
    return [document for batch in DocumentReader(find_sources([path]), chain=chain) for document in batch]


def _chains(document):
    """The texts of each profile's mentions."""
    mentions, profiles = GivenExtractor(100).extract(Documents.of([document]))
    return {profile.name: [mention.text for mention in mentions if mention.chain == profile.id] for profile in profiles}


def test_entities_become_mentions_with_our_types(saved):
    (document,) = _read(saved(_doc(entities=[*PLAIN, (2, 3, "DATE", "")], id="d7")))
    assert document.text == "John Smith runs Acme . He and Smith left Paris . "
    assert [(m.id, m.text, m.type) for m in document.mentions] == [
        ("d7:0:10", "John Smith", "person"),
        ("d7:16:20", "Acme", "organisation"),
        ("d7:30:35", "Smith", "person"),
        ("d7:41:46", "Paris", "place"),
    ]


def test_ids_come_from_the_user_or_are_running_numbers(saved):
    path = saved(_doc(), _doc(id="mine", title="A title", date="1996-01-14", language="en"))
    first, second = _read(path)
    assert first.id == "docs.spacy/1"
    assert (second.id, second.title, second.date, second.language) == ("mine", "A title", "1996-01-14", "en")


def test_without_a_parse_names_that_agree_are_one_chain(saved):
    (document,) = _read(saved(_doc(entities=PLAIN)))
    assert _chains(document) == {"John Smith": ["John Smith", "Smith"], "Acme": ["Acme"], "Paris": ["Paris"]}


def test_knowledge_base_ids_make_the_chains(saved):
    linked = [(0, 2, "PERSON", "Q1"), (3, 4, "ORG", "Q2"), (7, 8, "PERSON", "Q3"), (9, 10, "GPE", "NIL")]
    (document,) = _read(saved(_doc(entities=linked)))
    assert _chains(document) == {"John Smith": ["John Smith"], "Acme": ["Acme"], "Smith": ["Smith"], "Paris": ["Paris"]}


def test_coreference_clusters_make_the_chains_and_bring_their_pronouns(saved):
    doc = _doc(entities=PLAIN)
    doc.spans["coref_clusters_1"] = [doc[0:2], doc[5:6]]
    doc.spans["coref_clusters_2"] = [doc[7:8]]
    doc.spans["something else"] = [doc[3:4], doc[9:10]]
    (document,) = _read(saved(doc))
    chains = _chains(document)
    assert chains == {"John Smith": ["John Smith", "He"], "Smith": ["Smith"], "Acme": ["Acme"], "Paris": ["Paris"]}
    assert {m.text: m.kind for m in document.mentions}["He"] == "pronoun"


def _parsed():
    return _doc(
        ["John", "Smith", "runs", "Acme", ".", "He", "left", "."],
        [(0, 2, "PERSON", ""), (3, 4, "ORG", "")],
        heads=[1, 2, 2, 2, 2, 6, 6, 6],
        deps=["compound", "nsubj", "ROOT", "dobj", "punct", "nsubj", "ROOT", "punct"],
        tags=["NNP", "NNP", "VBZ", "NNP", ".", "PRP", "VBD", "."],
    )


def test_a_parsed_document_is_chained_as_the_caller_says(saved):
    path = saved(_parsed())
    assert _chains(_read(path)[0])["John Smith"] == ["John Smith"]
    assert _chains(_read(path, chain_entities)[0])["John Smith"] == ["John Smith", "He"]

    def one_chain(doc, entities, taken):
        return [(start, end, "person", "name", 0) for start, end, _ in entities]

    assert _chains(_read(path, one_chain)[0]) == {"John Smith": ["John Smith", "Acme"]}


def test_what_a_cluster_has_is_taken(saved):
    doc = _parsed()
    doc.spans["coref_clusters_1"] = [doc[3:4], doc[5:6]]
    assert _chains(_read(saved(doc), chain_entities)[0]) == {"John Smith": ["John Smith"], "Acme": ["Acme", "He"]}


def test_resolve_chains_a_parsed_document_with_its_pronouns(saved):
    with pipeline.resolve(saved(_parsed()), method="string-match") as resolution:
        assert {identity.name: identity.n_mentions for identity in resolution.identities()} == {
            "John Smith": 2,
            "Acme": 1,
        }


def test_resolve_reads_a_docbin(saved):
    docs = [_doc(entities=PLAIN, id=f"d{number}") for number in range(2)]
    with pipeline.resolve(saved(*docs), method="string-match") as resolution:
        (smith,) = resolution.find("John Smith")
        assert (smith.n_documents, smith.n_mentions) == (2, 4)


def test_types_that_were_not_asked_for_are_left_out(saved):
    with pipeline.resolve(saved(_doc(entities=PLAIN)), types=["place"], method="string-match") as resolution:
        assert [(i.name, i.n_mentions) for i in resolution.identities()] == [("Paris", 1)]
        assert resolution.store.count("mentions") == 1


@pytest.mark.parametrize("content", [b"", b"no DocBin at all", b"\x78\x9c\x03\x00\x00\x00\x00\x01"])
def test_what_is_no_docbin_is_named(tmp_path, content):
    path = tmp_path / "docs.spacy"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"docs\.spacy cannot be read: it is not a DocBin"):
        _read(path)
    assert gc.isenabled(), "the unpacker leaves it off"
