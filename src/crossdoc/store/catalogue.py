"""An index of a result in memory: a line for each identity, and the row numbers of profiles, documents and mentions.

Finding an id among a million rows of the file takes a hundred milliseconds, fetching a row by its number takes one. All
searches therefore run on tables in memory, where the key of a profile, document or identity is the hash of its id.
They are made again after a change. Names are found by the beginnings of their words, without case and accents, in
their own script or in Latin letters.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any, Literal

import duckdb
import pyarrow as pa
from anyascii import anyascii

from crossdoc.names.texts import make_snippet
from crossdoc.store.shared_file import SharedFile
from crossdoc.store.store import Store
from crossdoc.store.views import Facets, Line, Network, Page
from crossdoc.store.word_index import WordIndex

Sort = Literal["documents", "mentions", "name", "certainty", "first"]
SORT_COLUMNS = {
    "documents": "documents", "mentions": "mentions", "name": "sorted", "certainty": "certainty", "first": "first_year"
}  # fmt: skip
SIZE_STEPS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1_000, 10_000, 100_000)
LINE_COLUMNS = ", ".join(field.name for field in fields(Line) if field.name != "snippet")
UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
"""Scripts that put no spaces between words."""

FOLDED = "' ' || trim(regexp_replace(lower(strip_accents({})), '[^\\pL\\pN]+', ' ', 'g'))"
LINES = f"""
    SELECT hash(i.id) AS number, i.id, i.name, coalesce(i.descriptor, '') AS descriptor, i.type,
        i.n_documents AS documents, i.n_mentions AS mentions, TRY_CAST(i.first_date[:4] AS SMALLINT) AS first_year,
        TRY_CAST(i.last_date[:4] AS SMALLINT) AS last_year, i.certainty, {FOLDED.format("i.name")} AS sorted,
        list_aggregate([{FOLDED.format("v")} for v in list_append(map_keys(i.variants), i.name)], 'string_agg', chr(10))
            AS folded, coalesce(s.languages, []) AS languages, k.known, k.probability AS known_probability
    FROM identities i LEFT JOIN links k ON k.entity = i.id LEFT JOIN (
        SELECT line, list(DISTINCT language) AS languages FROM memory.members
        WHERE rank = 1 AND language IS NOT NULL GROUP BY line
    ) s ON s.line = hash(i.id)
    """
MEMBERS = """
    SELECT hash(m.id) AS key, hash(m.entity) AS line, m.membership, m.rank, r.row, r.document, r.language
    FROM memberships m JOIN memory.profile_rows r ON r.key = hash(m.id)
    """
ROW_NUMBERS = {
    "profile_rows": "SELECT hash(id) AS key, rowid AS row, hash(document) AS document, language FROM profiles",
    "document_rows": "SELECT hash(id) AS document, rowid AS row, date[:7] AS month FROM documents",
    "mention_rows": (
        "SELECT hash(document) AS document, min(rowid) AS first, max(rowid) AS last FROM mentions GROUP BY 1"
    ),
}
"""Queries for the tables in memory that have row numbers."""


class Catalogue:
    """The lines of all identities in memory; every query first follows changes of the file."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.file = SharedFile(path)
        self.path = self.file.path
        self.words = WordIndex(self.file)
        self._lock = threading.Lock()
        self._version = -1
        self._signature = ""
        self._facets: Facets | None = None
        self.refresh()

    def refresh(self) -> None:
        """Update the tables in memory if the file has changed."""
        with self._lock:
            version = self.file.version
            if version == self._version:
                return
            with self.file.ask() as store:
                self._read(store)
            self._version, self._facets = version, None
            self.words.follow()

    def close(self) -> None:
        self.words.close()
        self.file.close()

    def search(
        self,
        text: str = "",
        *,
        types: Sequence[str] = (),
        years: tuple[int | None, int | None] | None = None,
        sizes: tuple[int | None, int | None] | None = None,
        certainty: tuple[float | None, float | None] | None = None,
        languages: Sequence[str] = (),
        words: str = "",
        sort: Sort = "documents",
        descending: bool = True,
        offset: int = 0,
        limit: int = 50,
    ) -> Page:
        """Return the identities with a name whose words begin with the given ones, the largest first.

        Parameters
        ----------
        text : beginnings of words of the name, or the id of an identity.
        types : of entities; "" for identities without a type.
        years : a range that overlaps that of the documents.
        sizes : number of documents.
        certainty : from 0 to 1.
        languages : languages of which some profile has one.
        words : words that the context of some profile has; phrases "in quotes".
        sort : column to sort by; missing values are last.
        """
        started = time.perf_counter()
        self.refresh()
        where: list[tuple[str, Any]] = []
        if types:
            where.append(("list_contains(?, coalesce(type, ''))", list(types)))
        if languages:
            where.append(("list_has_any(languages, ?)", list(languages)))
        for first, last, bounds in (
            ("documents", "documents", sizes),
            ("certainty", "certainty", certainty),
            ("last_year", "first_year", years),
        ):
            low, high = bounds or (None, None)
            where += [(f"{first} >= ?", low)] if low is not None else []
            where += [(f"{last} <= ?", high)] if high is not None else []
        with self.file.memory.cursor() as memory:
            where += self._name_conditions(memory, text)
            if words.strip():
                memory.register("hits", self.words.find(words))
                memory.execute("""
                    CREATE OR REPLACE TEMP TABLE found_in AS SELECT m.line, min(key) AS key
                    FROM hits JOIN members m USING (key) WHERE m.rank = 1 GROUP BY m.line""")
                where.append(("number IN (SELECT line FROM found_in) AND ?", True))
            condition, bound = " AND ".join(["true", *(each for each, _ in where)]), [value for _, value in where]
            total = memory.execute(f"SELECT count(*) FROM lines WHERE {condition}", bound).fetchall()[0][0]
            order = f"{SORT_COLUMNS[sort]} {'DESC' if descending else 'ASC'} NULLS LAST"
            rows = memory.execute(
                f"""SELECT {LINE_COLUMNS} FROM lines WHERE {condition}
                ORDER BY {order}, documents DESC, mentions DESC, id LIMIT ? OFFSET ?""",
                [*bound, limit, offset],
            ).fetchall()
            snippets = self._snippets(memory, [row[0] for row in rows], words) if words.strip() else {}
        lines = [replace(Line(*row), snippet=snippets.get(row[0], "")) for row in rows]
        return Page(total, lines, 1000 * (time.perf_counter() - started))

    def lines(self, ids: Sequence[str]) -> dict[str, Line]:
        query = f"SELECT {LINE_COLUMNS} FROM lines WHERE id IN (SELECT unnest(?::VARCHAR[]))"
        return {row[0]: Line(*row) for row in self._fetch(query, [list(ids)])}

    def facets(self) -> Facets:
        """Return the values of all filters, with the number of identities of each."""
        self.refresh()
        found = self._facets
        if found is None:
            edges = ", ".join(str(size) for size in SIZE_STEPS)
            found = self._facets = Facets(
                self._count_by("type"),
                [(language, n) for language, n in self._count_by("unnest(languages)") if language],
                sorted((year, n) for year, n in self._count_by("first_year") if year is not None),
                sorted(self._count_by(f"list_max([e for e in [{edges}] if e <= greatest(documents, 1)])")),
                sorted(self._count_by("least(floor(certainty * 10), 9) / 10")),
            )
        return found

    def ambiguous(self, top: int) -> list[tuple[str, int, int]]:
        """Return the names of most identities of one type, with their numbers of identities and documents."""
        return self._fetch(
            """SELECT any_value(name), count(*) AS n, sum(documents)::BIGINT AS d FROM lines WHERE sorted <> ' '
            GROUP BY sorted, type HAVING n > 1 ORDER BY n DESC, d DESC, 1 LIMIT ?""",
            [top],
        )

    def namesakes(self, id: str, limit: int) -> list[Line]:
        """Return other identities with the same type and name, the largest first."""
        rows = self._fetch(
            f"""SELECT {LINE_COLUMNS} FROM lines WHERE id <> $1
            AND (sorted, type) IN (SELECT (sorted, type) FROM lines WHERE id = $1)
            ORDER BY documents DESC, mentions DESC, id LIMIT $2""",
            [id, limit],
        )
        return [Line(*row) for row in rows]

    def network(self, top: int = 100) -> Network:
        """Return the largest identities, and the number of documents that each two of them share."""
        nodes = self.search(limit=top).rows
        edges = self._fetch(
            """
            WITH present AS (
                SELECT DISTINCT l.id AS entity, m.document FROM lines l JOIN members m ON m.line = l.number
                WHERE m.rank = 1 AND l.id IN (SELECT unnest(?::VARCHAR[]))
            )
            SELECT a.entity, b.entity, count(*) AS n FROM present a JOIN present b
            ON a.document = b.document AND a.entity < b.entity GROUP BY ALL ORDER BY n DESC, 1, 2
            """,
            [[line.id for line in nodes]],
        )
        return Network(nodes, edges)

    def _fetch(self, sql: str, parameters: Sequence[Any] | None = None) -> list[Any]:
        self.refresh()
        with self.file.memory.cursor() as memory:
            return memory.execute(sql, parameters).fetchall()

    def _count_by(self, value: str) -> list[tuple[Any, int]]:
        return self._fetch(
            f"SELECT value, count(*) FROM (SELECT {value} AS value FROM lines) GROUP BY 1 ORDER BY 2 DESC, 1"
        )

    def _name_conditions(self, memory: duckdb.DuckDBPyConnection, text: str) -> list[tuple[str, Any]]:
        """Return conditions on names; the id of an identity selects that identity."""
        if memory.execute("SELECT 1 FROM lines WHERE id = ?", [text]).fetchall():
            return [("id = ?", text)]
        terms = memory.execute(f"SELECT {FOLDED.format('?')}", [text]).fetchall()[0][0].split()
        if text.strip() and not terms:
            return [("false AND ?", True)]
        return [("contains(folded, ?)", term if UNSPACED.search(term) else " " + term) for term in terms]

    def _snippets(self, memory: duckdb.DuckDBPyConnection, ids: list[str], words: str) -> dict[str, str]:
        keys = dict(
            memory.execute(
                """SELECT found_in.key, lines.id FROM lines JOIN found_in ON found_in.line = lines.number
                WHERE lines.id IN (SELECT unnest(?::VARCHAR[]))""",
                [ids],
            ).fetchall()
        )
        with self.file.ask() as store:
            contexts = by_key(store, list(keys), "coalesce(context, '')")
        return {keys[key]: make_snippet(context, _first(words, context)) for key, context in contexts.items()}

    def _read(self, store: Store) -> None:
        """Read the lines of all identities, and row numbers if documents were added or removed."""
        signature = store.profiles_signature()
        tables = {} if signature == self._signature else ROW_NUMBERS
        for name, query in {**tables, "members": MEMBERS}.items():
            store.fetch(f"CREATE OR REPLACE TABLE memory.{name} AS {query}")
        store.register("links", store.known_links())
        store.register("incoming", _with_latin(store.query(LINES)))
        store.fetch("CREATE OR REPLACE TABLE memory.lines AS FROM incoming")
        self._signature = signature


def by_key(store: Store, keys: list[int], column: str) -> dict[int, str]:
    rows = store.fetch(
        f"""SELECT hash(id), {column} FROM profiles WHERE rowid IN (
            SELECT row FROM memory.profile_rows WHERE key IN (SELECT unnest(?::UBIGINT[]))
        )""",
        [keys],
    )
    return dict(rows)


def _with_latin(lines: pa.Table) -> pa.Table:
    """Add the Latin transcription of names in other scripts."""
    folded = lines.column("folded").to_pylist()
    latin = [each if each.isascii() else f"{each}\n{anyascii(each).lower()}" for each in folded]
    return lines.set_column(lines.schema.get_field_index("folded"), "folded", pa.array(latin, pa.string()))


def _first(words: str, context: str) -> str:
    """Return the first word of a context that begins with one of the words."""
    wanted = "|".join(map(re.escape, re.findall(r"\w+", words)))
    found = re.search(rf"(?<!\w)(?:{wanted})\w*", context, re.IGNORECASE)
    return found.group() if found else ""
