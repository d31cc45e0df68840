"""Texts with mentions: those of one identity highlighted, the others as links."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from nicegui import ui

from crossdoc.store.views import Span
from crossdoc.web import look
from crossdoc.web.session import identity_url


class Text(ui.element, component="crossdoc_text.js"):
    """A text in pieces (see :func:`pieces` and :func:`marked`)."""

    def __init__(self, parts: Sequence[dict[str, Any]], inline: bool = False) -> None:
        super().__init__()
        self.props.update(pieces=list(parts), inline=inline)


def pieces(text: str, spans: Iterable[Span], identity: str = "") -> list[dict[str, Any]]:
    """Cut a text at its mentions. If mentions overlap, those of `identity` are preferred, then the longest.

    >>> spans = [Span(0, 9, "a", "Ann Smith", "person", "name", "p"), Span(4, 9, "b", "Smith", "person", "name", "q")]
    >>> [(piece["text"], piece.get("href", "")) for piece in pieces("Ann Smith left.", spans)]
    [('Ann Smith', '/identity?id=a'), (' left.', '')]
    >>> [(piece["text"], piece["class"]) for piece in pieces("Ann Smith left.", spans, "b") if "class" in piece]
    [('Smith', 'x-mention x-this')]
    """
    ranked = sorted(spans, key=lambda span: (span.identity != identity, span.start - span.end, span.start))
    taken: list[Span] = []
    covered = bytearray(len(text))
    for span in ranked:
        if 0 <= span.start < span.end <= len(text) and not any(covered[span.start : span.end]):
            covered[span.start : span.end] = b"\1" * (span.end - span.start)
            taken.append(span)
    numbered = [
        (span.start, span.end, (number, span)) for number, span in enumerate(sorted(taken, key=lambda span: span.start))
    ]
    return [_piece(part, mention, identity) for part, mention in look.pieces(text, numbered)]


def _piece(text: str, mention: tuple[int, Span] | None, identity: str) -> dict[str, Any]:
    number, span = mention or (0, None)
    if span is None or span.identity is None:
        return {"text": text}
    piece = {"text": text, "title": span.name, "id": f"mention-{number}"}
    if span.identity == identity:
        return {**piece, "class": "x-mention x-this"}
    return {**piece, "class": f"x-mention {look.kind(span.type)}", "href": identity_url(span.identity)}


def marked(text: str, places: Iterable[tuple[int, int]]) -> list[dict[str, Any]]:
    """Cut a text at some spans, which are highlighted.

    >>> marked("Ann left.", [(0, 3)])
    [{'text': 'Ann', 'class': 'x-mention x-this'}, {'text': ' left.'}]
    """
    cut = look.pieces(text, [(start, end, {"class": "x-mention x-this"}) for start, end in places])
    return [{"text": part, **(style or {})} for part, style in cut]
