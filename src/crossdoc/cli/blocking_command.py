"""`crossdoc blocking`: how many pairs of profiles are compared, and which true ones are not."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from crossdoc.cli.common import AsJson, ShownProgress, out, print_json


def blocking(
    profiles: Annotated[
        list[Path], typer.Argument(metavar="PROFILES…", help="Profiles, as written by `crossdoc extract`.")
    ],
    gold: Annotated[
        Path | None, typer.Option(help="Gold standard (id, entity), to count the true pairs that are compared.")
    ] = None,
    neighbours: Annotated[
        int,
        typer.Option(
            min=0, help="Also compare each profile with this many others of similar context, whatever their names."
        ),
    ] = 0,
    most: Annotated[int, typer.Option(min=0, help="Number of largest blocks to show.")] = 5,
    as_json: AsJson = False,
) -> None:
    """Show how many pairs blocking leaves to compare, which true pairs it loses, and the largest blocks.

    Example:  crossdoc blocking profiles.parquet --gold gold.csv
    """
    from crossdoc.compare.across import Languages
    from crossdoc.compare.blocking import blocking_report
    from crossdoc.compare.neighbours import context_neighbours
    from crossdoc.compare.vectors import ContextVectoriser
    from crossdoc.read import read_all_profiles, read_gold

    labelled = None if gold is None else read_gold(gold)
    with ShownProgress(quiet=as_json) as progress:
        progress.start("reading profiles")
        table = read_all_profiles(profiles)
        more = None
        if neighbours:
            progress.start("looking for similar contexts")
            vectoriser = ContextVectoriser().fit([[text or "" for text in table.column("context").to_pylist()]])
            more = context_neighbours(vectoriser.transform(table), neighbours)
        progress.start("pairing names")
        report = blocking_report(Languages(table).named(table), labelled, most, more)
    known = 0 if labelled is None else sum(id in labelled for id in table.ids)
    if as_json:
        print_json({**asdict(report), "labelled": known})
        return
    out.print(f"{report.profiles:,} profiles, {report.pairs:,} candidate pairs")
    out.print(f"reduction ratio    [bold]{report.reduction:.4f}[/]  (share of all pairs that need no comparison)")
    if report.completeness is not None:
        out.print(
            f"pair completeness  [bold]{report.completeness:.4f}[/]  (share of the gold's pairs that are candidates; "
            f"{known:,} profiles have gold)",
            soft_wrap=True,
        )
    out.print(f"{report.blocks:,} blocks; the largest, each with its most common name:")
    for size, name in report.largest:
        out.print(f"  {size:>9,}  {escape(name)}", soft_wrap=True)
