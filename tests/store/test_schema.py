"""The tables of a result as Arrow schemas."""

import duckdb
import pyarrow as pa
import pytest

from crossdoc.model import Identity
from crossdoc.store import schema


@pytest.mark.parametrize("table", schema.TABLES)
def test_an_arrow_schema_is_inserted_as_it_is(table):
    rows = schema.as_table(table, [{}])
    assert rows.column_names == [column for name, column in schema.column_types() if name == table]
    with duckdb.connect(":memory:") as db:
        schema.create_tables(db)
        db.from_arrow(rows).insert_into(table)
        assert db.sql(f"FROM {table}").to_arrow_table().schema == schema.arrow_schema(table)


def test_rows_of_nested_columns():
    rows = [{"id": "a", "attributes": [("title", ["chair", "CEO"])], "relations": [{"type": "list", "name": "Bo"}]}]
    (found,) = schema.as_table("profiles", rows).to_pylist()
    assert found["attributes"] == [("title", ["chair", "CEO"])]
    assert found["relations"] == [{"type": "list", "name": "Bo", "profile": None, "evidence": None}]
    assert found["document"] is None


def test_a_cell_of_the_wrong_type_is_refused():
    with pytest.raises((pa.ArrowInvalid, pa.ArrowTypeError)):
        schema.as_table("history", [{"number": "first"}])


def test_cells_of_a_dataclass():
    identity = Identity("a", "Ann", None, "", {"Ann": 2}, 1, 2, None, None, 1.0)
    cells = schema.cells_of(identity, variants=list(identity.variants.items()))
    (row,) = schema.as_table("identities", [cells]).to_pylist()
    assert Identity(**{**row, "variants": dict(row["variants"])}) == identity


def test_the_version_is_a_number_and_levels_have_an_identity():
    assert int(schema.VERSION) > 0
    assert all({"id", "entity", "membership"} <= set(columns.names) for columns in schema.LEVELS.values())
