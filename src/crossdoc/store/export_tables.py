"""All tables of an answer for a database of another program, as Arrow."""

from __future__ import annotations

import pyarrow as pa

from crossdoc.model.rows import WORD_OF_VERDICT
from crossdoc.store.store import Store

QUERIES = {
    "documents": """
        SELECT named.document AS id, d.title, d.date, d.language, d.source, d.text
        FROM (SELECT document FROM profiles UNION SELECT id FROM documents) named LEFT JOIN documents d
        ON d.id = named.document ORDER BY 1""",
    "identities": """
        SELECT id, name, type, descriptor, n_documents, n_mentions, first_date, last_date, certainty
        FROM identities ORDER BY n_documents DESC, id""",
    "names": """
        SELECT id AS identity, unnest(map_keys(variants)) AS name, unnest(map_values(variants)) AS profiles
        FROM identities ORDER BY ALL""",
    "profiles": """
        SELECT p.id, p.document, m.entity AS identity, m.membership, p.name, p.type, p.context
        FROM profiles p JOIN memberships m ON m.id = p.id AND m.rank = 1 ORDER BY p.id""",
    "memberships": "SELECT id AS profile, entity AS identity, membership, rank FROM memberships ORDER BY 1, 4",
    "mentions": """
        SELECT m.id, m.document, p.id AS profile, m.start AS start_offset, m."end" AS end_offset, m.text, m.kind
        FROM mentions m LEFT JOIN profiles p ON p.id = m.chain ORDER BY m.document, m.start, m.id""",
}
"""Table → query. A document of a profile has a row even if its text was not stored."""
JUDGEMENTS = pa.schema(
    [("number", pa.int64()), ("act", pa.string()), ("a", pa.string()), ("b", pa.string()), ("verdict", pa.string()),
     ("judgement", pa.string()), ("force", pa.string()), ("weight", pa.float64()), ("who", pa.string()),
     ("why", pa.string()), ("when", pa.string()), ("in_force", pa.bool_())]
)  # fmt: skip


def export_tables(store: Store) -> dict[str, pa.Table]:
    """Return documents, identities, names, profiles, memberships, mentions and judgements."""
    return {**{name: store.query(sql) for name, sql in QUERIES.items()}, "judgements": judgement_table(store)}


def judgement_table(store: Store, *, standing: bool = False) -> pa.Table:
    """Return judged pairs in the words of nomenklatura and Aleph, undone ones (not if `standing`) as `no_judgement`."""
    in_force = {entry.number for entry in store.entries()}
    rows = [
        {"number": entry.number, "act": entry.act, "a": each.a, "b": each.b, "verdict": each.verdict,
         "judgement": WORD_OF_VERDICT[each.verdict] if entry.number in in_force else "no_judgement",
         "force": "hard" if each.hard else "soft", "weight": each.weight, "who": entry.who, "why": entry.why,
         "when": entry.when, "in_force": entry.number in in_force}
        for entry in store.entries(standing=standing) for each in entry.judgements
    ]  # fmt: skip
    return pa.Table.from_pylist(rows, JUDGEMENTS)
