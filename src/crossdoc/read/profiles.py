"""Profiles that another extractor made, as batches of the `Profiles` table."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain, islice
from typing import Any

import pyarrow as pa

from crossdoc import errors
from crossdoc.model import ENTITY_TYPES, Profile, Profiles, Relation
from crossdoc.read.clean_text import printable
from crossdoc.read.records import Problems, Record, RowNotes, UniqueIds, check_columns, rows
from crossdoc.read.sources import Source, find_sources

OTHER = "other"
"""Result of `read_type` for a type that crossdoc does not resolve."""
ENTITY_TYPE_OF_LABEL = {
    "PERSON": "person", "PER": "person", "ORG": "organisation", "ORGANIZATION": "organisation", "GPE": "place",
    "LOC": "place", "LOCATION": "place", "FAC": "place", "COMPANY": "organisation", "PERS": "person", "CITY": "place",
    "COUNTRY": "place", "GEO": "place", "FACILITY": "place", "INSTITUTION": "organisation",
    **{type.upper(): type for type in ENTITY_TYPES},
}  # fmt: skip
"""Label of another tool → entity type."""


def read_profiles(
    sources: Sequence[Source], *, batch_size: int = 50_000, notes: RowNotes | None = None
) -> Iterator[Profiles]:
    """Yield batches of profiles; ids must be unique over all sources.

    `notes` counts rows that have no id or are left out.
    """
    ids = UniqueIds()
    notes = RowNotes() if notes is None else notes
    for source in sources:
        for batch in _batches(source, batch_size, notes):
            for id in batch.ids:
                ids.add(id, source)
            if not ids.repeated:
                yield batch
    ids.raise_if_repeated()
    if not ids.seen and not notes.other_types:
        raise errors.no_records(", ".join(str(s.path) for s in sources[:3]), "profile")


def read_all_profiles(paths: Iterable[str | os.PathLike[str]]) -> Profiles:
    return Profiles(pa.concat_tables([Profiles.of(()).arrow, *(b.arrow for b in read_profiles(find_sources(paths)))]))


def _batches(source: Source, batch_size: int, notes: RowNotes) -> Iterator[Profiles]:
    problems = Problems(source, notes)
    records = rows(source, problems)
    if (head := next(records, None)) is not None:
        check_columns(source, head[1], ["name"])
        stream = _from_records(source, problems, chain([head], records), head[1].keys())
        while batch := list(islice(stream, batch_size)):
            yield Profiles.of(batch)
    problems.raise_if_any()


def _from_records(
    source: Source, problems: Problems, records: Iterable[tuple[int, dict[str, Any]]], given: Set[str]
) -> Iterator[Profile]:
    """Yield the rows of a table. Rows without ids get document:start:end if they have these, else file and line.

    Fields of the first record (`given`) are required in all. Without documents each mention is its own document.
    """
    spans: set[str] = set()
    for line, fields in records:
        if "id" not in given and fields.get("id") is None:
            fields = {**fields, "id": _span_id(fields, spans) or source.row_id(line)}
            problems.notes.number(fields["id"])
        if "document" not in given and fields.get("document") is None:
            fields = {**fields, "document": fields.get("id")}
        profile = _from_record(Record(fields, problems, line))
        if profile is not None and not problems:
            yield profile


def _span_id(record: Mapping[str, Any], taken: set[str]) -> str | None:
    """Return document:start:end, as of a mention in a text; None if one of them is missing, or another row has it."""
    document, start, end = (str(record.get(name, "")).strip() for name in ("document", "start", "end"))
    id = f"{document}:{start}:{end}"
    if not document or not start.isdecimal() or not end.isdecimal() or id in taken:
        return None
    taken.add(id)
    return id


def _from_record(record: Record) -> Profile | None:
    id, document, name = (record.text(field, required=True) for field in ("id", "document", "name"))
    kind = read_type(record)
    context, language = record.texts("context", "language")
    attributes, relations = read_attributes(record), read_relations(record)
    for column, value in record.fields.items():
        kind_of_column, colon, about = column.partition(":")
        if not colon or not isinstance(value, str):
            continue
        values = [printable(part.strip()) for part in re.split(r"[|;]", value) if part.strip()]
        if kind_of_column.strip() == "attribute" and values:
            attributes.setdefault(about.strip(), []).extend(values)
        elif kind_of_column.strip() == "relation":
            relations += [Relation(about.strip(), each) for each in values]
    if id is None or document is None or name is None or kind == OTHER or not record.sound:
        return None
    return Profile(id, document, name, kind, context or "", language, attributes, tuple(relations))


def type_of(label: str | None) -> str | None:
    """Return the entity type of a label of any tool; None for other types.

    >>> type_of("Organization"), type_of("B-PER"), type_of("event")
    ('organisation', 'person', None)
    """
    return ENTITY_TYPE_OF_LABEL.get((label or "").upper().removeprefix("B-").removeprefix("I-"))


def read_type(record: Record) -> str | None:
    """Return the entity type of a record, also for labels of other programs (PER, ORG, GPE …); None without a type.

    Any other type is counted in the notes, and OTHER is returned.
    """
    stated = record.text("type")
    kind = None if stated is None else type_of(stated.strip())
    if stated is not None and kind is None:
        record.problems.notes.other_types[stated.strip()] += 1
        return OTHER
    return kind


def read_attributes(record: Record) -> dict[str, list[str]]:
    """Return an object of lists of texts. Parquet has a struct with None for missing fields, or a map as pairs."""
    given = _parse_json_cell(record.fields.get("attributes"))
    if isinstance(given, dict):
        given = list(given.items())
    if given is None:
        return {}
    if not isinstance(given, list) or not all(isinstance(item, tuple) and len(item) == 2 for item in given):
        record.fault(f"the field 'attributes' must be an object, not {type(given).__name__}")
        return {}
    attributes: dict[str, list[str]] = {}
    for key, values in given:
        if values is None:
            continue
        values = values if isinstance(values, list) else [values]
        if not all(isinstance(value, str | int | float) and not isinstance(value, bool) for value in values):
            record.fault(f"attribute {key!r} must be a list of texts")
            continue
        attributes.setdefault(printable(str(key)), []).extend(printable(str(value)) for value in values)
    return attributes


def _parse_json_cell(given: Any) -> Any:
    """Parse objects and lists of a CSV, which are JSON; return other texts as they are."""
    if not isinstance(given, str):
        return given
    try:
        return json.loads(given) if given.strip() else None
    except (ValueError, RecursionError):
        return given


def read_relations(record: Record) -> list[Relation]:
    given = _parse_json_cell(record.fields.get("relations"))
    if given is not None and not isinstance(given, list):
        record.fault(f"the field 'relations' must be a list, not {type(given).__name__}")
        return []
    relations = []
    for number, item in enumerate(given or (), 1):
        if not isinstance(item, dict) or not all(isinstance(item.get(key), str) for key in ("type", "name")):
            record.fault(f"relation {number} must be an object with the texts 'type' and 'name'")
            continue
        inner = Record(item, record.problems, record.line)
        relations.append(
            Relation(printable(item["type"]), printable(item["name"]), *inner.texts("profile", "evidence"))
        )
    return relations
