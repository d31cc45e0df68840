"""The tables of documents, mentions and profiles; statistics of the collection, and the topics of its documents.

A table of counts has a row for each change: counts that were added or subtracted later are further rows, and a count
is their sum. `compare/statistics.py` says what is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import pyarrow as pa

from crossdoc.model import Document, Documents, Facts, Mentions, Profiles
from crossdoc.store.base_tables import Tables, tuples
from crossdoc.store.schema import column_types


def without_mentions(rows: pa.Table) -> Documents:
    """Return documents from the rows of their table, which has no mentions."""
    return Documents(rows.append_column("mentions", pa.nulls(len(rows), Documents.schema.field("mentions").type)))


class CollectionTables(Tables):
    """Documents, mentions and profiles of a result."""

    def add(self, *tables: Documents | Mentions | Profiles) -> None:
        """Store a batch of documents with their mentions and profiles in one transaction."""
        with self.batch():
            for table in tables:
                if isinstance(table, Documents):
                    self._insert("documents", table.arrow.drop_columns(["mentions"]))
                else:
                    self._insert("mentions" if isinstance(table, Mentions) else "profiles", table.arrow)

    def retype(self, settled: Mapping[tuple[str, str | None], str]) -> None:
        """Change the type of the profiles with a name and type, and of their mentions, except profiles with a title."""
        columns = [[*(name for name, _ in settled)], [*(old for _, old in settled)], [*settled.values()]]
        asked = "(SELECT unnest($1::VARCHAR[]) AS name, unnest($2::VARCHAR[]) AS old, unnest($3::VARCHAR[]) AS new) s"
        those = """p.name = s.name AND p.type IS NOT DISTINCT FROM s.old
            AND NOT list_contains(coalesce(map_keys(p.attributes), []), 'title')"""
        with self.batch():
            mentions = f"UPDATE mentions SET type = s.new FROM {asked}, profiles p WHERE chain = p.id AND {those}"
            for change in (mentions, f"UPDATE profiles p SET type = s.new FROM {asked} WHERE {those}"):
                self._db.execute(change, columns)

    @property
    def size(self) -> int:
        """Number of documents, or of profiles if there are no documents."""
        return self.count("documents") or self.count("profiles")

    def profiles_signature(self) -> str:
        """Return a text that changes whenever the profiles change, and not with judgements."""
        return str(
            self.fetch("""
            SELECT count(*), max(finished), (SELECT count(*) FROM profiles), (SELECT value FROM meta WHERE key = 'salt')
            FROM runs""")[0]
        )

    def documents(self, ids: Iterable[str] | None = None) -> Documents:
        some = "" if ids is None else "SEMI JOIN asked USING (id)"
        return without_mentions(self.query(f"SELECT * FROM documents {some} ORDER BY documents.rowid", asked=ids))

    def texts_of(self, ids: Iterable[str]) -> dict[str, str]:
        return {document.id: document.text for document in self.documents(ids)}

    def texts_in(self, language: str) -> list[str]:
        return [text for (text,) in self.fetch("SELECT text FROM documents WHERE language = ?", [language])]

    def name_types(self, names: Iterable[str] | None = None, *, several: bool = True) -> Iterator[tuple[str, str, int]]:
        """Yield the number of profiles with each name and type; with `several`, of names with several types.

        A person ("Danny Oyelaran") is counted under the last word of the name ("Oyelaran") too.
        """
        these = "SELECT name FROM profiles" if names is None else "SELECT id FROM asked"
        more = "QUALIFY count(*) OVER (PARTITION BY name) > 1" if several else ""
        query = f"""
            SELECT name, type, count(*) AS n FROM (
                SELECT name, type FROM profiles
                UNION ALL
                SELECT split_part(name, ' ', -1), type FROM profiles WHERE type = 'person' AND contains(name, ' ')
            )
            WHERE type IS NOT NULL AND name IN ({these}) GROUP BY name, type {more} ORDER BY name, type"""
        yield from self.fetch(query, asked=names)

    def untyped_names(self) -> dict[str, int]:
        """Return the number of profiles without a type by name, if other profiles have one."""
        query = """
            SELECT name, count(*) FROM profiles WHERE type IS NULL AND name IS NOT NULL
            AND EXISTS (SELECT 1 FROM profiles WHERE type IS NOT NULL) GROUP BY name ORDER BY name"""
        return dict(self.fetch(query))

    def known(self, table: str, ids: Iterable[str]) -> set[str]:
        """Return those of the ids that `table` (documents or profiles) has."""
        return self._ids(f"SELECT id FROM asked SEMI JOIN {table} USING (id)", asked=ids)

    def each_document(self) -> Iterator[Document]:
        """Yield all documents with only id, text and language."""
        for batch in self._stream("SELECT id, text, language FROM documents ORDER BY rowid", size=256):
            for id, text, language in tuples(batch):
                yield Document(id, text, language=language)

    def texts(self) -> Iterator[list[str]]:
        for batch in self._stream("SELECT text FROM documents ORDER BY rowid", size=256):
            yield batch.column(0).to_pylist()

    def profiles(self, ids: Iterable[str] | None = None, column: str = "id") -> Profiles:
        """Return all profiles, or those whose `column` (document or id) is one of the ids."""
        some = "" if ids is None else f"SEMI JOIN asked ON asked.id = profiles.{column}"
        return Profiles(self.query(f"SELECT * FROM profiles {some} ORDER BY profiles.id", asked=ids))

    def profiles_in_order(self, ids: Sequence[str]) -> Profiles:
        """Return the profiles with these ids, in their order."""
        found = self.profiles(ids)
        place = {id: at for at, id in enumerate(found.ids)}
        return found.take([place[id] for id in ids])

    def named(self) -> Profiles:
        """Return all profiles with only id, document, name, type and language."""
        left_out = ("context", "attributes", "relations")
        nothing = ", ".join(f"NULL::{column_types()['profiles', name]} AS {name}" for name in left_out)
        return Profiles(self.query(f"SELECT * REPLACE ({nothing}) FROM profiles ORDER BY id"))

    def profile_batches(self, size: int = 4096) -> Iterator[Profiles]:
        """Yield all profiles in batches, as they were inserted: DuckDB keeps that order, and sorting loads all."""
        for batch in self._stream("SELECT * FROM profiles", size=size):
            yield Profiles(pa.Table.from_batches([batch]))

    def has_links_only(self) -> bool:
        """Return whether no profile has a type, an attribute or a relation."""
        more = "coalesce(type, '') <> '' OR cardinality(attributes) > 0 OR len(relations) > 0"
        return not self.fetch(f"SELECT id FROM profiles WHERE {more} LIMIT 1")

    def mentions(self) -> Mentions:
        return Mentions(self.query("SELECT * FROM mentions ORDER BY rowid"))

    def facts(self, profiles: Profiles | None = None) -> Facts:
        """Return names and numbers of mentions by profile, and dates by document, for all profiles or some."""
        asked = None if profiles is None else {*profiles.ids, *profiles.column("document").to_pylist()}
        some = "" if profiles is None else "SEMI JOIN asked ON asked.id = {}"
        counted = f"""
            SELECT chain, count(*), list(DISTINCT text) FILTER (kind = 'name')
            FROM mentions {some.format("mentions.chain")} GROUP BY chain"""
        dated = f"SELECT id, date FROM documents {some.format('documents.id')} WHERE date IS NOT NULL"
        rows = self.fetch(counted, asked=asked)
        names = {chain: sorted(own) for chain, _, own in rows if own}
        return Facts(names, {chain: n for chain, n, _ in rows}, dict(self.fetch(dated, asked=asked)))

    def duplicates(self, table: str, ids: Iterable[str] | None = None) -> list[str]:
        """Return up to 100 ids (of all, or of some) that more than one row has."""
        part = "" if ids is None else "SEMI JOIN asked USING (id)"
        copies = f"SELECT id FROM {table} {part} GROUP BY id HAVING count(*) > 1 ORDER BY id LIMIT 100"
        return [id for (id,) in self.fetch(copies, asked=ids)]

    def document_facts(self) -> Iterator[dict[str, str | None]]:
        """Yield `id, title, date` of every document with a profile, also if the document itself is not stored."""
        query = """
            SELECT named.document AS id, d.title, d.date
            FROM (SELECT DISTINCT document FROM profiles) named LEFT JOIN documents d ON d.id = named.document
            ORDER BY 1
            """
        for batch in self._stream(query):
            yield from batch.to_pylist()


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

    def save_table(self, table: str, rows: pa.Table, **facts: str) -> None:
        """Replace the rows of one table of statistics, and what the metadata says about it."""
        with self.batch():
            self._empty(table)
            self._insert(table, rows)
            for key, value in facts.items():
                self.set_meta(key, value)

    def _sums(
        self, table: str, columns: str, key: str, keys: Iterable[object] | None, entity_type: str | None = None
    ) -> pa.Table:
        """Add up counts by columns, of all rows or those with one of the keys in `key`, without sums of 0."""
        wanted = "true" if keys is None else f"{key} IN (SELECT id::{column_types()[table, key]} FROM asked)"
        of_type = "" if entity_type is None else "AND type = ?"
        return self.query(
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

    def name_counts(self) -> dict[str, tuple[int, int]]:
        """Return by type how many names with a first name there are, and how many mentions of names."""
        rows = self.fetch(
            """SELECT type, count(*) FILTER (first <> ''), sum(n)::BIGINT
            FROM (SELECT type, first, sum(n) AS n FROM bearers GROUP BY type, last, first HAVING sum(n) > 0)
            GROUP BY type ORDER BY type"""
        )
        return {kind: (people, mentions) for kind, people, mentions in rows}

    def name_totals(self, firsts: Iterable[str]) -> dict[str, FirstNameTotals]:
        """Return by type how many people and names there are, and with how many last names some first names occur."""
        found = {kind: FirstNameTotals({}, *counts) for kind, counts in self.name_counts().items()}
        rows = self.fetch(
            """SELECT type, first, count(*) FROM (
                SELECT type, first FROM bearers WHERE first IN (SELECT id FROM asked) AND first <> ''
                GROUP BY type, last, first HAVING sum(n) > 0
            ) GROUP BY type, first""",
            asked=firsts,
        )
        for kind, first, n in rows:
            found[kind].firsts[first] = n
        return found

    def untyped_first_names(self) -> list[str]:
        """Return the first name of every distinct name of profiles without a type."""
        query = "SELECT first FROM bearers WHERE type = '' AND first <> '' GROUP BY last, first HAVING sum(n) > 0"
        return [first for (first,) in self.fetch(query)]

    def names_like(self, entity_type: str, keys: Iterable[str]) -> dict[str, int]:
        """Return the names of a type that have one of the lookup keys, and how many profiles have each."""
        query = """
            SELECT DISTINCT name, n FROM (
                SELECT name, sum(n)::BIGINT AS n, unnest(string_split(string_agg(DISTINCT keys, ' '), ' ')) AS part
                FROM spellings WHERE type = ? GROUP BY name HAVING sum(n) > 0
            ) SEMI JOIN asked ON asked.id = part
            """
        return dict(self.fetch(query, [entity_type], asked=keys))

    def spellings(self) -> pa.Table:
        """Return `type, name, keys, n` of all names, the lookup keys in one string."""
        return self.query("""
            SELECT type, name, string_agg(DISTINCT keys, ' ') AS keys, sum(n)::BIGINT AS n FROM spellings
            GROUP BY type, name HAVING sum(n) > 0 ORDER BY type, name""")

    def linked_names(self, entity_type: str) -> dict[str, str]:
        """Return by name of an organisation or place the representative of the names connected with it."""
        rows = tuples(self._sums("linked_names", "name, label", "name", None, entity_type))
        return {name: label for name, label, _ in rows}

    def readings(self, entity_type: str, topics: Iterable[int] | None = None) -> dict[tuple[int, str], str]:
        """Return by topic and name as what names of a type are read, in some topics or in all."""
        rows = tuples(self._sums("readings", "topic, name, reading", "topic", topics, entity_type))
        return {(topic, name): reading for topic, name, reading, _ in rows}

    def readings_of(self, entity_type: str, names: Iterable[str]) -> set[str]:
        """Return as what some names of a type are read in any topic."""
        query = "SELECT DISTINCT reading FROM readings WHERE type = ? AND name IN (SELECT id FROM asked)"
        return self._ids(query, [entity_type], asked=names)

    def topics(self, documents: Iterable[str] | None = None) -> tuple[dict[str, int], float]:
        """Return the topic of each document, or of some, and the cosine of documents of one topic."""
        rows = tuples(self._sums("document_topics", "document, topic", "document", documents))
        return {document: topic for document, topic, _ in rows}, float(self.meta("topics_cut") or 0)
