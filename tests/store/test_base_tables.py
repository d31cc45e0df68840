"""A transaction is kept wholly or not at all."""

from __future__ import annotations

import duckdb
import pyarrow as pa
import pytest

from crossdoc.store import Store
from crossdoc.store.base_tables import Draft, DraftStep


def test_a_failed_batch_leaves_nothing(tmp_path, made):
    with Store.begin(tmp_path / "x.crossdoc", "f") as store:

        def half_done() -> None:
            with store.batch():
                store.add(made.documents)
                raise KeyError

        with pytest.raises(KeyError):
            half_done()
        assert store.count("documents") == 0
        with store.batch():
            store.add(made.documents)
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


@pytest.fixture
def db():
    with duckdb.connect(":memory:") as connection:
        connection.execute("ATTACH ':memory:' AS stored")
        connection.execute("CREATE TABLE stored.meta (key VARCHAR, value VARCHAR)")
        connection.execute("INSERT INTO stored.meta VALUES ('a', '1'), ('b', '2'), ('c', '3')")
        yield connection


def pairs(**values: str) -> pa.Table:
    return pa.table({"key": list(values), "value": list(values.values())})


def gone(*keys: str) -> DraftStep:
    return DraftStep("meta", "WHERE key IN (SELECT unnest(?))", [list(keys)])


def come(**values: str) -> DraftStep:
    return DraftStep("meta", rows=pairs(**values))


def shown(db: duckdb.DuckDBPyConnection) -> list[tuple[str, str]]:
    return db.execute("SELECT key, value FROM meta ORDER BY rowid").fetchall()


def test_what_goes_and_what_comes_is_seen_in_order_and_the_file_is_as_it_was(db):
    draft = Draft(db)
    steps = [gone("b", "nobody"), come(b="4", d="5"), gone("b", "a"), DraftStep("meta"), come(e="6")]
    seen = []
    for step in steps:
        draft.do(step)
        seen.append(shown(db))
    assert seen == [
        [("a", "1"), ("c", "3")], [("a", "1"), ("c", "3"), ("b", "4"), ("d", "5")], [("c", "3"), ("d", "5")], [],
        [("e", "6")],
    ]  # fmt: skip
    assert db.execute("SELECT key FROM stored.meta ORDER BY rowid").fetchall() == [("a",), ("b",), ("c",)]
    assert draft.steps == steps


def test_tables_that_are_not_touched_are_read_as_they_are(db):
    db.execute("CREATE TABLE stored.runs AS SELECT 7 AS seed")
    Draft(db).do(come(z="1"))
    assert db.execute("SELECT * FROM runs").fetchall() == [(7,)]
