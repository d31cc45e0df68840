"""The commands that read documents, `resolve` and `extract`, and what they read by: `formats` and `settings`.

`resolve` writes a .crossdoc file, `extract` profiles for `resolve` or for anything else.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rich.markup import escape

from crossdoc import errors
from crossdoc.cli import ui

if TYPE_CHECKING:
    from crossdoc.run.resolution import Resolution
    from crossdoc.settings import Settings


def resolve(
    inputs: Annotated[list[Path], ui.argument("Folders, or files of documents or profiles.", "INPUT…")],
    output: Annotated[Path, ui.output_option("Output file, OUT.crossdoc.")],
    method: Annotated[str | None, ui.option(f"One of: {', '.join(ui.methods())}.", autocompletion=ui.methods)] = None,
    name: Annotated[
        str | None, ui.option("Resolve only this ambiguous name (of a person, unless --type is given).")
    ] = None,
    type: ui.EntityType = None,
    columns: Annotated[str | None, ui.option("How to map the columns of tables: name=author,context=title.")] = None,
    constraints: ui.Judgements = None,
    known: Annotated[Path | None, ui.option("List of known entities (id, name, …) to link identities to.")] = None,
    model: Annotated[Path | None, ui.option("Model file to use in place of the built-in one.")] = None,
    threshold: Annotated[float | None, ui.option("Join clusters at least this similar.")] = None,
    time_limit: Annotated[
        float | None,
        ui.option("Stop sampling (for each type) or a solver after this many seconds with the best answer so far."),
    ] = None,
    resume: Annotated[bool, ui.option("Continue sampling where it was stopped.", "--resume")] = False,
    engine: Annotated[str, ui.option("local (this machine) or ray (a cluster).")] = "local",
    address: Annotated[str | None, ui.option("Address of the Ray cluster (default: start one on this machine)")] = None,
    seed: Annotated[int | None, ui.option("Random seed.")] = None,
    set_: Annotated[
        list[str] | None, ui.option("Set KEY=VALUE, or METHOD.KEY=VALUE for a method. May be repeated.", "--set")
    ] = None,
    settings: ui.SettingsFile = None,
    as_json: ui.SummaryAsJson = False,
) -> None:
    """Find out who is who in a collection of documents.

    Example:  crossdoc resolve articles/ -o articles.crossdoc --name "John Smith"
    """
    from crossdoc.read import read_judgements
    from crossdoc.read.sources import check_file
    from crossdoc.run import resolve as pipeline
    from crossdoc.run.stored_collection import known_entries

    given = {"method": method, "threshold": threshold, "time_limit": time_limit, "seed": seed}
    chosen = _settings(settings, type, columns, given, set_ or [])
    ui.check_outputs([output], [*inputs, constraints, known, model, settings], force=True)
    judgements = read_judgements(constraints) if constraints else []
    entries = known_entries(known) if known else []
    if model is not None:
        check_file(model)
    with ui.ShownProgress(quiet=as_json) as progress:
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
    from crossdoc.read.profiles import type_of
    from crossdoc.settings import Settings, set_to

    given["types"] = [type_of(type) or type] if type else None
    given["columns"] = columns.split(",") if columns else None
    return Settings.load(file, **set_to(given, assigned))


def _summarise(resolution: Resolution, output: Path, as_json: bool) -> None:
    sizes = resolution.store.sizes()
    links = resolution.store.known_links() if resolution.store.has_known else None
    if as_json:
        linked = {} if links is None else {"known": resolution.store.count("known"), "linked": len(links)}
        ui.print_json({"output": str(output), **sizes, **linked, "notes": resolution.notes})
        return
    ui.line(
        f"{sizes['documents']:,} documents, {sizes['profiles']:,} profiles → "
        f"[bold]{sizes['identities']:,} identities[/] in {escape(str(output))}"
    )
    if links is not None:
        known = len(set(links.column("known").to_pylist()))
        ui.line(
            f"{len(links):,} of them are linked to {known:,} of the {resolution.store.count('known'):,} known entries "
            f"(crossdoc known {escape(str(output))})"
        )
    ui.status(f"[dim]Next: crossdoc show {escape(str(output))}[/]")


def extract(
    inputs: Annotated[list[Path], ui.argument("Folders, or files of documents.", "DOCS…")],
    output: Annotated[Path, ui.output_option("Output file, NAME.parquet or NAME.jsonl.")],
    type: ui.EntityType = None,
    columns: Annotated[str | None, ui.option("How to map the columns of tables: id=number,text=body.")] = None,
    settings: ui.SettingsFile = None,
    as_json: ui.SummaryAsJson = False,
    force: ui.Force = False,
) -> None:
    """Extract profiles for `resolve`: what each document says about each person, organisation and place in it.

    A run that was stopped continues when the same command is given again.

    Example:  crossdoc extract articles/ -o profiles.parquet --type person
    """
    from crossdoc.model import ENTITY_TYPES
    from crossdoc.read.profiles import type_of
    from crossdoc.run.resolve import write_extracted

    type = type_of(type) or type
    if type is not None and type not in ENTITY_TYPES:
        raise errors.unknown_choice("type", type, ENTITY_TYPES)
    ui.check_outputs([output], [*inputs, settings], force=force)
    chosen = _settings(settings, type, columns, {})
    with ui.ShownProgress(quiet=as_json) as progress:
        done = write_extracted(*inputs, output=output, settings=chosen, progress=progress)
    if as_json:
        summary = {"documents": done.documents, "profiles": done.profiles, "notes": done.notes}
        ui.print_json({"output": str(output), **summary})
        return
    ui.out.print(f"{done.documents:,} documents → [bold]{done.profiles:,} profiles[/] in {escape(str(output))}")
    ui.status(f"[dim]Next: crossdoc resolve {escape(str(output))} -o OUT.crossdoc[/]")


def formats() -> None:
    """Print the file formats with examples.

    Example:  crossdoc formats
    """
    sys.stdout.write(formats_text())


def settings() -> None:
    """Print every setting with its meaning and default, ready to be saved as crossdoc.toml.

    Example:  crossdoc settings > crossdoc.toml
    """
    from crossdoc.settings import Settings

    sys.stdout.write(Settings().to_toml())


def formats_text() -> str:
    """Return the description of all formats, with the types of evidence that installed specialists read."""
    text = (files("crossdoc.cli") / "templates" / "formats.txt").read_text(encoding="utf-8")
    return text.replace("{EVIDENCE}", "\n".join(_evidence()))


def _evidence() -> Iterator[str]:
    from crossdoc.compare.learned import types_read
    from crossdoc.compare.specialists import all_specialists
    from crossdoc.names.evidence_types import SHOWN_ATTRIBUTES, SHOWN_RELATIONS

    specialists = all_specialists()
    yield "EVIDENCE in profiles  (what specialists compare, once `crossdoc train` has learned how much each counts)"
    for kind, shown in (("attribute", SHOWN_ATTRIBUTES), ("relation", SHOWN_RELATIONS)):
        read = types_read(kind, specialists)  # type: ignore[arg-type]
        yield f"  {kind}s, and the specialists that read them:"
        yield from _list_types({type: f"{meaning}  [{', '.join(by)}]" for type, (meaning, by) in read.items()})
        yield f"  {kind}s that are kept but not compared:"
        yield from _list_types({type: meaning for type, meaning in shown.items() if type not in read})
    yield "  In a type, upper and lower case, and space, - and _, are the same. A relation type may have a detail after"
    yield "  a colon. A type that no specialist reads gives a note and has no effect.\n"


def _list_types(types: Mapping[str, str]) -> Iterator[str]:
    return (f"    {type:<18} {meaning}" for type, meaning in sorted(types.items()))
