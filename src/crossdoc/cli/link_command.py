"""`crossdoc link`: article groups in several languages in, links between them out."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

from rich.markup import escape

from crossdoc import errors
from crossdoc.cli import ui

if TYPE_CHECKING:
    from crossdoc.cluster.correlation.correlation_clustering import Solver
    from crossdoc.crosslingual import LinkedGroups
    from crossdoc.crosslingual.detector import Method
    from crossdoc.crosslingual.groups import Kind
    from crossdoc.crosslingual.linking import Point
    from crossdoc.crosslingual.similarity import Measure

LINK_METHODS = ("correlation", "chc", "hc")
LINK_FEATURES = ("word", "name", "cognate", "number", "date", "place")
LINK_MEASURES = ("relative", "cosine", "inner")
AUTO = "auto"


def link(
    groups: Annotated[Path, ui.argument("Article groups: id, language, titles, texts (JSONL).")],
    output: ui.AnswerFile = None,
    pairs: Annotated[Path | None, ui.option("Also write the links as pairs: a, b, …, similarity.")] = None,
    translator: Annotated[
        list[str] | None,
        ui.option(
            "none, apertium, or a dictionary (TSV, FreeDict) as [LANGUAGE=]PATH. May be repeated: "
            "a language is translated by the first that knows it."
        ),
    ] = None,
    bias: Annotated[str, ui.option("Similarities above it count for a link; auto: chosen without gold.")] = AUTO,
    method: Annotated[str, ui.option(f"One of: {', '.join(LINK_METHODS)}.")] = "correlation",
    solver: Annotated[str, ui.option(f"For correlation: {', '.join(ui.SOLVERS)}.")] = AUTO,
    features: Annotated[str, ui.option("Features to compare, separated by commas.")] = ",".join(LINK_FEATURES),
    similarity: Annotated[str, ui.option(f"One of: {', '.join(LINK_MEASURES)} (the paper's).")] = "relative",
    titles_only: Annotated[bool, ui.option("Compare titles only, not texts.", "--titles-only")] = False,
    constraints: ui.Judgements = None,
    gold: Annotated[
        Path | None, ui.option("Gold standard (id, entity), to report precision and recall over pairs.")
    ] = None,
    sweep: Annotated[Path | None, ui.option("Write precision and recall for a falling bias (needs --gold).")] = None,
    step: Annotated[
        float | None, ui.option("For --sweep: share of pairs made positive in each step (0.001).", min=1e-6, max=1)
    ] = None,
    until: Annotated[
        float | None, ui.option("For --sweep: share of positive pairs at the end (0.1).", min=1e-6, max=1)
    ] = None,
    plot_to: Annotated[Path | None, ui.option("Plot the curve of --sweep (SVG, PNG, PDF).", "--plot")] = None,
    time_limit: Annotated[float | None, ui.option("Maximum number of seconds for a solver.", min=0.1)] = None,
    seed: ui.Seed = 0,
    soft: ui.Soft = False,
    as_json: ui.Summary = False,
    force: ui.Force = False,
) -> None:
    """Link groups of articles in different languages that are about the same thing.

    Example:  crossdoc link groups.jsonl -o links.csv --translator apertium
    """
    from crossdoc.crosslingual import LinkDetector, link_groups, make_translator
    from crossdoc.crosslingual.linking import STEP, UNTIL

    translators = [Path(each.partition("=")[2] or each) for each in translator or []]
    _check_files([output, pairs, sweep], plot_to, [groups, gold, constraints, *translators], force)
    if sweep is not None and gold is None:
        raise errors.needs_option("--sweep", "--gold GOLD.csv")
    _check_needed("--sweep CURVE.csv", sweep is not None, {"--plot": plot_to, "--step": step, "--until": until})
    of_correlation = {"--solver": None if solver == AUTO else solver, "--time-limit": time_limit}
    _check_needed("--method correlation", method == "correlation", of_correlation)
    detector = LinkDetector(
        _bias(bias), cast("Method", method), make_translator(translator or []),
        [cast("Kind", kind.strip()) for kind in features.split(",")], cast("Measure", similarity),
        titles_only=titles_only, solver=cast("Solver", solver), time_limit=time_limit, random_state=seed,
    )  # fmt: skip
    with ui.ShownProgress() as progress:
        linked = link_groups(groups, detector, constraints=constraints or (), gold=gold, progress=progress)
        ui.write_answer(linked.answer(soft), output, as_json)
        if pairs is not None:
            ui.write_table(linked.pairs(), pairs)
        if sweep is not None:
            _write_curve(linked, linked.curve(step or STEP, until or UNTIL, progress), sweep, plot_to)
    ui.notes(linked.notes)
    (ui.print_json if as_json else _print_summary)(linked.summary())


def _check_files(tables: list[Path | None], picture: Path | None, read: list[Path | None], force: bool) -> None:
    from crossdoc.crosslingual.linking import PLOT_ENDINGS

    for path in tables:
        ui.format_of(path)
    if picture is not None and picture.suffix.removeprefix(".").lower() not in PLOT_ENDINGS:
        raise errors.unknown_choice("picture format", picture.name, [f"NAME.{ending}" for ending in PLOT_ENDINGS])
    if picture is not None and find_spec("matplotlib") is None:
        raise errors.needs_extra("--plot", "matplotlib", "plot")
    ui.check_outputs([*tables, picture], read, force=force)


def _check_needed(other: str, present: bool, options: Mapping[str, object]) -> None:
    for flag, value in options.items():
        if value is not None and not present:
            raise errors.needs_option(flag, other)


def _bias(given: str) -> float | None:
    if given == AUTO:
        return None
    try:
        return float(given)
    except ValueError:
        raise errors.bias_of_similarities(given) from None


def _write_curve(linked: LinkedGroups, points: list[Point], sweep: Path, picture: Path | None) -> None:
    from crossdoc.crosslingual.linking import plot, table

    ui.write_table(table(points), sweep)
    if picture is not None:
        chosen = linked.detector.bias_
        label = f"bias {chosen.bias:.3f} ({chosen.rule})"
        plot({linked.detector.method: points}, picture, (label, linked.point()))


def _print_summary(summary: dict[str, Any]) -> None:
    languages = ", ".join(f"{language} {count:,}" for language, count in summary["languages"].items())
    translated = "; ".join(f"{language}: {by}" for language, by in summary["translated_by"].items())
    ui.err.print(
        f"{summary['groups']:,} groups ({languages}) → {summary['links']:,} links in {summary['clusters']:,} clusters"
    )
    how = f"bias {summary['bias']:.4f} ({summary['bias_rule']}); {summary['solver']}"
    ui.status(f"[dim]{escape(how)}\ntranslated: {escape(translated)}[/]")
    if "f1" in summary:
        ui.err.print(
            f"pairs: precision {summary['precision']:.4f}  recall {summary['recall']:.4f}  F1 {summary['f1']:.4f}"
        )
