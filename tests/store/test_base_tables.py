"""A transaction is kept wholly or not at all."""

from __future__ import annotations

import random

import duckdb
import pyarrow as pa
import pytest

from crossdoc.store import Store, base_tables
from crossdoc.store.base_tables import Draft, DraftStep, in_few


def test_a_failed_batch_leaves_nothing(tmp_path, made):
    with Store.begin(tmp_path / "x.crossdoc", "f") as store:

        def half_done() -> None:
            with store.batch():
                store.add_documents(made.documents)
                raise KeyError

        with pytest.raises(KeyError):
            half_done()
        assert store.count("documents") == 0
        with store.batch():
            store.add_documents(made.documents)
        assert store.count("documents") == 3


def test_what_a_change_says_of_the_answer_is_read_at_once(result):
    with Store.open(result) as store, store.changing():
        assert store.meta("k") is None
        store.set_meta("k", "1")
        assert store.meta("k") == "1"
        store.set_meta("k", "2")
        assert store.meta("k") == "2"
        store.drop("meta", ["k"], "key")
        assert store.meta("k") is None


def test_few_ids_and_many_are_asked_for_alike(result, monkeypatch):
    with Store.open(result) as store:
        asked = ["it's", "nobody", "d1:0:10"]
        few = store.profiles(ids=asked), store.entity_of(asked), store.known("profiles", asked)
        monkeypatch.setattr(base_tables, "AS_PARAMETER", 0)
        many = store.profiles(ids=asked), store.entity_of(asked), store.known("profiles", asked)
    assert few[0].arrow == many[0].arrow
    assert few[1:] == many[1:] == ({"it's": "d2:0:15", "d1:0:10": "d1:0:10"}, {"it's", "d1:0:10"})


@pytest.fixture
def db():
    with duckdb.connect(":memory:") as connection:
        connection.execute("ATTACH ':memory:' AS stored")
        connection.execute("CREATE TABLE stored.meta (key VARCHAR, value VARCHAR)")
        connection.execute("INSERT INTO stored.meta VALUES ('a', '1'), ('b', '2'), ('c', '3')")
        yield connection


def pairs(**values: str) -> pa.Table:
    return pa.table({"key": list(values), "value": list(values.values())})


def named(*ids: str) -> pa.Table:
    return pa.table({"id": pa.array(ids, pa.string())})


def shown(db: duckdb.DuckDBPyConnection, draft: Draft) -> list[tuple[str, str]]:
    draft.show("SELECT key, value FROM meta")
    return db.execute("SELECT key, value FROM meta ORDER BY rowid").fetchall()


def test_what_goes_and_what_comes_is_seen_in_order_and_the_file_is_as_it_was(db):
    draft = Draft(db)
    draft.do(DraftStep("meta", named("b", "nobody"), "key"))
    assert shown(db, draft) == [("a", "1"), ("c", "3")]
    draft.do(DraftStep("meta", pairs(b="4", d="5")))
    assert shown(db, draft) == [("a", "1"), ("c", "3"), ("b", "4"), ("d", "5")]
    draft.do(DraftStep("meta", named("b", "a"), "key"))
    assert shown(db, draft) == [("c", "3"), ("d", "5")]
    draft.do(DraftStep("meta", None))
    assert shown(db, draft) == []
    draft.do(DraftStep("meta", pairs(e="6")))
    assert shown(db, draft) == [("e", "6")]
    assert db.execute("SELECT key FROM stored.meta ORDER BY rowid").fetchall() == [("a",), ("b",), ("c",)]
    assert [(step.column, step.rows is None) for step in draft.steps] == [
        ("key", False), (None, False), ("key", False), (None, True), (None, False)
    ]  # fmt: skip


def test_where_rows_only_come_nobody_looks_for_those_that_went(db):
    draft = Draft(db)
    draft.do(DraftStep("meta", pairs(d="5")))
    assert shown(db, draft) == [("a", "1"), ("b", "2"), ("c", "3"), ("d", "5")]
    tables = "SELECT table_name FROM duckdb_tables() WHERE database_name = 'draft' ORDER BY ALL"
    assert db.execute(tables).fetchall() == [("new_meta",)]
    draft.do(DraftStep("meta", named("d", "b"), "key"))
    assert shown(db, draft) == [("a", "1"), ("c", "3")]
    draft.do(DraftStep("meta", None))
    assert shown(db, draft) == []


def test_tables_that_are_not_touched_are_read_as_they_are(db):
    db.execute("CREATE TABLE stored.runs AS SELECT 7 AS seed")
    Draft(db).do(DraftStep("meta", pairs(z="1")))
    assert db.execute("SELECT * FROM runs").fetchall() == [(7,)]


def test_what_nobody_reads_is_not_put_in_front_and_is_written_all_the_same(db):
    draft = Draft(db)
    draft.do(DraftStep("meta", pairs(d="5")))
    draft.show("SELECT * FROM runs")
    assert db.execute("SELECT count(*) FROM meta").fetchall() == [(3,)]
    draft.show()
    assert db.execute("SELECT count(*) FROM meta").fetchall() == [(4,)]
    draft.show()
    assert db.execute("SELECT count(*) FROM meta").fetchall() == [(4,)]
    assert [step.table for step in draft.steps] == ["meta"]


def test_steps_in_few_do_what_they_do_one_by_one():
    rng = random.Random(0)
    for _ in range(30):
        steps = []
        for _ in range(rng.randint(1, 12)):
            table, key = rng.choice(["meta", "clustered"]), rng.choice("abc")
            kind = rng.randrange(5)
            steps.append(
                DraftStep(table, None) if kind == 0 else DraftStep(table, named(key), "key") if kind < 3
                else DraftStep(table, pairs(**{key: str(len(steps))}))
            )  # fmt: skip
        assert _after(steps) == _after(in_few(steps))
        assert len(in_few(steps)) <= len(steps)


def _after(steps: list[DraftStep]) -> list[list[tuple[str, str]]]:
    """The rows of two tables, in order, after steps that are done in plain Python."""
    tables: dict[str, list[tuple[str, str]]] = {table: [("a", "was"), ("b", "was")] for table in ("meta", "clustered")}
    for step in steps:
        rows = tables[step.table]
        if step.rows is None:
            rows.clear()
        elif step.column is None:
            rows.extend((row["key"], row["value"]) for row in step.rows.to_pylist())
        else:
            gone = set(step.rows.column("id").to_pylist())
            rows[:] = [row for row in rows if row[0] not in gone]
    return list(tables.values())
