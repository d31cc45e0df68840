"""How figures get into the pages: a part's table between `<!-- results:PART -->` and `<!-- /results:PART -->`, and the
same figures as JSON (part → row → column → value), so that before and after is a diff. The parts are in results.py.

After each part everything is written, each file whole or not at all, so that a run that is stopped keeps what it has.
"""

from __future__ import annotations

import json
import math
import os
import re
import sys
import time
import traceback
from collections.abc import Callable, Collection, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from crossdoc.files import whole_file

DOCS = Path(__file__).parents[1] / "docs"
README = Path(__file__).parents[1] / "README.md"
DECIMALS = 6
NOTICED = 0.001
Value = float | int | str
Rows = dict[str, dict[str, Value]]
Figures = dict[str, Rows]


@dataclass(frozen=True)
class Part:
    """A table: what makes its rows, what a row is, what does the same by hand, and which data it takes."""

    rows: Callable[[], Rows]
    of: str
    command: str
    needs: tuple[str, ...] = ()

    def missing(self) -> list[str]:
        root = os.environ.get("CROSSDOC_DATA")
        return [name for name in self.needs if not root or not Path(root, name).exists()]


def told(value: Value) -> str:
    """A figure as the pages have it: shares with three decimals and without the zero, all else with three digits.

    >>> told(0.8974), told(1.0), told(76.28), told(1.119), told(456000.0), told(19306), told("40%")
    ('.897', '1.000', '76.3', '1.12', '456,000', '19,306', '40%')
    """
    if isinstance(value, float):
        if abs(value) <= 1:
            return re.sub(r"^(-?)0\.", r"\1.", f"{value:.3f}")
        return f"{value:,.{max(0, 2 - math.floor(math.log10(abs(value))))}f}"
    return f"{value:,}" if isinstance(value, int) else value


def page_table(of: str, rows: Rows) -> str:
    """Rows as a Markdown table; a column that a row does not have is left empty."""
    columns = list(dict.fromkeys(column for row in rows.values() for column in row))
    lines = [[of, *columns], ["---"] * (len(columns) + 1)]
    lines += [[name, *(told(row[column]) if column in row else "" for column in columns)] for name, row in rows.items()]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def markers(name: str) -> tuple[str, str]:
    return f"<!-- results:{name} -->", f"<!-- /results:{name} -->"


def replaced(page: str, name: str, content: str, path: Path) -> str:
    """The page with something else between the markers of a part."""
    start, end = markers(name)
    before, opened, rest = page.partition(start)
    _, closed, after = rest.partition(end)
    if not opened or not closed or start in rest or end in after:
        sys.exit(f"{path} must have {start} and, after it, {end}, each once.")
    return f"{before}{start}\n{content}\n{end}{after}"


def filled(template: str, figures: Figures) -> str:
    """A line of the README with its figures: `{part/row/column}`, or `{part/row/column?}` where there may be none yet.

    >>> filled("{a/b/c} {a/b/d?}", {"a": {"b": {"c": 0.5}}})
    '.500 –'
    """

    def figure(place: re.Match[str]) -> str:
        part, row, column = place[1].split("/")
        if column.endswith("?"):
            return told(figures.get(part, {}).get(row, {}).get(column[:-1], "–"))
        return told(figures[part][row][column])

    return re.sub(r"\{([^}]+)\}", figure, template)


def rounded(rows: Rows) -> Rows:
    return {
        name: {column: round(value, DECIMALS) if isinstance(value, float) else value for column, value in row.items()}
        for name, row in rows.items()
    }


def write(path: Path, text: str) -> None:
    with whole_file(path) as stream:
        stream.write(text.encode())


def read_figures(path: Path) -> Figures:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except ValueError as error:
        sys.exit(f"{path} is not JSON: {error}. `git checkout` it, or delete it and run all parts.")


def say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


@dataclass
class Pages:
    """Where the figures go: the JSON, and the two pages unless only the JSON is wanted."""

    figures: Path
    results: Path | None = DOCS / "results.md"
    readme: Path | None = README

    def check(self, names: Sequence[str]) -> None:
        """Missing markers are found before hours are spent."""
        if self.results is not None:
            page = self.results.read_text(encoding="utf-8")
            for name in names:
                replaced(page, name, "", self.results)
        if self.readme is not None:
            replaced(self.readme.read_text(encoding="utf-8"), "readme", "", self.readme)

    def add(self, name: str, part: Part, rows: Rows, seconds: float, lines: Sequence[str]) -> None:
        figures = read_figures(self.figures) | {name: rows}
        write(self.figures, json.dumps(figures, ensure_ascii=False, indent=1) + "\n")
        if self.results is not None:
            content = f"{page_table(part.of, rows)}\n\n`{part.command}`: {seconds:,.0f} s."
            write(self.results, replaced(self.results.read_text(encoding="utf-8"), name, content, self.results))
        if self.readme is not None:
            try:
                content = "\n".join(filled(line, figures) for line in lines)
            except KeyError as error:
                say(f"{self.readme.name} stays as it is: {self.figures.name} has no {error} yet.")
                return
            write(self.readme, replaced(self.readme.read_text(encoding="utf-8"), "readme", content, self.readme))


def run(names: Sequence[str], parts: dict[str, Part], pages: Pages, lines: Sequence[str]) -> bool:
    """Run parts one after another; False if one of them failed."""
    pages.check(names)
    failed = []
    for number, name in enumerate(names, 1):
        part = parts[name]
        if missing := part.missing():
            say(f"{name}: skipped, its table stays as it was: CROSSDOC_DATA has no {', '.join(missing)}.")
            continue
        say(f"{name} ({number} of {len(names)}): {part.command}")
        began = time.perf_counter()
        try:
            with redirect_stdout(sys.stderr):
                rows = rounded(part.rows())
        except (Exception, SystemExit):  # noqa: BLE001 - an experiment that is broken must not stop the others
            traceback.print_exc()
            say(f"{name}: FAILED, its table stays as it was.")
            failed.append(name)
            continue
        seconds = time.perf_counter() - began
        pages.add(name, part, rows, seconds, lines)
        say(f"{name}: done in {seconds:,.0f} s\n{page_table(part.of, rows)}")
    if failed:
        say(f"Failed: {', '.join(failed)}.")
    return not failed


def changes(old: Figures, new: Figures) -> list[str]:
    """Figures that differ by more than .001, or that only one of the two has; and parts that only one has."""
    lines = []
    both = [_flat(figures, old.keys() & new.keys()) for figures in (old, new)]
    for place in dict.fromkeys([*both[0], *both[1]]):
        before, after = (figures.get(place) for figures in both)
        if isinstance(before, float | int) and isinstance(after, float | int):
            if abs(after - before) > NOTICED:
                lines.append(f"{' / '.join(place)}: {told(before)} → {told(after)} ({after - before:+.3f})")
        elif before != after:
            shown = ("–" if value is None else told(value) for value in (before, after))
            lines.append(f"{' / '.join(place)}: {' → '.join(shown)}")
    for which, one, other in (("old", old, new), ("new", new, old)):
        if alone := [part for part in one if part not in other]:
            lines.append(f"only in the {which} figures: {', '.join(alone)}")
    return lines


def _flat(figures: Figures, parts: Collection[str]) -> dict[tuple[str, str, str], Value]:
    return {
        (part, row, column): value
        for part, rows in figures.items()
        if part in parts
        for row, columns in rows.items()
        for column, value in columns.items()
    }
