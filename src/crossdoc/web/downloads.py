"""The rows of a page as CSV that is safe in a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from urllib.parse import quote

import pyarrow as pa
from fastapi.responses import StreamingResponse

from crossdoc.write.entities import escape_formulas

MOST_EXPORTED = 1_000_000
"""Rows of one table."""
CSV_BATCH = 5_000
"""Rows that are written at a time."""


def as_csv(rows: Sequence[Any], columns: Sequence[str], cell: Callable[[Any, str], Any] = getattr) -> Iterator[str]:
    """Yield CSV with some attributes (or other cells) of rows, and no cell that a spreadsheet would run.

    >>> from crossdoc.store.views import Line
    >>> line = Line("a", "=1+1", "judge", "person", 2, 3, 1999, 2001, 0.9)
    >>> "".join(as_csv([line], ("name", "documents")))
    "name,documents\\n'=1+1,2\\n"
    """
    yield ",".join(columns) + "\n"
    for start in range(0, len(rows), CSV_BATCH):
        part = rows[start : start + CSV_BATCH]
        cells = {column: pa.array([cell(row, column) for row in part]) for column in columns}
        safe, _ = escape_formulas(pa.record_batch(cells))
        stream = io.StringIO()
        csv.writer(stream, lineterminator="\n").writerows(zip(*safe.to_pydict().values(), strict=True))
        yield stream.getvalue()


def downloaded(content: Iterator[str], name: str) -> StreamingResponse:
    """Return a table as a file that the browser saves."""
    return StreamingResponse(
        content,
        media_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}"},
    )
