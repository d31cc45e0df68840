"""`crossdoc link`: article groups in several languages in, links between them out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, cast

import pyarrow as pa
import typer
from rich.markup import escape

from crossdoc import errors
from crossdoc.cli.common import ShownProgress, err, print_json
from crossdoc.cli.export import format_of, write_rows
from crossdoc.cluster.correlation import SOLVERS
from crossdoc.cluster.correlation.clustering import Solver
from crossdoc.constraints import Constraints
from crossdoc.crosslingual import KINDS, MEASURES, METHODS, ArticleGroup, LinkDetector, read_groups, sweep_biases
from crossdoc.crosslingual import translator_named as named
from crossdoc.crosslingual.bias import positive_share
from crossdoc.crosslingual.curve import PLOT_ENDINGS, Point, curve, plot, score_links, table
from crossdoc.crosslingual.features import Kind
from crossdoc.crosslingual.link import Method
from crossdoc.crosslingual.similarity import Measure
from crossdoc.files import whole_file
from crossdoc.model import Judgement
from crossdoc.read import read_answer, read_judgements
from crossdoc.score import Assignment

AUTO = "auto"
STEP, UNTIL = 0.001, 0.1
"""The paper's sweep of its larger set."""
PAIR_COLUMNS = pa.schema(
    [("a", pa.string()), ("b", pa.string()), ("language_a", pa.string()), ("language_b", pa.string()),
     ("similarity", pa.float64())]
)  # fmt: skip


def link(
    groups: Annotated[Path, typer.Argument(help="Article groups: id, language, titles, texts (JSONL).")],
    output: Annotated[Path | None, typer.Option("-o", "--output", help="id, entity, … as CSV, JSONL, Parquet.")] = None,
    pairs: Annotated[Path | None, typer.Option(help="Also write the links as pairs: a, b, …, similarity.")] = None,
    translator: Annotated[
        list[str] | None,
        typer.Option(
            help="none, apertium, argos, a dictionary (TSV, FreeDict) or a model; [LANGUAGE=]PATH. May be repeated: "
            "the first that knows a language translates it."
        ),
    ] = None,
    bias: Annotated[
        str, typer.Option(help="Similarities above it speak for a link; auto: chosen without gold.")
    ] = AUTO,
    method: Annotated[str, typer.Option(help=f"One of: {', '.join(METHODS)}.")] = "correlation",
    solver: Annotated[str, typer.Option(help=f"Of correlation: {', '.join(SOLVERS)}.")] = "auto",
    features: Annotated[str, typer.Option(help="What to compare, with commas between.")] = ",".join(KINDS),
    similarity: Annotated[str, typer.Option(help=f"One of: {', '.join(MEASURES)} (the paper's).")] = "relative",
    titles_only: Annotated[bool, typer.Option("--titles-only", help="Leave the groups' texts out.")] = False,
    constraints: Annotated[Path | None, typer.Option(help="Judgements that the answer has to honour.")] = None,
    gold: Annotated[Path | None, typer.Option(help="Gold (id, entity): say precision and recall over pairs.")] = None,
    sweep: Annotated[
        Path | None, typer.Option(help="Write precision and recall as the bias falls (needs --gold).")
    ] = None,
    step: Annotated[
        float | None, typer.Option(min=1e-6, max=1, help="Of --sweep: share of pairs made positive at a time (0.001).")
    ] = None,
    until: Annotated[
        float | None, typer.Option(min=1e-6, max=1, help="Of --sweep: share of positive pairs at its end (0.1).")
    ] = None,
    plot_to: Annotated[Path | None, typer.Option("--plot", help="Draw the curve of --sweep (SVG, PNG, PDF).")] = None,
    time_limit: Annotated[float | None, typer.Option(min=0.1, help="Seconds a solver may take.")] = None,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print a summary as JSON (needs -o).")] = False,
) -> None:
    """Link article groups across languages: which are about the same thing.

    Example:  crossdoc link groups.jsonl -o links.csv --translator apertium
    """
    for path in (output, pairs, sweep):
        format_of(path)
    _check_plot(plot_to)
    _check_outputs((output, pairs, sweep, plot_to), (groups, gold, constraints))
    if as_json and output is None:
        raise errors.needs_output("--json")
    if sweep is not None and gold is None:
        raise errors.gold_needed("--sweep")
    for option, asked in (("--plot", plot_to), ("--step", step), ("--until", until)):
        if asked is not None and sweep is None:
            raise errors.needs_option(option, "--sweep CURVE.csv")
    for option, given_ in (("--solver", solver != "auto"), ("--time-limit", time_limit is not None)):
        if given_ and method != "correlation":
            raise errors.needs_option(option, "--method correlation")
    given, notes = read_groups(groups)
    detector = LinkDetector(
        _bias(bias),
        cast(Method, method),
        named(translator or ["none"]),
        [cast(Kind, kind.strip()) for kind in features.split(",")],
        cast(Measure, similarity),
        titles_only=titles_only,
        solver=cast(Solver, solver),
        time_limit=time_limit,
        random_state=seed,
    )
    limits = _constraints(constraints, given, method)
    truth = Assignment.from_table(read_answer(gold)) if gold else None
    if truth is not None:
        notes += _unknown_to_either(given, truth)
    with ShownProgress() as progress:
        detector.fit(given, constraints=limits, progress=progress)
        summary = _summary(detector, truth)
        _write(detector, output, pairs)
        if truth is not None and sweep is not None:
            biases = sweep_biases(detector.relations_, detector.pairs_, step or STEP, until or UNTIL)
            chosen = _point(summary)
            points = curve(detector, truth, biases, limits, progress)
            with whole_file(sweep) as stream:
                written = table(points)
                write_rows(written.to_batches(), written.schema, format_of(sweep), stream)
            if plot_to is not None:
                plot({method: points}, plot_to, (f"bias {chosen.bias:.3f} ({summary['bias_rule']})", chosen))
    for note in [*notes, *summary["notes"]]:
        err.print(f"[yellow]note:[/] {escape(note)}", soft_wrap=True)
    if as_json:
        print_json(summary | {"notes": [*notes, *summary["notes"]]})
    else:
        _tell(summary)


