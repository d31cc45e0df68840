"""The tables of a .crossdoc file (a DuckDB database), and the version of that layout.

A change of tables needs a new version and a step in `MIGRATIONS`. The `rank` of a membership is 1 for the strongest
identity of its id, 2 for the next. The tables from `word_counts` to `linked_names` have the collection statistics
(`statistics_tables.py`); later additions and removals are further rows, with a negative number for what was removed. A
judgement keeps the ids of its profiles and their document, name and place in the text. `id_changes` has, for each entry
of the log and each profile of an identity that it changed, the identity's id before and after the entry.
`former_memberships` and `former_identities` have the rows that an entry replaced (`history_table.py`). `known_odds` has
log odds that a profile is an entry of the known list.

`inconsistency` finds rows that no run writes. It reads the complete file, and is called only after a failure.

Migrations from older versions of the file, one step per version; judgements are never lost.

Opening a file for writing migrates it in place, in one transaction: after a power cut or a kill it is the old file or
the new one. For reading, the tables that a step changes are copied to memory (:func:`read_through`), and the others are
read from the file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
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
    """Return the columns of a table as Arrow types."""
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


UNIQUE = {"documents": "id", "profiles": "id", "mentions": "id", "identities": "id", "known": "id", "meta": "key"}
NEVER_EMPTY = {
    "meta": ["value"], "documents": ["text"], "profiles": ["name", "document"], "identities": ["name", "variants"],
    "mentions": ["document", "text", "kind"], "memberships": ["rank"],
    "known": ["name", "aliases", "description", "attributes"],
    **{table: ["n"] for table in (
        "word_counts", "bearers", "spellings", "related_counts", "capitals", "document_topics", "readings",
        "linked_names",
    )},
    "runs": ["started", "finished", "version", "method", "seed", "settings", "inputs", "notes"],
    "judgements": ["number", "act", "who", "when"], "history": ["number", "id", "what", "when", "cause"],
    "id_changes": ["number", "id", "former", "entity"],
    "former_memberships": ["number", "id", "entity", "membership", "rank"],
    "former_identities": ["number", "id", "name", "variants"],
}  # fmt: skip
INCONSISTENT_ROWS = {
    "a membership of a profile that does not exist": "SELECT 1 FROM memberships ANTI JOIN profiles USING (id)",
    "a profile without an identity": "SELECT 1 FROM profiles ANTI JOIN memberships USING (id)",
    "a membership in an identity that does not exist":
        "SELECT 1 FROM memberships ANTI JOIN identities ON memberships.entity = identities.id",
    "memberships that are not numbers above 0":
        "SELECT 1 FROM memberships WHERE NOT coalesce(membership > 0 AND membership < 1.001, false) OR rank < 1",
    "a mention outside its document":
        "SELECT 1 FROM mentions JOIN documents ON mentions.document = documents.id WHERE NOT coalesce("
        'start >= 0 AND start < "end" AND "end" <= length(documents.text), start IS NULL AND "end" IS NULL)',
    "a mention in a document that does not exist":
        "SELECT 1 FROM mentions ANTI JOIN documents ON mentions.document = documents.id "
        "WHERE (SELECT count(*) FROM documents) > 0",
    "evidence for a profile that does not exist": "SELECT 1 FROM known_odds ANTI JOIN profiles USING (id)",
    "evidence for an entry that does not exist":
        "SELECT 1 FROM known_odds ANTI JOIN known ON known_odds.known = known.id",
    "values that are not numbers":
        "SELECT 1 FROM known_odds WHERE NOT coalesce(abs(odds) <= 1000, false) UNION ALL "
        "SELECT 1 FROM identities WHERE NOT coalesce(certainty BETWEEN -0.001 AND 1.001 AND n_documents >= 0 "
        "AND n_mentions >= 0, false) UNION ALL "
        "SELECT 1 FROM judgements WHERE verdict IN ('same', 'different') "
        "AND NOT coalesce(hard IS NOT NULL AND isfinite(weight) AND weight >= 0, false)",
    "a list with an empty place":
        "SELECT 1 FROM profiles WHERE list_count(relations) < len(relations) "
        "OR list_count(map_values(attributes)) < len(map_values(attributes)) UNION ALL "
        "SELECT 1 FROM runs WHERE list_count(inputs) < len(inputs) OR list_count(notes) < len(notes) UNION ALL "
        "SELECT 1 FROM known WHERE list_count(aliases) < len(aliases) "
        "OR list_count(map_values(attributes)) < len(map_values(attributes))",
    "numbers out of bounds in its log or history":
        "SELECT 1 FROM judgements WHERE number NOT BETWEEN 1 AND 1000000000000 UNION ALL "
        "SELECT 1 FROM history WHERE number NOT BETWEEN 1 AND 1000000000000",
    "counts that cannot be":
        "SELECT 1 FROM word_counts GROUP BY word HAVING sum(n) NOT BETWEEN 0 AND 1000000000000 UNION ALL "
        "SELECT 1 FROM bearers GROUP BY type, last, first HAVING sum(n) NOT BETWEEN 0 AND 1000000000000 UNION ALL "
        "SELECT 1 FROM spellings GROUP BY type, name HAVING sum(n) NOT BETWEEN 0 AND 1000000000000 UNION ALL "
        "SELECT 1 FROM related_counts GROUP BY type, field, unit HAVING sum(n) NOT BETWEEN 0 AND 1000000000000 "
        "UNION ALL SELECT 1 FROM capitals GROUP BY slot, form HAVING sum(n) NOT BETWEEN 0 AND 1000000000000",
    "an unknown event":
        "SELECT 1 FROM history WHERE what NOT IN ('appeared', 'split', 'moved', 'merged', 'vanished') "
        "OR NOT coalesce(profiles >= 0, false)",
    "no record of a run": "SELECT 1 WHERE (SELECT count(*) FROM runs) = 0",
    "an unknown verdict": "SELECT 1 FROM judgements WHERE verdict NOT IN ('same', 'different')",
    "invalid metadata":
        "SELECT 1 FROM meta WHERE key = 'revision' AND try_cast(value AS BIGINT) IS NULL "
        "OR key = 'salt' AND NOT regexp_full_match(value, '([0-9a-f]{2})*')",
}  # fmt: skip


def inconsistency(db: duckdb.DuckDBPyConnection) -> str | None:
    """Return a description of the first inconsistency of a result, or None."""
    asked = {f"two {table} of one {key}, or none": _repeated(table, key) for table, key in UNIQUE.items()}
    for table, columns in NEVER_EMPTY.items():
        empty = " OR ".join(f'"{column}" IS NULL' for column in columns)
        asked[f"{table} with nothing in {' or '.join(columns)}"] = f"SELECT 1 FROM {table} WHERE {empty}"
    for what, question in (asked | INCONSISTENT_ROWS).items():
        # A file that cannot be read at all is reported elsewhere.
        with suppress(duckdb.Error):
            if db.execute(f"SELECT 1 FROM ({question}) LIMIT 1").fetchall():
                return what
    return None


def _repeated(table: str, key: str) -> str:
    return f'SELECT 1 FROM {table} GROUP BY "{key}" HAVING count(*) > 1 OR "{key}" IS NULL'


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
    for column in ("act VARCHAR", "name VARCHAR", f"a_place {PLACE}", f"b_place {PLACE}"):
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
        db.execute(f"CREATE TABLE {table} ({TABLES[table]})")
    db.execute(f"CREATE TABLE counts ({OLD_TABLES['counts']})")


def keep_id_changes(db: duckdb.DuckDBPyConnection) -> None:
    """3 → 4: add a table for the ids that an entry of the log changes. It is empty for the entries so far."""
    db.execute(f"CREATE TABLE id_changes ({TABLES['id_changes']})")


def keep_former_answers(db: duckdb.DuckDBPyConnection) -> None:
    """4 → 5: add tables for the rows that an entry of the log replaces. They are empty for the entries so far."""
    for table in ("former_memberships", "former_identities"):
        db.execute(f"CREATE TABLE {table} ({TABLES[table]})")


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
        db.execute(f"CREATE TABLE {table} ({TABLES[table]})")
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

    >>> len(steps_from("1")), steps_from(VERSION), steps_from("unknown")
    (6, [], None)
    """
    steps = []
    while version != VERSION:
        if version not in MIGRATIONS:
            return None
        steps.append(MIGRATIONS[version])
        version = str(int(version) + 1)
    return steps


def apply(db: duckdb.DuckDBPyConnection, steps: list[Migration]) -> None:
    """Apply steps to the first tables in the search path; the caller holds the transaction."""
    for step in steps:
        step.change(db)
    db.execute("UPDATE meta SET value = ? WHERE key = 'version'", [VERSION])


def read_through(db: duckdb.DuckDBPyConnection, steps: list[Migration]) -> None:
    """Show `stored` to a connection as if it were migrated; the file is not written."""
    db.execute("ATTACH ':memory:' AS changed")
    stored = db.execute("SELECT table_name FROM duckdb_tables() WHERE database_name = 'stored'").fetchall()
    there = {name for (name,) in stored}
    for table in dict.fromkeys(["meta", *(table for step in steps for table in step.tables if table in there)]):
        db.execute(f"CREATE TABLE changed.{table} AS SELECT * FROM stored.{table} ORDER BY rowid")
    db.execute("SET search_path = 'changed,stored'")
    apply(db, steps)
