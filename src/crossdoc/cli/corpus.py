"""`crossdoc corpus`: a published benchmark corpus as crossdoc's own documents or profiles, and gold."""

from __future__ import annotations

import json
from dataclasses import asdict
from inspect import signature
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from crossdoc import errors
from crossdoc.cli.common import ShownProgress, check_outputs, err
from crossdoc.cli.export import format_of, write_table
from crossdoc.files import whole_file
from crossdoc.read.corpora import CORPORA


def corpus(
    name: Annotated[str, typer.Argument(help=f"One of: {', '.join(CORPORA)}.")],
    folder: Annotated[Path, typer.Argument(help="Where the corpus lies: a folder or a file.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="Documents (or profiles) as JSONL.")],
    gold: Annotated[Path | None, typer.Option(help="Gold as CSV, JSONL or Parquet.")] = None,
    person: Annotated[
        str | None, typer.Option("--name", help="Of a corpus of profiles: only this name's, one a document.")
    ] = None,
) -> None:
    """Turn a benchmark corpus into documents (or profiles) and gold that the other commands read.

    Example:  crossdoc corpus john-smith data/john_smith -o documents.jsonl --gold gold.csv
    """
    if name not in CORPORA:
        raise errors.unknown_choice("corpus", name, list(CORPORA))
    reader = CORPORA[name]
    if format_of(output) != "jsonl":
        raise errors.unknown_choice("output format", output.name, ["NAME.jsonl"])
    format_of(gold)
    check_outputs([output, gold], [folder])
    if gold is not None and not hasattr(reader, "gold"):
        raise errors.no_gold(name)
    what = "profiles" if hasattr(reader, "profiles") else "documents"
    if person is not None and (what == "documents" or "name" not in signature(reader.profiles).parameters):
        raise errors.name_needs_profiles(name)
    # Gold is of the profiles that are written, so it has to know the name too.
    asked = {} if person is None else {"name": person}
    count = 0
    with ShownProgress() as progress, whole_file(output) as stream:
        progress.start(f"reading {what}")
        for row in getattr(reader, what)(folder, **asked):
            record = {key: value for key, value in asdict(row).items() if value is not None}
            stream.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
            progress.advance()
            count += 1
    err.print(f"{count:,} {what} in {escape(str(output))}", soft_wrap=True)
    if gold is not None:
        rows = write_table(reader.gold(folder, **asked), gold)
        err.print(f"{rows:,} rows of gold in {escape(str(gold))}", soft_wrap=True)
