"""`crossdoc remove`: documents that a result is to go without."""

from __future__ import annotations

from typing import Annotated

import typer

from crossdoc.cli.judge import AsJson, Result, tell


def remove(
    store: Result,
    documents: Annotated[list[str], typer.Argument(metavar="DOCUMENT…", help="Ids of documents.")],
    as_json: AsJson = False,
) -> None:
    """Remove documents from a result. Identities that only these documents mention vanish.

    For a result that was made from profiles, give the ids of profiles.

    Example:  crossdoc remove articles.crossdoc a7.txt a9.txt
    """
    from crossdoc.resolution import Resolution

    with Resolution.open(store) as resolution:
        change = resolution.remove(*documents)
    tell(change, as_json, f"{change.removed:,} removed, {change.clustered:,} profiles clustered again.")
