"""Are certainties right: of the pairs of mentions that are called p certain to be one, how many are.

    CROSSDOC_DATA=… python experiments/reliability.py [FAMILY …] [--plot FILE.png]

The collections and forms are those of `fit.py`, resolved by `crossdoc.resolve` with default settings. Pairs are the
candidates whose gold is known; p is their strength. Within a collection each name counts the same (the name of the
first mention of a pair), however many pairs it has, within a family each collection, and in the pooled row each family.
An identity is right to the share of its pairs of labelled mentions that are one; each identity of two or more counts
the same within a collection.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from common import table
from fit import FAMILIES
from referee import SETS, Material, groups_of_names, table_rows
from result_pages import DOCS, Rows

import crossdoc
from crossdoc.names import fold
from crossdoc.web.look import SURE

BINS = np.linspace(0, 1, 11)
PLOT = DOCS / "figures" / "reliability.png"
POOLED = "all kinds, each counting the same"
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Judged:
    """Certainties, the share of each that is right, and their weights."""

    certainty: Floats
    right: Floats
    weight: Floats

    @classmethod
    def of_names(cls, certainty: npt.ArrayLike, right: npt.ArrayLike, name: npt.ArrayLike) -> Judged:
        """Every name counts the same, and all names together count 1.

        >>> Judged.of_names([0.5, 0.5, 1.0], [1, 0, 1], ["a", "a", "b"]).weight.tolist()
        [0.25, 0.25, 0.5]
        """
        _, of, times = np.unique(np.asarray(name), return_inverse=True, return_counts=True)
        weight = 1.0 / times[of] / max(len(times), 1)
        return cls(np.array(certainty, dtype=float), np.array(right, dtype=float), weight)

    @classmethod
    def pooled(cls, parts: Iterable[Judged]) -> Judged:
        """All parts, each counting the same."""
        filled = [part for part in parts if len(part.certainty)]
        if not filled:
            return cls(np.zeros(0), np.zeros(0), np.zeros(0))
        return cls(
            np.concatenate([part.certainty for part in filled]),
            np.concatenate([part.right for part in filled]),
            np.concatenate([part.weight / part.weight.sum() / len(filled) for part in filled]),
        )

    def bins(self) -> list[tuple[float, float, float, float]]:
        """(lower bound, mean certainty, share that is right, share of the weight) of each bin that is not empty.

        >>> four = Judged.of_names([0.05, 0.92, 0.94, 1.0], [0, 1, 0, 1], ["a", "b", "c", "d"])
        >>> [tuple(round(number, 2) for number in each) for each in four.bins()]
        [(0.0, 0.05, 0.0, 0.25), (0.9, 0.95, 0.67, 0.75)]
        """
        total, certain, right = (
            np.bincount(self._bin(), values, len(BINS) - 1)
            for values in (self.weight, self.weight * self.certainty, self.weight * self.right)
        )
        return [
            (float(BINS[b]), float(certain[b] / total[b]), float(right[b] / total[b]), float(total[b] / total.sum()))
            for b in np.flatnonzero(total)
        ]

    def error(self) -> float:
        """How far certainties are from the share that is right: the mean over bins (expected calibration error)."""
        gaps = np.bincount(self._bin(), self.weight * (self.certainty - self.right), len(BINS) - 1)
        return float(np.abs(gaps).sum() / self.weight.sum())

    def mean(self, of: Floats) -> float:
        return float((self.weight * of).sum() / self.weight.sum())

    def from_certainty(self, least: float) -> Judged:
        kept = self.certainty >= least
        return Judged(self.certainty[kept], self.right[kept], self.weight[kept])

    def _bin(self) -> npt.NDArray[np.intp]:
        return np.clip(np.searchsorted(BINS, self.certainty, "right") - 1, 0, len(BINS) - 2)


@dataclass(frozen=True)
class Reliability:
    pairs: Judged
    identities: Judged

    @classmethod
    def pooled(cls, parts: Sequence[Reliability]) -> Reliability:
        return cls(Judged.pooled(each.pairs for each in parts), Judged.pooled(each.identities for each in parts))

    def row(self) -> dict[str, Any]:
        sure = self.identities.from_certainty(SURE)
        found = {
            "pairs": len(self.pairs.certainty),
            "certainty of pairs": self.pairs.mean(self.pairs.certainty),
            "right": self.pairs.mean(self.pairs.right),
            "off by": self.pairs.error(),
        }
        if len(self.identities.certainty):
            found |= {
                "identities": len(self.identities.certainty),
                "certainty of identities": self.identities.mean(self.identities.certainty),
                "of their pairs right": self.identities.mean(self.identities.right),
                "identities off by": self.identities.error(),
            }
        return found | ({"called sure: right": sure.mean(sure.right)} if len(sure.certainty) else {})


def measured(material: Material, form: str) -> Reliability:
    """The pairs and identities of one collection in one form, over its groups of names."""
    certainty, right, name, names = [np.zeros(0)], [np.zeros(0)], [np.zeros(0, int)], dict[str, int]()
    identities, shares = [], []
    for number, part in enumerate(groups_of_names(material, form)):
        rows = table_rows(part, form)
        gold = {row.id: part.gold[row.id] for row in rows if row.id in part.gold}
        given = [{key: value for key, value in asdict(row).items() if value is not None} for row in rows]
        with crossdoc.resolve(given, processes=1) as answer:
            for evidence in answer.collection().values():
                entities = [gold.get(id, set()) for id in evidence.ids]
                known, found = np.array([bool(own) for own in entities]), evidence.candidates()
                kept = known[found.left] & known[found.right]
                pairs = zip(found.left[kept].tolist(), found.right[kept].tolist(), strict=True)
                spelt = (f"{number} {fold(each or '')}" for each in evidence.profiles.column("name").to_pylist())
                codes = np.array([names.setdefault(each, len(names)) for each in spelt], int)
                certainty.append(found.strength[kept].astype(float))
                right.append(np.array([bool(entities[a] & entities[b]) for a, b in pairs], float))
                name.append(codes[found.left[kept]])
            for identity in answer.identities():
                own = [gold[member.profile] for member in answer.members(identity) if member.profile in gold]
                if len(own) > 1:
                    identities.append(identity.certainty)
                    shares.append(share_of_pairs(own))
    judged = Judged.of_names(*(np.concatenate(each) for each in (certainty, right, name)))
    return Reliability(judged, Judged.of_names(identities, shares, np.arange(len(identities))))


def share_of_pairs(entities: Sequence[set[str]]) -> float:
    """The share of pairs that are one entity, by the first entity of each.

    >>> round(share_of_pairs([{"x"}, {"x"}, {"y"}]), 2)
    0.33
    """
    _, times = np.unique([min(own) for own in entities], return_counts=True)
    return float((times * (times - 1)).sum() / (len(entities) * (len(entities) - 1)))


def reliability(families: Iterable[str]) -> dict[str, Reliability]:
    """Each family, its cases counting the same, and all of them pooled."""
    found = {}
    for family in families:
        found[family] = Reliability.pooled([measured(SETS[name][0](), form) for name, form in FAMILIES[family]])
    return {**found, POOLED: Reliability.pooled(list(found.values()))}


def rows() -> Rows:
    """The rows of docs/results.md; the figure is drawn, too."""
    found = reliability(FAMILIES)
    plot(found, PLOT)
    return {name: each.row() for name, each in found.items()}


def plot(found: Mapping[str, Reliability], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 6))
    axes.plot([0, 1], [0, 1], color="#999", linewidth=1)
    for name, each in found.items():
        bins = each.pairs.bins()
        style = {"color": "black", "linewidth": 3} if name == POOLED else {"linewidth": 1}
        axes.plot([mean for _, mean, _, _ in bins], [right for *_, right, _ in bins], marker="o", label=name, **style)
    axes.set_xlabel("certainty that a pair is one")
    axes.set_ylabel("share that is one, each name counting the same")
    axes.legend(fontsize="small")
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("families", nargs="*", metavar="FAMILY", help=f"of {', '.join(FAMILIES)} (default: all)")
    parser.add_argument("--plot", type=Path)
    options = parser.parse_args()
    if unknown := [family for family in options.families if family not in FAMILIES]:
        parser.error(f"there is no family {unknown[0]}; there are {', '.join(FAMILIES)}")
    found = reliability(options.families or FAMILIES)
    for name, each in found.items():
        bins = [[f"{low:.1f}–{low + 0.1:.1f}", weight, mean, right] for low, mean, right, weight in each.pairs.bins()]
        print(f"\n### {name}: {each.row()}\n\n{table(['certainty', 'weight', 'mean', 'right'], bins)}", flush=True)
    if options.plot:
        plot(found, options.plot)


if __name__ == "__main__":
    main()
