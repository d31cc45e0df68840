"""The tables of a .crossdoc file (a DuckDB database), the version of that layout, and steps from older versions.

A change of tables needs a new version and a step in `MIGRATIONS`. The `rank` of a membership is 1 for the strongest
identity of its id, 2 for the next. The tables from `word_counts` to `linked_names` have the collection statistics
(`collection_tables.py`); later additions and removals are further rows, with a negative number for what was removed. A
judgement keeps the ids of its profiles and their document, name and place in the text. `id_changes` has, for each entry
of the log and each profile of an identity that it changed, the identity's id before and after the entry.
`former_memberships` and `former_identities` have the rows that an entry replaced (`history_table.py`). `known_odds` has
log odds that a profile is an entry of the known list.

Opening a file for writing migrates it in place, in one transaction: after a power cut or a kill it is the old file or
the new one. For reading, the tables that a step changes are copied to memory (:func:`read_through`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from functools import cache
from typing import Any

import duckdb
import pyarrow as pa

VERSION = "7"
MARKER = "crossdoc"
PLACE = 'STRUCT(document VARCHAR, name VARCHAR, type VARCHAR, start BIGINT, "end" BIGINT)'
MEMBERSHIPS = "id VARCHAR, entity VARCHAR, membership DOUBLE, rank INTEGER"
IDENTITIES = (
    "id VARCHAR, name VARCHAR, type VARCHAR, descriptor VARCHAR, variants MAP(VARCHAR, BIGINT), "
    "n_documents BIGINT, n_mentions BIGINT, first_date VARCHAR, last_date VARCHAR, certainty DOUBLE"
)

TABLES = {
    "meta": "key VARCHAR, value VARCHAR",
    "documents": "id VARCHAR, text VARCHAR, title VARCHAR, language VARCHAR, date VARCHAR, source VARCHAR",
    "mentions": (
        'id VARCHAR, document VARCHAR, start BIGINT, "end" BIGINT, text VARCHAR, type VARCHAR, kind VARCHAR, '
        "chain VARCHAR"
    ),
    "profiles": (
        "id VARCHAR, document VARCHAR, name VARCHAR, type VARCHAR, context VARCHAR, language VARCHAR, "
        "attributes MAP(VARCHAR, VARCHAR[]), "
        "relations STRUCT(type VARCHAR, name VARCHAR, profile VARCHAR, evidence VARCHAR)[]"
    ),
    "memberships": MEMBERSHIPS,
    "clustered": "type VARCHAR, seconds DOUBLE",
    "identities": IDENTITIES,
    "runs": (
        "started VARCHAR, finished VARCHAR, version VARCHAR, method VARCHAR, seed BIGINT, settings VARCHAR, "
        "inputs VARCHAR[], notes VARCHAR[]"
    ),
    "judgements": (
        "number BIGINT, a VARCHAR, b VARCHAR, verdict VARCHAR, hard BOOLEAN, weight DOUBLE, who VARCHAR, why VARCHAR, "
        f'"when" VARCHAR, undoes BIGINT, act VARCHAR, name VARCHAR, a_place {PLACE}, b_place {PLACE}'
    ),
    "history": (
        'number BIGINT, id VARCHAR, what VARCHAR, other VARCHAR, profiles BIGINT, "when" VARCHAR, cause VARCHAR'
    ),
    "id_changes": "number BIGINT, id VARCHAR, former VARCHAR, entity VARCHAR",
    "former_memberships": f"number BIGINT, {MEMBERSHIPS}",
    "former_identities": f"number BIGINT, {IDENTITIES}",
    "word_counts": "word VARCHAR, n BIGINT",
    "bearers": "type VARCHAR, last VARCHAR, first VARCHAR, n BIGINT",
    "spellings": "type VARCHAR, name VARCHAR, keys VARCHAR, n BIGINT",
    "related_counts": "type VARCHAR, field VARCHAR, unit VARCHAR, n BIGINT",
    "capitals": "slot INTEGER, form INTEGER, n BIGINT",
    "document_topics": "document VARCHAR, topic BIGINT, n BIGINT",
    "readings": "type VARCHAR, topic BIGINT, name VARCHAR, reading VARCHAR, n BIGINT",
    "linked_names": "type VARCHAR, name VARCHAR, label VARCHAR, n BIGINT",
    "known": (
        "id VARCHAR, name VARCHAR, aliases VARCHAR[], type VARCHAR, description VARCHAR, "
        "attributes MAP(VARCHAR, VARCHAR[])"
    ),
    "known_odds": "id VARCHAR, known VARCHAR, odds DOUBLE",
}

OLD_TABLES = {"counts": "what VARCHAR, type VARCHAR, key VARCHAR, value VARCHAR, n BIGINT"}
"""Tables of earlier versions, which a migration replaces."""

_ANSWER = [("id", "string"), ("entity", "string"), ("membership", "double"), ("name", "string"), ("document", "string")]
_KIND = [("type", "string"), ("kind", "string"), ("identity_name", "string")]
LEVELS = {
    "profile": pa.schema([*_ANSWER, *_KIND]),
    "mention": pa.schema([*_ANSWER, ("start", "int64"), ("end", "int64"), ("text", "string"), *_KIND]),
}
"""Columns of an exported answer, by the unit of a row."""
KNOWN = [pa.field("known", pa.string()), pa.field("known_probability", pa.float64())]
"""Additional columns of an answer with a known list."""


@cache
def column_types() -> dict[tuple[str, str], str]:
    """Return DuckDB's type of each column, by table and column."""
    with duckdb.connect(":memory:") as db:
        create_tables(db)
        for name, columns in OLD_TABLES.items():
            db.execute(f"CREATE TABLE {name} ({columns})")
        listed = db.execute("SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE NOT internal")
        return {(table, column): kind for table, column, kind in listed.fetchall()}


