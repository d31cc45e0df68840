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
    "judgements": f"""
        SELECT number, act, a, b, verdict,
            CASE WHEN NOT in_force THEN 'no_judgement' ELSE MAP {WORD_OF_VERDICT}[verdict] END AS judgement,
            if(hard, 'hard', 'soft') AS force, weight, coalesce(who, '') AS who, coalesce(why, '') AS why, "when",
            in_force
        FROM (
            SELECT *, rowid AS row, number NOT IN (SELECT undoes FROM judgements WHERE undoes > 0) AS in_force
            FROM judgements
        ) WHERE verdict IS NOT NULL ORDER BY number, row""",
}
"""Table → query. A document of a profile has a row even if its text was not stored. Judgements are in the words of
nomenklatura and Aleph.
"""


def export_tables(store: Store) -> dict[str, pa.Table]:
    """Return documents, identities, names, profiles, memberships, mentions and judgements."""
    return {name: store.query(sql) for name, sql in QUERIES.items()}


def judgement_table(store: Store, *, standing: bool = False) -> pa.Table:
    """Return the judged pairs of the log; with `standing`, only those in force."""
    rows = store.query(QUERIES["judgements"])
    return rows.filter(rows.column("in_force")) if standing else rows
