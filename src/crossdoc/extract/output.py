"""Profiles to the Parquet or JSONL file that `crossdoc resolve` reads."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

import pyarrow.parquet as pq

from crossdoc import errors
from crossdoc.files import whole_file
from crossdoc.model import Profile, Profiles

FORMATS = ("parquet", "jsonl")


def format_of(path: Path) -> str:
    ending = path.suffix.removeprefix(".").lower()
    if ending not in FORMATS:
        raise errors.unknown_choice("output format", path.name, [f"NAME.{name}" for name in FORMATS])
    return ending


def write_profiles(batches: Iterable[Profiles], output: Path) -> int:
    """Write profiles in their order; the output appears under its name when it is complete."""
    count = 0
    format = format_of(output)
    with whole_file(output) as stream, ExitStack() as closing:
        if format == "parquet":
            writer = closing.enter_context(pq.ParquetWriter(stream, Profiles.schema))
        for batch in batches:
            count += len(batch)
            if format == "parquet":
                writer.write_table(batch.arrow)
                continue
            for profile in batch:
                stream.write(json.dumps(record(profile), ensure_ascii=False).encode() + b"\n")
    return count


def record(profile: Profile) -> dict[str, object]:
    """A profile as a line of JSONL; what is not known is left out."""
    cells = asdict(profile)
    cells["relations"] = [{key: value for key, value in link.items() if value} for link in cells["relations"]]
    return {key: value for key, value in cells.items() if value not in (None, "", [], {})}
