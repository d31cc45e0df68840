"""Profiles to the Parquet or JSONL file that `crossdoc resolve` reads."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from crossdoc import errors
from crossdoc.files import whole_file, write_rows
from crossdoc.model import Profiles

FORMATS = ("parquet", "jsonl")


def format_of(path: Path) -> str:
    ending = path.suffix.removeprefix(".").lower()
    if ending not in FORMATS:
        raise errors.unknown_choice("output format", path.name, [f"NAME.{name}" for name in FORMATS])
    return ending


def write_profiles(batches: Iterable[Profiles], output: Path) -> int:
    """Write profiles in their order; the output appears under its name when it is complete."""
    rows = (rows for batch in batches for rows in batch.arrow.combine_chunks().to_batches())
    with whole_file(output) as stream:
        return write_rows(rows, Profiles.schema, format_of(output), stream, _record)


def _record(row: dict[str, Any]) -> dict[str, Any]:
    """A profile as a line of JSONL; what is not known is left out."""
    links = [{key: value for key, value in link.items() if value} for link in row["relations"] or ()]
    cells = {**row, "attributes": dict(row["attributes"] or ()), "relations": links}
    return {key: value for key, value in cells.items() if value not in (None, "", [], {})}
