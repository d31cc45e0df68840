"""Sampling on synthetic Wikipedia-link-like corpora: proposals a second, threads, growth with size, and peers.

    python benchmarks/sampling_speed.py rates   [--mentions 200000] [--times 5]    proposals/s, one core and two
    python benchmarks/sampling_speed.py search  [--mentions 200000] [--seconds 45] [--longer 10]
                                                from singletons: rise of the within-entity affinity, B³, memory, and
                                                what ten times as many rounds reach
    python benchmarks/sampling_speed.py growth  [--sizes 12500 25000 …] [--figure OUT.svg]   seconds a sweep
    python benchmarks/sampling_speed.py kinds   [--mentions 25000] [--only KIND …] [--old] [--held-out | --articles]
    python benchmarks/sampling_speed.py starts  [--mentions 10000] [--only KIND …]  from singletons, names and gold
    python benchmarks/sampling_speed.py peers   [--mentions 25000]             time and B³ of other programs

`search` chooses bias and name weight on the mentions of a fifth of the entities, or without labels (--no-labels), or
takes --bias and --name-weight; it and `rates`, `growth` and `peers` are of the pairwise model. `kinds` takes the model
of bags, and with --old the pairwise one too. --held-out looks at kinds that no rule was chosen on: once, at the end;
--articles at those of another generator (article_links.py).
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from article_links import ARTICLES, articles  # type: ignore[import-not-found]
from scipy import sparse
from wikilink_corpus import ALL_KINDS, BUILD, HELD_OUT, KINDS, corpus  # type: ignore[import-not-found]

from crossdoc.cluster.bags import BagClustering
from crossdoc.cluster.bags.bag_run import BEGINNING, BagRun
from crossdoc.cluster.bags.bags import BagMentions
from crossdoc.cluster.baselines import string_match
from crossdoc.cluster.sampling import SamplingClustering, Weights
from crossdoc.cluster.sampling.factor_graph import FactorGraph
from crossdoc.cluster.sampling.learning import NAME_SHARE, unsupervised
from crossdoc.cluster.sampling.mention_clusterer import with_names
from crossdoc.cluster.sampling.pair_run import Workers
from crossdoc.cluster.sampling.proposals import Postings, entity_blocks
from crossdoc.model.evidence_protocol import Constraints
from crossdoc.progress import Quiet
from crossdoc.scoring import Alignment, b_cubed

sys.path.insert(0, str(Path(__file__).parents[1] / "experiments"))
from development_split import on_development_split  # type: ignore[import-not-found]

DEVELOPMENT_ENTITIES = 0.2
"""Entities are of very different sizes: with a twentieth of them one large entity decides."""
COLD = 0.05
"""A temperature near the end of an annealing run: one proposal in a hundred is accepted."""
SAME_NAME = 0.02
"""What the same name is worth to the peers, beside a cosine: about what is best for sampling there."""
WEIGHTS = Weights(0.0333, 0.0366, "found without labels at 200,000 mentions")


def score(labels: npt.ArrayLike, gold: npt.ArrayLike) -> str:
    found = b_cubed(Alignment.from_labels(labels, gold))
    return f"B³ {found.precision:.3f} {found.recall:.3f} {found.f1:.3f}"


def rates(mentions: int, times: int) -> None:
    """Each kind on one thread and two, turn about, and the median of a few times."""
    made = corpus(mentions)
    matrix, names = made.vectors(), made.names()
    graph = FactorGraph.of(with_names(matrix, names, WEIGHTS.name_weight)[0])
    postings = Postings.of(graph)
    near, none = postings.draw(1), np.zeros((graph.n, 0), dtype=np.int32)
    kinds = {"flat": (none, COLD, 10.0), "informed": (near, COLD, 10.0), "best moves": (near, 0.0, 2.0)}
    print(f"{mentions:,} mentions in the gold standard's entities; proposals a second, and those with a dot product")
    for kind, (neighbours, temperature, sweeps) in kinds.items():
        measured: dict[int, list[tuple[float, float, float]]] = {1: [], 2: []}
        for threads in [1, 2] * times:
            with Workers(threads, threads) as engine:
                engine.run(graph, made.entity, neighbours, WEIGHTS.bias, temperature=temperature, sweeps=0.01)
                clock = time.perf_counter()
                _, counts = engine.run(
                    graph, made.entity, neighbours, WEIGHTS.bias, temperature=temperature, sweeps=sweeps, seed=5
                )
                clock = time.perf_counter() - clock
            measured[threads].append((counts.proposed / clock / 1e6, counts.evaluated / clock / 1e6, 1 / clock))
        one, two = (np.median(measured[threads], axis=0) for threads in (1, 2))
        print(
            f"  {kind:12s} one thread {one[0]:.2f}, {one[1]:.2f} M/s; two {two[0]:.2f}, {two[1]:.2f} M/s; "
            f"two/one {two[0] / one[0]:.2f}, {two[1] / one[1]:.2f}, sweeps {two[2] / one[2]:.2f}"
        )


class Spoken:
    """Each round as it ends, with the processor time so far, so that a run which is cut short has said something."""

    def start(self, stage: str, total: int | None = None) -> None:
        print(f"    {time.process_time():7.0f} s of processors, {_memory():.2f} GB: {stage}", flush=True)

    def advance(self, steps: int = 1) -> None:
        pass

    def note(self, message: str) -> None:
        pass


def search(
    mentions: int,
    seconds: float,
    longer: int,
    bias: float | None,
    name_weight: float | None,
    threads: int,
    labels: bool = True,
) -> None:
    made = corpus(mentions)
    matrix, names, gold = made.vectors(), made.names(), made.entity
    print(f"{mentions:,} mentions, {gold.max() + 1:,} entities; string match {score(made.name, gold)}", flush=True)
    known = np.where(made.development(DEVELOPMENT_ENTITIES), gold, -1)
    del made
    if bias is None:
        begun = time.perf_counter()
        if labels:
            weights = on_development_split(matrix, names, known, progress=Spoken())
        else:
            weights = unsupervised(matrix, names)
        print(f"chosen in {time.perf_counter() - begun:.0f} s: {weights}", flush=True)
    else:
        weights = Weights(bias, NAME_SHARE * bias if name_weight is None else name_weight, "given")
    SamplingClustering(bias=0.1, name_weight=0.1, max_iter=6).fit(matrix[:500], names=names[:500])
    with tempfile.TemporaryDirectory() as folder:
        how: dict[str, Any] = {"bias": weights.bias, "name_weight": weights.name_weight, "tol": 0.0,
                               "threads": threads, "progress": Spoken(), "checkpoint": f"{folder}/run"}  # fmt: skip
        clock, cpu = time.perf_counter(), time.process_time()
        given = [matrix]
        del matrix
        found = SamplingClustering(max_iter=10_000, time_limit=seconds, **how).fit(given.pop(), names=names)
        clock, cpu = time.perf_counter() - clock, time.process_time() - cpu
        reached, history = found.energy_, found.history_
        print(
            f"{history[-1].seconds:.0f} s of search, {clock:.0f} s with all before and after, "
            f"{cpu:.0f} s of processors: S {reached:,.0f}, {found.n_iter_} rounds, {found.labels_.max() + 1:,} "
            f"entities, {score(found.labels_, gold)}; memory {_memory():.2f} GB",
            flush=True,
        )
        best = reached
        if longer > 1:
            rounds = longer * found.n_iter_
            found = SamplingClustering(max_iter=rounds, resume=True, **how).fit(corpus(mentions).vectors(), names=names)
            best = found.energy_
            print(f"{rounds} rounds: S {best:,.0f}, {found.labels_.max() + 1:,} entities, {score(found.labels_, gold)}")
    print("  seconds  level         S          of the highest S  entities  accepted")
    for state in history:
        print(
            f"  {state.seconds:7.1f}  {state.level:12s}  {state.energy:12,.0f}  {state.energy / best:7.2%}  "
            f"{state.entities:9,}  {state.accepted:9,}"
        )


def _memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def growth(sizes: list[int], figure: Path | None) -> None:
    """Processor seconds of best-move sweeps from the gold standard, where all do the same work for each mention."""
    print(" mentions  sweep, s  µs a mention")
    seconds = []
    for mentions in sizes:
        made = corpus(mentions)
        matrix, names = made.vectors(), made.names()
        graph = FactorGraph.of(with_names(matrix, names, WEIGHTS.name_weight)[0])
        near = Postings.of(graph).draw(1)
        with Workers() as engine:
            engine.run(graph, made.entity, near, WEIGHTS.bias, sweeps=1)
            cpu = time.process_time()
            engine.run(graph, made.entity, near, WEIGHTS.bias, sweeps=1)
            seconds.append(time.process_time() - cpu)
        print(f"{mentions:9,}  {seconds[-1]:8.2f}  {seconds[-1] / mentions * 1e6:12.2f}")
    if figure is not None:
        from matplotlib.figure import Figure

        drawn = Figure(figsize=(5.0, 3.5), layout="constrained")
        axes = drawn.add_subplot(xlabel="mentions", ylabel="processor seconds a sweep", xlim=(0, max(sizes) * 1.05))
        axes.plot(sizes, seconds, "o-", color="black")
        axes.plot([0, sizes[-1]], [0, seconds[-1]], "--", color="grey", linewidth=0.8)
        axes.set_ylim(0)
        axes.grid(alpha=0.3)
        drawn.savefig(figure, metadata={"Date": None})


def kinds(mentions: int, only: list[str] | None, chosen: dict[str, Any], old: bool) -> None:
    """B³ of string match, of the pairwise model without labels, and of bags; the kinds' own seeds."""
    print(f"{mentions:,} mentions")
    print("| corpus | string match | asked for | pairs, no labels | bags | entities (true) | s of processors | GB |")
    for name in only or chosen:
        made = articles(mentions, ARTICLES[name]) if name in ARTICLES else corpus(mentions, None, ALL_KINDS[name])
        matrix, names, gold = made.vectors(), made.names(), made.entity
        alone = f1(made.name, gold)
        del made
        pairs = f"{f1(SamplingClustering().fit(matrix, names=names).labels_, gold):.3f}" if old else ""
        cpu, given = time.process_time(), [matrix]
        del matrix
        found = BagClustering().fit(given.pop(), names=names)
        cpu, wanted = time.process_time() - cpu, alone + min(0.15, (1 - alone) / 2)
        print(
            f"| {name} | {alone:.3f} | {wanted:.3f} | {pairs} | {f1(found.labels_, gold):.3f} | "
            f"{found.labels_.max() + 1:,} ({len(np.unique(gold)):,}) | {cpu:.0f} | {_memory():.1f} |",
            flush=True,
        )


