"""`crossdoc known`: which identities are which entries of the known list, and which entries nobody mentions."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from crossdoc import errors
from crossdoc.cli.common import out, print_json


def known(
    store: Annotated[Path, typer.Argument(metavar="OUT.crossdoc")],
    unmentioned: Annotated[bool, typer.Option("--unmentioned", help="Only entries that no document mentions.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the entries of the known list with their identities, or those that no document mentions.

    Example:  crossdoc known articles.crossdoc --unmentioned
    """
    from crossdoc.store import Store

    with Store.open(store) as opened:
        if not opened.has_known:
            raise errors.no_known_list(store)
        entries = opened.known_entries()
        found: dict[str, list[dict[str, object]]] = {entry.id: [] for entry in entries}
        for identity in opened.identities():
            if identity.known is not None:
                facts = {"id": identity.id, "name": identity.name, "documents": identity.n_documents}
                found[identity.known].append({**facts, "probability": identity.known_probability})
    listed = [entry for entry in entries if not (unmentioned and found[entry.id])]
    if as_json:
        print_json([{**asdict(entry), "identities": found[entry.id]} for entry in listed])
        return
    for entry in listed:
        own = [f"{each['name']} ({each['id']}), {each['probability']:.2f}" for each in found[entry.id]]
        out.print(
            f"[bold]{escape(entry.name)}[/] {escape(entry.id)}: {escape('; '.join(own) or 'not mentioned')}",
            soft_wrap=True,
        )
    if not listed:
        out.print("Every known entry is mentioned.")
