"""What a page lists, as a table to take along: CSV that a spreadsheet may open."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import astuple, fields
from typing import Any
from urllib.parse import quote

import pyarrow as pa
from fastapi.responses import StreamingResponse

from crossdoc.write.spreadsheets import escape_formulas

AT_ONCE = 5_000


def as_csv(rows: Sequence[Any], kind: type, columns: Sequence[str]) -> Iterator[str]:
    """Some columns of dataclasses of one kind, with no cell that a spreadsheet would run.

    >>> from crossdoc.store.views import Line
    >>> line = Line("a", "=1+1", "judge", "person", 2, 3, 1999, 2001, 0.9)
    >>> "".join(as_csv([line], Line, ("name", "documents")))
    "name,documents\\n'=1+1,2\\n"
    """
    at = [[field.name for field in fields(kind)].index(column) for column in columns]
    yield ",".join(columns) + "\n"
    for start in range(0, len(rows), AT_ONCE):
        part = [astuple(row) for row in rows[start : start + AT_ONCE]]
        batch = pa.record_batch(
            {column: pa.array([row[i] for row in part]) for column, i in zip(columns, at, strict=True)}
        )
        safe, _ = escape_formulas(batch)
        stream = io.StringIO()
        csv.writer(stream, lineterminator="\n").writerows(zip(*safe.to_pydict().values(), strict=True))
        yield stream.getvalue()


def downloaded(content: Iterator[str], name: str) -> StreamingResponse:
    """A table as a file that the browser keeps."""
    return StreamingResponse(
        content,
        media_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}"},
    )
