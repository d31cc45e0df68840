"""A property graph built by LlamaIndex from start to end, without a language model."""

import pytest

pytest.importorskip("llama_index.core")

from llama_index.core import Document, MockEmbedding, PropertyGraphIndex
from llama_index.core.graph_stores import SimplePropertyGraphStore
from llama_index.core.graph_stores.types import EntityNode, Relation
from llama_index.core.schema import TransformComponent

from crossdoc.integrations.llama_index import CrossdocResolver

TEXTS = {
    "a": ("John Smith", "General Motors", "John Smith, the chairman of General Motors, lives in Detroit."),
    "b": ("J. Smith", "General Motors", "The chairman of General Motors, J. Smith, closed plants in Detroit."),
    "c": ("John Smith", "Labour Party", "John Smith, leader of the Labour Party, spoke in the House of Commons."),
}


class Given(TransformComponent):
    """An extractor that knows the answer: one person and one organisation per text."""

    def __call__(self, nodes, **kwargs):
        for node in nodes:
            person, group, _ = TEXTS[node.ref_doc_id]
            ends = [EntityNode(name=person, label="PERSON"), EntityNode(name=group, label="ORGANIZATION")]
            node.metadata["nodes"] = ends
            node.metadata["relations"] = [Relation(label="LEADS", source_id=ends[0].id, target_id=ends[1].id)]
        return nodes


def build(*extractors, texts=TEXTS, store=None):
    store = store or SimplePropertyGraphStore()
    documents = [Document(text=text, id_=id) for id, (_, _, text) in texts.items()]
    PropertyGraphIndex.from_documents(
        documents, kg_extractors=[Given(), *extractors], property_graph_store=store, embed_kg_nodes=False,
        embed_model=MockEmbedding(2), use_async=False,
    )  # fmt: skip
    return store


def people(store):
    return {node.name for node in store.get() if getattr(node, "label", "") == "PERSON"}


def test_llama_index_alone_joins_namesakes_and_splits_variants():
    assert people(build()) == {"John Smith", "J. Smith"}


def test_with_crossdoc_namesakes_are_two_nodes_and_variants_one():
    resolver = CrossdocResolver()
    store = build(resolver)
    assert len(people(store)) == 2
    assert "J. Smith" not in people(store)
    assert (resolver.counts.joined, resolver.counts.split) == (1, 1)
    led = {(subject.name, object.name) for subject, relation, object in store.get_triplets(relation_names=["LEADS"])}
    assert {group for _, group in led} == {"General Motors", "Labour Party"}
    assert len({person for person, group in led if group == "General Motors"}) == 1
    node = next(node for node in store.get() if node.properties.get("mentioned_as") == "J. Smith"
                or node.properties.get("identity"))  # fmt: skip
    assert node.properties["identity"]


def test_later_documents_join_the_nodes_that_are_there(tmp_path):
    path = str(tmp_path / "graph.crossdoc")
    first = {key: TEXTS[key] for key in "ac"}
    store = build(CrossdocResolver(answer=path), texts=first)
    before = people(store)
    build(CrossdocResolver(answer=path), texts={"b": TEXTS["b"]}, store=store)
    assert people(store) == before


def test_nodes_without_entities_pass():
    assert CrossdocResolver()([]) == []
