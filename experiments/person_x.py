"""Person-X (Singh et al. 2011, section 4.2, Figures 5 and 6): B³ against time and proposals, flat and hierarchical.

    CROSSDOC_DATA=… python experiments/person_x.py [--seconds 10] [--runs 5] [--figures docs/figures]

The flat reference is the paper's: uniform proposals, annealed. `sub`, `super` and `combined` use informed proposals and
best moves, with 1, 5, 10 and 50 logical partitions on two threads. The bias gives 50 entities, as in the paper
(oracle), or is the mean cosine (honest). Besides the table it writes two figures as small SVG files.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from common import table
from person_x_corpus import PEOPLE, PersonX, person_x

from crossdoc.cluster.sampling import SamplingClustering, unsupervised
from crossdoc.cluster.sampling.factor_graph import FactorGraph
from crossdoc.cluster.sampling.pair_run import PairRun, Plan, Schedule, Workers
from crossdoc.progress import Quiet
from crossdoc.scoring import Alignment, b_cubed

PARTITIONS = (1, 5, 10, 50)
HOT, COLD = 1.0, 0.01
Curve = list[tuple[float, float, float, float]]
"""Seconds, proposals, B³ F1 and S after each round."""
SECONDS, PROPOSALS, F1, S = range(4)
NEARLY = 0.95
"""The part of flat's B³ that is told of besides the whole."""
ASKED = ((SECONDS, 1.0), (SECONDS, NEARLY), (PROPOSALS, 1.0))


def bias_for(corpus: PersonX, people: int) -> float:
    """The bias that gives so many entities, by halving."""
    low, high = 0.0, 0.5
    for _ in range(12):
        middle = (low + high) / 2
        found = SamplingClustering(middle, threads=2).fit(corpus.vectors).labels_.max() + 1
        low, high = (middle, high) if found < people else (low, middle)
    return (low + high) / 2


def curve(
    graph: FactorGraph, gold: npt.NDArray[np.int64], bias: float, how: str, parts: int, seconds: float, seed: int
) -> Curve:
    flat = how == "flat"
    plan = Plan(
        bias,
        "flat" if flat else how,
        not flat,
        Schedule((HOT, COLD)) if flat else Schedule(0.0),
        3 * bias,
        falling=not flat,
        sweeps=5.0 if flat else 1.0,
        tolerance=0.0,
        seed=seed,
    )
    run = PairRun(graph, plan, np.arange(graph.n, dtype=np.int32), Quiet())
    rounds: Curve = []
    proposals = 0

    def note(state: PairRun) -> None:
        nonlocal proposals
        proposals += state.history[-1].proposed
        f1 = b_cubed(Alignment.from_labels(state.labels, gold)).f1
        rounds.append((state.seconds, proposals, f1, state.energy))

    with Workers(2, parts, "canopies" if how in ("super", "combined") else "random") as engine:
        run.go(engine, 10**6 if flat else 400, seconds, note)
    return rounds


def averaged(
    curves: Sequence[Curve], column: int, grid: npt.NDArray[np.float64], what: int = F1
) -> npt.NDArray[np.float64]:
    """Mean F1 or S at each point of a grid of seconds or proposals; before its first round a run has none."""
    lines = []
    for rounds in curves:
        at = np.array([point[column] for point in rounds])
        value = np.array([point[what] for point in rounds])
        lines.append(np.concatenate([[np.nan], value])[np.searchsorted(at, grid, "right")])
    return np.mean(lines, axis=0)


def first_reach(curves: Sequence[Curve], column: int, what: int, level: float) -> float:
    """When the mean of the runs first reaches a level."""
    grid = np.unique([point[column] for rounds in curves for point in rounds])
    reached = grid[averaged(curves, column, grid, what) >= level]
    return float(reached[0]) if len(reached) else float("nan")


def at_the_end(curves: Sequence[Curve], what: int) -> float:
    return float(np.mean([rounds[-1][what] for rounds in curves]))


def share_of_flat(curves: Sequence[Curve], flat: Sequence[Curve], column: int, most: float = 1.0) -> str:
    """After which part of flat's seconds or proposals its last B³, or most of it, is reached."""
    level = most * at_the_end(flat, F1)
    needed, base = (first_reach(runs, column, F1, level) for runs in (curves, flat))
    return f"{needed / base:.1%}" if np.isfinite(needed) else "not reached"


