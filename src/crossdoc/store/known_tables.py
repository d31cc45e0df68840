"""A known list in a result, and the probability that an identity is entry k: p(k) = exp(o_k) / (1 + Σ exp(o_j)).

The log odds o_k of an identity are the mean over its profiles. A profile whose name clashes with all names of the entry
has no row in `known_odds` and counts as minus `clash`. Links are computed from the present identities when they are
requested, so a change of identities needs no update here.
"""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa
import pyarrow.compute as pc

from crossdoc.model import KnownEntry
from crossdoc.store import schema
from crossdoc.store.base_tables import Tables
from crossdoc.store.schema import as_table, cells_of

IDENTITY_LINKS = """
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


def with_known(batch: pa.RecordBatch, links: pa.Table, column: str = "entity") -> pa.RecordBatch:
    """Return a batch with two more columns: the entry of each row's identity, and its probability.

    >>> links = pa.table({"entity": ["a"], "known": ["Q1"], "probability": [0.9]})
    >>> with_known(pa.record_batch({"id": ["p", "q"], "entity": ["a", "b"]}), links).to_pydict()["known"]
    ['Q1', None]
    """
    at = pc.index_in(batch.column(column), value_set=links.column("entity").combine_chunks())
    for name, field in zip(schema.KNOWN, ("known", "probability"), strict=True):
        batch = batch.append_column(name, links.column(field).combine_chunks().take(at))
    return batch


class KnownList(Tables):
    """The known list of a result."""

    def save_known(self, entries: Iterable[KnownEntry], odds: pa.Table, clash: float, least: float) -> None:
        """Store a known list and the log odds `id, known, odds` that profiles are its entries.

        `clash` is the log odds against an entry of a profile whose name clashes, `least` the minimum probability of a
        link.
        """
        with self.batch():
            self._empty("known", "known_odds")
            rows = [cells_of(entry, attributes=list(entry.attributes.items())) for entry in entries]
            self._insert("known", as_table("known", rows))
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
        return [
            KnownEntry(**{**row, "aliases": tuple(row["aliases"]), "attributes": dict(row["attributes"])})
            for row in self._query("SELECT * FROM known ORDER BY rowid").to_pylist()
        ]

    def known_odds(self) -> pa.Table:
        """Return `id, known, odds`: the log odds that profiles are known entries."""
        return self._query("SELECT id, known, odds FROM known_odds ORDER BY rowid")

    def known_links(self, least: float | None = None) -> pa.Table:
        """Return `entity, known, probability`: the likeliest entry of each identity, if it is at least `least`.

        The default of `least` is the value of the run.
        """
        meta = self._meta()
        bounds = [float(meta.get("known_clash", 0)), float(meta.get("known_least", 1)) if least is None else least]
        return self._query(IDENTITY_LINKS, bounds)