def starts(mentions: int, only: list[str] | None) -> None:
    """Where bags end from singletons, from names and from the gold standard, and after three times as many rounds.

    Log odds are by β, μ and topics as found from gold: each run's own move by more than the entities do.
    """
    print("| corpus | start | B³ | log odds | against gold | three times as many rounds |")
    for name in only or ALL_KINDS:
        made = corpus(mentions, None, ALL_KINDS[name])
        matrix, names, gold = made.vectors(), made.names(), made.entity
        begun: dict[str, Any] = {"gold": gold, "names": "names", "singletons": "singletons"}
        found = {start: BagClustering(start=given).fit(matrix, names=names) for start, given in begun.items()}
        nodes = BagMentions.of(matrix, names, Constraints.none(mentions))
        labels = {start: entity_blocks(each.labels_) for start, each in found.items()}
        judge = BagRun(nodes, labels["gold"], entity_blocks(made.name), Quiet(), together=True, rounds=len(BEGINNING))
        by_gold = judge.energy(refit=True)
        for start, each in found.items():
            judge.labels = labels[start]
            energy, rounds = judge.energy(), 3 * each.n_iter_
            longer = BagClustering(start=begun[start], tol=0.0, max_iter=rounds).fit(matrix, names=names)
            print(
                f"| {name} | {start} | {f1(each.labels_, gold):.3f} | {energy:,.0f} | {energy / by_gold - 1:+.2%} | "
                f"{f1(longer.labels_, gold):.3f} |",
                flush=True,
            )


