"""GraphRAG: a workflow between `extract_graph` and `finalize_graph` that makes one entity of one identity.

GraphRAG merges entities by title and type. The workflow looks at every text unit of an entity: namesakes become several
titles, variants one. Relationships follow, unit by unit. A description that GraphRAG wrote about several namesakes
cannot be taken apart; each of them keeps it.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from graphrag.index.typing.workflow import WorkflowFunctionOutput
from graphrag.index.workflows.factory import PipelineFactory

from crossdoc import errors
from crossdoc.integrations.graph_names import GraphCounts, NewNames, joined_descriptions, mention_row

WORKFLOW = "crossdoc"
AFTER = ("extract_graph", "prune_graph")
COLUMNS = {
    "entities": ("title", "type", "description", "text_unit_ids", "frequency"),
    "relationships": ("source", "target", "description", "text_unit_ids", "weight"),
    "text_units": ("id", "text"),
}
"""Table → the columns of GraphRAG 3 that are used."""


def register(pipeline: str = "standard", name: str = "crossdoc") -> list[str]:
    """Register the workflow, and under `name` a pipeline with it; return the workflows of that pipeline."""
    PipelineFactory.register(WORKFLOW, run_workflow)
    workflows = PipelineFactory.pipelines.get(pipeline)
    if workflows is None:
        raise errors.unknown_choice("pipeline", pipeline, sorted(map(str, PipelineFactory.pipelines)))
    at = max(workflows.index(each) for each in AFTER if each in workflows) + 1
    listed = [*workflows[:at], WORKFLOW, *workflows[at:]]
    PipelineFactory.register_pipeline(name, listed)
    return listed


async def run_workflow(config: Any, context: Any) -> WorkflowFunctionOutput:
    """Rewrite the tables `entities` and `relationships` of a run."""
    tables = context.output_table_provider
    given = [await tables.read_dataframe(name) for name in COLUMNS]
    entities, relationships, counts = resolve_graph(*given)
    await tables.write_dataframe("entities", entities)
    await tables.write_dataframe("relationships", relationships)
    return WorkflowFunctionOutput(result={"counts": counts})


def resolve_graph(
    entities: pd.DataFrame, relationships: pd.DataFrame, text_units: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame, GraphCounts]:
    """Return entities and relationships with one title per identity, and the counts."""
    check_columns(COLUMNS, {"entities": entities, "relationships": relationships, "text_units": text_units})
    titles = NewTitles(entities, text_units)
    return titles.entities(), titles.relationships(relationships), titles.counts


def title_form(name: str) -> str:
    """Return a name as GraphRAG writes titles. Communities would not find a title in any other form."""
    return html.unescape(name).upper().strip()


def check_columns(wanted: Mapping[str, Sequence[str]], tables: Mapping[str, pd.DataFrame]) -> None:
    """Refuse tables of another version of GraphRAG."""
    for name, columns in wanted.items():
        if missing := [column for column in columns if column not in tables[name].columns]:
            raise errors.other_graphrag(name, missing[0], list(tables[name].columns))


class NewTitles(NewNames):
    """One title per identity. A mention is an entity in one of its text units; `output` keeps the answer."""

    def __init__(self, entities: pd.DataFrame, text_units: pd.DataFrame, output: Path | None = None) -> None:
        texts = text_units.set_index("id")
        documents = texts["document_id"].to_dict() if "document_id" in texts else {}
        self._former = entities
        self._places = [
            (number, unit) for number, units in enumerate(entities.text_unit_ids) for unit in dict.fromkeys(units)
        ]
        titles, types = list(entities.title), list(entities.type)
        rows = [
            mention_row(f"{number}:{unit}", titles[number], types[number], texts.text.get(unit, ""),
                        str(documents.get(unit, unit)))
            for number, unit in self._places
        ]  # fmt: skip
        super().__init__(rows, [unit for _, unit in self._places], output, title_form)

    def entities(self) -> pd.DataFrame:
        found = pd.DataFrame(self._places, columns=["entity", "unit"]).assign(title=self.names)
        made = []
        for title, own in found.groupby("title", sort=False):
            former = self._former.iloc[own.entity.unique()]
            units = list(dict.fromkeys(own.unit))
            made.append(
                {**former.iloc[0].to_dict(), "title": title, "description": joined_descriptions(former.description),
                 "text_unit_ids": units, "frequency": len(units)}
            )  # fmt: skip
        return pd.DataFrame(made, columns=self._former.columns)

    def relationships(self, relationships: pd.DataFrame) -> pd.DataFrame:
        made: dict[tuple[str, str], dict[str, Any]] = {}
        for former in relationships.to_dict("records"):
            units = list(dict.fromkeys(former["text_unit_ids"]))
            for unit in units:
                key = self.of(former["source"], unit), self.of(former["target"], unit)
                row = made.setdefault(key, {**former, "text_unit_ids": [], "weight": 0.0, "description": []})
                row["text_unit_ids"] += [unit] if unit not in row["text_unit_ids"] else []
                row["weight"] += former["weight"] / len(units)
                row["description"].append(former["description"])
        listed = [
            {**row, "source": source, "target": target, "description": joined_descriptions(row["description"])}
            for (source, target), row in made.items()
        ]
        return pd.DataFrame(listed, columns=relationships.columns)
