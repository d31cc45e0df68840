"""Statistics of the collection, each kind in a table of its own, and the topics of its documents.

A table of counts has a row for each change: counts that were added or subtracted later are further rows, and a count
is their sum. `compare/statistics.py` says what is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import pyarrow as pa

from crossdoc.store.base_tables import tuples
from crossdoc.store.collection_tables import CollectionTables
from crossdoc.store.schema import column_types

WITH_PROFILES = ("word_counts", "bearers", "spellings", "related_counts", "document_topics", "readings", "linked_names")
"""Tables that are replaced when all profiles are compared again."""


class FirstNameTotals(NamedTuple):
    """How often first names occur in a type, and how many names there are."""

    firsts: dict[str, int]
    """By first name that was asked for: the last names it occurs with."""
    people: int = 0
    """Distinct names with a first name."""
    mentions: int = 0
    """Mentions of names, with or without a first name."""
    once: int = 0
    """Distinct names that one profile has."""
    names: int = 0
    """Distinct names."""


class StatisticsTables(CollectionTables):
    """How usual words, names and related people are."""

    def save_statistics(self, tables: Mapping[str, pa.Table]) -> None:
        """Replace all statistics but those of capitals."""
        with self.batch():
            for table in WITH_PROFILES:
                self._empty(table)
            self.drop("meta", ["topics_cut", "called", "readings"], "key")
            self.add_statistics(tables)
            self.set_meta("counted", str(self.size))
            self.set_meta("called", "all")

    def add_statistics(self, tables: Mapping[str, pa.Table]) -> None:
        """Add rows to tables of counts; a negative number subtracts."""
        for table, rows in tables.items():
            self._insert(table, rows)

    def save_spellings(self, rows: pa.Table) -> None:
        """Keep the names of all profiles with their lookup keys."""
        with self.batch():
            self._insert("spellings", rows)
            self.set_meta("called", "all")

    def save_readings(self, rows: pa.Table) -> None:
        """Keep as what names are read in all topics."""
        with self.batch():
            self._insert("readings", rows)
            self.set_meta("readings", "all")

    def save_capitals(self, rows: pa.Table) -> None:
        """Replace the counts of how words are written."""
        with self.batch():
            self._empty("capitals")
            self._insert("capitals", rows)

    def save_topics(self, rows: pa.Table, cut: float) -> None:
        """Replace the topics of all documents, and the cosine at which documents were joined to topics."""
        with self.batch():
            self._empty("document_topics")
            self._insert("document_topics", rows)
            self.set_meta("topics_cut", repr(cut))

    def _sums(
        self, table: str, columns: str, key: str, keys: Iterable[object] | None, entity_type: str | None = None
    ) -> pa.Table:
        """Add up the counts of a table by columns, of all rows (None) or of those with one of the keys in `key`.

        Sums of 0 are left out.
        """
        wanted = "true" if keys is None else f"{key} IN (SELECT id::{column_types()[table, key]} FROM asked)"
        of_type = "" if entity_type is None else "AND type = ?"
        return self._query(
            f"""SELECT {columns}, sum(n)::BIGINT AS n FROM {table} WHERE {wanted} {of_type}
            GROUP BY ALL HAVING sum(n) > 0 ORDER BY ALL""",
            [] if entity_type is None else [entity_type],
            asked=None if keys is None else map(str, keys),
        )

    def word_frequencies(self, words: Iterable[str] | None) -> dict[str, int]:
        """Return in how many texts some words occur, or all words (None)."""
        return dict(tuples(self._sums("word_counts", "word", "word", words)))

    def capital_counts(self, slots: Iterable[int] | None) -> list[tuple[int, int, int]]:
        """Return slot, form and count of some slots, or of all (None)."""
        return tuples(self._sums("capitals", "slot, form", "slot", slots))

    def bearers(self, lasts: Iterable[str] | None) -> pa.Table:
        """Return `type, last, first, n` of some last names, or of all (None); `first` is empty for bare last names."""
        return self._sums("bearers", "type, last, first", "last", lasts)

    def related_counts(self, units: Iterable[str]) -> pa.Table:
        """Return `type, field, unit, n` of some units, in all fields."""
        return self._sums("related_counts", "type, field, unit", "unit", units)

    def name_totals(self, firsts: Iterable[str]) -> dict[str, FirstNameTotals]:
        """Return by type how many people and names there are, and with how many last names some first names occur."""
        people = self._query(
            """SELECT type, CASE WHEN first IN (SELECT id FROM asked) THEN first END AS asked_first,
                count(*) FILTER (first <> '') AS people, sum(n)::BIGINT AS mentions
            FROM (SELECT type, last, first, sum(n) AS n FROM bearers GROUP BY ALL HAVING sum(n) > 0)
            GROUP BY ALL ORDER BY ALL""",
            asked=firsts,
        )
        distinct = self._query("""
            SELECT type, count(*) FILTER (n = 1) AS once, count(*) AS names FROM (
                SELECT coalesce(type, '') AS type, name, count(*) AS n FROM profiles WHERE name <> '' GROUP BY ALL
            ) GROUP BY type""")
        found = {row["type"]: FirstNameTotals({}, 0, 0, row["once"], row["names"]) for row in distinct.to_pylist()}
        for row in people.to_pylist():
            totals = found.setdefault(row["type"], FirstNameTotals({}))
            if row["asked_first"]:
                totals.firsts[row["asked_first"]] = row["people"]
            found[row["type"]] = totals._replace(
                people=totals.people + row["people"], mentions=totals.mentions + row["mentions"]
            )
        return found

    def untyped_first_names(self) -> list[str]:
        """Return the first name of every distinct name of profiles without a type."""
        rows = self._query(
            "SELECT first FROM bearers WHERE type = '' AND first <> '' GROUP BY last, first HAVING sum(n) > 0"
        )
        return list(rows.column("first").to_pylist())

    def names_like(self, entity_type: str, keys: Iterable[str]) -> dict[str, int]:
        """Return the names of a type that have one of the lookup keys, and how many profiles have each."""
        query = """
            SELECT DISTINCT name, n FROM (
                SELECT name, sum(n)::BIGINT AS n, unnest(string_split(string_agg(DISTINCT keys, ' '), ' ')) AS part
                FROM spellings WHERE type = ? GROUP BY name HAVING sum(n) > 0
            ) SEMI JOIN asked ON asked.id = part
            """
        return dict(self._rows(query, [entity_type], asked=keys))

    def spellings(self) -> pa.Table:
        """Return `type, name, keys, n` of all names, the lookup keys in one string."""
        return self._query("""
            SELECT type, name, string_agg(DISTINCT keys, ' ') AS keys, sum(n)::BIGINT AS n FROM spellings
            GROUP BY type, name HAVING sum(n) > 0 ORDER BY type, name""")

    def linked_names(self, entity_type: str) -> dict[str, str]:
        """Return by name of an organisation or place the representative of the names connected with it."""
        rows = tuples(self._sums("linked_names", "name, label", "name", None, entity_type))
        return {name: label for name, label, _ in rows}

    def readings(self, entity_type: str, topics: Iterable[int] | None = None) -> dict[tuple[int, str], str] | None:
        """Return by topic and name as what names of a type are read, in some topics or in all (None).

        None if they were not kept.
        """
        if self.meta("readings") is None:
            return None
        rows = tuples(self._sums("readings", "topic, name, reading", "topic", topics, entity_type))
        return {(topic, name): reading for topic, name, reading, _ in rows}

    def readings_of(self, entity_type: str, names: Iterable[str]) -> set[str]:
        """Return as what some names of a type are read in any topic."""
        query = "SELECT DISTINCT reading FROM readings WHERE type = ? AND name IN (SELECT id FROM asked)"
        return self._ids(query, [entity_type], asked=names)

    def topics(self, documents: Iterable[str] | None = None) -> tuple[dict[str, int], float] | None:
        """Return the topic of each document, or of some, and the cosine of documents of one topic.

        None if topics were not kept.
        """
        cut = self.meta("topics_cut")
        if cut is None:
            return None
        rows = tuples(self._sums("document_topics", "document, topic", "document", documents))
        return {document: topic for document, topic, _ in rows}, float(cut)
