"""`crossdoc show`: identities as a person would want to read them."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

from crossdoc import errors
from crossdoc.cli.common import out, print_json

if TYPE_CHECKING:
    from crossdoc.model import Identity


def show(
    store: Annotated[Path, typer.Argument(metavar="OUT.crossdoc")],
    find: Annotated[str | None, typer.Option(help="Only identities with this text in a name, or with this id.")] = None,
    top: Annotated[int, typer.Option(min=1, help="Maximum number of identities.")] = 10,
    members: Annotated[int, typer.Option(min=0, help="Maximum number of members of each identity.")] = 5,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show identities: name, descriptor, variants, and members ranked by membership.

    Example:  crossdoc show articles.crossdoc --find "John Smith"
    """
    from crossdoc.resolution import Resolution

    with Resolution.open(store) as resolution:
        found = resolution.identities(find, top, members)
        if not found and find is not None:
            raise errors.not_found(find, store)
        if as_json:
            print_json([asdict(identity) for identity in found])
            return
        for identity in found:
            show_identity(identity)
        total = resolution.store.count("identities")
        if find is None and total > len(found):
            out.print(f"[dim]… and {total - len(found):,} more; --top shows more, --find looks for a name.[/]")


def show_identity(identity: Identity) -> None:
    descriptor = f"  {escape(identity.descriptor)}" if identity.descriptor else ""
    out.print(f"[bold]{escape(identity.name)}[/][italic]{descriptor}[/]", soft_wrap=True)
    out.print(f"  [dim]{escape(facts(identity))} · {escape(identity.id)}[/]", soft_wrap=True)
    others = [name for name in identity.variants if name != identity.name]
    if others:
        more = f" and {len(others) - 8} more" if len(others) > 8 else ""
        out.print(f"  also: {escape(', '.join(others[:8]))}{more}", soft_wrap=True)
    if identity.known is not None:
        out.print(f"  known as {escape(identity.known)}, {identity.known_probability:.2f}", soft_wrap=True)
    table = Table(box=None, show_header=False, padding=(0, 1), pad_edge=False)
    table.add_column(justify="right", style="cyan", no_wrap=True)
    table.add_column(style="dim", overflow="fold", max_width=28)
    table.add_column(ratio=1)
    for member in identity.members:
        table.add_row(f"{member.membership:.2f}", escape(member.document), escape(member.snippet))
    if identity.members:
        out.print(table)
    out.print()


def facts(identity: Identity) -> str:
    """The line under the name.

    >>> from crossdoc.model import Identity
    >>> facts(Identity("a", "A", "person", "", {"A": 1}, 1, 3, "1996-01-14", "1996-01-14", 0.9))
    'person · 1 document · 3 mentions · 1996-01-14 · certainty 0.90'
    """
    dates = [date for date in dict.fromkeys((identity.first_date, identity.last_date)) if date]
    parts = [
        identity.type or "entity",
        f"{identity.n_documents:,} document" + ("" if identity.n_documents == 1 else "s"),
        f"{identity.n_mentions:,} mention" + ("" if identity.n_mentions == 1 else "s"),
        *([" – ".join(dates)] if dates else []),
        f"certainty {identity.certainty:.2f}",
    ]
    return " · ".join(parts)
