"""Search as fast as one types: the lines of all identities in memory, and an index of the words in contexts."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Any, Literal

import duckdb

from crossdoc.web.file import File
from crossdoc.web.views import Facets, Line, Page

Sort = Literal["documents", "mentions", "name", "certainty", "first"]
SORTS = {"documents": "documents", "mentions": "mentions", "name": "sorted", "certainty": "certainty",
         "first": "first_year"}  # fmt: skip
SIZES = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1_000, 10_000, 100_000)
COLUMNS = "id, name, descriptor, type, documents, mentions, first_year, last_year, certainty"
FOLDED = "' ' || trim(regexp_replace(lower(strip_accents({})), '[^\\pL\\pN]+', ' ', 'g'))"


class Catalogue:
    """A line for each identity, in memory, as the file was when it was last looked at."""

    def __init__(self, file: File) -> None:
        self.file = file
        self._db = duckdb.connect(":memory:")
        self._lock = threading.Lock()
        self._version = -1
        self._facets: Facets | None = None

    def refresh(self) -> None:
        """Follow the file where it has changed."""
        with self._lock:
            version = self.file.version
            if version == self._version:
                return
            with self.file.ask() as connection:
                lines = connection.sql(f"""
                    WITH spoken AS (
                        SELECT m.entity AS id, list_sort(list_distinct(list(coalesce(p.language, '')))) AS languages
                        FROM memberships m JOIN profiles p ON p.id = m.id WHERE m.rank = 1 GROUP BY m.entity
                    )
                    SELECT i.id, i.name, i.descriptor, i.type, i.n_documents AS documents, i.n_mentions AS mentions,
                        TRY_CAST(i.first_date[:4] AS SMALLINT) AS first_year,
                        TRY_CAST(i.last_date[:4] AS SMALLINT) AS last_year, i.certainty,
                        s.languages, {FOLDED.format("i.name")} AS sorted,
                        list_aggregate([{FOLDED.format("v")} for v in list_append(map_keys(i.variants), i.name)],
                            'string_agg', chr(10)) AS folded
                    FROM identities i LEFT JOIN spoken s ON s.id = i.id
                    """).to_arrow_table()
            with self._db.cursor() as db:
                db.register("incoming", lines)
                db.execute("CREATE OR REPLACE TABLE lines AS SELECT * FROM incoming")
                db.unregister("incoming")
            self._version, self._facets = version, None

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
        started = time.perf_counter()
        self.refresh()
        where, bound = ["true"], list[Any]()
        with self._db.cursor() as db:
            for term in self._terms(db, text):
                where.append("(contains(folded, ?) OR id = ?)")
                bound += [" " + term, text]
            if types:
                where.append("list_contains(?, coalesce(type, ''))")
                bound.append(list(types))
            if languages:
                where.append("list_has_any(languages, ?)")
                bound.append(list(languages))
            for column, low, high in (
                ("documents", *(sizes or (None, None))),
                ("certainty", *(certainty or (None, None))),
            ):
                if low is not None:
                    where.append(f"{column} >= ?")
                    bound.append(low)
                if high is not None:
                    where.append(f"{column} <= ?")
                    bound.append(high)
            low_year, high_year = years or (None, None)
            if low_year is not None:
                where.append("last_year >= ?")
                bound.append(low_year)
            if high_year is not None:
                where.append("first_year <= ?")
                bound.append(high_year)
            if words:
                found = self._with_words(self._terms(db, words))
                where.append("list_contains(?, id)")
                bound.append(found)
            way = "DESC" if descending else "ASC"
            filtered = f"FROM lines WHERE {' AND '.join(where)}"
            total = db.execute(f"SELECT count(*) {filtered}", bound).fetchall()[0][0]
            rows = db.execute(
                f"SELECT {COLUMNS} {filtered} ORDER BY {SORTS[sort]} {way} NULLS LAST, documents DESC, mentions DESC, id "
                "LIMIT ? OFFSET ?",
                [*bound, limit, offset],
            ).fetchall()
        return Page(total, [Line(*row) for row in rows], 1000 * (time.perf_counter() - started))

    def lines(self, ids: Sequence[str]) -> dict[str, Line]:
        """The lines of some identities, by id."""
        self.refresh()
        with self._db.cursor() as db:
            rows = db.execute(f"SELECT {COLUMNS} FROM lines WHERE list_contains(?, id)", [list(ids)]).fetchall()
        return {row[0]: Line(*row) for row in rows}

    def facets(self) -> Facets:
        self.refresh()
        if self._facets is None:
            with self._db.cursor() as db:

                def counted(sql: str) -> list[tuple[Any, ...]]:
                    return db.execute(sql).fetchall()

                edges = ", ".join(str(size) for size in SIZES)
                self._facets = Facets(
                    counted("SELECT type, count(*) FROM lines GROUP BY 1 ORDER BY 2 DESC, 1"),
                    counted("""SELECT l, count(*) FROM (SELECT unnest(languages) AS l FROM lines) WHERE l <> ''
                        GROUP BY 1 ORDER BY 2 DESC, 1"""),
                    counted(
                        "SELECT first_year, count(*) FROM lines WHERE first_year IS NOT NULL GROUP BY 1 ORDER BY 1"
                    ),
                    counted(f"""SELECT list_max([e for e in [{edges}] if e <= greatest(documents, 1)]) AS low, count(*)
                        FROM lines GROUP BY 1 ORDER BY 1"""),
                    counted("SELECT least(floor(certainty * 10), 9) / 10, count(*) FROM lines GROUP BY 1 ORDER BY 1"),
                )
        return self._facets

    def ambiguous(self, top: int) -> list[tuple[str, int, int]]:
        """The names that most identities go by, with how many do and in how many documents."""
        self.refresh()
        with self._db.cursor() as db:
            return db.execute(
                """SELECT any_value(name), count(*) AS n, sum(documents)::BIGINT AS d FROM lines WHERE sorted <> ' '
                GROUP BY sorted, type HAVING n > 1 ORDER BY n DESC, d DESC, 1 LIMIT ?""",
                [top],
            ).fetchall()

    def close(self) -> None:
        self._db.close()

    def _terms(self, db: duckdb.DuckDBPyConnection, text: str) -> list[str]:
        return list(db.execute(f"SELECT {FOLDED.format('?')}", [text]).fetchall()[0][0].split())

    def _with_words(self, terms: list[str]) -> list[str]:
        with self.file.ask() as connection:
            where = " AND ".join(f"contains({FOLDED.format('p.context')}, ?)" for _ in terms) or "true"
            rows = connection.execute(
                f"""SELECT DISTINCT m.entity FROM profiles p JOIN memberships m ON m.id = p.id AND m.rank = 1
                WHERE {where}""",
                [" " + term for term in terms],
            ).fetchall()
        return [row[0] for row in rows]
