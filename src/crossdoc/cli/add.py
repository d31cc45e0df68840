"""`crossdoc add`: more documents for a result."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crossdoc.cli.common import ShownProgress
from crossdoc.cli.judge import AsJson, Result, tell


def add(
    store: Result,
    inputs: Annotated[list[Path], typer.Argument(metavar="MORE…", help="Folders or files, as for `resolve`.")],
    extractor: Annotated[
        str | None,
        typer.Option(metavar="NAME:TEXT", help="The extractor of the run, if it was given more than its name."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Add documents to a result: only new ones are read, and only the identities they affect are clustered again.

    A document whose text has changed is replaced; one with the same text is skipped. The settings and the method are
    those of the run that made the result.

    Example:  crossdoc add articles.crossdoc this-week/
    """
    from crossdoc.resolution import Resolution

    with Resolution.open(store) as resolution:
        with ShownProgress(quiet=True) as progress:
            change = resolution.add(*inputs, progress=progress, extractor=extractor)
        done = f"{change.added:,} added, {change.replaced:,} replaced, {change.clustered:,} profiles clustered again."
        tell(change, as_json, done)
