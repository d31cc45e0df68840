"""`crossdoc report`: the identities as one self-contained HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from jinja2 import Environment, PackageLoader
from rich.markup import escape

from crossdoc import errors
from crossdoc.cli.common import Force, check_outputs, out
from crossdoc.cli.show import facts
from crossdoc.files import whole_file
from crossdoc.resolution import Resolution


def report(
    store: Annotated[Path, typer.Argument(metavar="OUT.crossdoc")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The HTML file to write.")],
    find: Annotated[str | None, typer.Option(help="Only identities with this in one of their names.")] = None,
    top: Annotated[int, typer.Option(min=1, help="How many identities.")] = 500,
    members: Annotated[int, typer.Option(min=0, help="How many members of each.")] = 20,
    force: Force = False,
) -> None:
    """Write the identities as one HTML file that can be sent to anybody.

    Example:  crossdoc report articles.crossdoc -o report.html
    """
    check_outputs([output], [store], force=force, kind="HTML")
    with Resolution.open(store) as resolution:
        found = resolution.identities(find, top, members)
        if not found and find is not None:
            raise errors.not_found(find, store)
        # Everything a document says is escaped: a report must not run what somebody wrote into an article.
        environment = Environment(loader=PackageLoader("crossdoc.cli"), autoescape=True)
        page = environment.get_template("report.html").render(
            source=store.name,
            identities=[(identity, facts(identity)) for identity in found],
            sizes=resolution.store.sizes(),
            notes=resolution.notes,
        )
    with whole_file(output) as stream:
        stream.write(page.encode())
    out.print(f"{len(found):,} identities in {escape(str(output))}", soft_wrap=True)
