"""What a document says, with its mentions marked: those of the identity at hand highlighted, the others as links."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from nicegui import ui

from crossdoc.store.views import Span
from crossdoc.web.look import kind
from crossdoc.web.session import identity_url


class Text(ui.element, component="crossdoc_text.js"):
    """A text in pieces (see :func:`pieces` and :func:`marked`)."""

    def __init__(self, parts: Sequence[dict[str, Any]], inline: bool = False) -> None:
        super().__init__()
        self.props.update(pieces=list(parts), inline=inline)


def pieces(text: str, spans: Iterable[Span], identity: str = "") -> list[dict[str, Any]]:
    """A text cut at its mentions. Of those that overlap, one of `identity` goes first, then the longest.

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
    found: list[dict[str, Any]] = []
    at = 0
    for number, span in enumerate(sorted(taken, key=lambda span: span.start)):
        if span.start > at:
            found.append({"text": text[at : span.start]})
        found.append(_mention(text[span.start : span.end], span, identity, number))
        at = span.end
    if at < len(text):
        found.append({"text": text[at:]})
    return found


def _mention(text: str, span: Span, identity: str, number: int) -> dict[str, Any]:
    if span.identity is None:
        return {"text": text}
    piece = {"text": text, "title": span.name, "id": f"mention-{number}"}
    if span.identity == identity:
        return {**piece, "class": "x-mention x-this"}
    return {**piece, "class": f"x-mention {kind(span.type)}", "href": identity_url(span.identity)}


def marked(text: str, places: Iterable[tuple[int, int]]) -> list[dict[str, Any]]:
    """A text with some places highlighted.

    >>> marked("Ann left.", [(0, 3)])
    [{'text': 'Ann', 'class': 'x-mention x-this'}, {'text': ' left.'}]
    """
    found: list[dict[str, Any]] = []
    at = 0
    for start, end in sorted(places):
        if at <= start < end <= len(text):
            found += [{"text": text[at:start]}] if start > at else []
            found.append({"text": text[start:end], "class": "x-mention x-this"})
            at = end
    return [*found, {"text": text[at:]}] if at < len(text) else found
