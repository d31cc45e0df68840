"""Figure 3 of Van Gael & Zhu 2007 on MEANTIME: links between Wikinews articles in four languages.

    python experiments/crosslingual_links.py curves small [--limit 60] [--figures docs/figures]

The texts are translations, so each version that is not English is dropped with probability 0.4 (seeded): groups then
differ in size. The line that dates an article is left out, since it would give the link away. Two ways to compare: the
paper's (translated words, inner product) and crossdoc's own (all features, relative cosine).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from common import data, table
from corpora import meantime

from crossdoc.cluster.correlation import Solution, build, exact, relaxation
from crossdoc.crosslingual import ArticleGroup, LinkDetector, Translator, make_translator
from crossdoc.crosslingual.linking import Point, plot, score_links
from crossdoc.crosslingual.similarity import positive_share
from crossdoc.scoring import Assignment

Floats = npt.NDArray[np.float64]
DROPPED = 0.4
BIASES = 25
FREEDICT = "/usr/share/dictd"
SMALL = ("en", "es", "it")
METHODS = ("LP", "LP + moves", "IP", "CHC", "HC")
WAYS = ("own", "paper")


def articles(seed: int, lead: bool, languages: Sequence[str] = meantime.MEANTIME_LANGUAGES) -> list[ArticleGroup]:
    """The articles that are left after dropping, one a group; with `lead`, the first sentence as its text."""
    rng = np.random.default_rng(seed)
    kept = []
    for language in languages:
        for document in meantime.documents(data("meantime"), language):
            if language == "en" or rng.random() >= DROPPED:
                lines = document.text.splitlines()
                kept.append(ArticleGroup(document.id, language, (lines[0],), tuple(lines[2:3]) if lead else ()))
    return kept


def gold_of(groups: Sequence[ArticleGroup]) -> Assignment:
    return Assignment.of({group.id: group.id.partition("/")[2] for group in groups})


def translators() -> Translator | None:
    """Apertium for Spanish, FreeDict for Italian and Dutch (Debian: apertium-eng-spa, dict-freedict-{ita,nld}-eng)."""
    return make_translator(["apertium", *(f"{FREEDICT}/freedict-{code}-eng.dict.dz" for code in ("ita", "nld"))])


def detector_by(way: str) -> LinkDetector:
    """own: all features, nothing translated, relative cosine; paper: translated words and their inner product."""
    if way == "own":
        return LinkDetector()
    return LinkDetector(translator=translators(), kinds=("word",), measure="inner")


def biases(detector: LinkDetector, until: float, count: int = BIASES) -> Floats:
    """Biases at which shares of the pairs are positive that grow by a factor, from a few pairs on."""
    ordered = np.append(np.sort(detector.relations_.strength.astype(np.float64))[::-1], 0.0)
    most = min(len(ordered) - 1, int(until * detector.pairs_))
    at = np.unique(np.geomspace(max(2, 0.0005 * detector.pairs_), most, count).astype(int))
    return (ordered[at - 1] + ordered[at]) / 2


def solve(detector: LinkDetector, bias: float, method: str, limit: float) -> Solution | None:
    """Cluster by a method of figure 3; None for the two baselines, which have no bound."""
    if method in ("HC", "CHC"):
        detector.method = "hc" if method == "HC" else "chc"
        detector.cluster(bias)
        return None
    problem = build(detector.relations_, bias=bias, groups=detector.language_of_)
    if method == "IP":
        solution = exact.solve(problem, time_limit=limit)
    else:
        # The paper's is the rounding alone; crossdoc's goes on with local moves.
        solution = relaxation.solve(problem, time_limit=limit, polish=method == "LP + moves")
    detector.labels_ = solution.labels
    return solution


def sweep(
    detector: LinkDetector, truth: Assignment, values: Floats, limit: float
) -> Iterator[tuple[str, list[Point], list[Solution | None]]]:
    for method in METHODS:
        points, solutions = [], []
        # The first call compiles.
        solve(detector, float(values[0]), method, limit)
        for bias in values:
            started = time.process_time()
            solution = solve(detector, float(bias), method, limit)
            seconds = time.process_time() - started
            tally = score_links(detector, truth)
            share = positive_share(detector.relations_, detector.pairs_, float(bias))
            clusters = int(detector.labels_.max()) + 1
            figures = (tally.precision, tally.recall, tally.f1)
            points.append(Point(float(bias), share, *figures, clusters, detector.n_links_, seconds))
            solutions.append(solution)
        yield method, points, solutions


def area(points: Sequence[Point]) -> float:
    """Mean over recalls 0, 0.01 … 1 of the best precision at that recall or more."""
    recall, precision = np.array([p.recall for p in points]), np.array([p.precision for p in points])
    return float(np.mean([precision[recall >= level].max(initial=0.0) for level in np.linspace(0, 1, 101)]))


def at_share(points: Sequence[Point], share: float) -> float:
    return min(points, key=lambda p: abs(np.log(p.positive_share / share))).f1


def describe(curves: dict[str, list[Point]], shares: Sequence[float]) -> str:
    rows = [
        [name, max(p.f1 for p in points), area(points), *(at_share(points, share) for share in shares)]
        for name, points in curves.items()
    ]
    return table(["method", "best F1 (oracle)", "area", *(f"F1 at {share:.1%}" for share in shares)], rows)


def curves_part(figures: Path | None, limit: float, texts: Sequence[str], ways: Sequence[str]) -> None:
    header = ["method"]
    together: list[list[object]] = [[method] for method in METHODS]
    for what in texts:
        groups = articles(0, what == "lead")
        for way in ways:
            detector = detector_by(way).compare(groups)
            found, solved = {}, {}
            for method, points, solutions in sweep(detector, gold_of(groups), biases(detector, 0.1), limit):
                found[method] = points
                solved[method] = [solution for solution in solutions if solution is not None]
            print(f"\n### {what}, {way}: {len(groups)} groups, {detector.translated_}\n")
            print(describe(found, (0.005, 0.01, 0.02, 0.05, 0.1)))
            runtime(found, solved)
            header += [f"{what}, {way}: best F1", "area"]
            for row, points in zip(together, found.values(), strict=True):
                row += [max(p.f1 for p in points), area(points)]
            if figures is not None:
                plot(_shown(found), figures / f"links_{way}_{what}.svg")
    print("\n### all together\n")
    print(table(header, together))


def _shown(found: dict[str, list[Point]]) -> dict[str, Sequence[Point]]:
    """The methods of figure 3."""
    return {method: points for method, points in found.items() if method != "LP + moves"}


def runtime(found: dict[str, list[Point]], solved: dict[str, list[Solution]]) -> None:
    rows = []
    for method in ("LP", "IP"):
        seconds = np.array([p.seconds for p in found[method]])
        gaps = np.array([s.gap for s in solved[method]])
        integral = [s.x is not None and bool((np.abs(s.x - np.round(s.x)) < 1e-6).all()) for s in solved[method]]
        integral_share = f"{sum(integral)} of {len(integral)}" if method == "LP" else ""
        rows.append([method, float(np.median(seconds)), float(seconds.max()), float(seconds.sum()),
                     f"{(gaps < 1e-6).sum()} of {len(gaps)}", f"{gaps.max():.2%}", integral_share])  # fmt: skip
    print()
    print(table(["", "median s", "most s", "all s", "proved optimal", "largest gap", "LP integral"], rows))
    lp, ip = ([p.seconds for p in found[method]] for method in ("LP", "IP"))
    rows = [
        [f"{p.positive_share:.2%}", f"{p.bias:.4f}", a, b, f"{s.gap:.2%}", f"{t.gap:.2%}"]
        for p, a, b, s, t in zip(found["LP"], lp, ip, solved["LP"], solved["IP"], strict=True)
    ]
    print()
    print(table(["positive", "bias", "LP s", "IP s", "gap after LP's rounding", "IP's gap"], rows))


def small_part(figures: Path | None, limit: float, ways: Sequence[str]) -> None:
    """Four sets of 60 groups, 20 in each of three languages: one a topic, 20 of its 30 stories drawn per language."""
    for way in ways:
        found: dict[str, list[list[Point]]] = {}
        gaps: dict[str, list[float]] = {}
        for number, topic in enumerate(("airbus", "apple", "gm", "stock")):
            groups = small_set(topic, number)
            detector = detector_by(way).compare(groups)
            for method, points, solutions in sweep(detector, gold_of(groups), biases(detector, 0.75), limit):
                found.setdefault(method, []).append(points)
                gaps.setdefault(method, []).extend(s.gap for s in solutions if s is not None)
        means = {method: [_mean(points) for points in zip(*several, strict=False)] for method, several in found.items()}
        print(f"\n### four sets of 60 groups, {way} (mean of the four, bias by bias)\n")
        print(describe(means, (0.01, 0.03, 0.1, 0.3, 0.7)))
        pairs = zip(found["LP"], found["IP"], strict=True)
        same = [a.f1 == b.f1 for lp, ip in pairs for a, b in zip(lp, ip, strict=True)]
        print(f"\nLP's rounding scores as IP at {sum(same)} of {len(same)} biases.", end="")
        for method in ("LP", "IP"):
            spent, own = sum(p.seconds for points in found[method] for p in points), np.array(gaps[method])
            print(f" {method}: {spent:.1f} s, optimal at {(own == 0).sum()}, largest gap {own.max():.1%}.", end="")
        print(flush=True)
        if figures is not None:
            plot(_shown(means), figures / f"links_small_{way}.svg")


def small_set(topic: str, seed: int) -> list[ArticleGroup]:
    rng = np.random.default_rng(seed)
    groups = []
    for language in SMALL:
        there = [d for d in meantime.documents(data("meantime"), language) if f"/corpus_{topic}/" in d.id]
        drawn = (there[row] for row in sorted(rng.choice(len(there), 20, replace=False)))
        groups += [ArticleGroup(document.id, language, (document.text.partition("\n")[0],)) for document in drawn]
    return groups


def _mean(points: Sequence[Point]) -> Point:
    columns = np.array([[p.bias, p.positive_share, p.precision, p.recall, p.f1] for p in points]).mean(axis=0)
    bias, share, precision, recall, f1 = columns.tolist()
    return Point(bias, share, precision, recall, f1, 0, 0, sum(p.seconds for p in points))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="+", choices=["curves", "small"])
    parser.add_argument("--figures", type=Path, help="folder for the pictures of `curves` and `small`")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds that LP and IP have at each bias")
    parser.add_argument("--texts", nargs="+", choices=["titles", "lead"], default=["titles", "lead"])
    parser.add_argument("--how", nargs="+", choices=WAYS, default=WAYS)
    asked = parser.parse_args()
    if "small" in asked.parts:
        small_part(asked.figures, asked.limit, asked.how)
    if "curves" in asked.parts:
        curves_part(asked.figures, asked.limit, asked.texts, asked.how)


if __name__ == "__main__":
    main()
