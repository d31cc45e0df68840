"""`crossdoc info`: what a .crossdoc file holds and how it was made."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from crossdoc import errors
from crossdoc.cli.common import out, print_json
from crossdoc.cli.score import NAMES


def info(
    store: Annotated[Path, typer.Argument(metavar="OUT.crossdoc")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show what a result holds, and from which input and with which settings it was made.

    Example:  crossdoc info articles.crossdoc
    """
    from crossdoc.cluster import registry
    from crossdoc.cluster.clusterer import SCOPES
    from crossdoc.store import Store

    with Store.open(store) as opened:
        sizes, runs, counted, size = opened.sizes(), opened.runs(), opened.meta("counted"), opened.size
        models, scores = opened.meta("models"), opened.scores()
    files = store.rglob("*") if store.is_dir() else [store]
    n_bytes = sum(file.stat().st_size for file in files)
    if as_json:
        described = [{**asdict(run), "settings": run.parsed_settings()} for run in runs]
        measured = None if counted is None else int(counted)
        kept = [asdict(each) for each in scores]
        more = {"measured_on": measured, "models": models, "runs": described, "scores": kept}
        print_json({"file": str(store), "bytes": n_bytes, **sizes, **more})
        return
    out.print(f"[bold]{escape(str(store))}[/]  {n_bytes / 1e6:,.1f} MB")
    for name, count in sizes.items():
        out.print(f"  {count:>12,} {name}")
    if models is not None:
        out.print(f"  read with {escape(models)}", soft_wrap=True)
    for run in runs:
        settings = run.parsed_settings()
        shown = "".join(run.inputs[:1]) + (f" and {len(run.inputs) - 1:,} more" if len(run.inputs) > 1 else "")
        out.print(
            f"[bold]run[/] {run.started} – {run.finished}, crossdoc {run.version}, method {run.method}, "
            f"seed {run.seed}",
            soft_wrap=True,
        )
        if shown:
            out.print(f"  input: {escape(shown)}", soft_wrap=True)
        for note in run.notes:
            out.print(f"  {escape(note)}", soft_wrap=True)
        # The package that brought the method may be gone, and the result is there all the same.
        with suppress(errors.UsageError):
            scope = "type" if settings.get("name") else registry.method_named(run.method).scope
            out.print(f"  The method {escape(run.method)} {SCOPES[scope]}.", soft_wrap=True)
    for each in scores:
        listed = ", ".join(f"{NAMES.get(name, name)} {value:.3f}" for name, value in each.f1.items())
        out.print(f"[bold]score[/] {each.when}, against {escape(each.gold)}: {listed}", soft_wrap=True)
    if counted is not None:
        texts = "documents" if sizes["documents"] else "profiles"
        out.print(
            f"[bold]add[/] Similarity was calibrated on {int(counted):,} {texts} (now {size:,}); everything is "
            "compared again when their number has changed by a tenth. Counts of words and names are always up to date.",
            soft_wrap=True,
        )
        with suppress(errors.UsageError):
            for run in runs[-1:]:
                out.print(f"  New {texts} {registry.method_named(run.method).adds}.", soft_wrap=True)
