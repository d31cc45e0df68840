"""`crossdoc cluster`: edges or a similarity matrix in, labels out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.markup import escape

from crossdoc import errors
from crossdoc.cli.common import err, print_json
from crossdoc.cli.export import format_of, write_rows
from crossdoc.cluster.constraints import Constraints
from crossdoc.cluster.hierarchical import MAX_BLOCK
from crossdoc.cluster.methods import (
    CORRELATION,
    EDGE_METHODS,
    FUZZY,
    WITHOUT_THRESHOLD,
    cluster_names,
    cluster_relations,
)
from crossdoc.files import whole_file
from crossdoc.model import Partition, Relations
from crossdoc.read import read_edges, read_judgements

MISSING = ("complete", "sparse")
SOLVERS = ("auto", "exact", "lp", "moves", "full", "chunking")
DEFAULT_THRESHOLD = 0.5
JUST_ABOVE_ZERO = 1e-12


def cluster(
    edges: Annotated[Path, typer.Argument(help="Edges (a, b, strength or weight), or a similarity matrix.")],
    method: Annotated[str, typer.Option(help=f"One of: {', '.join(EDGE_METHODS)}.")] = "average-linkage",
    threshold: Annotated[float | None, typer.Option(help="Join clusters at least this similar (default 0.5).")] = None,
    bias: Annotated[
        float | None,
        typer.Option(help="Turn strengths into weights: strength − bias; join while the weight is above 0."),
    ] = None,
    missing: Annotated[
        str, typer.Option(help="A pair without an edge is as different as can be (complete) or says nothing (sparse).")
    ] = "complete",
    solver: Annotated[
        str | None, typer.Option(help=f"Of correlation clustering: {', '.join(SOLVERS)} (default auto).")
    ] = None,
    time_limit: Annotated[float | None, typer.Option(help="Seconds after which the best found is taken.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Every random choice follows from it.")] = 0,
    constraints: Annotated[Path | None, typer.Option(help="Judgements that the answer has to honour.")] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="CSV, JSONL or Parquet by its ending.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a summary as JSON (needs -o).")] = False,
) -> None:
    """Cluster a graph: edges or a matrix of similarities in, `id, entity, membership` out.

    Example:  crossdoc cluster edges.csv --method average-linkage --threshold 0.6 -o labels.csv
    """
    if method not in EDGE_METHODS:
        raise errors.unknown_method(method, EDGE_METHODS)
    if missing not in MISSING:
        raise errors.unknown_choice("rule for missing pairs", missing, MISSING)
    for option, value in (("--threshold", threshold), ("--bias", bias)):
        if value is not None and not 0 <= value <= 1:
            raise errors.bad_settings(option, ["strengths lie between 0 and 1, and so must this"])
    if threshold is not None and bias is not None:
        raise errors.one_of_two("--threshold", "--bias")
    if method in WITHOUT_THRESHOLD and (threshold is not None or bias is not None):
        raise errors.no_threshold(method)
    if solver is not None and method != CORRELATION:
        raise errors.solver_of_correlation(method)
    if solver is not None and solver not in SOLVERS:
        raise errors.unknown_choice("solver", solver, SOLVERS)
    if time_limit is not None and method != CORRELATION:
        raise errors.needs_option("--time-limit", f"--method {CORRELATION}")
    if time_limit is not None and not time_limit > 0:
        raise errors.bad_settings("--time-limit", [f"it must be above 0 seconds, not {time_limit:g}"])
    if as_json and output is None:
        raise errors.needs_output("--json")
    format = format_of(output)
    given = read_edges(edges)
    if given.signed and (threshold is not None or bias is not None):
        raise errors.signed_weights(edges)
    judgements = read_judgements(constraints) if constraints else []
    position = {id: row for row, id in enumerate(given.ids)}
    unknown = sorted({id for j in judgements for id in (j.a, j.b)} - set(position))
    if unknown:
        raise errors.unknown_profiles(constraints or "", unknown)
    limits = Constraints.compile(judgements, position, len(given.ids))
    cut = next((value for value in (threshold, bias) if value is not None), DEFAULT_THRESHOLD)
    notes = list(given.notes)
    told: dict[str, object] = {}
    if method in ("one-in-one", "all-in-one"):
        membership = cluster_names(method, list(given.ids), limits)
    elif method == CORRELATION:
        from crossdoc.cluster.correlation import CorrelationClustering

        solved = CorrelationClustering(
            solver or "auto",  # type: ignore[arg-type]
            bias=None if given.signed else cut,
            missing=missing,  # type: ignore[arg-type]
            time_limit=time_limit,
            seed=seed,
        ).fit(given.relations(), constraints=limits)
        membership = solved.partition_.membership
        notes.extend(solved.notes_)
        told = {
            "solver": solved.solver_,
            "objective": solved.objective_,
            "lower_bound": solved.lower_bound_,
            "gap": solved.gap_,
        }
    else:
        if given.signed:
            relations, stop = given.relations(), JUST_ABOVE_ZERO
        else:
            relations, stop = _joinable(given.relations(), cut, bias is not None and method not in FUZZY, missing)
        membership = cluster_relations(method, relations, limits, stop, MAX_BLOCK, seed)
    partition = Partition(given.ids, membership)
    table = partition.table(soft=True)
    with whole_file(output) as stream:
        write_rows(table.to_batches(), table.schema, format, stream)
    for note in notes:
        err.print(f"[yellow]note:[/] {escape(note)}", soft_wrap=True)
    summary = {
        "nodes": len(given.ids),
        "edges": len(given.left),
        "clusters": partition.n_clusters,
        "method": method,
        "threshold": None if given.signed or method in WITHOUT_THRESHOLD else cut,
        "missing": missing,
        **told,
    }
    if as_json:
        print_json(summary)
    else:
        joined = "weights above 0" if given.signed else f"threshold {cut:g}"
        how = method if method in WITHOUT_THRESHOLD else f"{method}, {joined}"
        err.print(
            f"{summary['nodes']:,} nodes, {summary['edges']:,} edges → {partition.n_clusters:,} clusters "
            f"({how}, pairs without an edge: {missing})"
        )
        if told:
            err.print(escape(str(told["solver"])), soft_wrap=True)


def _joinable(relations: Relations, cut: float, as_weights: bool, missing: str) -> tuple[Relations, float]:
    """The relations to cluster and the value at which to stop; a pair that was not compared takes its stated value."""
    if as_weights:
        weights = relations.strength - np.float32(cut)
        default = -cut if missing == "complete" else 0.0
        return Relations(relations.n, relations.left, relations.right, weights, default), JUST_ABOVE_ZERO
    default = 0.0 if missing == "complete" else float(np.nextafter(np.float32(cut), np.float32(0)))
    return Relations(relations.n, relations.left, relations.right, relations.strength, default), cut
