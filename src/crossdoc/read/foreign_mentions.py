"""Tables of mentions that another program extracted, under the column names of other programs, as profiles.

One row is one mention. Accepted are Arrow, pandas and polars tables, lists of records and dicts of columns.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from crossdoc import errors
from crossdoc.model import Profile
from crossdoc.names.texts import find_name, window
from crossdoc.read.profiles import OTHER, read_attributes, read_relations, read_type
from crossdoc.read.records import Problems, Record, RowNotes, TableSource, UniqueIds, table_in_memory

COLUMN_NAMES = {
    "id": ("id", "mention_id", "record_id"),
    "name": ("name", "entity", "entity_name", "mention", "title", "surface", "surface_form", "ent_text"),
    "type": ("type", "label", "entity_type", "ent_type", "category", "schema"),
    "text": ("text", "context", "chunk", "sentence", "passage", "chunk_text", "content", "description"),
    "document": ("document", "doc_id", "document_id", "doc", "source", "source_id", "chunk_id", "file", "url"),
    "start": ("start", "start_char", "begin", "start_offset", "char_start"),
    "end": ("end", "end_char", "stop", "end_offset", "char_end"),
    "language": ("language", "lang"),
    "attributes": ("attributes",),
    "relations": ("relations",),
}
"""Field → the column names that other programs use for it, in order of preference."""
TABLE = "The table of mentions"
ROW = "row "
"""Start of the id of a row that came without one."""


def find_columns(present: Sequence[str], given: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the column of each field; `given` maps fields to columns and goes first.

    >>> find_columns(["doc_id", "entity", "label", "chunk"])
    {'name': 'entity', 'type': 'label', 'text': 'chunk', 'document': 'doc_id'}

    A table of spaCy's entities has their words under `text`, and a sentence in another column:

    >>> find_columns(["text", "label", "sentence"])
    {'name': 'text', 'type': 'label', 'text': 'sentence'}
    """
    given = dict(given or {})
    if unknown := sorted(set(given) - set(COLUMN_NAMES)):
        raise errors.unknown_choice("field", unknown[0], list(COLUMN_NAMES))
    if absent := sorted(column for column in given.values() if column not in present):
        raise errors.no_such_column(absent[0], present, _nearest(absent[0], present) or present)
    plain = {column.strip().lower().replace(" ", "_"): column for column in reversed(present)}
    taken = set(given.values())
    found = dict(given)
    for field, names in COLUMN_NAMES.items():
        usable = [plain[name] for name in names if name in plain and plain[name] not in taken]
        if field not in found and usable:
            found[field] = usable[0]
    if "name" not in found and "text" in found and not {"start", "end"} <= found.keys():
        found["name"] = found.pop("text")
        further = [plain[name] for name in COLUMN_NAMES["text"] if name in plain and plain[name] != found["name"]]
        found |= {"text": further[0]} if further else {}
    if "name" not in found and not {"text", "start", "end"} <= found.keys():
        near = [column for column in present if _nearest(column, COLUMN_NAMES["name"])] or [*present, "COLUMN"]
        raise errors.no_name_column(present, COLUMN_NAMES["name"], near[0])
    return {field: found[field] for field in COLUMN_NAMES if field in found}


def _nearest(name: str, known: Sequence[str]) -> list[str]:
    return difflib.get_close_matches(name.lower(), known, 1, 0.6)


def read_mention_rows(
    table: Any, columns: Mapping[str, str] | None = None, *, before: int = 0, reach: int = 300,
    notes: RowNotes | None = None,
) -> list[Profile | None]:  # fmt: skip
    """Return one profile per row; None for a row of a type that crossdoc does not resolve (`notes` counts them).

    Parameters
    ----------
    before : rows of earlier tables. A row without id and offsets is numbered after them.
    reach : characters on each side of the name that are its context.
    """
    arrow = table_in_memory(table)
    found = find_columns(arrow.column_names, columns)
    source = TableSource(Path(TABLE), TABLE, "memory", arrow)
    problems, ids = Problems(source, notes), UniqueIds()
    rows = arrow.select(list(found.values())).rename_columns(list(found)).to_pylist()
    profiles = [_profile(Record(row, problems, n), before, reach) for n, row in enumerate(rows, 1)]
    problems.raise_if_any()
    for profile in profiles:
        if profile is not None:
            ids.add(profile.id, source)
    ids.raise_if_repeated()
    return profiles


def last_row_number(ids: Iterable[str]) -> int:
    """Return the largest number among the ids that rows were given, 0 if there is none.

    >>> last_row_number(["row 2", "row 10", "a:0:4"])
    10
    """
    numbers = [id.removeprefix(ROW) for id in ids if id.startswith(ROW)]
    return max((int(number) for number in numbers if number.isdecimal()), default=0)


def _profile(record: Record, before: int, reach: int) -> Profile | None:
    text = record.text("text", empty=True) or ""
    span = record.span(text or None)
    name = record.text("name") or (text[slice(*span)].strip() if span else None)
    if not name:
        record.fault("the row has no name")
        return None
    kind, document, language = read_type(record), record.text("document"), record.text("language")
    number = f"{ROW}{before + record.line}"
    id = record.text("id") or (f"{document}:{span[0]}:{span[1]}" if document and span else number)
    attributes, relations = read_attributes(record), read_relations(record)
    if kind == OTHER or not record.sound:
        return None
    return Profile(
        id, document or id, name, kind, _context(text, name, span, reach), language, attributes, tuple(relations)
    )


def _context(text: str, name: str, span: tuple[int, int] | None, reach: int) -> str:
    """Return the text around the name; all of it if it is short or does not have the name."""
    if len(text) <= 2 * reach:
        return text
    spans = [span] if span else find_name(text, name)
    return window(text, spans, reach) if spans else text
