"""Rows of JSONL, CSV and Parquet files as dictionaries, and the checks that list everything wrong with them at once."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from crossdoc import errors
from crossdoc.read.memory import TableSource
from crossdoc.read.slices import Slice
from crossdoc.read.sources import READ_ERRORS, Source, reason
from crossdoc.read.text import printable

MOST_PROBLEMS = 1000
csv.field_size_limit(2**31 - 1)


class Problems:
    """Collects what is wrong with a file's records, to be said all at once."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.found: list[str] = []

    def add(self, line: int, what: str) -> None:
        if len(self.found) < MOST_PROBLEMS:
            self.found.append(f"{'row' if self.source.kind in ('parquet', 'memory') else 'line'} {line:,}: {what}")

    def __bool__(self) -> bool:
        return bool(self.found)

    def raise_if_any(self) -> None:
        if self.found:
            raise errors.bad_records(self.source.path, self.found)


class UniqueIds:
    """Checks that no id comes twice, over all sources; the repeated ones are said all at once."""

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
    """(line or row number, record); what is not a record goes to `problems`."""
    try:
        if source.kind == "jsonl":
            yield from _jsonl(source, problems)
        elif source.kind == "csv":
            yield from _csv(source, problems)
        elif isinstance(source, TableSource):
            yield from _numbered(source.table.to_batches(max_chunksize=4096))
        else:
            yield from _parquet(source)
    except READ_ERRORS as error:
        raise errors.unreadable(source.path, reason(error)) from error


def _jsonl(source: Source, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    with source.open() as stream:
        for number, raw in enumerate(stream, 1 + (source.before if isinstance(source, Slice) else 0)):
            if number == 1:
                raw = raw.removeprefix(b"\xef\xbb\xbf")
            if not raw.strip():
                continue
            try:
                record = json.loads(raw)
            except UnicodeDecodeError as error:
                problems.add(number, f"not UTF-8 ({error.reason} at byte {error.start})")
            except (ValueError, RecursionError) as error:
                problems.add(number, f"not valid JSON ({error})")
            else:
                if isinstance(record, dict):
                    yield number, record
                else:
                    problems.add(number, f"a JSON object was expected, not {type(record).__name__}")


def _csv(source: Source, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    lines = csv_lines(source, problems)
    header = [name.strip() for name in next(lines, (0, []))[1]]
    for line, cells in lines:
        if len(cells) > len(header):
            problems.add(line, "more cells than the header has names")
        else:
            yield line, dict(zip(header, cells, strict=False))


def csv_lines(source: Source, problems: Problems) -> Iterator[tuple[int, list[str]]]:
    """(line number, cells) of the rows that are not empty, the header among them."""
    with source.open() as stream:
        # Line by line, so that a byte that is not UTF-8 is reported with the line it stands in.
        decoded = (raw.decode("utf-8-sig" if number == 0 else "utf-8") for number, raw in enumerate(stream))
        reader = csv.reader(decoded, strict=True)
        try:
            for cells in reader:
                if cells:
                    yield reader.line_num, cells
        except UnicodeDecodeError as error:
            problems.add(reader.line_num + 1, f"not UTF-8 ({error.reason} at byte {error.start})")
        except csv.Error as error:
            problems.add(reader.line_num, f"not valid CSV ({error})")


def _parquet(source: Source) -> Iterator[tuple[int, dict[str, Any]]]:
    if isinstance(source, Slice):
        yield from _numbered(source.batches(), source.before)
        return
    with source.open() as stream:
        if source.path.suffix.lower() == ".parquet":
            file = pq.ParquetFile(source.path)
        else:
            file = pq.ParquetFile(pa.BufferReader(stream.read()))
        yield from _numbered(file.iter_batches(batch_size=4096))


def _numbered(batches: Iterable[pa.RecordBatch], number: int = 0) -> Iterator[tuple[int, dict[str, Any]]]:
    for batch in batches:
        for record in batch.to_pylist():
            number += 1
            yield number, {key: value for key, value in record.items() if value is not None}


NUMBERS_PASS = frozenset({"id", "document", "profile", "chain", "date", "a", "b", "entity", "group"})


def as_text(
    record: dict[str, Any], name: str, problems: Problems, line: int, *, required: bool = False, empty: bool = False
) -> str | None:
    """A field that has to be text; ids and dates may be numbers too. An empty one is none, unless it may be `empty`."""
    value = record.get(name)
    if value is None or (not empty and isinstance(value, str) and not value.strip()):
        if required:
            problems.add(line, f"the field {name!r} is {'missing' if value is None else 'empty'}")
        return None
    if isinstance(value, str):
        return printable(value)
    if name in NUMBERS_PASS and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    problems.add(line, f"the field {name!r} must be text, not {type(value).__name__}")
    return None
