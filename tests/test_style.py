"""Prose of the source: words and sentence openings that the style guide avoids, counted per room.

Prose is docstrings, the strings below constants, and comments. Code spans, examples and addresses are left out. A
budget may fall and never rise.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parent.parent / "src" / "crossdoc"
WORDS = (
    "told", "telling", "worth", "beside", "whole", "said", "speaks for", "is met", "stands in", "somebody", "nobody",
    "anew", "dear",
)  # fmt: skip
OPENINGS = ("Of", "As what", "What", "Where", "Who", "So many", "Those", "The same of")
BUDGET = {
    "": 1,
    "cli": 0,
    "cluster": 0,
    "compare": 1,
    "crosslingual": 0,
    "engine": 0,
    "extract": 0,
    "integrations": 0,
    "lang": 0,
    "model": 0,
    "names": 0,
    "read": 0,
    "run": 1,
    "scoring": 0,
    "store": 0,
    "web": 0,
    "write": 0,
}
"""Findings that a room may have. Rooms that are not listed share the budget of "", with the files of the top folder."""

_WORD = re.compile(rf"\b(?:{'|'.join(WORDS)})\b", re.IGNORECASE)
_OPENING = re.compile(rf"(?:^|[.!?:]\s+)((?:{'|'.join(OPENINGS)})\b)(?!['’])")
_CODE = re.compile(r"``.*?``|`[^`]*`|\w+://\S+|\"[^\"\n]*\"|“[^”]*”|(?<!\w)'[^'\n]*'(?!\w)", re.DOTALL)
_EXAMPLE = re.compile(r"^[ \t]*>>>.*?(?=^[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_PRAGMA = re.compile(r"^(?:noqa|fmt|type|pragma|ruff|mypy)\b")


def room_of(path: Path) -> str:
    parts = path.relative_to(SOURCE).parts
    return parts[0] if len(parts) > 1 and parts[0] in BUDGET else ""


def strings(source: str) -> Iterator[tuple[int, str]]:
    """Line and text of each string that stands as a statement: docstrings and strings below constants."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, node.value.value


def comments(source: str) -> Iterator[tuple[int, str]]:
    """Line and text of each comment; lines of comment that follow one another are one text."""
    first, last, lines = 0, -1, list[str]()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        text = token.string.lstrip("#: ")
        if token.type != tokenize.COMMENT or _PRAGMA.match(text):
            continue
        if token.start[0] != last + 1:
            if lines:
                yield first, "\n".join(lines)
            first, lines = token.start[0], []
        last = token.start[0]
        lines.append(text)
    if lines:
        yield first, "\n".join(lines)


def found_in(text: str) -> list[str]:
    """Words and openings of a text that the guide avoids.

    >>> found_in("Count the rows that `worth` keeps. What is left is told. A line: Those of Ann.")
    ['told', 'What', 'Those']
    """
    prose = _CODE.sub("x", _EXAMPLE.sub("", text))
    paragraphs = [" ".join(each.split()) for each in re.split(r"\n\s*\n", prose)]
    return [word[0] for each in paragraphs for word in _WORD.finditer(each)] + [
        opening[1] for each in paragraphs for opening in _OPENING.finditer(each)
    ]


def findings() -> Iterator[tuple[str, str]]:
    """Room and place of each finding."""
    for path in sorted(SOURCE.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        for line, text in [*strings(source), *comments(source)]:
            for word in found_in(text):
                yield room_of(path), f"{path.relative_to(SOURCE)}:{line}: {word}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Say what is worth it.", ["worth"]),
        ("The Whole of it. Of these, one.\n\nWhere it is: What it is.", ["Whole", "Of", "Where", "What"]),
        ("A worthy `told` of ``said`` at https://told.org/said\n\n>>> print('told')\ntold\n\nmore", []),
        ("Call it \"said\" or 'told'. It is of use, where needed. Often Whoever. Offset", []),
    ],
)
def test_what_counts(text, expected):
    assert found_in(text) == expected


def test_comments_and_strings_are_found():
    source = 'X = 1  # told\n"""Worth."""\n# Of\n# these\ns = "said"  # noqa: E501\n'
    assert [text for _, text in strings(source)] == ["Worth."]
    assert [text for _, text in comments(source)] == ["told", "Of\nthese"]


def test_no_room_exceeds_its_budget():
    listed = list(findings())
    counts = Counter(room for room, _ in listed)
    over = {room: count for room, count in counts.items() if count > BUDGET[room]}
    assert over == {}, "\n".join(place for room, place in listed if room in over)