def f1(labels: npt.ArrayLike, gold: npt.ArrayLike) -> float:
    return b_cubed(Alignment.from_labels(labels, gold)).f1


def peers(mentions: int) -> None:
    """All get contexts and names; each one's value is the best on another corpus of the same size."""
    made, other = corpus(mentions), corpus(mentions, seed=1)
    matrix, names, gold = made.vectors(), made.names(), made.entity
    print(f"{mentions:,} mentions; values chosen on another corpus of as many")
    print(f"  string match                     {score(string_match(names.tolist()), gold)}")
    weights = on_development_split(other.vectors(), other.names(), other.entity)
    _timed("crossdoc sampling", gold, lambda: _ours(matrix, names, weights))
    _timed("crossdoc sampling, no labels", gold, lambda: _ours(matrix, names, None))
    for name, peer in (("agglomerative", _agglomerative), ("leidenalg", _leiden), ("splink", _splink)):
        try:
            grid = peer(other.vectors(), other.names())
            best = max(grid, key=lambda value: f1(grid[value](), other.entity))
        except ImportError as error:
            print(f"  {name:32s} not installed ({error})")
            continue
        _timed(f"{name} at {best:g}", gold, peer(matrix, names)[best])


def _timed(name: str, gold: Any, work: Any) -> None:
    clock = time.perf_counter()
    labels = work()
    clock = time.perf_counter() - clock
    print(f"  {name:32s} {score(labels, gold)}  {clock:7.1f} s", flush=True)


def _ours(matrix: Any, names: Any, weights: Weights | None) -> Any:
    bias, weight = (None, None) if weights is None else weights[:2]
    return SamplingClustering(bias, weight).fit(matrix, names=names).labels_