def _check_plot(path: Path | None) -> None:
    if path is None:
        return
    if path.suffix.removeprefix(".").lower() not in PLOT_ENDINGS:
        raise errors.unknown_choice("picture format", path.name, [f"NAME.{ending}" for ending in PLOT_ENDINGS])
    if find_spec("matplotlib") is None:
        raise errors.no_matplotlib()


def _check_outputs(written: Sequence[Path | None], read: Sequence[Path | None]) -> None:
    """Before anything is computed: no file is written twice or over an input, and each can be written."""
    outputs = [path for path in written if path is not None]
    places = {path.resolve() for path in outputs}
    if len(places) < len(outputs):
        raise errors.same_output()
    for path in read:
        if path is not None and path.resolve() in places:
            raise errors.output_is_input(path)
    for path in outputs:
        if path.is_dir():
            raise errors.cannot_write(path, "it is a folder")
        folder = next(parent for parent in path.resolve().parents if parent.exists())
        if not (folder.is_dir() and os.access(folder, os.W_OK)):
            raise errors.cannot_write(path, f"{folder} is no folder that can be written to")


def _unknown_to_either(groups: list[ArticleGroup], truth: Assignment) -> list[str]:
    """Notes on ids that only the groups or only the gold have."""
    given, known = {group.id for group in groups}, set(truth.ids.to_pylist())
    if not given & known:
        raise errors.nothing_in_common()
    notes = []
    if alone := len(known - given):
        notes.append(f"Ids of the gold that no group has, which count as found by themselves: {alone:,}.")
    if ungraded := len(given - known):
        notes.append(f"Groups that the gold does not have, which are left out of precision and recall: {ungraded:,}.")
    return notes


