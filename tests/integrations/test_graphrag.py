"""The workflow inside GraphRAG, on tables as `extract_graph` writes them."""

import asyncio

import pandas as pd
import pytest

pytest.importorskip("graphrag")

from graphrag.index.run.utils import create_run_context
from graphrag.index.workflows.factory import PipelineFactory

from crossdoc.errors import CrossdocError
from crossdoc.integrations.graphrag import register, resolve_graph

UNITS = pd.DataFrame(
    [
        ("u1", "John Smith, the chairman of General Motors, lives in Detroit.", "a"),
        ("u2", "The chairman of General Motors, J. Smith, closed plants in Detroit.", "b"),
        ("u3", "John Smith, leader of the Labour Party, spoke in the House of Commons.", "c"),
    ],
    columns=["id", "text", "document_id"],
)
ENTITIES = pd.DataFrame(
    [
        # A model may extract an entity twice from one unit.
        ("JOHN SMITH", "PERSON", "A man.", ["u1", "u1", "u3"], 3),
        ("J. SMITH", "PERSON", "A chairman.", ["u2"], 1),
        ("GENERAL MOTORS", "ORGANIZATION", "A carmaker.", ["u1", "u2"], 2),
        ("LABOUR PARTY", "ORGANIZATION", "A party.", ["u3"], 1),
        ("STRIKE", "EVENT", "A strike.", ["u2"], 1),
    ],
    columns=["title", "type", "description", "text_unit_ids", "frequency"],
)
LINKS = pd.DataFrame(
    [
        ("JOHN SMITH", "GENERAL MOTORS", "leads", ["u1"], 1.0),
        ("J. SMITH", "GENERAL MOTORS", "leads", ["u2"], 1.0),
        ("JOHN SMITH", "LABOUR PARTY", "leads", ["u3"], 1.0),
    ],
    columns=["source", "target", "description", "text_unit_ids", "weight"],
)


def test_namesakes_become_two_titles_and_variants_one():
    entities, links, counts = resolve_graph(ENTITIES, LINKS, UNITS)
    people = entities[entities.type == "PERSON"]
    assert len(people) == 2
    assert (counts.joined, counts.split) == (1, 1)
    assert sorted(map(sorted, people.text_unit_ids)) == [["u1", "u2"], ["u3"]]
    assert "STRIKE" in set(entities.title)
    # GraphRAG's communities look titles up in capitals.
    assert all(entities.title == entities.title.str.upper())
    assert set(links.source) | set(links.target) <= set(entities.title)
    cars = links[links.target.str.contains("GENERAL|General")]
    assert len(cars) == 1
    assert cars.weight.iloc[0] == 2.0


def test_the_workflow_runs_in_a_pipeline_of_graphrag():
    listed = register("standard")
    assert listed.index("crossdoc") == listed.index("extract_graph") + 1

    async def run():
        context = create_run_context()
        for name, table in {"entities": ENTITIES, "relationships": LINKS, "text_units": UNITS}.items():
            await context.output_table_provider.write_dataframe(name, table)
        await PipelineFactory.workflows["crossdoc"](None, context)
        return [await context.output_table_provider.read_dataframe(name) for name in ("entities", "relationships")]

    entities, links = asyncio.run(run())
    assert (entities.type == "PERSON").sum() == 2
    assert len(links) == 2


def test_tables_of_another_version_and_an_unknown_pipeline_are_refused():
    with pytest.raises(CrossdocError, match="entities of this GraphRAG run has no column 'title'; it has name"):
        resolve_graph(ENTITIES.rename(columns={"title": "name"}), LINKS, UNITS)
    with pytest.raises(CrossdocError, match="no pipeline 'quick'"):
        register("quick")
