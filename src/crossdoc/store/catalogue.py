"""Who is where, in memory: a line for each identity, and as numbers which profile and document is at which row.

To look for an id among a million rows takes a hundred milliseconds, to fetch a row whose number is known takes one. So
all that has to be looked for is kept here (a profile's or document's key is the hash of its id), and the file is only
asked for rows. After a change only the lines that differ from the file's are made again. Names are looked for by the
beginnings of their words, without case and accents, in letters of any script or their Latin ones.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Literal

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
from anyascii import anyascii

from crossdoc.names.windows import make_snippet
from crossdoc.store.shared_file import SharedFile
from crossdoc.store.store import Store
from crossdoc.store.views import Facets, Line, Page
from crossdoc.store.word_index import WordIndex, signature_of

Sort = Literal["documents", "mentions", "name", "certainty", "first"]
SORTS = {"documents": "documents", "mentions": "mentions", "name": "sorted", "certainty": "certainty",
         "first": "first_year"}  # fmt: skip
SIZES = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1_000, 10_000, 100_000)
COLUMNS = "id, name, descriptor, type, documents, mentions, first_year, last_year, certainty, known, known_probability"
NO_LINKS = pa.schema([("entity", pa.string()), ("known", pa.string()), ("probability", pa.float64())]).empty_table()
PATIENCE = 2.0
"""Seconds that a search for words waits for an index that is being made."""
UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
"""Scripts that put no spaces between words."""

FOLDED = "' ' || trim(regexp_replace(lower(strip_accents({})), '[^\\pL\\pN]+', ' ', 'g'))"
TABLES = """
    CREATE SEQUENCE line_numbers;
    CREATE TABLE lines (
        number INTEGER, stamp UBIGINT, id VARCHAR, name VARCHAR, descriptor VARCHAR, type VARCHAR, documents BIGINT,
        mentions BIGINT, first_year SMALLINT, last_year SMALLINT, certainty DOUBLE, sorted VARCHAR, folded VARCHAR,
        languages VARCHAR[], known VARCHAR, known_probability DOUBLE
    );
    CREATE TABLE members (
        key UBIGINT, line INTEGER, membership DOUBLE, rank INTEGER, row BIGINT, document UBIGINT, language VARCHAR
    );
    CREATE TABLE profile_rows (key UBIGINT, row BIGINT, document UBIGINT, language VARCHAR);
    CREATE TABLE document_rows (document UBIGINT, row BIGINT, month VARCHAR);
    CREATE TABLE mention_rows (document UBIGINT, first BIGINT, last BIGINT);
    """
FRESH = f"""
    SELECT nextval('memory.line_numbers') AS number, fresh.stamp, i.id, i.name,
        coalesce(i.descriptor, '') AS descriptor, i.type, i.n_documents AS documents, i.n_mentions AS mentions,
        TRY_CAST(i.first_date[:4] AS SMALLINT) AS first_year, TRY_CAST(i.last_date[:4] AS SMALLINT) AS last_year,
        i.certainty, {FOLDED.format("i.name")} AS sorted,
        list_aggregate([{FOLDED.format("v")} for v in list_append(map_keys(i.variants), i.name)], 'string_agg', chr(10))
            AS folded
    FROM identities i JOIN fresh ON fresh.id = i.id
    """


class Catalogue:
    """A line for each identity, in memory, as the file was when it was last looked at."""

    def __init__(self, file: SharedFile, read_only: bool = False) -> None:
        self.file = file
        self.words = WordIndex(file, read_only)
        self._lock = threading.Lock()
        self._version = -1
        self._signature = ""
        self._facets: Facets | None = None
        with self.file.memory.cursor() as memory:
            memory.execute(TABLES)
        self.refresh()

    def refresh(self) -> None:
        """Follow the file where it has changed."""
        with self._lock:
            version = self.file.version
            if version == self._version:
                return
            with self.file.ask() as db:
                self._follow_rows(db)
                self._follow(db)
            self._version, self._facets = version, None
            self.words.follow()

    def close(self) -> None:
        self.words.close()

    # -- asking ------------------------------------------------------------------------------------------------------

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
        """The identities that go by a name, or by one whose words begin so.

        Parameters
        ----------
        text : beginnings of words of the name, or the id of an identity.
        types : of entities; "" for those without one.
        years : that the documents are of: some between the first and the last document.
        sizes : number of documents.
        certainty : from 0 to 1.
        languages : some of its profiles are in one of these.
        words : the contexts of some profile have all of them; "in quotes" as they stand.
        sort : by what; those that say nothing of it come last.
        """
        started = time.perf_counter()
        self.refresh()
        where: list[tuple[str, Any]] = []
        if types:
            where.append(("list_contains(?, coalesce(type, ''))", list(types)))
        if languages:
            where.append(("list_has_any(languages, ?)", list(languages)))
        ranges = {"documents": sizes, "certainty": certainty, "year": years}
        for column, (low, high) in ((column, bounds) for column, bounds in ranges.items() if bounds):
            first, last = ("last_year", "first_year") if column == "year" else (column, column)
            where += [(f"{first} >= ?", low)] if low is not None else []
            where += [(f"{last} <= ?", high)] if high is not None else []
        with self._memory() as memory:
            where += self._named(memory, text)
            pending = False
            if words.strip():
                pending = not self.words.ready.wait(PATIENCE)
                memory.register("hits", self.words.find(words))
                memory.execute("""
                    CREATE OR REPLACE TEMP TABLE found_in AS SELECT m.line, min(m.key) AS key
                    FROM hits JOIN indexed x USING (number) JOIN members m ON m.key = x.key
                    WHERE m.rank = 1 GROUP BY m.line""")
                where.append(("number IN (SELECT line FROM found_in) AND ?", True))
            condition, bound = " AND ".join(["true", *(each for each, _ in where)]), [value for _, value in where]
            total = memory.execute(f"SELECT count(*) FROM lines WHERE {condition}", bound).fetchall()[0][0]
            rows = memory.execute(
                f"""SELECT {COLUMNS} FROM lines WHERE {condition}
                ORDER BY {SORTS[sort]} {"DESC" if descending else "ASC"} NULLS LAST, documents DESC, mentions DESC, id
                LIMIT ? OFFSET ?""",
                [*bound, limit, offset],
            ).fetchall()
            snippets = self._snippets(memory, [row[0] for row in rows], words) if words.strip() else {}
        lines = [replace(Line(*row), snippet=snippets.get(row[0], "")) for row in rows]
        return Page(total, lines, 1000 * (time.perf_counter() - started), pending)

    def lines(self, ids: Sequence[str]) -> dict[str, Line]:
        """The lines of some identities, by id."""
        self.refresh()
        with self._memory() as memory:
            rows = memory.execute(
                f"SELECT {COLUMNS} FROM lines WHERE id IN (SELECT unnest(?::VARCHAR[]))", [list(ids)]
            ).fetchall()
        return {row[0]: Line(*row) for row in rows}

    def facets(self) -> Facets:
        """What filters can be set to, with the number of identities each."""
        self.refresh()
        found = self._facets
        if found is None:
            edges = ", ".join(str(size) for size in SIZES)
            found = self._facets = Facets(
                self._counted("type"),
                [(language, n) for language, n in self._counted("unnest(languages)") if language],
                sorted((year, n) for year, n in self._counted("first_year") if year is not None),
                sorted(self._counted(f"list_max([e for e in [{edges}] if e <= greatest(documents, 1)])")),
                sorted(self._counted("least(floor(certainty * 10), 9) / 10")),
            )
        return found

    def ambiguous(self, top: int) -> list[tuple[str, int, int]]:
        """The names that most identities of one type bear, with how many do and in how many documents."""
        self.refresh()
        with self._memory() as memory:
            return memory.execute(
                """SELECT any_value(name), count(*) AS n, sum(documents)::BIGINT AS d FROM lines WHERE sorted <> ' '
                GROUP BY sorted, type HAVING n > 1 ORDER BY n DESC, d DESC, 1 LIMIT ?""",
                [top],
            ).fetchall()

    def namesakes(self, id: str, limit: int) -> list[Line]:
        """Other identities of the same type that go by the same name, the largest first."""
        self.refresh()
        with self._memory() as memory:
            rows = memory.execute(
                f"""SELECT {COLUMNS} FROM lines WHERE id <> $id
                AND (sorted, type) IN (SELECT (sorted, type) FROM lines WHERE id = $id)
                ORDER BY documents DESC, mentions DESC, id LIMIT $limit""",
                {"id": id, "limit": limit},
            ).fetchall()
        return [Line(*row) for row in rows]

    # -- inside ----------------------------------------------------------------------------------------------------

    @contextmanager
    def _memory(self) -> Iterator[duckdb.DuckDBPyConnection]:
        with self.file.memory.cursor() as memory:
            yield memory

    def _counted(self, what: str) -> list[tuple[Any, int]]:
        with self._memory() as memory:
            return memory.execute(
                f"SELECT what, count(*) FROM (SELECT {what} AS what FROM lines) GROUP BY 1 ORDER BY 2 DESC, 1"
            ).fetchall()

    def _named(self, memory: duckdb.DuckDBPyConnection, text: str) -> list[tuple[str, Any]]:
        """Conditions on names; whoever gives an id means that identity."""
        if memory.execute("SELECT 1 FROM lines WHERE id = ?", [text]).fetchall():
            return [("id = ?", text)]
        terms = memory.execute(f"SELECT {FOLDED.format('?')}", [text]).fetchall()[0][0].split()
        if text.strip() and not terms:
            return [("false AND ?", True)]
        return [("contains(folded, ?)", term if UNSPACED.search(term) else " " + term) for term in terms]

    def _snippets(self, memory: duckdb.DuckDBPyConnection, ids: list[str], words: str) -> dict[str, str]:
        """A context for each line that has the words."""
        keys = dict(
            memory.execute(
                """SELECT found_in.key, lines.id FROM lines JOIN found_in ON found_in.line = lines.number
                WHERE lines.id IN (SELECT unnest(?::VARCHAR[]))""",
                [ids],
            ).fetchall()
        )
        with self.file.ask() as db:
            rows = db.execute(
                """SELECT hash(id), context FROM profiles WHERE rowid IN (
                    SELECT row FROM memory.profile_rows WHERE key IN (SELECT unnest(?::UBIGINT[]))
                )""",
                [list(keys)],
            ).fetchall()
        return {keys[key]: make_snippet(context or "", _first_of(words, context or "")) for key, context in rows}

    def _follow(self, db: duckdb.DuckDBPyConnection) -> None:
        """Make the lines again that are not as in the file, or whose profiles are others."""
        db.execute("""
            CREATE TEMP TABLE now AS SELECT i.id, xor(hash(i), coalesce(m.stamp, 0)) AS stamp
            FROM identities i LEFT JOIN (
                SELECT entity, bit_xor(hash(id, membership, rank)) AS stamp FROM memberships GROUP BY entity
            ) m ON m.entity = i.id""")
        db.execute("CREATE TEMP TABLE gone AS SELECT number FROM memory.lines l ANTI JOIN now USING (id, stamp)")
        db.execute("DELETE FROM memory.members WHERE line IN (SELECT number FROM gone)")
        db.execute("DELETE FROM memory.lines WHERE number IN (SELECT number FROM gone)")
        db.execute("CREATE TEMP TABLE fresh AS SELECT id, stamp FROM now ANTI JOIN memory.lines USING (id)")
        db.register("incoming", _with_latin(db.sql(FRESH).to_arrow_table()))
        # From here on only the memberships of these are looked at, also by what finds the links to a known list.
        db.execute("""
            CREATE TEMP TABLE memberships AS SELECT m.id, m.entity, m.rank, m.membership
            FROM memberships m SEMI JOIN fresh ON fresh.id = m.entity""")
        db.execute("""
            CREATE TEMP TABLE own AS
            SELECT hash(m.id) AS key, l.number AS line, m.membership, m.rank, r.row, r.document, r.language
            FROM memberships m JOIN incoming l ON l.id = m.entity JOIN memory.profile_rows r ON r.key = hash(m.id)""")
        db.execute("INSERT INTO memory.members SELECT * FROM own")
        store = Store(db, self.file.path)
        db.register("links", store.known_links() if store.has_known else NO_LINKS)
        db.execute("""
            CREATE TEMP TABLE spoken AS SELECT line, list(language) AS languages FROM (
                SELECT DISTINCT line, language FROM own WHERE rank = 1 AND language IS NOT NULL
            ) GROUP BY line""")
        db.execute("""
            INSERT INTO memory.lines SELECT l.*, coalesce(s.languages, []), k.known, k.probability FROM incoming l
            LEFT JOIN spoken s ON s.line = l.number LEFT JOIN links k ON k.entity = l.id""")

    def _follow_rows(self, db: duckdb.DuckDBPyConnection) -> None:
        """Note again what is where, if documents came or went."""
        signature = signature_of(db)
        if signature == self._signature:
            return
        db.execute("""
            CREATE OR REPLACE TABLE memory.profile_rows AS
            SELECT hash(id) AS key, rowid AS row, hash(document) AS document, language FROM profiles""")
        db.execute("""
            CREATE OR REPLACE TABLE memory.document_rows AS
            SELECT hash(id) AS document, rowid AS row, date[:7] AS month FROM documents""")
        db.execute("""
            CREATE OR REPLACE TABLE memory.mention_rows AS
            SELECT hash(document) AS document, min(rowid) AS first, max(rowid) AS last FROM mentions GROUP BY 1""")
        db.execute("""
            CREATE OR REPLACE TABLE memory.members AS
            SELECT m.key, m.line, m.membership, m.rank, r.row, r.document, r.language
            FROM memory.members m JOIN memory.profile_rows r USING (key)""")
        self._signature = signature


def _first_of(words: str, context: str) -> str:
    """The first word of a context that is one of the words, or begins like one."""
    wanted = "|".join(map(re.escape, re.findall(r"\w+", words)))
    found = re.search(rf"(?<!\w)(?:{wanted})\w*", context, re.IGNORECASE)
    return found.group() if found else ""


def _with_latin(lines: pa.Table) -> pa.Table:
    """Names in other scripts are found by Latin letters, too."""
    at = lines.schema.get_field_index("folded")
    folded = lines.column(at).to_pylist() if not pc.all(pc.string_is_ascii(lines.column(at))).as_py() else None
    if folded is None:
        return lines
    latin = [each if each.isascii() else f"{each}\n{anyascii(each).lower()}" for each in folded]
    return lines.set_column(at, "folded", pa.array(latin, pa.string()))
