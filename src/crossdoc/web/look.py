"""The style sheet (look.css) and plain words, shared by the pages and the static report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.resources import files
from typing import TypeVar

Whose = TypeVar("Whose")

SURE, FAIRLY_SURE = 0.85, 0.6
"""Least certainties of an answer that is called sure or fairly sure; docs/results.md has how often they are right."""
COLOURED_TYPES = ("person", "organisation", "place")


def css() -> str:
    """Return the style sheet; its head lists the classes."""
    return (files("crossdoc.web") / "look.css").read_text(encoding="utf-8")


def sureness(certainty: float) -> int:
    """Return 3 for sure, 2 for fairly sure, 1 for unsure: the number in the classes x-sure-3 to x-sure-1."""
    return 3 if certainty >= SURE else 2 if certainty >= FAIRLY_SURE else 1


def how_sure(certainty: float) -> str:
    """Return a certainty in words.

    >>> [how_sure(certainty) for certainty in (0.97, 0.7, 0.43)]
    ['sure', 'fairly sure', 'unsure']
    """
    return ("unsure", "fairly sure", "sure")[sureness(certainty) - 1]


def kind(entity_type: str | None) -> str:
    """Return the class of a type's colour: x-person, x-organisation, x-place or x-other."""
    return f"x-{entity_type}" if entity_type in COLOURED_TYPES else "x-other"


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun.

    >>> counted(1, "document"), counted(1200, "document"), counted(2, "identity", "identities")
    ('1 document', '1,200 documents', '2 identities')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def years(first: str | int | None, last: str | int | None) -> str:
    """Return a range of years.

    >>> years("1996-01-14", "1998"), years(1996, 1996), years(None, None)
    ('1996–1998', '1996', '')
    """
    ends = list(dict.fromkeys(str(each)[:4] for each in (first, last) if each))
    return "–".join(ends)


def pieces(text: str, spans: Iterable[tuple[int, int, Whose]]) -> Iterator[tuple[str, Whose | None]]:
    """Cut a text at its mentions; of overlapping mentions the first and longest counts.

    >>> list(pieces("Ann Lee left.", [(0, 7, "a"), (4, 7, "b")]))
    [('Ann Lee', 'a'), (' left.', None)]
    """
    at = 0
    for start, end, whose in sorted(spans, key=lambda span: (span[0], -span[1])):
        if start < at or end > len(text) or start >= end:
            continue
        if start > at:
            yield text[at:start], None
        yield text[start:end], whose
        at = end
    if at < len(text):
        yield text[at:], None
