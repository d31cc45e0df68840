"""`crossdoc score`: an answer against gold."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from crossdoc import errors
from crossdoc.cli.common import AsJson, Seed, err, plain_table, print_json, print_notes, print_table

if TYPE_CHECKING:
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
    from crossdoc.evaluation import is_result
    from crossdoc.evaluation import score as score_answer
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
