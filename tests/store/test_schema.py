"""The tables of a result as Arrow schemas."""

import duckdb
import pyarrow as pa
import pytest

import crossdoc
from crossdoc import errors
from crossdoc.model import Document, Identity
from crossdoc.store import Store, schema
from crossdoc.store.schema import inconsistency


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


@pytest.fixture
def crafted(whole_result, tmp_path):
    def make(statement):
        path = tmp_path / "b.crossdoc"
        path.write_bytes(whole_result.read_bytes())
        with duckdb.connect(str(path)) as db:
            db.execute(statement)
        return path

    return make


def test_nothing_is_wrong_with_what_runs_write(whole_result, result):
    for path in (whole_result, result):
        with Store.open(path) as store:
            assert inconsistency(store._db) is None


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("UPDATE profiles SET id = 'x'", "two profiles of one id"),
        ("UPDATE profiles SET id = id || '!' WHERE id = 'd0'", "a membership of a profile"),
        ("DELETE FROM memberships WHERE id = 'd0'", "a profile without an identity"),
        ("DELETE FROM identities", "a membership in an identity"),
        ("UPDATE memberships SET membership = 'NaN'", "memberships that are not numbers"),
        ("UPDATE memberships SET membership = NULL", "memberships that are not numbers"),
        ("UPDATE mentions SET \"end\" = 99999", "a mention outside its document"),
        ("UPDATE mentions SET start = NULL", "a mention outside its document"),
        ("DELETE FROM documents WHERE id = 'd0'", "a mention in a document that does not exist"),
        ("UPDATE known_odds SET known = 'Q2'", "an entry that does not exist"),
        ("UPDATE known_odds SET odds = 'inf'", "values that are not numbers"),
        ("UPDATE identities SET certainty = 'NaN'", "values that are not numbers"),
        ("UPDATE identities SET n_documents = NULL", "values that are not numbers"),
        ("UPDATE identities SET n_mentions = -1", "values that are not numbers"),
        ("UPDATE word_counts SET n = -1", "counts that cannot be"),
        ("UPDATE bearers SET n = -1", "counts that cannot be"),
        ("UPDATE known SET description = NULL", "known with nothing in"),
        ("UPDATE known SET attributes = MAP {'role': NULL}", "a list with an empty place"),
        ("UPDATE history SET what = 'slept'", "an unknown event"),
        ("UPDATE history SET profiles = NULL", "an unknown event"),
        ("UPDATE runs SET notes = NULL", "runs with nothing in"),
        ("UPDATE judgements SET verdict = 'perhaps'", "an unknown verdict"),
        ("UPDATE meta SET value = 'x' WHERE key = 'revision'", "invalid metadata"),
        ("UPDATE meta SET value = 'xyz' WHERE key = 'salt'", "invalid metadata"),
        ("DELETE FROM runs", "no record of a run"),
        ("UPDATE word_counts SET n = NULL", "counts with nothing in"),
        ("UPDATE history SET number = NULL", "history with nothing in"),
        ("UPDATE profiles SET relations = [NULL]", "a list with an empty place"),
        ("UPDATE profiles SET attributes = MAP {'role': NULL}", "a list with an empty place"),
        ("UPDATE runs SET inputs = [NULL]", "a list with an empty place"),
        ("UPDATE runs SET notes = [NULL]", "a list with an empty place"),
        ("UPDATE known SET aliases = [NULL]", "a list with an empty place"),
        ("UPDATE judgements SET number = 9223372036854775807", "numbers out of bounds"),
        ("UPDATE history SET number = -1", "numbers out of bounds"),
        ("UPDATE judgements SET weight = NULL", "values that are not numbers"),
        ("UPDATE judgements SET hard = NULL", "values that are not numbers"),
        ("INSERT INTO meta SELECT * FROM meta", "two meta of one key"),
    ],
)  # fmt: skip
def test_what_no_run_writes(crafted, statement, told):
    with Store.open(crafted(statement)) as store:
        assert told in inconsistency(store._db)


def test_who_stumbles_over_it_hears_of_the_file(crafted):
    path = crafted("UPDATE known_odds SET id = 'nobody'")
    with pytest.raises(errors.StoreError, match="a profile that does not exist"), crossdoc.open(path) as answer:
        answer.add(Document("d10", "Ann Lee slept."))


def test_a_fault_of_ours_stays_one(whole_result):
    with pytest.raises(ZeroDivisionError), crossdoc.open(whole_result):
        1 / 0  # noqa: B018
