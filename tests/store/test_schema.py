"""The tables of a result as Arrow schemas."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from tests.store.consistency import inconsistency

from crossdoc import errors
from crossdoc.model import Identity, Judgement, Profile
from crossdoc.settings import Settings
from crossdoc.store import Store, schema


@pytest.mark.parametrize("table", schema.TABLES)
def test_an_arrow_schema_is_inserted_as_it_is(table):
    rows = schema.as_table(table, [{}])
    assert rows.column_names == [column for name, column in schema.column_types() if name == table]
    with duckdb.connect(":memory:") as db:
        schema.create_tables(db)
        db.from_arrow(rows).insert_into(table)
        assert db.sql(f"FROM {table}").to_arrow_table().schema == schema.arrow_schema(table)


def judged(store, *, standing=True):
    return [(entry.number, each) for entry in store.entries(standing=standing) for each in entry.judgements]


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


VERSION_5 = """
INSERT INTO meta VALUES ('marker', 'crossdoc'), ('version', '5'), ('fingerprint', 'f'), ('salt', '00ff');
INSERT INTO documents VALUES ('d1', 'Ann and Bo.', NULL, 'en', '1996', NULL);
INSERT INTO mentions VALUES ('m1', 'd1', 0, 3, 'Ann', 'person', 'name', 'p1'),
    ('m2', 'd1', 8, 10, 'Bo', 'person', 'name', 'p2');
INSERT INTO profiles (id, document, name, type, context) VALUES
    ('p1', 'd1', 'Ann', 'person', 'x'), ('p2', 'd1', 'Bo', 'person', 'y'), ('p3', 'd1', 'Cy', 'person', 'z');
INSERT INTO memberships VALUES
    ('p1', 'p1', 0.5, 1), ('p1', 'p2', 0.5, 2), ('p2', 'p2', 0.75, 1), ('p2', 'p1', 0.25, 2), ('p3', 'p1', 1, 1);
INSERT INTO clustered VALUES ('person', 0.5);
INSERT INTO identities VALUES ('p1', 'Ann', 'person', '', MAP {'Ann': 1}, 1, 1, '1996', '1996', 0.75);
INSERT INTO runs VALUES ('2024', '2024', '0.1.0', 'sampling', 7, '{"parameters": {"sampling": {"model": "bags"}}}',
    ['docs/'], []);
INSERT INTO judgements (number, a, b, verdict, hard, weight, who, why, "when", undoes, act) VALUES
    (1, 'p1', 'p2', 'different', true, 1, 'ann', 'seen both', '2024', NULL, 'judge'),
    (2, 'p1', 'p3', 'same', true, 1, 'bob', '', '2024', NULL, 'judge'),
    (3, NULL, NULL, NULL, NULL, NULL, 'bob', 'a mistake', '2024', 2, 'undo'),
    (7, 'p2', 'p3', 'different', false, 0.5, 'rule', '', '2024', NULL, 'judge');
