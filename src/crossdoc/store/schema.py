"""The tables of a .crossdoc file (a DuckDB database), and the version of that layout.

A change here needs a new version and a step in `migrations.py`. The `rank` of a membership is 1 for the strongest
identity of its id, 2 for the next. The tables from `word_counts` to `linked_names` are statistics of the collection
(`statistics_tables.py`): what was added or removed later is another row, with a negative number for what is gone. A
judgement keeps, besides the ids of its profiles, their document, name and place in the text. `id_changes` has, for
each entry of the log and each profile of an identity that it changed, the identity's id before and after the entry.
`former_memberships` and `former_identities` have the rows that an entry replaced (`former.py`). `known_odds` has what
speaks for a profile being an entry of the known list.
"""

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
"""The columns of an answer, by what a row is."""
KNOWN = [pa.field("known", pa.string()), pa.field("known_probability", pa.float64())]
"""Those that it has besides where there is a known list."""
