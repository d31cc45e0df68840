"""Parts of the input that are read in parallel: rows of Parquet, lines of JSONL, some files of a folder.

The number of parts depends on the input only, since an answer may depend on it.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from crossdoc.read.sources import Source

TEXT_BYTES, TEXT_ROWS = 2_000_000, 200
"""Bytes and rows of documents in a part; reading them takes seconds."""
TABLE_BYTES, TABLE_ROWS = 32_000_000, 50_000
"""Bytes and rows of profiles in a part."""


@dataclass(frozen=True)
class Slice(Source):
    """Rows `first` to `last` of a Parquet file, or those bytes of a JSONL file."""

    first: int
    last: int

    def open(self) -> BinaryIO:
        with self.path.open("rb") as stream:
            stream.seek(self.first)
            return io.BytesIO(stream.read(self.last - self.first))

    def batches(self, most: int) -> Iterator[pa.RecordBatch]:
        """Yield batches of the rows; only row groups that contain some of them are read."""
        file = pq.ParquetFile(self.path)
        at = 0
        for group in range(file.num_row_groups):
            many = file.metadata.row_group(group).num_rows
            if self.first < at + many and at < self.last:
                for batch in file.iter_batches(most, row_groups=[group]):
                    some = batch.slice(max(0, self.first - at), max(0, self.last - max(at, self.first)))
                    if len(some) and self.first < at + len(batch):
                        yield some
                    at += len(batch)
            else:
                at += many


def parts_of(sources: Sequence[Source], profiles: bool) -> list[list[Source]]:
    """Return the sources in parts, in order; compressed tables and other formats are not cut.

    >>> folder = [Source(Path("/dev/null"), str(i), "text") for i in range(600)]
    >>> [len(part) for part in parts_of(folder, profiles=False)]
    [200, 200, 200]
    """
    parts: list[list[Source]] = []
    some: list[Source] = []
    size = 0
    for source in sources:
        if cut := list(_cut(source, profiles)):
            parts.extend([some] * bool(some) + [[each] for each in cut])
            some, size = [], 0
            continue
        some.append(source)
        size += os.stat(source.copy or source.path).st_size if source.kind != "memory" else TEXT_BYTES
        if size >= TEXT_BYTES or len(some) >= TEXT_ROWS:
            parts.append(some)
            some, size = [], 0
    return parts + [some] * bool(some)


def _cut(source: Source, profiles: bool) -> Iterator[Slice]:
    path = source.path
    if source.copy is not None:
        return
    kept: dict[str, Any] = {"columns": source.columns, "prefix": source.prefix}
    if source.kind == "parquet" and path.suffix.lower() == ".parquet":
        rows, most = pq.ParquetFile(path).metadata.num_rows, TABLE_ROWS if profiles else TEXT_ROWS
        for first in range(0, rows, most):
            yield Slice(path, source.id, source.kind, first, min(first + most, rows), before=first, **kept)
    elif source.kind == "jsonl" and path.suffix.lower() in (".jsonl", ".ndjson"):
        for (first, before), (last, _) in pairwise(_line_starts(path, TABLE_BYTES if profiles else TEXT_BYTES)):
            yield Slice(path, source.id, source.kind, first, last, before=before, **kept)


def _line_starts(path: Path, most: int) -> list[tuple[int, int]]:
    """Return offsets of line starts, about `most` bytes apart, and of the end, each with the lines before it."""
    size, lines = path.stat().st_size, 0
    bounds = [(0, 0)]
    with path.open("rb") as stream:
        for place in range(most, size, most):
            if (wanted := place - stream.tell()) > 0:
                lines += (stream.read(wanted - 1) + stream.readline()).count(b"\n")
                if stream.tell() < size:
                    bounds.append((stream.tell(), lines))
    return [*bounds, (size, lines)]
