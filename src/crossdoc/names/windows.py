"""Occurrences of a name in a text, and the words around them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from crossdoc.names import fold

Span = tuple[int, int]
GAP = " … "
SNIPPET_CHARACTERS = 160
"""Characters. Length of a line of context in lists."""


@lru_cache(maxsize=1024)
def name_pattern(name: str) -> re.Pattern[str]:
    """Matches a full name, with up to two words between its first and last part, or turned round.

    >>> bool(name_pattern("John Smith").search("the late Smith, John")), name_pattern("Li").pattern
    (True, '\\\\bLi\\\\b')
    """
    parts = [_bounded(part) for part in name.split()]
    if len(parts) < 2:
        return re.compile(parts[0] if parts else r"(?!)", re.IGNORECASE)
    first, last = parts[0], parts[-1]
    middle = r"\s+(?:(?:[^\W\d_]\.|[\"“'(]?[^\W\d_][\w'’-]*[\"”')]?)\s*){0,2}?"
    return re.compile(rf"{first}{middle}{last}|{last},?\s+{first}", re.IGNORECASE)


def _bounded(word: str) -> str:
    """A pattern for a word that is not part of a longer one; a mark at its edge, as in "C++", needs no boundary."""
    before = r"\b" if re.match(r"\w", word) else ""
    after = r"\b" if re.search(r"\w$", word) else ""
    return f"{before}{re.escape(word)}{after}"


def find_name(text: str, name: str) -> list[Span]:
    """All places of a name in a text; a match that runs over a line break of two or more is not one."""
    return [m.span() for m in name_pattern(name).finditer(text) if "\n\n" not in m.group()]


def window(text: str, spans: Iterable[Span], reach: int) -> str:
    """The text within `reach` characters of any span, overlaps joined, cut at word boundaries.

    >>> window("one two three four five six", [(8, 13)], 5)
    'two three four'
    """
    pieces: list[str] = []
    done = 0
    for start, end in sorted(spans):
        left, right = max(start - reach, 0), min(end + reach, len(text))
        if left > 0 and not text[left - 1].isspace():
            left = _next_space(text, left, start)
        if right < len(text) and not text[right].isspace():
            right = _previous_space(text, right, end)
        if right <= done:
            continue
        if left <= done and pieces:
            pieces[-1] += text[done:right]
        else:
            pieces.append(text[left:right])
        done = right
    return GAP.join(piece.strip() for piece in pieces)


def _next_space(text: str, at: int, limit: int) -> int:
    while at < limit and not text[at].isspace():
        at += 1
    return at


def _previous_space(text: str, at: int, limit: int) -> int:
    while at > limit and not text[at - 1].isspace():
        at -= 1
    return at


def make_snippet(context: str, name: str, characters: int = SNIPPET_CHARACTERS) -> str:
    """Return a line of the context around the name, or around its last word.

    >>> make_snippet("It rained. The chairman, John Smith, resigned on Monday.", "John Smith", 30)
    '… John Smith, resigned …'
    """
    text = " ".join(context.split())
    if len(text) <= characters:
        return text
    last = next((word for word in reversed(name.split()) if fold(word)), "")
    looked_for = [each for each in (name, last) if each]
    hits = (re.search(rf"(?<!\w){re.escape(each)}(?!\w)", text, re.IGNORECASE) for each in looked_for)
    found = next(filter(None, hits), None)
    middle = found.end() - (len(last) + 1) // 2 if found else 0
    start = max(0, min(middle - characters // 2, len(text) - characters))
    end = start + characters
    if start:
        start = text.find(" ", start) + 1 or start
    if end < len(text):
        end = text.rfind(" ", start, end) if " " in text[start:end] else end
    return ("… " if start else "") + text[start:end] + (" …" if end < len(text) else "")
