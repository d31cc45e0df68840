"""The date of a document that states it in a short line near its opening: "Washington, November 27, 1963, 7 p.m."."""

from __future__ import annotations

import re

import pyarrow as pa

from crossdoc.extract.attributes import stated_date
from crossdoc.lang import DEFAULT
from crossdoc.model import Documents

LINES, LONGEST_LINE, LEAST_LINES = 8, 90, 3
"""Lines at the opening in which a dateline is looked for, its characters, and lines that a text with one has. Chosen on
two volumes of FRUS; sensitivity not measured."""
_YEAR = re.compile(r"\b(?:1\d{3}|20\d\d)\b")
_OPENING_NUMBER = re.compile(r"^\s*\d+\.\s")


def opening_date(text: str, language: str | None = None) -> str | None:
    """The date, known to the day, of a short line near the opening of a text.

    >>> opening_date("5. Letter to the Secretary\\nWashington, January 22, 1964.\\nDear Dean:\\nIn our recent …")
    '1964-01-22'
    >>> opening_date("He was born on May 3, 1931.")
    """
    lines = [line for line in text[: LINES * 3 * LONGEST_LINE].split("\n") if line.strip()]
    if len(lines) < LEAST_LINES:
        return None
    for line in lines[:LINES]:
        if len(line) <= LONGEST_LINE and (found := _date_in(_OPENING_NUMBER.sub("", line), language or DEFAULT)):
            return found
    return None


def _date_in(line: str, language: str) -> str | None:
    for year in _YEAR.finditer(line):
        words = line[: year.end()].split()
        for size in (3, 2):
            stated = stated_date(" ".join(words[-size:]), language=language)
            if stated is not None and len(stated) == len("1964-01-22"):
                return stated
    return None


def with_opening_dates(documents: Documents) -> Documents:
    """The documents with the dates that those without one state at their opening."""
    columns = (documents.column(name).to_pylist() for name in ("date", "text", "language"))
    dates = [given or opening_date(text, language) for given, text, language in zip(*columns, strict=True)]
    at = documents.arrow.schema.get_field_index("date")
    own = documents.arrow.schema.field(at)
    return Documents(documents.arrow.set_column(at, own, pa.array(dates, own.type)))
