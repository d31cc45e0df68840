"""Are certainties right: of the pairs of profiles that are called p certain to be one, how many are.

    CROSSDOC_DATA=… python experiments/reliability.py [SET …] [--part build] [--plot FILE.png] [--once]

Pairs are the candidates of the default's evidence whose gold is known; p is their strength. `of names` counts each name
the same (the first profile's), however many pairs it has: one famous person would be most of the pairs otherwise.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from common import table
from labelled import PARTS, Labelled, load
from labelled_sets import SOURCES

from crossdoc.names import fold

BINS = np.linspace(0, 1, 11)
MAIN = ("sample", "john-smith", "weps-windows-alone", "reuters-people", "aida-testa", "arnetminer")
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Pairs:
    """How certain each pair was said to be one, whether it is, and by which name it counts."""

    certainty: Floats
    same: npt.NDArray[np.bool_]
    name: npt.NDArray[np.object_]

    def weight(self) -> Floats:
        """Of each pair, so that all names together count the same."""
        _, of, times = np.unique(self.name.astype(str), return_inverse=True, return_counts=True)
        return 1.0 / times[of]


def pairs_of(labelled: Labelled) -> Pairs:
    """The candidates of each collection and type whose gold is known."""
    certainty, same, names = [np.zeros(0)], [np.zeros(0, bool)], [np.zeros(0, object)]
    for evidence in (each for collection in labelled.collections for each in collection.evidence()):
        gold = [labelled.gold.get(id) for id in evidence.ids]
        known = np.array([own is not None for own in gold])
        found = evidence.candidates()
        kept = known[found.left] & known[found.right]
        left, right = found.left[kept], found.right[kept]
        spelt = np.array([fold(profile.name) for profile in evidence.profiles], dtype=object)
        certainty.append(found.strength[kept].astype(np.float64))
        same.append(np.array([bool(gold[a] & gold[b]) for a, b in zip(left, right, strict=True)], bool))  # type: ignore[operator]
        names.append(spelt[left])
    return Pairs(np.concatenate(certainty), np.concatenate(same), np.concatenate(names))


def binned(pairs: Pairs, weight: Floats | None = None) -> list[tuple[float, float, float, int]]:
    """(from, mean certainty, share that is right, pairs) of each bin that has a pair.

    >>> names = np.array(["a", "a", "b", "b"], object)
    >>> four = Pairs(np.array([0.05, 0.92, 0.94, 1.0]), np.array([False, True, False, True]), names)
    >>> [(round(low, 1), round(mean, 2), round(share, 2), n) for low, mean, share, n in binned(four)]
    [(0.0, 0.05, 0.0, 1), (0.9, 0.95, 0.67, 3)]
    """
    weight = np.ones(len(pairs.certainty)) if weight is None else weight
    place = np.clip(np.searchsorted(BINS, pairs.certainty, "right") - 1, 0, len(BINS) - 2)
    total, certain, right = (
        np.bincount(place, values, len(BINS) - 1) for values in (weight, weight * pairs.certainty, weight * pairs.same)
    )
    count = np.bincount(place, minlength=len(BINS) - 1)
    return [
        (float(BINS[b]), float(certain[b] / total[b]), float(right[b] / total[b]), int(count[b]))
        for b in np.flatnonzero(count)
    ]


def off(pairs: Pairs, weight: Floats | None = None) -> float:
    """How far certainties are from what is right, on average (the expected calibration error)."""
    weight = np.ones(len(pairs.certainty)) if weight is None else weight
    place = np.clip(np.searchsorted(BINS, pairs.certainty, "right") - 1, 0, len(BINS) - 2)
    gaps = np.bincount(place, weight * (pairs.certainty - pairs.same), len(BINS) - 1)
    return float(np.abs(gaps).sum() / weight.sum())


def shown(pairs: Pairs) -> str:
    by_name = {low: (mean, share) for low, mean, share, _ in binned(pairs, pairs.weight())}
    rows = [
        [f"{low:.1f}–{low + 0.1:.1f}", count, mean, share, *by_name[low]] for low, mean, share, count in binned(pairs)
    ]
    header = ["certainty", "pairs", "mean", "right", "mean, of names", "right, of names"]
    summary = f"off by {off(pairs):.3f} on average, of names by {off(pairs, pairs.weight()):.3f}"
    return f"{table(header, rows)}\n\n{summary}"


def plot(found: dict[str, Pairs], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(5, 5))
    axes.plot([0, 1], [0, 1], color="#999", linewidth=1)
    for name, pairs in found.items():
        bins = binned(pairs, pairs.weight())
        axes.plot([mean for _, mean, _, _ in bins], [share for *_, share, _ in bins], marker="o", label=name)
    axes.set_xlabel("certainty that a pair is one")
    axes.set_ylabel("share that is one, each name counting the same")
    axes.legend(fontsize="small")
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", metavar="SET", default=list(MAIN))
    parser.add_argument("--part", choices=list(PARTS), default="build")
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--once", action="store_true", help="look at `once`, and write into docs/once.md that you did")
    options = parser.parse_args()
    if unknown := [name for name in options.sets if name not in SOURCES]:
        parser.error(f"there is no set {unknown[0]}; there are {', '.join(SOURCES)}")
    found = reliability(options.sets, options.part, once=options.once)
    if options.plot:
        plot(found, options.plot)


def reliability(sets: Sequence[str], part: str, *, once: bool = False) -> dict[str, Pairs]:
    found = {}
    for name in sets:
        labelled = load(name, part, once=once)  # type: ignore[arg-type]
        if labelled.gold:
            found[name] = pairs_of(labelled)
            print(f"\n### {name}, {part}\n\n{shown(found[name])}", flush=True)
    return found


if __name__ == "__main__":
    main()
