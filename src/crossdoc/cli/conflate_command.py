"""`crossdoc conflate`: labelled data of several names that become one."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Annotated

from rich.markup import escape

from crossdoc import errors
from crossdoc.cli import ui
from crossdoc.files import whole_file

CONTEXT_WORDS = 25


def conflate(
    documents: Annotated[Path, ui.argument("A folder or a file of documents.", "DOCS")],
    output: Annotated[Path, ui.output_option("Contexts as JSONL, for `crossdoc contexts`.")],
    names: Annotated[list[str], ui.option('Names to conflate: "A" "B" …, each with its variants, as in "A|A. Smith".')],
    further: Annotated[list[str] | None, ui.argument("", hidden=True)] = None,
    gold: Annotated[Path | None, ui.option("Also write which name each was (id, entity), to score against.")] = None,
    pseudonym: Annotated[str | None, ui.option("Text that replaces the names.", "--as")] = None,
    words: Annotated[
        int, ui.option("Words of context on each side; 0 keeps the whole document.", min=0)
    ] = CONTEXT_WORDS,
    once: Annotated[bool, ui.option("Use only the first mention in each document.", "--once")] = False,
    force: ui.Force = False,
) -> None:
    """Turn several names into one ambiguous name, to test whether clustering separates them again.

    Example:  crossdoc conflate articles/ --names "Sonia Gandhi" "Leonid Kuchma" -o contexts.jsonl --gold gold.csv
    """
    import pyarrow as pa

    from crossdoc.read import DocumentReader, find_sources
    from crossdoc.read.conflation import Conflation
    from crossdoc.read.context_files import Context

    if ui.format_of(output) != "jsonl":
        raise errors.unknown_choice("output format", output.name, ["NAME.jsonl"])
    ui.format_of(gold)
    ui.check_outputs([output, gold], [documents], force=force)
    conflation = Conflation([*names, *(further or [])], pseudonym=pseudonym, words=words or None, once=once)
    found: list[Context] = []
    with ui.ShownProgress() as progress:
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
    ui.status(f"{len(found):,} contexts in {escape(str(output))}: {escape(listed)}")
    if gold is not None:
        table = pa.table({"id": [context.id for context in found], "entity": [context.sense for context in found]})
        ui.status(f"{ui.write_table(table, gold):,} rows of gold in {escape(str(gold))}")