INSERT INTO counts VALUES ('word', '', 'engine', '', 3);
"""

STANDING = [
    (1, Judgement("p1", "p2", "different", True, 1.0, "ann", "seen both", "2024")),
    (7, Judgement("p2", "p3", "different", False, 0.5, "rule", "", "2024")),
]


def make(path: Path, script: str = "") -> Path:
    with duckdb.connect(str(path)) as db:
        schema.create_tables(db)
        counts_in_one_table(db)
        db.execute(VERSION_5 + script)
    return path


def counts_in_one_table(db: duckdb.DuckDBPyConnection) -> None:
    """Undo the last step: one table of strings for all statistics."""
    for table in schema.TYPED:
        db.execute(f"DROP TABLE {table}")
    db.execute(f"CREATE TABLE counts ({schema.OLD_TABLES['counts']})")


@pytest.fixture
def old(tmp_path) -> Path:
    return make(tmp_path / "old.crossdoc")


def version_of(path: Path) -> str:
    with duckdb.connect(str(path), read_only=True) as db:
        return db.execute("SELECT value FROM meta WHERE key = 'version'").fetchall()[0][0]


def columns_of(path: Path) -> list[tuple[str, ...]]:
    with duckdb.connect(str(path), read_only=True) as db:
        return db.execute(
            "SELECT table_name, column_name, data_type FROM duckdb_columns() ORDER BY table_name, column_index"
        ).fetchall()


def is_whole(store: Store) -> None:
    """What version 5 held is there, in the present form."""
    assert judged(store) == STANDING
    assert [number for number, _ in judged(store, standing=False)] == [1, 2, 7]
    assert store.word_frequencies(None) == {"engine": 3}
    assert [row["entity"] for batch in store.answer("profile") for row in batch.to_pylist()] == ["p1", "p2", "p1"]
    soft = [row for batch in store.answer("mention", soft=True) for row in batch.to_pylist()]
    assert [(row["id"], row["entity"]) for row in soft] == [("m1", "p1"), ("m1", "p2"), ("m2", "p2"), ("m2", "p1")]
    assert store.partition().membership.toarray().tolist() == [[0.5, 0.5], [0.25, 0.75], [1.0, 0.0]]
    assert store.profiles()[0] == Profile("p1", "d1", "Ann", "person", "x")
    assert [identity.name for identity in store.identities()] == ["Ann"]
    assert [text for batch in store.texts() for text in batch] == ["Ann and Bo."]
    assert (store.runs()[0].seed, store.runs()[0].method) == (7, "bags")
    assert store.salt() == b"\x00\xff"


def test_an_older_file_is_read_without_writing(old):
    content = old.read_bytes()
    with Store.open(old) as store:
        is_whole(store)
        with pytest.raises(errors.CrossdocError, match="reading only"):
            store.judge([STANDING[0][1]])
    assert old.read_bytes() == content
    assert os.listdir(old.parent) == [old.name]


def test_who_writes_brings_it_up_to_date(old, tmp_path):
    with Store.open(old, write=True) as store:
        is_whole(store)
        store.judge([Judgement("p1", "p3", "same", when="2025")])
    assert version_of(old) == schema.VERSION
    with Store.open(old) as store:
        assert judged(store)[-1] == (8, Judgement("p1", "p3", "same", when="2025"))
    new = tmp_path / "new.crossdoc"
    with Store.begin(new, "f") as store:
        store.finish()
    assert columns_of(old) == columns_of(new)


COUNTS = [
    ("word", "", "engine", "", 3), ("word", "", "engine", "", -1), ("name", "person", "lee", "ann", 2),
    ("called", "person", "Ann Lee", "+ann .lee", 2), ("beside", "person", "", "", 4), ("work", "person", "mit", "", 1),
    ("case", "", "7", "1", 5), ("topic", "", "d1", "12", 1), ("reading", "person", "12", "Le\x1fLee", 1),
    ("linked", "place", "Oz", "Oz", 1),
]  # fmt: skip


@pytest.mark.parametrize("write", [False, True])
def test_each_kind_of_statistics_gets_its_table(tmp_path, made, write):
    path = tmp_path / "x.crossdoc"
    with Store.begin(path, "f") as store:
        made.write(store)
        for key, value in (("topics_cut", "0.25"), ("readings", "all"), ("called", "all")):
            store.set_meta(key, value)
        store.finish()
    with duckdb.connect(str(path)) as db:
        counts_in_one_table(db)
        db.executemany("INSERT INTO counts VALUES (?, ?, ?, ?, ?)", COUNTS)
        db.execute("UPDATE meta SET value = '6' WHERE key = 'version'")
    with Store.open(path, write=write) as store:
        assert store.word_frequencies(None) == {"engine": 2}
        assert store.bearers(None).to_pylist() == [{"type": "person", "last": "lee", "first": "ann", "n": 2}]
        assert store.names_like("person", [".lee"]) == {"Ann Lee": 2}
        assert [row["field"] for row in store.related_counts(["", "mit"]).to_pylist()] == ["beside", "work"]
        assert store.capital_counts(None) == [(7, 1, 5)]
        assert store.topics() == ({"d1": 12}, 0.25)
        assert store.readings("person") == {(12, "Le"): "Lee"}
        assert store.linked_names("place") == {"Oz": "Oz"}


@pytest.mark.parametrize("write", [False, True])
@pytest.mark.parametrize(
    ("typed", "table", "method"),
    [
        (False, {}, "bags"), (False, {"model": "bags", "tol": 0.1}, "bags"), (True, {"model": "bags"}, "bags"),
        (False, {"partitions": 5, "bias": None}, "bags"), (True, {}, "sampling"), (False, {"bias": 0.1}, "sampling"),
        (False, {"model": "pairs", "samples": 3}, "sampling"),
    ],
)  # fmt: skip
def test_a_file_of_version_5_names_the_model_that_made_it(tmp_path, made, write, typed, table, method):
    path = tmp_path / "x.crossdoc"
    with Store.begin(path, "f") as store:
        made.write(store)
        store.finish()
    settings = {"method": "sampling", "parameters": {"sampling": table, "karc": {"m": 1.5}}}
    with duckdb.connect(str(path)) as db:
        counts_in_one_table(db)
        db.execute("UPDATE profiles SET type = ?", ["person" if typed else None])
        db.execute("INSERT INTO runs VALUES ('', '', '', 'sampling', 0, ?, [], [])", [json.dumps(settings)])
        db.execute("INSERT INTO runs VALUES ('', '', '', 'sampling', 0, 'damaged', [], [])")
        db.execute("UPDATE meta SET value = '5' WHERE key = 'version'")
    with Store.open(path, write=write) as store:
        *_, run, damaged = store.runs()
        kept = Settings(**run.parsed_settings())
    assert damaged.method == "sampling"
    assert run.method == kept.method == method
    own = {
        name: value
        for name, value in table.items()
        if name not in ("model", "partitions", "samples") and value is not None
    }
    assert {name: each for name, each in kept.parameters.items() if each} == {
        "karc": {"m": 1.5},
        **({method: own} if own else {}),
    }


@pytest.mark.parametrize("written_first", [False, True])
def test_a_new_run_onto_an_older_file_keeps_its_judgements(old, made, written_first):
    if written_first:
        Store.open(old, write=True).close()
    with Store.begin(old, "another") as store:
        made.write(store)
        staged = Judgement("d1:0:10", "it's", "different", when="2025")
        store.stage_judgements([staged])
        store.finish()
        assert judged(store) == [*STANDING, (8, staged)]
        assert [run.seed for run in store.runs()] == [7, made.run.seed]
        assert store.count("profiles") == 3
    assert version_of(old) == schema.VERSION


KILLED = """
import os, signal, sys
from crossdoc.store import Store, schema
table, step = schema.MIGRATIONS["5"]
def change(db):
    step(db)
    if sys.argv[2] == "before":
        os.kill(os.getpid(), signal.SIGKILL)
