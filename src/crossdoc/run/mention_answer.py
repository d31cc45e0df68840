"""`resolve_mentions`: who is who among mentions that another program extracted, row by row."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from crossdoc import errors
from crossdoc.model import Judgement, Profile, Profiles
from crossdoc.progress import Progress
from crossdoc.read.foreign_mentions import last_row_number, read_mention_rows
from crossdoc.read.records import RowNotes, table_in_memory
from crossdoc.run.resolution import Resolution
from crossdoc.run.resolve import resolve
from crossdoc.run.review import Review
from crossdoc.settings import Settings

AnyPath = str | os.PathLike[str]
ADDED = pa.schema([("identity", pa.string()), ("canonical_name", pa.string()), ("certainty", pa.float64())])
"""Columns that an answer adds to the rows."""
REVIEW = pa.schema(
    [("a", pa.string()), ("b", pa.string()), ("name_a", pa.string()), ("name_b", pa.string()), ("joined", pa.bool_()),
     ("doubt", pa.float64())]
)  # fmt: skip


def resolve_mentions(
    table: Any,
    *,
    columns: Mapping[str, str] | None = None,
    output: AnyPath | None = None,
    into: Resolution | AnyPath | None = None,
    constraints: Sequence[Judgement] | AnyPath = (),
    settings: AnyPath | Settings | None = None,
    progress: Progress | None = None,
) -> MentionAnswer:
    """Find out who is who among mentions that another program extracted, one row each.

    Parameters
    ----------
    table : pandas, polars or Arrow table, list of dicts, or dict of columns
        One mention per row. Columns are found by the names that programs use: `name`, `entity` or `title`; `type` or
        `label`; `text`, `context` or `chunk`; `document`, `doc_id` or `source`; `start` and `end`. Only names are
        required; the text around a name decides most.
    columns : mapping or None, default None
        Field → column, for columns of other names: ``{"name": "author"}``.
    output : path or None, default None
        The .crossdoc file to write; without it the answer stays in memory.
    into : Resolution or path or None, default None
        An answer of earlier mentions that these are added to; its ids stay.
    constraints : sequence of Judgement or path, default ()
        Judgements about row ids that the answer must respect.
    settings : path or Settings or None, default None
        A crossdoc.toml, or a `Settings`.
    progress : Progress or None, default None
        Where progress is reported.

    Returns
    -------
    MentionAnswer
        The rows with `identity`, `canonical_name` and `certainty`; the pairs to review; and the resolution.

    Raises
    ------
    CrossdocError
        If there is no column with names, or an offset is outside its text. Nothing is written then.

    Examples
    --------
    >>> answer = resolve_mentions([
    ...     {"doc_id": "a", "entity": "John Smith", "text": "John Smith, the chairman of General Motors in Detroit"},
    ...     {"doc_id": "b", "entity": "J. Smith", "text": "the chairman of General Motors, J. Smith, in Detroit"},
    ...     {"doc_id": "c", "entity": "John Smith", "text": "John Smith, Labour leader in the House of Commons"},
    ... ])
    >>> [(row["identity"], row["canonical_name"]) for row in answer.rows]
    [('row 1', 'John Smith'), ('row 1', 'John Smith'), ('row 3', 'John Smith')]
    """
    if into is not None:
        if output is not None or constraints or settings is not None:
            raise errors.not_usable_with("`into`", "`output`, `constraints` or `settings`", ["an existing answer"])
        resolution = into if isinstance(into, Resolution) else Resolution.open(into)
        answer = MentionAnswer(resolution, columns)
        answer.add(table, progress=progress)
        return answer
    notes = RowNotes()
    chosen = Settings.choose(settings, {})
    profiles = read_mention_rows(table, columns, reach=chosen.window, notes=notes)
    resolution = resolve(
        _known_types(profiles, notes), output=output, constraints=constraints, settings=chosen, progress=progress
    )
    answer = MentionAnswer(resolution, columns)
    answer._append(table, profiles)
    return answer


class MentionAnswer:
    """Rows of mentions with their identities, in the kind of table that they came in; a context manager.

    `resolution` is the answer itself, to explain, judge, merge, split and undo; :meth:`add` takes later rows.
    """

    def __init__(self, resolution: Resolution, columns: Mapping[str, str] | None = None) -> None:
        self.resolution = resolution
        self.columns = columns
        self._tables: list[Any] = []
        self._ids: list[list[str | None]] = []

    @property
    def rows(self) -> Any:
        """All rows that were given, with `identity`, `canonical_name` and `certainty` as they are now.

        A row of a type that crossdoc does not resolve has no identity.
        """
        if len(self._tables) == 1:
            return self._annotated(self._tables[0], self._ids[0])
        tables = [table_in_memory(table) for table in self._tables]
        joined = pa.concat_tables(tables, promote_options="permissive")
        return self._annotated(_like(joined, self._tables[0]), [id for ids in self._ids for id in ids])

    @property
    def ids(self) -> list[str | None]:
        """The id of each row in the resolution; None for a row that was left out."""
        return [id for ids in self._ids for id in ids]

    def add(self, table: Any, *, progress: Progress | None = None) -> Any:
        """Add later rows and return them with their identities; identities that stay the same keep their ids."""
        notes = RowNotes()
        reach = self.resolution.revision().settings.window
        before = last_row_number(self.resolution.profiles.ids)
        profiles = read_mention_rows(table, self.columns, before=before, reach=reach, notes=notes)
        self.resolution.add(_known_types(profiles, notes), progress=progress)
        self._append(table, profiles)
        return self._annotated(table, self._ids[-1])

    def review(self, top: int = 100) -> pa.Table:
        """Pairs of row ids that a person should look at, the one that would change most first.

        `joined` is the present answer, `doubt` the probability that it is wrong.
        """
        asked = Review(self.resolution).questions(top)
        named = {each.id: each.name for each in self.resolution.profiles}
        rows = [
            {"a": each.a, "b": each.b, "name_a": named[each.a], "name_b": named[each.b], "joined": each.joined,
             "doubt": each.wrong} for each in asked
        ]  # fmt: skip
        return pa.Table.from_pylist(rows, REVIEW)

    def _append(self, table: Any, profiles: Sequence[Profile | None]) -> None:
        self._tables.append(table)
        self._ids.append([None if profile is None else profile.id for profile in profiles])

    def _annotated(self, table: Any, ids: Sequence[str | None]) -> Any:
        answered = {row["id"]: row for row in self.resolution.answer().to_pylist()}
        found = [answered.get(id, {}) if id else {} for id in ids]
        cells = [[row.get(key) for row in found] for key in ("entity", "identity_name", "membership")]
        added = pa.table(cells, schema=ADDED)
        plain = table_in_memory(table)
        for name in added.column_names:
            plain = plain.drop_columns([name]) if name in plain.column_names else plain
            plain = plain.append_column(ADDED.field(name), added.column(name))
        return _like(plain, table)

    def close(self) -> None:
        self.resolution.close()

    def __enter__(self) -> MentionAnswer:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<MentionAnswer: {len(self.ids):,} rows, {self.resolution.store.sizes()['identities']:,} identities>"


def _known_types(profiles: Sequence[Profile | None], notes: RowNotes) -> Profiles:
    kept = [profile for profile in profiles if profile is not None]
    if not kept and notes.other_types:
        raise errors.only_other_types(notes.left_out)
    if not kept:
        raise errors.no_records("The table of mentions", "row")
    return Profiles.of(kept)


def _like(arrow: pa.Table, table: Any) -> Any:
    """Return an Arrow table in the kind of another one."""
    if isinstance(table, Mapping):
        return arrow.to_pydict()
    kind = type(table).__module__.partition(".")[0]
    if kind == "pandas":
        frame = arrow.to_pandas()
        return frame.set_axis(table.index) if len(frame) == len(table) else frame
    if kind == "polars":
        import polars

        return polars.from_arrow(arrow)
    return arrow if isinstance(table, pa.Table) else arrow.to_pylist()
