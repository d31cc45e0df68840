"""LlamaIndex: a transformation after the extractors of a `PropertyGraphIndex` that makes one node of one identity.

In LlamaIndex the name of an `EntityNode` is its id: namesakes are one node, variants are several. This renames the
entities and the ends of their relations in `node.metadata`, without a language model.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from llama_index.core.graph_stores.types import KG_NODES_KEY, KG_RELATIONS_KEY, EntityNode
from llama_index.core.schema import BaseNode, MetadataMode, TransformComponent
from pydantic import PrivateAttr

from crossdoc.integrations.graph_names import GraphCounts, mention_row, new_names
from crossdoc.run.mention_answer import resolve_mentions


class CrossdocResolver(TransformComponent):
    """Put it last in `kg_extractors`.

    Parameters
    ----------
    answer : path of a .crossdoc file that keeps the answer, so that later documents join its identities; None keeps
        nothing.

    `counts` says how many nodes there were and are.
    """

    answer: str | None = None
    _counts: GraphCounts | None = PrivateAttr(default=None)

    @property
    def counts(self) -> GraphCounts | None:
        return self._counts

    def __call__(self, nodes: Sequence[BaseNode], **kwargs: Any) -> Sequence[BaseNode]:
        found = [
            (node, entity) for node in nodes for entity in node.metadata.get(KG_NODES_KEY) or ()
            if isinstance(entity, EntityNode)
        ]  # fmt: skip
        if not found:
            return nodes
        rows = {_key(node, entity): _row(node, entity) for node, entity in found}
        exists = self.answer is not None and Path(self.answer).exists()
        target = {"into": self.answer} if exists else {"output": self.answer}
        with resolve_mentions(list(rows.values()), **target) as answer:  # type: ignore[arg-type]
            renamed, self._counts = new_names(answer, [row["name"] for row in rows.values()])
            identities = dict(zip(rows, (row["identity"] for row in answer.rows), strict=True))
        name_of = dict(zip(rows, renamed, strict=True))
        for node in nodes:
            _rename(node, name_of, identities)
        return nodes


def _row(node: BaseNode, entity: EntityNode) -> dict[str, Any]:
    text = node.get_content(metadata_mode=MetadataMode.NONE)
    return mention_row(_key(node, entity), entity.name, entity.label, text, node.ref_doc_id or node.node_id)


def _key(node: BaseNode, entity: EntityNode) -> str:
    return f"{node.node_id}:{entity.id}"


def _rename(node: BaseNode, name_of: dict[str, str], identities: dict[str, str | None]) -> None:
    moved: dict[str, str] = {}
    for entity in node.metadata.get(KG_NODES_KEY) or ():
        if isinstance(entity, EntityNode) and (key := _key(node, entity)) in name_of:
            former = entity.id
            if identities[key] is not None:
                entity.properties = {**entity.properties, "identity": identities[key], "mentioned_as": entity.name}
            entity.name = name_of[key]
            moved[former] = entity.id
    for relation in node.metadata.get(KG_RELATIONS_KEY) or ():
        relation.source_id = moved.get(relation.source_id, relation.source_id)
        relation.target_id = moved.get(relation.target_id, relation.target_id)
