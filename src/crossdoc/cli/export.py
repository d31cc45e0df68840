"""`crossdoc export`: the answer as CSV, JSONL or Parquet; and how every command writes an answer, or any table."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, BinaryIO

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import typer
from rich.markup import escape

from crossdoc import errors
from crossdoc.cli.common import check_outputs, err
from crossdoc.files import whole_file
from crossdoc.store import Store
from crossdoc.store.schema import LEVELS

FORMATS = ("csv", "jsonl", "parquet")
AnswerFile = Annotated[
    Path | None,
    typer.Option("-o", "--output", help="CSV, JSONL or Parquet by its ending (default: CSV to standard output)."),
]
Soft = Annotated[bool, typer.Option("--soft", help="All memberships, not only the strongest of each id.")]
Summary = Annotated[
    bool, typer.Option("--json", help="Print a summary as JSON; the table is then written only with -o.")
]


def export(
    store: Annotated[Path, typer.Argument(metavar="OUT.crossdoc")],
    format: Annotated[
        str | None, typer.Option(help=f"One of: {', '.join(FORMATS)} (default: as the ending of -o says).")
    ] = None,
    level: Annotated[str, typer.Option(help="One row a profile or a mention.")] = "profile",
    soft: Soft = False,
    find: Annotated[str | None, typer.Option(help="Only identities with this in a name, or of this id.")] = None,
    output: AnswerFile = None,
) -> None:
    """Write who is who as a table: id, entity, membership, name, document.

    Example:  crossdoc export articles.crossdoc --level mention -o mentions.csv
    """
    if format is not None and format not in FORMATS:
        raise errors.unknown_choice("format", format, FORMATS)
    if level not in LEVELS:
        raise errors.unknown_choice("level", level, list(LEVELS))
    check_outputs([output], [store])
    chosen = format or format_of(output)
    if chosen == "parquet" and output is None and sys.stdout.isatty():
        raise errors.binary_to_terminal()
    with Store.open(store) as opened, whole_file(output) as stream:
        entities = None if find is None else [identity.id for identity in opened.identities(find)]
        if entities == []:
            raise errors.not_found(find or "", store)
        count = write_rows(opened.answer(level, soft=soft, entities=entities), LEVELS[level], chosen, stream)
    if output is not None:
        err.print(f"{count:,} rows in {escape(str(output))}", soft_wrap=True)


def write_answer(table: pa.Table, output: Path | None, as_json: bool = False) -> None:
    """Write an answer to its file, or to standard output unless the summary goes there (`as_json`)."""
    if output is not None or not as_json:
        write_table(table, output)


def write_table(table: pa.Table, output: Path | None) -> int:
    """Write a table in the format that the output's ending asks for; returns the number of rows."""
    with whole_file(output) as stream:
        return write_rows(table.to_batches(), table.schema, format_of(output), stream)


def write_rows(batches: Iterable[pa.RecordBatch], schema: pa.Schema, format: str, stream: BinaryIO) -> int:
    """Write the batches as they come, and a header even if none comes; returns the number of rows."""
    count = 0
    if format == "jsonl":
        for batch in batches:
            for row in batch.to_pylist():
                stream.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
            count += batch.num_rows
        return count
    make = pa_csv.CSVWriter if format == "csv" else pq.ParquetWriter
    with make(stream, schema) as writer:
        for batch in batches:
            writer.write_batch(batch.cast(schema))
            count += batch.num_rows
    return count


def format_of(output: Path | None) -> str:
    """The format that an output's ending asks for; standard output gets CSV."""
    if output is None:
        return "csv"
    ending = output.suffix.removeprefix(".").lower()
    if ending not in FORMATS:
        raise errors.unknown_choice("output format", output.name, [f"NAME.{name}" for name in FORMATS])
    return ending
