"""What is wrong with the rows of a result: rows that no run writes."""

from contextlib import suppress

import duckdb

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
LISTS = [
    ("profiles", "relations"), ("profiles", "map_values(attributes)"), ("runs", "inputs"), ("runs", "notes"),
    ("known", "aliases"), ("known", "map_values(attributes)"),
]  # fmt: skip
SUMS = {
    "word_counts": "word", "bearers": "type, last, first", "spellings": "type, name",
    "related_counts": "type, field, unit", "capitals": "slot, form",
}  # fmt: skip
MOST = 10**12
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
    "a list with an empty place": " UNION ALL ".join(
        f"SELECT 1 FROM {table} WHERE list_count({cells}) < len({cells})" for table, cells in LISTS
    ),
    "numbers out of bounds in its log or history": " UNION ALL ".join(
        f"SELECT 1 FROM {table} WHERE number NOT BETWEEN 1 AND {MOST}" for table in ("judgements", "history")
    ),
    "counts that cannot be": " UNION ALL ".join(
        f"SELECT 1 FROM {table} GROUP BY {key} HAVING sum(n) NOT BETWEEN 0 AND {MOST}" for table, key in SUMS.items()
    ),
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
    """Return a description of the first rows that no run writes, or None; this reads the complete file."""
    asked = {
        f"two {table} of one {key}, or none":
            f'SELECT 1 FROM {table} GROUP BY "{key}" HAVING count(*) > 1 OR "{key}" IS NULL'
        for table, key in UNIQUE.items()
    }  # fmt: skip
    for table, columns in NEVER_EMPTY.items():
        empty = " OR ".join(f'"{column}" IS NULL' for column in columns)
        asked[f"{table} with nothing in {' or '.join(columns)}"] = f"SELECT 1 FROM {table} WHERE {empty}"
    for what, question in (asked | INCONSISTENT_ROWS).items():
        # A file that cannot be read at all is reported elsewhere.
        with suppress(duckdb.Error):
            if db.execute(f"SELECT 1 FROM ({question}) LIMIT 1").fetchall():
                return what
    return None
