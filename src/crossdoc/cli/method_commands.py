"""The commands of single methods: `cluster` (a graph), `contexts` (of one name) and `link` (across languages)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

from rich.markup import escape

from crossdoc import errors
from crossdoc.cli import ui
from crossdoc.files import whole_file

if TYPE_CHECKING:
    from crossdoc.cluster.contexts.stopping import Decision
    from crossdoc.cluster.graph_clustering import GraphAnswer
    from crossdoc.compare.context_vectors import ContextVectors, Cooccurrence
    from crossdoc.crosslingual import LinkedGroups
    from crossdoc.crosslingual.linking import Point
    from crossdoc.run.one_name import ContextCluster, NameClusters

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
        _print_clusters(summary, answer, graph.signed)


def _print_clusters(summary: dict[str, object], answer: GraphAnswer, signed: bool) -> None:
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


STOPPING_RULES = ("pk1", "pk2", "pk3", "gap", "even", "calibrated")
CRITERIA = ("i1", "i2", "e1", "h1", "h2")
PARTITIONERS = ("direct", "rb", "rbr")
VECTORS = ("background", "tfidf", "unigrams", "bigrams", "co-occurrences", "target", "second-order")
PAIR_WINDOW, LEAST_COUNT, LEAST_SCORE, LEAST_SIZE = 5, 2, 0.0, 4
SHOWN_WORDS, SHOWN_CHARACTERS = 8, 100


def contexts(
    input: Annotated[Path, ui.argument("Contexts, profiles of a name, a matrix, or OUT.crossdoc.")],
    k: Annotated[str, ui.option("The number of clusters, or auto.", "--k")] = "auto",
    stop: Annotated[
        str | None,
        ui.option(f"Finds the number: {', '.join(STOPPING_RULES)}, or all (default calibrated for text, else pk3)."),
    ] = None,
    least_size: Annotated[int, ui.option("For calibrated: ignore clusters smaller than this.", min=1)] = LEAST_SIZE,
    criterion: Annotated[str, ui.option(f"One of: {', '.join(CRITERIA)}.")] = "i2",
    method: Annotated[str, ui.option(f"One of: {', '.join(PARTITIONERS)}.")] = "rbr",
    vectors: Annotated[str | None, ui.option(f"For text: {', '.join(VECTORS)} (default background).")] = None,
    window: Annotated[int | None, ui.option("For text: words on each side of the target.", min=0)] = None,
    measure: Annotated[str | None, ui.option("Score of pairs of words: log-likelihood, pmi or chi-squared.")] = None,
    pair_window: Annotated[int, ui.option("Maximum number of words that a pair may span.", min=2)] = PAIR_WINDOW,
    least_count: Annotated[int, ui.option("Leave out words and pairs that are rarer than this.", min=1)] = LEAST_COUNT,
    least_score: Annotated[float, ui.option("Leave out pairs that score less than this.")] = LEAST_SCORE,
    svd: Annotated[int | None, ui.option("Reduce the vectors to this many dimensions.", min=1)] = None,
    stop_list: Annotated[
        Path | None, ui.option("File of stop words, one per line, in place of the built-in list.")
    ] = None,
    name: Annotated[str | None, ui.option("For profiles of several names: the name to cluster.")] = None,
    constraints: ui.Judgements = None,
    restarts: Annotated[int, ui.option("Number of random starts for each number of clusters.", min=1)] = 5,
    seed: ui.Seed = 0,
    delta: Annotated[
        float | None, ui.option("Stop the search when the relative improvement falls below this.", min=0)
    ] = None,
    k_max: Annotated[int | None, ui.option("Largest number of clusters to try.", min=1)] = None,
    references: Annotated[int, ui.option("Number of reference data sets for the gap statistic.", min=1)] = 10,
    confidence: Annotated[float, ui.option("Confidence level of the gap's intervals.")] = 0.95,
    plot: Annotated[Path | None, ui.option("Plot the criterion and the values of the rules: FILE.svg.")] = None,
    soft: ui.Soft = False,
    output: ui.AnswerFile = None,
    as_json: ui.Summary = False,
    force: ui.Force = False,
) -> None:
    """Cluster the contexts of an ambiguous name or word, and find the number of clusters.

    Example:  crossdoc contexts line.jsonl --stop all --plot line.svg -o clusters.csv
    """
    from crossdoc.cluster.contexts.context_clustering import ContextClustering
    from crossdoc.compare.context_vectors import Cooccurrence
    from crossdoc.run.one_name import cluster_contexts_of

    for flag, value in {"--plot": plot, "--delta": delta, "--k-max": k_max}.items():
        if value is not None and k != "auto":
            raise errors.one_of_two(flag, "--k N")
    _check_files([output], plot, ["svg"], [input, stop_list, constraints], force)
    pairs = Cooccurrence(pair_window, cast(Any, measure), least_count, least_score)
    clusterer = ContextClustering(
        _number(k), cast(Any, stop), cast(Any, criterion), cast(Any, method), n_init=restarts,
        random_state=seed, least=least_size, delta=delta, max_clusters=k_max, references=references,
        confidence=confidence,
    )  # fmt: skip
    with ui.ShownProgress() as progress:
        found = cluster_contexts_of(
            input, clusterer, _vectors(vectors, pairs, svd, stop_list, seed), name=name, window=window,
            constraints=constraints or (), progress=progress,
        )  # fmt: skip
    ui.write_answer(found.partition.table(soft), output, as_json)
    _print_contexts(found, plot, as_json)


def _check_files(
    tables: list[Path | None], plot: Path | None, endings: Sequence[str], read: list[Path | None], force: bool
) -> None:
    """Refuse outputs that cannot be written, before any work is done."""
    for path in tables:
        ui.format_of(path)
    if plot is not None and plot.suffix.removeprefix(".").lower() not in endings:
        raise errors.unknown_choice("picture format", plot.name, [f"NAME.{ending}" for ending in endings])
    if plot is not None and find_spec("matplotlib") is None:
        raise errors.needs_extra("--plot", "matplotlib", "plot")
    ui.check_outputs([*tables, plot], read, force=force)


def _number(k: str) -> int | None:
    if k == "auto":
        return None
    if not k.isascii() or not k.isdigit() or int(k) < 1:
        raise errors.bad_parameter("--k", k, "auto or a whole number of at least 1")
    return int(k)


def _vectors(
    kind: str | None, pairs: Cooccurrence, svd: int | None, stop_list: Path | None, seed: int
) -> ContextVectors | None:
    """The vectors asked for; None if nothing was, as befits a matrix."""
    from crossdoc.compare.context_vectors import ContextVectors, Cooccurrence
    from crossdoc.read.context_files import read_words

    if (kind, pairs, svd, stop_list) == (None, Cooccurrence(), None, None):
        return None
    words = None if stop_list is None else read_words(stop_list)
    return ContextVectors(cast(Any, kind or "background"), pairs, svd, words, seed)


def _print_contexts(found: NameClusters, plot: Path | None, as_json: bool) -> None:
    if plot is not None:
        with whole_file(plot) as stream:
            stream.write(found.figure().encode())
    ui.notes(found.contexts.notes)
    if as_json:
        ui.print_json(found.summary())
        return
    rules = ", ".join(f"{rule} {_answer(decision)}" for rule, decision in found.clusterer.stopping_.items())
    how = f" ({rules}; deltaK {found.clusterer.delta_k_})" if rules else ""
    ui.err.print(f"{len(found.contexts.ids):,} contexts → {found.clusterer.n_clusters_:,} clusters{how}")
    _show_clusters(found.clusters)


def _answer(decision: Decision) -> str:
    from crossdoc.cluster.contexts.stopping import GapDecision

    sure = f" (the same in {decision.support:.0%} of resamples)" if isinstance(decision, GapDecision) else ""
    return f"{decision.k}{sure}"


def _show_clusters(clusters: list[ContextCluster]) -> None:
    words_column = "words (those of this cluster alone in bold)"
    table = ui.table("cluster", "size", words_column, "representative", right=["size"], padding=2)
    for number, cluster in enumerate(clusters):
        shown = cluster.representative
        if cluster.text is not None:
            text = " ".join(cluster.text.split())
            shown += ": " + text[:SHOWN_CHARACTERS] + (" …" if len(text) > SHOWN_CHARACTERS else "")
        words = [] if cluster.words is None else [
            f"[bold]{escape(word)}[/]" if word in cluster.words.discriminating else escape(word)
            for word in cluster.words.describing[:SHOWN_WORDS]
        ]  # fmt: skip
        table.add_row(str(number), f"{cluster.size:,}", ", ".join(words), escape(shown))
    ui.err.print(table)


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
    from crossdoc.crosslingual.linking import PLOT_ENDINGS, STEP, UNTIL

    translators = [Path(each.partition("=")[2] or each) for each in translator or []]
    _check_files([output, pairs, sweep], plot_to, PLOT_ENDINGS, [groups, gold, constraints, *translators], force)
    if sweep is not None and gold is None:
        raise errors.needs_option("--sweep", "--gold GOLD.csv")
    _check_needed("--sweep CURVE.csv", sweep is not None, {"--plot": plot_to, "--step": step, "--until": until})
    of_correlation = {"--solver": None if solver == AUTO else solver, "--time-limit": time_limit}
    _check_needed("--method correlation", method == "correlation", of_correlation)
    detector = LinkDetector(
        _bias(bias), cast(Any, method), make_translator(translator or []),
        [cast(Any, kind.strip()) for kind in features.split(",")], cast(Any, similarity),
        titles_only=titles_only, solver=cast(Any, solver), time_limit=time_limit, random_state=seed,
    )  # fmt: skip
    with ui.ShownProgress() as progress:
        linked = link_groups(groups, detector, constraints=constraints or (), gold=gold, progress=progress)
        ui.write_answer(linked.answer(soft), output, as_json)
        if pairs is not None:
            ui.write_table(linked.pairs(), pairs)
        if sweep is not None:
            _write_curve(linked, linked.curve(step or STEP, until or UNTIL, progress), sweep, plot_to)
    ui.notes(linked.notes)
    (ui.print_json if as_json else _print_links)(linked.summary())


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
        raise errors.bad_parameter("--bias", given, "auto or a number between 0 and 1, as similarities are") from None


def _write_curve(linked: LinkedGroups, points: list[Point], sweep: Path, picture: Path | None) -> None:
    from crossdoc.crosslingual.linking import plot, table

    ui.write_table(table(points), sweep)
    if picture is not None:
        chosen = linked.detector.bias_
        label = f"bias {chosen.bias:.3f} ({chosen.rule})"
        plot({linked.detector.method: points}, picture, (label, linked.point()))


def _print_links(summary: dict[str, Any]) -> None:
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
