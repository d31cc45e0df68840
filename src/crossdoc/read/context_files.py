"""Contexts of an ambiguous name or word: JSONL, CSV or Parquet records with a marked target, or NumPy's matrices.

A context is a profile whose name is the written target, so it can be used as a profile everywhere.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import numpy as np
from scipy import sparse

from crossdoc import errors
from crossdoc.model import Profile
from crossdoc.read.records import Record, read_records
from crossdoc.read.sources import check_file, open_binary, reason, without_compression

MATRIX_ENDINGS = (".npy", ".npz")
_HEAD = re.compile(r"<head\b[^>]*>(.*?)</head>", re.DOTALL)
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Context:
    """A text with its target at [start, end) (half-open code points; equal where none is marked)."""

    id: str
    text: str
    start: int = 0
    end: int = 0

    @property
    def target(self) -> str:
        return self.text[self.start : self.end]

    def within(self, words: int) -> Self:
        """Return the context cut to a number of words on either side of the target.

        >>> Context("1", "one two John Smith three four", 8, 18).within(1)
        Context(id='1', text='two John Smith three', start=4, end=14)
        """
        if self.start == self.end:
            return self
        before = [match.start() for match in _WORD.finditer(self.text, 0, self.start)][-words:] if words else []
        after = [match.end() for match in _WORD.finditer(self.text, self.end)][:words]
        first, last = before[0] if before else self.start, after[-1] if after else self.end
        return replace(self, text=self.text[first:last], start=self.start - first, end=self.end - first)

    def profile(self) -> Profile:
        return Profile(self.id, self.id, " ".join(self.target.split()), context=self.text, language="en")


def read_contexts(path: str | Path) -> list[Context]:
    """Return the contexts of a file; errors name the line."""
    return read_records(path, _from_record, "context")


def read_words(path: str | Path) -> frozenset[str]:
    """Return the words of a stop list: separated by white space, in any case."""
    path = Path(path)
    check_file(path)
    try:
        return frozenset(path.read_text(encoding="utf-8").lower().split())
    except UnicodeDecodeError as error:
        raise errors.undecodable(path, error.reason) from error


def _from_record(record: Record) -> Context | None:
    if "text" not in record.fields:
        record.fault("the field 'text' is missing")
    text = record.text("text", empty=True) or ""
    id = record.text("id") or str(record.line)
    span = record.span(text)
    if sum(record.fields.get(name) not in (None, "") for name in ("start", "end")) == 1:
        record.fault("a target needs both 'start' and 'end'")
    if not record.sound:
        return None
    return _find_head(id, text) if span is None else Context(id, text, *span)


def _find_head(id: str, text: str) -> Context:
    """Return a context whose target is marked by <head> … </head>; the first one counts."""
    found = _HEAD.search(text)
    if found is None:
        return Context(id, text)
    plain = [_HEAD.sub(r"\1", part) for part in (text[: found.start()], found[1], text[found.end() :])]
    start = len(plain[0])
    return Context(id, "".join(plain), start, start + len(plain[1]))


def is_matrix(path: Path) -> bool:
    """Return whether a file is a matrix of NumPy or SciPy, by its ending."""
    return without_compression(path).endswith(MATRIX_ENDINGS)


def read_matrix(path: str | Path) -> sparse.csr_matrix:
    """Return the vectors on file, one per row."""
    path = Path(path)
    check_file(path)
    try:
        with open_binary(path) as stream:
            content = io.BytesIO(stream.read())
        if without_compression(path).endswith(".npz"):
            return sparse.csr_matrix(sparse.load_npz(content), dtype=np.float64)
        matrix = np.lib.format.read_array(content, allow_pickle=False)
        if matrix.ndim != 2:
            raise ValueError(f"it has the shape {matrix.shape}, not rows and columns")
        return sparse.csr_matrix(matrix.astype(np.float64))
    except Exception as error:
        # NumPy checks little of a header, so a broken one fails in many ways.
        raise errors.unreadable(path, reason(error)) from error
