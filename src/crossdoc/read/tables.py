"""Answers, gold, edges, similarity matrices and constraints: small tables of fixed columns in CSV, JSONL or Parquet."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from crossdoc import errors
from crossdoc.model import Judgement, Relations
from crossdoc.read.records import Problems, rows
from crossdoc.read.sources import Source, find_sources

TRUE_WORDS = {"same", "different"}
FORCE_WORDS = {"hard", "soft"}


def read_answer(path: str | Path) -> pa.Table:
    """`id, entity` and, where there, `membership` and `group`; an answer or gold."""
    table = _read_table(path)
    _require(path, table, ("id", "entity"))
    kept = [name for name in ("id", "entity", "membership", "group") if name in table.column_names]
    table = table.select(kept)
    for name in set(kept) & {"id", "entity", "group"}:
        table = _set(table, name, table.column(name).cast(pa.string()))
    for name in ("id", "entity"):
        if table.column(name).null_count:
            raise errors.bad_records(path, [f"{table.column(name).null_count:,} rows have no {name!r}"])
    if "membership" in kept:
        table = _set(table, "membership", _numbers(path, table, "membership"))
    return table


@dataclass(frozen=True, slots=True)
class Edges:
    """Pairs with a strength in [0, 1] (`signed` False) or a signed weight; the nodes' ids in order of appearance."""

    ids: npt.NDArray[np.object_]
    left: npt.NDArray[np.int32]
    right: npt.NDArray[np.int32]
    value: npt.NDArray[np.float64]
    signed: bool
    notes: tuple[str, ...] = ()

    def relations(self) -> Relations:
        return Relations(len(self.ids), self.left, self.right, self.value.astype(np.float32))


def read_edges(path: str | Path) -> Edges:
    """Edges (`a, b, strength` or `a, b, weight`), or a square similarity matrix (CSV with ids, or .npy)."""
    path = Path(path)
    if path.suffix == ".npy":
        return _from_npy(path)
    table = _read_table(path)
    if not {"a", "b"} <= set(table.column_names) and path.name.removesuffix(".gz").endswith(".csv"):
        return _from_matrix_csv(path)
    _require(path, table, ("a", "b"))
    signed = "weight" in table.column_names
    if not signed:
        _require(path, table, ("strength",))
    value = _numbers(path, table, "weight" if signed else "strength").to_numpy()
    a, b = (table.column(name).cast(pa.string()).combine_chunks() for name in ("a", "b"))
    coded = pa.concat_arrays([a, b]).dictionary_encode()
    codes = coded.indices.to_numpy(zero_copy_only=False)
    left, right = codes[: len(a)], codes[len(a) :]
    return _checked_edges(path, coded.dictionary.to_numpy(zero_copy_only=False), left, right, value, signed)


def _checked_edges(
    path: Path,
    ids: npt.NDArray[Any],
    left: npt.NDArray[Any],
    right: npt.NDArray[Any],
    value: npt.NDArray[Any],
    signed: bool,
) -> Edges:
    """Refuse what has no meaning; leave out self-loops; a pair given twice counts once, with its mean."""
    problems = []
    if np.isnan(value).any():
        problems.append(f"{np.isnan(value).sum():,} values are not numbers")
    if not signed and ((value < 0) | (value > 1)).any():
        problems.append(
            f"{((value < 0) | (value > 1)).sum():,} strengths lie outside [0, 1]; signed values are a weight"
        )
    if problems:
        raise errors.bad_records(path, problems)
    notes = []
    loops = left == right
    if loops.any():
        notes.append(f"{loops.sum():,} edges from a node to itself were left out")
        left, right, value = left[~loops], right[~loops], value[~loops]
    low, high = np.minimum(left, right).astype(np.int64), np.maximum(left, right).astype(np.int64)
    key, where, count = np.unique(low * len(ids) + high, return_inverse=True, return_counts=True)
    if len(key) < len(low):
        notes.append(f"{(count > 1).sum():,} pairs were given more than once; each counts with the mean of its values")
        value = np.bincount(where, weights=value) / count
        low, high = key // len(ids), key % len(ids)
    return Edges(ids, low.astype(np.int32), high.astype(np.int32), value.astype(np.float64), signed, tuple(notes))


def _from_npy(path: Path) -> Edges:
    if not path.exists():
        raise errors.no_such_path(path)
    try:
        matrix = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise errors.unreadable(path, str(error).splitlines()[0]) from error
    return _from_matrix(path, matrix, [str(i) for i in range(len(matrix) if matrix.ndim else 0)])


def _from_matrix_csv(path: Path) -> Edges:
    source = _source(path)
    with source.open() as stream, io.TextIOWrapper(stream, "utf-8-sig", newline="") as text:
        lines = list(csv.reader(text))
    ids = lines[0][1:] if lines else []
    problems = [
        f"line {number:,}: {len(line) - 1} values for {len(ids)} ids"
        for number, line in enumerate(lines[1:], 2)
        if len(line) != len(ids) + 1
    ]
    if not ids or problems:
        raise errors.bad_records(path, problems or ["neither the columns a, b, strength nor a matrix with ids"])
    try:
        matrix = np.array([[float(cell) for cell in line[1:]] for line in lines[1:]])
    except ValueError as error:
        raise errors.bad_records(
            path, [f"neither the columns a, b, strength nor a matrix of numbers ({error})"]
        ) from error
    return _from_matrix(path, matrix, ids)


