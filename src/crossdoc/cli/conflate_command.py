"""`crossdoc conflate`: labelled data of several names that become one."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from crossdoc import errors
from crossdoc.cli.common import (
    CONTEXT_WORDS,
    Force,
    ShownProgress,
    check_outputs,
    err,
)
from crossdoc.cli.export_command import format_of, write_table
from crossdoc.files import whole_file


def conflate(
    documents: Annotated[Path, typer.Argument(metavar="DOCS", help="A folder or a file of documents.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="Contexts as JSONL, for `crossdoc contexts`.")],
    names: Annotated[
        list[str], typer.Option(help='Names to conflate: "A" "B" …, each with its variants, as in "A|A. Smith".')
    ],
    further: Annotated[list[str] | None, typer.Argument(hidden=True)] = None,
    gold: Annotated[
        Path | None, typer.Option(help="Also write which name each was (id, entity), for `crossdoc score`.")
    ] = None,
    pseudonym: Annotated[str | None, typer.Option("--as", help="Text that replaces the names.")] = None,
    words: Annotated[
        int, typer.Option(min=0, help="Words of context on each side; 0 keeps the whole document.")
    ] = CONTEXT_WORDS,
    once: Annotated[bool, typer.Option("--once", help="Use only the first mention in each document.")] = False,
    force: Force = False,
) -> None:
    """Turn several names into one ambiguous name, to test whether clustering separates them again.

    Example:  crossdoc conflate articles/ --names "Sonia Gandhi" "Leonid Kuchma" -o contexts.jsonl --gold gold.csv
    """
    import pyarrow as pa

    from crossdoc.read import DocumentReader, find_sources
    from crossdoc.read.conflation import Conflation
    from crossdoc.read.context_files import Context

    if format_of(output) != "jsonl":
        raise errors.unknown_choice("output format", output.name, ["NAME.jsonl"])
    format_of(gold)
    check_outputs([output, gold], [documents], force=force)
    conflation = Conflation([*names, *(further or [])], pseudonym=pseudonym, words=words or None, once=once)
    found: list[Context] = []
    with ShownProgress() as progress:
        progress.start("reading documents")
        for batch in DocumentReader(find_sources([documents])):
            found.extend(conflation.contexts(batch))
            progress.advance(len(batch))
    counts = Counter(context.sense for context in found)
    if missing := [name for name in conflation.names if not counts[name]]:
        raise errors.names_not_found(missing)
    with whole_file(output) as stream:
        for context in found:
            record = {"id": context.id, "text": context.text, "start": context.start, "end": context.end}
            stream.write(json.dumps({**record, "sense": context.sense}, ensure_ascii=False).encode() + b"\n")
    listed = ", ".join(f"{name} {counts[name]:,}" for name in conflation.names)
    err.print(f"{len(found):,} contexts in {escape(str(output))}: {escape(listed)}", soft_wrap=True)
    if gold is not None:
        table = pa.table({"id": [context.id for context in found], "entity": [context.sense for context in found]})
        err.print(f"{write_table(table, gold):,} rows of gold in {escape(str(gold))}", soft_wrap=True)
