"""Memberships and identities: writing an answer, and reading it as rows; and their entries of a known list.

The probability that an identity is entry k is p(k) = exp(o_k) / (1 + Σ exp(o_j)). Its log odds o_k are the mean over
its profiles. A profile whose name clashes with all names of the entry has no row in `known_odds` and counts as minus
`clash`. A link is the likeliest entry if p is at least `least`. Links are computed from the present identities when
they are requested, so a change of identities needs no update here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from crossdoc import errors
from crossdoc.model import Appearance, Identity, KnownEntry, Partition, rows_of
from crossdoc.model.identity import canonical_name
from crossdoc.store import schema
from crossdoc.store.base_tables import Tables, tuples
from crossdoc.store.history_table import FormerAnswers, History
from crossdoc.store.schema import cells_of

Row = tuple[Any, ...]


def membership_rows(partition: Partition) -> pa.Table:
    """Return memberships as rows of their table, the strongest of each id first."""
    starts = partition.membership.indptr
    rank = np.arange(starts[-1]) - np.repeat(starts[:-1], np.diff(starts)) + 1
    return partition.table(soft=True).append_column("rank", pa.array(rank, pa.int32()))


def settled(memberships: Iterable[Row], loose: Iterable[Row], there: Set[str]) -> list[dict[str, Any]]:
    """Combine new memberships with weak ones in unchanged identities, and drop those in identities that are gone.

    `memberships` has rows of id, entity and share, the strongest of each id first. `loose` has weaker memberships of
    these ids in identities that did not change; they are kept if the new strongest one stays the strongest. `there` are
    the identities that exist. The memberships of each id add up to 1.

    >>> now = [("p", "a", 1.0), ("q", "b", 0.8), ("q", "gone", 0.2)]
    >>> [row["membership"] for row in settled(now, [("p", "c", 0.25)], {"a", "b", "c"})]
    [0.75, 0.25, 1.0]
    """
    held: dict[str, dict[str, float]] = {}
    for id, entity, share in memberships:
        if entity in there:
            held.setdefault(id, {})[entity] = share
    more: dict[str, dict[str, float]] = {}
    for id, entity, share in loose:
        if entity in there and entity not in held.get(id, {entity}):
            more.setdefault(id, {})[entity] = share
    rows: list[dict[str, Any]] = []
    for id, own in held.items():
        left, total = 1 - sum(more.get(id, {}).values()), sum(own.values())
        shares = {entity: share / total for entity, share in own.items()}
        if id in more and max(shares.values()) * left > max(more[id].values()):
            shares = {**{entity: share * left for entity, share in shares.items()}, **more[id]}
        ranked = sorted(shares.items(), key=lambda item: -item[1])
        rows += [{"id": id, "entity": e, "membership": share, "rank": n} for n, (e, share) in enumerate(ranked, 1)]
    return rows


IDENTITY_LINKS = """
    WITH held AS (SELECT entity, id FROM memberships WHERE rank = 1),
    sizes AS (SELECT entity, count(*) AS n FROM held GROUP BY entity),
    summed AS (
        SELECT entity, known, sum(odds) AS total, count(*) AS agreeing
        FROM held JOIN known_odds USING (id) GROUP BY entity, known
    ),
    weighed AS (
        SELECT entity, known, exp((total - {clash} * (n - agreeing)) / n) AS weight
        FROM summed JOIN sizes USING (entity)
    ),
    shared AS (SELECT entity, known, weight / (1 + sum(weight) OVER (PARTITION BY entity)) AS probability FROM weighed)
    SELECT entity, known, probability FROM shared
    QUALIFY row_number() OVER (PARTITION BY entity ORDER BY probability DESC, known) = 1 AND probability >= {least}
    ORDER BY entity
    """


class KnownList(Tables):
    """The known list of a result."""

    def save_known(self, entries: Iterable[KnownEntry], odds: pa.Table, clash: float, least: float) -> None:
        """Store a known list, the log odds `id, known, odds` of its entries, and the parameters of its links."""
        with self.batch():
            self._empty("known", "known_odds")
            rows = [cells_of(entry, attributes=list(entry.attributes.items())) for entry in entries]
            self._insert("known", rows)
            self._insert("known_odds", odds)
            for key, value in (("known_clash", clash), ("known_least", least)):
                self.set_meta(key, repr(float(value)))

    @property
    def has_known(self) -> bool:
        return self.count("known") > 0

    def known_entries(self) -> list[KnownEntry]:
        return [
            KnownEntry(**{**row, "aliases": tuple(row["aliases"]), "attributes": dict(row["attributes"])})
            for row in self.query("SELECT * FROM known ORDER BY rowid").to_pylist()
        ]

    def known_odds(self) -> pa.Table:
        """Return `id, known, odds`: the log odds that profiles are known entries."""
        return self.query("SELECT id, known, odds FROM known_odds ORDER BY rowid")

    def known_links(self, least: float | None = None) -> pa.Table:
        """Return `entity, known, probability`: the likeliest entry of each identity; `least` is that of the run."""
        return self.query(self._links(least))

    def _links(self, least: float | None = None) -> str:
        meta = self._meta()
        asked = float(meta.get("known_least", 1)) if least is None else least
        return IDENTITY_LINKS.format(clash=float(meta.get("known_clash", 0)), least=asked)

    def _known_columns(self, entity: str) -> tuple[str, str]:
        """Return two more columns of a query, the entry and its probability, and the join that they need."""
        if not self.has_known:
            return "", ""
        return ", k.known, k.probability AS known_probability", f"LEFT JOIN ({self._links()}) k ON k.entity = {entity}"


class Answers(FormerAnswers, History, KnownList):
    """Identities and memberships of a result."""

    def save_partition(self, entity_type: str, partition: Partition, seconds: float) -> None:
        """Store the answer for one entity type; a resumed run skips types that have one."""
        with self.batch():
            self.add_memberships(partition)
            self._db.execute("INSERT INTO clustered VALUES (?, ?)", [entity_type, seconds])

    def add_memberships(self, partition: Partition) -> None:
        self._insert("memberships", membership_rows(partition))

    def exchange_memberships(self, partitions: Sequence[Partition], gone: Set[str]) -> None:
        """Replace the identities in `gone` by partitions; weak memberships across them are kept if possible."""
        rows = pa.concat_tables([membership_rows(partition) for partition in partitions])
        ids = set(rows.column("id").to_pylist())
        loose = self.fetch(
            """
            SELECT id, entity, membership FROM memberships
            WHERE rank > 1 AND (id IN (SELECT id FROM asked)) <> (entity IN (SELECT unnest(?::VARCHAR[])))
            """,
            [list(gone)],
            asked=ids,
        )
        there = set(rows.column("entity").to_pylist()) | ({entity for _, entity, _ in loose} - gone)
        own = [row for row in loose if row[0] in ids]
        others = {id for id, entity, _ in loose if id not in ids and entity not in there}
        rest = self.query(
            "SELECT m.* FROM memberships m SEMI JOIN asked USING (id) ORDER BY m.id, m.rank", asked=others
        )
        there |= set(rest.column("entity").to_pylist()) - gone
        rows = pa.concat_tables([rows, rest.cast(rows.schema)])
        torn = pc.is_in(rows.column("id"), value_set=pa.array({id for id, *_ in own} | others, pa.string()))
        self.drop("memberships", ids | others)
        self._insert("memberships", rows.filter(pc.invert(torn)))
        self._insert("memberships", settled(tuples(rows.filter(torn).drop_columns(["rank"])), own, there))

    def save_identities(self, identities: Iterable[Identity]) -> None:
        with self.batch():
            self._empty("identities")
            self.add_identities(identities)

    def add_identities(self, identities: Iterable[Identity]) -> None:
        rows = (cells_of(identity, variants=list(identity.variants.items())) for identity in identities)
        self._insert("identities", rows)

    def rename(self, identity: str, name: str) -> None:
        """Set the name of an identity; an empty name restores the one derived from its variants."""
        row = self.query("SELECT * FROM identities WHERE id = ?", [identity])
        called = name or canonical_name(dict(row.column("variants")[0].as_py()), row.column("type")[0].as_py())
        with self.batch():
            self.drop("identities", [identity])
            self._insert("identities", row.set_column(row.schema.get_field_index("name"), "name", [[called]]))

    def entity_of(self, ids: Iterable[str] | None = None, column: str = "id") -> dict[str, str]:
        """Return the strongest identity by profile: of all, of some profiles, or of some identities (`entity`)."""
        if ids is None:
            return dict(self.fetch("SELECT id, entity FROM memberships WHERE rank = 1"))
        some = f"SELECT m.id, m.entity FROM memberships m SEMI JOIN asked ON asked.id = m.{column} WHERE rank = 1"
        return dict(self.fetch(some, asked=ids))

    def companions(self, ids: Iterable[str]) -> set[str]:
        """Return the profiles whose strongest identity is that of one of these profiles."""
        return set(self.entity_of(set(self.entity_of(ids).values()), "entity"))

    def holding(self, entities: Iterable[str]) -> set[str]:
        """Return the profiles with any membership in these identities."""
        query = "SELECT DISTINCT m.id FROM memberships m SEMI JOIN asked ON asked.id = m.entity"
        return self._ids(query, asked=entities)

    def moved_by(self, cause: str) -> set[str]:
        """Return the present profiles of identities with an event whose cause has this prefix."""
        rows = self.fetch("SELECT id, other FROM history WHERE starts_with(cause, ?)", [cause])
        named = {id for row in rows for id in row if id is not None}
        return self.holding({now for id in named for now in self.successors(id)})

    def ids_used(self, ids: Iterable[str]) -> set[str]:
        """Return those of these ids that are ids of identities, and all ids with a number added (`~2`)."""
        wanted = "entity IN (SELECT id FROM asked) OR contains(entity, '~')"
        return self._ids(f"SELECT DISTINCT entity FROM memberships WHERE {wanted}", asked=ids)

    def partition_of(self, entity_type: str, ids: npt.NDArray[Any]) -> Partition | None:
        """Return the stored answer for one entity type, whose profiles have these ids, or None."""
        if not self._ids("SELECT type FROM clustered WHERE type = ?", [entity_type]):
            return None
        return Partition.from_table(ids, rows_of(self.memberships(), ids))

    def keep_answers_under(self, judgements: str) -> None:
        """Delete the answers of a stopped run that was made with other judgements."""
        if self._meta().get("judgements") == judgements:
            return
        with self.batch():
            self._empty("memberships", "clustered")
            self.set_meta("judgements", judgements)

    def members(self, entity: str, top: int | None = None) -> list[dict[str, Any]]:
        """Return the profiles of an identity with their memberships, strongest first."""
        return self.query(
            """
            SELECT p.id AS profile, p.document, p.name, m.membership, p.context
            FROM memberships m JOIN profiles p ON p.id = m.id
            WHERE m.entity = ? ORDER BY m.membership DESC, p.id LIMIT ?
            """,
            [entity, top if top is not None else 2**62],
        ).to_pylist()

    def partition(self) -> Partition:
        return Partition.from_table(
            self.query("SELECT id FROM profiles ORDER BY rowid").column("id").to_pylist(), self.memberships()
        )

    def memberships(self) -> pa.Table:
        return self.query("SELECT id, entity, membership FROM memberships ORDER BY rowid")

    def identities(self, find: str | None = None, top: int | None = None) -> list[Identity]:
        """Return identities, most documents first; `find` selects those with these words in a name, or with this id."""
        found = self.identity_table(find, top).to_pylist()
        return [Identity(**{**row, "variants": dict(row["variants"])}) for row in found]

    def identity_table(self, find: str | None = None, top: int | None = None) -> pa.Table:
        """Return the rows of :meth:`identities`, with their entries of a known list."""
        known, joined = self._known_columns("identities.id")
        return self.query(
            f"""
            WITH asked AS (
                SELECT ' ' || trim(regexp_replace(lower(strip_accents($1)), '[^\\pL\\pN]+', ' ', 'g')) || ' ' AS words
            )
            SELECT identities.*{known} FROM asked, identities {joined}
            WHERE $2 OR list_contains($3, id) OR list_bool_or([
                -- Text without letters or digits is searched literally.
                CASE WHEN trim(asked.words) = '' THEN trim($1) <> '' AND contains(v, trim($1)) ELSE contains(
                    ' ' || regexp_replace(lower(strip_accents(v)), '[^\\pL\\pN]+', ' ', 'g') || ' ', asked.words
                ) END
                for v in list_append(map_keys(variants), name)
            ])
            ORDER BY n_documents DESC, n_mentions DESC, id LIMIT $4
            """,
            [find or "", find is None, self.successors(find or ""), top if top is not None else 2**62],
        )

    def answer_schema(self, level: str) -> pa.Schema:
        return pa.schema([*schema.LEVELS[level], *(schema.KNOWN if self.has_known else [])])

    def answer(
        self, level: str, *, soft: bool = False, entities: Sequence[str] | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Stream the rows of `crossdoc export`: one per profile or mention, or with `soft` per membership."""
        if level not in schema.LEVELS:
            raise errors.unknown_choice("level", level, list(schema.LEVELS))
        if level == "profile":
            own, mentions, order = "p.id", "p.type, n.kind", "p.rowid"
            kinds = "arg_min(kind, array_position(['name', 'nominal', 'pronoun'], kind)) AS kind"
            joined = f"LEFT JOIN (SELECT chain, {kinds} FROM mentions GROUP BY chain) n"
        else:
            own, order, joined = "n.id", "n.rowid", "JOIN mentions n"
            mentions = 'n.start, n."end", n.text, coalesce(n.type, p.type) AS type, n.kind'
        known, links = self._known_columns("m.entity")
        query = f"""
            SELECT {own}, m.entity, m.membership, p.name, p.document, {mentions}, i.name AS identity_name{known}
            FROM memberships m JOIN profiles p ON p.id = m.id {joined} ON n.chain = m.id
            LEFT JOIN identities i ON i.id = m.entity {links}
            WHERE (? OR m.rank = 1) AND (? OR list_contains(?, m.entity)) ORDER BY {order}, m.rank
            """
        return self._stream(query, [soft, entities is None, list(entities or [])])

    def appearances(self) -> Iterator[Appearance]:
        """Yield the identities of each document with their names, document by document."""
        query = """
            SELECT m.entity, p.document, list(DISTINCT p.name ORDER BY p.name) AS names
            FROM memberships m JOIN profiles p ON p.id = m.id
            WHERE m.rank = 1 GROUP BY ALL ORDER BY p.document, m.entity
            """
        for batch in self._stream(query, []):
            yield from (Appearance(**row) for row in batch.to_pylist())

    def mentions_in(self, documents: Iterable[str]) -> list[dict[str, Any]]:
        """Return `document, start, end, entity, type` of every mention in these documents."""
        return self.query(
            """
            SELECT n.document, n.start, n."end", m.entity, coalesce(n.type, p.type) AS type
            FROM mentions n SEMI JOIN asked ON asked.id = n.document
                LEFT JOIN memberships m ON m.id = n.chain AND m.rank = 1 LEFT JOIN profiles p ON p.id = n.chain
            """,
            asked=documents,
        ).to_pylist()

    def shared_documents(self) -> Iterator[tuple[str, str, int]]:
        """Yield pairs of identities that share documents, with the number of shared documents."""
        query = """
            WITH present AS (
                SELECT DISTINCT m.entity, p.document FROM memberships m JOIN profiles p ON p.id = m.id WHERE m.rank = 1
            )
            SELECT a.entity AS a, b.entity AS b, count(*) AS n
            FROM present a JOIN present b ON a.document = b.document AND a.entity < b.entity
            GROUP BY ALL ORDER BY n DESC, a, b
            """
        for batch in self._stream(query, []):
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)
