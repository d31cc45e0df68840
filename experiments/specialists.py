"""How good each specialist is, and whether their ensemble beats the best of them.

    CROSSDOC_DATA=… python experiments/specialists.py [--only NAME …] [--cache FOLDER] [--figures FOLDER]
    CROSSDOC_DATA=… python experiments/specialists.py --clusters

Pairs of profiles that share an ambiguous name (WePS-1, John Smith, ArnetMiner) or are candidates (PatentsView). What is
learned is learned on other names: five folds over the names, or on WePS-1 for John Smith. A sleeping specialist counts
as undecided. Figures: areas under the ROC and the precision-recall curve, over all labelled pairs. --clusters learns on
WePS-1 and clusters John Smith: B³ at the learned threshold (honest) and at the best one (oracle).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
from common import data, table
from corpora import arnetminer, john_smith, patentsview, serif, weps
from sklearn.metrics import average_precision_score, precision_recall_curve, roc_auc_score, roc_curve

from crossdoc.compare.blocking import blocks, candidates
from crossdoc.compare.ensemble import SEG, Calibration, Ensemble, calibrate
from crossdoc.compare.specialists import Specialist, default_specialists
from crossdoc.compare.specialists.base import all_pairs
from crossdoc.compare.training import FOLDS, MOST_PAIRS, THRESHOLDS, balanced, labelled_pairs, threshold_curves, train
from crossdoc.model import Document, Documents, Profiles
from crossdoc.run.reading import extractor_for
from crossdoc.settings import Settings

COMBINED = "SEG"
"""The ensemble, among the predictions of the specialists."""
MOST_TEST_PAIRS = 200_000
"""In one fold, drawn at random."""
PATENTSVIEW_UNTIL = "2021-12-31"
"""All patents of the inventors that were disambiguated by hand are labelled up to here; of later ones, few."""
Gold = dict[str, set[str]]
Groups = list[npt.NDArray[Any]]


@dataclass
class Data:
    """Profiles with gold, in groups within which pairs are made; `other` is what they are learned on, if not folds."""

    profiles: Profiles
    gold: Gold
    groups: Groups
    other: Data | None = None
    pairs: npt.NDArray[np.int32] | None = None
    """Pairs to keep to, where not all of a group are wanted."""

    def labelled(self, groups: Groups) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
        if self.pairs is None:
            return labelled_pairs(self.profiles, self.gold, all_pairs(groups))
        inside = np.zeros(len(self.profiles), dtype=bool)
        inside[np.concatenate(groups)] = True
        return labelled_pairs(self.profiles, self.gold, self.pairs[inside[self.pairs].all(axis=1)])


def sets_of(gold: pa.Table) -> Gold:
    found: Gold = {}
    for id, entity in zip(gold["id"].to_pylist(), gold["entity"].to_pylist(), strict=True):
        found.setdefault(id, set()).add(entity)
    return found


def grouped(profiles: Profiles, group_of: Callable[[str], str]) -> list[npt.NDArray[Any]]:
    _, code = np.unique([group_of(id) for id in profiles.ids], return_inverse=True)
    return [np.flatnonzero(code == number) for number in range(code.max() + 1)]


def cached(path: Path | None, make: Callable[[], Profiles]) -> Profiles:
    """Profiles from a file of an earlier run, or made now."""
    if path is not None and path.exists():
        return Profiles(pq.read_table(path))
    profiles = make()
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(profiles.arrow, path)
    return profiles


def described(documents: Sequence[Document], name: str) -> pa.Table:
    """One profile a document for a name, with attributes and relations from our own extraction."""
    extractor = extractor_for(Settings(), name, b"experiment", describe=True)
    return extractor.extract(Documents.of(documents))[1].arrow


def load_weps(cache: Path | None) -> Data:
    folder = data("weps1", "train")
    gold = sets_of(weps.gold(folder))

    def make() -> Profiles:
        tables = []
        for name in weps.names(folder):
            pages = [page for page in weps.documents(folder, name) if page.id in gold]
            tables.append(described(pages, name.replace("_", " ")))
        return Profiles(pa.concat_tables(tables))

    profiles = cached(cache and cache / "weps.parquet", make)
    return Data(profiles, gold, grouped(profiles, lambda id: id.split("/")[0]))


def load_john_smith(cache: Path | None) -> Data:
    folder = data("john_smith")
    profiles = cached(
        cache and cache / "john_smith.parquet",
        lambda: Profiles(described(list(john_smith.documents(folder)), "John Smith")),
    )
    return Data(profiles, sets_of(john_smith.gold(folder)), [np.arange(len(profiles))], load_weps(cache))


def load_serif(cache: Path | None) -> Data:
    path = data("john_smith_serif.jsonl.xz")
    profiles = Profiles.of(serif.profiles(path, name="John Smith"))
    gold = sets_of(serif.gold(path, name="John Smith"))
    return Data(profiles, gold, [np.arange(len(profiles))], load_weps(cache))


def load_arnetminer(cache: Path | None) -> Data:
    folder = data("arnetminer")
    profiles = Profiles.of(arnetminer.profiles(folder))
    return Data(profiles, sets_of(arnetminer.gold(folder)), grouped(profiles, lambda id: id.split("/")[0]))


def load_patentsview(cache: Path | None) -> Data:
    """Candidate pairs of which at least one is labelled.

    Two labelled mentions with names that agree are one inventor but for four pairs, so what is not labelled is needed:
    since all patents of a labelled inventor are labelled, it is somebody else's. Of 735,222 such pairs 1,083 share
    both the full name and a co-inventor and are probably mistakes; how many others there are is not known.
    """
    folder = data("patentsview")
    gold = sets_of(patentsview.gold(folder))
    dates = pq.read_table(folder / "mentions.parquet", columns=["mention_id", "patent_date"]).to_pydict()
    kept = {id for id, date in zip(*dates.values(), strict=True) if date <= PATENTSVIEW_UNTIL}
    everyone = Profiles.of(profile for profile in patentsview.profiles(folder) if profile.id in kept)
    known = np.array([id in gold for id in everyone.ids])
    pairs = np.concatenate([portion[known[portion].any(axis=1)] for portion in candidates(everyone)])
    rows, numbered = np.unique(pairs, return_inverse=True)
    profiles = everyone.take(rows)
    labelled = {str(id): gold.get(id, {f"not labelled: {id}"}) for id in profiles.ids}
    groups = [rows for rows in blocks(profiles) if len(rows) > 1]
    return Data(profiles, labelled, groups, pairs=numbered.reshape(-1, 2).astype(np.int32))


LOADERS = {
    "weps": load_weps,
    "john-smith": load_john_smith,
    "john-smith-serif": load_serif,
    "arnetminer": load_arnetminer,
    "patentsview": load_patentsview,
}


@dataclass
class Outcome:
    """Held-out predictions of every specialist and of their ensemble over the same labelled pairs."""

    labels: npt.NDArray[np.float64]
    awake: npt.NDArray[np.float64]
    predictions: dict[str, npt.NDArray[np.float64]]
    weights: npt.NDArray[np.float64]


def evaluate(given: Data, specialists: list[Specialist[Any]], seed: int = 0) -> Outcome:
    if given.other is not None:
        return together([held_out(given.other, given.other.groups, given, given.groups, specialists, seed)])
    fold_of = np.random.default_rng(seed).permutation(len(given.groups)) % FOLDS
    parts = []
    for fold in range(FOLDS):
        inside = [rows for rows, number in zip(given.groups, fold_of, strict=True) if number != fold]
        outside = [rows for rows, number in zip(given.groups, fold_of, strict=True) if number == fold]
        parts.append(held_out(given, inside, given, outside, specialists, seed))
    return together(parts)


def held_out(
    learn: Data, learn_groups: Groups, test: Data, test_groups: Groups, specialists: list[Specialist[Any]], seed: int
) -> Outcome:
    pairs, labels = learn.labelled(learn_groups)
    chosen = balanced(labels, MOST_PAIRS, seed)
    scores = scored(learn.profiles, specialists, pairs[chosen])
    test_pairs, test_labels = test.labelled(test_groups)
    if len(test_pairs) > MOST_TEST_PAIRS:
        kept = np.sort(np.random.default_rng(seed).choice(len(test_pairs), MOST_TEST_PAIRS, replace=False))
        test_pairs, test_labels = test_pairs[kept], test_labels[kept]
    test_scores = scored(test.profiles, specialists, test_pairs)
    maps = [Calibration.identity() for _ in specialists]
    ensemble = Ensemble(specialists, maps, SEG(seed=seed)).learn(scores, labels[chosen])
    predictions = {COMBINED: ensemble.combined(test_scores)}
    weights = np.array(ensemble.to_file().weights)
    probabilities = calibrate(test_scores, ensemble.calibrations)
    for i, specialist in enumerate(specialists):
        predictions[specialist.name] = np.where(np.isnan(probabilities[:, i]), 0.5, probabilities[:, i])
    return Outcome(test_labels, (~np.isnan(test_scores)).mean(axis=0), predictions, weights)


_scorers: dict[int, Ensemble] = {}


def scored(
    profiles: Profiles, specialists: list[Specialist[Any]], pairs: npt.NDArray[np.int32]
) -> npt.NDArray[np.float64]:
    """Raw scores; a table is encoded once for all folds, since that needs no labels."""
    maps = [Calibration.identity() for _ in specialists]
    scorer = _scorers.setdefault(id(profiles), Ensemble(specialists, maps, SEG()))
    return scorer.scores(profiles, pairs)


def together(parts: Sequence[Outcome]) -> Outcome:
    sizes = np.array([len(part.labels) for part in parts], dtype=float)
    return Outcome(
        np.concatenate([part.labels for part in parts]),
        np.average([part.awake for part in parts], axis=0, weights=sizes),
        {name: np.concatenate([part.predictions[name] for part in parts]) for name in parts[0].predictions},
        np.mean([part.weights for part in parts], axis=0),
    )


def show(name: str, outcome: Outcome) -> None:
    alone = [each for each in outcome.predictions if each != COMBINED]
    rows: list[tuple[object, ...]] = []
    for i, each in enumerate(alone):
        if outcome.awake[i] == 0:
            continue
        rows.append((each, f"{outcome.awake[i]:.1%}", *areas(outcome, each), float(outcome.weights[i])))
    rows.sort(key=lambda row: -float(str(row[2])))
    rows.append((f"**{COMBINED}**", "", *areas(outcome, COMBINED), ""))
    share = outcome.labels.mean()
    print(f"\n### {name}: {len(outcome.labels):,} pairs, {share:.1%} of them one entity\n")
    print(table(["specialist", "awake", "ROC", "PR", "SEG weight"], rows), flush=True)


def areas(outcome: Outcome, name: str) -> tuple[float, float]:
    predictions = outcome.predictions[name]
    return float(roc_auc_score(outcome.labels, predictions)), float(
        average_precision_score(outcome.labels, predictions)
    )


def draw(name: str, outcome: Outcome, folder: Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    matplotlib.rcParams["svg.fonttype"] = "none"
    matplotlib.rcParams["svg.hashsalt"] = "crossdoc"
    folder.mkdir(parents=True, exist_ok=True)
    ranked = sorted((n for n in outcome.predictions if n != COMBINED), key=lambda n: -areas(outcome, n)[0])
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
    for each in (COMBINED, *ranked[:2]):
        predictions = outcome.predictions[each]
        left.plot(*thinned(*roc_curve(outcome.labels, predictions)[:2]), label=each)
        precision, recall, _ = precision_recall_curve(outcome.labels, predictions)
        right.plot(*thinned(recall, precision), label=each)
    left.set(title=f"{name}: ROC", xlabel="false positives", ylabel="true positives")
    right.set(title="precision and recall", xlabel="recall", ylabel="precision", ylim=(0, 1.02))
    left.legend()
    figure.savefig(folder / f"specialists-{name}.svg", metadata={"Date": None})
    plt.close(figure)


def thinned(x: npt.NDArray[Any], y: npt.NDArray[Any], most: int = 200) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Points evenly along the curve, the first and the last among them."""
    along = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(x), np.diff(y)))])
    kept = np.unique(np.searchsorted(along, np.linspace(0, along[-1], most)).clip(0, len(x) - 1))
    kept = np.union1d(kept, [0, len(x) - 1])
    return x[kept], y[kept]


