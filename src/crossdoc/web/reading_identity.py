"""One identity: its card, members, documents, years, company, doubles and history; documents with their mentions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import duckdb

from crossdoc import errors
from crossdoc.lang import DEFAULT, pack
from crossdoc.lineage import Event
from crossdoc.names import fold
from crossdoc.names.windows import make_snippet
from crossdoc.store import Store
from crossdoc.store.catalogue import Catalogue
from crossdoc.store.shared_file import SharedFile
from crossdoc.store.views import (
    Card,
    DocumentLine,
    DocumentView,
    FactLine,
    KnownLink,
    Line,
    Maybe,
    MemberLine,
    ProfileView,
    Related,
    RelationLine,
    Span,
)

NAME_PARTS = ("first", "middle", "last", "suffix", "gender_confidence")
"""Attributes that say nothing to a person who sees the name."""
MOST_READ = 100
"""Profiles of an identity, the surest, whose facts and relations are read."""
STATED = 2
"""Documents that a stated relation is worth."""
MOST_BESIDE = 1_000
"""Identities in the same documents that are looked at, those with most profiles there."""
LONGEST_ABBREVIATION = 4


def abbreviated_titles() -> set[str]:
    """Short titles of the default language, which a full stop may follow within a sentence.

    >>> abbreviated_titles() >= {"Mr", "Dr"}
    True
    """
    known = pack(DEFAULT).titles
    return {
        title.capitalize()
        for title in known.male | known.female | known.neutral
        if len(title) <= LONGEST_ABBREVIATION and title.isalpha()
    }


MOST_FACTS = 60
MOST_RELATIONS = 100
TITLES = "".join(rf"(?<!\b{title})" for title in sorted(abbreviated_titles()))
SENTENCE_END = re.compile(rf"(?<!\b[^\W\d_]){TITLES}[.!?]['\"»”)]*\s+(?![a-zß-ÿ])|\n+")
"""Not after an initial or a title."""
FEW_YEARS = 3
"""So few years are shown by month."""


class Identities:
    """Reads about identities, profiles and documents."""

    file: SharedFile
    catalogue: Catalogue

    def identity(self, id: str) -> Card:
        """The card of an identity, or of the one that took its place."""
        line = self._line(id)
        with self.file.ask() as db:
            variants = db.execute("SELECT variants FROM identities WHERE id = ?", [line.id]).fetchall()[0][0]
            self._select(db, line.id)
            profiles, languages = _counted(db)
            db.execute(f"DELETE FROM own WHERE place > {MOST_READ}")
            facts, relations, known = _facts(db), _relations(db), _known(db, line)
        return Card(
            line,
            sorted(variants.items(), key=lambda item: (-item[1], item[0])),
            facts,
            relations,
            languages,
            profiles,
            known,
            asked=id if id != line.id else "",
        )

    def now(self, id: str) -> str:
        """The identity of this id, or the one that took its place."""
        found = self.successors(id)
        if len(found) != 1:
            raise errors.which_identity(id, found)
        return found[0]

    def successors(self, id: str) -> list[str]:
        """Who an identity is now: itself, or those into whom it merged; nobody where it vanished or never was."""
        if self.catalogue.lines([id]):
            return [id]
        with self.file.ask() as db:
            return Store(db, self.file.path).successors(id)

    def members(self, id: str, offset: int = 0, limit: int = 50) -> list[MemberLine]:
        """The profiles that are an identity, or may be, the surest first."""
        line = self._line(id)
        with self.file.ask() as db:
            self._select(db, line.id, offset, limit, soft=True)
            documents = _documents(db)
            mentions = _mentions(db)
            rows = db.execute("""
                SELECT p.id, p.document, p.name, o.membership, p.context, o.rank
                FROM own o JOIN profiles p ON p.rowid = o.row ORDER BY o.place""").fetchall()
        found = []
        for profile, document, name, membership, context, rank in rows:
            _, title, date, *_ = documents.get(document, (None,) * 5)
            snippet = make_snippet(context or "", name)
            marked = next(iter(places_of([name], snippet)), None)
            start, end, _ = min(mentions.get(profile, ()), default=(None, None, None))
            found.append(
                MemberLine(profile, document, title, date, name, membership, snippet, marked, start, end, rank == 1)
            )
        return found

    def documents_of(self, id: str, offset: int = 0, limit: int = 50) -> list[DocumentLine]:
        """The documents that an identity stands in, the earliest first."""
        line = self._line(id)
        with self.file.ask() as db:
            self._select(db, line.id)
            db.execute(
                """
                CREATE TEMP TABLE shown AS SELECT document, row_number() OVER (ORDER BY month, first) AS place FROM (
                    SELECT o.document, min(o.row) AS first, any_value(d.month) AS month
                    FROM own o LEFT JOIN memory.document_rows d USING (document) GROUP BY o.document
                ) ORDER BY place LIMIT ? OFFSET ?
                """,
                [limit, offset],
            )
            db.execute("DELETE FROM own WHERE document NOT IN (SELECT document FROM shown)")
            documents, mentions = _documents(db), _mentions(db)
            rows = db.execute("""
                SELECT p.document, list(p.id), list(DISTINCT p.name ORDER BY p.name) FROM own o
                JOIN profiles p ON p.rowid = o.row JOIN shown ON shown.document = o.document
                GROUP BY p.document ORDER BY any_value(shown.place)""").fetchall()
        found = []
        for document, profiles, names in rows:
            spans = [span for profile in profiles for span in mentions.get(profile, ())]
            row = documents.get(document, (document, None, None, None, None))
            first = min(spans)[0] if spans else None
            found.append(DocumentLine(row[0], row[1], row[2], row[3], row[4], len(spans), names, first))
        return sorted(found, key=lambda line: (line.date is None, line.date or ""))

    def document(self, id: str) -> DocumentView:
        """A document with all its mentions."""
        self.catalogue.refresh()
        with self.file.ask() as db:
            found = db.execute(
                """SELECT id, title, date, source, language, text FROM documents
                WHERE rowid IN (SELECT row FROM memory.document_rows WHERE document = hash($id)) AND id = $id""",
                {"id": id},
            ).fetchall()
            db.execute(
                """CREATE TEMP TABLE own AS SELECT r.row, r.document, l.id, l.name
                FROM memory.profile_rows r LEFT JOIN memory.members m ON m.key = r.key AND m.rank = 1
                LEFT JOIN memory.lines l ON l.number = m.line WHERE r.document = hash(?)""",
                [id],
            )
            profiles = db.execute(
                "SELECT p.id, p.type, o.id, o.name FROM own o JOIN profiles p ON p.rowid = o.row"
            ).fetchall()
            mentions = db.execute(
                """SELECT start, "end", chain, coalesce(type, ''), kind, text FROM mentions
                WHERE rowid BETWEEN (SELECT first FROM memory.mention_rows WHERE document = hash($id))
                    AND (SELECT last FROM memory.mention_rows WHERE document = hash($id)) AND document = $id
                ORDER BY start, "end" DESC""",
                {"id": id},
            ).fetchall()
        if not found and not profiles:
            raise errors.unknown_ids(self.file.path, [id], "document")
        whose = {profile: rest for profile, *rest in profiles}
        spans = []
        for start, end, chain, type, kind, text in mentions:
            own_type, identity, name = whose.get(chain, (None, None, None))
            spans.append(Span(start, end, identity, name or text, type or own_type, kind, chain))
        row = found[0] if found else (id, None, None, None, None, "")
        return DocumentView(
            row[0], row[1], row[2], row[3], row[4], text=row[5] or "", spans=spans, profiles=len(profiles)
        )

    def profile(self, id: str) -> ProfileView:
        """All that one document says about one entity."""
        self.catalogue.refresh()
        with self.file.ask() as db:
            db.execute(
                "CREATE TEMP TABLE own AS SELECT row, document FROM memory.profile_rows WHERE key = hash(?)", [id]
            )
            found = db.execute("""
                SELECT p.id, p.document, p.name, p.type, p.language, p.context, p.attributes, p.relations
                FROM own o JOIN profiles p ON p.rowid = o.row""").fetchall()
            if not found:
                raise errors.unknown_profiles(self.file.path, [id])
            _, document, name, type, language, context, attributes, relations = found[0]
            documents = _documents(db)
            texts = [text for _, _, text in _mentions(db, kind="name").get(id, ())]
            found_in = db.execute(
                """SELECT l.id, l.name, m.membership FROM memory.members m JOIN memory.lines l ON l.number = m.line
                WHERE m.key = hash(?) ORDER BY m.rank""",
                [id],
            ).fetchall()
            targets = _identities(db, [each["profile"] for each in relations or [] if each["profile"]])
        _, title, date, source, spoken = documents.get(document, (None,) * 5)
        stated = [
            RelationLine(r["type"], r["name"], r["profile"], targets.get(r["profile"]), r["evidence"] or "", document)
            for r in relations or []
        ]
        entity, called, membership = found_in[0] if found_in else (None, None, None)
        return ProfileView(
            id=id, document=document, title=title, date=date, source=source, name=name, type=type,
            language=language or spoken, context=context or "", marked=places_of([name, *texts], context or ""),
            attributes=attributes or {}, relations=stated, identity=entity, identity_name=called, membership=membership,
            others=found_in[1:],
        )  # fmt: skip

    def timeline(self, id: str) -> list[tuple[str, int]]:
        """In how many documents of each year it stands; of each month, where they are few years."""
        line = self._line(id)
        with self.file.ask() as db:
            self._select(db, line.id)
            rows = db.execute("""
                SELECT d.month, count(*) FROM (SELECT DISTINCT document FROM own) JOIN memory.document_rows d
                USING (document) WHERE d.month IS NOT NULL GROUP BY 1 ORDER BY 1""").fetchall()
        if len({month[:4] for month, _ in rows}) <= FEW_YEARS:
            return rows
        counted: dict[str, int] = {}
        for month, n in rows:
            counted[month[:4]] = counted.get(month[:4], 0) + n
        return sorted(counted.items())

    def related(self, id: str, limit: int = 20) -> list[Related]:
        """Who stands in the same documents, most often first, and how they are said to be related."""
        line = self._line(id)
        with self.file.ask() as db:
            self._select(db, line.id)
            beside = db.execute(
                f"""
                WITH there AS (SELECT line, document FROM memory.members SEMI JOIN own USING (document) WHERE rank = 1),
                most AS (SELECT line FROM there GROUP BY line ORDER BY count(*) DESC, line LIMIT {MOST_BESIDE}),
                counted AS (
                    SELECT line, count(DISTINCT document) AS n FROM there SEMI JOIN most USING (line) GROUP BY line
                )
                SELECT l.id, n FROM counted JOIN memory.lines l ON l.number = counted.line WHERE l.id <> ?
                ORDER BY n DESC, l.id
                """,
                [line.id],
            ).fetchall()
            db.execute(f"DELETE FROM own WHERE place > {MOST_READ}")
            types: dict[str, list[str]] = {}
            for relation in _relations(db):
                if relation.type != "list" and relation.identity is not None:
                    types.setdefault(relation.identity, []).append(relation.type)
        # Who is said to be related goes before who only stands beside.
        ranked = sorted(beside, key=lambda row: -row[1] - STATED * len(types.get(row[0], ())))[:limit]
        lines = self.catalogue.lines([other for other, _ in ranked])
        return [Related(lines[other], n, sorted(set(types.get(other, ())))) for other, n in ranked if other in lines]

    def maybe(self, id: str, limit: int = 20) -> list[Maybe]:
        """Who an identity may also be: where profiles may be either's, and who bears the same name."""
        line = self._line(id)
        namesakes = self.catalogue.namesakes(line.id, limit)
        with self.file.ask() as db:
            rows = db.execute(
                """
                WITH own AS (
                    SELECT m.key, m.membership, m.rank FROM memory.members m JOIN memory.lines l ON l.number = m.line
                    WHERE l.id = ?
                )
                -- In one order, since sums and the best of equals depend on it.
                SELECT l.id, avg(least(own.membership, o.membership) ORDER BY o.key) AS much, count(*) AS n,
                    arg_max((o.key, own.rank = 1), least(own.membership, o.membership) ORDER BY o.key)
                FROM own JOIN memory.members o USING (key) JOIN memory.lines l ON l.number = o.line
                WHERE l.id <> ? AND (own.rank = 1 OR o.rank = 1) GROUP BY l.id ORDER BY much DESC, n DESC, l.id LIMIT ?
                """,
                [line.id, line.id, limit],
            ).fetchall()
            strongest = _strongest(db, [line.id, *(row[0] for row in rows), *(each.id for each in namesakes)])
            doubtful = _ids(db, [key for *_, (key, _) in rows])
        lines = self.catalogue.lines([row[0] for row in rows])
        found = []
        for other, much, n, (key, is_own) in rows:
            ends = (doubtful.get(key), strongest.get(other)) if is_own else (strongest.get(line.id), doubtful.get(key))
            if other in lines:
                found.append(Maybe(lines[other], much, n, "shared", *ends))
        there = {each.line.id for each in found}
        found += [
            Maybe(each, None, 0, "name", strongest.get(line.id), strongest.get(each.id))
            for each in namesakes
            if each.id not in there
        ]
        return found[:limit]

    def history(self, id: str | None = None) -> list[Event]:
        """Which identities appeared, split, merged and vanished, when and why; of all, or of one."""
        with self.file.ask() as db:
            return Store(db, self.file.path).events(id)

    # -- inside ----------------------------------------------------------------------------------------------------

    def _line(self, id: str) -> Line:
        found = self.catalogue.lines([id])
        if id not in found:
            id = self.now(id)
            found = self.catalogue.lines([id])
        return found[id]

    def _select(
        self, db: duckdb.DuckDBPyConnection, id: str, offset: int = 0, limit: int = 2**31, *, soft: bool = False
    ) -> None:
        """The profiles of an identity as the table `own`, the surest first; with `soft` those that may be it, too."""
        db.execute(
            """
            CREATE TEMP TABLE own AS
            SELECT *, row_number() OVER (ORDER BY membership DESC, row) AS place FROM memory.members
            WHERE line = (SELECT number FROM memory.lines WHERE id = ?) AND (rank = 1 OR ?)
            ORDER BY place LIMIT ? OFFSET ?
            """,
            [id, soft, limit, offset],
        )


