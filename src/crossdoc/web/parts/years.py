"""Documents over time, as bars."""

from __future__ import annotations

from collections.abc import Sequence

from crossdoc.web.look import counted
from crossdoc.web.parts.basics import tag

MOST_BARS = 60
LABEL_ROOM = 36
"""Characters of labels that fit below the bars."""


def filled(periods: Sequence[tuple[str, int]]) -> list[tuple[str, int]]:
    """Add the years (or months) without documents in between.

    >>> filled([("1996", 2), ("1998", 1)])
    [('1996', 2), ('1997', 0), ('1998', 1)]
    >>> filled([("1996-11", 2), ("1997-01", 1)])
    [('1996-11', 2), ('1996-12', 0), ('1997-01', 1)]
    """
    counts = {period: n for period, n in periods if period[:4].isdecimal()}
    if not counts:
        return []
    if any(len(period) == 4 for period in counts):
        counts = {}
        for period, n in periods:
            counts[period[:4]] = counts.get(period[:4], 0) + n
        between = [str(year) for year in range(int(min(counts)), int(max(counts)) + 1)]
    else:
        first, last = (int(period[:4]) * 12 + int(period[5:7]) - 1 for period in (min(counts), max(counts)))
        between = [f"{month // 12}-{month % 12 + 1:02}" for month in range(first, last + 1)]
    return [(period, counts.get(period, 0)) for period in between]


def timeline(periods: Sequence[tuple[str, int]], one: str = "document", many: str = "") -> None:
    """Show bars with labels under some of them, and the numbers as a list for screen readers."""
    bars = filled(periods)
    if len(bars) > MOST_BARS:
        # A long range of years is shown without the empty ones.
        bars = [(period, n) for period, n in periods][-MOST_BARS:]
    most = max((n for _, n in bars), default=1)
    every = max(1, -(-len(bars) * (len(bars[0][0]) + 2) // LABEL_ROOM)) if bars else 1
    with tag("div", classes="x-years", aria_hidden="true"):
        for at, (period, n) in enumerate(bars):
            with tag("span", title=f"{period}: {counted(n, one, many)}"):
                tag("i").style(f"height: {n / most:.1%}" + ("" if n else "; opacity: .25"))
                if at % every == 0:
                    tag("small", period)
    with tag("ul", classes="x-hidden-text"):
        for period, n in bars:
            if n:
                tag("li", f"{period}: {counted(n, one, many)}")
