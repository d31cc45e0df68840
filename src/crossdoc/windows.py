"""Where a name stands in a text, and the words around it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

Span = tuple[int, int]
GAP = " … "


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
