"""How nouns look in a notebook: plain inline HTML in which everything that came from a document is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from crossdoc.model.identity import Identity, Member
from crossdoc.model.rows import Table

LARGEST = 10
ROWS = 10
MEMBERS = 20
CHARACTERS = 80

CERTAINTY = ((0.9, "sure"), (0.7, "fairly sure"), (0.5, "unsure"), (0.0, "very unsure"))
"""Words for a mean membership; the borders are round numbers, not chosen on data."""

_CELL = "text-align:left;vertical-align:top;padding:2px 8px"
_TRACK = "display:inline-block;width:60px;height:8px;background:#8883"


def certainty_in_words(certainty: float) -> str:
    """
    >>> certainty_in_words(0.75)
    'fairly sure'
    """
    return next((word for least, word in CERTAINTY if certainty >= least), CERTAINTY[-1][1])


def resolution_html(resolution: Any) -> str:
    """The sizes of an answer and its largest identities."""
    sizes = resolution.store.sizes()
    counts = ", ".join(f"{sizes[name]:,} {name}" for name in ("documents", "mentions", "profiles", "identities"))
    rows = [
        [_text(i.name), _text(i.descriptor), _text(i.type), f"{i.n_documents:,}", certainty_in_words(i.certainty)]
        for i in resolution.store.identities(top=LARGEST)
    ]
    heads = ["name", "descriptor", "type", "documents", "certainty"]
    return f"<div><b>Resolution</b>: {counts}{_table(heads, rows)}{_more(sizes['identities'], LARGEST)}</div>"


def identity_html(identity: Identity) -> str:
    """One identity: who it is, what else it is called, and its members with their memberships."""
    dates = " – ".join(dict.fromkeys(date for date in (identity.first_date, identity.last_date) if date))
    counts = [f"{identity.n_documents:,} documents", f"{identity.n_mentions:,} mentions"]
    facts = [identity.type or "entity", *counts, dates, certainty_in_words(identity.certainty)]
    variants = ", ".join(f"{name} ({count:,})" for name, count in identity.variants.items())
    rows = [[_bar(m), _text(m.name), _text(m.document), escape(m.snippet)] for m in identity.members[:MEMBERS]]
    members = _table(["membership", "name", "document", "text"], rows) if rows else ""
    descriptor = f" <i>{escape(identity.descriptor)}</i>" if identity.descriptor else ""
    return (
        f"<div><b>{escape(identity.name)}</b>{descriptor}<br>{escape(' · '.join(filter(None, facts)))}<br>"
        f"also: {escape(variants)}{members}{_more(len(identity.members), MEMBERS)}</div>"
    )


def table_html(table: Table[Any]) -> str:
    """The first rows of documents, mentions or profiles."""
    names = table.schema.names
    rows = [[_text(value) for value in cells.values()] for cells in table.arrow.slice(0, ROWS).to_pylist()]
    return f"<div><b>{type(table).__name__}</b>: {len(table):,}{_table(names, rows)}{_more(len(table), ROWS)}</div>"


def _bar(member: Member) -> str:
    filled = f"width:{100 * member.membership:.0f}%;height:8px;background:#36c"
    return f'<span style="{_TRACK}"><span style="display:block;{filled}"></span></span> {member.membership:.2f}'


def _text(value: Any) -> str:
    """A cell: short, and escaped."""
    text = "" if value is None else str(value)
    return escape(text if len(text) <= CHARACTERS else text[: CHARACTERS - 1] + "…")


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Cells are HTML already, heads are not."""
    head = "".join(f'<th style="{_CELL}">{escape(name)}</th>' for name in heads)
    body = "".join("<tr>" + "".join(f'<td style="{_CELL}">{cell}</td>' for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _more(total: int, shown: int) -> str:
    return f"… and {total - shown:,} more" if total > shown else ""
