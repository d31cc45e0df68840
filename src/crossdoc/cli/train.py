"""`crossdoc train`: profiles and gold, or profiles alone, in; a model file out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from crossdoc import errors
from crossdoc.cli.common import ShownProgress, out, print_json

if TYPE_CHECKING:
    from crossdoc.compare.learned import LearnedModel


class _Noting(ShownProgress):
    """Keeps the notes too, for the summary in JSON."""

    def __init__(self, quiet: bool) -> None:
        super().__init__(quiet)
        self.notes: list[str] = []

    def note(self, message: str) -> None:
        self.notes.append(message)
        super().note(message)


def train(
    inputs: Annotated[
        list[Path],
        typer.Argument(
            metavar="PROFILES… [GOLD]",
            help="Profiles (`crossdoc extract` makes them) and, last, gold (id, entity), unless --self.",
        ),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="The model file to write, model.json.")],
    on_itself: Annotated[
        bool,
        typer.Option("--self", help="Learn without gold, from names that recur in the collection; more profiles help."),
    ] = False,
    learner: Annotated[str, typer.Option(help="boosted (monotone trees) or seg (Huang et al. 2009).")] = "boosted",
    pairs: Annotated[int, typer.Option(min=2, help="At most so many labelled pairs.")] = 32_000,
    embed: Annotated[
        bool, typer.Option("--embed", help="Also compare sentence embeddings (needs crossdoc[embed]; English, slow).")
    ] = False,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print a summary as JSON.")] = False,
) -> None:
    """Learn how strongly each kind of evidence speaks, from labelled profiles or from the collection itself.

    Example:  crossdoc train profiles.parquet gold.csv -o model.json
    """
    import pyarrow as pa

    from crossdoc.compare.specialists import Embeddings, all_specialists
    from crossdoc.compare.training import LEARNERS, train_on_itself
    from crossdoc.compare.training import train as learn
    from crossdoc.model import Profiles
    from crossdoc.read import find_sources, read_answer, read_profiles

    if learner not in LEARNERS:
        raise errors.unknown_choice("learner", learner, LEARNERS)
    if embed and not Embeddings.installed():
        raise errors.no_embeddings()
    if not on_itself and len(inputs) < 2:
        raise errors.gold_missing()
    *profiles, gold = (*inputs, None) if on_itself else inputs
    labelled: dict[str, set[str]] = {}
    for row in read_answer(gold).to_pylist() if gold else ():
        labelled.setdefault(row["id"], set()).add(row["entity"])
    progress = _Noting(quiet=as_json)
    with progress:
        progress.start("reading profiles")
        table = Profiles(
            pa.concat_tables([batch.arrow for batch in read_profiles(find_sources(filter(None, profiles)))])
        )
        specialists = all_specialists(embed=embed)
        options: dict[str, Any] = {"learner": learner, "most_pairs": pairs, "seed": seed, "progress": progress}
        if gold is None:
            source = " and ".join(path.name for path in inputs)
            model = train_on_itself(table, specialists, source=source, **options)
        else:
            source = f"{gold.name} ({len(labelled):,} labelled profiles)"
            model = learn(table, labelled, specialists, source=source, **options)
    model.save(output)
    _show(model, output, progress.notes, as_json)


def _show(model: LearnedModel, output: Path, notes: list[str], as_json: bool) -> None:
    assert model.ensemble is not None
    weights = dict(zip(model.ensemble.specialists, model.ensemble.weights, strict=True))
    if as_json:
        print_json({"output": str(output), "threshold": model.threshold, "weights": weights, "notes": notes})
        return
    for name, weight in sorted(weights.items(), key=lambda item: -item[1]):
        out.print(f"  {weight:6.3f}  {escape(name)}")
    shown = escape(str(output))
    out.print(f"Model in {shown}; use it with: crossdoc resolve … --model {shown}", soft_wrap=True)
