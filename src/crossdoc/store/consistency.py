"""Inconsistent rows of a result with valid tables. The check reads the complete file and runs only after a failure."""

from __future__ import annotations

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
