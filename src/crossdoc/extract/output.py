"""Profiles from the work file of `crossdoc extract` to the Parquet or JSONL file that `crossdoc resolve` reads."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from crossdoc import errors
from crossdoc.model import Profile, Profiles

FORMATS = ("parquet", "jsonl")
ROWS_AT_ONCE = 4096
MEMORY = "400MB"
"""What DuckDB may hold of the work file while it is read; left alone it would take most of the machine's memory."""


def format_of(path: Path) -> str:
    ending = path.suffix.removeprefix(".").lower()
    if ending not in FORMATS:
        raise errors.unknown_choice("output format", path.name, [f"NAME.{name}" for name in FORMATS])
    return ending


def write_profiles(work: Path, output: Path) -> int:
    """Write the profiles of a work file in their order; the output appears under its name when it is complete."""
    temporary = None
    try:
        with tempfile.NamedTemporaryFile(dir=output.parent, prefix=f".{output.name}.", delete=False) as stream:
            temporary = Path(stream.name)
        count = _write(_stored(work), temporary, format_of(output))
        with temporary.open("rb") as written:
            os.fsync(written.fileno())
        temporary.chmod(0o644)
        os.replace(temporary, output)
        return count
    except OSError as error:
        raise errors.cannot_write(output, error.strerror or str(error)) from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def _stored(work: Path) -> Iterator[pa.RecordBatch]:
    with duckdb.connect(str(work), read_only=True, config={"memory_limit": MEMORY}) as database:
        # DuckDB keeps the order in which rows came; to sort by it would mean to hold them all.
        yield from database.sql("SELECT * FROM profiles").to_arrow_reader(ROWS_AT_ONCE)


def _write(batches: Iterator[pa.RecordBatch], path: Path, format: str) -> int:
    count = 0
    if format == "parquet":
        with pq.ParquetWriter(path, Profiles.schema) as writer:
            for batch in batches:
                writer.write_table(Profiles(pa.Table.from_batches([batch])).arrow)
                count += batch.num_rows
        return count
    with path.open("wb") as stream:
        for batch in batches:
            for profile in Profiles(pa.Table.from_batches([batch])):
                stream.write(json.dumps(record(profile), ensure_ascii=False).encode() + b"\n")
            count += batch.num_rows
    return count


def record(profile: Profile) -> dict[str, object]:
    """A profile as a line of JSONL; what is not known is left out."""
    cells = asdict(profile)
    cells["relations"] = [{key: value for key, value in link.items() if value} for link in cells["relations"]]
    return {key: value for key, value in cells.items() if value not in (None, "", [], {})}
