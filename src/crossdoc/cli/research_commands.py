"""The commands for experiments: `score` (an answer against gold) and `train` (a model)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from rich.markup import escape

from crossdoc import errors
from crossdoc.cli import ui

if TYPE_CHECKING:
    from crossdoc.compare.learned import LearnedModel
    from crossdoc.scoring import Scores

TRAINING_PAIRS = 32_000
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
    predicted: Annotated[Path, ui.argument("An answer (id, entity[, membership]) or OUT.crossdoc.")],
    gold: Annotated[Path, ui.argument("Gold standard (id, entity[, group]).")],
    by: Annotated[str | None, ui.option("'group': average over the groups of the gold standard.")] = None,
    theta: Annotated[
        float | None,
        ui.option(
            "Count memberships above θ (a table must be exported with --soft); default: only the best.", min=0, max=1
        ),
    ] = None,
    level: Annotated[
        str, ui.option("For OUT.crossdoc: score profiles, or mentions if the gold standard has mentions.")
    ] = "profile",
    bootstrap: Annotated[int, ui.option("Number of resamples for 95% intervals; 0 for none.", min=0)] = 1000,
    seed: ui.Seed = 0,
    as_json: ui.AsJson = False,
) -> None:
    """Score an answer against a gold standard: B³, purity, pairwise, MUC, CEAF, LEA, CoNLL.

    Example:  crossdoc score answer.csv gold.csv --by group
    """
    from crossdoc.run.evaluation import score as score_answer

    if by is not None and by != "group":
        raise errors.unknown_choice("grouping", by, ["group"])
    grouping: Literal["group"] | None = "group" if by else None
    scores = score_answer(predicted, gold, by=grouping, theta=theta, level=level, bootstrap=bootstrap, seed=seed)
    if as_json:
        ui.print_json(scores.to_dict())
    else:
        show_scores(scores)


def show_scores(scores: Scores) -> None:
    figures = ("precision", "recall", "F1")
    table = ui.table("measure", *figures, "", right=figures, padding=2)
    for key, values in scores.values.items():
        further = "  ".join(f"{name} {value:.4f}" for name, value in values.items() if name.startswith("f0"))
        first, second = (
            values.get(name, values.get(other))
            for name, other in (("precision", "purity"), ("recall", "inverse_purity"))
        )
        interval = scores.intervals.get(key, {}).get("f1") if scores.intervals else None
        beside = f"95%: {interval.low:.4f}–{interval.high:.4f}" if interval is not None else further
        table.add_row(MEASURE_NAMES.get(key, key), _number(first), _number(second), _number(values.get("f1")), beside)
    ui.print_table(table)
    for name, count in scores.counts.items():
        ui.err.print(f"[dim]{name.replace('_', ' ')}: {count:,}[/]")
    ui.notes(scores.notes)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"


def train(
    inputs: Annotated[
        list[Path],
        ui.argument("Profiles, as written by `crossdoc extract`, followed by gold (id, entity).", "PROFILES… GOLD"),
    ],
    output: Annotated[Path, ui.output_option("Output file, model.json.")],
    pairs: Annotated[int, ui.option("Maximum number of labelled pairs.", min=2)] = TRAINING_PAIRS,
    seed: ui.Seed = 0,
    as_json: ui.SummaryAsJson = False,
    force: ui.Force = False,
) -> None:
    """Learn how much each kind of evidence counts, from labelled profiles.

    Example:  crossdoc train profiles.parquet gold.csv -o model.json
    """
    from crossdoc.compare.specialists import all_specialists
    from crossdoc.compare.training import train as train_model
    from crossdoc.read import read_all_profiles, read_gold

    if len(inputs) < 2:
        raise errors.gold_missing()
    ui.check_outputs([output], inputs, force=force, kind="JSON")
    *paths, gold = inputs
    labelled = read_gold(gold)
    with ui.ShownProgress(quiet=as_json) as progress:
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
        ui.print_json({"output": str(output), "threshold": model.threshold, "weights": weights, "notes": notes})
        return
    for name, weight in sorted(weights.items(), key=lambda item: -item[1]):
        ui.out.print(f"  {weight:6.3f}  {escape(name)}")
    shown = escape(str(output))
    ui.line(f"Model in {shown}; use it with: crossdoc resolve … --model {shown}")
