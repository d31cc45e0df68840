"""`crossdoc rename`: what an identity is called."""

from __future__ import annotations

from typing import Annotated

import typer

from crossdoc.cli.judge import AsJson, Result, Who, Why, tell


def rename(
    store: Result,
    identity: Annotated[str, typer.Argument(metavar="ID", help="An identity's id.")],
    name: Annotated[str, typer.Argument(metavar="NAME", help="The new name.")],
    who: Who = "",
    why: Why = "",
    as_json: AsJson = False,
) -> None:
    """Give an identity another name.

    Example:  crossdoc rename articles.crossdoc a1.txt:0:10 "John F. Smith, Jr."
    """
    from crossdoc.resolution import Resolution

    with Resolution.open(store) as resolution:
        change = resolution.rename(identity, name, who=who, why=why)
    tell(change, as_json, f"Entry {change.entry} of the log.")
