"""`crossdoc history`: what happened to identities."""

from __future__ import annotations

from dataclasses import asdict
from itertools import groupby
from typing import Annotated

import typer
from rich.markup import escape

from crossdoc import errors
from crossdoc.cli.common import out, print_json
from crossdoc.cli.judge import Result


def history(
    store: Result,
    identity: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="Only the identity with this id, which may be a former one.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show which identities appeared, split, merged or vanished, when and why.

    Example:  crossdoc history articles.crossdoc a1.txt:0:10
    """
    from crossdoc.resolution import Resolution

    with Resolution.open(store) as resolution:
        found = resolution.history(identity)
        successors = resolution.store.successors(identity) if identity is not None else []
        first = resolution.runs[0].finished if resolution.runs else ""
    if identity is not None and not found and not successors:
        raise errors.which_identity(identity, [])
    if as_json:
        print_json([asdict(event) for event in found])
        return
    born = identity is not None and not any(e.id == identity and e.what in ("appeared", "split") for e in found)
    if born or not found:
        out.print(f"[dim]{first}[/]  the first run" + (f": {escape(identity)} appeared" if identity else ""))
    for (when, cause), events in groupby(found, key=lambda event: (event.when, event.cause)):
        out.print(f"[dim]{when}[/]  {escape(cause)}", soft_wrap=True)
        for event in events:
            out.print(f"  {escape(str(event))}", soft_wrap=True)
    if identity is not None and successors != [identity]:
        out.print(f"Now: {escape(', '.join(successors) or 'nobody')}", soft_wrap=True)
