"""The workflow inside GraphRAG, on tables as `extract_graph` writes them; and a finished index on disk, made by
GraphRAG's own workflows, resolved, and read again by its own reader."""

import asyncio
import shutil

import pandas as pd
import pytest

pytest.importorskip("graphrag")

from graphrag.config.defaults import graphrag_config_defaults
from graphrag.data_model.data_reader import DataReader
from graphrag.index.run.utils import create_run_context
from graphrag.index.workflows.create_communities import create_communities
from graphrag.index.workflows.create_final_text_units import create_final_text_units
from graphrag.index.workflows.factory import PipelineFactory
from graphrag.index.workflows.finalize_graph import finalize_graph
from graphrag_storage.file_storage import FileStorage
from typer.testing import CliRunner

from crossdoc.cli import app
from crossdoc.errors import CrossdocError
from crossdoc.integrations.graphrag import register, resolve_graph
from crossdoc.run.resolution import Resolution

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
    with pytest.raises(CrossdocError, match="table entities has no column 'title'; it has name"):
        resolve_graph(ENTITIES.rename(columns={"title": "name"}), LINKS, UNITS)
    with pytest.raises(CrossdocError, match="no pipeline 'quick'"):
        register("quick")


# -- a finished index ------------------------------------------------------------------------------------------------

TEXTS = {
    "u1": ("a", "John Smith, the chairman of General Motors, lives in Detroit."),
    "u2": ("b", "The chairman of General Motors, J. Smith, closed plants in Detroit."),
    "u3": ("c", "John Smith, leader of the Labour Party, spoke in the House of Commons."),
}
NODES = [
    ("JOHN SMITH", "PERSON", "A man.", ["u1", "u3"], 2),
    ("J. SMITH", "PERSON", "A chairman.", ["u2"], 1),
    ("GENERAL MOTORS", "ORGANIZATION", "A carmaker.", ["u1", "u2"], 2),
    ("LABOUR PARTY", "ORGANIZATION", "A party.", ["u3"], 1),
    ("STRIKE", "EVENT", "A strike.", ["u2"], 1),
]
EDGES = [
    ("JOHN SMITH", "GENERAL MOTORS", "leads", ["u1"], 1.0),
    ("J. SMITH", "GENERAL MOTORS", "leads", ["u2"], 1.0),
    ("JOHN SMITH", "LABOUR PARTY", "leads", ["u3"], 1.0),
]
CLAIM = {"id": "k", "subject_id": "J. SMITH", "object_id": "NONE", "text_unit_id": "u2", "description": "closed plants"}


def provider(folder):
    return create_run_context(output_storage=FileStorage(base_dir=str(folder))).output_table_provider


async def finish(folder):
    tables = provider(folder)
    units = [
        {"id": id, "human_readable_id": n, "text": text, "n_tokens": len(text.split()), "document_id": document}
        for n, (id, (document, text)) in enumerate(TEXTS.items())
    ]
    columns = ["description", "text_unit_ids"]
    await tables.write_dataframe("text_units", pd.DataFrame(units))
    await tables.write_dataframe("documents", pd.DataFrame({"id": list("abc")}))
    await tables.write_dataframe("entities", pd.DataFrame(NODES, columns=["title", "type", *columns, "frequency"]))
    await tables.write_dataframe("relationships", pd.DataFrame(EDGES, columns=["source", "target", *columns, "weight"]))
    await tables.write_dataframe("community_reports", pd.DataFrame({"id": ["r"]}))
    await tables.write_dataframe("covariates", pd.DataFrame([CLAIM]))
    async with tables.open("entities") as entities, tables.open("relationships") as links:
        await finalize_graph(entities, links)
    entities, links = tables.open("entities", truncate=False), tables.open("relationships", truncate=False)
    async with tables.open("text_units") as read, tables.open("text_units") as written:
        await create_final_text_units(read, entities, links, written, None)
    chosen = graphrag_config_defaults.cluster_graph
    links = await DataReader(tables).relationships()
    async with tables.open("communities") as communities:
        await create_communities(communities, entities, links, chosen.max_cluster_size, chosen.use_lcc, chosen.seed)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    root = tmp_path_factory.mktemp("index")
    asyncio.run(finish(root / "output"))
    return root


