"""`crossdoc cluster`: edges or a similarity matrix in, labels out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rich.markup import escape

from crossdoc.cli import ui

if TYPE_CHECKING:
    from crossdoc.cluster.graph_clustering import GraphAnswer

OF_GRAPHS = [method for method in ui.METHODS if method not in ui.NOT_OF_GRAPHS]


def cluster(
    edges: Annotated[Path, ui.argument("Edges (a, b, strength or weight), or a similarity matrix.")],
    method: Annotated[
        str, ui.option(f"One of: {', '.join(OF_GRAPHS)}, or one that a package adds.", autocompletion=lambda: OF_GRAPHS)
    ] = ui.DEFAULT_METHOD,
    threshold: Annotated[float | None, ui.option("Join clusters at least this similar (default 0.5).")] = None,
    bias: Annotated[
        float | None, ui.option("Turn strengths into weights, strength − bias, and join while the weight is above 0.")
    ] = None,
    missing: Annotated[
        str | None,
        ui.option("Pairs without an edge are entirely different (complete, the default) or ignored (sparse)."),
    ] = None,
    solver: Annotated[str | None, ui.option("For correlation: short for --set solver=SOLVER.")] = None,
    set_: Annotated[
        list[str] | None, ui.option("A parameter of the method: [METHOD.]KEY=VALUE. May be repeated.", "--set")
    ] = None,
    time_limit: Annotated[float | None, ui.option("Stop after this many seconds with the best answer so far.")] = None,
    seed: ui.Seed = 0,
    constraints: ui.Judgements = None,
    output: ui.AnswerFile = None,
    soft: ui.Soft = False,
    as_json: ui.Summary = False,
    force: ui.Force = False,
) -> None:
    """Cluster a graph: edges or a matrix of similarities in, `id, entity, membership` out.

    Example:  crossdoc cluster edges.csv --method average-linkage --threshold 0.6 -o labels.csv
    """
    from crossdoc.cluster.graph_clustering import cluster_graph
    from crossdoc.model.evidence_protocol import Constraints
    from crossdoc.read import read_edges, read_judgements
    from crossdoc.settings import set_to

    ui.format_of(output)
    ui.check_outputs([output], [edges, constraints], force=force)
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
    ui.write_answer(answer.partition.table(soft), output, as_json)
    ui.notes((*graph.notes, *answer.notes))
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
        ui.print_json(summary)
    else:
        _print_summary(summary, answer, graph.signed)


def _print_summary(summary: dict[str, object], answer: GraphAnswer, signed: bool) -> None:
    how = str(summary["method"])
    if answer.threshold is not None:
        how += f", threshold {answer.threshold:g}"
    elif signed:
        how += ", weights above 0"
    ui.status(
        f"{summary['nodes']:,} nodes, {summary['edges']:,} edges → {summary['clusters']:,} clusters "
        f"({how}, pairs without an edge: {summary['missing']})"
    )
    if "account" in answer.facts:
        ui.status(escape(str(answer.facts["account"])))
