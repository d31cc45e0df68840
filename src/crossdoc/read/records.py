"""Rows of JSONL, CSV and Parquet files as dictionaries, and the checks that list everything wrong with them at once.

Input in memory: Documents, Profiles, records, and Arrow, pandas or polars tables.
"""

from __future__ import annotations

import csv
import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

import pyarrow as pa

from crossdoc import errors
from crossdoc.model import Document, Documents, Profile, Profiles, Table
from crossdoc.read.clean_text import printable
from crossdoc.read.sources import (
    TABLE_KINDS,
    Source,
    Sources,
    check_file,
    ending_of,
    find_sources,
    kind_of,
    reading,
)

Input = Any
"""A path, a table (Arrow, pandas, polars, `Documents`, `Profiles`), or an iterable of `Document`s, `Profile`s or
records."""


@dataclass(frozen=True)
class TableSource(Source):
    """A table in memory in place of a file."""

    table: pa.Table

    def batches(self, most: int) -> Iterator[pa.RecordBatch]:
        yield from self.table.to_batches(max_chunksize=most)

    def stamp(self) -> tuple[Any, ...]:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, self.table.schema) as writer:
            writer.write_table(self.table)
        return (hashlib.sha256(sink.getvalue()).hexdigest(),)


def sources_of(inputs: Iterable[Input], columns: Iterable[str] = ()) -> Sources:
    """Return the sources of paths and of objects in memory; `columns` (FIELD=COLUMN) map the columns of tables."""
    renamed = tuple((each.partition("=")[2].strip(), each.partition("=")[0].strip()) for each in columns)
    sources = Sources()
    for number, given in enumerate(inputs, 1):
        if isinstance(given, str | os.PathLike):
            sources.include(find_sources([given]))
        else:
            name = f"input {number}"
            sources.append(TableSource(Path(name), name, "memory", table_in_memory(given)))
    prefix = _prefixes([source.path for source in sources])
    if renamed or prefix:
        sources[:] = [replace(source, columns=renamed, prefix=prefix.get(source.path, "")) for source in sources]
    return sources


def _prefixes(paths: Iterable[Path]) -> dict[Path, str]:
    """Return, for files of one name, as much of each path as distinguishes them.

    >>> _prefixes([Path("x/a.csv"), Path("y/a.csv"), Path("y/b.csv")])
    {PosixPath('x/a.csv'): 'x/a.csv', PosixPath('y/a.csv'): 'y/a.csv'}
    """
    by_stem: dict[str, dict[Path, None]] = {}
    for path in paths:
        by_stem.setdefault(path.stem, {})[path] = None
    found: dict[Path, str] = {}
    for same in by_stem.values():
        depth = 1
        while len({path.parts[-depth:] for path in same}) < len(same):
            depth += 1
        found |= {path: "/".join(path.parts[-depth:]) for path in same} if len(same) > 1 else {}
    return found


def table_in_memory(given: Any) -> pa.Table:
    """Return any accepted table, columns by name, or records as Arrow."""
    if isinstance(given, Table):
        return given.arrow
    if isinstance(given, Document | Profile):
        given = [given]
    is_table = isinstance(given, Mapping) or hasattr(given, "__arrow_c_stream__") or hasattr(given, "columns")
    if isinstance(given, Iterable) and not is_table:
        return _table_of_rows(list(given))
    try:
        if isinstance(given, Mapping):
            given = {str(name): list(values) for name, values in given.items()}
        return pa.table(given)
    except (TypeError, ValueError, pa.ArrowException) as error:
        raise errors.not_an_input(type(given).__name__, str(error).splitlines()[0]) from error


def _table_of_rows(rows: list[Any]) -> pa.Table:
    kinds = {type(row) for row in rows}
    if kinds == {Document}:
        return Documents.of(rows).arrow
    if kinds == {Profile}:
        return Profiles.of(rows).arrow
    if kinds == {dict}:
        # Arrow takes the columns from the first record.
        columns = dict.fromkeys(column for row in rows for column in row)
        try:
            return pa.Table.from_pylist([{**columns, **rows[0]}, *rows[1:]])
        except pa.ArrowException as error:
            raise errors.not_an_input("list of records", str(error).splitlines()[0]) from error
    listed = ", ".join(sorted(kind.__name__ for kind in kinds)) or "nothing"
    raise errors.not_an_input(f"list of {listed}", "it must hold Documents, Profiles or records, all of one kind")


