"""`crossdoc why`: what speaks for and against two profiles being one entity."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from crossdoc.cli.common import out, print_json


def why(
    store: Annotated[Path, typer.Argument(metavar="OUT.crossdoc")],
    a: Annotated[str, typer.Argument(metavar="A", help="A profile's id.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Another profile's id.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Explain why two profiles are one entity or two: the evidence, and how much each kind of it counted.

    said is the similarity, from 0 to 1; means is the probability of one entity from that alone; counted is what it
    added. By default that is in log odds: 0 changes nothing, +1 multiplies the odds of one entity by 2.7, −1 divides
    them by 2.7, and the strength is 1 / (1 + e^−sum). With a learned ensemble it is the specialist's
    part of the strength.

    Example:  crossdoc why articles.crossdoc a1.txt:0:10 a7.txt:31:41
    """
    from crossdoc.resolution import Resolution

    with Resolution.open(store) as resolution:
        explanation = resolution.explain(a, b)
    if as_json:
        print_json(asdict(explanation))
        return
    out.print(f"strength [bold]{explanation.strength:.3f}[/]")
    table = Table(box=None, padding=(0, 1), pad_edge=False)
    for column, justify in (
        ("evidence", "left"),
        ("said", "right"),
        ("means", "right"),
        ("counted", "right"),
        ("", "left"),
    ):
        table.add_column(column, justify=justify)  # type: ignore[arg-type]
    for opinion in explanation.opinions:
        if opinion.score is None or opinion.probability is None:
            continue
        table.add_row(
            escape(opinion.specialist),
            f"{opinion.score:.2f}",
            f"{opinion.probability:.2f}",
            f"{opinion.weight:+.2f}",
            escape(opinion.evidence),
        )
    out.print(table)
    asleep = [escape(opinion.specialist) for opinion in explanation.opinions if opinion.score is None]
    if asleep:
        out.print(f"[dim]nothing to compare: {', '.join(asleep)}[/]", soft_wrap=True)