def _counted(db: duckdb.DuckDBPyConnection) -> tuple[int, list[tuple[str, int]]]:
    """How many profiles there are, and in which languages."""
    rows = db.execute("SELECT language, count(*) AS n FROM own GROUP BY 1 ORDER BY 2 DESC, 1").fetchall()
    return sum(n for _, n in rows), [(language, n) for language, n in rows if language]


def _facts(db: duckdb.DuckDBPyConnection) -> list[FactLine]:
    rows = db.execute(
        """
        WITH said AS (
            SELECT o.row, unnest(map_entries(p.attributes)) AS entry FROM own o JOIN profiles p ON p.rowid = o.row
        ),
        each AS (SELECT row, entry.key AS kind, unnest(entry.value) AS value FROM said)
        SELECT kind, value, min(row), count(*) AS n FROM each WHERE NOT list_contains(?, kind)
        GROUP BY kind, value ORDER BY n DESC, kind, value LIMIT ?
        """,
        [list(NAME_PARTS), MOST_FACTS],
    ).fetchall()
    wanted = [row for _, _, row, _ in rows]
    texts = db.execute(
        "SELECT rowid, id, document, context FROM profiles WHERE rowid IN (SELECT unnest(?::BIGINT[]))", [wanted]
    ).fetchall()
    of = {row: rest for row, *rest in texts}
    found = [
        FactLine(kind, value, sentence_with(of[row][2], value), of[row][1], of[row][0], n)
        for kind, value, row, n in rows
    ]
    return sorted(found, key=lambda fact: (fact.kind, -fact.count, fact.value))


