"""A known list in a result, and which identity is which of its entries: p(k) = exp(o_k) / (1 + Σ exp(o_j)).

An identity's log odds o_k of an entry are the mean of its profiles', where a profile whose name clashes with all of the
entry's (it has no row in `known_odds`) speaks against it with `clash`. What is asked follows from what the identities
are now: nothing has to be kept in step when they change.
"""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa
import pyarrow.compute as pc

from crossdoc.model import KnownEntry

ENTRIES = pa.schema(
    [("id", pa.string()), ("name", pa.string()), ("aliases", pa.list_(pa.string())), ("type", pa.string()),
     ("description", pa.string()), ("attributes", pa.map_(pa.string(), pa.list_(pa.string())))]
)  # fmt: skip
LINKS = """
    WITH held AS (SELECT entity, id FROM memberships WHERE rank = 1),
    sizes AS (SELECT entity, count(*) AS n FROM held GROUP BY entity),
    summed AS (
        SELECT entity, known, sum(odds) AS total, count(*) AS agreeing
        FROM held JOIN known_odds USING (id) GROUP BY entity, known
    ),
    weighed AS (
        SELECT entity, known, exp((total - ? * (n - agreeing)) / n) AS weight FROM summed JOIN sizes USING (entity)
    ),
    shared AS (SELECT entity, known, weight / (1 + sum(weight) OVER (PARTITION BY entity)) AS probability FROM weighed)
    SELECT entity, known, probability FROM shared
    QUALIFY row_number() OVER (PARTITION BY entity ORDER BY probability DESC, known) = 1 AND probability >= ?
    ORDER BY entity
    """
COLUMNS = ("known", "known_probability")


def entry_table(entries: Iterable[KnownEntry]) -> pa.Table:
    columns = {name: [getattr(entry, name) for entry in entries] for name in ENTRIES.names if name != "attributes"}
    attributes = [list(entry.attributes.items()) for entry in entries]
    return pa.table({**columns, "attributes": attributes}, schema=ENTRIES)


def entries_of(table: pa.Table) -> list[KnownEntry]:
    return [
        KnownEntry(**{**row, "aliases": tuple(row["aliases"]), "attributes": dict(row["attributes"])})
        for row in table.to_pylist()
    ]


def with_known(batch: pa.RecordBatch, links: pa.Table, column: str = "entity") -> pa.RecordBatch:
    """A batch with the entry that each row's identity is, and how likely that is.

    >>> links = pa.table({"entity": ["a"], "known": ["Q1"], "probability": [0.9]})
    >>> with_known(pa.record_batch({"id": ["p", "q"], "entity": ["a", "b"]}), links).to_pydict()["known"]
    ['Q1', None]
    """
    at = pc.index_in(batch.column(column), value_set=links.column("entity").combine_chunks())
    for name, told in zip(COLUMNS, ("known", "probability"), strict=True):
        batch = batch.append_column(name, links.column(told).combine_chunks().take(at))
    return batch
