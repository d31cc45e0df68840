"""Rows of JSONL, CSV and Parquet files as dictionaries, and the checks that list everything wrong with them at once."""

from __future__ import annotations

import csv
import io
import json
import lzma
import zlib
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from crossdoc import errors
from crossdoc.read.sources import Source

MOST_PROBLEMS = 1000
csv.field_size_limit(2**31 - 1)


class Problems:
    """Collects what is wrong with a file's records, to be said all at once."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.found: list[str] = []

    def add(self, line: int, what: str) -> None:
        if len(self.found) < MOST_PROBLEMS:
            self.found.append(f"{'row' if self.source.kind == 'parquet' else 'line'} {line:,}: {what}")

    def __bool__(self) -> bool:
        return bool(self.found)

    def raise_if_any(self) -> None:
        if self.found:
            raise errors.bad_records(self.source.path, self.found)


def rows(source: Source, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line or row number, record); what is not a record goes to `problems`."""
    try:
        if source.kind == "jsonl":
            yield from _jsonl(source, problems)
        elif source.kind == "csv":
            yield from _csv(source, problems)
        else:
            yield from _parquet(source)
    except (OSError, EOFError, lzma.LZMAError, zlib.error, pa.ArrowException, csv.Error) as error:
        raise errors.unreadable(source.path, str(error).splitlines()[0] if str(error) else "it ends early") from error


def _jsonl(source: Source, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    with source.open() as stream:
        for number, raw in enumerate(stream, 1):
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
    with source.open() as stream, io.TextIOWrapper(stream, "utf-8-sig", errors="strict", newline="") as lines:
        reader = csv.DictReader(lines)
        try:
            for record in reader:
                if None in record:
                    problems.add(reader.line_num, "more cells than the header has names")
                    continue
                yield reader.line_num, {key: value for key, value in record.items() if value not in (None, "")}
        except UnicodeDecodeError as error:
            problems.add(reader.line_num + 1, f"not UTF-8 ({error.reason} at byte {error.start})")


def _parquet(source: Source) -> Iterator[tuple[int, dict[str, Any]]]:
    with source.open() as stream:
        if source.path.suffix.lower() == ".parquet":
            file = pq.ParquetFile(source.path)
        else:
            file = pq.ParquetFile(pa.BufferReader(stream.read()))
        number = 0
        for batch in file.iter_batches(batch_size=4096):
            for record in batch.to_pylist():
                number += 1
                yield number, {key: value for key, value in record.items() if value is not None}


def as_text(record: dict[str, Any], name: str, problems: Problems, line: int, *, required: bool = False) -> str | None:
    """A field that has to be text; whole numbers and dates pass too."""
    value = record.get(name)
    if value is None:
        if required:
            problems.add(line, f"the field {name!r} is missing")
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    problems.add(line, f"the field {name!r} must be text, not {type(value).__name__}")
    return None