@pytest.fixture
def index(finished, tmp_path):
    return shutil.copytree(finished, tmp_path / "ragtest")


def run(*arguments):
    return CliRunner().invoke(app, ["graphrag", *map(str, arguments)])


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


async def read(folder):
    reader = DataReader(provider(folder))
    return [await each() for each in (reader.entities, reader.relationships, reader.text_units, reader.communities)]


def test_an_index_gets_one_entity_per_identity_and_the_original_stays(index):
    before = contents(index)
    ran = run(index)
    assert ran.exit_code == 0, ran.output
    assert "5 entities became 5: 1 titles were namesakes, 1 were variants of another." in ran.output
    assert contents(index) == before
    made = index.with_name("ragtest-crossdoc")
    entities, links, units, communities = asyncio.run(read(made))
    people = entities[entities.type == "PERSON"]
    assert sorted(map(sorted, people.text_unit_ids)) == [["u1", "u2"], ["u3"]]
    assert entities.id.is_unique
    assert links.id.is_unique
    assert list(entities.human_readable_id) == list(range(5))
    assert set(links.source) | set(links.target) <= set(entities.title)
    degree = dict(zip(entities.title, entities.degree, strict=True))
    assert sorted(degree.values()) == [0, 1, 1, 1, 1]
    assert set(links.combined_degree) == {2}
    by_unit = {unit: set(ids) for unit, ids in zip(units.id, units.entity_ids, strict=True)}
    assert by_unit["u3"] == set(entities[entities.text_unit_ids.map(lambda own: "u3" in own)].id)
    assert {id for ids in communities.entity_ids for id in ids} <= set(entities.id)
    assert {id for ids in units.relationship_ids for id in ids} == set(links.id)
    claim = pd.read_parquet(made / "covariates.parquet").iloc[0]
    assert claim.subject_id in set(people.title)
    assert claim.object_id == "NONE"
    assert not (made / "community_reports.parquet").exists()
    assert (made / "documents.parquet").exists()
    with Resolution.open(made / "index.crossdoc") as answer:
        assert answer.explain("0:u1", "1:u2").strength > 0.5


def test_entities_keep_their_ids(index, tmp_path):
    before = pd.read_parquet(index / "output" / "entities.parquet")
    assert run(index / "output", "-o", tmp_path / "one").exit_code == 0
    assert run(index / "output", "-o", tmp_path / "two").exit_code == 0
    ids = [list(pd.read_parquet(tmp_path / each / "entities.parquet").id) for each in ("one", "two")]
    assert ids[0] == ids[1]
    assert len(set(ids[0]) & set(before.id)) == 4


def drop(table, column):
    def change(folder):
        path = folder / f"{table}.parquet"
        pd.read_parquet(path).drop(columns=column).to_parquet(path)

    return change


def of_version_1(folder):
    for name in ("entities", "relationships", "text_units"):
        (folder / f"{name}.parquet").rename(folder / f"create_final_{name}.parquet")


def of_version_2(folder):
    path = folder / "text_units.parquet"
    pd.read_parquet(path).rename(columns={"document_id": "document_ids"}).to_parquet(path)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (of_version_1, "has no table entities.parquet; it has .*create_final_entities.parquet"),
        (of_version_2, "text_units has no column 'document_id'; it has id, .*document_ids"),
        (drop("entities", "degree"), "entities has no column 'degree'"),
        (lambda folder: (folder / "relationships.parquet").unlink(), "relationships.parquet cannot be read"),
        (lambda folder: (folder / "entities.parquet").write_text("no parquet"), "entities.parquet cannot be read"),
        (shutil.rmtree, "ragtest holds no index of GraphRAG"),
    ],
)
def test_another_index_is_refused_and_nothing_written(index, spoil, message):
    spoil(index / "output")
    ran = run(index)
    assert ran.exit_code != 0
    assert pd.Series(" ".join(ran.output.split())).str.contains(message).all(), ran.output
    assert [path.name for path in index.parent.iterdir()] == ["ragtest"]


def test_a_folder_that_exists_is_not_replaced(index, tmp_path):
    (tmp_path / "there").mkdir()
    ran = run(index, "-o", tmp_path / "there")
    assert ran.exit_code == 2
    assert "already exists" in ran.output