@cache
def arrow_schema(table: str) -> pa.Schema:
    with duckdb.connect(":memory:") as db:
        create_tables(db, [table])
        return db.sql(f"FROM {table}").to_arrow_table().schema


def create_tables(db: duckdb.DuckDBPyConnection, names: Iterable[str] = TABLES) -> None:
    for name in names:
        db.execute(f"CREATE OR REPLACE TABLE {name} ({TABLES[name]})")


def as_table(name: str, rows: Iterable[Mapping[str, Any]]) -> pa.Table:
    """Return rows as an Arrow table with the columns of the table `name`; cells that a row lacks are null.

    >>> as_table("meta", [{"key": "version"}]).to_pylist()
    [{'key': 'version', 'value': None}]
    """
    return pa.Table.from_pylist(list(rows), arrow_schema(name))


def cells_of(item: Any, **replaced: Any) -> dict[str, Any]:
    """Return the fields of a dataclass as cells of a row; `replaced` has those with another value in the table."""
    return {field.name: getattr(item, field.name) for field in fields(item)} | replaced


def name_bags(db: duckdb.DuckDBPyConnection) -> None:
    """5 → 6: the bag model has a method name of its own.

    The method `sampling` used bags for profiles without types, unless a parameter of the pair model was set.
    """
    typed = db.execute("SELECT 1 FROM profiles WHERE type <> '' LIMIT 1").fetchall()
    for row, written in db.execute("SELECT rowid, settings FROM runs WHERE method = 'sampling'").fetchall():
        try:
            settings = json.loads(written)
            parameters = dict(settings.get("parameters") or {})
            own = {name: value for name, value in parameters.pop("sampling", {}).items() if value is not None}
        except (TypeError, ValueError, AttributeError, RecursionError):
            continue
        model = own.pop("model", "pairs" if typed or PAIR_PARAMETERS & own.keys() else "bags")
        method = "bags" if model == "bags" else "sampling"
        settings |= {"method": method, "parameters": {**parameters, **({method: own} if own else {})}}
        db.execute("UPDATE runs SET method = ?, settings = ? WHERE rowid = ?", [method, json.dumps(settings), row])


PAIR_PARAMETERS = frozenset(
    ["bias", "name_weight", "clash_weight", "proposals", "hierarchy", "temperature", "samples", "sub_bias",
     "united_bias"]
)  # fmt: skip
"""Parameters of the pair model in version 5 of the file."""


TYPED = {
    "word_counts": "SELECT key, n FROM counts WHERE what = 'word'",
    "bearers": "SELECT type, key, value, n FROM counts WHERE what = 'name'",
    "spellings": "SELECT type, key, value, n FROM counts WHERE what = 'called'",
    "related_counts": "SELECT type, what, key, n FROM counts WHERE what IN ('beside', 'work')",
    "capitals": "SELECT key::INTEGER, value::INTEGER, n FROM counts WHERE what = 'case'",
    "document_topics": "SELECT key, value::BIGINT, n FROM counts WHERE what = 'topic'",
    "readings": """
        SELECT type, key::BIGINT, split_part(value, chr(31), 1), split_part(value, chr(31), 2), n
        FROM counts WHERE what = 'reading'""",
    "linked_names": "SELECT type, key, value, n FROM counts WHERE what = 'linked'",
}
"""By table of statistics the rows of the former table `counts` that go into it."""


def type_statistics(db: duckdb.DuckDBPyConnection) -> None:
    """6 → 7: each kind of statistics has a table with typed columns in place of rows of strings in one table."""
    for table, rows in TYPED.items():
        db.execute(f"CREATE TABLE {table} ({TABLES[table]})")
        db.execute(f"INSERT INTO {table} {rows}")
    db.execute("DROP TABLE counts")


Migration = tuple[str, Callable[[duckdb.DuckDBPyConnection], None]]
"""The one table of the version that a step changes, and the step."""
MIGRATIONS: dict[str, Migration] = {"5": ("runs", name_bags), "6": ("counts", type_statistics)}
"""Steps by the version that they start from. Versions 1 to 4 are no longer read."""


def steps_from(version: str) -> list[Migration] | None:
    """Return the steps from a version to the present one, or None if the version is unknown.

    >>> len(steps_from("5")), steps_from(VERSION), steps_from("unknown")
    (2, [], None)
    """
    if version not in {*MIGRATIONS, VERSION}:
        return None
    return [step for start, step in MIGRATIONS.items() if int(start) >= int(version)]


def apply(db: duckdb.DuckDBPyConnection, steps: list[Migration]) -> None:
    """Apply steps to the first tables in the search path; the caller holds the transaction."""
    for _, change in steps:
        change(db)
    db.execute("UPDATE meta SET value = ? WHERE key = 'version'", [VERSION])


def read_through(db: duckdb.DuckDBPyConnection, steps: list[Migration]) -> None:
    """Show `stored` to a connection as if it were migrated; the file is not written."""
    db.execute("ATTACH ':memory:' AS changed")
    for table in ("meta", *(table for table, _ in steps)):
        db.execute(f"CREATE TABLE changed.{table} AS SELECT * FROM stored.{table} ORDER BY rowid")
    db.execute("SET search_path = 'changed,stored'")
    apply(db, steps)
