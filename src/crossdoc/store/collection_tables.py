"""What was read: documents, mentions and profiles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from crossdoc.model import Document, Documents, Facts, Mentions, Profiles
from crossdoc.store.base_tables import Tables
from crossdoc.store.connection import reading


class CollectionTables(Tables):
    """Documents, their mentions, and the profiles that were made of these."""

    def add(self, documents: Documents, mentions: Mentions, profiles: Profiles) -> None:
        """Keep what was read of a batch of documents, wholly or not at all."""
        with self.batch():
            self.add_documents(documents)
            self.add_mentions(mentions)
            self.add_profiles(profiles)

    def add_documents(self, documents: Documents) -> None:
        self._insert("documents", documents.arrow.drop_columns(["mentions"]))

    def add_mentions(self, mentions: Mentions) -> None:
        self._insert("mentions", mentions.arrow)

    def add_profiles(self, profiles: Profiles) -> None:
        self._insert("profiles", profiles.arrow)

    def retype(self, settled: Mapping[tuple[str, str], str]) -> None:
        """Give the profiles of a name and type, and their mentions, another type, but none that has a title."""
        if not settled:
            return
        rows = [(name, old, new) for (name, old), new in settled.items()]
        columns = [pa.array(column, pa.string()) for column in zip(*rows, strict=True)]
        untitled = "NOT list_contains(coalesce(map_keys({}.attributes), []), 'title')"
        with self.batch():
            self._db.register("settled", pa.table(columns, names=["name", "old", "new"]))
            try:
                self._db.execute(f"""
                    UPDATE mentions SET type = s.new FROM settled s, profiles p
                    WHERE mentions.chain = p.id AND p.name = s.name AND p.type = s.old AND {untitled.format("p")}""")
                self._db.execute(f"""
                    UPDATE profiles SET type = s.new FROM settled s
                    WHERE profiles.name = s.name AND profiles.type = s.old AND {untitled.format("profiles")}""")
            finally:
                self._db.unregister("settled")

    @property
    def size(self) -> int:
        """How many texts the collection has: documents, or profiles where there are no documents."""
        return self.count("documents") or self.count("profiles")

    def documents(self, ids: Iterable[str] | None = None) -> Documents:
        """All documents, or those asked for."""
        if ids is None:
            arrow = self._query("SELECT * FROM documents ORDER BY rowid")
        else:
            with self._asked(set(ids)):
                arrow = self._query("SELECT * FROM documents SEMI JOIN asked USING (id) ORDER BY documents.rowid")
        return Documents(arrow.append_column("mentions", pa.nulls(len(arrow), Documents.schema.field("mentions").type)))

    def texts_of(self, ids: Iterable[str]) -> dict[str, str]:
        """The texts of some documents, by id."""
        return {document.id: document.text for document in self.documents(ids)}

    def name_types(self, names: Iterable[str] | None = None, *, several: bool = True) -> Iterator[tuple[str, str, int]]:
        """How many profiles have each name and type: of all names or some, if `several` of those of several types.

        Who has a bare word as the last of several ("Danny Oyelaran") counts as a person of that name ("Oyelaran").
        """
        with self._asked(names or ()):
            these = "SELECT name FROM profiles" if names is None else "SELECT id FROM asked"
            more = "QUALIFY count(*) OVER (PARTITION BY name) > 1" if several else ""
            counted = self._query(f"""
                SELECT name, type, count(*) AS n FROM (
                    SELECT name, type FROM profiles
                    UNION ALL
                    SELECT split_part(name, ' ', -1), type FROM profiles WHERE type = 'person' AND contains(name, ' ')
                )
                WHERE type IS NOT NULL AND name IN ({these}) GROUP BY name, type {more} ORDER BY name, type""")
        for row in counted.to_pylist():
            yield row["name"], row["type"], row["n"]

    def known(self, table: str, ids: Iterable[str]) -> set[str]:
        """Which of the ids `table` (documents or profiles) holds; the table itself is not loaded."""
        with self._asked(ids):
            return set(self._query(f"SELECT id FROM asked SEMI JOIN {table} USING (id)").column("id").to_pylist())

    def each_document(self, batch_size: int = 256) -> Iterator[Document]:
        """All documents, read a batch at a time, with id, text and language alone."""
        for rows in self._in_batches("SELECT id, text, language FROM documents", batch_size):
            for id, text, language in rows:
                yield Document(id, text, language=language)

    def texts(self, batch_size: int = 256) -> Iterator[list[str]]:
        """The texts of all documents, a batch at a time."""
        for rows in self._in_batches("SELECT text FROM documents", batch_size):
            yield [row[0] for row in rows]

    def profiles(self, entity_type: str | None = None, ids: Iterable[str] | None = None) -> Profiles:
        if ids is not None:
            return self.profiles_of(ids, "id")
        if entity_type is None:
            return Profiles(self._query("SELECT * FROM profiles ORDER BY id"))
        return Profiles(self._query("SELECT * FROM profiles WHERE coalesce(type, '') = ? ORDER BY id", [entity_type]))

    def named(self) -> Profiles:
        """All profiles with id, document, name, type and language alone: what says who may meet whom."""
        rows = self._query("SELECT id, document, name, type, language FROM profiles ORDER BY id")
        for column in Profiles.schema:
            if column.name not in rows.column_names:
                rows = rows.append_column(column, pa.nulls(len(rows), column.type))
        return Profiles(rows)

    def profiles_of(self, ids: Iterable[str], column: str) -> Profiles:
        """The profiles whose `column` (document or id) holds one of the ids."""
        if not (asked := set(ids)):
            return Profiles.of(())
        with self._asked(asked):
            query = f"SELECT p.* FROM profiles p SEMI JOIN asked ON asked.id = p.{column} ORDER BY p.id"
            return Profiles(self._query(query))

    def mentions(self) -> Mentions:
        return Mentions(self._query("SELECT * FROM mentions ORDER BY rowid"))

    def profile_batches(self, batch_size: int = 4096) -> Iterator[Profiles]:
        """All profiles in the order in which they came, a batch at a time.

        DuckDB keeps that order by itself; to sort by it would mean to hold them all.
        """
        with reading(self.path):
            for batch in self._cursor().sql("SELECT * FROM profiles").to_arrow_reader(batch_size):
                yield Profiles(pa.Table.from_batches([batch]))

    def facts(self, profiles: Profiles | None = None) -> Facts:
        """What identities are described with: names and numbers of mentions by profile, dates by document.

        Of all profiles, or of some.
        """
        chains = documents = None
        if profiles is not None:
            chains, documents = profiles.ids.tolist(), sorted(set(profiles.column("document").to_pylist()) - {None})
        counted = (
            "SELECT chain, count(*) AS n, list(DISTINCT text) FILTER (kind = 'name') AS names FROM {} GROUP BY chain"
        )
        chain, n, names = self._columns(counted, "mentions", "chain", chains)
        dates = self._columns("SELECT id, date FROM {} WHERE date IS NOT NULL", "documents", "id", documents)
        return Facts(
            {id: sorted(own) for id, own in zip(chain, names, strict=True) if own},
            dict(zip(chain, n, strict=True)),
            dict(zip(*dates, strict=True)),
        )

    def _columns(self, query: str, table: str, column: str, ids: Sequence[str] | None) -> list[list[Any]]:
        if ids is None:
            found = self._query(query.format(table))
        else:
            with self._asked(ids):
                part = f"(SELECT {table}.* FROM {table} SEMI JOIN asked ON asked.id = {table}.{column})"
                found = self._query(query.format(part))
        return [values.to_pylist() for values in found.columns]

    def duplicates(self, table: str, ids: Iterable[str] | None = None, most: int = 100) -> list[str]:
        """The ids (of all, or of some) that several rows have."""
        part = "" if ids is None else "SEMI JOIN asked USING (id)"
        with self._asked(() if ids is None else ids):
            copies = f"SELECT id FROM {table} {part} GROUP BY id HAVING count(*) > 1 ORDER BY id LIMIT {most}"
            return list(self._query(copies).column("id").to_pylist())

    def document_facts(self) -> Iterator[dict[str, str | None]]:
        """`id, title, date` of every document that names somebody, also where its text is not there."""
        query = """
            SELECT named.document AS id, d.title, d.date
            FROM (SELECT DISTINCT document FROM profiles) named LEFT JOIN documents d ON d.id = named.document
            ORDER BY 1
            """
        for batch in self._stream(query, []):
            yield from batch.to_pylist()
