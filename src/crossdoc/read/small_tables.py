"""Tables of fixed columns in CSV, JSONL or Parquet: answers, gold, edges, matrices, constraints and known lists."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
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
from crossdoc.model import ENTITY_TYPES, VERDICTS, Judgement, KnownEntry, Relations, Verdict
from crossdoc.model.rows import UNDECIDED_WORDS, WORD_OF_VERDICT
from crossdoc.read.clean_text import printable
from crossdoc.read.profiles import OTHER, read_attributes, read_type
from crossdoc.read.records import (
    Problems,
    Record,
    csv_lines,
    missing_columns,
    read_records,
    repeated_columns,
    rows,
    separator,
    table_source,
)
from crossdoc.read.sources import (
    Source,
    check_file,
    open_binary,
    reading,
    reason,
    without_compression,
)

FORCES = ("hard", "soft")
UNDECIDED = "undecided"
JUDGEMENT_COLUMNS = ("a", "b", "verdict", "force", "weight", "who", "why")


def read_answer(path: str | Path) -> pa.Table:
    """Return an answer or gold: `id, entity`, and `membership` and `group` if present."""
    table = _read_table(path, required=("id", "entity"), texts=("group",), numbers=("membership",))
    _refuse_empty(path, table, ("id", "entity"))
    if "membership" in table.column_names:
        memberships = table.column("membership").to_numpy()
        if len(wrong := np.flatnonzero(~((memberships >= 0) & np.isfinite(memberships)))):
            first = f"the first for {table.column('id')[int(wrong[0])].as_py()}"
            raise errors.bad_records(path, [f"{len(wrong):,} memberships are not numbers of at least 0, {first}"])
    return table


def read_gold(path: str | Path) -> dict[str, set[str]]:
    """Return the entities of each id; most ids have one."""
    table = read_answer(path)
    gold: dict[str, set[str]] = {}
    for id, entity in zip(table["id"].to_pylist(), table["entity"].to_pylist(), strict=True):
        gold.setdefault(id, set()).add(entity)
    return gold


@dataclass(frozen=True, slots=True)
class Edges:
    """Pairs with a strength in [0, 1] (`signed` False) or a signed weight; the nodes' ids in their order."""

    ids: npt.NDArray[np.object_]
    left: npt.NDArray[np.int32]
    right: npt.NDArray[np.int32]
    value: npt.NDArray[np.float64]
    signed: bool
    notes: tuple[str, ...] = ()

    def relations(self) -> Relations:
        return Relations(len(self.ids), self.left, self.right, self.value.astype(np.float32))


def read_edges(path: str | Path) -> Edges:
    """Return edges (`a, b, strength` or `a, b, weight`), or those of a similarity matrix (CSV with ids, or .npy)."""
    path = Path(path)
    if without_compression(path).endswith(".npy"):
        return _from_npy(path)
    source = table_source(path)
    if source.kind == "csv" and not {"a", "b"} <= {name.strip() for name in _csv_header(source)}:
        return _from_matrix_csv(source)
    table = _read_table(path, required=("a", "b"), numbers=("strength", "weight"))
    signed = "weight" in table.column_names
    if not signed and "strength" not in table.column_names:
        raise errors.bad_records(path, ["there is neither a column 'strength' nor a column 'weight'"])
    _refuse_empty(path, table, ("a", "b"))
    value = table.column("weight" if signed else "strength").to_numpy()
    a, b = (table.column(name).combine_chunks() for name in ("a", "b"))
    coded = pa.concat_arrays([a, b]).dictionary_encode()
    ids = coded.dictionary.to_numpy(zero_copy_only=False)
    # Random starts pick nodes, and must not depend on the order of a file.
    order = np.argsort(ids.astype(str), kind="stable")
    codes = np.argsort(order, kind="stable")[coded.indices.to_numpy(zero_copy_only=False)]
    return _checked_edges(path, ids[order], codes[: len(a)], codes[len(a) :], value, signed)


