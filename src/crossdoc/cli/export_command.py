"""`crossdoc export`: the answer as a table or for other programs."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

from rich.markup import escape

from crossdoc import errors
from crossdoc.cli import ui
from crossdoc.files import whole_file

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
    from crossdoc.store import Store
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
    if chosen == NEO4J:
        count = _write_neo4j(store, output, find)
        ui.status(f"{count:,} identities in {escape(str(output))}")
        return
    with Store.open(store) as opened, whole_file(output) as stream:
        entities = None if find is None else [identity.id for identity in opened.identities(find)]
        if entities == []:
            raise errors.not_found(find or "", store)
        if chosen in DATABASES:
            count, what = _write_database(opened, chosen, stream), "identities"
        elif chosen in FOR_OTHERS:
            count = _write_identities(opened, chosen, stream, find)
            what = "identities" if chosen == "graphml" else "entities"
        else:
            batches = opened.answer(level or "profile", soft=soft, entities=entities)
            if chosen == "csv" and not raw:
                batches = _safe(batches)
            count, what = ui.write_rows(batches, opened.answer_schema(level or "profile"), chosen, stream), "rows"
    if output is not None:
        ui.status(f"{count:,} {what} in {escape(str(output))}")


def _export_format(output: Path | None) -> str:
    name = "" if output is None else output.name.lower()
    others = {**FOR_OTHERS, **DATABASES}
    for format, endings in others.items():
        if name.endswith(endings):
            return format
    return ui.format_of(output, [ending for endings in others.values() for ending in endings[:1]])


def _write_database(store: Store, format: str, stream: BinaryIO) -> int:
    from crossdoc.store.export_tables import export_tables
    from crossdoc.write.databases import write_duckdb, write_sqlite

    return (write_sqlite if format == "sqlite" else write_duckdb)(export_tables(store), stream)


def _write_neo4j(path: Path, folder: Path | None, find: str | None) -> int:
    from crossdoc.store import Store
    from crossdoc.write.neo4j_csv import write_neo4j

    if folder is None:
        raise errors.several_files(NEO4J)
    with Store.open(path) as store:
        found = store.identities(find)
        if not found:
            raise errors.not_found(find or "", path)
        ids = {identity.id for identity in found}
        appearances = [each for each in store.appearances() if each.entity in ids]
        named = {each.document for each in appearances}
        documents = (each for each in store.document_facts() if each["id"] in named)
        shared = (edge for edge in store.shared_documents() if ids.issuperset(edge[:2]))
        return write_neo4j(found, documents, appearances, shared, folder)


def _write_identities(store: Store, format: str, stream: BinaryIO, find: str | None) -> int:
    """Write all identities, or those that are found, with the edges between them; return their number."""
    from crossdoc.write import write_ftm, write_graphml, write_json_ld

    found = store.identities(find)
    ids = {identity.id for identity in found}
    if format == "graphml":
        return write_graphml(found, (edge for edge in store.shared_documents() if ids.issuperset(edge[:2])), stream)
    appearances = [appearance for appearance in store.appearances() if appearance.entity in ids]
    named = {appearance.document for appearance in appearances}
    documents = (document for document in store.document_facts() if document["id"] in named)
    return (write_ftm if format == "ftm" else write_json_ld)(found, documents, appearances, stream)


def _safe(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield batches that are safe for a spreadsheet, and print a note about changed cells."""
    from crossdoc.write import escape_formulas

    changed = 0
    for batch in batches:
        safe, here = escape_formulas(batch)
        changed += here
        yield safe
    if changed:
        ui.notes(
            [f"{changed:,} cells that begin like a formula got a leading apostrophe; --raw leaves them as they are"]
        )
