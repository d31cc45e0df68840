"""Memberships and identities before an entry of the log, so that an undo can restore them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa

from crossdoc.store.base_tables import Tables

FORMER = {"memberships": "former_memberships", "identities": "former_identities"}


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Rows of the two tables that hold the answer."""

    memberships: pa.Table
    identities: pa.Table

    @property
    def profiles(self) -> set[str]:
        return set(self.memberships.column("id").to_pylist())

    @property
    def entities(self) -> set[str]:
        return {*self.memberships.column("entity").to_pylist(), *self.identities.column("id").to_pylist()}


class FormerAnswers(Tables):
    """The rows that each entry of the log replaced, since the last change that was not an entry."""

    def snapshot(self, profiles: Iterable[str], identities: Iterable[str]) -> Snapshot:
        """Return the memberships of these profiles and the rows of these identities."""
        return Snapshot(self._rows_of("memberships", profiles), self._rows_of("identities", identities))

    def _rows_of(self, table: str, ids: Iterable[str]) -> pa.Table:
        return self._query(f"SELECT t.* FROM {table} t SEMI JOIN asked USING (id)", asked=ids)

    def keep_former(self, entry: int, before: Snapshot, always: Iterable[str] = ()) -> None:
        """Keep the rows of `before` that the entry replaced, and those of the profiles in `always`."""
        wanted = set(always)
        for table, old in (("memberships", before.memberships), ("identities", before.identities)):
            new = self._rows_of(table, old.column("id").unique().to_pylist())
            changed = {row[0] for row in _as_tuples(old) ^ _as_tuples(new)} | wanted
            kept = old.filter(pa.array([id in changed for id in old.column("id").to_pylist()], pa.bool_()))
            number = pa.array([entry] * len(kept), pa.int64())
            self._insert(FORMER[table], kept.add_column(0, "number", number))

    def former(self, first: int, last: int) -> Snapshot:
        """Return the rows before entry `first` that one of the entries from `first` to `last` replaced."""
        return Snapshot(*(self._earliest(table, first, last) for table in FORMER.values()))

    def _earliest(self, table: str, first: int, last: int) -> pa.Table:
        return self._query(
            f"""
            SELECT t.* EXCLUDE number FROM {table} t SEMI JOIN (
                SELECT id, min(number) AS number FROM {table} WHERE number BETWEEN ? AND ? GROUP BY id
            ) USING (id, number)
            """,
            [first, last],
        )

    def keeps_former(self, entry: int) -> bool:
        """Whether the rows that this entry and all later ones replaced are kept."""
        return bool(self._ids("SELECT id FROM former_memberships WHERE number = ? LIMIT 1", [entry]))

    def put_back(self, former: Snapshot) -> None:
        """Replace the memberships of the snapshot's profiles, and the identities that change with them."""
        left = set(self._rows_of("memberships", former.profiles).column("entity").to_pylist())
        self.drop("memberships", former.profiles)
        self._insert("memberships", former.memberships)
        described = former.identities.column("id").to_pylist()
        filled = "SELECT DISTINCT m.entity FROM memberships m SEMI JOIN asked ON asked.id = m.entity"
        there = self._ids(filled, asked=left | set(described))
        self.drop("identities", (left - there) | set(described))
        # An identity that one of the entries made, and a later one changed, has a row here too.
        self._insert("identities", former.identities.filter(pa.array([id in there for id in described], pa.bool_())))

    def forget_former(self) -> None:
        """Delete all kept rows, when the answer was changed by something else than an entry."""
        self._empty(*FORMER.values())


def _as_tuples(rows: pa.Table) -> set[tuple[object, ...]]:
    """Return the rows as tuples that start with the id."""
    columns = ([tuple(cell) if isinstance(cell, list) else cell for cell in each.to_pylist()] for each in rows.columns)
    return set(zip(*columns, strict=True))
