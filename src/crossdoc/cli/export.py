"""`crossdoc export`: the answer as CSV, JSONL or Parquet."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, BinaryIO

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import typer

from crossdoc import errors
from crossdoc.cli.common import err, whole_file
from crossdoc.store import Store

FORMATS = ("csv", "jsonl", "parquet")
LEVELS = ("profile", "mention")


def export(
    store: Annotated[Path, typer.Argument(metavar="OUT.crossdoc")],
    format: Annotated[str, typer.Option(help=f"One of: {', '.join(FORMATS)}.")] = "csv",
    level: Annotated[str, typer.Option(help="One row a profile or a mention (and identity).")] = "profile",
    hard: Annotated[bool, typer.Option("--hard", help="Only each profile's best identity.")] = False,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Default: standard output.")] = None,
) -> None:
    """Write who is who as a table: id, entity, membership, name, document.

    Example:  crossdoc export articles.crossdoc --format csv --level mention -o mentions.csv
    """
    if format not in FORMATS:
        raise errors.unknown_choice("format", format, FORMATS)
    if level not in LEVELS:
        raise errors.unknown_choice("level", level, LEVELS)
    if format == "parquet" and output is None and sys.stdout.isatty():
        raise errors.binary_to_terminal()
    with Store.open(store) as opened, whole_file(output) as stream:
        count = write_rows(opened.answer(level, hard=hard), format, stream)
    if output is not None:
        err.print(f"{count:,} rows in {output}")


def write_rows(batches: Iterator[pa.RecordBatch], format: str, stream: BinaryIO) -> int:
    """Write the batches as they come; returns the number of rows."""
    count = 0
    writer: pa_csv.CSVWriter | pq.ParquetWriter | None = None
    for batch in batches:
        count += batch.num_rows
        if format == "jsonl":
            for row in batch.to_pylist():
                stream.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
            continue
        if writer is None:
            make = pa_csv.CSVWriter if format == "csv" else pq.ParquetWriter
            writer = make(stream, batch.schema)
        writer.write_batch(batch)
    if writer is not None:
        writer.close()
    return count
