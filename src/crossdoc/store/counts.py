"""What is counted in a collection, and the topics of its documents, so that a part of it is told as all of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pyarrow as pa

from crossdoc.store.collection_tables import CollectionTables


class Counts(CollectionTables):
    """How usual words, names and those beside them are."""

    def save_counts(self, counts: pa.Table) -> None:
        """What the comparison counted in the collection as it is now, in place of all that it counted before."""
        with self.batch():
            kinds = self._query("SELECT DISTINCT what FROM counts WHERE what <> 'case'").column("what").to_pylist()
            self.drop("counts", kinds, "what")
            self.drop("meta", ["topics_cut", "called", "readings"], "key")
            self.add_counts(counts)
            self.set_meta("counted", str(self.size))

    def save_called(self, counts: pa.Table) -> None:
        """The names of the collection as it is now, with the keys by which they are looked up."""
        with self.batch():
            self.add_counts(counts)
            self.set_meta("called", "all")

    def save_readings(self, counts: pa.Table) -> None:
        """As what names are read in all topics."""
        with self.batch():
            self.add_counts(counts)
            self.set_meta("readings", "all")

    def save_cases(self, counts: pa.Table) -> None:
        """How the texts write their words, in place of what was known of it."""
        with self.batch():
            self.drop("counts", ["case"], "what")
            self.add_counts(counts)

    def save_topics(self, counts: pa.Table, cut: float) -> None:
        """The topics of all documents, and how alike those of one are, in place of what was known of it."""
        with self.batch():
            self.drop("counts", ["topic"], "what")
            self.add_counts(counts)
            self.set_meta("topics_cut", repr(cut))

    def add_counts(self, counts: pa.Table) -> None:
        self._insert("counts", counts)

    def counted(self, what: str, entity_type: str, keys: Iterable[str] | None) -> list[tuple[str, str, int]]:
        """How often each of the keys (None: all), with its value, is counted in the collection."""
        rows = self._counted(what, entity_type, keys)
        return list(zip(*(column.to_pylist() for column in rows.columns), strict=True))

    def numbers(self, what: str, keys: Iterable[str] | None) -> dict[str, int]:
        """The same of what has neither type nor value, such as words; without a tuple for each of very many."""
        key, _, n = self._counted(what, "", keys).columns
        return dict(zip(key.to_pylist(), n.to_pylist(), strict=True))

    def _counted(self, what: str, entity_type: str, keys: Iterable[str] | None) -> pa.Table:
        with self._asked(keys or ()):
            return self._query(
                """
                SELECT key, value, sum(n)::BIGINT AS n FROM counts
                WHERE what = ? AND type = ? AND (? OR key IN (SELECT id FROM asked))
                GROUP BY key, value HAVING sum(n) > 0 ORDER BY key, value
                """,
                [what, entity_type, keys is None],
            )

    def counted_together(self, whats: Sequence[str], keys: Iterable[str]) -> pa.Table:
        """`what, type, key, value, n` of all that is counted of several kinds, for some keys."""
        with self._asked(keys):
            return self._query(
                """
                SELECT what, type, key, value, sum(n)::BIGINT AS n FROM counts
                WHERE list_contains(?, what) AND key IN (SELECT id FROM asked)
                GROUP BY what, type, key, value HAVING sum(n) > 0 ORDER BY what, type, key, value
                """,
                [list(whats)],
            )

    def counted_names(self, entity_type: str, firsts: Iterable[str]) -> tuple[dict[str, int], int, int, int]:
        """With how many last names each first name is, how many people there are, names that occur once, and names."""
        return self.names_counted(firsts).get(entity_type, ({}, 0, 0, 0))

    def names_counted(self, firsts: Iterable[str]) -> dict[str, tuple[dict[str, int], int, int, int]]:
        """By type what :meth:`counted_names` tells."""
        with self._asked(firsts):
            people = self._query("""
                SELECT type, CASE WHEN value IN (SELECT id FROM asked) THEN value END AS first, count(*) AS n FROM (
                    SELECT type, key, value FROM counts WHERE what = 'name' GROUP BY ALL HAVING sum(n) > 0
                ) GROUP BY ALL ORDER BY ALL""")
        distinct = self._query("""
            SELECT type, count(*) FILTER (n = 1) AS once, count(*) AS names FROM (
                SELECT coalesce(type, '') AS type, name, count(*) AS n FROM profiles WHERE name <> '' GROUP BY ALL
            ) GROUP BY type""")
        counted = {row["type"]: (row["once"], row["names"]) for row in distinct.to_pylist()}
        found: dict[str, tuple[dict[str, int], int, int, int]] = {}
        for row in people.to_pylist():
            by_first, many, *_ = found.get(row["type"], ({}, 0))
            by_first.update({} if row["first"] is None else {row["first"]: row["n"]})
            found[row["type"]] = (by_first, many + row["n"], *counted.get(row["type"], (0, 0)))
        return {**{kind: ({}, 0, *rest) for kind, rest in counted.items()}, **found}

    def first_names(self, entity_type: str) -> list[str]:
        """Return the first name of every name that is counted for profiles without a type; nothing for other types."""
        return [] if entity_type else [first for _, first, _ in self.counted("name", "", None)]

    def called_like(self, entity_type: str, keys: Iterable[str]) -> dict[str, int]:
        """The names of a type that are kept under one of the keys, and how many profiles have each."""
        with self._asked(keys):
            rows = self._query(
                """
                SELECT DISTINCT key, n FROM (
                    SELECT key, sum(n)::BIGINT AS n, unnest(string_split(string_agg(DISTINCT value, ' '), ' ')) AS part
                    FROM counts WHERE what = 'called' AND type = ? GROUP BY key HAVING sum(n) > 0
                ) SEMI JOIN asked ON asked.id = part
                """,
                [entity_type],
            )
        return dict(zip(*(column.to_pylist() for column in rows.columns), strict=True))

    def called(self) -> pa.Table:
        """`type, name, keys, n` of all names that are kept, the keys in one string."""
        return self._query("""
            SELECT type, key AS name, string_agg(DISTINCT value, ' ') AS keys, sum(n)::BIGINT AS n FROM counts
            WHERE what = 'called' GROUP BY type, key HAVING sum(n) > 0 ORDER BY type, key""")

    def readings(self) -> pa.Table | None:
        """`type, key, value` of all readings of names in topics; None where none were looked for."""
        if self.meta("readings") is None:
            return None
        return self._query("""
            SELECT type, key, value FROM counts WHERE what = 'reading' GROUP BY ALL HAVING sum(n) > 0 ORDER BY ALL""")

    def topics(self, documents: Iterable[str] | None = None) -> tuple[dict[str, int], float] | None:
        """The topics of all documents, or of some, and how alike those of one are; None where none were looked for."""
        cut = self.meta("topics_cut")
        if cut is None:
            return None
        return {key: int(value) for key, value, _ in self.counted("topic", "", documents)}, float(cut)
