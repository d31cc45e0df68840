"""Graphs in the real LightRAG, with an embedding and a tokenizer of our own: no model, no network."""

import asyncio
import hashlib
import logging
from contextlib import asynccontextmanager

import numpy as np
import pytest

pytest.importorskip("lightrag")

from lightrag import LightRAG
from lightrag.utils import EmbeddingFunc, Tokenizer

from crossdoc.errors import CrossdocError
from crossdoc.integrations.lightrag import apply_merges, prepare_graph, propose_merges
from crossdoc.run.resolution import Resolution

logging.getLogger("lightrag").setLevel(logging.ERROR)
CHUNKS = {
    "a": "John Smith, the chairman of General Motors, lives in Detroit.",
    "b": "The chairman of General Motors, J. Smith, closed plants in Detroit.",
    "c": "John Smith, leader of the Labour Party, spoke in the House of Commons.",
}
GRAPH = {
    "chunks": [{"content": text, "source_id": id, "file_path": f"{id}.txt"} for id, text in CHUNKS.items()],
    "entities": [
        {"entity_name": name, "entity_type": type, "description": f"{name} in {id}", "source_id": id}
        for name, type, id in (
            ("John Smith", "person", "a"), ("General Motors", "organization", "a"), ("J. Smith", "person", "b"),
            ("General Motors", "organization", "b"), ("Strike", "event", "b"), ("John Smith", "person", "c"),
            ("Labour Party", "organization", "c"),
        )
    ],
    "relationships": [
        {"src_id": a, "tgt_id": b, "description": "leads", "keywords": "leads", "weight": 1.0, "source_id": id}
        for a, b, id in (
            ("John Smith", "General Motors", "a"), ("J. Smith", "General Motors", "b"),
            ("John Smith", "Labour Party", "c"),
        )
    ],
}  # fmt: skip


class Letters:
    """A tokenizer that needs no file; LightRAG's own downloads one."""

    def encode(self, text):
        return [ord(letter) for letter in text]

    def decode(self, tokens):
        return "".join(map(chr, tokens))


async def embed(texts):
    seeds = [int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") for text in texts]
    return np.stack([np.random.default_rng(seed).normal(size=8) for seed in seeds])


async def no_model(*args, **kwargs):
    raise AssertionError("a language model was called")


@asynccontextmanager
async def opened(folder):
    rag = LightRAG(
        working_dir=str(folder), llm_model_func=no_model, tokenizer=Tokenizer("letters", Letters()),
        embedding_func=EmbeddingFunc(embedding_dim=8, max_token_size=100, func=embed),
    )  # fmt: skip
    await rag.initialize_storages()
    yield rag
    await rag.finalize_storages()


async def nodes_and_links(rag):
    graph = rag.chunk_entity_relation_graph
    nodes = {node["entity_id"]: node for node in await graph.get_all_nodes()}
    return nodes, {frozenset((edge["source"], edge["target"])) for edge in await graph.get_all_edges()}


def test_lightrag_alone_joins_namesakes_and_splits_variants(tmp_path):
    async def run():
        async with opened(tmp_path) as rag:
            await rag.ainsert_custom_kg(GRAPH)
            return await nodes_and_links(rag)

    nodes, links = asyncio.run(run())
    assert {"John Smith", "J. Smith"} <= set(nodes)
    assert {frozenset(("John Smith", "General Motors")), frozenset(("John Smith", "Labour Party"))} <= links


def test_a_prepared_graph_has_a_node_for_each_person(tmp_path):
    made, counts = prepare_graph(GRAPH, output=tmp_path / "graph.crossdoc")
    assert (counts.joined, counts.split) == (1, 1)
    people = [each["entity_name"] for each in made["entities"] if each["entity_type"] == "person"]
    assert len(set(people)) == 2

    async def run():
        async with opened(tmp_path / "rag") as rag:
            await rag.ainsert_custom_kg(made)
            return await nodes_and_links(rag)

    nodes, links = asyncio.run(run())
    assert set(people) | {"General Motors", "Labour Party", "Strike"} == set(nodes)
    assert len(links) == 2
    chairman = next(each for each in made["entities"] if each["entity_name"] == people[0])
    assert chairman["description"] == "John Smith in a\nJ. Smith in b"
    with Resolution.open(tmp_path / "graph.crossdoc") as answer:
        assert answer.explain("0", "2").strength > 0.5


def test_merges_are_proposed_and_made_by_lightrag(tmp_path):
    variants = {
        **GRAPH,
        "entities": [each for each in GRAPH["entities"] if each["source_id"] != "c"],
        "relationships": GRAPH["relationships"][:2],
    }

    async def run():
        async with opened(tmp_path) as rag:
            await rag.ainsert_custom_kg(variants)
            proposal = await propose_merges(rag)
            before = await nodes_and_links(rag)
            await apply_merges(rag, proposal.merges)
            return proposal, before, await nodes_and_links(rag)

    proposal, before, (nodes, links) = asyncio.run(run())
    (merge,) = proposal.merges
    assert (merge.source_entities, merge.target_entity) == (["J. Smith", "John Smith"], "John Smith")
    assert 0 < merge.certainty <= 1
    assert proposal.namesakes == {}
    assert set(before[0]) - set(nodes) == {"J. Smith"}
    assert links == {frozenset(("John Smith", "General Motors"))}


def test_a_node_of_two_people_is_listed_and_not_merged(tmp_path):
    # LightRAG keeps all chunks of an entity if documents are inserted one by one; custom graphs keep the last.
    async def run():
        async with opened(tmp_path) as rag:
            await rag.ainsert_custom_kg(GRAPH)
            graph = rag.chunk_entity_relation_graph
            node = await graph.get_node("John Smith")
            chunks = [(await graph.get_node(name))["source_id"] for name in ("General Motors", "Labour Party")]
            first = next(
                id for id in rag.text_chunks._data if "lives in Detroit" in rag.text_chunks._data[id]["content"]
            )
            await graph.upsert_node("John Smith", {**node, "source_id": f"{first}<SEP>{chunks[1]}"})
            return await propose_merges(rag)

    proposal = asyncio.run(run())
    assert list(proposal.namesakes) == ["John Smith"]
    assert len(proposal.namesakes["John Smith"]) == 2
    assert proposal.merges == []


def test_an_empty_graph_and_one_of_other_keys(tmp_path):
    async def run():
        async with opened(tmp_path) as rag:
            return await propose_merges(rag)

    assert asyncio.run(run()).merges == []
    with pytest.raises(CrossdocError, match="A record of entities has no key 'entity_name'; it has name, source_id"):
        prepare_graph({"entities": [{"name": "Ann Lee", "source_id": "a"}]})
