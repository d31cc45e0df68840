"""Docs of spaCy: resolved as a corpus, and marked one by one against an existing answer."""

import pytest
import spacy
from spacy.tokens import Doc

import crossdoc
from crossdoc.errors import CrossdocError

TEXTS = {
    "a": "John Smith, the chairman of General Motors, lives in Detroit.",
    "b": "The chairman of General Motors, John Smith, closed two plants in Detroit.",
    "c": "John Smith, the Labour leader, attacked the budget in the House of Commons.",
    "d": "The budget, said the Labour leader John Smith in the House of Commons, is a fraud.",
}


@pytest.fixture(scope="module")
def nlp():
    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "PERSON", "pattern": "John Smith"}, {"label": "DATE", "pattern": "Monday"}])
    return nlp


def docs_of(nlp, texts=TEXTS) -> list[Doc]:
    docs = [nlp(text) for text in texts.values()]
    for id, doc in zip(texts, docs, strict=True):
        doc.user_data["id"] = id
    return docs


@pytest.fixture(scope="module")
def kept(nlp, tmp_path_factory):
    path = tmp_path_factory.mktemp("spacy") / "smith.crossdoc"
    crossdoc.from_spacy(docs_of(nlp), output=path).close()
    return path


def test_a_corpus_keeps_its_ids_and_its_spans_get_identities(nlp):
    docs = docs_of(nlp)
    with crossdoc.from_spacy(docs) as answer:
        found = [{member.document for member in identity.members} for identity in answer.identities()]
    assert sorted(map(sorted, found)) == [["a", "b"], ["c", "d"]]
    first, second, third, _ = (doc.ents[0]._ for doc in docs)
    assert first.identity == second.identity != third.identity
    assert first.identity_name == "John Smith"
    assert 0 < first.identity_certainty <= 1


def test_a_component_marks_new_docs_and_leaves_the_file_alone(nlp, kept):
    before = kept.read_bytes()
    nlp.add_pipe("crossdoc", config={"resolution": str(kept)})
    try:
        doc, other = nlp.pipe(["John Smith, the Labour leader, left the House of Commons on Monday.", "Nothing."])
    finally:
        nlp.remove_pipe("crossdoc")
    smith, monday = doc.ents
    with crossdoc.open(kept) as answer:
        owner = {row["document"]: row["entity"] for row in answer.answer().to_pylist()}
    assert smith._.identity == owner["c"]
    assert monday._.identity is None
    assert not other.ents
    assert kept.read_bytes() == before


def test_with_write_the_file_grows(nlp, kept, tmp_path):
    copy = tmp_path / "copy.crossdoc"
    copy.write_bytes(kept.read_bytes())
    component = nlp.create_pipe("crossdoc", config={"resolution": str(copy), "write": True})
    component(nlp("The chairman of General Motors, John Smith, spoke."))
    component.answer.close()
    with crossdoc.open(copy) as answer:
        assert answer.store.sizes()["documents"] == len(TEXTS) + 1


def test_wrong_input_is_named(nlp, tmp_path):
    with pytest.raises(CrossdocError, match="spaCy Docs were expected"):
        crossdoc.from_spacy(["text"])
    with pytest.raises(CrossdocError, match="has no answer"):
        nlp.create_pipe("crossdoc")
    with pytest.raises(CrossdocError, match=r"none\.crossdoc"):
        nlp.create_pipe("crossdoc", config={"resolution": str(tmp_path / "none.crossdoc")})
    path = tmp_path / "profiles.crossdoc"
    crossdoc.resolve([crossdoc.Profile("p", "d", "Ann Lee")], output=path).close()
    with pytest.raises(CrossdocError, match="made from profiles"):
        nlp.create_pipe("crossdoc", config={"resolution": str(path)})