def _neighbour_pairs(matrix: sparse.csr_matrix, names: Any, k: int = 10) -> tuple[Any, Any, Any]:
    """The k nearest rows of each row, and cosine and name as one weight: the candidate pairs of the graph methods."""
    from sklearn.neighbors import NearestNeighbors

    distance, near = NearestNeighbors(n_neighbors=k + 1, metric="cosine").fit(matrix).kneighbors(matrix)
    left, right = np.repeat(np.arange(matrix.shape[0]), k), near[:, 1:].ravel()
    return left, right, np.clip(1 - distance[:, 1:].ravel() + SAME_NAME * (names[left] == names[right]), 0, 1)


def _agglomerative(matrix: sparse.csr_matrix, names: Any) -> dict[float, Any]:
    from sklearn.cluster import AgglomerativeClustering

    def run(cut: float) -> Any:
        distances = (matrix @ matrix.T).toarray()
        np.subtract(1, distances, out=distances)
        same = np.unique(names, return_inverse=True)[1]
        distances -= np.float32(SAME_NAME) * (same[:, None] == same)
        np.clip(distances, 0, None, out=distances)
        how = {"metric": "precomputed", "linkage": "average", "distance_threshold": 1 - cut}
        return AgglomerativeClustering(None, **how).fit(distances).labels_

    return {cut: (lambda cut=cut: run(cut)) for cut in (0.02, 0.03, 0.05)}


def _leiden(matrix: sparse.csr_matrix, names: Any) -> dict[float, Any]:
    import igraph  # type: ignore[import-not-found]
    import leidenalg  # type: ignore[import-not-found]

    def run(resolution: float) -> Any:
        left, right, cosine = _neighbour_pairs(matrix, names)
        graph = igraph.Graph(n=matrix.shape[0], edges=np.stack([left, right], axis=1).tolist())
        how = {"weights": cosine.tolist(), "resolution_parameter": resolution, "seed": 1}
        return leidenalg.find_partition(graph, leidenalg.RBConfigurationVertexPartition, **how).membership

    return {r: (lambda r=r: run(r)) for r in (1.0, 3.0, 10.0, 30.0)}


def _splink(matrix: sparse.csr_matrix, names: Any) -> dict[float, Any]:
    from splink import DuckDBAPI  # type: ignore[import-not-found]
    from splink.clustering import (  # type: ignore[import-not-found]
        cluster_pairwise_predictions_at_threshold as connected,
    )

    def run(cut: float) -> Any:
        left, right, cosine = _neighbour_pairs(matrix, names)
        nodes = pa.table({"unique_id": np.arange(matrix.shape[0])})
        edges = pa.table({"unique_id_l": left, "unique_id_r": right, "match_probability": cosine})
        how = {"node_id_column_name": "unique_id", "db_api": DuckDBAPI(), "threshold_match_probability": cut}
        found = connected(nodes, edges, **how).as_duckdbpyrelation().fetchnumpy()
        return found["cluster_id"][np.argsort(found["unique_id"])]

    return {cut: (lambda cut=cut: run(cut)) for cut in (0.05, 0.075, 0.1, 0.15, 0.2)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["rates", "search", "growth", "kinds", "starts", "peers"])
    parser.add_argument("--mentions", type=int)
    parser.add_argument("--seconds", type=float, default=45.0)
    parser.add_argument("--longer", type=int, default=10)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", nargs="*", choices=[*ALL_KINDS, *ARTICLES], metavar="KIND", help="only these")
    parser.add_argument("--held-out", action="store_true", help="the kinds to be looked at once")
    parser.add_argument("--articles", action="store_true", help="the kinds of another generator")
    parser.add_argument("--old", action="store_true", help="the pairwise model too")
    parser.add_argument("--times", type=int, default=5, help="how often each rate is measured")
    parser.add_argument("--bias", type=float)
    parser.add_argument("--name-weight", type=float)
    parser.add_argument("--no-labels", action="store_true")
    parser.add_argument("--sizes", type=int, nargs="*", default=[12_500, 25_000, 50_000, 100_000, 200_000])
    parser.add_argument("--figure", type=Path, help="draw the growth there")
    options = parser.parse_args()
    if options.what == "rates":
        rates(options.mentions or 200_000, options.times)
    elif options.what == "search":
        given = options.bias, options.name_weight, options.threads, not options.no_labels
        search(options.mentions or 200_000, options.seconds, options.longer, *given)
    elif options.what == "growth":
        growth(options.sizes, options.figure)
    elif options.what == "kinds":
        chosen = ARTICLES if options.articles else HELD_OUT if options.held_out else KINDS | BUILD
        kinds(options.mentions or 25_000, options.only, chosen, options.old)
    elif options.what == "starts":
        starts(options.mentions or 10_000, options.only)
    else:
        peers(options.mentions or 25_000)


if __name__ == "__main__":
    main()
