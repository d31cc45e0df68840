"""Input in memory: Documents, Profiles, records, and Arrow, pandas or polars tables."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from crossdoc import errors
from crossdoc.model import Document, Documents, Profile, Profiles, Table
from crossdoc.read.sources import Kind, Source, Sources, find_sources

Input = Any
"""A path, a table (Arrow, pandas, polars, `Documents`, `Profiles`), or an iterable of `Document`s, `Profile`s or
records."""


@dataclass(frozen=True)
class TableSource(Source):
    """A table in memory in place of a file."""

    table: pa.Table

    def stamp(self) -> tuple[Any, ...]:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, self.table.schema) as writer:
            writer.write_table(self.table)
        return (hashlib.sha256(sink.getvalue()).hexdigest(),)


def sources_of(inputs: Iterable[Input], format: Kind | None = None, columns: Iterable[str] = ()) -> Sources:
    """Return the sources of paths (of a format, if given) and of objects in memory.

    `columns` (FIELD=COLUMN) map the columns of tables.
    """
    renamed = tuple((each.partition("=")[2].strip(), each.partition("=")[0].strip()) for each in columns)
    sources = Sources()
    for number, given in enumerate(inputs, 1):
        if isinstance(given, str | os.PathLike):
            sources.include(find_sources([given], format))
        else:
            name = f"input {number}"
            sources.append(TableSource(Path(name), name, "memory", table_in_memory(given)))
    prefix = _prefixes([source.path for source in sources])
    if renamed or prefix:
        sources[:] = [replace(source, columns=renamed, prefix=prefix.get(source.path, "")) for source in sources]
    return sources


def _prefixes(paths: Iterable[Path]) -> dict[Path, str]:
    """Return, for files of one name, as much of each path as distinguishes them.

    >>> _prefixes([Path("x/a.csv"), Path("y/a.csv"), Path("y/b.csv")])
    {PosixPath('x/a.csv'): 'x/a.csv', PosixPath('y/a.csv'): 'y/a.csv'}
    """
    by_stem: dict[str, dict[Path, None]] = {}
    for path in paths:
        by_stem.setdefault(path.stem, {})[path] = None
    found: dict[Path, str] = {}
    for same in by_stem.values():
        depth = 1
        while len({path.parts[-depth:] for path in same}) < len(same):
            depth += 1
        found |= {path: "/".join(path.parts[-depth:]) for path in same} if len(same) > 1 else {}
    return found


def table_in_memory(given: Any) -> pa.Table:
    if isinstance(given, Table):
        return given.arrow
    if isinstance(given, Document | Profile):
        given = [given]
    if isinstance(given, Iterable) and not hasattr(given, "__arrow_c_stream__") and not hasattr(given, "columns"):
        return _table_of_rows(list(given))
    try:
        return pa.table(given)
    except (TypeError, ValueError, pa.ArrowException) as error:
        raise errors.not_an_input(type(given).__name__, str(error).splitlines()[0]) from error


def _table_of_rows(rows: list[Any]) -> pa.Table:
    kinds = {type(row) for row in rows}
    if kinds == {Document}:
        return Documents.of(rows).arrow
    if kinds == {Profile}:
        return Profiles.of(rows).arrow
    if kinds == {dict}:
        try:
            return pa.Table.from_pylist(rows)
        except pa.ArrowException as error:
            raise errors.not_an_input("list of records", str(error).splitlines()[0]) from error
    listed = ", ".join(sorted(kind.__name__ for kind in kinds)) or "nothing"
    raise errors.not_an_input(f"list of {listed}", "it must hold Documents, Profiles or records, all of one kind")
