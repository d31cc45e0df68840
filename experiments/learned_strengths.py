"""Clustering on learned strengths: trained on WePS-1, tried on names left out and on John Smith.

    CROSSDOC_DATA=… python experiments/learned_strengths.py [--cache FOLDER]

Extended B³ F1. WePS-1: five folds over the names, ensemble from the other names, threshold from the fold means of the
other folds' names. John Smith: ensemble and threshold from all of WePS-1 (honest), or the best threshold (oracle).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from common import table
from specialists import Data, load_john_smith, load_serif, load_weps

from crossdoc.compare.ensemble import Ensemble
from crossdoc.compare.specialists import default_specialists
from crossdoc.compare.training import FOLDS, LINKAGES, THRESHOLDS, fit, threshold_curves


def weps_curves(given: Data, seed: int = 0) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """B³ at each threshold of every name, under an ensemble that has not seen it; and each name's fold."""
    fold_of = np.random.default_rng(seed).permutation(len(given.groups)) % FOLDS
    curves: dict[str, list[np.ndarray]] = {name: [] for name in LINKAGES}
    folds = []
    for fold in range(FOLDS):
        train = [rows for rows, number in zip(given.groups, fold_of, strict=True) if number != fold]
        ensemble = fit(given.profiles, given.gold, default_specialists(), train, seed=seed)
        for rows, number in zip(given.groups, fold_of, strict=True):
            if number == fold:
                found = threshold_curves(ensemble, given.profiles, rows, given.gold)
                if found:
                    folds.append(fold)
                    for name, curve in found.items():
                        curves[name].append(curve)
    return {name: np.array(values) for name, values in curves.items()}, np.array(folds)


def left_out(curves: np.ndarray, folds: np.ndarray) -> np.ndarray:
    """Each name's B³ at the threshold that is best for the names of the other folds."""
    return np.array(
        [curve[curves[folds != fold].mean(axis=0).argmax()] for curve, fold in zip(curves, folds, strict=True)]
    )


def rows(cache: Path | None) -> Iterator[tuple[object, ...]]:
    """Method, threshold; WePS-1 and its standard error; John Smith and SERIF's, each honest and oracle."""
    weps, smith, serif = (load(cache) for load in (load_weps, load_john_smith, load_serif))
    curves, folds = weps_curves(weps)
    ensemble: Ensemble = fit(weps.profiles, weps.gold, default_specialists(), weps.groups)
    on_smith, on_serif = (
        threshold_curves(ensemble, given.profiles, given.groups[0], given.gold) for given in (smith, serif)
    )
    for name in LINKAGES:
        best = int(curves[name].mean(axis=0).argmax())
        scores = left_out(curves[name], folds)
        yield (
            name,
            float(THRESHOLDS[best]),
            float(scores.mean()),
            float(scores.std(ddof=1) / np.sqrt(len(scores))),
            float(on_smith[name][best]),
            float(on_smith[name].max()),
            float(on_serif[name][best]),
            float(on_serif[name].max()),
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, help="where experiments/specialists.py keeps extracted profiles")
    options = parser.parse_args()
    header = ["method", "threshold", "WePS-1", "±", "John Smith", "(oracle)", "SERIF's", "(oracle)"]
    print("Extended B³ F1\n" + table(header, list(rows(options.cache))))


if __name__ == "__main__":
    main()
