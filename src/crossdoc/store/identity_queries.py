"""Queries about one identity, profile or document, for the explorer.

They run on the catalogue's tables in memory (``memory.…``), which say in which rows of the file to look.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise

from crossdoc import errors
from crossdoc.lang import DEFAULT, pack
from crossdoc.names import fold
from crossdoc.names.texts import make_snippet
from crossdoc.store import views
from crossdoc.store.catalogue import Catalogue, by_key
from crossdoc.store.store import Store

NAME_PARTS = ("first", "middle", "last", "suffix", "gender_confidence")
"""Attributes that only repeat the name."""
MOST_READ = 100
"""Profiles of an identity, the most certain, whose facts and relations are read."""
STATED_WEIGHT = 2
"""Shared documents that a stated relation counts as, in the order of related identities."""
MOST_NEIGHBOURS = 1_000
"""Identities in the same documents that are ranked, those with most profiles there."""
MOST_FACTS = 60
MOST_RELATIONS = 100
FEW_YEARS = 3
"""Years. A timeline of up to this many is by month."""
TITLES = pack(DEFAULT).titles
SHORT_TITLES = {each.capitalize() for each in TITLES.male | TITLES.female | TITLES.neutral if len(each) <= 4}
"""Titles that may be abbreviations, which a full stop may follow within a sentence."""
NOT_AFTER_TITLE = "".join(rf"(?<!\b{title})" for title in sorted(filter(str.isalpha, SHORT_TITLES)))
SENTENCE_END = re.compile(rf"(?<!\b[^\W\d_]){NOT_AFTER_TITLE}[.!?]['\"»”)]*\s+(?![a-zß-ÿ])|\n+")
"""The end of a sentence, which is not after an initial or a title."""


class IdentityQueries(Catalogue):
    """Identities, profiles and documents of a result as views."""

    def identity(self, id: str) -> views.Card:
        """Return the card of an identity, or of the one that replaced it."""
        with self._profiles_of(id) as (line, store):
            counts = store.fetch("SELECT language, count(*) AS n FROM own GROUP BY 1 ORDER BY 2 DESC, 1")
            variants = store.fetch("SELECT variants FROM identities WHERE id = ?", [line.id])[0][0]
            known = store.fetch(
                "SELECT id, name, coalesce(description, ''), ? FROM known WHERE id = ?",
                [line.known_probability or 0.0, line.known],
            )
            store.fetch(f"DELETE FROM own WHERE place > {MOST_READ}")
            return views.Card(
                line,
                sorted(variants.items(), key=lambda item: (-item[1], item[0])),
                _facts(store),
                _relations(store),
                [(language, n) for language, n in counts if language],
                sum(n for _, n in counts),
                views.KnownLink(*known[0]) if known else None,
                asked=id if id != line.id else "",
            )

    def successors(self, id: str) -> list[str]:
        """Return the present ids of an identity: its own, or those it merged into; none if there are none."""
        if self.lines([id]):
            return [id]
        with self.file.ask() as store:
            return store.successors(id)

    def members(self, id: str, offset: int = 0, limit: int = 50) -> list[views.MemberLine]:
        """Return the profiles with a membership in an identity, most certain first."""
        with self._profiles_of(id, offset, limit, soft=True) as (_, store):
            mentions = _mentions(store)
            rows = store.fetch(
                f"""SELECT p.id, p.document, d.title, d.date, p.name, o.membership, p.context, o.rank
                FROM own o JOIN profiles p ON p.rowid = o.row LEFT JOIN ({OWN_DOCUMENTS}) d ON d.id = p.document
                ORDER BY o.place"""
            )
        found = []
        for profile, document, title, date, name, membership, context, rank in rows:
            snippet = make_snippet(context or "", name)
            marked = next(iter(places_of([name], snippet)), None)
            start, end, _ = min(mentions.get(profile, ()), default=(None, None, None))
            found.append(
                views.MemberLine(
                    profile, document, title, date, name, membership, snippet, marked, start, end, rank == 1
                )
            )
        return found

    def surest_members(self, id: str, most: int) -> list[str]:
        """Return the ids of the profiles that are most certainly an identity."""
        with self._profiles_of(id, 0, most) as (_, store):
            rows = store.fetch("SELECT p.id FROM own o JOIN profiles p ON p.rowid = o.row ORDER BY o.place")
        return [profile for (profile,) in rows]

    def documents_of(self, id: str, offset: int = 0, limit: int = 50) -> list[views.DocumentLine]:
        """Return the documents that mention an identity, earliest first."""
        with self._profiles_of(id) as (_, store):
            store.fetch(
                """
                DELETE FROM own WHERE document NOT IN (
                    SELECT o.document FROM own o LEFT JOIN memory.document_rows d USING (document)
                    GROUP BY o.document ORDER BY any_value(d.month), min(o.row) LIMIT ? OFFSET ?
                )
                """,
                [limit, offset],
            )
            mentions = _mentions(store)
            rows = store.fetch(f"""
                SELECT p.document, any_value(d.title), any_value(d.date), any_value(d.source), any_value(d.language),
                    list(p.id), list(DISTINCT p.name ORDER BY p.name)
                FROM own o JOIN profiles p ON p.rowid = o.row LEFT JOIN ({OWN_DOCUMENTS}) d ON d.id = p.document
                GROUP BY p.document ORDER BY any_value(d.date), min(o.row)""")
        found = []
        for document, title, date, source, language, profiles, names in rows:
            spans = [span for profile in profiles for span in mentions.get(profile, ())]
            first = min(spans)[0] if spans else None
            found.append(views.DocumentLine(document, title, date, source, language, len(spans), names, first))
        return found

    def document(self, id: str) -> views.DocumentView:
        """Return a document with all its mentions."""
        self.refresh()
        with self.file.ask() as store:
            found = store.fetch(
                """SELECT title, date, source, language, text FROM documents
                WHERE rowid IN (SELECT row FROM memory.document_rows WHERE document = hash($1)) AND id = $1""",
                [id],
            )
            store.fetch(
                """CREATE TEMP TABLE own AS SELECT r.row, l.id, l.name
                FROM memory.profile_rows r LEFT JOIN memory.members m ON m.key = r.key AND m.rank = 1
                LEFT JOIN memory.lines l ON l.number = m.line WHERE r.document = hash(?)""",
                [id],
            )
            profiles = store.fetch("SELECT p.id, p.type, o.id, o.name FROM own o JOIN profiles p ON p.rowid = o.row")
            mentions = store.fetch(
                """SELECT start, "end", chain, coalesce(type, ''), kind, text FROM mentions
                WHERE rowid BETWEEN (SELECT first FROM memory.mention_rows WHERE document = hash($1))
                    AND (SELECT last FROM memory.mention_rows WHERE document = hash($1)) AND document = $1
                ORDER BY start, "end" DESC""",
                [id],
            )
        if not found and not profiles:
            raise errors.unknown_ids(self.file.path, "document", [id])
        whose = {profile: rest for profile, *rest in profiles}
        spans = []
        for start, end, chain, type, kind, text in mentions:
            own_type, identity, name = whose.get(chain, (None, None, None))
            spans.append(views.Span(start, end, identity, name or text, type or own_type, kind, chain))
        title, date, source, language, text = found[0] if found else (None, None, None, None, "")
        return views.DocumentView(id, title, date, source, language, text or "", spans, len(profiles))

    def profile(self, id: str) -> views.ProfileView:
        """Return all that one document states about one entity."""
        self.refresh()
        with self.file.ask() as store:
            store.fetch(
                "CREATE TEMP TABLE own AS SELECT row, document FROM memory.profile_rows WHERE key = hash(?)", [id]
            )
            found = store.fetch(f"""
                SELECT p.document, d.title, d.date, d.source, p.name, p.type, coalesce(p.language, d.language),
                    coalesce(p.context, ''), p.attributes
                FROM own o JOIN profiles p ON p.rowid = o.row LEFT JOIN ({OWN_DOCUMENTS}) d ON d.id = p.document""")
            if not found:
                raise errors.unknown_profiles(self.file.path, [id])
            document, title, date, source, name, type, language, context, attributes = found[0]
            texts = [text for _, _, text in _mentions(store, kind="name").get(id, ())]
            memberships = store.fetch(
                """SELECT l.id, l.name, m.membership FROM memory.members m JOIN memory.lines l ON l.number = m.line
                WHERE m.key = hash(?) ORDER BY m.rank""",
                [id],
            )
            relations = _relations(store)
        identity, identity_name, membership = memberships[0] if memberships else (None, None, None)
        return views.ProfileView(
            id=id, document=document, title=title, date=date, source=source, name=name, type=type, language=language,
            context=context, marked=places_of([name, *texts], context), attributes=attributes or {},
            relations=relations, identity=identity, identity_name=identity_name, membership=membership,
            others=memberships[1:],
        )  # fmt: skip

    def timeline(self, id: str) -> list[tuple[str, int]]:
        """Count the documents that mention an identity by year, or by month if they are of few years."""
        with self._profiles_of(id) as (_, store):
            rows = store.fetch("""
                SELECT d.month, count(*) FROM (SELECT DISTINCT document FROM own) JOIN memory.document_rows d
                USING (document) WHERE d.month IS NOT NULL GROUP BY 1 ORDER BY 1""")
        by_year: Counter[str] = Counter()
        for month, n in rows:
            by_year[month[:4]] += n
        return rows if len(by_year) <= FEW_YEARS else sorted(by_year.items())

    def related(self, id: str, limit: int = 20) -> list[views.Related]:
        """Return identities in the same documents, most shared documents first, and their stated relations."""
        with self._profiles_of(id) as (line, store):
            neighbours = store.fetch(
                f"""
                WITH there AS (SELECT line, document FROM memory.members SEMI JOIN own USING (document) WHERE rank = 1),
                most AS (SELECT line FROM there GROUP BY line ORDER BY count(*) DESC, line LIMIT {MOST_NEIGHBOURS}),
                counted AS (
                    SELECT line, count(DISTINCT document) AS n FROM there SEMI JOIN most USING (line) GROUP BY line
                )
                SELECT l.id, n FROM counted JOIN memory.lines l ON l.number = counted.line WHERE l.id <> ?
                ORDER BY n DESC, l.id
                """,
                [line.id],
            )
            store.fetch(f"DELETE FROM own WHERE place > {MOST_READ}")
            types: dict[str, list[str]] = {}
            for relation in _relations(store):
                if relation.type != "list" and relation.identity is not None:
                    types.setdefault(relation.identity, []).append(relation.type)
        ranked = sorted(neighbours, key=lambda row: -row[1] - STATED_WEIGHT * len(types.get(row[0], ())))[:limit]
        lines = self.lines([other for other, _ in ranked])
        return [
            views.Related(lines[other], n, sorted(set(types.get(other, ())))) for other, n in ranked if other in lines
        ]

    def maybe(self, id: str, limit: int = 20) -> list[views.Maybe]:
        """Return identities that share doubtful profiles with this one, and those with the same name."""
        line = self.line(id)
        namesakes = self.namesakes(line.id, limit)
        with self.file.ask() as store:
            rows = store.fetch(
                """
                WITH own AS (
                    SELECT m.key, m.membership, m.rank FROM memory.members m JOIN memory.lines l ON l.number = m.line
                    WHERE l.id = $1
                )
                -- In a fixed order, since sums and the best of equals depend on it.
                SELECT l.id, avg(least(own.membership, o.membership) ORDER BY o.key) AS much, count(*) AS n,
                    arg_max((o.key, own.rank = 1), least(own.membership, o.membership) ORDER BY o.key)
                FROM own JOIN memory.members o USING (key) JOIN memory.lines l ON l.number = o.line
                WHERE l.id <> $1 AND (own.rank = 1 OR o.rank = 1)
                GROUP BY l.id ORDER BY much DESC, n DESC, l.id LIMIT $2
                """,
                [line.id, limit],
            )
            strongest = _strongest(store, [line.id, *(row[0] for row in rows), *(each.id for each in namesakes)])
            doubtful = by_key(store, [key for *_, (key, _) in rows], "id")
        lines = self.lines([row[0] for row in rows])
        own = strongest.get(line.id)
        found = []
        for other, much, n, (key, is_own) in rows:
            ends = (doubtful.get(key), strongest.get(other)) if is_own else (own, doubtful.get(key))
            if other in lines:
                found.append(views.Maybe(lines[other], much, n, "shared", *ends))
        others = (each for each in namesakes if each.id not in lines)
        found += [views.Maybe(each, None, 0, "name", own, strongest.get(each.id)) for each in others]
        return found[:limit]

    def line(self, id: str) -> views.Line:
        """Return the line of an identity, or of the one that replaced it."""
        present = self.successors(id)
        if len(present) != 1:
            raise errors.which_identity(id, present)
        return self.lines(present)[present[0]]

    @contextmanager
    def _profiles_of(
        self, id: str, offset: int = 0, limit: int = 2**31, *, soft: bool = False
    ) -> Iterator[tuple[views.Line, Store]]:
        """Provide the line of an identity, and a store with its (`soft`: possible) profiles, surest first, as `own`."""
        line = self.line(id)
        with self.file.ask() as store:
            store.fetch(
                """
                CREATE TEMP TABLE own AS
                SELECT *, row_number() OVER (ORDER BY membership DESC, row) AS place FROM memory.members
                WHERE line = (SELECT number FROM memory.lines WHERE id = ?) AND (rank = 1 OR ?)
                ORDER BY place LIMIT ? OFFSET ?
                """,
                [line.id, soft, limit, offset],
            )
            yield line, store


OWN_DOCUMENTS = """
    SELECT * FROM documents WHERE rowid IN (
        SELECT r.row FROM memory.document_rows r SEMI JOIN own USING (document)
    )"""
"""Query for the stored documents of `own`."""


def _facts(store: Store) -> list[views.FactLine]:
    rows = store.fetch(
        """
        WITH stated AS (
            SELECT o.row, unnest(map_entries(p.attributes)) AS entry FROM own o JOIN profiles p ON p.rowid = o.row
        ),
        each AS (SELECT row, entry.key AS kind, unnest(entry.value) AS value FROM stated),
        most AS (
            SELECT kind, value, min(row) AS row, count(*) AS n FROM each WHERE NOT list_contains(?, kind)
            GROUP BY kind, value ORDER BY n DESC, kind, value LIMIT ?
        )
        SELECT kind, value, p.context, p.document, p.id, n FROM most JOIN profiles p ON p.rowid = most.row
        ORDER BY kind, n DESC, value
        """,
        [list(NAME_PARTS), MOST_FACTS],
    )
    return [views.FactLine(kind, value, sentence_with(context, value), *rest) for kind, value, context, *rest in rows]


def _relations(store: Store) -> list[views.RelationLine]:
    store.fetch("""
        CREATE OR REPLACE TEMP TABLE stated AS
        SELECT p.document, unnest(p.relations) AS r FROM own o JOIN profiles p ON p.rowid = o.row""")
    # Inner joins, so that DuckDB looks up the few profiles among the many members, and not the reverse.
    store.fetch("""
        CREATE OR REPLACE TEMP TABLE targets AS SELECT s.profile, l.id AS identity
        FROM (SELECT DISTINCT r.profile AS profile FROM stated WHERE r.profile IS NOT NULL) s
        JOIN memory.members m ON m.key = hash(s.profile) JOIN memory.lines l ON l.number = m.line WHERE m.rank = 1""")
    rows = store.fetch(
        """
        SELECT r.type, r.name, min(r.profile), identity, coalesce(arg_min(r.evidence, document), ''), min(document),
            count(*) AS n
        FROM stated LEFT JOIN targets ON targets.profile = r.profile GROUP BY r.type, r.name, identity
        ORDER BY r.type = 'list', n DESC, r.type, r.name LIMIT ?
        """,
        [MOST_RELATIONS],
    )
    return [views.RelationLine(*row) for row in rows]


def _mentions(store: Store, kind: str | None = None) -> dict[str, list[tuple[int, int, str]]]:
    """Return the mentions in the documents of `own` as start, end and text, by profile."""
    rows = store.fetch(
        """
        SELECT chain, list((start, "end", text)) FROM mentions WHERE (? OR kind = ?) AND rowid IN (
            SELECT unnest(range(r.first, r.last + 1)) FROM memory.mention_rows r
            SEMI JOIN own o ON o.document = r.document
        ) GROUP BY chain
        """,
        [kind is None, kind],
    )
    return {chain: [tuple(span) for span in spans] for chain, spans in rows}


def _strongest(store: Store, identities: list[str]) -> dict[str, str]:
    """Return the most certain profile of identities, by identity."""
    rows = store.fetch(
        """SELECT l.id, arg_max(m.key, m.membership) FROM memory.lines l JOIN memory.members m ON m.line = l.number
        WHERE m.rank = 1 AND l.id IN (SELECT unnest(?::VARCHAR[])) GROUP BY l.id""",
        [identities],
    )
    ids = by_key(store, [key for _, key in rows], "id")
    return {identity: ids[key] for identity, key in rows if key in ids}


def sentence_with(text: str | None, value: str) -> str:
    """Return the sentence of a text that contains a value as a word, or an empty string.

    >>> sentence_with("It rained. The chairman, John A. Smith, left. Then he came back.", "chairman")
    'The chairman, John A. Smith, left.'
    """
    found = re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text or "", re.IGNORECASE)
    if found is None or not text:
        return ""
    ends = [0, *(end.end() for end in SENTENCE_END.finditer(text)), len(text)]
    return next(text[a:b].strip() for a, b in pairwise(ends) if a <= found.start() < b)


def places_of(names: Sequence[str], text: str) -> list[tuple[int, int]]:
    """Return the spans of names in a text, or of their last words; no two spans overlap.

    >>> places_of(["John Smith", "Smith"], "John Smith left; Smith was old.")
    [(0, 10), (17, 22)]
    """
    wanted = [name for name in names if name.strip()]
    wanted += [word for name in wanted for word in name.split()[-1:] if fold(word)]
    if not wanted:
        return []
    pattern = "|".join(re.escape(each) for each in sorted(set(wanted), key=lambda each: (-len(each), each)))
    return [found.span() for found in re.finditer(rf"(?<!\w)(?:{pattern})(?!\w)", text)]