def _relations(db: duckdb.DuckDBPyConnection) -> list[RelationLine]:
    db.execute("""
        CREATE OR REPLACE TEMP TABLE said AS
        SELECT p.document, unnest(p.relations) AS r FROM own o JOIN profiles p ON p.rowid = o.row""")
    # Inner joins, so that the few are looked up among the many and not the other way round.
    db.execute("""
        CREATE OR REPLACE TEMP TABLE meant AS SELECT s.profile, l.id AS identity
        FROM (SELECT DISTINCT r.profile AS profile FROM said WHERE r.profile IS NOT NULL) s
        JOIN memory.members m ON m.key = hash(s.profile) JOIN memory.lines l ON l.number = m.line WHERE m.rank = 1""")
    rows = db.execute(
        """
        SELECT r.type, r.name, min(r.profile), identity, coalesce(arg_min(r.evidence, document), ''), min(document),
            count(*) AS n
        FROM said LEFT JOIN meant ON meant.profile = r.profile GROUP BY r.type, r.name, identity
        ORDER BY r.type = 'list', n DESC, r.type, r.name LIMIT ?
        """,
        [MOST_RELATIONS],
    ).fetchall()
    return [RelationLine(*row) for row in rows]


def _known(db: duckdb.DuckDBPyConnection, line: Line) -> KnownLink | None:
    if line.known is None:
        return None
    name, description = db.execute("SELECT name, description FROM known WHERE id = ?", [line.known]).fetchall()[0]
    return KnownLink(line.known, name, description or "", line.known_probability or 0.0)


