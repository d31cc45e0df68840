"""`crossdoc split`: profiles of an identity that are somebody else."""

from __future__ import annotations

from typing import Annotated

import typer

from crossdoc.cli.judge import AsJson, Result, Who, Why, tell


def split(
    store: Result,
    identity: Annotated[str, typer.Argument(metavar="ID", help="An identity's id.")],
    profiles: Annotated[list[str], typer.Argument(metavar="PROFILE…", help="Ids of some of its profiles.")],
    who: Who = "",
    why: Why = "",
    as_json: AsJson = False,
) -> None:
    """Split some profiles of an identity off into one of their own; this takes effect at once.

    They are judged to be the same as each other and different from the rest, in one entry of the log.

    Example:  crossdoc split articles.crossdoc a1.txt:0:10 a7.txt:31:41 a9.txt:5:15 --why "the other John Smith"
    """
    from crossdoc.resolution import Resolution

    with Resolution.open(store) as resolution:
        tell(resolution.split(identity, profiles, who=who, why=why), as_json)
