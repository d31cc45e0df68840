"""The log of judgements in a result: written, taken back, and found again in the profiles that are there (`log.py`)."""

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


class JudgementTables(CollectionTables):
    """What people said, to which is only ever added."""

    def judge(self, judgements: Iterable[Judgement]) -> None:
        """Append to the log, an entry each. What was said is never changed; :meth:`undo` says that it does not hold."""
        listed = list(judgements)
        with self.batch():
            number = self._next("judgements")
            places = self.places({id for each in listed for id in (each.a, each.b)})
            self._record(
                log.Entry(number + more, "judge", each.who, each.why, each.when or now(), (each,), places=places)
                for more, each in enumerate(listed)
            )

    def record(self, act: log.Act, *, who: str = "", why: str = "", **content: Any) -> int:
        """Append one entry with all the pairs it stands for; gives its number."""
        with self.batch():
            entry = log.Entry(self._next("judgements"), act, who, why, now(), **content)
            self._record([replace(entry, places=self.places(entry.about))])
        return entry.number

    def stage_judgements(self, judgements: Iterable[Judgement]) -> None:
        """JudgementTables that came with this run; :meth:`finish` puts them behind the log that it takes over."""
        with self.batch():
            self._db.execute("DELETE FROM judgements")
        self.judge(judgements)

    def undo(self, number: int | None = None, who: str = "", why: str = "") -> log.Entry:
        """Append that an entry (the last one that holds) does not hold, and give that entry."""
        undone = self.undoable(number)
        self.record("undo", who=who, why=why, undoes=undone.number)
        return undone

    def undoable(self, number: int | None = None) -> log.Entry:
        """The entry of that number, or the last one, if it holds."""
        standing = {entry.number: entry for entry in self.entries()}
        if number is None and not standing:
            raise errors.nothing_to_undo()
        wanted = max(standing) if number is None else number
        if wanted not in standing:
            raise errors.no_such_judgement(wanted)
        return standing[wanted]

    def _record(self, entries: Iterable[log.Entry]) -> None:
        rows = [row for entry in entries for row in log.rows_of_entry(entry)]
        self._insert("judgements", pa.Table.from_pylist(rows, log.LOG_ROWS))

    def entries(self, *, standing: bool = True) -> list[log.Entry]:
        """The log; only what has not been taken back, unless `standing` is False."""
        rows = self._query("SELECT * FROM judgements ORDER BY rowid")
        # A file of another version may lack columns, and its judgements are to be read all the same.
        for field in log.LOG_ROWS:
            if field.name not in rows.column_names:
                rows = rows.append_column(field, pa.nulls(len(rows), field.type))
        return log.entries_of(rows, standing=standing)

    def judgements(self, *, standing: bool = True) -> list[tuple[int, Judgement]]:
        """The judgements in the log, each with the number of its entry."""
        return [
            (entry.number, judgement) for entry in self.entries(standing=standing) for judgement in entry.judgements
        ]

    def located(self, entries: Sequence[log.Entry] | None = None) -> log.Located:
        """The log (or another's) as it applies to the profiles that are here."""
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
        """The profiles of some documents, by document."""
        with self._asked(documents):
            rows = self._query(
                """
                SELECT p.document, p.id, p.name, p.type,
                    (SELECT list([m.start, m."end"] ORDER BY m.start) FROM mentions m WHERE m.chain = p.id) AS spans
                FROM profiles p SEMI JOIN asked ON asked.id = p.document ORDER BY p.rowid
                """
            ).to_pylist()
        found: dict[str, list[log.CandidateProfile]] = {}
        for row in rows:
            spans = [(a, b) for a, b in row["spans"] or ()]
            found.setdefault(row["document"], []).append(
                log.CandidateProfile(row["id"], row["name"] or "", row["type"], spans)
            )
        return found

    def _append_numbered(self, judgements: pa.Table, shift: int) -> None:
        """Insert judgements with their numbers, and the numbers they take back, moved."""
        for column in ("number", "undoes"):
            moved = pc.add(judgements.column(column), shift).cast(pa.int64())
            judgements = judgements.set_column(judgements.schema.get_field_index(column), column, moved)
        self._insert("judgements", judgements)

    def places(self, ids: Set[str]) -> dict[str, log.ProfilePlace]:
        """What profiles are about: the document, the name, and where it is first mentioned."""
        with self._asked(ids):
            rows = self._query(
                """
                SELECT p.id, p.document, p.name, p.type, m.start, m."end"
                FROM profiles p SEMI JOIN asked USING (id) LEFT JOIN (
                    SELECT chain, min(start) AS start, arg_min("end", start) AS "end"
                    FROM mentions SEMI JOIN asked ON asked.id = chain GROUP BY chain
                ) m ON m.chain = p.id
                """
            ).to_pylist()
        return {row.pop("id"): log.ProfilePlace(**row) for row in rows}
