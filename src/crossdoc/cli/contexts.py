"""`crossdoc contexts`: contexts of an ambiguous name or word in, clusters out, their number found."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, cast

import numpy as np
import typer
from rich.markup import escape
from rich.table import Table

from crossdoc import errors
from crossdoc.cli.common import ShownProgress, err, print_json
from crossdoc.cli.export import format_of, write_rows
from crossdoc.cluster.contexts.clustering import DEFAULT_RULE, RULES, ContextClustering
from crossdoc.cluster.contexts.criteria import CODES, Criterion
from crossdoc.cluster.contexts.figures import stopping_figure
from crossdoc.cluster.contexts.labels import Words, cluster_words
from crossdoc.cluster.contexts.partitioning import METHODS, Method
from crossdoc.cluster.contexts.stopping import Compat, Decision, Form, GapDecision
from crossdoc.compare.association import Cooccurrence, Measure
from crossdoc.compare.context_vectors import KINDS, ContextKind, ContextVectors
from crossdoc.constraints import Constraints
from crossdoc.files import whole_file
from crossdoc.model import Partition, Profiles
from crossdoc.read import find_sources, read_answer, read_judgements, read_profiles
from crossdoc.read.contexts import read_contexts
from crossdoc.read.documents import holds_profiles
from crossdoc.read.matrices import looks_like_matrix, read_matrix
from crossdoc.read.sources import check_file, kind_of
from crossdoc.score.senses import SenseMapping, map_senses
from crossdoc.store import Store

PLAIN = Cooccurrence()
SHOWN_WORDS, SHOWN_CHARACTERS = 8, 100


@dataclass
class _Input:
    """What was read: a matrix with the space it is of, or profiles."""

    ids: list[str]
    profiles: Profiles | None = None
    matrix: Any = None
    space: Literal["vector", "similarity"] = "vector"
    senses: list[str | None] | None = None
    notes: tuple[str, ...] = ()


def contexts(
    input: Annotated[Path, typer.Argument(help="Contexts, profiles of a name, a matrix, or OUT.crossdoc.")],
    k: Annotated[str, typer.Option("--k", help="The number of clusters, or auto.")] = "auto",
    stop: Annotated[str, typer.Option(help=f"What finds it: {', '.join(RULES)}, or all.")] = DEFAULT_RULE,
    criterion: Annotated[str, typer.Option(help=f"One of: {', '.join(CODES)}.")] = "i2",
    method: Annotated[str, typer.Option(help=f"One of: {', '.join(METHODS)}.")] = "rbr",
    vectors: Annotated[str | None, typer.Option(help=f"Of text: {', '.join(KINDS)} (default tfidf).")] = None,
    window: Annotated[int | None, typer.Option(min=0, help="Of text: words on each side of the target.")] = None,
    measure: Annotated[
        str | None, typer.Option(help="Pairs of words must attract by it: log-likelihood, pmi, chi-squared.")
    ] = None,
    pair_window: Annotated[int, typer.Option(min=2, help="How many words a pair may span.")] = PLAIN.window,
    least_count: Annotated[int, typer.Option(min=1, help="Rarer words and pairs are left out.")] = PLAIN.least_count,
    least_score: Annotated[float, typer.Option(help="Pairs that attract less are left out.")] = PLAIN.least_score,
    svd: Annotated[int | None, typer.Option(min=1, help="Reduce the vectors to so many dimensions.")] = None,
    stop_list: Annotated[Path | None, typer.Option(help="Words to leave out, one a line, in place of our own.")] = None,
    space: Annotated[str | None, typer.Option(help="Of a .npy or .npz matrix: vector or similarity.")] = None,
    name: Annotated[str | None, typer.Option(help="Of profiles of several names: whose.")] = None,
    constraints: Annotated[Path | None, typer.Option(help="Judgements that the answer has to honour.")] = None,
    gold: Annotated[Path | None, typer.Option(help="Gold (id, entity) in place of the input's own senses.")] = None,
    restarts: Annotated[int, typer.Option(min=1, help="Random starts for each number of clusters.")] = 5,
    seed: Annotated[int, typer.Option(min=0, help="Every random choice follows from it.")] = 0,
    delta: Annotated[float | None, typer.Option(min=0, help="Improvements by so small a share end the search.")] = None,
    k_max: Annotated[int | None, typer.Option(min=1, help="Look at no more clusters than this.")] = None,
    references: Annotated[int, typer.Option(min=1, help="Reference data sets of the gap.")] = 10,
    confidence: Annotated[float, typer.Option(help="Of the gap's intervals.")] = 0.95,
    form: Annotated[str, typer.Option(help="Decide as the paper says, or as the released program.")] = "paper",
    compat: Annotated[str | None, typer.Option(help="senseclusters: round as the program, too.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the criterion and the rules' values: FILE.svg.")] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="CSV, JSONL or Parquet by its ending.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a summary as JSON (needs -o).")] = False,
) -> None:
    """Cluster the contexts of an ambiguous name or word, and find out how many clusters there are.

    Example:  crossdoc contexts line.xml --stop all --plot line.svg -o clusters.csv
    """
    if as_json and output is None:
        raise errors.needs_output("--json")
    if plot is not None and plot.suffix.lower() != ".svg":
        raise errors.unknown_choice("kind of plot", plot.name, ["NAME.svg"])
    for option, value in (("--plot", plot), ("--delta", delta), ("--k-max", k_max), ("--compat", compat)):
        if value is not None and k != "auto":
            raise errors.one_of_two(option, "--k N")
    format = format_of(output)
    pairs = Cooccurrence(pair_window, cast(Measure, measure), least_count, least_score)
    made = ContextVectors(cast(ContextKind, vectors or "tfidf"), pairs, svd, _words(stop_list), seed)
    given = _read(input, name, window, space, needs_target=vectors == "target" or window is not None)
    if given.profiles is None and (vectors, svd, stop_list, pairs) != (None, None, None, PLAIN):
        raise errors.only_for("Each of --vectors, --svd, --stop-list and the options of pairs of words", "text")
    clusterer = ContextClustering(
        _number(k), cast(Any, stop), cast(Criterion, criterion), cast(Method, method), given.space, n_init=restarts,
        random_state=seed, delta=delta, max_clusters=k_max, references=references,
        confidence=confidence, form=cast(Form, form), compat=cast(Compat, compat),
    )  # fmt: skip
    limits = None
    if constraints is not None:
        position = {id: row for row, id in enumerate(given.ids)}
        judgements = read_judgements(constraints)
        unknown = sorted({id for j in judgements for id in (j.a, j.b)} - set(position))
        if unknown:
            raise errors.unknown_profiles(constraints, unknown)
        limits = Constraints.compile(judgements, position, len(given.ids))
    with ShownProgress() as progress:
        progress.start(f"clustering {len(given.ids):,} contexts")
        rows = given.matrix if given.profiles is None else made.of(given.profiles)
        clusterer.fit(rows, constraints=limits)
    table = Partition(given.ids, clusterer.partition_.membership).table(soft=True)
    with whole_file(output) as stream:
        write_rows(table.to_batches(), table.schema, format, stream)
    if plot is not None:
        drawn = stopping_figure(
            criterion, clusterer.criterion_, clusterer.first_k_, clusterer.stopping_, minimised=criterion == "e1"
        )
        with whole_file(plot) as stream:
            stream.write(drawn.encode())
    senses = given.senses if gold is None else _senses(gold, given.ids)
    known = senses is not None and any(sense is not None for sense in senses)
    mapping = map_senses(clusterer.labels_, senses) if known and senses is not None else None
    told = _told(given.profiles, clusterer)
    for note in given.notes:
        err.print(f"[yellow]note:[/] {escape(note)}", soft_wrap=True)
    if as_json:
        print_json(_summary(given, clusterer, told, mapping))
    else:
        _show(given, clusterer, told, mapping)


def _told(profiles: Profiles | None, clusterer: ContextClustering) -> list[Words] | None:
    """The clusters' words, where there are any: a matrix has none, nor have empty contexts."""
    weighted = None if profiles is None else ContextVectors().of(profiles)
    if weighted is None or weighted.features is None:
        return None
    return cluster_words(weighted, clusterer.labels_)


