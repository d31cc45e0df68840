"""`crossdoc cluster`: edges or a similarity matrix in, labels out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from crossdoc.cli.common import (
    DEFAULT_METHOD,
    METHODS,
    NOT_OF_GRAPHS,
    Force,
    Judgements,
    Seed,
    check_outputs,
    err,
    print_json,
    print_notes,
)
from crossdoc.cli.export_command import AnswerFile, Soft, Summary, format_of, write_answer

if TYPE_CHECKING:
    from crossdoc.cluster.graph_clustering import GraphAnswer

OF_GRAPHS = [method for method in METHODS if method not in NOT_OF_GRAPHS]


def cluster(
    edges: Annotated[Path, typer.Argument(help="Edges (a, b, strength or weight), or a similarity matrix.")],
    method: Annotated[
        str,
        typer.Option(
            help=f"One of: {', '.join(OF_GRAPHS)}, or one that a package adds.", autocompletion=lambda: OF_GRAPHS
        ),
    ] = DEFAULT_METHOD,
    threshold: Annotated[float | None, typer.Option(help="Join clusters at least this similar (default 0.5).")] = None,
    bias: Annotated[
        float | None,
        typer.Option(help="Turn strengths into weights, strength − bias, and join while the weight is above 0."),
    ] = None,
    missing: Annotated[
        str | None,
        typer.Option(
            help="A pair without an edge counts as entirely different (complete, the default) or is ignored (sparse)."
        ),
    ] = None,
    solver: Annotated[str | None, typer.Option(help="For correlation: short for --set solver=SOLVER.")] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="A parameter of the method: [METHOD.]KEY=VALUE. May be repeated.")
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option(help="Stop after this many seconds with the best answer so far.")
    ] = None,
    seed: Seed = 0,
    constraints: Judgements = None,
    output: AnswerFile = None,
    soft: Soft = False,
    as_json: Summary = False,
    force: Force = False,
) -> None:
    """Cluster a graph: edges or a matrix of similarities in, `id, entity, membership` out.

    Example:  crossdoc cluster edges.csv --method average-linkage --threshold 0.6 -o labels.csv
    """
    from crossdoc.cluster.graph_clustering import cluster_graph
    from crossdoc.model.evidence_protocol import Constraints
    from crossdoc.read import read_edges, read_judgements
    from crossdoc.settings import set_to

    format_of(output)
    check_outputs([output], [edges, constraints], force=force)
    parameters = set_to({}, [*([f"solver={solver}"] if solver else []), *(set_ or [])])
    parameters |= parameters.pop(method, {})
    graph = read_edges(edges)
    judgements = read_judgements(constraints) if constraints else []
    limits = Constraints.between(graph.ids, judgements, constraints or "")
    answer = cluster_graph(
        graph.relations(),
        graph.ids,
        method,
        signed=graph.signed,
        threshold=threshold,
        bias=bias,
        missing=missing,  # type: ignore[arg-type]
        time_limit=time_limit,
        seed=seed,
        constraints=limits,
        parameters=parameters,
    )
    write_answer(answer.partition.table(soft), output, as_json)
    print_notes((*graph.notes, *answer.notes))
    summary = {
        "nodes": len(graph.ids),
        "edges": len(graph.left),
        "clusters": answer.partition.n_clusters,
        "method": method,
        "threshold": answer.threshold,
        "missing": answer.missing,
        **answer.facts,
    }
    if as_json:
        print_json(summary)
    else:
        _print_summary(summary, answer, graph.signed)


def _print_summary(summary: dict[str, object], answer: GraphAnswer, signed: bool) -> None:
    how = str(summary["method"])
    if answer.threshold is not None:
        how += f", threshold {answer.threshold:g}"
    elif signed:
        how += ", weights above 0"
    err.print(
        f"{summary['nodes']:,} nodes, {summary['edges']:,} edges → {summary['clusters']:,} clusters "
        f"({how}, pairs without an edge: {summary['missing']})",
        soft_wrap=True,
    )
    if "account" in answer.facts:
        err.print(escape(str(answer.facts["account"])), soft_wrap=True)
