"""A table of identities with links to their pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nicegui import ui

from crossdoc.store.views import Line
from crossdoc.web.look import how_sure, kind, sureness, years
from crossdoc.web.parts.basics import type_word
from crossdoc.web.session import identity_url


class Lines(ui.element, component="crossdoc_lines.js"):
    """A table of identities. If `sort` is given, its header is clickable; the event `sort` has the column."""

    def __init__(self, rows: Sequence[Line], label: str, sort: str = "", descending: bool = True) -> None:
        super().__init__()
        self.props["label"] = label
        self.show(rows, sort, descending)

    def show(self, rows: Sequence[Line], sort: str = "", descending: bool = True) -> None:
        self.props.update(rows=[shown(row) for row in rows], sort=sort, descending=descending)


def shown(line: Line) -> dict[str, Any]:
    """Return the cells of an identity as text."""
    return {
        "id": line.id,
        "href": identity_url(line.id),
        "name": line.name,
        "descriptor": line.descriptor,
        "known": line.known,
        "snippet": line.snippet,
        "type": type_word(line.type),
        "kind": kind(line.type),
        "documents": f"{line.documents:,}",
        "mentions": f"{line.mentions:,}",
        "years": years(line.first_year, line.last_year),
        "sure": f"x-sure-{sureness(line.certainty)}",
        "word": how_sure(line.certainty),
        "certain": f"{line.certainty:.0%} certain",
    }
