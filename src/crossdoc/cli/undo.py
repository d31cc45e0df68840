"""`crossdoc undo`: an entry of the log that no longer holds."""

from __future__ import annotations

from typing import Annotated

import typer

from crossdoc.cli.judge import AsJson, Result, Who, Why, tell


def undo(
    store: Result,
    entry: Annotated[
        int | None, typer.Argument(metavar="[ENTRY]", help="Number of the entry (default: the last one).")
    ] = None,
    who: Who = "",
    why: Why = "",
    as_json: AsJson = False,
) -> None:
    """Undo a judgement, merge, split or rename; this takes effect at once.

    Nothing is ever deleted from the log: undoing adds an entry.

    Example:  crossdoc undo articles.crossdoc 3 --why "wrong photograph"
    """
    from crossdoc.resolution import Resolution

    with Resolution.open(store) as resolution:
        change = resolution.undo(entry, who=who, why=why)
    tell(change, as_json, f"Entry {change.entry} of the log no longer holds.")
