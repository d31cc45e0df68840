"""Graphiti: a pass over the entities of a group that makes one node of one identity, after episodes were added.

Graphiti takes a single node of the same name without a look at the context. The pass reads each entity in each of its
episodes: nodes of variants become one, a node of namesakes becomes several, and mentions and facts follow, episode by
episode. It uses Graphiti's own nodes and edges, so that it works with every driver, and calls no language model.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from graphiti_core.driver.driver import GraphDriver
from graphiti_core.edges import EntityEdge, EpisodicEdge
from graphiti_core.errors import GroupsEdgesNotFoundError, GroupsNodesNotFoundError
from graphiti_core.nodes import EntityNode, EpisodicNode

from crossdoc.integrations.graph_names import GraphCounts, further_id, mention_row
from crossdoc.run.mention_answer import resolve_mentions

Place = tuple[str, str]
"""Entity and episode."""


async def resolve_group(driver: GraphDriver, group_id: str = "", *, output: str | Path | None = None) -> GraphCounts:
    """Rewrite the entities, mentions and facts of a group, and return the counts.

    Parameters
    ----------
    driver : the driver of a Graphiti, `graphiti.driver`.
    group_id : the group of the graph.
    output : path of the .crossdoc file to write; without it the answer is not kept. Keep it: Graphiti has no undo.
    """
    try:
        found_nodes = await EntityNode.get_by_group_ids(driver, [group_id], with_embeddings=True)
        mentions = await EpisodicEdge.get_by_group_ids(driver, [group_id])
    except (GroupsNodesNotFoundError, GroupsEdgesNotFoundError):
        return GraphCounts(0, 0, 0, 0, 0)
    nodes = {each.uuid: each for each in found_nodes}
    episodes = {each.uuid: each for each in await EpisodicNode.get_by_group_ids(driver, [group_id])}
    places = sorted({(each.target_node_uuid, each.source_node_uuid) for each in mentions})
    rows = [_row(nodes[node], episodes[episode]) for node, episode in places]
    with resolve_mentions(rows, output=output) as answer:
        identities = [row["identity"] for row in answer.rows]
    found = {place: identity for place, identity in zip(places, identities, strict=True) if identity is not None}
    kept = _keepers(found, nodes)
    moved = {place: kept[identity].uuid for place, identity in found.items()}
    for identity, node in kept.items():
        node.attributes = {**node.attributes, "identity": identity}
        await node.save(driver)
    await _move_mentions(driver, mentions, moved)
    await _move_facts(driver, group_id, moved)
    gone = {node for node, _ in found} - {node.uuid for node in kept.values()}
    for node in sorted(gone):
        await nodes[node].delete(driver)
    others = set(nodes) - {node for node, _ in found}
    return GraphCounts.of(len(places), ((node, new) for (node, _), new in moved.items()), len(others))


def _row(node: EntityNode, episode: EpisodicNode) -> dict[str, Any]:
    label = next((label for label in node.labels if label != "Entity"), None)
    return mention_row(f"{node.uuid}:{episode.uuid}", node.name, label, episode.content, episode.uuid)


def _keepers(found: dict[Place, str], nodes: dict[str, EntityNode]) -> dict[str, EntityNode]:
    """Return the node of each identity: the one with most of its mentions, or a copy if another identity has that."""
    by_identity: dict[str, Counter[str]] = defaultdict(Counter)
    for (node, _), identity in found.items():
        by_identity[identity][node] += 1
    kept: dict[str, EntityNode] = {}
    taken: set[str] = set()
    for identity, own in sorted(by_identity.items(), key=lambda each: (-each[1].total(), each[0])):
        free = [node for node, _ in own.most_common() if node not in taken]
        if free:
            kept[identity] = nodes[free[0]]
        else:
            first = nodes[own.most_common(1)[0][0]]
            kept[identity] = first.model_copy(update={"uuid": further_id(first.uuid, identity)})
        taken.add(kept[identity].uuid)
    return kept


async def _move_mentions(driver: GraphDriver, mentions: Sequence[EpisodicEdge], moved: dict[Place, str]) -> None:
    there: set[Place] = set()
    for each in sorted(mentions, key=lambda edge: edge.uuid):
        target = moved.get((each.target_node_uuid, each.source_node_uuid), each.target_node_uuid)
        if target != each.target_node_uuid or (target, each.source_node_uuid) in there:
            await each.delete(driver)
            if (target, each.source_node_uuid) not in there:
                await each.model_copy(update={"target_node_uuid": target}).save(driver)
        there.add((target, each.source_node_uuid))


async def _move_facts(driver: GraphDriver, group_id: str, moved: dict[Place, str]) -> None:
    """Give facts their ends by episode. A fact whose episodes are about several people becomes several facts."""
    try:
        facts = await EntityEdge.get_by_group_ids(driver, [group_id], with_embeddings=True)
    except GroupsEdgesNotFoundError:
        return
    for fact in facts:
        ends: dict[Place, list[str]] = defaultdict(list)
        for episode in fact.episodes:
            source = moved.get((fact.source_node_uuid, episode), fact.source_node_uuid)
            ends[source, moved.get((fact.target_node_uuid, episode), fact.target_node_uuid)].append(episode)
        if not ends or list(ends) == [(fact.source_node_uuid, fact.target_node_uuid)]:
            continue
        await fact.delete(driver)
        for number, ((source, target), own) in enumerate(ends.items()):
            id = fact.uuid if number == 0 else further_id(fact.uuid, source + target)
            change = {"uuid": id, "source_node_uuid": source, "target_node_uuid": target, "episodes": own}
            await fact.model_copy(update=change).save(driver)
