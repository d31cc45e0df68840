"""Bring the figures that pages quote up to date: `python tools/quote_figures.py` rewrites the pages.

This keeps a page equal to the stored results. It does not show that they were measured with the present code, so a page
also says when they were stored.
A quoted figure is followed by its source, a comment that readers do not see:
`.932<!-- results.json: john-smith / the default / B³ F1 -->`.
"""

from __future__ import annotations

import json
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent.parent / "docs"
QUOTE = re.compile(r"(?P<figure>[−-]?[\d.,]*\d%?)(?P<source><!-- (?P<file>\w+\.json): (?P<keys>.+?) -->)")


@cache
def read_figures(file: str) -> Any:
    return json.loads((DOCS / file).read_text(encoding="utf-8"))


def format_figure(value: float | int | str) -> str:
    """Return a figure as pages print it: shares as .897, other numbers with three digits.

    >>> format_figure(0.8974), format_figure(1.0), format_figure(78.7576), format_figure(19306), format_figure("36%")
    ('.897', '1.000', '78.8', '19,306', '36%')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.3f}".removeprefix("0") if abs(value) <= 1 else f"{value:,.3g}"


def look_up(file: str, keys: str) -> str:
    """Return the formatted figure of a source; raise KeyError if the file does not have it."""
    found = read_figures(file)
    for key in keys.split(" / "):
        if key not in found:
            raise KeyError(f"docs/{file} has no {key!r} of {keys!r}")
        found = found[key]
    return format_figure(found)


def update_quotes(page: str) -> str:
    """Return a page with every quoted figure as its source has it."""
    return QUOTE.sub(lambda found: look_up(found["file"], found["keys"]) + found["source"], page)


def main() -> None:
    for path in (DOCS.parent / "README.md", *sorted(DOCS.rglob("*.md"))):
        page = path.read_text(encoding="utf-8")
        if (updated := update_quotes(page)) != page:
            path.write_text(updated, encoding="utf-8")
            sys.stdout.write(f"{path.relative_to(DOCS.parent)}: figures updated\n")


if __name__ == "__main__":
    main()
