"""`crossdoc judgements`: the log of what people and rules have said."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from crossdoc.cli.common import out, print_json

if TYPE_CHECKING:
    from crossdoc.store.judgement_log import Entry


def judgements(
    store: Annotated[Path, typer.Argument(metavar="OUT.crossdoc")],
    unmatched: Annotated[
        bool, typer.Option("--unmatched", help="Only entries whose profiles can no longer be found.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the judgements that are in force, with their numbers in the log.

    `crossdoc judge`, `merge`, `split` and `rename` add to the log; `crossdoc undo` undoes an entry.

    Example:  crossdoc judgements articles.crossdoc --unmatched
    """
    from crossdoc.store import Store

    if unmatched:
        with Store.open(store) as opened:
            lost = opened.located().unmatched
        if as_json:
            print_json([{"number": entry.number, "act": entry.act, "lost": missing} for entry, missing in lost])
            return
        for entry, missing in lost:
            out.print(
                f"{entry.number:>5}  {escape(str(entry))}; not found: {escape(', '.join(missing))}", soft_wrap=True
            )
        if not lost:
            out.print("All entries match their profiles.")
        return
    standing = Store.entries_of(store)
    if as_json:
        print_json([{"number": entry.number, "act": entry.act, **row} for entry in standing for row in _rows_of(entry)])
        return
    for entry in standing:
        force = ""
        if len(entry.judgements) == 1:
            force = ", hard" if entry.judgements[0].hard else f", soft {entry.judgements[0].weight:g}"
        reason = f": {entry.why}" if entry.why else ""
        out.print(f"{entry.number:>5}  {escape(str(entry))}{force}{escape(reason)}", soft_wrap=True)
    if not standing:
        out.print("No judgement is in force.")


def _rows_of(entry: Entry) -> list[dict[str, Any]]:
    if entry.act != "rename":
        return [asdict(judgement) for judgement in entry.judgements]
    return [{"a": entry.profile, "name": entry.name, "who": entry.who, "why": entry.why, "when": entry.when}]
