"""Matrices of contexts: SenseClusters' own text formats, NumPy's .npy and SciPy's .npz.

SenseClusters: the first line has the rows and columns of vectors, then one dense row a line; with a third number, the
count of the entries, each line holds pairs of a column (from 1) and a value. Similarities have the number of rows
alone, or with the count of the entries if they are sparse.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import sparse

from crossdoc import errors
from crossdoc.read.sources import READ_ERRORS, check_file, open_binary, reason, without_compression

Space = Literal["vector", "similarity"]


class Matrix(NamedTuple):
    """The rows, and whether they are vectors or similarities of all pairs."""

    values: sparse.csr_matrix
    space: Space


def looks_like_matrix(path: Path) -> bool:
    """Return whether a file is a NumPy or SciPy matrix, or text whose first line is one to three integers."""
    if without_compression(path).endswith((".npy", ".npz")):
        return True
    try:
        with open_binary(path) as stream:
            first = stream.read(200).decode("ascii").strip().splitlines()[:1]
    except (*READ_ERRORS, UnicodeDecodeError):
        return False
    cells = first[0].split() if first else []
    return 1 <= len(cells) <= 3 and all(cell.isdigit() for cell in cells)


def read_matrix(path: str | Path, space: Space | None = None) -> Matrix:
    """Return a matrix on file; `space` decides for NumPy matrices and for ambiguous square ones."""
    path = Path(path)
    check_file(path)
    try:
        with open_binary(path) as stream:
            content = stream.read()
        if without_compression(path).endswith((".npy", ".npz")):
            return Matrix(_from_numpy(path, content), space or "vector")
        lines = content.decode("ascii").removesuffix("\n").split("\n")
    except UnicodeDecodeError as error:
        raise errors.unreadable(path, "it is neither a matrix of SenseClusters nor of NumPy") from error
    except READ_ERRORS as error:
        raise errors.unreadable(path, reason(error)) from error
    return _from_text(path, lines, space)


def _from_numpy(path: Path, content: bytes) -> sparse.csr_matrix:
    try:
        if without_compression(path).endswith(".npz"):
            return sparse.csr_matrix(sparse.load_npz(io.BytesIO(content)), dtype=np.float64)
        matrix = np.lib.format.read_array(io.BytesIO(content), allow_pickle=False)
        if matrix.ndim != 2:
            raise ValueError(f"it has the shape {matrix.shape}, not rows and columns")
        return sparse.csr_matrix(matrix.astype(np.float64))
    except Exception as error:
        # NumPy checks little of a header, so a broken one fails in many ways.
        raise errors.unreadable(path, reason(error)) from error


def _from_text(path: Path, lines: list[str], space: Space | None) -> Matrix:
    head = lines[0].split()
    if not (1 <= len(head) <= 3 and all(cell.isdigit() for cell in head)):
        raise errors.bad_matrix(path, 1, "rows and columns were expected, and perhaps the count of entries")
    sizes = [int(cell) for cell in head]
    if max(sizes) >= 2**31:
        raise errors.bad_matrix(path, 1, "so many rows and columns cannot be held")
    n = sizes[0]
    body = [line.split() for line in lines[1:]]
    while len(body) > n and not body[-1]:
        body.pop()
    if len(body) != n:
        raise errors.bad_matrix(path, 1, f"{n:,} rows were announced and there are {len(body):,}")
    if len(sizes) == 3:
        return Matrix(_sparse(path, body, sizes[1], sizes[2]), "vector")
    if len(sizes) == 1:
        return Matrix(_dense(path, body, n), "similarity")
    entries = sum(map(len, body))
    # Two numbers are rows and columns, or rows and entries of similarities, depending on the lines.
    if space == "similarity" or (entries == 2 * sizes[1] and entries != n * sizes[1]):
        return Matrix(_sparse(path, body, n, sizes[1]), "similarity")
    return Matrix(_dense(path, body, sizes[1]), "vector")


def _dense(path: Path, body: list[list[str]], width: int) -> sparse.csr_matrix:
    rows = []
    for number, cells in enumerate(body, 2):
        if len(cells) != width:
            raise errors.bad_matrix(path, number, f"{len(cells):,} values for {width:,} columns")
        rows.append(_numbers(path, cells, number))
    return sparse.csr_matrix(np.array(rows, dtype=np.float64).reshape(len(body), width))


def _sparse(path: Path, body: list[list[str]], width: int, entries: int) -> sparse.csr_matrix:
    columns: list[Any] = []
    values: list[Any] = []
    ends = [0]
    for number, cells in enumerate(body, 2):
        if len(cells) % 2:
            raise errors.bad_matrix(path, number, "a column without a value")
        where = _numbers(path, cells[::2], number)
        if any(column != int(column) or not 1 <= column <= width for column in where):
            raise errors.bad_matrix(path, number, f"a column is not a whole number from 1 to {width:,}")
        columns.extend(int(column) - 1 for column in where)
        values.extend(_numbers(path, cells[1::2], number))
        ends.append(len(columns))
    if len(columns) != entries:
        raise errors.bad_matrix(path, 1, f"{entries:,} entries were announced and there are {len(columns):,}")
    return sparse.csr_matrix((np.array(values, dtype=np.float64), columns, ends), shape=(len(body), width))


def _numbers(path: Path, cells: list[str], line: int) -> list[float]:
    try:
        numbers = [float(cell) for cell in cells]
    except ValueError as error:
        raise errors.bad_matrix(path, line, str(error)) from error
    if not np.isfinite(numbers).all():
        raise errors.bad_matrix(path, line, "a number is not finite (NaN or infinite)")
    return numbers