def _number(k: str) -> int | None:
    if k == "auto":
        return None
    if not k.isascii() or not k.isdigit() or int(k) < 1:
        raise errors.bad_number_of_clusters(k)
    return int(k)


def _words(path: Path | None) -> frozenset[str] | None:
    if path is None:
        return None
    check_file(path)
    try:
        return frozenset(path.read_text(encoding="utf-8").lower().split())
    except UnicodeDecodeError as error:
        raise errors.undecodable(path, error.reason) from error


def _read(path: Path, name: str | None, window: int | None, space: str | None, needs_target: bool) -> _Input:
    if space not in (None, "vector", "similarity"):
        raise errors.unknown_choice("space", str(space), ["vector", "similarity"])
    check_file(path)
    profiles = _profiles(path)
    if profiles is not None:
        if window is not None or space is not None:
            raise errors.only_for("--window or --space", "contexts or a matrix")
        return _of_profiles(path, profiles, name)
    if name is not None:
        raise errors.only_for("--name", "profiles")
    if kind_of(path) is None and looks_like_matrix(path):
        if window is not None:
            raise errors.only_for("--window", "text")
        matrix = read_matrix(path, cast(Any, space))
        return _Input([str(row) for row in range(matrix.values.shape[0])], None, matrix.values, matrix.space)
    if space is not None:
        raise errors.only_for("--space", "a matrix")
    found = read_contexts(path)
    notes: tuple[str, ...] = ()
    if found.unmarked and needs_target:
        raise errors.no_target(path, found.unmarked)
    if found.unmarked:
        notes = (f"{found.unmarked:,} of {len(found):,} contexts have no target marked and count as whole texts",)
    if window is not None:
        found = found.within(window)
    return _Input(found.ids, found.profiles(), senses=found.senses, notes=notes)


