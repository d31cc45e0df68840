"""What the pages and the static report share: the style sheet (look.css) and words that a layperson understands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.resources import files
from typing import TypeVar

Whose = TypeVar("Whose")

SURE, FAIRLY_SURE = 0.85, 0.6
"""Certainties are how often such an answer is right (docs/once.md): five times in six and more, three times in five."""
KINDS = ("person", "organisation", "place")


def css() -> str:
    """The style sheet; its head says which classes there are."""
    return (files("crossdoc.web") / "look.css").read_text(encoding="utf-8")


def sureness(certainty: float) -> int:
    """3 sure, 2 fairly sure, 1 unsure: the number in the classes x-sure-3, x-sure-2 and x-sure-1."""
    return 3 if certainty >= SURE else 2 if certainty >= FAIRLY_SURE else 1


def how_sure(certainty: float) -> str:
    """A certainty in words.

    >>> [how_sure(certainty) for certainty in (0.97, 0.7, 0.43)]
    ['sure', 'fairly sure', 'unsure']
    """
    return ("unsure", "fairly sure", "sure")[sureness(certainty) - 1]


def kind(entity_type: str | None) -> str:
    """The class of a type's colour: x-person, x-organisation, x-place or x-other."""
    return f"x-{entity_type}" if entity_type in KINDS else "x-other"


def counted(number: int, one: str, many: str = "") -> str:
    """A number with its noun.

    >>> counted(1, "document"), counted(1200, "document"), counted(2, "identity", "identities")
    ('1 document', '1,200 documents', '2 identities')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def years(first: str | int | None, last: str | int | None) -> str:
    """From when to when, in years.

    >>> years("1996-01-14", "1998"), years(1996, 1996), years(None, None)
    ('1996–1998', '1996', '')
    """
    ends = list(dict.fromkeys(str(each)[:4] for each in (first, last) if each))
    return "–".join(ends)


def pieces(text: str, spans: Iterable[tuple[int, int, Whose]]) -> Iterator[tuple[str, Whose | None]]:
    """A text cut at its mentions, each piece with whose mention it is; of mentions within others the longer one counts.

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