def _documents(db: duckdb.DuckDBPyConnection) -> dict[str, tuple[str, str | None, str | None, str | None, str | None]]:
    """By id what is said of the documents of `own`, where they are there."""
    rows = db.execute("""
        SELECT id, title, date, source, language FROM documents WHERE rowid IN (
            SELECT d.row FROM memory.document_rows d SEMI JOIN own o ON o.document = d.document
        )""").fetchall()
    return {row[0]: row for row in rows}


def _mentions(db: duckdb.DuckDBPyConnection, kind: str | None = None) -> dict[str, list[tuple[int, int, str]]]:
    """By profile where it is mentioned, and how, in the documents of `own`."""
    rows = db.execute(
        """
        SELECT chain, list((start, "end", text)) FROM mentions WHERE (? OR kind = ?) AND rowid IN (
            SELECT unnest(range(r.first, r.last + 1)) FROM memory.mention_rows r
            SEMI JOIN own o ON o.document = r.document
        ) GROUP BY chain
        """,
        [kind is None, kind],
    ).fetchall()
    return {chain: [tuple(span) for span in spans] for chain, spans in rows}


def _identities(db: duckdb.DuckDBPyConnection, profiles: list[str]) -> dict[str, str]:
    """By profile its identity."""
    rows = db.execute(
        """SELECT asked.id, l.id FROM (SELECT unnest(?::VARCHAR[]) AS id) asked
        JOIN memory.members m ON m.key = hash(asked.id) AND m.rank = 1 JOIN memory.lines l ON l.number = m.line""",
        [profiles],
    ).fetchall()
    return dict(rows)