def _checked_edges(
    path: Path,
    ids: npt.NDArray[Any],
    left: npt.NDArray[Any],
    right: npt.NDArray[Any],
    value: npt.NDArray[Any],
    signed: bool,
) -> Edges:
    """Refuse invalid values, leave out self-loops, and take the mean of pairs that are given twice."""
    problems = []
    if not len(ids):
        problems.append("there are no edges and no nodes")
    if (bad := ~np.isfinite(value)).any():
        at = int(np.argmax(bad))
        problems.append(f"{bad.sum():,} values are not numbers, the first for {ids[left[at]]} and {ids[right[at]]}")
    if not signed and ((value < 0) | (value > 1)).any():
        problems.append(
            f"{((value < 0) | (value > 1)).sum():,} strengths lie outside [0, 1]; signed values are a weight"
        )
    if problems:
        raise errors.bad_records(path, problems)
    notes = []
    loops = left == right
    if loops.any():
        of = ids[left[np.argmax(loops)]]
        notes.append(f"{loops.sum():,} edges from a node to itself were left out, the first of them at {of}")
        left, right, value = left[~loops], right[~loops], value[~loops]
    low, high = np.minimum(left, right).astype(np.int64), np.maximum(left, right).astype(np.int64)
    key, where, count = np.unique(low * len(ids) + high, return_inverse=True, return_counts=True)
    if len(key) < len(low):
        first = key[np.argmax(count > 1)]
        notes.append(
            f"{(count > 1).sum():,} pairs were given more than once, such as {ids[first // len(ids)]} and "
            f"{ids[first % len(ids)]}; the mean of their values is used"
        )
        value = np.bincount(where, weights=value) / count
        low, high = key // len(ids), key % len(ids)
    return Edges(ids, low.astype(np.int32), high.astype(np.int32), value.astype(np.float64), signed, tuple(notes))


def _from_npy(path: Path) -> Edges:
    check_file(path)
    try:
        with open_binary(path) as stream:
            matrix = np.lib.format.read_array(io.BytesIO(stream.read()), allow_pickle=False)
    except Exception as error:
        # NumPy checks little of a header, so a broken one fails in many ways.
        raise errors.unreadable(path, reason(error)) from error
    if matrix.dtype.kind not in "biuf":
        raise errors.bad_records(path, ["a similarity matrix must hold real numbers"])
    return _from_matrix(path, matrix, [str(i) for i in range(len(matrix) if matrix.ndim else 0)])


def _csv_header(source: Source) -> list[str]:
    return next(iter(_csv_rows(source)), (0, []))[1]


def _csv_rows(source: Source) -> Iterator[tuple[int, list[str]]]:
    """Yield line number and cells; faults of the file are errors."""
    problems = Problems(source)
    with reading(source.path):
        yield from csv_lines(source, problems)
    problems.raise_if_any()


def _from_matrix_csv(source: Source) -> Edges:
    path = source.path
    lines = list(_csv_rows(source))
    ids = [id.strip() for id in lines[0][1][1:]] if lines else []
    problems = []
    if len(set(ids)) < len(ids):
        problems.append("an id stands over more than one column")
    for number, line in lines[1:]:
        if len(line) != len(ids) + 1:
            problems.append(f"line {number:,}: {len(line) - 1} values for {len(ids)} ids")
    if not problems and [line[0].strip() for _, line in lines[1:]] != ids:
        problems.append("the ids in the first row and in the first column are not the same")
    if not ids or problems:
        raise errors.bad_records(path, ["neither the columns a, b, strength nor a matrix with ids", *problems])
    try:
        matrix = np.array([[float(cell) for cell in line[1:]] for _, line in lines[1:]])
    except ValueError as error:
        raise errors.bad_records(
            path, [f"neither the columns a, b, strength nor a matrix of numbers ({error})"]
        ) from error
    return _from_matrix(path, matrix, ids)


