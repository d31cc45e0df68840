"""SQLite and DuckDB files: keys that hold, words that are found, views, and Datasette."""

import io
import json
import sqlite3

import duckdb
import pytest

import crossdoc
from crossdoc.store.export_tables import export_tables
from crossdoc.write.databases import COLUMNS, VIEWS, write_duckdb, write_sqlite


@pytest.fixture(scope="module")
def tables(sample):
    with crossdoc.open(sample) as answer:
        return export_tables(answer.store)


@pytest.fixture(scope="module")
def sqlite_file(tables, tmp_path_factory):
    path = tmp_path_factory.mktemp("sqlite") / "answer.sqlite"
    with path.open("wb") as stream:
        assert write_sqlite(tables, stream) == tables["identities"].num_rows
    return path


def test_sqlite_has_all_rows_and_no_broken_key(sqlite_file, tables):
    db = sqlite3.connect(sqlite_file)
    for name in COLUMNS:
        assert db.execute(f"SELECT count(*) FROM {name}").fetchone()[0] == tables[name].num_rows, name
    assert db.execute("PRAGMA foreign_key_check").fetchall() == []
    assert len(db.execute("PRAGMA foreign_key_list(profiles)").fetchall()) == 2
    assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_sqlite_finds_words_of_texts_names_and_contexts(sqlite_file):
    db = sqlite3.connect(sqlite_file)
    found = """SELECT d.title || ' ' || d.text FROM documents_fts f JOIN documents d ON d.rowid = f.rowid
        WHERE documents_fts MATCH ?"""
    texts = [text for (text,) in db.execute(found, ["chairman"])]
    assert texts
    assert all("chairman" in text.lower() for text in texts)
    assert db.execute("SELECT count(*) FROM identities_fts WHERE identities_fts MATCH 'smith'").fetchone()[0] > 1


def test_an_offset_is_the_place_of_the_words(sqlite_file):
    db = sqlite3.connect(sqlite_file)
    rows = db.execute("""SELECT substr(d.text, m.start_offset + 1, m.end_offset - m.start_offset), m.text
        FROM mentions m JOIN documents d ON d.id = m.document LIMIT 500""").fetchall()
    assert rows
    assert all(a == b for a, b in rows)


def test_duckdb_has_the_same_rows_and_views(sqlite_file, tables, tmp_path):
    path = tmp_path / "answer.duckdb"
    with path.open("wb") as stream:
        write_duckdb(tables, stream)
    lite = sqlite3.connect(sqlite_file)
    with duckdb.connect(str(path), read_only=True) as db:
        for name in VIEWS:
            query = f"SELECT count(*) FROM {name}"
            assert db.execute(query).fetchone() == lite.execute(query).fetchone(), name
        most = db.execute("SELECT name FROM namesakes ORDER BY identities DESC, name LIMIT 1").fetchone()
        assert most == ("John Smith",)


def test_a_foreign_row_is_refused(tables):
    broken = {**tables, "identities": tables["identities"].slice(1)}
    with pytest.raises(sqlite3.IntegrityError):
        write_sqlite(broken, io.BytesIO())


def test_datasette_opens_it_and_searches(sqlite_file):
    app = pytest.importorskip("datasette.app")
    import asyncio

    async def ask(path):
        shown = app.Datasette([str(sqlite_file)])
        await shown.invoke_startup()
        return (await shown.client.get(path)).json()

    found = asyncio.run(ask("/answer/identities.json?_search=smith&_shape=objects&_size=5"))
    assert all("smith" in json.dumps(row).lower() for row in found["rows"])
    assert found["rows"]
    keys = asyncio.run(ask("/answer.json"))["tables"]
    profiles = next(table for table in keys if table["name"] == "profiles")
    assert {key["other_table"] for key in profiles["foreign_keys"]["outgoing"]} == {"documents", "identities"}
