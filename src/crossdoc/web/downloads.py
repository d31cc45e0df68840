"""The rows of a page as CSV that is safe in a spreadsheet."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

import pyarrow as pa
from fastapi import Response
from pyarrow.csv import write_csv

from crossdoc.write.entities import escape_formulas

MOST_EXPORTED = 1_000_000
"""Rows of one table."""


def downloaded(rows: Sequence[Any], columns: Sequence[str], name: str) -> Response:
    """Return some attributes of rows as a CSV file that the browser saves, without cells that a spreadsheet would run.

    >>> from crossdoc.store.views import Line
    >>> line = Line("a", "=1+1", "judge", "person", 2, 3, 1999, 2001, 0.9)
    >>> bytes(downloaded([line], ("name", "documents"), "lines.csv").body)
    b'"name","documents"\\n"\\'=1+1",2\\n'
    """
    cells = {column: pa.array([getattr(row, column) for row in rows]) for column in columns}
    safe, _ = escape_formulas(pa.record_batch(cells))
    stream = io.BytesIO()
    write_csv(safe, stream)
    disposition = f"attachment; filename*=UTF-8''{quote(name, safe='')}"
    headers = {"Content-Disposition": disposition}
    return Response(stream.getvalue(), media_type="text/csv; charset=utf-8", headers=headers)