def _from_matrix(path: Path, matrix: npt.NDArray[Any], ids: Sequence[str]) -> Edges:
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or len(ids) != len(matrix):
        raise errors.bad_records(path, [f"a similarity matrix must be square, not {'×'.join(map(str, matrix.shape))}"])
    if not (same := np.isclose(matrix, matrix.T, equal_nan=True)).all():
        a, b = (int(at) for at in np.unravel_index(np.argmin(same), same.shape))
        pair = f"{ids[a]} to {ids[b]} is {matrix[a, b]:g}, and back {matrix[b, a]:g}"
        problem = f"the similarity matrix is not symmetric ({pair}); use (M + Mᵀ) / 2 if that is meant"
        raise errors.bad_records(path, [problem])
    left, right = np.triu_indices(len(matrix), k=1)
    value = matrix[left, right].astype(np.float64)
    return _checked_edges(path, np.array(ids, dtype=object), left, right, value, bool((value < 0).any()))


def read_judgements(path: str | Path) -> list[Judgement]:
    """Return constraints: `a, b, verdict (same|different)`, optionally `force (hard|soft), weight, who, why`.

    A CSV without a header is read in that order. `judgement` may take the place of `verdict`, with the words of
    nomenklatura and Aleph: positive, negative, and (left out, since they decide nothing) unsure and no_judgement.
    """
    source = table_source(path)
    problems = Problems(source)
    found = _csv_judgements(source) if source.kind == "csv" else rows(source, problems)
    judgements = [_judgement(Record(_verdict_in_our_words(fields), problems, line)) for line, fields in found]
    problems.raise_if_any()
    return [judgement for judgement in judgements if judgement is not None]


def _verdict_in_our_words(fields: dict[str, Any]) -> dict[str, Any]:
    word = str(fields.get("judgement", fields.get("verdict")) or "").strip().lower()
    ours = {theirs: verdict for verdict, theirs in WORD_OF_VERDICT.items()} | dict.fromkeys(UNDECIDED_WORDS, UNDECIDED)
    return {**fields, "verdict": ours[word]} if word in ours else fields


def _judgement(record: Record) -> Judgement | None:
    if record.fields.get("verdict") == UNDECIDED:
        return None
    a, b, verdict = ((record.text(name, required=True) or "").strip() for name in ("a", "b", "verdict"))
    force, who, why = record.texts("force", "who", "why")
    verdict, force = verdict.lower(), (force or "hard").strip().lower()
    if verdict and verdict not in VERDICTS:
        record.fault(f"the verdict must be same or different, not {verdict!r}")
    if force not in FORCES:
        record.fault(f"the force must be hard or soft, not {force!r}")
    given = record.fields.get("weight")
    try:
        weight = 1.0 if given is None or given == "" else float(given)
    except (TypeError, ValueError):
        weight = -1.0
    if not 0 <= weight < float("inf"):
        record.fault(f"the weight must be a number of at least 0, not {given!r}")
    if a and a == b:
        record.fault(f"{a!r} is judged against itself")
    known: Verdict = "same" if verdict == "same" else "different"
    return Judgement(a, b, known, force == "hard", weight, who or "", why or "") if record.sound else None


def _csv_judgements(source: Source) -> Iterator[tuple[int, dict[str, Any]]]:
    lines = list(_csv_rows(source))
    header = list(JUDGEMENT_COLUMNS)
    words = {*VERDICTS, *WORD_OF_VERDICT.values(), *UNDECIDED_WORDS}
    if lines and not any(cell.strip().lower() in words for cell in lines[0][1][2:3]):
        header = [cell.strip() for cell in lines.pop(0)[1]]
        missing = [name for name in JUDGEMENT_COLUMNS[:3] if name not in header]
        if missing == ["verdict"] and "judgement" in header:
            missing = []
        if missing:
            raise errors.bad_records(source.path, missing_columns(missing, header))
    problems = Problems(source)
    for number, cells in lines:
        if len(cells) > len(header):
            problems.add(number, f"{len(cells)} cells for the {len(header)} columns {', '.join(header)}")
    problems.raise_if_any()
    return ((number, dict(zip(header, cells, strict=False))) for number, cells in lines)