MOST_PROBLEMS = 1000
TABLE_ENDINGS = (".csv", ".jsonl", ".parquet")
MOST_LINE_BYTES = 1 << 29
"""Bytes of one line, or of a JSON file. The longest document, escaped, is a quarter of it."""
SEPARATORS = ",;\t|"
csv.field_size_limit(2**31 - 1)


class HasId(Protocol):
    @property
    def id(self) -> str: ...


Made = TypeVar("Made", bound=HasId)


@dataclass
class RowNotes:
    """Notes about the rows of all tables of a run."""

    other_types: Counter[str] = field(default_factory=Counter)
    """Rows or mentions of other types, which are left out, by type."""
    numbered: int = 0
    """Rows without an id, which were given one."""
    example: str = ""

    def number(self, id: str, rows: int = 1) -> None:
        self.numbered += rows
        self.example = self.example or id

    @property
    def lines(self) -> list[str]:
        notes = []
        if self.numbered:
            have = "row has" if self.numbered == 1 else "rows have"
            notes.append(f"{self.numbered:,} {have} no id; ids were made from file and row, as {self.example!r}")
        return [*notes, self.left_out] if self.other_types else notes

    @property
    def left_out(self) -> str:
        """Note on the types that were left out, with their counts."""
        many = self.other_types.total()
        were = "row of another type was" if many == 1 else "rows of other types were"
        most_first = sorted(self.other_types.items(), key=lambda each: (-each[1], each[0]))
        listed = ", ".join(f"{type!r} ({count:,})" for type, count in most_first)
        return f"{many:,} {were} left out (crossdoc resolves person, organisation and place): {listed}"

    @classmethod
    def union(cls, parts: Iterable[RowNotes]) -> RowNotes:
        every = list(parts)
        types = sum((each.other_types for each in every), Counter[str]())
        return cls(types, sum(each.numbered for each in every), next((e.example for e in every if e.example), ""))


class Problems:
    """Collects the faults of a file's records, to report them together."""

    def __init__(self, source: Source, notes: RowNotes | None = None) -> None:
        self.source = source
        self.found: list[str] = []
        self.count = 0
        self.notes = notes or RowNotes()

    def add(self, line: int, what: str) -> None:
        self.count += 1
        if len(self.found) < MOST_PROBLEMS:
            where = {"parquet": "row", "memory": "row", "json": "record"}.get(self.source.kind, "line")
            self.found.append(f"{where} {line:,}: {what}")

    def __bool__(self) -> bool:
        return bool(self.found)

    def raise_if_any(self) -> None:
        if self.found:
            raise errors.bad_records(self.source.path, self.found)


class UniqueIds:
    """Checks that ids are unique over all sources; repeated ones are reported together."""

    def __init__(self) -> None:
        self.seen: set[str] = set()
        self.repeated: dict[str, Source] = {}

    def add(self, id: str, source: Source) -> None:
        if id in self.seen:
            self.repeated.setdefault(id, source)
        self.seen.add(id)

    def raise_if_repeated(self) -> None:
        if self.repeated:
            raise errors.duplicate_ids(next(iter(self.repeated.values())).path, list(self.repeated))


