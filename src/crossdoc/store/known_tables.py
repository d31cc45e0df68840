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
from crossdoc.store.base_tables import Tables
from crossdoc.store.draft import DraftStep

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
    for name, field in zip(COLUMNS, ("known", "probability"), strict=True):
        batch = batch.append_column(name, links.column(field).combine_chunks().take(at))
    return batch


class KnownList(Tables):
    """The known list of a result."""

    def save_known(self, entries: Iterable[KnownEntry], odds: pa.Table, clash: float, least: float) -> None:
        """Keep a known list, the log odds `id, known, odds` of profiles being its entries, and what they are read with.

        `clash` is what a profile whose name clashes speaks against an entry, `least` the probability of a link.
        """
        with self.batch():
            for table in ("known", "known_odds"):
                self._do(DraftStep(table, None))
            self._insert("known", entry_table(list(entries)))
            self._insert("known_odds", odds)
            for key, value in (("known_clash", clash), ("known_least", least)):
                self.set_meta(key, repr(float(value)))

    def add_known_odds(self, odds: pa.Table) -> None:
        self._insert("known_odds", odds)

    @property
    def has_known(self) -> bool:
        """Whether there is a known list."""
        return self.count("known") > 0

    def known_entries(self) -> list[KnownEntry]:
        return entries_of(self._query("SELECT * FROM known ORDER BY rowid"))

    def known_odds(self) -> pa.Table:
        """`id, known, odds`: what speaks for profiles being known entries."""
        return self._query("SELECT id, known, odds FROM known_odds ORDER BY rowid")

    def known_links(self, least: float | None = None) -> pa.Table:
        """`entity, known, probability`: the likeliest entry of each identity, where it is as likely as `least`.

        Without `least` it is what the run was told.
        """
        meta = self._meta()
        bounds = [float(meta.get("known_clash", 0)), float(meta.get("known_least", 1)) if least is None else least]
        return self._query(LINKS, bounds)