def clusters(cache: Path | None, specialists: list[Specialist[Any]]) -> None:
    """B³ of John Smith with what was learned on WePS-1."""
    given = load_john_smith(cache)
    assert given.other is not None
    rows = []
    other = given.other
    model = train(other.profiles, other.gold, specialists, groups=other.groups)
    assert model.ensemble is not None
    ensemble = Ensemble.from_file(model.ensemble, specialists)
    curves = threshold_curves(ensemble, given.profiles, given.groups[0], given.gold)
    for method, curve in curves.items():
        honest = curve[np.abs(THRESHOLDS - model.threshold[method]).argmin()]
        rows.append((method, model.threshold[method], float(honest), float(curve.max())))
    print(f"\n### john-smith clustered, {len(specialists)} specialists learned on WePS-1\n")
    print(table(["method", "threshold", "B³ honest", "B³ oracle"], rows), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=list(LOADERS), default=list(LOADERS))
    parser.add_argument("--cache", type=Path, help="keep extracted profiles here for the next run")
    parser.add_argument("--figures", type=Path, help="draw the curves into this folder")
    parser.add_argument("--clusters", action="store_true", help="B³ of John Smith instead of areas")
    options = parser.parse_args()
    specialists = default_specialists()
    if options.clusters:
        clusters(options.cache, specialists)
        return
    for name in options.only:
        outcome = evaluate(LOADERS[name](options.cache), specialists)
        show(name, outcome)
        if options.figures:
            draw(name, outcome, options.figures)


if __name__ == "__main__":
    main()
