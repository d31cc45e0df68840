"""Tables of documents, mentions and profiles in Arrow, with their rows as typed views; and judgements."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from importlib import import_module
from operator import attrgetter
from typing import Any, ClassVar, Generic, Literal, Self, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from crossdoc import errors

EntityType = Literal["person", "organisation", "place"]
ENTITY_TYPES: tuple[EntityType, ...] = ("person", "organisation", "place")
MentionKind = Literal["name", "nominal", "pronoun"]
Verdict = Literal["same", "different"]
VERDICTS: tuple[Verdict, ...] = ("same", "different")
WORD_OF_VERDICT = {"same": "positive", "different": "negative"}
"""Verdict → its word in nomenklatura and Aleph."""
UNDECIDED_WORDS = frozenset({"unsure", "no_judgement"})
"""Words of nomenklatura and Aleph that decide nothing."""

IntArray = npt.NDArray[np.int32]
FloatArray = npt.NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True)
class Mention:
    """A span of a document that refers to an entity.

    Parameters
    ----------
    id : str
        The id.
    document : str
        The id of the document.
    start : int
        Where it begins, in code points of the text.
    end : int
        Where it ends (half-open).
    text : str
        The words themselves.
    type : str or None, default None
        "person", "organisation" or "place", if it is known.
    kind : {"name", "nominal", "pronoun"}, default "name"
        What kind of words they are.
    chain : str or None, default None
        The id of the profile that it belongs to (in the input: of the chain); None if it belongs to none.

    Examples
    --------
    >>> Mention("a:0:10", "a", 0, 10, "John Smith", "person").kind
    'name'
    """

    id: str
    document: str
    start: int
    end: int
    text: str
    type: str | None = None
    kind: MentionKind = "name"
    chain: str | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise errors.bad_span(self.id, self.start, self.end)

    @classmethod
    def at(
        cls, document: str, start: int, end: int, words: str, type: str | None,
        kind: MentionKind = "name", chain: str | None = None,
    ) -> Self:  # fmt: skip
        """A mention whose id is its place, with its words on one line."""
        return cls(f"{document}:{start}:{end}", document, start, end, " ".join(words.split()), type, kind, chain)


@dataclass(frozen=True, slots=True)
class Document:
    """A text and what is known about it.

    Parameters
    ----------
    id : str
        The id, unique in the collection.
    text : str
        The text.
    title : str or None, default None
        The title.
    language : str or None, default None
        ISO 639-1 code; None identifies it from the text.
    date : str or None, default None
        ISO 8601, as precise as is known: 1996, 1996-01 or 1996-01-14.
    source : str or None, default None
        Where the text was published.
    mentions : tuple[Mention, ...] or None, default None
        Mentions that came with the document; None means that extraction finds them.

    Examples
    --------
    >>> Document("a", "John Smith spoke.", date="1996-01-14").id
    'a'
    """

    id: str
    text: str
    title: str | None = None
    language: str | None = None
    date: str | None = None
    source: str | None = None
    mentions: tuple[Mention, ...] | None = None

    def __post_init__(self) -> None:
        if not self.id:
            raise errors.empty_id("document")


@dataclass(frozen=True, slots=True)
class Relation:
    """A typed link from a profile to another entity, with the sentence that states it.

    Parameters
    ----------
    type : str
        The kind of relation, such as employment, perhaps with a detail after a colon.
    name : str
        The name of the other end.
    profile : str or None, default None
        The id of its profile, if it has one.
    evidence : str or None, default None
        The sentence that states it.

    Examples
    --------
    >>> Relation("employment:chairman", "General Motors").name
    'General Motors'
    """

    type: str
    name: str
    profile: str | None = None
    evidence: str | None = None


@dataclass(frozen=True, slots=True)
class Profile:
    """All that one document says about one entity.

    Parameters
    ----------
    id : str
        The id, unique in the collection.
    document : str
        The id of the document.
    name : str
        The fullest name that the document uses.
    type : str or None, default None
        "person", "organisation" or "place", if it is known.
    context : str, default ""
        The words around its mentions.
    language : str or None, default None
        ISO 639-1 code.
    attributes : dict[str, list[str]], optional
        What is stated about it, by type: {"born": ["1931"]}.
    relations : tuple[Relation, ...], default ()
        Whom and what it is related to.

    Examples
    --------
    >>> profile = Profile("p1", "a", "John Smith", "person", "chairman of General Motors")
    >>> profile.name, profile.attributes
    ('John Smith', {})
    """

    id: str
    document: str
    name: str
    type: str | None = None
    context: str = ""
    language: str | None = None
    attributes: dict[str, list[str]] = field(default_factory=dict)
    relations: tuple[Relation, ...] = ()

    def __post_init__(self) -> None:
        if not self.id:
            raise errors.empty_id("profile")


@dataclass(frozen=True, slots=True)
class Judgement:
    """A statement that two profiles are the same entity or different ones.

    Judgements of people are hard, those of rules soft: a soft one adds its weight to the strength.

    Parameters
    ----------
    a : str
        The id of a profile.
    b : str
        The id of another.
    verdict : {"same", "different"}
        What they are.
    hard : bool, default True
        Whether it always holds, as a person's judgement does.
    weight : float, default 1.0
        For a soft judgement: what is added to the strength.
    who : str, default ""
        Who says so.
    why : str, default ""
        The reason.
    when : str, default ""
        When it was made.

    Examples
    --------
    >>> Judgement("a:0:10", "b:5:15", "same", who="Ada").hard
    True
    """

    a: str
    b: str
    verdict: Verdict
    hard: bool = True
    weight: float = 1.0
    who: str = ""
    why: str = ""
    when: str = ""

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise errors.bad_judgement(f"the verdict is {self.verdict!r}, and must be 'same' or 'different'")
        if not self.a or not self.b:
            raise errors.bad_judgement("a profile's id is empty")
        if self.a == self.b:
            raise errors.bad_judgement(f"{self.a!r} is judged against itself")
        if not 0 <= self.weight < float("inf"):
            raise errors.bad_judgement(f"the weight is {self.weight}, and must be a finite number of at least 0")

    def __str__(self) -> str:
        word = "is the same as" if self.verdict == "same" else "is different from"
        by = f" ({self.who})" if self.who else ""
        return f"{self.a} {word} {self.b}{by}"


Row = TypeVar("Row", Mention, Document, Profile)
Noun = TypeVar("Noun")


def _strings(*names: str) -> list[tuple[str, pa.DataType]]:
    return [(name, pa.string()) for name in names]


_MENTION = [
    *_strings("id", "document"), ("start", pa.int64()), ("end", pa.int64()), *_strings("text", "type", "kind", "chain")
]  # fmt: skip
_RELATION = _strings("type", "name", "profile", "evidence")


def view_of(kind: type[Noun], cells: dict[str, Any]) -> Noun:
    """A row as its table holds it, unchecked: whoever looks for what is wrong with a table has to see its rows."""
    row = object.__new__(kind)
    for name, value in cells.items():
        object.__setattr__(row, name, value)
    return row


class Frames:
    """A base of classes that convert to an Arrow table, and so to a data frame."""

    def to_arrow(self) -> pa.Table:
        raise NotImplementedError

    def to_pandas(self) -> Any:
        return require_pandas(self.to_arrow())


def require_pandas(table: pa.Table) -> Any:
    try:
        import_module("pandas")
    except ImportError as error:
        raise errors.needs_package("to_pandas()", "pandas") from error
    return table.to_pandas()


class Table(Frames, Generic[Row]):
    """An Arrow table of one noun: a sequence of typed rows for people, columns for programs."""

    row: type[Row]
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
        return view_of(self.row, cells)

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

    row, schema = Mention, pa.schema(_MENTION)


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

    row = Document
    schema = pa.schema(
        [
            *_strings("id"), ("text", pa.large_string()), *_strings("title", "language", "date", "source"),
            ("mentions", pa.list_(pa.struct(_MENTION))),
        ]
    )  # fmt: skip

    def _view(self, cells: dict[str, Any]) -> Document:
        if cells["mentions"] is not None:
            cells["mentions"] = tuple(view_of(Mention, mention) for mention in cells["mentions"])
        return super()._view(cells)


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

    row = Profile
    schema = pa.schema(
        [
            *_strings("id", "document", "name", "type"), ("context", pa.large_string()), *_strings("language"),
            ("attributes", pa.map_(pa.string(), pa.list_(pa.string()))), ("relations", pa.list_(pa.struct(_RELATION))),
        ]
    )  # fmt: skip

    def _view(self, cells: dict[str, Any]) -> Profile:
        cells["attributes"] = {key: list(values or []) for key, values in cells["attributes"] or []}
        cells["relations"] = tuple(Relation(**relation) for relation in cells["relations"] or [])
        return super()._view(cells)


def rows_of(table: pa.Table, ids: Sequence[str] | npt.NDArray[Any], column: str = "id") -> pa.Table:
    """The rows whose `column` holds one of the ids."""
    return table.filter(pc.is_in(table.column(column), value_set=pa.array(ids, pa.string())))
