"""Relation matrices for experiments/fuzzy_tables.py: every ambiguous name with its strengths and its gold.

Three kinds of strength for each name: `cosine` (of windows round the name), `context` (what the default model makes of
that cosine alone), and `seg` (the specialists of Huang et al. 2009, combined by SEG). What is learned from labels is
learned without the name at hand on WePS-1 training pages, and on all of them for every other collection.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from common import data
from corpora import john_smith, weps
from learn_threshold import cosines, weps_names
from scipy.special import expit
from specialists import Data, cached, described, grouped, load_john_smith, load_serif, load_weps, sets_of

from crossdoc.compare.ensemble import SEG, Calibration, Ensemble, calibrate
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.specialists import default_specialists
from crossdoc.compare.specialists.base import all_pairs
from crossdoc.compare.training import MOST_PAIRS, balanced, fit, labelled_pairs
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.model import Profiles

Matrix = npt.NDArray[np.float32]


@dataclass
class Name:
    """One ambiguous name: ids of its profiles, strengths of each kind, and the people each profile is about."""

    name: str
    ids: list[str]
    gold: dict[str, set[str]]
    strengths: dict[str, Matrix]


def square(n: int, strengths: npt.NDArray[np.float32]) -> Matrix:
    """The strengths of all pairs, in the order of `all_pairs`, as a matrix."""
    matrix = np.eye(n, dtype=np.float32)
    left, right = all_pairs([np.arange(n)]).T
    matrix[left, right] = matrix[right, left] = strengths
    return matrix


def weps_training(cache: Path | None) -> list[Name]:
    """The 49 training names; specialists calibrated and combined on the other 48."""
    given = load_weps(cache)
    names = []
    everything = Ensemble(default_specialists(), [], SEG())
    for rows in given.groups:
        ids = [str(given.profiles.ids[row]) for row in rows]
        names.append(Name(ids[0].split("/")[0], ids, {id: given.gold[id] for id in ids}, {}))
    scores = [everything.scores(given.profiles, all_pairs([rows])) for rows in given.groups]
    labelled = [_labels(given, rows) for rows in given.groups]
    for left_out, name in enumerate(names):
        others = [i for i in range(len(names)) if i != left_out]
        x = np.concatenate([scores[i][labelled[i][0]] for i in others])
        y = np.concatenate([labelled[i][1] for i in others])
        chosen = balanced(y, MOST_PAIRS, 0)
        x, y = x[chosen], y[chosen]
        calibrations = [Calibration.fit(x[:, i], y) for i in range(x.shape[1])]
        asleep = np.isnan(x).all(axis=1)
        default = (y[asleep].sum() + 1) / (asleep.sum() + 2)
        combine = SEG().fit(calibrate(x, calibrations), y)
        predicted = combine.predict(calibrate(scores[left_out], calibrations))
        name.strengths["seg"] = square(len(name.ids), np.where(np.isnan(predicted), default, predicted))
    by_name = {name.name: name for name in names}
    pages = list(weps.documents(data("weps1", "train")))
    for matrix, ids, _ in weps_names(pages, ContextVectoriser().fit([[page.text for page in pages]])):
        name = by_name[ids[0].split("/")[0]]
        order = [ids.index(id) for id in name.ids]
        add_contexts(name, matrix[np.ix_(order, order)])
    return names


def weps_contexts() -> list[Name]:
    """The 49 training names with the strengths of contexts alone, for which nothing has to be extracted."""
    pages = list(weps.documents(data("weps1", "train")))
    gold = sets_of(weps.gold(data("weps1", "train")))
    names = []
    for matrix, ids, _ in weps_names(pages, ContextVectoriser().fit([[page.text for page in pages]])):
        names.append(Name(ids[0].split("/")[0], ids, {id: gold[id] for id in ids}, {}))
        add_contexts(names[-1], matrix)
    return names


def add_contexts(name: Name, cosine: Matrix) -> None:
    name.strengths["cosine"] = cosine
    name.strengths["context"] = expit(LearnedModel.default().fields["context"](cosine))


def _labels(given: Data, rows: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Which of all pairs of a name are labelled, and how."""
    pairs = all_pairs([rows])
    kept, labels = labelled_pairs(given.profiles, given.gold, pairs)
    key = pairs[:, 0].astype(np.int64) * len(given.profiles) + pairs[:, 1]
    wanted = kept[:, 0].astype(np.int64) * len(given.profiles) + kept[:, 1]
    order = np.argsort(key)
    return order[np.searchsorted(key[order], wanted)], labels


def weps_snippets(cache: Path | None) -> Data:
    """The 30 test names: the search engine's titles and snippets, since the pages are not to be had."""
    folder = data("weps1", "test")
    gold = sets_of(weps.gold(folder))

    def make() -> Profiles:
        tables = []
        for name in weps.names(folder):
            snippets = [page for page in weps.documents(folder, name) if page.id in gold]
            tables.append(described(snippets, name.replace("_", " ")))
        return Profiles(pa.concat_tables(tables))

    profiles = cached(cache and cache / "weps_test.parquet", make)
    return Data(profiles, gold, grouped(profiles, lambda id: id.split("/")[0]))


def of_other(given: Data, title: str, ensemble: Ensemble, words: ContextVectoriser) -> list[Name]:
    """Strengths from an ensemble that was learned on all of WePS-1 training."""
    names = []
    vectors = words.transform(given.profiles)
    for rows in given.groups:
        ids = [str(given.profiles.ids[row]) for row in rows]
        pairs = all_pairs([rows])
        strengths = {"seg": square(len(rows), ensemble.strengths(given.profiles, pairs))}
        label = ids[0].split("/")[0] if len(given.groups) > 1 else title
        names.append(Name(label, ids, {id: given.gold[id] for id in ids}, strengths))
        add_contexts(names[-1], vectors.cosine(rows))
    return names


def collections(cache: Path | None) -> dict[str, list[Name]]:
    """All four collections, from the cache if an earlier run left them there."""
    path = cache and cache / "fuzzy_matrices.pickle"
    if path and path.exists():
        return pickle.loads(path.read_bytes())
    training = load_weps(cache)
    ensemble = fit(training.profiles, training.gold, default_specialists(), training.groups)
    snippets = weps_snippets(cache)
    texts: Sequence[str] = [page.text for page in weps.documents(data("weps1", "test"))]
    articles = list(john_smith.documents(data("john_smith")))
    news = ContextVectoriser().fit([[article.text for article in articles]])
    found = {
        "WePS-1 training": weps_training(cache),
        "WePS-1 test snippets": of_other(snippets, "", ensemble, ContextVectoriser().fit([texts])),
        "John Smith": of_other(load_john_smith(cache), "John_Smith", ensemble, news),
        "John Smith, SERIF's": of_other(load_serif(cache), "John_Smith", ensemble, news),
    }
    smith = found["John Smith"][0]
    ids = [article.id for article in articles]
    order = [ids.index(id) for id in smith.ids]
    add_contexts(smith, cosines(articles, "John Smith", news)[np.ix_(order, order)])
    if path:
        path.write_bytes(pickle.dumps(found))
    return found
