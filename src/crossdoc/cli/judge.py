"""`crossdoc judge`: somebody's word that two profiles are the same entity, or different ones."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from crossdoc import errors
from crossdoc.cli.common import err, out, print_json, print_notes

Result = Annotated[Path, typer.Argument(metavar="OUT.crossdoc")]
Who = Annotated[str, typer.Option(help="Name of the person who judges.")]
Why = Annotated[str, typer.Option(help="Reason.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print what changed as JSON.")]


def judge(
    store: Result,
    verdict: Annotated[str, typer.Argument(metavar="same|different")],
    a: Annotated[str, typer.Argument(metavar="A", help="A profile's id.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Another profile's id.")],
    who: Who = "",
    why: Why = "",
    as_json: AsJson = False,
) -> None:
    """Judge two profiles to be the same entity or different ones; this takes effect at once.

    The judgement is added to the log, and later runs respect it. `crossdoc undo` undoes it.

    Example:  crossdoc judge articles.crossdoc different a1.txt:0:10 a7.txt:31:41 --who Ada --why "another birthday"
    """
    from crossdoc.model import VERDICTS
    from crossdoc.resolution import Resolution

    if verdict not in VERDICTS:
        raise errors.unknown_choice("verdict", verdict, VERDICTS)
    with Resolution.open(store) as resolution:
        tell(resolution.judge(a, b, verdict, who=who, why=why), as_json)  # type: ignore[arg-type]


def tell(change: Any, as_json: bool, message: str = "") -> None:
    """What a change did to the answer."""
    if as_json:
        happened = [{"id": event.id, "what": event.what, "other": event.other, "profiles": event.profiles}
                    for event in change.events]  # fmt: skip
        counts = {name: getattr(change, name) for name in ("entry", "clustered", "added", "replaced", "removed")}
        print_json({**counts, "events": happened, "notes": change.notes})
        return
    print_notes(change.notes)
    if message or change.entry is not None:
        err.print(escape(message or f"Entry {change.entry} of the log."), soft_wrap=True)
    for event in change.events[:20]:
        out.print(escape(str(event)), soft_wrap=True)
    if len(change.events) > 20:
        out.print(f"[dim]… and {len(change.events) - 20:,} more; crossdoc history lists all.[/]")
    if not change.events:
        out.print("The identities did not change.")
