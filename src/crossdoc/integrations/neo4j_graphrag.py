"""neo4j-graphrag: an `EntityResolver` that links entities to identities, where the package's own resolvers merge nodes.

    (:Document)<-[:FROM_DOCUMENT]-(:Chunk)<-[:FROM_CHUNK]-(:__Entity__)-[:IS {certainty}]->(:Identity {id, name, type})

No node and no relationship of the graph is changed. A later run replaces the links of the entities that it selects.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import neo4j
from neo4j_graphrag.components.resolver import EntityResolver
from neo4j_graphrag.components.types import ResolutionStats

from crossdoc.integrations.graph_names import mention_row
from crossdoc.run.mention_answer import resolve_mentions

RESERVED = ("__Entity__", "__KGBuilder__")
SELECT = "MATCH (entity:__Entity__)"
READ = """
OPTIONAL MATCH (entity)-[:FROM_CHUNK]->(chunk:Chunk)
OPTIONAL MATCH (chunk)-[:FROM_DOCUMENT]->(document:Document)
RETURN elementId(entity) AS id, labels(entity) AS labels, entity.name AS name,
       collect(DISTINCT chunk.text) AS texts, collect(DISTINCT document.path) AS paths
"""
FORGET = """
UNWIND $ids AS id
MATCH (entity:__Entity__)-[link:IS]->(:Identity)
WHERE elementId(entity) = id
DELETE link
"""
LINK = """
UNWIND $links AS row
MATCH (entity:__Entity__)
WHERE elementId(entity) = row.entity
MERGE (identity:Identity {id: row.identity})
SET identity.name = row.name, identity.type = row.type
MERGE (entity)-[link:IS]->(identity)
SET link.certainty = row.certainty
"""
SWEEP = "MATCH (identity:Identity) WHERE NOT (identity)<-[:IS]-() DELETE identity"


class IdentityResolver(EntityResolver):
    """A component for the end of a knowledge graph pipeline.

    Parameters
    ----------
    driver : the driver of the database.
    filter_query : a Cypher clause after `MATCH (entity:__Entity__)` that selects entities, as for other resolvers.
    answer : path of the .crossdoc file to write, to explain and correct; without it the answer is not kept.
    neo4j_database : name of the database; None is the server's default.
    """

    def __init__(
        self,
        driver: neo4j.Driver,
        filter_query: str | None = None,
        answer: str | None = None,
        neo4j_database: str | None = None,
    ) -> None:
        super().__init__(driver, filter_query)
        self.answer = answer
        self.neo4j_database = neo4j_database

    async def run(self) -> ResolutionStats:
        """Return how many entities were read, and how many identities they are."""
        records = self._execute(f"{SELECT} {self.filter_query or ''} {READ}")
        rows = [_row(record) for record in records if record["name"]]
        if not rows:
            return ResolutionStats(number_of_nodes_to_resolve=0)
        if self.answer is not None:
            Path(self.answer).unlink(missing_ok=True)
        with resolve_mentions(rows, output=self.answer) as answer:
            types = {each.id: each.type for each in answer.resolution.store.identities()}
            links = [
                {"entity": row["id"], "identity": row["identity"], "name": row["canonical_name"],
                 "type": types[row["identity"]], "certainty": row["certainty"]}
                for row in answer.rows if row["identity"] is not None
            ]  # fmt: skip
        self._execute(FORGET, ids=[row["id"] for row in rows])
        self._execute(LINK, links=links)
        self._execute(SWEEP)
        found = len({link["identity"] for link in links})
        return ResolutionStats(number_of_nodes_to_resolve=len(rows), number_of_created_nodes=found)

    def _execute(self, query: str, **parameters: Any) -> list[neo4j.Record]:
        return self.driver.execute_query(query, parameters, database_=self.neo4j_database).records


def _row(record: neo4j.Record) -> dict[str, Any]:
    labels = [label for label in record["labels"] if label not in RESERVED]
    document = "\n".join(record["paths"]) or record["id"]
    return mention_row(record["id"], record["name"], next(iter(labels), None), "\n".join(record["texts"]), document)
