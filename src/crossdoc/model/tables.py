"""Tables of documents, mentions and profiles, in Arrow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    pass
from importlib import import_module

from crossdoc import errors
from crossdoc.model.rows import Document, Mention, Profile, Relation

Row = TypeVar("Row", Mention, Document, Profile)
Noun = TypeVar("Noun")

_MENTION_STRUCT = pa.struct(
    [
        ("id", pa.string()),
        ("document", pa.string()),
        ("start", pa.int64()),
        ("end", pa.int64()),
        ("text", pa.string()),
        ("type", pa.string()),
        ("kind", pa.string()),
        ("chain", pa.string()),
    ]
)
_RELATION_STRUCT = pa.struct(
    [("type", pa.string()), ("name", pa.string()), ("profile", pa.string()), ("evidence", pa.string())]
)


def view_of(kind: type[Noun], cells: dict[str, Any]) -> Noun:
    """A row as its table holds it, unchecked: whoever looks for what is wrong with a table has to see its rows."""
    row = object.__new__(kind)
    for name, value in cells.items():
        object.__setattr__(row, name, value)
    return row


class Frames:
    """Gives frames of what `to_arrow` gives."""

    def to_arrow(self) -> pa.Table:
        raise NotImplementedError

    def to_pandas(self) -> Any:
        """A pandas DataFrame."""
        _package("pandas")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """A Polars DataFrame."""
        return _package("polars").from_arrow(self.to_arrow())


def _package(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise errors.needs_package(f"to_{name}()", name) from error


class Table(Frames, Generic[Row]):
    """An Arrow table of one noun: a sequence of typed rows for people, columns for programs."""

    schema: ClassVar[pa.Schema]

    def __init__(self, arrow: pa.Table) -> None:
        self.arrow = arrow.select(self.schema.names).cast(self.schema)

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Self:
        listed = list(rows)
        columns = {}
        for column in cls.schema:
            cells = map(attrgetter(column.name), listed)
            columns[column.name] = list(map(cls._cell, cells) if pa.types.is_nested(column.type) else cells)
        return cls(pa.table(columns, schema=cls.schema))

    @staticmethod
    def _cell(value: Any) -> Any:
        if isinstance(value, dict):
            return list(value.items())
        if isinstance(value, tuple):
            return [{f.name: getattr(item, f.name) for f in fields(item)} for item in value]
        return value

    def _view(self, cells: dict[str, Any]) -> Row:
        raise NotImplementedError

    def column(self, name: str) -> pa.ChunkedArray:
        return self.arrow.column(name)

    @cached_property
    def ids(self) -> npt.NDArray[np.object_]:
        return self.arrow.column("id").to_numpy(zero_copy_only=False)

    def take(self, rows: Sequence[int] | npt.NDArray[Any]) -> Self:
        return type(self)(self.arrow.take(pa.array(np.asarray(rows, dtype=np.int64))))

    def __len__(self) -> int:
        return int(self.arrow.num_rows)

    def __getitem__(self, index: int) -> Row:
        return self._view(self.arrow.slice(range(len(self))[index], 1).to_pylist()[0])

    def __iter__(self) -> Iterator[Row]:
        for batch in self.arrow.to_batches(max_chunksize=4096):
            for cells in batch.to_pylist():
                yield self._view(cells)

    def to_arrow(self) -> pa.Table:
        return self.arrow

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self):,}>"

    def _repr_html_(self) -> str:
        from crossdoc.model.notebook import table_html

        return table_html(self)


class Mentions(Table[Mention]):
    """A table of mentions: a sequence of :class:`Mention`, backed by Arrow.

    Parameters
    ----------
    arrow : pyarrow.Table
        A table with the columns of :class:`Mention`; `Mentions.of` takes objects instead.

    Examples
    --------
    >>> Mentions.of([Mention("m", "a", 0, 10, "John Smith", "person")]).column("text").to_pylist()
    ['John Smith']
    """

    schema = pa.schema(list(_MENTION_STRUCT))

    def _view(self, cells: dict[str, Any]) -> Mention:
        return view_of(Mention, cells)


class Documents(Table[Document]):
    """A table of documents: a sequence of :class:`Document`, backed by Arrow.

    Parameters
    ----------
    arrow : pyarrow.Table
        A table with the columns of :class:`Document`; `Documents.of` takes objects instead.

    Examples
    --------
    >>> documents = Documents.of([Document("a", "John Smith spoke.")])
    >>> documents, documents[0].text
    (<Documents: 1>, 'John Smith spoke.')
    """

    schema = pa.schema(
        [
            ("id", pa.string()),
            ("text", pa.large_string()),
            ("title", pa.string()),
            ("language", pa.string()),
            ("date", pa.string()),
            ("source", pa.string()),
            ("mentions", pa.list_(_MENTION_STRUCT)),
        ]
    )

    def _view(self, cells: dict[str, Any]) -> Document:
        if cells["mentions"] is not None:
            cells["mentions"] = tuple(view_of(Mention, mention) for mention in cells["mentions"])
        return view_of(Document, cells)


class Profiles(Table[Profile]):
    """A table of profiles: a sequence of :class:`Profile`, backed by Arrow.

    Parameters
    ----------
    arrow : pyarrow.Table
        A table with the columns of :class:`Profile`; `Profiles.of` takes objects instead.

    Examples
    --------
    >>> Profiles.of([Profile("p", "a", "John Smith", "person")]).column("name").to_pylist()
    ['John Smith']
    """

    schema = pa.schema(
        [
            ("id", pa.string()),
            ("document", pa.string()),
            ("name", pa.string()),
            ("type", pa.string()),
            ("context", pa.large_string()),
            ("language", pa.string()),
            ("attributes", pa.map_(pa.string(), pa.list_(pa.string()))),
            ("relations", pa.list_(_RELATION_STRUCT)),
        ]
    )

    def _view(self, cells: dict[str, Any]) -> Profile:
        cells["attributes"] = {key: list(values or []) for key, values in cells["attributes"] or []}
        cells["relations"] = tuple(Relation(**relation) for relation in cells["relations"] or [])
        return view_of(Profile, cells)


def rows_of(table: pa.Table, ids: Sequence[str] | npt.NDArray[Any], column: str = "id") -> pa.Table:
    """The rows whose `column` holds one of the ids."""
    return table.filter(pc.is_in(table.column(column), value_set=pa.array(ids, pa.string())))
