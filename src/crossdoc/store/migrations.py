"""Migrations from older versions of the file, one step per version; judgements are never lost.

Opening a file for writing migrates it in place, in one transaction: after a power cut or a kill it is the old file or
the new one. For reading, the tables that a step changes are copied to memory (:func:`read_through`), and the others are
read from the file.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import duckdb

from crossdoc.store import schema


@dataclass(frozen=True, slots=True)
class Migration:
    """The step from one version to the next: `change` alters these tables and no others."""

    tables: tuple[str, ...]
    change: Callable[[duckdb.DuckDBPyConnection], None]


def rank_memberships(db: duckdb.DuckDBPyConnection) -> None:
    """1 → 2: store the rank of memberships.

    Invalid judgements (an unknown verdict, twice the same profile, a negative weight), which version 1 allowed, are
    revoked. The log is append-only, so they stay in it.
    """
    db.execute(
        """
        CREATE TABLE ranked AS
        SELECT id, entity, membership,
            (row_number() OVER (PARTITION BY id ORDER BY membership DESC, rowid))::INTEGER AS rank
        FROM memberships ORDER BY memberships.rowid
        """
    )
    db.execute("DROP TABLE memberships")
    db.execute("ALTER TABLE ranked RENAME TO memberships")
    db.execute(
        """
        INSERT INTO judgements (number, who, why, "when", undoes)
        SELECT
            (SELECT max(number) FROM judgements) + row_number() OVER (ORDER BY number),
            'crossdoc', 'it says neither same nor different of two profiles, or has no weight',
            strftime(now() AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%S+00:00'), number
        FROM judgements AS earlier
        WHERE undoes IS NULL AND NOT EXISTS (SELECT 1 FROM judgements AS later WHERE later.undoes = earlier.number)
            AND NOT coalesce(verdict IN ('same', 'different') AND a <> b AND a <> '' AND b <> ''
                AND weight >= 0 AND isfinite(weight), false)
        """
    )


def keep_places(db: duckdb.DuckDBPyConnection) -> None:
    """2 → 3: store the places of judged profiles; add tables for history, collection statistics and a known list."""
    for column in ("act VARCHAR", "name VARCHAR", f"a_place {schema.PLACE}", f"b_place {schema.PLACE}"):
        db.execute(f"ALTER TABLE judgements ADD COLUMN {column}")
    for end in "ab":
        db.execute(
            f"""
            UPDATE judgements SET {end}_place = {{
                'document': p.document, 'name': p.name, 'type': p.type, 'start': m.start, 'end': m."end"
            }} FROM profiles p LEFT JOIN (
                SELECT chain, min(start) AS start, arg_min("end", start) AS "end" FROM mentions GROUP BY chain
            ) m ON m.chain = p.id WHERE judgements.{end} = p.id
            """
        )
    for table in ("history", "known", "known_odds"):
        db.execute(f"CREATE TABLE {table} ({schema.TABLES[table]})")
    db.execute(f"CREATE TABLE counts ({schema.OLD_TABLES['counts']})")


def keep_id_changes(db: duckdb.DuckDBPyConnection) -> None:
    """3 → 4: add a table for the ids that an entry of the log changes. It is empty for the entries so far."""
    db.execute(f"CREATE TABLE id_changes ({schema.TABLES['id_changes']})")


def keep_former_answers(db: duckdb.DuckDBPyConnection) -> None:
    """4 → 5: add tables for the rows that an entry of the log replaces. They are empty for the entries so far."""
    for table in ("former_memberships", "former_identities"):
        db.execute(f"CREATE TABLE {table} ({schema.TABLES[table]})")


def name_bags(db: duckdb.DuckDBPyConnection) -> None:
    """5 → 6: the bag model has a method name of its own.

    The method `sampling` used bags for profiles without types, unless a parameter of the pair model was set.
    """
    found = db.execute("SELECT rowid, settings FROM runs WHERE method = 'sampling'").fetchall()
    typed = db.execute("SELECT count(*) FROM profiles WHERE type IS NOT NULL AND type <> ''").fetchall()[0][0] > 0
    for row, written in found:
        try:
            settings = json.loads(written)
            parameters = dict(settings.get("parameters") or {})
            table = parameters.get("sampling", {})
            asked = {name for name, value in table.items() if value is not None}
        except (TypeError, ValueError, AttributeError, RecursionError):
            continue
        if table.get("model") != "bags" and (typed or table.get("model") == "pairs" or asked & PAIR_PARAMETERS):
            settings["parameters"] = _without_model(parameters, "sampling")
            db.execute("UPDATE runs SET settings = ? WHERE rowid = ?", [json.dumps(settings), row])
            continue
        settings["parameters"] = _without_model(parameters, "bags")
        settings["method"] = "bags"
        db.execute("UPDATE runs SET method = 'bags', settings = ? WHERE rowid = ?", [json.dumps(settings), row])


def _without_model(parameters: dict[str, Any], method: str) -> dict[str, Any]:
    """Return parameters in which the table `sampling`, without `model`, is that of the method."""
    table = parameters.get("sampling", {})
    own = {name: value for name, value in table.items() if name != "model" and value is not None}
    others = {name: table for name, table in parameters.items() if name != "sampling"}
    return {**others, method: own} if own else others


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
        db.execute(f"CREATE TABLE {table} ({schema.TABLES[table]})")
        db.execute(f"INSERT INTO {table} {rows}")
    db.execute("DROP TABLE counts")


MIGRATIONS = {
    "1": Migration(("memberships", "judgements"), rank_memberships),
    "2": Migration(("judgements",), keep_places),
    "3": Migration((), keep_id_changes),
    "4": Migration((), keep_former_answers),
    "5": Migration(("runs",), name_bags),
    "6": Migration(("counts",), type_statistics),
}
"""Steps by the version that they start from."""


def steps_from(version: str) -> list[Migration] | None:
    """Return the steps from a version to the present one, or None if the version is unknown.

    >>> len(steps_from("1")), steps_from(schema.VERSION), steps_from("unknown")
    (6, [], None)
    """
    steps = []
    while version != schema.VERSION:
        if version not in MIGRATIONS:
            return None
        steps.append(MIGRATIONS[version])
        version = str(int(version) + 1)
    return steps


def apply(db: duckdb.DuckDBPyConnection, steps: list[Migration]) -> None:
    """Apply steps to the first tables in the search path; the caller holds the transaction."""
    for step in steps:
        step.change(db)
    db.execute("UPDATE meta SET value = ? WHERE key = 'version'", [schema.VERSION])


def read_through(db: duckdb.DuckDBPyConnection, steps: list[Migration]) -> None:
    """Show `stored` to a connection as if it were migrated; the file is not written."""
    db.execute("ATTACH ':memory:' AS changed")
    stored = db.execute("SELECT table_name FROM duckdb_tables() WHERE database_name = 'stored'").fetchall()
    there = {name for (name,) in stored}
    for table in dict.fromkeys(["meta", *(table for step in steps for table in step.tables if table in there)]):
        db.execute(f"CREATE TABLE changed.{table} AS SELECT * FROM stored.{table} ORDER BY rowid")
    db.execute("SET search_path = 'changed,stored'")
    apply(db, steps)