def svg(path: Path, curves: dict[str, Sequence[Curve]], column: int, axis: str) -> None:
    """Mean F1 against seconds or proposals, the latter axis logarithmic."""
    width, height, margin = 640, 360, 50
    high = max(point[column] for runs in curves.values() for rounds in runs for point in rounds)
    low = min(point[column] for runs in curves.values() for rounds in runs for point in rounds)
    grid = np.geomspace(max(low, 1e-3), high, 80)
    colours = ["#444", "#b33", "#36b", "#282", "#b70", "#728"]
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
             'font-size="12">', f'<text x="{margin}" y="20">B³ F1 against {axis} (logarithmic)</text>']  # fmt: skip
    for number, (name, runs) in enumerate(curves.items()):
        f1 = averaged(runs, column, grid)
        x = margin + (width - 3 * margin) * np.log(grid / grid[0]) / np.log(grid[-1] / grid[0])
        y = height - margin - (height - 2 * margin) * f1
        points = " ".join(f"{a:.0f},{b:.0f}" for a, b in zip(x, y, strict=True) if np.isfinite(b))
        colour = colours[number % len(colours)]
        lines.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        lines.append(f'<text x="{width - 2 * margin + 4}" y="{60 + 16 * number}" fill="{colour}">{name}</text>')
    lines.append(f'<line x1="{margin}" y1="{height - margin}" x2="{width - 2 * margin}" y2="{height - margin}" '
                 'stroke="#000"/>')  # fmt: skip
    for value in (0.0, 0.5, 1.0):
        lines.append(f'<text x="15" y="{height - margin - (height - 2 * margin) * value:.0f}">{value:.1f}</text>')
    for value in (grid[0], grid[-1]):
        x_at = margin + (width - 3 * margin) * np.log(value / grid[0]) / np.log(grid[-1] / grid[0])
        lines.append(f'<text x="{x_at:.0f}" y="{height - margin + 18}">{value:,.3g}</text>')
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([*lines, "</svg>"]) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10.0, help="for the flat reference; the others have a fifth")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--partitions", type=int, nargs="*", default=list(PARTITIONS))
    parser.add_argument("--figures", type=Path)
    options = parser.parse_args()
    corpus = person_x()
    gold = np.unique(corpus.person.astype(str), return_inverse=True)[1]
    fifty, honest = bias_for(corpus, PEOPLE), unsupervised(corpus.vectors.matrix).bias
    graph = FactorGraph.of(corpus.vectors.matrix)
    print(f"{len(corpus):,} mentions of {PEOPLE} people; bias {fifty:.4f} gives 50 entities; mean cosine {honest:.4f}")
    rows: list[list[object]] = []
    for name, bias in (("gives 50 (oracle)", fifty), ("mean cosine (honest)", honest)):
        kinds: dict[str, Sequence[Curve]] = {}
        kinds["flat"] = [curve(graph, gold, bias, "flat", 1, options.seconds, s) for s in range(options.runs)]
        for how in ("sub", "super", "combined"):
            for parts in options.partitions if bias == fifty else [1]:
                kinds[f"{how} {parts}"] = [
                    curve(graph, gold, bias, how, parts, options.seconds / 5, s) for s in range(options.runs)
                ]
        for kind, runs in kinds.items():
            shares = [share_of_flat(runs, kinds["flat"], column, most) for column, most in ASKED]
            rows.append([name, kind, at_the_end(runs, F1), *shares, at_the_end(runs, S) / at_the_end(kinds["flat"], S)])
        if options.figures is not None and bias == fifty:
            shown = {kind: runs for kind, runs in kinds.items() if kind == "flat" or kind.endswith(" 1")}
            svg(options.figures / "person-x-seconds.svg", shown, SECONDS, "seconds")
            svg(options.figures / "person-x-proposals.svg", shown, PROPOSALS, "proposals")
    header = ["bias", "hierarchy, partitions", "B³ F1 at the end", "flat's after, of its seconds"]
    header += [f"{NEARLY:.0%} of it", "of its proposals", "S at the end, of flat's"]
    print(table(header, rows))


if __name__ == "__main__":
    main()
