"""`crossdoc extract`: documents in, profiles out, for `crossdoc resolve` or for anything else."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from crossdoc import errors
from crossdoc.cli.common import (
    EntityType,
    Force,
    Format,
    SettingsFile,
    ShownProgress,
    SummaryAsJson,
    check_outputs,
    err,
    out,
    print_json,
)


def extract(
    inputs: Annotated[list[Path], typer.Argument(metavar="DOCS…", help="Folders, or files of documents.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="Output file, NAME.parquet or NAME.jsonl.")],
    type: EntityType = None,
    format: Format = None,
    columns: Annotated[str | None, typer.Option(help="How to map the columns of tables: id=number,text=body.")] = None,
    settings: SettingsFile = None,
    as_json: SummaryAsJson = False,
    force: Force = False,
) -> None:
    """Extract profiles for `resolve`: what each document says about each person, organisation and place in it.

    A run that was stopped continues when the same command is given again.

    Example:  crossdoc extract articles/ -o profiles.parquet --type person
    """
    from crossdoc.model import ENTITY_TYPES
    from crossdoc.read.type_labels import type_of
    from crossdoc.run.extraction import write_extracted
    from crossdoc.settings import Settings

    type = type_of(type) or type
    if type is not None and type not in ENTITY_TYPES:
        raise errors.unknown_choice("type", type, ENTITY_TYPES)
    check_outputs([output], [*inputs, settings], force=force)
    asked = columns.split(",") if columns else None
    chosen = Settings.load(settings, types=[type] if type else None, format=format, columns=asked)
    with ShownProgress(quiet=as_json) as progress:
        done = write_extracted(*inputs, output=output, settings=chosen, progress=progress)
    if as_json:
        summary = {"documents": done.documents, "profiles": done.profiles, "notes": done.notes}
        print_json({"output": str(output), **summary})
        return
    out.print(f"{done.documents:,} documents → [bold]{done.profiles:,} profiles[/] in {escape(str(output))}")
    err.print(f"[dim]Next: crossdoc resolve {escape(str(output))} -o OUT.crossdoc[/]", soft_wrap=True)
