"""LightRAG: graphs prepared for `ainsert_custom_kg`, and merges proposed for `amerge_entities`.

In LightRAG the name of an entity is its id. A prepared graph gets one name per identity before it is inserted. In a
graph that is there already, variants can be merged; namesakes were made one node when they were inserted, and are
listed. No language model is called.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lightrag import LightRAG
from lightrag.constants import GRAPH_FIELD_SEP

from crossdoc import errors
from crossdoc.integrations.graph_names import GraphCounts, NewNames, joined_descriptions, mention_row
from crossdoc.run.mention_answer import resolve_mentions

NEEDED = {
    "chunks": ("content", "source_id"),
    "entities": ("entity_name", "source_id"),
    "relationships": ("src_id", "tgt_id", "source_id"),
}
"""List of a prepared graph → the keys that its records must have."""
Graph = Mapping[str, Sequence[Mapping[str, Any]]]


@dataclass(frozen=True)
class Merge:
    """Variants of one name, as `rag.amerge_entities(source_entities, target_entity)` takes them."""

    source_entities: list[str]
    target_entity: str
    certainty: float
    """That of the least certain mention."""


@dataclass(frozen=True)
class Proposal:
    """Changes to a graph that is there already."""

    merges: list[Merge]
    namesakes: dict[str, list[list[str]]]
    """Name → the chunks of each identity that it has. LightRAG cannot split a node; insert those documents again."""


def prepare_graph(graph: Graph, *, output: str | Path | None = None) -> tuple[dict[str, Any], GraphCounts]:
    """Return a graph for `ainsert_custom_kg` with one entity name per identity, and the counts.

    Parameters
    ----------
    graph : `chunks`, `entities` and `relationships` as `ainsert_custom_kg` takes them, one record per entity and chunk.
    output : path of the .crossdoc file to write; without it the answer is not kept.
    """
    for part, keys in NEEDED.items():
        for record in graph.get(part, ()):
            if missing := [key for key in keys if key not in record]:
                raise errors.other_graph(f"A record of {part}", f"key {missing[0]!r}", list(record))
    chunks = {chunk["source_id"]: chunk for chunk in graph.get("chunks", ())}
    entities = graph.get("entities", ())
    places = [each["source_id"] for each in entities]
    rows = [_row(str(at), each["entity_name"], each.get("entity_type"), chunks.get(each["source_id"]))
            for at, each in enumerate(entities)]  # fmt: skip
    named = NewNames(rows, places, output)
    grouped: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for each, name in zip(entities, named.names, strict=True):
        grouped[name].append(each)
    links = []
    for each in graph.get("relationships", ()):
        source, target = (named.of(each[end], each["source_id"]) for end in ("src_id", "tgt_id"))
        # LightRAG refuses a relationship of an entity with itself.
        if source != target:
            links.append({**each, "src_id": source, "tgt_id": target})
    made = [
        {**own[0], "entity_name": name, "description": joined_descriptions(each.get("description") for each in own)}
        for name, own in grouped.items()
    ]
    return {**graph, "entities": made, "relationships": links}, named.counts


async def propose_merges(rag: LightRAG, *, output: str | Path | None = None) -> Proposal:
    """Return names of one identity, and names of several; nothing is changed. A mention is an entity in a chunk."""
    nodes = await rag.chunk_entity_relation_graph.get_all_nodes()
    mentions = [
        (node, chunk) for node in nodes for chunk in dict.fromkeys(str(node["source_id"]).split(GRAPH_FIELD_SEP))
    ]
    ids = sorted({chunk for _, chunk in mentions})
    chunks = dict(zip(ids, await rag.text_chunks.get_by_ids(ids), strict=True))
    rows = [_row(f"{at}:{chunk}", node["entity_id"], node.get("entity_type"), chunks[chunk])
            for at, (node, chunk) in enumerate(mentions)]  # fmt: skip
    if not rows:
        return Proposal([], {})
    places: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    of_identity: dict[str, dict[str, float]] = defaultdict(dict)
    canonical: dict[str, str] = {}
    with resolve_mentions(rows, output=output) as answer:
        found = answer.rows
    for (node, chunk), row in zip(mentions, found, strict=True):
        name, identity = node["entity_id"], row["identity"]
        if identity is not None:
            places[name][identity].append(chunk)
            of_identity[identity][name] = min(row["certainty"], of_identity[identity].get(name, 1.0))
            canonical[identity] = row["canonical_name"]
    namesakes = {name: list(own.values()) for name, own in places.items() if len(own) > 1}
    merges = []
    for identity, own in of_identity.items():
        alone = {name: certainty for name, certainty in own.items() if name not in namesakes}
        if len(alone) > 1:
            target = canonical[identity] if canonical[identity] in alone else max(alone, key=len)
            merges.append(Merge(sorted(alone), target, min(alone.values())))
    return Proposal(merges, namesakes)


async def apply_merges(rag: LightRAG, merges: Sequence[Merge]) -> None:
    """Merge the entities of each proposal; LightRAG keeps their relationships and sources."""
    for each in merges:
        await rag.amerge_entities(each.source_entities, each.target_entity)


def _row(id: str, name: str, label: str | None, chunk: Mapping[str, Any] | None) -> dict[str, Any]:
    found = chunk or {}
    document = found.get("full_doc_id") or found.get("file_path") or found.get("source_id") or id
    return mention_row(id, name, label, found.get("content", ""), document)
