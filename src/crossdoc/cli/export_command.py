"""`crossdoc export`: the answer as a table or for other programs; and how every command writes an answer or a table."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer
from rich.markup import escape

from crossdoc import errors
from crossdoc.cli.common import Force, Result, check_outputs, err, print_notes
from crossdoc.files import whole_file

if TYPE_CHECKING:
    import pyarrow as pa

    from crossdoc.store import Store

TABLE_FORMATS = ("csv", "jsonl", "parquet")
FOR_OTHERS = {"ftm": (".ftm", ".ftm.json", ".ftm.jsonl"), "jsonld": (".jsonld",), "graphml": (".graphml",)}
"""Formats of identities in place of a table, with their endings."""
DATABASES = {"sqlite": (".sqlite", ".sqlite3", ".db"), "duckdb": (".duckdb",)}
"""Formats with all tables in one file, with their endings."""
NEO4J = "neo4j"
FORMATS = (*TABLE_FORMATS, *FOR_OTHERS, *DATABASES, NEO4J)
JSON_FORMATS = ("jsonl", "ftm", "jsonld")
FILE_CONTENTS = {"csv": "text", "parquet": "Parquet", "graphml": "XML", **dict.fromkeys(JSON_FORMATS, "JSON"),
                 "sqlite": "an SQLite database", "duckdb": "a database"}  # fmt: skip
"""Content of the files of each format."""
AnswerFile = Annotated[
    Path | None,
    typer.Option("-o", "--output", help="Output file: .csv, .jsonl or .parquet (default: CSV to standard output)."),
]
Soft = Annotated[bool, typer.Option("--soft", help="Write all memberships, not only the strongest of each id.")]
Summary = Annotated[
    bool, typer.Option("--json", help="Print a summary as JSON; the table is then written only with -o.")
]


def export(
    store: Result,
    format: Annotated[
        str | None,
        typer.Option(help=f"One of: {', '.join(FORMATS)} (default: from the ending of -o)."),
    ] = None,
    level: Annotated[
        str | None, typer.Option(help="For tables: one row per profile (the default) or per mention.")
    ] = None,
    soft: Soft = False,
    find: Annotated[str | None, typer.Option(help="Only identities with this text in a name, or with this id.")] = None,
    raw: Annotated[
        bool,
        typer.Option(
            "--raw", help="Leave CSV cells as they are, even those that a spreadsheet would run as a formula."
        ),
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", help="Output file; its ending sets the format (default: CSV to standard output)."
        ),
    ] = None,
    force: Force = False,
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
    check_outputs([output], [store], force=force, kind=FILE_CONTENTS.get(format or ""), folder=format == NEO4J)
    chosen = format or _export_format(output)
    tables = TABLE_FORMATS
    for option, given, wanted in (
        ("--level", level, tables), ("--soft", soft, tables), ("--raw", raw, ("csv",)),
        ("--find", find, [each for each in FORMATS if each not in DATABASES]),
    ):  # fmt: skip
        if given and chosen not in wanted:
            raise errors.not_usable_with(option, f"the format {chosen}", wanted)
    if chosen in ("parquet", *DATABASES) and output is None and sys.stdout.isatty():
        raise errors.binary_to_terminal()
    if chosen == NEO4J:
        count = _write_neo4j(store, output, find)
        err.print(f"{count:,} identities in {escape(str(output))}", soft_wrap=True)
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
            count, what = write_rows(batches, opened.answer_schema(level or "profile"), chosen, stream), "rows"
    if output is not None:
        err.print(f"{count:,} {what} in {escape(str(output))}", soft_wrap=True)


def _export_format(output: Path | None) -> str:
    name = "" if output is None else output.name.lower()
    others = {**FOR_OTHERS, **DATABASES}
    for format, endings in others.items():
        if name.endswith(endings):
            return format
    return format_of(output, [ending for endings in others.values() for ending in endings[:1]])


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
        print_notes(
            [f"{changed:,} cells that begin like a formula got a leading apostrophe; --raw leaves them as they are"]
        )


def write_answer(table: pa.Table, output: Path | None, as_json: bool = False) -> None:
    """Write an answer to its file, or to standard output unless the summary goes there (`as_json`)."""
    if output is not None or not as_json:
        write_table(table, output)


def write_table(table: pa.Table, output: Path | None) -> int:
    """Write a table in the format of the output's ending; return the number of rows."""
    with whole_file(output) as stream:
        return write_rows(table.to_batches(), table.schema, format_of(output), stream)


def write_rows(batches: Iterable[pa.RecordBatch], schema: pa.Schema, format: str, stream: BinaryIO) -> int:
    """Write batches one by one, with a header even if there are none; return the number of rows."""
    from pyarrow.csv import CSVWriter
    from pyarrow.parquet import ParquetWriter

    count = 0
    if format == "jsonl":
        for batch in batches:
            for row in batch.to_pylist():
                stream.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
            count += batch.num_rows
        return count
    make = CSVWriter if format == "csv" else ParquetWriter
    with make(stream, schema) as writer:
        for batch in batches:
            writer.write_batch(batch.cast(schema))
            count += batch.num_rows
    return count


def format_of(output: Path | None, others: Sequence[str] = ()) -> str:
    """Return the format of an output by its ending, CSV for standard output. `others` are listed in the error too."""
    if output is None:
        return "csv"
    ending = output.suffix.removeprefix(".").lower()
    if ending not in TABLE_FORMATS:
        endings = [*(f".{name}" for name in TABLE_FORMATS), *others]
        raise errors.unknown_choice("output format", output.name, [f"NAME{each}" for each in endings])
    return ending
