"""The commands that read documents: `resolve` and `extract`.

`resolve` writes a .crossdoc file (or a folder of Parquet files), `extract` profiles for `resolve` or for anything else.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from crossdoc import errors
from crossdoc.cli.common import (
    EntityType,
    Force,
    Format,
    Judgements,
    SettingsFile,
    ShownProgress,
    SummaryAsJson,
    check_outputs,
    err,
    methods,
    out,
    print_json,
)

if TYPE_CHECKING:
    from crossdoc.run.resolution import Resolution
    from crossdoc.settings import Settings


def resolve(
    inputs: Annotated[list[Path], typer.Argument(metavar="INPUT…", help="Folders, or files of documents or profiles.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Output file, OUT.crossdoc; a folder with --engine ray.")
    ],
    method: Annotated[str | None, typer.Option(help=f"One of: {', '.join(methods())}.", autocompletion=methods)] = None,
    name: Annotated[
        str | None, typer.Option(help="Resolve only this ambiguous name (of a person, unless --type is given).")
    ] = None,
    type: EntityType = None,
    format: Format = None,
    columns: Annotated[
        str | None, typer.Option(help="How to map the columns of tables: name=author,context=title.")
    ] = None,
    constraints: Judgements = None,
    known: Annotated[
        Path | None,
        typer.Option(help="List of known entities (id, name, …) to link identities to."),
    ] = None,
    model: Annotated[Path | None, typer.Option(help="Model file to use in place of the built-in one.")] = None,
    threshold: Annotated[float | None, typer.Option(help="Join clusters at least this similar.")] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            help="Stop sampling (for each type) or a solver after this many seconds with the best answer so far."
        ),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue sampling where it was stopped.")] = False,
    engine: Annotated[
        str, typer.Option(help="local (this machine) or ray (a cluster; writes a folder of Parquet files).")
    ] = "local",
    address: Annotated[
        str | None, typer.Option(help="Address of the Ray cluster (default: start one on this machine).")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Random seed.")] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", help="Set KEY=VALUE, or METHOD.KEY=VALUE for a method. May be repeated."),
    ] = None,
    settings: SettingsFile = None,
    as_json: SummaryAsJson = False,
) -> None:
    """Find out who is who in a collection of documents.

    Example:  crossdoc resolve articles/ -o articles.crossdoc --name "John Smith"
    """
    from crossdoc.read import read_judgements
    from crossdoc.read.sources import check_file
    from crossdoc.run import resolve as pipeline
    from crossdoc.run.one_part import known_entries

    given = {"method": method, "threshold": threshold, "time_limit": time_limit, "seed": seed, "format": format}
    chosen = _settings(settings, type, columns, given, set_ or [])
    check_outputs([output], [*inputs, constraints, known, model, settings], force=True, folder=engine != "local")
    judgements = read_judgements(constraints) if constraints else []
    entries = known_entries(known) if known else []
    if model is not None:
        check_file(model)
    with ShownProgress(quiet=as_json) as progress:
        resolution = pipeline.resolve(
            *inputs,
            name=name,
            output=output,
            constraints=judgements,
            known=entries,
            model=model,
            settings=chosen,
            resume=resume,
            engine=engine,
            address=address,
            progress=progress,
        )
    with resolution:
        _summarise(resolution, output, as_json)


def _settings(
    file: Path | None, type: str | None, columns: str | None, given: dict[str, Any], assigned: Sequence[str] = ()
) -> Settings:
    """Return the settings of a file, with the options of a command and KEY=VALUE in front of them."""
    from crossdoc.read.type_labels import type_of
    from crossdoc.settings import Settings, set_to

    given["types"] = [type_of(type) or type] if type else None
    given["columns"] = columns.split(",") if columns else None
    return Settings.load(file, **set_to(given, assigned))


def _summarise(resolution: Resolution, output: Path, as_json: bool) -> None:
    sizes = resolution.store.sizes()
    links = resolution.store.known_links() if resolution.store.has_known else None
    if as_json:
        linked = {} if links is None else {"known": resolution.store.count("known"), "linked": len(links)}
        print_json({"output": str(output), **sizes, **linked, "notes": resolution.notes})
        return
    out.print(
        f"{sizes['documents']:,} documents, {sizes['profiles']:,} profiles → "
        f"[bold]{sizes['identities']:,} identities[/] in {escape(str(output))}",
        soft_wrap=True,
    )
    if links is not None:
        known = len(set(links.column("known").to_pylist()))
        out.print(
            f"{len(links):,} of them are linked to {known:,} of the {resolution.store.count('known'):,} known entries "
            f"(crossdoc known {escape(str(output))})",
            soft_wrap=True,
        )
    err.print(f"[dim]Next: crossdoc show {escape(str(output))}[/]", soft_wrap=True)


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

    type = type_of(type) or type
    if type is not None and type not in ENTITY_TYPES:
        raise errors.unknown_choice("type", type, ENTITY_TYPES)
    check_outputs([output], [*inputs, settings], force=force)
    chosen = _settings(settings, type, columns, {"format": format})
    with ShownProgress(quiet=as_json) as progress:
        done = write_extracted(*inputs, output=output, settings=chosen, progress=progress)
    if as_json:
        summary = {"documents": done.documents, "profiles": done.profiles, "notes": done.notes}
        print_json({"output": str(output), **summary})
        return
    out.print(f"{done.documents:,} documents → [bold]{done.profiles:,} profiles[/] in {escape(str(output))}")
    err.print(f"[dim]Next: crossdoc resolve {escape(str(output))} -o OUT.crossdoc[/]", soft_wrap=True)