def _bias(given: str) -> float | None:
    if given == AUTO:
        return None
    try:
        return float(given)
    except ValueError:
        raise errors.bias_of_similarities(given) from None


def _constraints(path: Path | None, groups: list[ArticleGroup], method: str) -> Constraints | None:
    """The judgements, closed; that two groups of one language are different contradicts what makes them the same."""
    if path is None:
        return None
    judgements = read_judgements(path)
    position = {group.id: row for row, group in enumerate(groups)}
    unknown = sorted({id for j in judgements for id in (j.a, j.b)} - set(position))
    if unknown:
        raise errors.unknown_profiles(path, unknown)
    limits = Constraints.compile(judgements, position, len(groups))
    if method != "hc":
        apart = []
        for rows in limits.linked_rows():
            first: dict[str, str] = {}
            for group in (groups[row] for row in rows):
                if (other := first.setdefault(group.language, group.id)) != group.id:
                    apart.append(Judgement(other, group.id, "different", who=f"both are in {group.language}"))
        if apart:
            Constraints.compile([*judgements, *apart], position, len(groups))
    return limits


def _summary(detector: LinkDetector, truth: Assignment | None) -> dict[str, Any]:
    counts = [int((detector.language_of_ == code).sum()) for code in range(len(detector.languages_))]
    told: dict[str, Any] = {
        "groups": len(detector.groups_),
        "languages": dict(zip(detector.languages_, counts, strict=True)),
        "translated_by": detector.translated_,
        "features": list(detector.kinds),
        "similarity": detector.measure,
        "bias": detector.bias_.bias,
        "bias_rule": detector.bias_.rule,
        "positive_share": positive_share(detector.relations_, detector.pairs_, detector.bias_.bias),
        "method": detector.method,
        "solver": detector.solver_,
        **detector.bounds_,
        "clusters": int(detector.labels_.max()) + 1,
        "links": detector.n_links_,
        "notes": detector.notes_,
    }
    if truth is not None:
        tally = score_links(detector, truth)
        told |= {"precision": tally.precision, "recall": tally.recall, "f1": tally.f1}
    return told


def _point(summary: dict[str, Any]) -> Point:
    names = ("bias", "positive_share", "precision", "recall", "f1", "clusters", "links")
    return Point(**{name: summary[name] for name in names}, seconds=0.0)


def _write(detector: LinkDetector, output: Path | None, pairs: Path | None) -> None:
    answer = detector.partition_.table(soft=True)
    known = {group.id: group for group in detector.groups_}
    own = [known[id] for id in answer["id"].to_pylist()]
    answer = answer.append_column("language", pa.array([group.language for group in own], pa.string()))
    translated = [detector.translated_[group.language] for group in own]
    answer = answer.append_column("translated_by", pa.array(translated, pa.string()))
    titles = [group.titles[0] if group.titles else group.texts[0][:100] for group in own]
    answer = answer.append_column("title", pa.array(titles, pa.string()))
    with whole_file(output) as stream:
        write_rows(answer.to_batches(), answer.schema, format_of(output), stream)
    if pairs is not None:
        linked = pa.Table.from_pylist([asdict(link) for link in detector.links_], schema=PAIR_COLUMNS)
        with whole_file(pairs) as stream:
            write_rows(linked.to_batches(), linked.schema, format_of(pairs), stream)


def _tell(told: dict[str, Any]) -> None:
    languages = ", ".join(f"{language} {count:,}" for language, count in told["languages"].items())
    translated = "; ".join(f"{language}: {by}" for language, by in told["translated_by"].items())
    err.print(f"{told['groups']:,} groups ({languages}) → {told['links']:,} links in {told['clusters']:,} clusters")
    how = f"bias {told['bias']:.4f} ({told['bias_rule']}); {told['solver']}"
    err.print(f"[dim]{escape(how)}\ntranslated: {escape(translated)}[/]", soft_wrap=True)
    if "f1" in told:
        err.print(f"pairs: precision {told['precision']:.4f}  recall {told['recall']:.4f}  F1 {told['f1']:.4f}")
