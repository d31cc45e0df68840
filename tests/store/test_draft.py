"""A draft shows tables as they will be, and says how to write them."""

from __future__ import annotations

import duckdb
import pyarrow as pa
import pytest

from crossdoc.store.draft import Draft, Step


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


def shown(db: duckdb.DuckDBPyConnection) -> list[tuple[str, str]]:
    return db.execute("SELECT key, value FROM meta ORDER BY rowid").fetchall()


def test_what_goes_and_what_comes_is_seen_in_order_and_the_file_is_as_it_was(db):
    draft = Draft(db)
    draft.do(Step("meta", named("b", "nobody"), "key"))
    assert shown(db) == [("a", "1"), ("c", "3")]
    draft.do(Step("meta", pairs(b="4", d="5")))
    assert shown(db) == [("a", "1"), ("c", "3"), ("b", "4"), ("d", "5")]
    draft.do(Step("meta", named("b", "a"), "key"))
    assert shown(db) == [("c", "3"), ("d", "5")]
    draft.do(Step("meta", None))
    assert shown(db) == []
    draft.do(Step("meta", pairs(e="6")))
    assert shown(db) == [("e", "6")]
    assert db.execute("SELECT key FROM stored.meta ORDER BY rowid").fetchall() == [("a",), ("b",), ("c",)]
    assert [(step.column, step.rows is None) for step in draft.steps] == [
        ("key", False), (None, False), ("key", False), (None, True), (None, False)
    ]  # fmt: skip


def test_tables_that_are_not_touched_are_read_as_they_are(db):
    db.execute("CREATE TABLE stored.runs AS SELECT 7 AS seed")
    Draft(db).do(Step("meta", pairs(z="1")))
    assert db.execute("SELECT * FROM runs").fetchall() == [(7,)]
