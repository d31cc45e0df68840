"""An answer as one SQLite or DuckDB file, with keys, full-text search (SQLite) and views.

SQLite opens in Datasette, DB Browser and every language; DuckDB in notebooks.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

import duckdb
import pyarrow as pa

COLUMNS = {
    "documents": "id TEXT PRIMARY KEY, title TEXT, date TEXT, language TEXT, source TEXT, text TEXT",
    "identities": (
        "id TEXT PRIMARY KEY, name TEXT NOT NULL, type TEXT, descriptor TEXT, n_documents INTEGER, n_mentions INTEGER, "
        "first_date TEXT, last_date TEXT, certainty DOUBLE"
    ),
    "names": (
        "identity TEXT NOT NULL REFERENCES identities(id), name TEXT NOT NULL, profiles INTEGER, "
        "PRIMARY KEY (identity, name)"
    ),
    "profiles": (
        "id TEXT PRIMARY KEY, document TEXT NOT NULL REFERENCES documents(id), "
        "identity TEXT NOT NULL REFERENCES identities(id), membership DOUBLE, name TEXT NOT NULL, type TEXT, "
        "context TEXT"
    ),
    "memberships": (
        "profile TEXT NOT NULL REFERENCES profiles(id), identity TEXT NOT NULL REFERENCES identities(id), "
        "membership DOUBLE, rank INTEGER, PRIMARY KEY (profile, identity)"
    ),
    "mentions": (
        "id TEXT PRIMARY KEY, document TEXT NOT NULL REFERENCES documents(id), profile TEXT REFERENCES profiles(id), "
        "start_offset INTEGER, end_offset INTEGER, text TEXT, kind TEXT"
    ),
    "judgements": (
        "number INTEGER, act TEXT, a TEXT, b TEXT, verdict TEXT, judgement TEXT, force TEXT, weight DOUBLE, who TEXT, "
        'why TEXT, "when" TEXT, in_force BOOLEAN'
    ),
}
"""Table → columns, in an order in which keys refer to earlier tables."""
INDEXES = {"names": "name", "profiles": "identity", "mentions": "profile"}
VIEWS = {
    "namesakes": """
        SELECT name, count(*) AS identities, sum(n_documents) AS documents FROM identities
        GROUP BY name HAVING count(*) > 1""",
    "identity_documents": """
        SELECT DISTINCT p.identity, i.name, p.document, d.title, d.date FROM profiles p
        JOIN identities i ON i.id = p.identity JOIN documents d ON d.id = p.document""",
    "shared_documents": """
        SELECT a.identity AS a, b.identity AS b, count(DISTINCT a.document) AS documents FROM profiles a
        JOIN profiles b ON a.document = b.document AND a.identity < b.identity GROUP BY 1, 2""",
}
FULL_TEXT = {"documents": ("title", "text"), "identities": ("name", "descriptor"), "profiles": ("name", "context")}
"""Table → columns whose words are indexed in SQLite, in the table NAME_fts."""


def write_sqlite(tables: Mapping[str, pa.Table], stream: BinaryIO) -> int:
    """Write a SQLite database; return the number of identities."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "answer.sqlite"
        db = sqlite3.connect(path)
        try:
            db.execute("PRAGMA foreign_keys = ON")
            for name, columns in COLUMNS.items():
                db.execute(f"CREATE TABLE {name} ({columns})")
                table = tables[name]
                marks = ", ".join("?" * table.num_columns)
                for batch in table.to_batches(max_chunksize=10_000):
                    rows = zip(*batch.to_pydict().values(), strict=True)
                    db.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)
            _add_views(db)
            for name, indexed in FULL_TEXT.items():
                listed = ", ".join(indexed)
                # Datasette recognises an index by double quotes round the name of its table.
                db.execute(f'CREATE VIRTUAL TABLE {name}_fts USING fts5({listed}, content="{name}")')
                db.execute(f"INSERT INTO {name}_fts({name}_fts) VALUES ('rebuild')")
            # No VACUUM: it numbers the rows again, and the word index refers to their numbers.
            db.commit()
        finally:
            db.close()
        _copy(path, stream)
    return int(tables["identities"].num_rows)


def write_duckdb(tables: Mapping[str, pa.Table], stream: BinaryIO) -> int:
    """Write a DuckDB database; return the number of identities."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "answer.duckdb"
        with duckdb.connect(str(path)) as db:
            for name, columns in COLUMNS.items():
                db.execute(f"CREATE TABLE {name} ({columns.replace('INTEGER', 'BIGINT')})")
                db.register("given", tables[name])
                db.execute(f"INSERT INTO {name} SELECT * FROM given")
                db.unregister("given")
            _add_views(db)
        _copy(path, stream)
    return int(tables["identities"].num_rows)


def _add_views(db: sqlite3.Connection | duckdb.DuckDBPyConnection) -> None:
    for table, column in INDEXES.items():
        db.execute(f"CREATE INDEX {table}_{column} ON {table} ({column})")
    for name, query in VIEWS.items():
        db.execute(f"CREATE VIEW {name} AS {query}")


def _copy(path: Path, stream: BinaryIO) -> None:
    with path.open("rb") as made:
        shutil.copyfileobj(made, stream)
