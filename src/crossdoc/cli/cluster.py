"""`crossdoc cluster`: edges or a similarity matrix in, labels out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from crossdoc import errors
from crossdoc.cli.common import err, print_json
from crossdoc.cli.export import format_of, write_rows
from crossdoc.cluster.graph import GraphAnswer, cluster_graph, graph_methods
from crossdoc.cluster.registry import DEFAULT
from crossdoc.constraints import Constraints
from crossdoc.files import whole_file
from crossdoc.read import read_edges, read_judgements
from crossdoc.settings import set_to


def cluster(
    edges: Annotated[Path, typer.Argument(help="Edges (a, b, strength or weight), or a similarity matrix.")],
    method: Annotated[str, typer.Option(help=f"One of: {', '.join(graph_methods())}.")] = DEFAULT,
    threshold: Annotated[float | None, typer.Option(help="Join clusters at least this similar (default 0.5).")] = None,
    bias: Annotated[
        float | None,
        typer.Option(help="Turn strengths into weights: strength − bias; join while the weight is above 0."),
    ] = None,
    missing: Annotated[
        str, typer.Option(help="A pair without an edge is as different as can be (complete) or says nothing (sparse).")
    ] = "complete",
    solver: Annotated[str | None, typer.Option(help="Of correlation: short for --set solver=SOLVER.")] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="A parameter of the method: KEY=VALUE. May be repeated.")
    ] = None,
    time_limit: Annotated[float | None, typer.Option(help="Seconds after which the best found is taken.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Every random choice follows from it.")] = 0,
    constraints: Annotated[Path | None, typer.Option(help="Judgements that the answer has to honour.")] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="CSV, JSONL or Parquet by its ending.")] = None,
    soft: Annotated[bool, typer.Option("--soft", help="All memberships, not each id's strongest alone.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print a summary as JSON (the table only with -o).")] = False,
) -> None:
    """Cluster a graph: edges or a matrix of similarities in, `id, entity, membership` out.

    Example:  crossdoc cluster edges.csv --method average-linkage --threshold 0.6 -o labels.csv
    """
    format = format_of(output)
    parameters = set_to({}, [*([f"solver={solver}"] if solver else []), *(set_ or [])])
    given = read_edges(edges)
    answer = cluster_graph(
        given.relations(),
        given.ids,
        method,
        signed=given.signed,
        threshold=threshold,
        bias=bias,
        missing=missing,  # type: ignore[arg-type]
        time_limit=time_limit,
        seed=seed,
        constraints=_constraints(constraints, given.ids),
        parameters=parameters,
    )
    table = answer.partition.table(soft=soft)
    if output is not None or not as_json:
        with whole_file(output) as stream:
            write_rows(table.to_batches(), table.schema, format, stream)
    for note in (*given.notes, *answer.notes):
        err.print(f"[yellow]note:[/] {escape(note)}", soft_wrap=True)
    summary = {
        "nodes": len(given.ids),
        "edges": len(given.left),
        "clusters": answer.partition.n_clusters,
        "method": method,
        "threshold": answer.threshold,
        "missing": missing,
        **answer.facts,
    }
    if as_json:
        print_json(summary)
    else:
        _tell(summary, answer, given.signed)


def _constraints(path: Path | None, ids: Any) -> Constraints:
    position = {id: row for row, id in enumerate(ids)}
    judgements = read_judgements(path) if path else []
    unknown = sorted({id for j in judgements for id in (j.a, j.b)} - set(position))
    if unknown:
        raise errors.unknown_profiles(path or "", unknown)
    return Constraints.compile(judgements, position, len(ids))


def _tell(summary: dict[str, object], answer: GraphAnswer, signed: bool) -> None:
    how = str(summary["method"])
    if answer.threshold is not None:
        how += f", threshold {answer.threshold:g}"
    elif signed:
        how += ", weights above 0"
    err.print(
        f"{summary['nodes']:,} nodes, {summary['edges']:,} edges → {summary['clusters']:,} clusters "
        f"({how}, pairs without an edge: {summary['missing']})"
    )
    if "account" in answer.facts:
        err.print(escape(str(answer.facts["account"])), soft_wrap=True)
