"""The tables of a .crossdoc file (a DuckDB database), and the version of that layout.

A change here needs a new version and a step in `migrations.py`. The `rank` of a membership is 1 for the strongest
identity of its id, 2 for the next. `counts` says how usual words, names and those beside them are in the collection
(`compare/kept.py`): what was added or removed later is another row, with a number below 0 for what is gone. A judgement
keeps, beside the ids of its profiles, what they are about: document, name and place in the text. `id_changes` has, for
each entry of the log and each profile of an identity that it changed, the identity's id before and after the entry.
`former_memberships` and `former_identities` have the rows that an entry replaced (`former.py`). `known_odds` has what
speaks for a profile being an entry of the known list.
"""

import pyarrow as pa

VERSION = "6"
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
    "counts": "what VARCHAR, type VARCHAR, key VARCHAR, value VARCHAR, n BIGINT",
    "known": (
        "id VARCHAR, name VARCHAR, aliases VARCHAR[], type VARCHAR, description VARCHAR, "
        "attributes MAP(VARCHAR, VARCHAR[])"
    ),
    "known_odds": "id VARCHAR, known VARCHAR, odds DOUBLE",
}

_ANSWER = [("id", "string"), ("entity", "string"), ("membership", "double"), ("name", "string"), ("document", "string")]
_KIND = [("type", "string"), ("kind", "string"), ("identity_name", "string")]
LEVELS = {
    "profile": pa.schema([*_ANSWER, *_KIND]),
    "mention": pa.schema([*_ANSWER, ("start", "int64"), ("end", "int64"), ("text", "string"), *_KIND]),
}
"""The columns of an answer, by what a row is."""
KNOWN = [pa.field("known", pa.string()), pa.field("known_probability", pa.float64())]
"""Those that it has besides where there is a known list."""