def rows(source: Source, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield line or row number and record; lines that are no record are added to `problems`."""
    names = dict(source.columns)
    for line, record in _rows(source, problems):
        yield line, {names.get(column, column): value for column, value in record.items()} if names else record


def check_columns(source: Source, record: dict[str, Any], wanted: Sequence[str]) -> None:
    """Refuse a CSV whose first record has none of the wanted columns."""
    if source.kind == "csv" and not any(name in record for name in wanted):
        raise errors.other_columns(source.path, wanted, separator(source), list(record))


def _rows(source: Source, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    with reading(source.path, UnicodeDecodeError):
        if source.kind == "jsonl":
            yield from _jsonl(source, problems)
        elif source.kind == "json":
            yield from _json(source, problems)
        elif source.kind == "csv":
            yield from _csv(source, problems)
        else:
            records = (record for batch in source.batches(4096) for record in batch.to_pylist())
            for number, record in enumerate(records, 1 + source.before):
                yield number, {key: value for key, value in record.items() if value is not None}


def _jsonl(source: Source, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    with source.open() as stream:
        for number, raw in enumerate(iter(lambda: stream.readline(MOST_LINE_BYTES), b""), 1 + source.before):
            if number == 1:
                raw = raw.removeprefix(b"\xef\xbb\xbf")
            if not raw.strip():
                continue
            try:
                yield from _objects([json.loads(raw)], problems, number)
            except UnicodeDecodeError as error:
                problems.add(number, f"not UTF-8 ({error.reason} at byte {error.start})")
            except (ValueError, RecursionError) as error:
                problems.add(number, f"not valid JSON ({error})")


def _objects(records: Iterable[Any], problems: Problems, first: int) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield number and record of those that are objects."""
    for number, record in enumerate(records, first):
        if isinstance(record, dict):
            yield number, record
        else:
            problems.add(number, f"a JSON object was expected, not {type(record).__name__}")


def _json(source: Source, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the records of a list, one record, or an object with one list of them, as in {"documents": […]}."""
    with source.open() as stream:
        content = stream.read(MOST_LINE_BYTES + 1)
    if len(content) > MOST_LINE_BYTES:
        raise errors.unreadable(
            source.path, f"it holds more than {MOST_LINE_BYTES >> 20} MB and is one piece; use JSONL"
        )
    try:
        records = json.loads(content.removeprefix(b"\xef\xbb\xbf"))
    except UnicodeDecodeError as error:
        problems.add(1, f"not UTF-8 ({error.reason} at byte {error.start})")
        return
    except (ValueError, RecursionError) as error:
        if str(error).startswith("Extra data"):
            yield from _jsonl(source, problems)
        else:
            problems.add(1, f"not valid JSON ({error})")
        return
    if isinstance(records, dict):
        lists = [
            value for value in records.values() if isinstance(value, list) and value and isinstance(value[0], dict)
        ]
        records = lists[0] if len(lists) == 1 and not records.keys() & {"id", "text", "name"} else [records]
    if not isinstance(records, list):
        problems.add(1, f"a list of JSON objects was expected, not {type(records).__name__}")
        return
    yield from _objects(records, problems, 1)


def _csv(source: Source, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    lines = csv_lines(source, problems)
    header = [name.strip() for name in next(lines, (0, []))[1]]
    if twice := repeated_columns(header):
        raise errors.bad_records(source.path, twice)
    for line, cells in lines:
        if len(cells) > len(header):
            problems.add(line, "more cells than the header has names")
        else:
            yield line, dict(zip(header, cells, strict=False))


def repeated_columns(header: Sequence[str]) -> list[str]:
    """Return a message for each column name that occurs twice."""
    counted = Counter(header)
    return [f"{count} columns are called {name!r}" for name, count in counted.items() if count > 1]


def separator(source: Source) -> str:
    """Return the separator of a table: a tab in .tsv, else the one that makes most cells of the first line.

    A comma wins ties.
    """
    if ending_of(source.path) == ".tsv":
        return "\t"
    with source.open() as stream:
        first = stream.readline(1 << 20).decode("utf-8-sig", errors="replace")
    plain = re.sub(r'"[^"]*"', "", first)
    return max(SEPARATORS, key=plain.count)


def csv_lines(source: Source, problems: Problems) -> Iterator[tuple[int, list[str]]]:
    """Yield line number and cells of the rows that are not empty, with the header."""
    delimiter = separator(source)
    with source.open() as stream:
        # Line by line, so that a byte that is not UTF-8 is reported with its line.
        lines = iter(lambda: stream.readline(MOST_LINE_BYTES), b"")
        decoded = (raw.decode("utf-8-sig" if number == 0 else "utf-8") for number, raw in enumerate(lines))
        reader = csv.reader(decoded, strict=True, delimiter=delimiter)
        try:
            for cells in reader:
                if cells:
                    yield reader.line_num, cells
        except UnicodeDecodeError as error:
            problems.add(reader.line_num + 1, f"not UTF-8 ({error.reason} at byte {error.start})")
        except csv.Error as error:
            problems.add(reader.line_num, f"not valid CSV ({error})")


NUMERIC_FIELDS = frozenset({"id", "document", "profile", "chain", "date", "a", "b", "entity", "group"})


class Record:
    """A row of a table, or an object within one; faults of its fields are added to the problems of the file."""

    def __init__(self, fields: Mapping[str, Any], problems: Problems, line: int, part: str = "") -> None:
        self.fields, self.problems, self.line, self.part = fields, problems, line, part
        self._before = problems.count

    @property
    def sound(self) -> bool:
        """Whether no fault was found since the record was made."""
        return self.problems.count == self._before

    def fault(self, what: str) -> None:
        self.problems.add(self.line, self.part + what)

    def text(self, name: str, *, required: bool = False, empty: bool = False) -> str | None:
        """Return a text field; ids and dates may be numbers too. An empty one is None unless `empty` allows it."""
        value = self.fields.get(name)
        if value is None or (not empty and isinstance(value, str) and not value.strip()):
            if required:
                self.fault(f"the field {name!r} is {'missing' if value is None else 'empty'}")
            return None
        if isinstance(value, str):
            return printable(value)
        if name in NUMERIC_FIELDS and isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if hasattr(value, "isoformat"):
            return str(value.isoformat())
        self.fault(f"the field {name!r} must be text, not {type(value).__name__}")
        return None

    def texts(self, *names: str) -> tuple[str | None, ...]:
        return tuple(self.text(name) for name in names)

    def span(self, text: str | None) -> tuple[int, int] | None:
        """Return `start` and `end`, a place in the text, if one is given; None for a record without them."""
        start, end = (self.fields.get(name) for name in ("start", "end"))
        if start in (None, "") or end in (None, ""):
            return None
        try:
            # Cells of a table may be text; objects within a row have numbers.
            if self.part and not all(isinstance(at, int) for at in (start, end)):
                raise TypeError
            span = _whole_number(start), _whole_number(end)
        except (TypeError, ValueError, OverflowError):
            self.fault(f"'start' and 'end' must be whole numbers, not {start!r} and {end!r}")
            return None
        if 0 <= span[0] < span[1] and (text is None or span[1] <= len(text)):
            return span
        self.fault(f"{span[0]}–{span[1]} does not lie within the text of {len(text or ''):,} characters")
        return None


def _whole_number(value: Any) -> int:
    if isinstance(value, bool) or int(value) != float(value):
        raise ValueError
    return int(value)


def table_source(path: str | Path) -> Source:
    path = Path(path)
    check_file(path)
    kind = kind_of(path)
    if kind not in TABLE_KINDS:
        raise errors.unknown_format(path, TABLE_ENDINGS)
    return Source(path, printable(path.name), kind)


def read_records(
    path: str | Path, make: Callable[[Record], Made | None], what: str, required: Sequence[str] = ()
) -> list[Made]:
    """Return what `make` makes of each row, with unique ids; the faults of all rows are reported together.

    A CSV must have the `required` columns. `what` names the records in the error that there are none.
    """
    source = table_source(path)
    problems, found, ids = Problems(source), list[Made](), UniqueIds()
    for line, fields in rows(source, problems):
        missing = [name for name in required if name not in fields]
        if source.kind == "csv" and missing and not found and not problems:
            raise errors.bad_records(source.path, missing_columns(missing, list(fields)))
        made = make(Record(fields, problems, line))
        if made is not None:
            ids.add(made.id, source)
            found.append(made)
    problems.raise_if_any()
    ids.raise_if_repeated()
    if not found:
        raise errors.no_records(source.path, what)
    return found


def missing_columns(missing: Sequence[str], found: Sequence[str]) -> list[str]:
    return [f"the column {name!r} is missing (there are: {', '.join(found) or 'none'})" for name in missing]