schema.MIGRATIONS["5"] = (table, change)
store = Store.open(sys.argv[1], write=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("moment", ["before", "after"])
def test_killed_while_it_is_brought_up_to_date(old, moment):
    content = old.read_bytes()
    killed = subprocess.run([sys.executable, "-c", KILLED, str(old), moment], check=False)
    assert killed.returncode == -signal.SIGKILL
    if moment == "before":
        assert old.read_bytes() == content
    for write in (False, True, False):
        with Store.open(old, write=write) as store:
            is_whole(store)
    assert version_of(old) == schema.VERSION


def test_a_full_disk_leaves_the_older_file(old):
    code = """
import resource, sys
from crossdoc import errors
from crossdoc.store import Store
resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))
try:
    Store.open(sys.argv[1], write=True)
except errors.CrossdocError as error:
    print(error)
"""
    told = subprocess.run([sys.executable, "-c", code, str(old)], capture_output=True, text=True, check=True).stdout
    assert "could not be written" in told
    with Store.open(old) as store:
        is_whole(store)


def of_version(version: str) -> str:
    return f"UPDATE meta SET value = '{version}' WHERE key = 'version';"


@pytest.mark.parametrize(
    ("script", "told"),
    [
        (of_version("99") + "ALTER TABLE judgements ADD COLUMN mood VARCHAR;", "version 99; this crossdoc"),
        (of_version("4"), "version 4; this crossdoc"),
        (of_version("two"), "version two; this crossdoc"),
        ("DELETE FROM meta WHERE key = 'version';", "version unknown; this crossdoc"),
        (
            of_version("2")
            + "".join(f"ALTER TABLE judgements DROP COLUMN {each};" for each in ("act", "name", "a_place", "b_place")),
            "version 2; this crossdoc",
        ),
    ],
    ids=["newer", "too old", "no number", "none", "without columns"],
)
def test_a_version_that_is_not_known_is_refused_and_its_judgements_can_be_read(tmp_path, script, told):
    path = make(tmp_path / "x.crossdoc", script)
    content = path.read_bytes()
    for use in (Store.open, lambda p: Store.open(p, write=True), lambda p: Store.begin(p, "f")):
        with pytest.raises(errors.StoreError, match=told) as raised:
            use(path)
        assert f"crossdoc judgements {path}" in raised.value.hint
        assert "pip install --upgrade" in raised.value.hint
    assert path.read_bytes() == content
    assert [(entry.number, *entry.judgements) for entry in Store.entries_of(path)] == STANDING


def test_judgements_of_a_file_of_a_known_version(old, tmp_path):
    assert [(entry.number, *entry.judgements) for entry in Store.entries_of(old)] == STANDING
    with pytest.raises(errors.StoreError, match="not a crossdoc result"):
        Store.entries_of(make(tmp_path / "x.crossdoc", "DELETE FROM meta"))


def test_an_older_file_without_its_tables_is_damaged(tmp_path):
    path = make(tmp_path / "x.crossdoc", "DROP TABLE runs;")
    with pytest.raises(errors.StoreError, match="damaged"):
        Store.open(path)


def test_there_is_a_step_from_every_version_and_it_names_the_table_that_it_changes(old):
    assert list(schema.MIGRATIONS) == [str(number) for number in range(5, int(schema.VERSION))]
    with duckdb.connect(str(old)) as db:
        kept = {table: db.table(table).fetchall() for table in schema.TABLES.keys() - schema.TYPED.keys()}
        for _, change in schema.MIGRATIONS.values():
            change(db)
        changed = {table for table, rows in kept.items() if db.table(table).fetchall() != rows}
    assert changed == {table for table, _ in schema.MIGRATIONS.values()} - schema.OLD_TABLES.keys()


def test_the_command_that_the_message_names_lists_the_judgements(tmp_path):
    path = make(tmp_path / "x.crossdoc", of_version("99"))
    command = [sys.executable, "-m", "crossdoc", "judgements", str(path)]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "p1 is different from p2 (ann), hard: seen both" in told
    undo = [sys.executable, "-m", "crossdoc", "undo", str(path), "1"]
    taken_back = subprocess.run(undo, capture_output=True, text=True, check=False)
    assert taken_back.returncode == 1
    assert "Update crossdoc" in taken_back.stderr