def _read_table(
    path: str | Path, *, required: Sequence[str], texts: Sequence[str] = (), numbers: Sequence[str] = ()
) -> pa.Table:
    """Return the requested columns: required and further ones as text, and numbers (NaN for missing ones)."""
    source = table_source(path)
    texts = (*required, *texts)
    with reading(path):
        table = _from_records(source, texts, numbers) if source.kind in ("jsonl", "json") else _from_file(source, texts)
    if missing := [name for name in required if name not in table.column_names]:
        raise errors.bad_records(path, missing_columns(missing, table.column_names))
    table = table.select([name for name in (*texts, *numbers) if name in table.column_names])
    for name in table.column_names:
        try:
            column = table.column(name).cast(pa.string() if name in texts else pa.float64())
        except pa.ArrowException as error:
            wanted = "text" if name in texts else "numbers"
            raise errors.bad_records(path, [f"the column {name!r} must hold {wanted} ({reason(error)})"]) from error
        column = column if name in texts else pc.fill_null(column, float("nan"))
        table = table.set_column(table.column_names.index(name), name, column)
    return table


def _from_file(source: Source, texts: Sequence[str]) -> pa.Table:
    with source.open() as stream:
        if source.kind == "parquet":
            return pq.ParquetFile(pa.BufferReader(stream.read())).read()
        header = _csv_header(source)
        if twice := repeated_columns([name.strip() for name in header if name.strip() in texts]):
            raise errors.bad_records(source.path, twice)
        kinds = {name: pa.string() for name in header if name.strip() in texts}
        options = pa_csv.ConvertOptions(strings_can_be_null=False, column_types=kinds)
        table = pa_csv.read_csv(
            stream,
            convert_options=options,
            parse_options=pa_csv.ParseOptions(newlines_in_values=True, delimiter=separator(source)),
        )
        return table.rename_columns([name.strip() for name in table.column_names])


def _from_records(source: Source, texts: Sequence[str], numbers: Sequence[str]) -> pa.Table:
    problems = Problems(source)
    records = [Record(fields, problems, line) for line, fields in rows(source, problems)]
    columns = {}
    for name in dict.fromkeys(name for record in records for name in record.fields):
        if name in numbers:
            columns[name] = pa.array([_number(record, name) for record in records], pa.float64())
        else:
            found = [record.text(name, empty=True) if name in texts else None for record in records]
            columns[name] = pa.array(found, pa.string())
    problems.raise_if_any()
    return pa.table(columns)


def _number(record: Record, name: str) -> float | None:
    value = record.fields.get(name)
    try:
        return None if value is None else float(value)
    except (TypeError, ValueError, OverflowError):
        record.fault(f"the field {name!r} must be a number, not {value!r}")
        return None


def _refuse_empty(path: str | Path, table: pa.Table, names: Sequence[str]) -> None:
    problems = []
    for name in names:
        empty = pc.sum(pc.equal(pc.fill_null(table.column(name), ""), "")).as_py() or 0
        if empty:
            problems.append(f"{empty:,} rows have no {name!r}")
    if problems:
        raise errors.bad_records(path, problems)


def read_known(path: str | Path) -> list[KnownEntry]:
    """Return the entries of a list: `id, name`, optionally `aliases`, `type`, `description` and `attributes`.

    Aliases are a list, or texts separated by | or ;.
    """
    return read_records(path, _entry, "known entry", ("id", "name"))


def _entry(record: Record) -> KnownEntry | None:
    id, name = (record.text(field, required=True) for field in ("id", "name"))
    kind, description = read_type(record), record.text("description")
    if kind == OTHER:
        record.fault(f"the type must be one of {', '.join(ENTITY_TYPES)}, not {record.fields['type']!r}")
    aliases, attributes = _aliases(record), read_attributes(record)
    if id is None or name is None or not record.sound:
        return None
    return KnownEntry(id, name, aliases, kind, description or "", attributes)


def _aliases(record: Record) -> tuple[str, ...]:
    given = record.fields.get("aliases")
    listed = re.split(r"[|;]", given) if isinstance(given, str) else given or []
    if not isinstance(listed, list) or not all(isinstance(alias, str) for alias in listed):
        record.fault("the field 'aliases' must be a list of texts, or texts with | or ; between them")
        return ()
    return tuple(printable(alias.strip()) for alias in listed if alias.strip())
