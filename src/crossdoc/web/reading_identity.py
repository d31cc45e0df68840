"""One identity: its card, members, documents, years, company, doubles and history; documents with their mentions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from crossdoc import errors
from crossdoc.lineage import Event
from crossdoc.names import fold
from crossdoc.resolution import make_snippet
from crossdoc.store import Store
from crossdoc.web.catalogue import Catalogue
from crossdoc.web.file import File
from crossdoc.web.views import (
    Card,
    DocumentLine,
    DocumentView,
    Fact,
    Maybe,
    MemberLine,
    ProfileView,
    Related,
    RelationLine,
    Span,
)

NAME_PARTS = ("first", "middle", "last", "suffix", "gender_confidence")
"""Attributes that say nothing to a person who sees the name."""
MOST_FACTS = 60
MOST_RELATIONS = 100
FEW_YEARS = 3
"""So few years are shown by month."""


class Identities:
    """Reads about identities, profiles and documents."""

    file: File
    catalogue: Catalogue

    def identity(self, id: str) -> Card:
        """The card of an identity, or of the one that took its place."""
        now = self.now(id)
        line = self.catalogue.lines([now])[now]
        with self.file.ask() as db:
            variants, profiles = db.execute(
                """SELECT variants, (SELECT count(*) FROM memberships m WHERE m.entity = i.id AND m.rank = 1)
                FROM identities i WHERE i.id = ?""",
                [now],
            ).fetchall()[0]
            facts = db.execute(
                """
                WITH own AS (
                    SELECT p.id, p.document, p.context, p.attributes FROM profiles p JOIN memberships m ON m.id = p.id
                    WHERE m.entity = ? AND m.rank = 1
                ),
                said AS (SELECT id, document, context, unnest(map_entries(attributes)) AS entry FROM own),
                each AS (SELECT id, document, context, entry.key AS kind, unnest(entry.value) AS value FROM said)
                SELECT kind, value, arg_min(context, id), arg_min(document, id), min(id), count(*) AS n
                FROM each WHERE NOT list_contains(?, kind) GROUP BY kind, value ORDER BY kind, n DESC, value LIMIT ?
                """,
                [now, list(NAME_PARTS), MOST_FACTS],
            ).fetchall()
            relations = db.execute(
                """
                WITH own AS (
                    SELECT p.document, unnest(p.relations) AS r FROM profiles p JOIN memberships m ON m.id = p.id
                    WHERE m.entity = ? AND m.rank = 1
                )
                SELECT r.type, r.name, min(r.profile), min(b.entity), min(r.evidence), min(document), count(*) AS n
                FROM own LEFT JOIN memberships b ON b.id = r.profile AND b.rank = 1
                GROUP BY r.type, r.name, b.entity ORDER BY r.type = 'list', n DESC, r.type, r.name LIMIT ?
                """,
                [now, MOST_RELATIONS],
            ).fetchall()
            languages = db.execute(
                """SELECT p.language, count(*) AS n FROM profiles p JOIN memberships m ON m.id = p.id
                WHERE m.entity = ? AND m.rank = 1 AND p.language IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1""",
                [now],
            ).fetchall()
        return Card(
            line,
            sorted(variants.items(), key=lambda item: (-item[1], item[0])),
            [Fact(kind, value, sentence_with(text, value), doc, one, n) for kind, value, text, doc, one, n in facts],
            [RelationLine(*row) for row in relations],
            languages,
            profiles,
            asked=id if id != now else "",
        )

    def now(self, id: str) -> str:
        """The identity of this id, or the one that took its place."""
        with self.file.ask() as db:
            found = Store(db, self.file.path).successors(id)
        if len(found) != 1:
            raise errors.which_identity(id, found)
        return found[0]

    def successors(self, id: str) -> list[str]:
        """Who an identity is now: itself, or those into whom it merged; nobody where it vanished or never was."""
        with self.file.ask() as db:
            return Store(db, self.file.path).successors(id)

    def members(self, id: str, offset: int = 0, limit: int = 50) -> list[MemberLine]:
        """The profiles that are an identity, or may be, the surest first."""
        with self.file.ask() as db:
            rows = db.execute(
                """
                SELECT p.id, p.document, d.title, d.date, p.name, m.membership, p.context, m.rank = 1,
                    (SELECT min(n.start) FROM mentions n WHERE n.chain = p.id),
                    (SELECT arg_min(n."end", n.start) FROM mentions n WHERE n.chain = p.id)
                FROM memberships m JOIN profiles p ON p.id = m.id LEFT JOIN documents d ON d.id = p.document
                WHERE m.entity = ? ORDER BY m.membership DESC, p.id LIMIT ? OFFSET ?
                """,
                [id, limit, offset],
            ).fetchall()
        found = []
        for profile, document, title, date, name, membership, context, first, start, end in rows:
            snippet = make_snippet(context or "", name)
            marked = next(iter(places_of([name], snippet)), None)
            found.append(
                MemberLine(profile, document, title, date, name, membership, snippet, marked, start, end, first)
            )
        return found

    def documents_of(self, id: str, offset: int = 0, limit: int = 50) -> list[DocumentLine]:
        """The documents that an identity stands in, the earliest first."""
        with self.file.ask() as db:
            rows = db.execute(
                """
                WITH own AS (
                    SELECT p.document, p.name, p.id FROM profiles p JOIN memberships m ON m.id = p.id
                    WHERE m.entity = ? AND m.rank = 1
                )
                SELECT o.document, any_value(d.title), any_value(d.date) AS date, any_value(d.source),
                    any_value(d.language), count(n.id), list(DISTINCT o.name ORDER BY o.name), min(n.start)
                FROM own o LEFT JOIN documents d ON d.id = o.document LEFT JOIN mentions n ON n.chain = o.id
                GROUP BY o.document ORDER BY date NULLS LAST, o.document LIMIT ? OFFSET ?
                """,
                [id, limit, offset],
            ).fetchall()
        return [DocumentLine(*row) for row in rows]

    def document(self, id: str) -> DocumentView:
        """A document with all its mentions."""
        with self.file.ask() as db:
            found = db.execute(
                "SELECT id, title, date, source, language, text FROM documents WHERE id = ?", [id]
            ).fetchall()
            spans = db.execute(
                """
                SELECT n.start, n."end", m.entity, coalesce(n.type, p.type), n.kind, n.chain, n.text
                FROM mentions n LEFT JOIN memberships m ON m.id = n.chain AND m.rank = 1
                    LEFT JOIN profiles p ON p.id = n.chain
                WHERE n.document = ? ORDER BY n.start, n."end" DESC
                """,
                [id],
            ).fetchall()
            profiles = db.execute("SELECT count(*) FROM profiles WHERE document = ?", [id]).fetchall()[0][0]
        if not found and not profiles:
            raise errors.no_such_document(self.file.path, id)
        lines = self.catalogue.lines(list({row[2] for row in spans if row[2]}))
        shown = [
            Span(start, end, entity, lines[entity].name if entity in lines else text, type, kind, chain)
            for start, end, entity, type, kind, chain, text in spans
        ]
        head = found[0] if found else (id, None, None, None, None, "")
        return DocumentView(*head[:5], head[5] or "", shown, profiles)

    def profile(self, id: str) -> ProfileView:
        """All that one document says of one entity."""
        with self.file.ask() as db:
            found = db.execute(
                """
                SELECT p.id, p.document, d.title, d.date, d.source, p.name, p.type, coalesce(p.language, d.language),
                    p.context, p.attributes, p.relations
                FROM profiles p LEFT JOIN documents d ON d.id = p.document WHERE p.id = ?
                """,
                [id],
            ).fetchall()
            if not found:
                raise errors.unknown_profiles(self.file.path, [id])
            held = db.execute("SELECT entity, membership FROM memberships WHERE id = ? ORDER BY rank", [id]).fetchall()
            texts = db.execute("SELECT DISTINCT text FROM mentions WHERE chain = ? AND kind = 'name'", [id]).fetchall()
            *head, context, attributes, relations = found[0]
            targets = [relation["profile"] for relation in relations or [] if relation["profile"]]
            entity_of = dict(
                db.execute(
                    "SELECT id, entity FROM memberships WHERE rank = 1 AND list_contains(?, id)", [targets]
                ).fetchall()
            )
        names = self.catalogue.lines([entity for entity, _ in held])
        told = [
            RelationLine(r["type"], r["name"], r["profile"], entity_of.get(r["profile"]), r["evidence"] or "", head[1])
            for r in relations or []
        ]
        named = [(entity, names[entity].name if entity in names else entity, much) for entity, much in held]
        entity, name, membership = named[0] if named else (None, None, None)
        return ProfileView(
            *head,
            context or "",
            places_of([head[5], *(text for (text,) in texts)], context or ""),
            attributes or {},
            told,
            entity,
            name,
            membership,
            [each for each in named[1:] if each[0] in names],
        )

    def timeline(self, id: str) -> list[tuple[str, int]]:
        """In how many documents of each year it stands; of each month, where they are few years."""
        with self.file.ask() as db:
            rows = db.execute(
                """
                WITH own AS (
                    SELECT DISTINCT p.document FROM profiles p JOIN memberships m ON m.id = p.id
                    WHERE m.entity = ? AND m.rank = 1
                )
                SELECT d.date[:7] AS month, count(*) FROM own JOIN documents d ON d.id = own.document
                WHERE d.date IS NOT NULL GROUP BY 1 ORDER BY 1
                """,
                [id],
            ).fetchall()
        years = {month[:4] for month, _ in rows}
        if len(years) <= FEW_YEARS:
            return rows
        counted: dict[str, int] = {}
        for month, n in rows:
            counted[month[:4]] = counted.get(month[:4], 0) + n
        return sorted(counted.items())

    def related(self, id: str, limit: int = 20) -> list[Related]:
        """Who stands in the same documents, most often first, and how they are said to be related."""
        with self.file.ask() as db:
            rows = db.execute(
                """
                WITH own AS (
                    SELECT DISTINCT p.document FROM profiles p JOIN memberships m ON m.id = p.id
                    WHERE m.entity = $id AND m.rank = 1
                ),
                beside AS (
                    SELECT m.entity, count(DISTINCT p.document) AS n
                    FROM profiles p SEMI JOIN own ON own.document = p.document JOIN memberships m ON m.id = p.id
                    WHERE m.rank = 1 AND m.entity <> $id GROUP BY m.entity
                ),
                stated AS (
                    SELECT b.entity, list(DISTINCT r.type ORDER BY r.type) AS types FROM (
                        SELECT unnest(p.relations) AS r FROM profiles p JOIN memberships m ON m.id = p.id
                        WHERE m.entity = $id AND m.rank = 1
                    ) JOIN memberships b ON b.id = r.profile AND b.rank = 1 WHERE r.type <> 'list' GROUP BY b.entity
                )
                SELECT entity, n, coalesce(types, []) FROM beside LEFT JOIN stated USING (entity)
                ORDER BY n + 2 * len(coalesce(types, [])) DESC, entity LIMIT $limit
                """,
                {"id": id, "limit": limit},
            ).fetchall()
        lines = self.catalogue.lines([row[0] for row in rows])
        return [Related(lines[entity], n, types) for entity, n, types in rows if entity in lines]

    def maybe(self, id: str, limit: int = 20) -> list[Maybe]:
        """Who an identity may also be: where profiles may be either's, and who bears the same name."""
        with self.file.ask() as db:
            rows = db.execute(
                """
                WITH own AS (SELECT id, membership, rank FROM memberships WHERE entity = $id)
                SELECT o.entity, avg(least(own.membership, o.membership)), count(*),
                    arg_max(o.id, least(own.membership, o.membership))
                FROM own JOIN memberships o ON o.id = own.id
                WHERE o.entity <> $id AND (own.rank = 1 OR o.rank = 1)
                GROUP BY o.entity ORDER BY 2 DESC, 3 DESC LIMIT $limit
                """,
                {"id": id, "limit": limit},
            ).fetchall()
        lines = self.catalogue.lines([row[0] for row in rows])
        found = [Maybe(lines[e], much, n, "shared", a) for e, much, n, a in rows if e in lines]
        return found[:limit]

    def history(self, id: str | None = None) -> list[Event]:
        """Which identities appeared, split, merged and vanished, when and why; of all, or of one."""
        with self.file.ask() as db:
            return Store(db, self.file.path).events(id)


def sentence_with(text: str | None, value: str) -> str:
    """The sentence of a text that has a value, or else nothing.

    >>> sentence_with("It rained. The chairman, John Smith, left. Then he came back.", "chairman")
    'The chairman, John Smith, left.'
    """
    at = (text or "").casefold().find(value.casefold())
    if at < 0 or not text:
        return ""
    ends = [0, *(found.end() for found in re.finditer(r"[.!?]['\"»”]?\s+|\n+", text)), len(text)]
    return next(text[a:b].strip() for a, b in pairwise(ends) if a <= at < b)


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
