"""`crossdoc corpus`: a published benchmark corpus as crossdoc's own documents and gold."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from crossdoc import errors
from crossdoc.cli.cluster import _format_of
from crossdoc.cli.common import ShownProgress, err, whole_file
from crossdoc.cli.export import write_rows
from crossdoc.read.corpora import CORPORA


def corpus(
    name: Annotated[str, typer.Argument(help=f"One of: {', '.join(CORPORA)}.")],
    folder: Annotated[Path, typer.Argument(help="Where the corpus lies.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="Documents as JSONL.")],
    gold: Annotated[Path | None, typer.Option(help="Gold as CSV, JSONL or Parquet.")] = None,
) -> None:
    """Turn a benchmark corpus into documents and gold that the other commands read.

    Example:  crossdoc corpus john-smith data/john_smith -o documents.jsonl --gold gold.csv
    """
    if name not in CORPORA:
        raise errors.unknown_choice("corpus", name, list(CORPORA))
    reader = CORPORA[name]
    gold_format = _format_of(gold)
    count = 0
    with ShownProgress() as progress, whole_file(output) as stream:
        progress.start("reading documents")
        for document in reader.documents(folder):
            record = {key: value for key, value in asdict(document).items() if value is not None}
            stream.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
            progress.advance()
            count += 1
    err.print(f"{count:,} documents in {output}")
    if gold is not None:
        with whole_file(gold) as stream:
            rows = write_rows(iter(reader.gold(folder).to_batches()), gold_format, stream)
        err.print(f"{rows:,} rows of gold in {gold}")
