"""Mentions and chains of one parsed document, in tokens."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from crossdoc.model import MentionKind

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span


@dataclass(slots=True)
class SpanMention:
    """A mention as tokens `start` … `end` − 1 of a parsed document."""

    start: int
    end: int
    type: str
    kind: MentionKind = "name"

    def span(self, doc: Doc) -> Span:
        return doc[self.start : self.end]

    def text(self, doc: Doc) -> str:
        return str(doc[self.start : self.end].text)


@dataclass(slots=True)
class Chain:
    """All mentions of one entity in one document, in text order; `name` is the fullest name it is given there."""

    type: str
    name: str
    mentions: list[SpanMention] = field(default_factory=list)
    gender: str = ""
    """'m', 'f' or '' where nothing tells."""
