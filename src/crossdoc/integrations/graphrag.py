"""GraphRAG: a workflow between `extract_graph` and `finalize_graph` that makes one entity of one identity.

GraphRAG merges entities by title and type. The workflow looks at every text unit of an entity: namesakes become several
titles, variants one. Relationships follow, unit by unit. A description that GraphRAG wrote about several namesakes
cannot be taken apart; each of them keeps it.

`resolve_index` does the same to a finished index on disk, into a new folder: entities, relationships, text units and
claims are rewritten, and communities found again by GraphRAG's own code, all without a language model. Reports of
communities and embeddings are not carried over: they describe the former entities.
"""

from __future__ import annotations

import asyncio
import html
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from graphrag.config.defaults import graphrag_config_defaults
from graphrag.index.run.utils import create_run_context
from graphrag.index.typing.workflow import WorkflowFunctionOutput
from graphrag.index.workflows.create_communities import create_communities
from graphrag.index.workflows.factory import PipelineFactory
from graphrag_storage.file_storage import FileStorage

from crossdoc import errors
from crossdoc.integrations.graph_names import GraphCounts, NewNames, further_id, joined_descriptions, mention_row

WORKFLOW = "crossdoc"
AFTER = ("extract_graph", "prune_graph")
COLUMNS = {
    "entities": ("title", "type", "description", "text_unit_ids", "frequency"),
    "relationships": ("source", "target", "description", "text_unit_ids", "weight"),
    "text_units": ("id", "text"),
}
"""Table → the columns of GraphRAG 3 that are used."""
ANSWER = "index.crossdoc"
"""The resolution, to explain, correct and undo."""
FINISHED = {
    "entities": ("id", "human_readable_id", "title", "type", "description", "text_unit_ids", "frequency", "degree"),
    "relationships": (
        "id", "human_readable_id", "source", "target", "description", "weight", "combined_degree", "text_unit_ids",
    ),
    "text_units": ("id", "text", "document_id", "entity_ids", "relationship_ids"),
}  # fmt: skip
"""Table → the columns of a finished index of GraphRAG 3 that are used."""
CLAIMS = ("subject_id", "object_id", "text_unit_id")
OUTDATED = ("community_reports",)
"""Tables that a language model wrote about the former entities."""


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
            raise errors.other_graph(f"The table {name}", f"column {missing[0]!r}", list(tables[name].columns))


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


def tables_folder(index: Path) -> Path:
    """Return the folder with the tables: `output` of an index, or the folder itself."""
    for folder in (index / "output", index):
        found = sorted(path.name for path in folder.glob("*.parquet"))
        if "entities.parquet" in found:
            return folder
        if found:
            raise errors.other_graph(folder, "table entities.parquet", found)
    raise errors.no_graphrag_index(index)


def resolve_index(index: Path, output: Path) -> GraphCounts:
    """Write new tables into the folder `output`, which must not exist; the index stays as it is."""
    if output.exists():
        raise errors.already_there(output)
    folder = tables_folder(index)
    tables = {path.stem: _read(path) for path in sorted(folder.glob("*.parquet"))}
    for name in FINISHED:
        if name not in tables:
            raise errors.unreadable(folder / f"{name}.parquet", "it is not there")
    check_columns(FINISHED, tables)
    part = output.with_name(f"{output.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    try:
        made, counts = _rewritten(tables, part / ANSWER)
        for name, table in made.items():
            table.to_parquet(part / f"{name}.parquet")
        if "communities" in tables and len(made["relationships"]):
            asyncio.run(_find_communities(part))
        part.rename(output)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return counts


def _read(path: Path) -> pd.DataFrame:
    try:
        return pd.read_parquet(path)
    except (OSError, ValueError) as error:
        raise errors.unreadable(path, str(error).splitlines()[0].rstrip(".")) from error


def _rewritten(tables: dict[str, pd.DataFrame], answer: Path) -> tuple[dict[str, pd.DataFrame], GraphCounts]:
    titles = NewTitles(tables["entities"], tables["text_units"], answer)
    entities, links = titles.entities(), titles.relationships(tables["relationships"])
    degree = Counter[str]()
    for source, target in {tuple(sorted(pair)) for pair in zip(links.source, links.target, strict=True)}:
        degree.update((source, target))
    entities = _numbered(entities, entities.title).assign(degree=[degree[title] for title in entities.title])
    links = _numbered(links, links.source + "\n" + links.target)
    links["combined_degree"] = [degree[a] + degree[b] for a, b in zip(links.source, links.target, strict=True)]
    units = tables["text_units"].assign(
        entity_ids=_ids_by_unit(tables["text_units"], entities),
        relationship_ids=_ids_by_unit(tables["text_units"], links),
    )
    kept = {name: table for name, table in tables.items() if name not in (*OUTDATED, "communities")}
    made = {**kept, "entities": entities, "relationships": links, "text_units": units}
    if "covariates" in made:
        made["covariates"] = _claims(made["covariates"], titles)
    return made, titles.counts


def _numbered(table: pd.DataFrame, keys: pd.Series) -> pd.DataFrame:
    """Number the rows. The first row of a former id keeps it; a further one gets an id from its former one and key."""
    again = table["id"].duplicated()
    ids = [further_id(id, key) if late else id for id, key, late in zip(table["id"], keys, again, strict=True)]
    return table.assign(id=ids, human_readable_id=range(len(table)))


def _ids_by_unit(units: pd.DataFrame, table: pd.DataFrame) -> list[list[str]]:
    pairs = table[["id", "text_unit_ids"]].explode("text_unit_ids")
    found = pairs.groupby("text_unit_ids")["id"].agg(list).to_dict()
    return [found.get(unit, []) for unit in units["id"]]


def _claims(claims: pd.DataFrame, titles: NewTitles) -> pd.DataFrame:
    """Rename subjects and objects, which are titles."""
    if not set(CLAIMS) <= set(claims.columns):
        return claims
    renamed: dict[str, list[Any]] = {
        end: [titles.of(title, unit) for title, unit in zip(claims[end], claims["text_unit_id"], strict=True)]
        for end in CLAIMS[:2]
    }
    return claims.assign(**renamed)


async def _find_communities(folder: Path) -> None:
    tables = create_run_context(output_storage=FileStorage(base_dir=str(folder))).output_table_provider
    chosen = graphrag_config_defaults.cluster_graph
    links = await tables.read_dataframe("relationships")
    async with tables.open("entities", truncate=False) as entities, tables.open("communities") as communities:
        await create_communities(
            communities, entities, links, chosen.max_cluster_size, chosen.use_lcc, seed=chosen.seed
        )
