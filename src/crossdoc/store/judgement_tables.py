"""The table of judgements: appending entries, and applying the log to the profiles of a result (`judgement_log.py`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from crossdoc import errors
from crossdoc.model import Judgement
from crossdoc.store import judgement_log as log
from crossdoc.store.collection_tables import CollectionTables
from crossdoc.store.runs import now
from crossdoc.store.schema import arrow_schema, as_table


class JudgementTables(CollectionTables):
    """The append-only log of judgements."""

    def judge(self, judgements: Iterable[Judgement]) -> None:
        """Append judgements to the log, one entry each; :meth:`undo` revokes an entry."""
        listed = list(judgements)
        with self.batch():
            number = self._next("judgements")
            places = self.places({id for each in listed for id in (each.a, each.b)})
            self._record(
                log.Entry(number + more, "judge", each.who, each.why, each.when or now(), (each,), places=places)
                for more, each in enumerate(listed)
            )

    def record(self, act: log.Act, *, who: str = "", why: str = "", **content: Any) -> int:
        """Append one entry with all its pairs, and return its number."""
        with self.batch():
            entry = log.Entry(self._next("judgements"), act, who, why, now(), **content)
            self._record([replace(entry, places=self.places(entry.about))])
        return entry.number

    def stage_judgements(self, judgements: Iterable[Judgement]) -> None:
        """Store the judgements given to a run; :meth:`finish` appends them to the log of the replaced file."""
        with self.batch():
            self._empty("judgements")
        self.judge(judgements)

    def undo(self, number: int | None = None, who: str = "", why: str = "") -> log.Entry:
        """Append an entry that revokes another (by default the last one in force), and return the revoked entry."""
        undone = self.undoable(number)
        self.record("undo", who=who, why=why, undoes=undone.number)
        return undone

    def undoable(self, number: int | None = None) -> log.Entry:
        """Return the entry with that number, or the last one, if it is in force."""
        standing = {entry.number: entry for entry in self.entries()}
        if number is None and not standing:
            raise errors.nothing_to_undo()
        wanted = max(standing) if number is None else number
        if wanted not in standing:
            raise errors.no_such_judgement(wanted)
        return standing[wanted]

    def _record(self, entries: Iterable[log.Entry]) -> None:
        rows = [row for entry in entries for row in log.rows_of_entry(entry)]
        self._insert("judgements", as_table("judgements", rows))

    def entries(self, *, standing: bool = True) -> list[log.Entry]:
        """Return the log; with `standing`, only the entries in force."""
        rows = self._query("SELECT * FROM judgements ORDER BY rowid")
        # Judgements of older versions of the file lack columns.
        for field in arrow_schema("judgements"):
            if field.name not in rows.column_names:
                rows = rows.append_column(field, pa.nulls(len(rows), field.type))
        return log.entries_of(rows, standing=standing)

    def judgements(self, *, standing: bool = True) -> list[tuple[int, Judgement]]:
        """Return the judgements in the log, each with the number of its entry."""
        return [
            (entry.number, judgement) for entry in self.entries(standing=standing) for judgement in entry.judgements
        ]

    def located(self, entries: Sequence[log.Entry] | None = None) -> log.Located:
        """Apply the log, or other entries, to the profiles of this result."""
        listed = self.entries() if entries is None else entries
        if not listed:
            return log.located([], {})
        wanted = {(id, entry.places.get(id)) for entry in listed for id in entry.about}
        known = self.known("profiles", {id for id, _ in wanted})
        candidates = self._candidates({place.document for _, place in wanted if place is not None and place.document})
        found = {
            (id, place): log.locate(id, place, candidates.get((place and place.document) or "", ()), id in known)
            for id, place in wanted
        }
        return log.located(listed, found)

    def _candidates(self, documents: Set[str]) -> dict[str, list[log.CandidateProfile]]:
        """Return the profiles of some documents, by document."""
        rows = self._rows(
            """
            SELECT p.document, p.id, p.name, p.type,
                (SELECT list([m.start, m."end"] ORDER BY m.start) FROM mentions m WHERE m.chain = p.id) AS spans
            FROM profiles p SEMI JOIN asked ON asked.id = p.document ORDER BY p.rowid
            """,
            asked=documents,
        )
        found: dict[str, list[log.CandidateProfile]] = {}
        for document, id, name, kind, spans in rows:
            places = [(start, end) for start, end in spans or ()]
            found.setdefault(document, []).append(log.CandidateProfile(id, name or "", kind, places))
        return found

    def _append_numbered(self, judgements: pa.Table, shift: int) -> None:
        """Insert judgements, with `shift` added to their numbers and to the numbers that they revoke."""
        for column in ("number", "undoes"):
            moved = pc.add(judgements.column(column), shift).cast(pa.int64())
            judgements = judgements.set_column(judgements.schema.get_field_index(column), column, moved)
        self._insert("judgements", judgements)

    def places(self, ids: Set[str]) -> dict[str, log.ProfilePlace]:
        """Return document, name, type and first mention of profiles, by id."""
        rows = self._rows(
            """
            SELECT p.id, p.document, p.name, p.type, m.start, m."end"
            FROM profiles p SEMI JOIN asked USING (id) LEFT JOIN (
                SELECT chain, min(start) AS start, arg_min("end", start) AS "end"
                FROM mentions SEMI JOIN asked ON asked.id = chain GROUP BY chain
            ) m ON m.chain = p.id
            """,
            asked=ids,
        )
        return {id: log.ProfilePlace(*place) for id, *place in rows}
