"""The pass over a graph of Graphiti in Kuzu, in memory; the graph is as Graphiti leaves it after its episodes."""

import asyncio
from datetime import UTC, datetime

import pytest

pytest.importorskip("graphiti_core")
pytest.importorskip("kuzu")

from graphiti_core.driver.kuzu_driver import KuzuDriver
from graphiti_core.edges import EntityEdge, EpisodicEdge
from graphiti_core.nodes import EntityNode, EpisodeType, EpisodicNode

from crossdoc.integrations.graphiti import resolve_group
from crossdoc.run.resolution import Resolution

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
NOW = datetime(2026, 1, 1, tzinfo=UTC)
EPISODES = {
    "a": "John Smith, the chairman of General Motors, lives in Detroit.",
    "b": "The chairman of General Motors, J. Smith, closed plants in Detroit.",
    "c": "John Smith, leader of the Labour Party, spoke in the House of Commons.",
}
NODES = {"john": ("John Smith", "Person", "ac"), "j": ("J. Smith", "Person", "b"),
         "gm": ("General Motors", "Organization", "ab"), "labour": ("Labour Party", "Organization", "c"),
         "strike": ("Strike", "Event", "b")}  # fmt: skip
FACTS = {"f1": ("john", "gm", ["a"]), "f2": ("j", "gm", ["b"]), "f3": ("john", "labour", ["c"])}


async def fill(driver):
    for id, text in EPISODES.items():
        await EpisodicNode(uuid=id, name=id, group_id="g", created_at=NOW, valid_at=NOW, source=EpisodeType.text,
                           source_description="", content=text).save(driver)  # fmt: skip
    for id, (name, label, episodes) in NODES.items():
        await EntityNode(uuid=id, name=name, group_id="g", labels=["Entity", label], created_at=NOW,
                         name_embedding=[1.0, 2.0], summary=name).save(driver)  # fmt: skip
        for episode in episodes:
            await EpisodicEdge(uuid=f"{episode}-{id}", group_id="g", source_node_uuid=episode, target_node_uuid=id,
                               created_at=NOW).save(driver)  # fmt: skip
    for id, (source, target, episodes) in FACTS.items():
        await EntityEdge(uuid=id, group_id="g", source_node_uuid=source, target_node_uuid=target, name="LEADS",
                         fact=f"{source} leads {target}", fact_embedding=[3.0], episodes=episodes,
                         created_at=NOW).save(driver)  # fmt: skip


async def contents(driver):
    nodes = {each.uuid: each for each in await EntityNode.get_by_group_ids(driver, ["g"], with_embeddings=True)}
    mentions = {(each.source_node_uuid, each.target_node_uuid)
                for each in await EpisodicEdge.get_by_group_ids(driver, ["g"])}  # fmt: skip
    facts = {each.uuid: each for each in await EntityEdge.get_by_group_ids(driver, ["g"], with_embeddings=True)}
    return nodes, mentions, facts


def test_nodes_mentions_and_facts_follow_the_identities(tmp_path):
    async def run():
        driver = KuzuDriver()
        await fill(driver)
        counts = await resolve_group(driver, "g", output=tmp_path / "graph.crossdoc")
        first = await contents(driver)
        again = await resolve_group(driver, "g")
        return counts, first, again, await contents(driver)

    counts, (nodes, mentions, facts), again, later = asyncio.run(run())
    assert (counts.mentions, counts.nodes_before, counts.nodes, counts.joined, counts.split) == (7, 5, 5, 1, 1)
    person = {episode: node for episode, node in mentions if "Person" in nodes[node].labels}
    assert person["a"] == person["b"] != person["c"]
    assert len({nodes[node].attributes["identity"] for node in person.values()}) == 2
    assert nodes[person["c"]].name_embedding == [1.0, 2.0]
    assert len(mentions) == 7
    assert {(each.source_node_uuid, each.target_node_uuid) for each in facts.values()} == {
        (person["a"], "gm"), (person["c"], "labour")
    }  # fmt: skip
    assert len(facts) == 3
    assert all(each.fact_embedding == [3.0] for each in facts.values())
    assert (again.joined, again.split) == (0, 0)
    assert set(later[0]) == set(nodes)
    assert later[1] == mentions
    with Resolution.open(tmp_path / "graph.crossdoc") as answer:
        assert answer.explain("john:a", "j:b").strength > 0.5


def test_a_fact_of_two_people_becomes_two():
    async def run():
        driver = KuzuDriver()
        await fill(driver)
        fact = await EntityEdge.get_by_uuid(driver, "f1")
        await fact.load_fact_embedding(driver)
        fact.episodes = ["a", "c"]
        await fact.save(driver)
        await resolve_group(driver, "g")
        return await contents(driver)

    _, _, facts = asyncio.run(run())
    sources = {tuple(each.episodes): each.source_node_uuid for each in facts.values() if each.fact == "john leads gm"}
    assert set(sources) == {("a",), ("c",)}
    assert sources["a",] != sources["c",]


def test_an_empty_group_is_left_alone():
    async def run():
        return await resolve_group(KuzuDriver(), "g")

    assert asyncio.run(run()).nodes == 0