def _ids(db: duckdb.DuckDBPyConnection, keys: list[int]) -> dict[int, str]:
    """By key the id of a profile."""
    rows = db.execute(
        """SELECT hash(id), id FROM profiles WHERE rowid IN (
            SELECT row FROM memory.profile_rows WHERE key IN (SELECT unnest(?::UBIGINT[]))
        )""",
        [keys],
    ).fetchall()
    return dict(rows)


def _strongest(db: duckdb.DuckDBPyConnection, identities: list[str]) -> dict[str, str]:
    """By identity the profile that is it most surely."""
    rows = db.execute(
        """SELECT l.id, arg_max(m.key, m.membership) FROM memory.lines l JOIN memory.members m ON m.line = l.number
        WHERE m.rank = 1 AND l.id IN (SELECT unnest(?::VARCHAR[])) GROUP BY l.id""",
        [identities],
    ).fetchall()
    ids = _ids(db, [key for _, key in rows])
    return {identity: ids[key] for identity, key in rows if key in ids}


def sentence_with(text: str | None, value: str) -> str:
    """The sentence of a text that has a value as a word of its own, or else nothing.

    >>> sentence_with("It rained. The chairman, John A. Smith, left. Then he came back.", "chairman")
    'The chairman, John A. Smith, left.'
    """
    found = re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text or "", re.IGNORECASE)
    if found is None or not text:
        return ""
    ends = [0, *(end.end() for end in SENTENCE_END.finditer(text)), len(text)]
    return next(text[a:b].strip() for a, b in pairwise(ends) if a <= found.start() < b)


def places_of(names: Sequence[str], text: str) -> list[tuple[int, int]]:
    """Where names stand in a text, or else their last words; no two places overlap.

    >>> places_of(["John Smith", "Smith"], "John Smith left; Smith was old.")
    [(0, 10), (17, 22)]
    """
    wanted = [name for name in names if name.strip()]
    wanted += [word for name in wanted for word in name.split()[-1:] if fold(word)]
    if not wanted:
        return []
    pattern = "|".join(re.escape(each) for each in sorted(set(wanted), key=lambda each: (-len(each), each)))
    return [found.span() for found in re.finditer(rf"(?<!\w)(?:{pattern})(?!\w)", text)]
