"""How good each specialist is, and whether the ensemble beats the best of them.

    CROSSDOC_DATA=… python experiments/specialists.py [--only arnetminer …] [--cache FOLDER] [--figures FOLDER]

Pairs of profiles that share an ambiguous name (WePS-1, John Smith, ArnetMiner) or a block (PatentsView). What is
learned is learned on other names: five folds over the names, or on WePS-1 for John Smith. A sleeping specialist counts
as undecided. Figures: areas under the ROC and the precision-recall curve, over all labelled pairs.
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
from sklearn.metrics import average_precision_score, precision_recall_curve, roc_auc_score, roc_curve

from crossdoc.compare.blocking import blocks
from crossdoc.compare.calibration import calibrate
from crossdoc.compare.ensemble import Ensemble
from crossdoc.compare.pairs import all_pairs, balanced, labelled_pairs
from crossdoc.compare.specialists import default_specialists
from crossdoc.compare.training import FOLDS, MOST_PAIRS, make_learner
from crossdoc.extract import extractor_for
from crossdoc.model import Document, Documents, Profiles
from crossdoc.read.corpora import arnetminer, john_smith, patentsview, serif, weps
from crossdoc.settings import Settings

LEARNERS = ("seg", "boosted")
MOST_TEST_PAIRS = 400_000
Gold = dict[str, set[str]]


@dataclass
class Data:
    """Profiles with gold, in groups within which pairs are made; `other` is what they are learned on, if not folds."""

    profiles: Profiles
    gold: Gold
    groups: list[npt.NDArray[Any]]
    other: Data | None = None


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
    folder = data("patentsview")
    gold = sets_of(patentsview.gold(folder))
    profiles = Profiles.of(profile for profile in patentsview.profiles(folder) if profile.id in gold)
    return Data(profiles, gold, [rows for rows in blocks(profiles) if len(rows) > 1])


LOADERS = {
    "weps": load_weps,
    "john-smith": load_john_smith,
    "john-smith-serif": load_serif,
    "arnetminer": load_arnetminer,
    "patentsview": load_patentsview,
}


@dataclass
class Outcome:
    """Held-out predictions of every specialist and learner over the same labelled pairs."""

    labels: npt.NDArray[np.float64]
    awake: npt.NDArray[np.float64]
    predictions: dict[str, npt.NDArray[np.float64]]
    weights: npt.NDArray[np.float64]


def evaluate(given: Data, seed: int = 0) -> Outcome:
    if given.other is not None:
        return together([held_out(given.other, given.other.groups, given, given.groups, seed)])
    fold_of = np.random.default_rng(seed).permutation(len(given.groups)) % FOLDS
    parts = []
    for fold in range(FOLDS):
        train = [rows for rows, number in zip(given.groups, fold_of, strict=True) if number != fold]
        test = [rows for rows, number in zip(given.groups, fold_of, strict=True) if number == fold]
        parts.append(held_out(given, train, given, test, seed))
    return together(parts)


def held_out(train: Data, train_groups: Any, test: Data, test_groups: Any, seed: int) -> Outcome:
    specialists = default_specialists()
    pairs, labels = labelled_pairs(train.profiles, train.gold, all_pairs(train_groups))
    chosen = balanced(labels, MOST_PAIRS, seed)
    test_pairs, test_labels = labelled_pairs(test.profiles, test.gold, all_pairs(test_groups))
    if len(test_pairs) > MOST_TEST_PAIRS:
        kept = np.random.default_rng(seed).choice(len(test_pairs), MOST_TEST_PAIRS, replace=False)
        test_pairs, test_labels = test_pairs[kept], test_labels[kept]
    predictions: dict[str, npt.NDArray[np.float64]] = {}
    weights = np.zeros(len(specialists))
    awake = np.zeros(len(specialists))
    for learner in LEARNERS:
        ensemble = Ensemble.train(
            specialists,
            train.profiles,
            pairs[chosen],
            labels[chosen],
            make_learner(learner, seed),  # type: ignore[arg-type]
        )
        scores = ensemble.scores(test.profiles, test_pairs)
        probabilities = calibrate(scores, ensemble.calibrations)
        told = ensemble.learner.predict(probabilities)
        predictions[learner] = np.where(np.isnan(told), ensemble.default_strength, told)
        if learner == "seg":
            weights = ensemble.to_file().weights  # type: ignore[assignment]
            awake = (~np.isnan(scores)).mean(axis=0)
            for i, specialist in enumerate(specialists):
                predictions[specialist.name] = np.where(np.isnan(probabilities[:, i]), 0.5, probabilities[:, i])
    return Outcome(test_labels, np.asarray(awake), predictions, np.asarray(weights))


def together(parts: Sequence[Outcome]) -> Outcome:
    sizes = np.array([len(part.labels) for part in parts], dtype=float)
    return Outcome(
        np.concatenate([part.labels for part in parts]),
        np.average([part.awake for part in parts], axis=0, weights=sizes),
        {name: np.concatenate([part.predictions[name] for part in parts]) for name in parts[0].predictions},
        np.mean([part.weights for part in parts], axis=0),
    )


def show(name: str, outcome: Outcome) -> None:
    names = [specialist.name for specialist in default_specialists()]
    rows: list[tuple[object, ...]] = []
    for i, each in enumerate(names):
        if outcome.awake[i] == 0:
            continue
        rows.append((each, f"{outcome.awake[i]:.1%}", *areas(outcome, each), float(outcome.weights[i])))
    rows.sort(key=lambda row: -float(str(row[2])))
    for learner in LEARNERS:
        rows.append((f"**{learner}**", "", *areas(outcome, learner), ""))
    share = outcome.labels.mean()
    print(f"\n### {name}: {len(outcome.labels):,} pairs, {share:.1%} of them one entity\n")
    print(table(["specialist", "awake", "ROC", "PR", "SEG weight"], rows), flush=True)


def areas(outcome: Outcome, name: str) -> tuple[float, float]:
    told = outcome.predictions[name]
    return float(roc_auc_score(outcome.labels, told)), float(average_precision_score(outcome.labels, told))


def draw(name: str, outcome: Outcome, folder: Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    folder.mkdir(parents=True, exist_ok=True)
    best = max((n for n in outcome.predictions if n not in LEARNERS), key=lambda n: areas(outcome, n)[0])
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
    for each in (*LEARNERS, best, "context"):
        told = outcome.predictions[each]
        left.plot(*roc_curve(outcome.labels, told)[:2], label=each)
        precision, recall, _ = precision_recall_curve(outcome.labels, told)
        right.plot(recall, precision, label=each)
    left.set(title=f"{name}: ROC", xlabel="false positives", ylabel="true positives")
    right.set(title="precision and recall", xlabel="recall", ylabel="precision")
    left.legend()
    figure.savefig(folder / f"specialists-{name}.svg")
    plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=list(LOADERS), default=list(LOADERS))
    parser.add_argument("--cache", type=Path, help="keep extracted profiles here for the next run")
    parser.add_argument("--figures", type=Path, help="draw the curves into this folder")
    options = parser.parse_args()
    for name in options.only:
        outcome = evaluate(LOADERS[name](options.cache))
        show(name, outcome)
        if options.figures:
            draw(name, outcome, options.figures)


if __name__ == "__main__":
    main()
