"""`crossdoc train`: profiles and gold, or profiles alone, in; a model file out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer
from rich.markup import escape

from crossdoc import errors
from crossdoc.cli.choices import TRAINING_PAIRS
from crossdoc.cli.common import Force, Seed, ShownProgress, SummaryAsJson, check_outputs, out, print_json

if TYPE_CHECKING:
    from crossdoc.compare.learned import LearnedModel
    from crossdoc.compare.training import LearnerName


class _NoteKeeper(ShownProgress):
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
            help="Profiles, as written by `crossdoc extract`, followed by gold (id, entity) unless --self is given.",
        ),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="Output file, model.json.")],
    on_itself: Annotated[
        bool,
        typer.Option(
            "--self",
            help="Learn without gold, from names that recur in the collection; works better with more profiles.",
        ),
    ] = False,
    learner: Annotated[str, typer.Option(help="boosted (monotone trees) or seg (Huang et al. 2009).")] = "boosted",
    pairs: Annotated[int, typer.Option(min=2, help="Maximum number of labelled pairs.")] = TRAINING_PAIRS,
    embed: Annotated[
        bool, typer.Option("--embed", help="Also compare sentence embeddings (needs crossdoc[embed]; English, slow).")
    ] = False,
    seed: Seed = 0,
    as_json: SummaryAsJson = False,
    force: Force = False,
) -> None:
    """Learn how much each kind of evidence counts, from labelled profiles or from the collection itself.

    Example:  crossdoc train profiles.parquet gold.csv -o model.json
    """
    from crossdoc.compare.training import Trainer
    from crossdoc.read import read_all_profiles, read_gold

    trainer = Trainer(cast("LearnerName", learner), embed, pairs, seed)
    if not on_itself and len(inputs) < 2:
        raise errors.gold_missing()
    check_outputs([output], inputs, force=force, kind="JSON")
    paths, gold = (inputs, None) if on_itself else (inputs[:-1], inputs[-1])
    labelled = None if gold is None else read_gold(gold)
    source = " and ".join(path.name for path in ([gold] if gold is not None else paths))
    progress = _NoteKeeper(quiet=as_json)
    with progress:
        progress.start("reading profiles")
        model = trainer.train(read_all_profiles(paths), labelled, source=source, progress=progress)
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
