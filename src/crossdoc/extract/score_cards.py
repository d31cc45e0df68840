"""Lines of score cards: "Saeed Anwar c Croft b Mullally 19" names three people, whatever a tagger makes of it."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from crossdoc.extract.name_evidence import NameSpan
from crossdoc.lang import pack

if TYPE_CHECKING:
    from spacy.tokens import Doc

_PART = r"[^\W\d_a-z][\w'’.]*(?:-[\w'’]+)*"


@cache
def _line(language: str) -> re.Pattern[str] | None:
    """A line that ends in a score, of names with dismissals between them."""
    between = "|".join(sorted(pack(language).name_words.dismissals))
    if not between:
        return None
    name = rf"{_PART}(?: {_PART}){{0,3}}"
    return re.compile(rf"^[ \t]*{name}(?: (?:(?:{between}) )+{name})+[ \t]+\d+[ \t]*$", re.MULTILINE)


def with_score_cards(doc: Doc, names: list[NameSpan]) -> list[NameSpan]:
    """The names, in lines of score cards those between the dismissals instead.

    >>> import spacy
    >>> doc = spacy.blank("en")("Wasim Akram b Harris 4")
    >>> [doc[name.start : name.end].text for name in with_score_cards(doc, [NameSpan(0, 4, "organisation")])]
    ['Wasim Akram', 'Harris']
    """
    pattern = _line(doc.lang_)
    if pattern is None:
        return names
    words = pack(doc.lang_).name_words.dismissals
    for line in pattern.finditer(doc.text):
        span = doc.char_span(*line.span(), alignment_mode="contract")
        if span is None:
            continue
        names = [name for name in names if name.end <= span.start or name.start >= span.end]
        start = span.start
        for token in span:
            if token.text in words or token.like_num or token.is_space:
                if start < token.i:
                    names.append(NameSpan(start, token.i, "person"))
                start = token.i + 1
    return sorted(names, key=lambda name: name.start)
