"""`crossdoc judgements`: the log of what people and rules have said, and taking something back."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from crossdoc.cli.common import err, out, print_json
from crossdoc.store import Store


def judgements(
    store: Annotated[Path, typer.Argument(metavar="OUT.crossdoc")],
    take_back: Annotated[int | None, typer.Option(help="The number of a judgement that no longer holds.")] = None,
    who: Annotated[str, typer.Option(help="Who takes it back.")] = "",
    why: Annotated[str, typer.Option(help="Why.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the judgements that hold, with their numbers, or take one back.

    Nothing is ever deleted from the log, and the answer changes with the next `crossdoc resolve`.

    Example:  crossdoc judgements articles.crossdoc --take-back 3 --why "wrong photograph"
    """
    if take_back is not None:
        with Store.open(store, write=True) as opened:
            opened.take_back(take_back, who, why)
        err.print(f"Judgement {take_back} no longer holds; the next `crossdoc resolve` goes without it.")
    standing = Store.judgements_of(store)
    if as_json:
        print_json([{"number": number, **asdict(judgement)} for number, judgement in standing])
        return
    for number, judgement in standing:
        force = "hard" if judgement.hard else f"soft {judgement.weight:g}"
        reason = f": {judgement.why}" if judgement.why else ""
        out.print(f"{number:>5}  {escape(str(judgement))}, {force}{escape(reason)}", soft_wrap=True)
    if not standing:
        out.print("No judgement holds.")
