"""Rounds of sampling over partitions: accuracy against rounds, and what a round costs beside its kernels.

    python benchmarks/ray_rounds.py accuracy [--mentions 12500] [--parts 1 4 16] [--rounds 10] [--figure FILE.svg]
    python benchmarks/ray_rounds.py overhead [--mentions 200000] [--engine ray|local] [--rounds 5]
    python benchmarks/ray_rounds.py rates [--mentions 50000] [--workers 1 2]

`accuracy` (the shape of Figures 5–7 of Singh et al. 2011): B³ after each round, entities dealt by super-entity and at
random; a partition is a worker of the paper's, and the answer is the same on every engine, so that the local one is
used. `overhead`: rounds that deal and nothing else, once warm, with the bytes that change hands.
`rates`: proposals a second of clock on Ray with one worker and two, and of the local engine. Corpora of
`wikilink_corpus.py`.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
from wikilink_corpus import corpus  # type: ignore[import-not-found]

from crossdoc.cluster.sampling.factor_graph import FactorGraph
from crossdoc.cluster.sampling.mention_clusterer import with_names
from crossdoc.cluster.sampling.pair_run import Plan, partitions_for
from crossdoc.cluster.sampling.rounds import PairWork, Rounds, Shard, shard_of
from crossdoc.engine import Engine, LocalEngine
from crossdoc.progress import Quiet
from crossdoc.scoring import Alignment, b_cubed

BIAS, NAME_WEIGHT = 0.0254, 0.0279
"""As found without labels at 25,000 mentions."""


def graph_of(mentions: int) -> tuple[FactorGraph, Any]:
    made = corpus(mentions)
    return FactorGraph.of(with_names(made.vectors(), made.names(), NAME_WEIGHT)[0]), made.entity


def engine_of(name: str, workers: int) -> Engine:
    if name == "local":
        return LocalEngine(workers)
    import ray

    from crossdoc.engine.ray_engine import RayEngine

    ray.init(address="local", num_cpus=workers, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    return RayEngine()


def work_for(graph: FactorGraph, parts: int, meeting: Any = "canopies") -> PairWork:
    plan = Plan(BIAS, sub_bias=3 * BIAS, falling=True)
    return PairWork(plan, graph.n_features, graph.unit_value, meeting, parts)


def shards_of(graph: FactorGraph, parts: int) -> list[Shard]:
    whole = shard_of(graph, np.arange(graph.n))
    return [whole.take(some) for some in np.array_split(np.arange(graph.n), parts)]


def accuracy(mentions: int, parts: list[int], rounds: int, figure: Path | None) -> None:
    graph, gold = graph_of(mentions)
    curves: dict[str, list[float]] = {}
    print(f"{mentions:,} mentions, B³ after each round (a cycle of six levels)")
    with LocalEngine(2) as engine:
        for meeting in ("canopies", "random"):
            for many in parts:
                if many == 1 and meeting == "random":
                    continue
                work = work_for(graph, many, meeting)
                pieces: Any = [[at, engine.put(each)] for at, each in enumerate(shards_of(graph, many))]
                run = Rounds(engine, lambda labels: [], work, graph.n, Quiet())
                pieces, _ = run.round(work.deal, pieces, 0)
                curve = []
                for number in range(rounds):
                    pieces, _ = run.round(work.cycle, pieces, number, None)
                    curve.append(_f1(labels_in(engine, pieces, graph.n), gold))
                name = f"{many} partition{'s' * (many > 1)}" + (", at random" if meeting == "random" else "")
                curves[name] = curve
                print(f"  {name:24s} " + " ".join(f"{value:.3f}" for value in curve), flush=True)
    if figure is not None:
        _draw(curves, figure)


def labels_in(engine: Engine, pieces: Any, n: int) -> Any:
    labels = np.empty(n, dtype=np.int64)
    for part in pieces:
        for ref in part[1:]:
            shard = engine.get(ref)
            labels[shard.flat["node"]] = shard.flat["label"]
    return np.unique(labels, return_inverse=True)[1]


def _f1(labels: Any, gold: Any) -> float:
    return float(b_cubed(Alignment.from_labels(labels, gold)).f1)


def _draw(curves: dict[str, list[float]], figure: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    _, axes = pyplot.subplots(figsize=(6, 4))
    for name, curve in curves.items():
        axes.plot(range(1, len(curve) + 1), curve, "--" if "random" in name else "-", marker=".", label=name)
    axes.set(xlabel="rounds", ylabel="B³")
    axes.legend()
    pyplot.savefig(figure, bbox_inches="tight")


def overhead(mentions: int, name: str, rounds: int) -> None:
    graph, _ = graph_of(mentions)
    parts = partitions_for(mentions)
    begun = time.perf_counter()
    engine = engine_of(name, 2)
    print(f"{name}: {time.perf_counter() - begun:.1f} s to start; {mentions:,} mentions in {parts} partitions")
    work = work_for(graph, parts)
    pieces: Any = [[at, engine.put(each)] for at, each in enumerate(shards_of(graph, parts))]
    run = Rounds(engine, lambda labels: [], work, graph.n, Quiet())
    for number in range(rounds):
        load = os.getloadavg()[0]
        begun = time.perf_counter()
        pieces, counts = run.round(work.deal, pieces, number)
        size = sum(each.bytes for each in counts) / 1e6
        print(f"  round {number + 1}: {time.perf_counter() - begun:.2f} s, {size:.0f} MB change hands, load {load:.0f}")
    engine.close()


def rates(mentions: int, workers: list[int], rounds: int) -> None:
    graph, _ = graph_of(mentions)
    parts = max(2, partitions_for(mentions))
    for name, many in [("ray", each) for each in workers] + [("local", max(workers))]:
        engine = engine_of(name, many)
        first = [engine.put(each) for each in shards_of(graph, parts)]
        run = Rounds(engine, lambda labels, first=first: first, work_for(graph, parts), graph.n, Quiet())  # type: ignore[misc]
        load = os.getloadavg()[0]
        run.go(rounds)
        warm = run.history[1:]
        clock = run.history[-1].seconds - run.history[0].seconds
        proposed, busy = sum(each.proposed for each in warm), sum(each.busy for each in warm)
        print(f"  {name}, {many} workers: {proposed / clock / 1e3:,.0f} thousand proposals a second of clock, "
              f"kernels at work {busy / clock / many:.0%} of the time, load {load:.0f}", flush=True)  # fmt: skip
        engine.close()
        if name == "ray":
            import ray

            ray.shutdown()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["accuracy", "overhead", "rates"])
    parser.add_argument("--mentions", type=int)
    parser.add_argument("--parts", type=int, nargs="*", default=[1, 4, 16])
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--engine", choices=["local", "ray"], default="ray")
    parser.add_argument("--figure", type=Path)
    given = parser.parse_args()
    if given.what == "accuracy":
        accuracy(given.mentions or 12_500, given.parts, given.rounds, given.figure)
    elif given.what == "overhead":
        overhead(given.mentions or 200_000, given.engine, given.rounds)
    else:
        rates(given.mentions or 50_000, given.workers, given.rounds)


if __name__ == "__main__":
    main()
