"""`crossdoc export`: the answer as a table or for other programs."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rich.markup import escape

from crossdoc import errors
from crossdoc.cli import ui
from crossdoc.files import whole_file, write_rows

if TYPE_CHECKING:
    import pyarrow as pa

    from crossdoc.store import Store

FOR_OTHERS = {"ftm": (".ftm", ".ftm.json", ".ftm.jsonl"), "jsonld": (".jsonld",), "graphml": (".graphml",)}
"""Formats of identities in place of a table, with their endings."""
DATABASES = {"sqlite": (".sqlite", ".sqlite3", ".db"), "duckdb": (".duckdb",)}
"""Formats with all tables in one file, with their endings."""
NEO4J = "neo4j"
FORMATS = (*ui.TABLE_FORMATS, *FOR_OTHERS, *DATABASES, NEO4J)
JSON_FORMATS = ("jsonl", "ftm", "jsonld")
FILE_CONTENTS = {"csv": "text", "parquet": "Parquet", "graphml": "XML", **dict.fromkeys(JSON_FORMATS, "JSON"),
                 "sqlite": "an SQLite database", "duckdb": "a database"}  # fmt: skip
"""Content of the files of each format."""


def export(
    store: ui.Result,
    format: Annotated[str | None, ui.option(f"One of: {', '.join(FORMATS)} (default: from the ending of -o).")] = None,
    level: Annotated[str | None, ui.option("For tables: one row per profile (the default) or per mention.")] = None,
    soft: ui.Soft = False,
    find: Annotated[str | None, ui.option("Only identities with this text in a name, or with this id.")] = None,
    raw: Annotated[
        bool, ui.option("Leave CSV cells as they are, even those that a spreadsheet would run as a formula.", "--raw")
    ] = False,
    output: Annotated[
        Path | None,
        ui.output_option("Output file; its ending sets the format (default: CSV to standard output)."),
    ] = None,
    force: ui.Force = False,
) -> None:
    """Export who is who as a table (id, entity, membership, name, document …) or as identities for other programs.

    `ftm` writes FollowTheMoney entities (Aleph, OpenSanctions), `jsonld` schema.org's JSON-LD, `graphml` the graph of
    identities that share documents, `sqlite` and `duckdb` a database of all tables, and `neo4j` a folder to import.

    Example:  crossdoc export articles.crossdoc --level mention -o mentions.csv
    """
    from crossdoc.store.schema import LEVELS

    if format is not None and format not in FORMATS:
        raise errors.unknown_choice("format", format, list(FORMATS))
    if level is not None and level not in LEVELS:
        raise errors.unknown_choice("level", level, list(LEVELS))
    ui.check_outputs([output], [store], force=force, kind=FILE_CONTENTS.get(format or ""), folder=format == NEO4J)
    chosen = format or _export_format(output)
    tables = ui.TABLE_FORMATS
    for flag, given, wanted in (
        ("--level", level, tables), ("--soft", soft, tables), ("--raw", raw, ("csv",)),
        ("--find", find, [each for each in FORMATS if each not in DATABASES]),
    ):  # fmt: skip
        if given and chosen not in wanted:
            raise errors.not_usable_with(flag, f"the format {chosen}", wanted)
    if chosen in ("parquet", *DATABASES) and output is None and sys.stdout.isatty():
        raise errors.binary_to_terminal()
    if chosen == NEO4J and output is None:
        raise errors.several_files(NEO4J)
    with ui.open_store(store) as opened, nullcontext() if chosen == NEO4J else whole_file(output) as stream:
        if find is not None and not opened.identities(find):
            raise errors.not_found(find, store)
        if chosen in DATABASES:
            count, what = _write_database(opened, chosen, stream), "identities"
        elif chosen in tables:
            count, what = _write_rows(opened, chosen, level or "profile", soft, find, raw, stream), "rows"
        else:
            count = _write_identities(opened, chosen, find, output if chosen == NEO4J else stream)
            what = "identities" if chosen in ("graphml", NEO4J) else "entities"
    if output is not None:
        ui.status(f"{count:,} {what} in {escape(str(output))}")


def _export_format(output: Path | None) -> str:
    name = "" if output is None else output.name.lower()
    others = {**FOR_OTHERS, **DATABASES}
    for format, endings in others.items():
        if name.endswith(endings):
            return format
    return ui.format_of(output, [ending for endings in others.values() for ending in endings[:1]])


def _write_database(store: Store, format: str, stream: Any) -> int:
    from crossdoc.store.export_tables import export_tables
    from crossdoc.write.databases import write_duckdb, write_sqlite

    return (write_sqlite if format == "sqlite" else write_duckdb)(export_tables(store), stream)


def _write_identities(store: Store, format: str, find: str | None, target: Any) -> int:
    """Write all identities, or those that are found, with the edges between them; return their number."""
    from crossdoc.write import write_ftm, write_graphml, write_json_ld, write_neo4j

    found = store.identities(find)
    ids = {identity.id for identity in found}
    shared = (edge for edge in store.shared_documents() if ids.issuperset(edge[:2]))
    if format == "graphml":
        return write_graphml(found, shared, target)
    appearances = [appearance for appearance in store.appearances() if appearance.entity in ids]
    named = {appearance.document for appearance in appearances}
    documents = (document for document in store.document_facts() if document["id"] in named)
    if format == NEO4J:
        return write_neo4j(found, documents, appearances, shared, target)
    return (write_ftm if format == "ftm" else write_json_ld)(found, documents, appearances, target)


def _write_rows(store: Store, format: str, level: str, soft: bool, find: str | None, raw: bool, stream: Any) -> int:
    """Write the answer as a table, safe for a spreadsheet unless `raw`; print a note about changed cells."""
    from crossdoc.write import escape_formulas

    entities = None if find is None else [identity.id for identity in store.identities(find)]
    changed = 0

    def safe(batch: pa.RecordBatch) -> pa.RecordBatch:
        nonlocal changed
        batch, here = escape_formulas(batch)
        changed += here
        return batch

    batches = store.answer(level, soft=soft, entities=entities)
    if format == "csv" and not raw:
        batches = map(safe, batches)
    count = write_rows(batches, store.answer_schema(level), format, stream)
    if changed:
        note = f"{changed:,} cells that begin like a formula got a leading apostrophe; --raw leaves them as they are"
        ui.notes([note])
    return count
