"""Known lists in CSV, JSONL or Parquet: an authority file, a watch list, a list of customers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from crossdoc import errors
from crossdoc.model import ENTITY_TYPES, KnownEntry
from crossdoc.read.clean_text import printable
from crossdoc.read.profiles import OTHER, parse_json_cell, read_attributes, read_type
from crossdoc.read.records import Problems, UniqueIds, as_text, rows
from crossdoc.read.small_tables import missing_columns, table_source


def read_known(path: str | Path) -> list[KnownEntry]:
    """Return the entries of a list: `id, name`, optionally `aliases`, `type`, `description` and `attributes`.

    Aliases are a list, or texts separated by | or ;.
    """
    source = table_source(path)
    problems, ids = Problems(source), UniqueIds()
    entries: list[KnownEntry] = []
    for line, record in rows(source, problems):
        missing = [name for name in ("id", "name") if name not in record]
        if source.kind == "csv" and missing and not entries and not problems:
            raise errors.bad_known_list(path, missing_columns(missing, list(record)))
        entry = _entry(record, problems, line)
        if entry is not None:
            ids.add(entry.id, source)
            entries.append(entry)
    if problems:
        raise errors.bad_known_list(path, problems.found)
    ids.raise_if_repeated()
    if not entries:
        raise errors.no_records(path, "known entry")
    return entries


def _entry(record: dict[str, Any], problems: Problems, line: int) -> KnownEntry | None:
    before = len(problems.found)
    id, name = (as_text(record, field, problems, line, required=True) for field in ("id", "name"))
    kind, description = read_type(record, problems, line), as_text(record, "description", problems, line)
    if kind == OTHER:
        problems.add(line, f"the type must be one of {', '.join(ENTITY_TYPES)}, not {record['type']!r}")
    aliases = _aliases(record.get("aliases"), problems, line)
    attributes = read_attributes(parse_json_cell(record.get("attributes")), problems, line)
    if id is None or name is None or len(problems.found) > before:
        return None
    return KnownEntry(id, name, aliases, kind, description or "", attributes)


def _aliases(given: Any, problems: Problems, line: int) -> tuple[str, ...]:
    listed = re.split(r"[|;]", given) if isinstance(given, str) else given or []
    if not isinstance(listed, list) or not all(isinstance(alias, str) for alias in listed):
        problems.add(line, "the field 'aliases' must be a list of texts, or texts with | or ; between them")
        return ()
    return tuple(printable(alias.strip()) for alias in listed if alias.strip())