def _profiles(path: Path) -> Profiles | None:
    """Profiles in a result or a file; None if it is something else."""
    if path.suffix == ".crossdoc":
        with Store.open(path) as store:
            return store.profiles()
    if kind_of(path) in ("jsonl", "parquet") and holds_profiles((sources := find_sources([path]))[0]):
        return Profiles.of(profile for batch in read_profiles(sources) for profile in batch)
    return None


def _of_profiles(path: Path, profiles: Profiles, name: str | None) -> _Input:
    """The profiles of one name."""
    names = [" ".join(each.split()) for each in profiles.column("name").to_pylist()]
    if name is None and len({each.casefold() for each in names}) > 1:
        raise errors.whose_profiles(path, sorted(set(names)))
    wanted = name.casefold() if name is not None else names[0].casefold()
    rows = np.flatnonzero([each.casefold() == wanted for each in names])
    if not len(rows):
        raise errors.not_found(name or "", path)
    kept = profiles.take(rows)
    return _Input(list(kept.ids), kept)


def _senses(gold: Path, ids: list[str]) -> list[str | None]:
    table = read_answer(gold)
    entity = dict(zip(table.column("id").to_pylist(), table.column("entity").to_pylist(), strict=True))
    return [entity.get(id) for id in ids]


def _summary(
    given: _Input, clusterer: ContextClustering, told: list[Words] | None, mapping: SenseMapping | None
) -> dict[str, Any]:
    clusters = [
        {
            "size": int((clusterer.labels_ == cluster).sum()),
            "representative": given.ids[clusterer.representatives_[cluster]],
            **({} if told is None else told[cluster]._asdict()),
        }
        for cluster in range(clusterer.n_clusters_)
    ]
    summary: dict[str, Any] = {
        "contexts": len(given.ids),
        "clusters": clusters,
        "k": clusterer.n_clusters_,
        "first_k": clusterer.first_k_,
        "delta_k": clusterer.delta_k_,
        "criterion": clusterer.criterion_.tolist(),
        "stopping": {rule: said.k for rule, said in clusterer.stopping_.items()},
    }
    gap = clusterer.stopping_.get("gap")
    if isinstance(gap, GapDecision):
        summary["gap"] = {"values": gap.value.tolist(), "intervals": gap.interval.tolist(), "support": gap.support}
    if mapping is not None:
        senses = [mapping.senses[sense] if sense >= 0 else None for sense in mapping.sense_of]
        summary["evaluation"] = {
            "precision": mapping.precision, "recall": mapping.recall, "f": mapping.f, "majority": mapping.majority,
            "senses": mapping.senses, "confusion": mapping.confusion.tolist(), "mapped_to": senses,
        }  # fmt: skip
    return summary


def _show(given: _Input, clusterer: ContextClustering, told: list[Words] | None, mapping: SenseMapping | None) -> None:
    rules = ", ".join(f"{rule} {_answer(said)}" for rule, said in clusterer.stopping_.items())
    found = f" ({rules}; deltaK {clusterer.delta_k_})" if rules else ""
    err.print(f"{len(given.ids):,} contexts → {clusterer.n_clusters_:,} clusters{found}")
    table = Table(box=None, padding=(0, 2), pad_edge=False)
    for column in ("cluster", "size", "words (those of this cluster alone in bold)", "representative"):
        table.add_column(column, justify="right" if column == "size" else "left")
    for cluster in range(clusterer.n_clusters_):
        row = int(clusterer.representatives_[cluster])
        shown = given.ids[row]
        if given.profiles is not None:
            text = " ".join(given.profiles[row].context.split())
            shown += ": " + text[:SHOWN_CHARACTERS] + (" …" if len(text) > SHOWN_CHARACTERS else "")
        words = []
        for word in [] if told is None else told[cluster].describing[:SHOWN_WORDS]:
            alone = told is not None and word in told[cluster].discriminating
            words.append(f"[bold]{escape(word)}[/]" if alone else escape(word))
        size = int((clusterer.labels_ == cluster).sum())
        table.add_row(str(cluster), f"{size:,}", ", ".join(words), escape(shown))
    err.print(table)
    if mapping is not None:
        _show_mapping(mapping)


def _answer(said: Decision) -> str:
    sure = f" (the same in {said.support:.0%} of resamples)" if isinstance(said, GapDecision) else ""
    return f"{said.k}{sure}"


def _show_mapping(mapping: SenseMapping) -> None:
    table = Table(box=None, padding=(0, 2), pad_edge=False, title="contexts by cluster and sense", title_justify="left")
    table.add_column("cluster")
    for sense in mapping.senses:
        table.add_column(escape(sense), justify="right")
    table.add_column("stands for")
    for cluster, counts in enumerate(mapping.confusion):
        sense = mapping.sense_of[cluster]
        named = escape(mapping.senses[sense]) if sense >= 0 else ""
        table.add_row(str(cluster), *(f"{count:,}" for count in counts), named)
    err.print(table)
    err.print(
        f"precision {mapping.precision:.4f}  recall {mapping.recall:.4f}  F {mapping.f:.4f}  "
        f"(one cluster for all: {mapping.majority:.4f})"
    )
