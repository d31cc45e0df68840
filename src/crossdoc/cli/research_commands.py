"""The commands for experiments: `score` (an answer against gold) and `train` (a model)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.markup import escape

from crossdoc import errors
from crossdoc.cli.common import (
    TRAINING_PAIRS,
    AsJson,
    Force,
    Seed,
    ShownProgress,
    SummaryAsJson,
    check_outputs,
    err,
    out,
    plain_table,
    print_json,
    print_notes,
    print_table,
)

if TYPE_CHECKING:
    from crossdoc.compare.learned import LearnedModel
    from crossdoc.scoring import Scores

MEASURE_NAMES = {
    "b3": "B³",
    "b3_extended": "B³ extended",
    "purity": "purity",
    "pairwise": "pairwise",
    "pairwise_self": "pairwise with self-pairs",
    "muc": "MUC",
    "ceaf_m": "CEAF mention",
    "ceaf_e": "CEAF entity",
    "lea": "LEA",
    "conll": "CoNLL average",
}


def score(
    predicted: Annotated[Path, typer.Argument(help="An answer (id, entity[, membership]) or OUT.crossdoc.")],
    gold: Annotated[Path, typer.Argument(help="Gold standard (id, entity[, group]).")],
    by: Annotated[str | None, typer.Option(help="'group': average over the groups of the gold standard.")] = None,
    theta: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            help="Count memberships above θ (a table must be exported with --soft); default: only the best.",
        ),
    ] = None,
    level: Annotated[
        str, typer.Option(help="For OUT.crossdoc: score profiles, or mentions if the gold standard has mentions.")
    ] = "profile",
    bootstrap: Annotated[int, typer.Option(min=0, help="Number of resamples for 95% intervals; 0 for none.")] = 1000,
    seed: Seed = 0,
    keep: Annotated[
        bool, typer.Option("--keep", help="Store the scores in OUT.crossdoc, for `info` and the explorer.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Score an answer against a gold standard: B³, purity, pairwise, MUC, CEAF, LEA, CoNLL.

    Example:  crossdoc score answer.csv gold.csv --by group
    """
    from crossdoc.run.evaluation import is_result
    from crossdoc.run.evaluation import score as score_answer
    from crossdoc.store.store import until_current

    if by is not None and by != "group":
        raise errors.unknown_choice("grouping", by, ["group"])
    if keep and not is_result(predicted):
        raise errors.no_result_to_keep_in(predicted)
    grouping: Literal["group"] | None = "group" if by else None
    scores = score_answer(predicted, gold, by=grouping, theta=theta, level=level, bootstrap=bootstrap, seed=seed)
    if keep:
        until_current(_keep)(predicted, gold.name, scores)
    if as_json:
        print_json(scores.to_dict())
    else:
        show_scores(scores)


def _keep(result: Path, gold: str, scores: Scores) -> None:
    from crossdoc.store import Store

    with Store.open(result) as store, store.changing():
        store.keep_score(gold, {name: values["f1"] for name, values in scores.values.items() if "f1" in values})


def show_scores(scores: Scores) -> None:
    figures = ("precision", "recall", "F1")
    table = plain_table("measure", *figures, "", right=figures, padding=2)
    for key, values in scores.values.items():
        further = "  ".join(f"{name} {value:.4f}" for name, value in values.items() if name.startswith("f0"))
        first, second = (
            values.get(name, values.get(other))
            for name, other in (("precision", "purity"), ("recall", "inverse_purity"))
        )
        interval = scores.intervals.get(key, {}).get("f1") if scores.intervals else None
        beside = f"95%: {interval.low:.4f}–{interval.high:.4f}" if interval is not None else further
        table.add_row(MEASURE_NAMES.get(key, key), _number(first), _number(second), _number(values.get("f1")), beside)
    print_table(table)
    for name, count in scores.counts.items():
        err.print(f"[dim]{name.replace('_', ' ')}: {count:,}[/]")
    print_notes(scores.notes)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"


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
            metavar="PROFILES… GOLD", help="Profiles, as written by `crossdoc extract`, followed by gold (id, entity)."
        ),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="Output file, model.json.")],
    pairs: Annotated[int, typer.Option(min=2, help="Maximum number of labelled pairs.")] = TRAINING_PAIRS,
    seed: Seed = 0,
    as_json: SummaryAsJson = False,
    force: Force = False,
) -> None:
    """Learn how much each kind of evidence counts, from labelled profiles.

    Example:  crossdoc train profiles.parquet gold.csv -o model.json
    """
    from crossdoc.compare.specialists import all_specialists
    from crossdoc.compare.training import train as train_model
    from crossdoc.read import read_all_profiles, read_gold

    if len(inputs) < 2:
        raise errors.gold_missing()
    check_outputs([output], inputs, force=force, kind="JSON")
    *paths, gold = inputs
    labelled = read_gold(gold)
    progress = _NoteKeeper(quiet=as_json)
    with progress:
        progress.start("reading profiles")
        model = train_model(
            read_all_profiles(paths),
            labelled,
            all_specialists(),
            source=f"{gold.name} ({len(labelled):,} labelled profiles)",
            most_pairs=pairs,
            seed=seed,
            progress=progress,
        )
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
