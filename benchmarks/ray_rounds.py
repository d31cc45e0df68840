"""Rounds of sampling over partitions: accuracy against rounds, and proposals a second.

    python benchmarks/ray_rounds.py accuracy [--mentions 12500] [--parts 1 4 16] [--rounds 10] [--figure FILE.svg]
    python benchmarks/ray_rounds.py rates [--mentions 50000] [--workers 1 2]

`accuracy` (the shape of Figures 5–7 of Singh et al. 2011): B³ after each round, entities dealt by super-entity and at
random; a partition is a worker of the paper's, and the answer is the same on every engine, so that the local one is
used.
`rates`: proposals a second of clock on Ray with one worker and two, and of the local engine. Corpora of
`wikilink_corpus.py`.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

import numpy as np
from wikilink_corpus import corpus  # type: ignore[import-not-found]

from crossdoc.cluster.sampling.factor_graph import FactorGraph
from crossdoc.cluster.sampling.mention_clusterer import with_names
from crossdoc.cluster.sampling.pair_run import CYCLES, Plan, Workers, partitions_for
from crossdoc.cluster.sampling.proposals import Meeting
from crossdoc.cluster.sampling.rounds import EngineRun
from crossdoc.engine import Engine, LocalEngine
from crossdoc.progress import Quiet
from crossdoc.scoring import Alignment, b_cubed

BIAS, NAME_WEIGHT = 0.0254, 0.0279
"""As found without labels at 25,000 mentions."""
LEVELS = len(CYCLES["combined"])


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


def plan() -> Plan:
    return Plan(BIAS, sub_bias=3 * BIAS, falling=True, tolerance=-1.0)


def run_of(graph: FactorGraph, engine: Engine, parts: int) -> EngineRun:
    run = EngineRun(graph, plan(), np.arange(graph.n, dtype=np.int32), Quiet())
    run.engine, run.parts = engine, parts
    return run


def accuracy(mentions: int, parts: list[int], rounds: int, figure: Path | None) -> None:
    graph, gold = graph_of(mentions)
    curves: dict[str, list[float]] = {}
    meetings: tuple[Meeting, ...] = ("canopies", "random")
    print(f"{mentions:,} mentions, B³ after each round (a cycle of six levels)")
    with LocalEngine(2) as engine:
        for meeting in meetings:
            for many in parts:
                if many == 1 and meeting == "random":
                    continue
                curve: list[float] = []
                with Workers(meeting=meeting) as workers:
                    note = lambda run, curve=curve: curve.append(_f1(run.labels, gold))  # noqa: E731
                    run_of(graph, engine, many).go(workers, rounds * LEVELS, None, note)
                name = f"{many} partition{'s' * (many > 1)}" + (", at random" if meeting == "random" else "")
                curves[name] = curve
                print(f"  {name:24s} " + " ".join(f"{value:.3f}" for value in curve), flush=True)
    if figure is not None:
        _draw(curves, figure)


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


def rates(mentions: int, workers: list[int], rounds: int) -> None:
    graph, _ = graph_of(mentions)
    parts = max(2, partitions_for(mentions))
    for name, many in [("ray", each) for each in workers] + [("local", max(workers))]:
        engine = engine_of(name, many)
        run, load = run_of(graph, engine, parts), os.getloadavg()[0]
        with Workers() as kernels:
            run.go(kernels, rounds * LEVELS, None)
        clock = run.history[-1].seconds - run.history[0].seconds
        proposed = sum(each.proposed for each in run.history[1:])
        rate = f"{proposed / clock / 1e3:,.0f} thousand proposals a second of clock"
        print(f"  {name}, {many} workers: {rate}, load {load:.0f}", flush=True)
        engine.close()
        if name == "ray":
            import ray

            ray.shutdown()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["accuracy", "rates"])
    parser.add_argument("--mentions", type=int)
    parser.add_argument("--parts", type=int, nargs="*", default=[1, 4, 16])
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--figure", type=Path)
    given = parser.parse_args()
    if given.what == "accuracy":
        accuracy(given.mentions or 12_500, given.parts, given.rounds, given.figure)
    else:
        rates(given.mentions or 50_000, given.workers, given.rounds)


if __name__ == "__main__":
    main()