def _from_matrix(path: Path, matrix: npt.NDArray[Any], ids: Sequence[str]) -> Edges:
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or len(ids) != len(matrix):
        raise errors.bad_records(path, [f"a similarity matrix must be square, not {'×'.join(map(str, matrix.shape))}"])
    if not np.allclose(matrix, matrix.T, equal_nan=True):
        raise errors.bad_records(path, ["the similarity matrix is not symmetric; use (M + Mᵀ) / 2 if that is meant"])
    left, right = np.triu_indices(len(matrix), k=1)
    value = matrix[left, right].astype(np.float64)
    return _checked_edges(path, np.array(ids, dtype=object), left, right, value, bool((value < 0).any()))


def read_judgements(path: str | Path) -> list[Judgement]:
    """Constraints: `a, b, verdict (same|different)`, optionally `force (hard|soft), weight, who, why`.

    A CSV without a header is read in that order.
    """
    source = _source(path)
    problems = Problems(source)
    if source.kind == "csv":
        records = _csv_judgements(source)
    else:
        records = list(rows(source, problems))
    judgements = []
    for line, record in records:
        words = {
            str(value).strip().lower(): key for key, value in record.items() if key not in ("a", "b", "who", "why")
        }
        verdict = next((word for word in words if word in TRUE_WORDS), None)
        a, b = (str(record.get(key, "")).strip() for key in ("a", "b"))
        if not a or not b:
            problems.add(line, "the fields 'a' and 'b' must name two profiles")
        if verdict is None:
            problems.add(line, "no 'same' or 'different'")
        try:
            weight = float(record.get("weight") or 1.0)
        except (TypeError, ValueError):
            problems.add(line, f"the weight {record['weight']!r} is not a number")
            continue
        if a and b and verdict:
            judgements.append(
                Judgement(
                    a,
                    b,
                    "same" if verdict == "same" else "different",
                    hard="soft" not in words,
                    weight=weight,
                    who=str(record.get("who") or ""),
                    why=str(record.get("why") or ""),
                )
            )
    problems.raise_if_any()
    return judgements


def _csv_judgements(source: Source) -> list[tuple[int, dict[str, Any]]]:
    with source.open() as stream, io.TextIOWrapper(stream, "utf-8-sig", newline="") as text:
        lines = [(number, [cell.strip() for cell in line]) for number, line in enumerate(csv.reader(text), 1) if line]
    if not lines:
        return []
    header = ["a", "b", "verdict", "force", "weight", "who", "why"]
    if not TRUE_WORDS & {cell.lower() for cell in lines[0][1]}:
        header, lines = lines[0][1], lines[1:]
    return [(number, dict(zip(header, line, strict=False))) for number, line in lines]


def _source(path: str | Path) -> Source:
    if Path(path).is_dir():
        raise errors.unknown_format(path, [".csv", ".jsonl", ".parquet"])
    return find_sources([path])[0]


def _read_table(path: str | Path) -> pa.Table:
    source = _source(path)
    if source.kind in ("text", "html"):
        raise errors.unknown_format(path, [".csv", ".jsonl", ".parquet"])
    try:
        if source.kind == "csv":
            with source.open() as stream:
                read = pa_csv.ConvertOptions(strings_can_be_null=False, column_types=_TEXT_COLUMNS)
                parse = pa_csv.ParseOptions(newlines_in_values=True)
                return pa_csv.read_csv(stream, convert_options=read, parse_options=parse)
        if source.kind == "parquet" and source.path.suffix.lower() == ".parquet":
            return pq.read_table(source.path)
    except (OSError, EOFError, pa.ArrowException) as error:
        raise errors.unreadable(path, str(error).splitlines()[0].rstrip(".")) from error
    problems = Problems(source)
    records = [record for _, record in rows(source, problems)]
    problems.raise_if_any()
    names = list(dict.fromkeys(name for record in records for name in record))
    return pa.table({name: _column([record.get(name) for record in records]) for name in names})


_TEXT_COLUMNS = {name: pa.string() for name in ("id", "entity", "group", "a", "b")}


def _column(values: list[Any]) -> pa.Array:
    try:
        return pa.array(values)
    except pa.ArrowException:
        return pa.array([None if value is None else str(value) for value in values])


def _require(path: str | Path, table: pa.Table, names: Sequence[str]) -> None:
    missing = [name for name in names if name not in table.column_names]
    if missing:
        there = ", ".join(table.column_names) or "none"
        raise errors.bad_records(path, [f"the column {name!r} is missing (there are: {there})" for name in missing])


def _numbers(path: str | Path, table: pa.Table, name: str) -> pa.ChunkedArray:
    try:
        column = pc.cast(table.column(name), pa.float64())
    except pa.ArrowException as error:
        raise errors.bad_records(path, [f"the column {name!r} must hold numbers ({error})"]) from error
    return pc.fill_null(column, float("nan"))


def _set(table: pa.Table, name: str, column: Any) -> pa.Table:
    return table.set_column(table.column_names.index(name), name, column)
