"""`crossdoc contexts`: contexts of an ambiguous name or word in, clusters out, their number found."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

from rich.markup import escape

from crossdoc import errors
from crossdoc.cli import ui
from crossdoc.files import whole_file

if TYPE_CHECKING:
    from crossdoc.cluster.contexts.criteria import Criterion
    from crossdoc.cluster.contexts.partitioning import Method
    from crossdoc.cluster.contexts.stopping import Decision
    from crossdoc.compare.context_vectors import ContextKind, ContextVectors, Cooccurrence, Measure
    from crossdoc.run.one_name import ContextCluster, NameClusters
    from crossdoc.scoring.senses import SenseMapping

STOPPING_RULES = ("pk1", "pk2", "pk3", "gap", "even", "calibrated")
CRITERIA = ("i1", "i2", "e1", "h1", "h2")
PARTITIONERS = ("direct", "rb", "rbr", "agglomerative")
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
    gold: Annotated[Path | None, ui.option("Gold standard (id, entity), in place of the senses in the input.")] = None,
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

    Example:  crossdoc contexts line.xml --stop all --plot line.svg -o clusters.csv
    """
    from crossdoc.cluster.contexts.context_clustering import ContextClustering
    from crossdoc.compare.context_vectors import Cooccurrence
    from crossdoc.run.one_name import cluster_contexts_of

    _check_only_auto(k, {"--plot": plot, "--delta": delta, "--k-max": k_max})
    _check_files(output, plot, [input, stop_list, constraints, gold], force)
    pairs = Cooccurrence(pair_window, cast("Measure", measure), least_count, least_score)
    clusterer = ContextClustering(
        _number(k), cast(Any, stop), cast("Criterion", criterion), cast("Method", method), n_init=restarts,
        random_state=seed, least=least_size, delta=delta, max_clusters=k_max, references=references,
        confidence=confidence,
    )  # fmt: skip
    with ui.ShownProgress() as progress:
        found = cluster_contexts_of(
            input, clusterer, _vectors(vectors, pairs, svd, stop_list, seed), name=name, window=window,
            constraints=constraints or (), gold=gold, progress=progress,
        )  # fmt: skip
    ui.write_answer(found.partition.table(soft), output, as_json)
    _print_summary(found, plot, as_json)


def _check_only_auto(k: str, options: Mapping[str, object]) -> None:
    for flag, value in options.items():
        if value is not None and k != "auto":
            raise errors.one_of_two(flag, "--k N")


def _check_files(output: Path | None, plot: Path | None, read: list[Path | None], force: bool) -> None:
    ui.format_of(output)
    if plot is not None and plot.suffix.lower() != ".svg":
        raise errors.unknown_choice("kind of plot", plot.name, ["NAME.svg"])
    if plot is not None and find_spec("matplotlib") is None:
        raise errors.needs_extra("--plot", "matplotlib", "plot")
    ui.check_outputs([output, plot], read, force=force)


def _number(k: str) -> int | None:
    if k == "auto":
        return None
    if not k.isascii() or not k.isdigit() or int(k) < 1:
        raise errors.bad_number_of_clusters(k)
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
    return ContextVectors(cast("ContextKind", kind or "background"), pairs, svd, words, seed)


def _print_summary(found: NameClusters, plot: Path | None, as_json: bool) -> None:
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
    if found.mapping is not None:
        _show_mapping(found.mapping)


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


def _show_mapping(mapping: SenseMapping) -> None:
    senses = [escape(sense) for sense in mapping.senses]
    title: dict[str, Any] = {"title": "contexts by cluster and sense", "title_justify": "left"}
    table = ui.table("cluster", *senses, "stands for", right=senses, padding=2, **title)
    for cluster, counts in enumerate(mapping.confusion):
        sense = mapping.sense_of[cluster]
        named = senses[sense] if sense >= 0 else ""
        table.add_row(str(cluster), *(f"{count:,}" for count in counts), named)
    ui.err.print(table)
    ui.err.print(
        f"precision {mapping.precision:.4f}  recall {mapping.recall:.4f}  F {mapping.f:.4f}  "
        f"(one cluster for all: {mapping.majority:.4f})"
    )
