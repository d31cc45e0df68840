"""`crossdoc merge`: identities that are one."""

from __future__ import annotations

from typing import Annotated

import typer

from crossdoc.cli.judge import AsJson, Result, Who, Why, tell


def merge(
    store: Result,
    identities: Annotated[list[str], typer.Argument(metavar="ID ID…", help="Ids of identities.")],
    who: Who = "",
    why: Why = "",
    as_json: AsJson = False,
) -> None:
    """Merge identities into one; this takes effect at once.

    All their profiles are judged to be the same, in one entry of the log.

    Example:  crossdoc merge articles.crossdoc a1.txt:0:10 a7.txt:31:41 --who Ada
    """
    from crossdoc.resolution import Resolution

    with Resolution.open(store) as resolution:
        tell(resolution.merge(*identities, who=who, why=why), as_json)
