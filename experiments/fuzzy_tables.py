"""Tables 1 and 2 and Figures 1 and 2 of Huang et al. 2009, with KARC as printed, its mends, and what it is up against.

    CROSSDOC_DATA=… python experiments/fuzzy_tables.py [--cache FOLDER] [--figures FOLDER] [--only linked printed …]

Purity, inverse purity, F_0.2, F_0.5 and extended B³, macro-averaged over names, with 95% intervals (bootstrap over
names). Honest: every setting is the one with the best extended B³ on the other 48 training names, or on all 49 for the
other collections; rows marked "oracle" are told the number of people.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from common import table
from fuzzy_data import Matrix, Name, collections

from crossdoc.cluster.fuzzy import ARCA, FRC, KARC
from crossdoc.cluster.hierarchical import LinkageClustering
from crossdoc.model import Partition
from crossdoc.scoring import Assignment, align, b_cubed_extended, f_alpha, purity
from crossdoc.scoring.scores import percentile_interval, resampled_sums

MEASURES = ("purity", "inverse", "F_0.2", "F_0.5", "B³")
CHOOSE_BY = MEASURES.index("B³")
TRAINING = "WePS-1 training"
M = (1.2, 1.4, 1.6, 1.9)
GAMMA = (0.015, 0.15)
THETA = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
CALIBRATED = ("context", "seg")
CUTS = np.arange(0.3, 0.96, 0.025)
JOINS = np.arange(0.5, 0.71, 0.025)
KINDS = {
    "Wikipedia": "Arthur_Morgan George_Foster James_Davidson James_Hamilton James_Morehead John_Nelson Patrick_Killen "
    "Thomas_Fraser Thomas_Kirk William_Dickson",
    "ACL-06": "Chris_Brockett Dekang_Lin Frank_Keller James_Curran Jerry_Hobbs Leon_Barrett Mark_Johnson Robert_Moore "
    "Sharon_Goldwater Stephen_Clark",
    "US Census": "Alvin_Cooper Harry_Hughes Jonathan_Brooks Jude_Brown Karen_Peterson Marcy_Jackson Martha_Edwards "
    "Neil_Clark Stephan_Johnson Violet_Howard",
}
TRAINING_KINDS = {
    "Wikipedia": "Alexander_Macomb David_Lodge George_Clinton John_Kennedy Michael_Howard Paul_Collins Tony_Abbott",
    "ECDL-06": "Allan_Hanbury Andrew_Powell Anita_Coleman Christine_Borgman Donna_Harman Edward_Fox Gregory_Crane "
    "Jane_Hunter Paul_Clough Thomas_Baker",
}
PUBLISHED = [
    ("KARC-S", 0.657, 0.795, 0.740),
    ("KARC-H", 0.662, 0.762, 0.710),
    ("FRC", 0.484, 0.840, 0.697),
    ("one-in-one", 1.0, 0.482, 0.524),
    ("all-in-one", 0.279, 1.0, 0.571),
]
Scores = npt.NDArray[np.float64]
Fit = Callable[[Matrix, int], Any]
"""Strengths and the number of people (for oracles) → a fitted clusterer, or labels."""


@dataclass
class Family:
    """A method with the settings to choose from; `views` are its names and the θ tried for each (None: hard)."""

    views: Mapping[str, Sequence[float | None]]
    strengths: str
    fits: Sequence[Fit]

    def scores(self, names: Sequence[Name], fits: Sequence[Fit] | None = None) -> Scores:
        """Fits × θ of all views × names × measures."""
        thetas = [theta for tried in self.views.values() for theta in tried]
        found = [[self._one(name, fit, thetas) for name in names] for fit in fits or self.fits]
        return np.swapaxes(np.array(found), 1, 2)

    def _one(self, name: Name, fit: Fit, thetas: Sequence[float | None]) -> list[list[float]]:
        people = len(set().union(*name.gold.values()))
        found = fit(name.strengths[self.strengths], people)
        partition = found.partition_ if hasattr(found, "partition_") else Partition.from_labels(name.ids, found)
        partition = Partition(name.ids, partition.membership)
        return [measure(name, partition, theta) for theta in thetas]

    def of_view(self, scores: Scores, title: str) -> Scores:
        """The part of all scores that belongs to a view: settings × names × measures."""
        start = 0
        for other, tried in self.views.items():
            if other == title:
                part = scores[:, start : start + len(tried)]
                return part.reshape(-1, *part.shape[2:])
            start += len(tried)
        raise KeyError(title)


def measure(name: Name, partition: Partition, theta: float | None) -> list[float]:
    rows = (partition.harden() if theta is None else partition.threshold(theta)).table(soft=True)
    aligned = align(Assignment.from_rows(rows["id"], rows["entity"]), Assignment.of(name.gold))
    pure, b3 = purity(aligned), b_cubed_extended(aligned)
    f = [float(f_alpha(pure.precision, pure.recall, alpha)) for alpha in (0.2, 0.5)]
    return [pure.precision, pure.recall, *f, b3.f1]


def linkage(kind: str, cut: float) -> Fit:
    return lambda strengths, _: LinkageClustering(kind, float(cut)).fit(strengths)  # type: ignore[arg-type]


def karc(**how: Any) -> Fit:
    return lambda strengths, _: KARC(**how).fit(strengths)


def given_count(**how: Any) -> Fit:
    """KARC with the true number of people."""
    return lambda strengths, people: KARC(min(people, len(strengths)), **how).fit(strengths)


def hard(title: str, strengths: str, fits: Sequence[Fit]) -> Family:
    return Family({title: [None]}, strengths, fits)


def other(method: type[ARCA], **how: Any) -> Fit:
    return lambda strengths, _: method(**how).fit(strengths)


def families() -> list[Family]:
    paper: dict[str, Any] = {"variant": "paper"}
    found = [
        hard("one-in-one", "context", [lambda s, _: np.arange(len(s), dtype=np.int32)]),
        hard("all-in-one", "context", [lambda s, _: np.zeros(len(s), dtype=np.int32)]),
    ]
    for kind in CALIBRATED:
        for link in ("average", "single"):
            found.append(hard(f"{link} linkage", kind, [linkage(link, cut) for cut in CUTS]))
    for kind in CALIBRATED:
        linked = {"KARC-H linked": [None], "KARC-S linked, θ learned": THETA}
        found.append(Family(linked, kind, [karc(threshold=float(cut)) for cut in JOINS]))
        once = {"KARC-S linked, one pass, θ learned": THETA}
        found.append(Family(once, kind, [karc(threshold=float(cut), passes=1) for cut in JOINS]))
    for kind in (*CALIBRATED, "cosine"):
        found.append(Family({"KARC-H as printed": [None], "KARC-S as printed": [0.3]}, kind, [karc(**paper)]))
    found += [
        hard("KARC-H exact distance", "seg", [karc(distance="exact", **paper)]),
        hard("true C as printed (oracle)", "seg", [given_count(**paper)]),
        hard("true C exact (oracle)", "seg", [given_count(distance="exact", **paper)]),
        Family({"FRC-H": [None], "FRC-S, θ learned": THETA}, "seg", [other(FRC, m=m) for m in M]),
        Family({"ARCA-H": [None], "ARCA-S, θ learned": THETA}, "seg", [other(ARCA, m=m) for m in M]),
        Family(
            {"KARC-H, m and γ learned": [None], "KARC-S, m, γ and θ learned": THETA},
            "seg",
            [karc(m=m, gamma=gamma, **paper) for m, gamma in product(M, GAMMA)],
        ),
    ]
    return found


def honest(scores: Scores) -> tuple[Scores, int]:
    """Each training name under the setting that is best on the others, and the setting that is best on all."""
    values = scores[:, :, CHOOSE_BY]
    picks = (values.sum(axis=1, keepdims=True) - values).argmax(axis=0)
    return scores[picks, np.arange(scores.shape[1])], int(values.mean(axis=1).argmax())


@dataclass
class Result:
    """What one method reaches on one collection, name by name."""

    collection: str
    title: str
    strengths: str
    scores: Scores
    names: Sequence[Name]


def row(result: Result) -> tuple[object, ...]:
    cells: list[object] = [result.title, result.strengths]
    for number, value in enumerate(result.scores.mean(axis=0)):
        cell = f"{value:.3f}"
        if number >= 2 and len(result.scores) > 1:
            sums = resampled_sums(result.scores[:, number][:, None], 2000, 0)[:, 0]
            low, high = percentile_interval(sums / len(result.scores))
            cell += f" ({low:.3f}–{high:.3f})"
        cells.append(cell)
    return tuple(cells)


def sweep(names: Sequence[Name], how: dict[str, Any], kind: str, variable: str, values: Sequence[float]) -> Scores:
    """Mean scores of KARC-S with one setting moved; θ is 0.3 unless it is the one."""
    if variable == "theta":
        return Family({"": values}, kind, [karc(**how)]).scores(names)[0].mean(axis=1)
    return Family({"": [0.3]}, kind, [karc(**how, **{variable: value}) for value in values]).scores(names)[:, 0].mean(1)


def figures(names: Sequence[Name], folder: Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    matplotlib.rcParams["svg.hashsalt"] = "crossdoc"
    folder.mkdir(parents=True, exist_ok=True)
    variants: tuple[tuple[str, str, dict[str, Any]], ...] = (
        ("as printed", "seg", {"variant": "paper"}),
        ("linked", "seg", {"threshold": 0.6}),
    )
    axes_of = {"m": np.array([1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9]), "theta": np.array(THETA)}
    for number, (variable, values) in enumerate(axes_of.items(), 1):
        figure, panels = plt.subplots(1, 2, figsize=(8, 3.2), sharey=True, layout="constrained")
        rows = []
        for panel, (title, kind, how) in zip(panels, variants, strict=True):
            curve = sweep(names, how, kind, variable, values.tolist())
            for at in (0, 1, 2, 4):
                panel.plot(values, curve[:, at], marker="o", markersize=3, label=MEASURES[at])
            panel.set(title=f"KARC-S {title}", xlabel={"m": "m", "theta": "θ"}[variable])
            rows += [(title, value, *map(float, scores)) for value, scores in zip(values, curve, strict=True)]
        panels[0].legend()
        figure.savefig(folder / f"fuzzy-{variable}.svg", metadata={"Date": None})
        plt.close(figure)
        print(f"\n### Figure {number}: {variable}\n\n" + table(["KARC-S", variable, *MEASURES], rows), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, help="where extracted profiles and relation matrices are kept")
    parser.add_argument("--figures", type=Path, help="draw the sweeps of m and θ into this folder")
    parser.add_argument("--only", nargs="+", default=[""], help="methods whose name has one of these in it")
    options = parser.parse_args()
    data = collections(options.cache)
    header = ["method", "strengths", *MEASURES]
    results: list[Result] = []
    for family in families():
        if not any(part in title for part in options.only for title in family.views):
            continue
        everything = family.scores(data[TRAINING])
        best: dict[str, int] = {}
        for title in family.views:
            scores, best[title] = honest(family.of_view(everything, title))
            results.append(Result(TRAINING, title, family.strengths, scores, data[TRAINING]))
            print(*row(results[-1]), sep=" | ", flush=True)
        for collection, names in data.items():
            if collection == TRAINING:
                continue
            for title, tried in family.views.items():
                fit = family.fits[best[title] // len(tried)]
                alone = Family({title: [tried[best[title] % len(tried)]]}, family.strengths, [fit])
                results.append(Result(collection, title, family.strengths, alone.scores(names)[0, 0], names))
    for collection, names in data.items():
        rows = [row(result) for result in results if result.collection == collection]
        print(f"\n### {collection}, {len(names)} name{'s' * (len(names) > 1)}\n\n" + table(header, rows), flush=True)
    print_kinds(results)
    print("\n### Published: WePS-1 test pages\n\n" + table(["method", *MEASURES[:3]], PUBLISHED))
    if options.figures:
        figures(data[TRAINING], options.figures)


def print_kinds(results: Sequence[Result]) -> None:
    """Table 2: the scores of KARC-S by where the names were taken from."""
    rows: list[tuple[object, ...]] = []
    for result in results:
        if not result.title.startswith("KARC-S") or len(result.names) == 1:
            continue
        kinds, rest = (TRAINING_KINDS, "US Census") if result.collection == TRAINING else (KINDS, "")
        kind_of = {name: kind for kind, listed in kinds.items() for name in listed.split()}
        for kind in sorted({kind_of.get(name.name, rest) for name in result.names}):
            inside = [i for i, name in enumerate(result.names) if kind_of.get(name.name, rest) == kind]
            people = np.mean([len(set().union(*result.names[i].gold.values())) for i in inside])
            title = f"{result.title} ({result.strengths})"
            means = map(float, result.scores[inside].mean(axis=0))
            rows.append((result.collection, kind, f"{people:.1f}", title, *means))
    rows.sort(key=lambda cells: (str(cells[0]), str(cells[1])))
    print("\n### By kind of name\n\n" + table(["collection", "kind", "people", "method", *MEASURES], rows), flush=True)


if __name__ == "__main__":
    main()
