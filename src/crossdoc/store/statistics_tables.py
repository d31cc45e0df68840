"""Statistics of the collection, each kind in a table of its own, and the topics of its documents.

A table of counts has a row for each change: counts that were added or subtracted later are further rows, and a count
is their sum. `compare/statistics.py` says what is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import pyarrow as pa

from crossdoc.store.collection_tables import CollectionTables

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

    def word_frequencies(self, words: Iterable[str] | None) -> dict[str, int]:
        """Return in how many texts some words occur, or all words (None)."""
        with self._asked(words or ()):
            word, n = self._query(
                """SELECT word, sum(n)::BIGINT AS n FROM word_counts WHERE ? OR word IN (SELECT id FROM asked)
                GROUP BY word HAVING sum(n) > 0 ORDER BY word""",
                [words is None],
            ).columns
        return dict(zip(word.to_pylist(), n.to_pylist(), strict=True))

    def capital_counts(self, slots: Iterable[int] | None) -> list[tuple[int, int, int]]:
        """Return slot, form and count of some slots, or of all (None)."""
        with self._asked(str(slot) for slot in slots or ()):
            rows = self._query(
                """SELECT slot, form, sum(n)::BIGINT AS n FROM capitals
                WHERE ? OR slot IN (SELECT id::INTEGER FROM asked)
                GROUP BY slot, form HAVING sum(n) > 0 ORDER BY slot, form""",
                [slots is None],
            )
        return list(zip(*(column.to_pylist() for column in rows.columns), strict=True))

    def bearers(self, lasts: Iterable[str] | None) -> pa.Table:
        """Return `type, last, first, n` of some last names, or of all (None); `first` is empty for bare last names."""
        with self._asked(lasts or ()):
            return self._query(
                """SELECT type, last, first, sum(n)::BIGINT AS n FROM bearers
                WHERE ? OR last IN (SELECT id FROM asked)
                GROUP BY ALL HAVING sum(n) > 0 ORDER BY ALL""",
                [lasts is None],
            )

    def related_counts(self, units: Iterable[str]) -> pa.Table:
        """Return `type, field, unit, n` of some units, in all fields."""
        with self._asked(units):
            return self._query(
                """SELECT type, field, unit, sum(n)::BIGINT AS n FROM related_counts
                WHERE unit IN (SELECT id FROM asked) GROUP BY ALL HAVING sum(n) > 0 ORDER BY ALL"""
            )

    def name_totals(self, firsts: Iterable[str]) -> dict[str, FirstNameTotals]:
        """Return by type how many people and names there are, and with how many last names some first names occur."""
        with self._asked(firsts):
            people = self._query("""
                SELECT type, CASE WHEN first IN (SELECT id FROM asked) THEN first END AS asked_first,
                    count(*) FILTER (first <> '') AS people, sum(n)::BIGINT AS mentions
                FROM (SELECT type, last, first, sum(n) AS n FROM bearers GROUP BY ALL HAVING sum(n) > 0)
                GROUP BY ALL ORDER BY ALL""")
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
        with self._asked(keys):
            rows = self._query(
                """
                SELECT DISTINCT name, n FROM (
                    SELECT name, sum(n)::BIGINT AS n, unnest(string_split(string_agg(DISTINCT keys, ' '), ' ')) AS part
                    FROM spellings WHERE type = ? GROUP BY name HAVING sum(n) > 0
                ) SEMI JOIN asked ON asked.id = part
                """,
                [entity_type],
            )
        return dict(zip(*(column.to_pylist() for column in rows.columns), strict=True))

    def spellings(self) -> pa.Table:
        """Return `type, name, keys, n` of all names, the lookup keys in one string."""
        return self._query("""
            SELECT type, name, string_agg(DISTINCT keys, ' ') AS keys, sum(n)::BIGINT AS n FROM spellings
            GROUP BY type, name HAVING sum(n) > 0 ORDER BY type, name""")

    def linked_names(self, entity_type: str) -> dict[str, str]:
        """Return by name of an organisation or place the representative of the names connected with it."""
        rows = self._query(
            "SELECT name, label FROM linked_names WHERE type = ? GROUP BY ALL HAVING sum(n) > 0 ORDER BY ALL",
            [entity_type],
        )
        return dict(zip(*(column.to_pylist() for column in rows.columns), strict=True))

    def readings(self, entity_type: str, topics: Iterable[int] | None = None) -> dict[tuple[int, str], str] | None:
        """Return by topic and name as what names of a type are read, in some topics or in all (None).

        None if they were not kept.
        """
        if self.meta("readings") is None:
            return None
        with self._asked(str(topic) for topic in topics or ()):
            rows = self._query(
                """SELECT topic, name, reading FROM readings
                WHERE type = ? AND (? OR topic IN (SELECT id::BIGINT FROM asked))
                GROUP BY ALL HAVING sum(n) > 0 ORDER BY ALL""",
                [entity_type, topics is None],
            )
        columns = (column.to_pylist() for column in rows.columns)
        return {(topic, name): reading for topic, name, reading in zip(*columns, strict=True)}

    def readings_of(self, entity_type: str, names: Iterable[str]) -> set[str]:
        """Return as what some names of a type are read in any topic."""
        with self._asked(names):
            rows = self._query(
                """SELECT DISTINCT reading FROM readings WHERE type = ? AND name IN (SELECT id FROM asked)""",
                [entity_type],
            )
        return set(rows.column("reading").to_pylist())

    def topics(self, documents: Iterable[str] | None = None) -> tuple[dict[str, int], float] | None:
        """Return the topic of each document, or of some, and the cosine of documents of one topic.

        None if topics were not kept.
        """
        cut = self.meta("topics_cut")
        if cut is None:
            return None
        with self._asked(documents or ()):
            rows = self._query(
                """SELECT document, topic FROM document_topics WHERE ? OR document IN (SELECT id FROM asked)
                GROUP BY ALL HAVING sum(n) > 0 ORDER BY ALL""",
                [documents is None],
            )
        return dict(zip(*(column.to_pylist() for column in rows.columns), strict=True)), float(cut)
