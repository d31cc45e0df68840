"""Training from labelled profiles: weights of specialists and thresholds of clustering.

Pairs are labelled by gold over profiles, balanced, and never within one document.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy.cluster.hierarchy import fcluster, linkage

from crossdoc import errors
from crossdoc.compare.blocking import blocks
from crossdoc.compare.ensemble import SEG, Ensemble
from crossdoc.compare.learned import LearnedModel, unread_evidence, unread_notes
from crossdoc.compare.specialists import kernels
from crossdoc.compare.specialists.base import Pairs, SparseRows, Specialist, all_pairs, codes_of, lists
from crossdoc.model import Profiles
from crossdoc.progress import Progress, Quiet
from crossdoc.scoring import Assignment, align, b_cubed_extended

MOST_PAIRS = 32_000
"""Pairs, as many as Huang et al. 2009 drew from WePS-1 training."""
FOLDS = 5
THRESHOLDS = np.arange(0.05, 0.96, 0.025)
LINKAGES: dict[str, Literal["average", "single", "complete"]] = {
    "average-linkage": "average",
    "single-linkage": "single",
    "complete-linkage": "complete",
}
Gold = Mapping[str, set[str]]
Blocks = Sequence[npt.NDArray[Any]]


def train(
    profiles: Profiles,
    gold: Gold,
    specialists: Sequence[Specialist[Any]],
    *,
    source: str = "the user's gold",
    groups: Blocks | None = None,
    most_pairs: int = MOST_PAIRS,
    seed: int = 0,
    progress: Progress | None = None,
) -> LearnedModel:
    """A model from profiles and the entities they belong to.

    The ensemble is learned on a balanced sample of the labelled pairs. The thresholds are chosen by extended B³ on
    groups of profiles (blocks, or the `groups` given: one for each ambiguous name) whose ensemble was learned on the
    others.

    Parameters
    ----------
    profiles : Profiles
        The profiles.
    gold : mapping[str, set[str]]
        The entities that each labelled profile belongs to.
    specialists : Sequence[Specialist[Any]]
        Those that may count.
    source : str, default "the user's gold"
        What the data are called in the model.
    groups : iterable of ndarray or None, default None
        Groups of profiles that are compared, such as one for each ambiguous name; None is blocks.
    most_pairs : int, default 32000
        Maximum number of labelled pairs to learn from.
    seed : int, default 0
        Random seed.
    progress : Progress or None, default None
        Where progress is reported; None reports nothing.

    Returns
    -------
    LearnedModel
        A model, for `resolve` after `save`.

    Examples
    --------
    >>> from crossdoc import Profile, specialist
    >>> @specialist("same_language")
    ... def same_language(a: Profile, b: Profile) -> float | None:
    ...     return float(a.language == b.language)
    >>> both = [(name, tongue) for name in ("Ann Lee", "Bo Li") for tongue in ("en", "fr")]
    >>> rows = [(f"{name}{tongue}{n}", name, tongue) for name, tongue in both for n in (0, 1)]
    >>> people = Profiles.of(Profile(id, id, name, "person", language=tongue) for id, name, tongue in rows)
    >>> gold = {id: {name + tongue} for id, name, tongue in rows}
    >>> model = train(people, gold, [same_language])
    >>> model.ensemble is not None
    True
    """
    report = progress or Quiet()
    for note in unread_notes(unread_evidence(profiles, specialists), specialists):
        report.note(note)
    found = [rows for rows in (groups if groups is not None else blocks(profiles)) if len(rows) > 1]
    report.start("learning thresholds", FOLDS)
    curves: dict[str, list[npt.NDArray[np.float64]]] = {name: [] for name in LINKAGES}
    random = np.random.default_rng(seed)
    fold_of = random.permutation(len(found)) % FOLDS
    for fold in range(min(FOLDS, len(found))):
        inside = [rows for rows, number in zip(found, fold_of, strict=True) if number != fold]
        outside = [rows for rows, number in zip(found, fold_of, strict=True) if number == fold]
        try:
            ensemble = fit(profiles, gold, specialists, inside, most_pairs, seed)
        except errors.InputError:
            continue
        for rows in outside:
            for name, curve in threshold_curves(ensemble, profiles, rows, gold).items():
                curves[name].append(curve)
        report.advance()
    report.start("learning specialists")
    ensemble = fit(profiles, gold, specialists, found, most_pairs, seed)
    thresholds = {
        name: float(THRESHOLDS[np.mean(values, axis=0).argmax()]) if values else 0.5 for name, values in curves.items()
    }
    return LearnedModel(
        crossdoc_model=2,
        learned_on={"threshold": source, "ensemble": source},
        threshold={name: round(value, 4) for name, value in thresholds.items()},
        ensemble=ensemble.to_file(),
    )


def fit(
    profiles: Profiles,
    gold: Gold,
    specialists: Sequence[Specialist[Any]],
    groups: Blocks,
    most_pairs: int = MOST_PAIRS,
    seed: int = 0,
) -> Ensemble:
    """An ensemble learned on a balanced sample of the labelled pairs within these groups."""
    pairs, labels = labelled_pairs(profiles, gold, all_pairs(groups))
    chosen = balanced(labels, most_pairs, seed)
    return Ensemble.train(specialists, profiles, pairs[chosen], labels[chosen], SEG(seed=seed))


def threshold_curves(
    ensemble: Ensemble, profiles: Profiles, rows: npt.NDArray[Any], gold: Gold
) -> dict[str, npt.NDArray[np.float64]]:
    """Extended B³ of each linkage at each threshold, on the labelled profiles of one group."""
    labelled = np.array([row for row in rows if gold.get(profiles.ids[row])], dtype=np.int32)
    if len(labelled) < 2:
        return {}
    # Without constraints the merges are the same at every threshold, so one dendrogram is cut at all of them.
    distances = 1.0 - ensemble.strengths(profiles, all_pairs([labelled])).astype(np.float64)
    ids = [str(profiles.ids[row]) for row in labelled]
    truth = Assignment.of({id: gold[id] for id in ids})
    return {name: _curve(linkage(distances, kind), ids, truth) for name, kind in LINKAGES.items()}


def _curve(merges: npt.NDArray[np.float64], ids: list[str], truth: Assignment) -> npt.NDArray[np.float64]:
    cuts = (fcluster(merges, 1.0 - threshold, "distance") for threshold in THRESHOLDS)
    return np.array([b_cubed_extended(align(Assignment.from_rows(ids, labels), truth)).f1 for labels in cuts])


def labelled_pairs(
    profiles: Profiles, gold: Mapping[str, Set[str]], pairs: Pairs
) -> tuple[Pairs, npt.NDArray[np.float64]]:
    """Select pairs with a label (both in the gold, from different documents): 1 if they share an entity."""
    entities = entity_lists(profiles, gold)
    documents = np.array(profiles.column("document").to_pylist(), dtype=object).astype(str)
    apart = np.ascontiguousarray(pairs[documents[pairs[:, 0]] != documents[pairs[:, 1]]], dtype=np.int32)
    labels = kernels.shared(entities, apart, 1.0, 0.0).astype(np.float64)
    known = ~np.isnan(labels)
    return apart[known], labels[known]


def entity_lists(profiles: Profiles, gold: Mapping[str, Set[str]]) -> SparseRows:
    """The entities of each profile by number; none where the gold does not have it."""
    of_row = [sorted(gold.get(id, ())) for id in profiles.ids]
    code = codes_of(entity for found in of_row for entity in found)
    rows = [row for row, found in enumerate(of_row) for _ in found]
    return lists(rows, [code[entity] for found in of_row for entity in found], len(of_row))


def balanced(labels: npt.NDArray[np.float64], most: int, seed: int) -> npt.NDArray[np.int64]:
    """Row numbers of as many positive as negative pairs, at most `most` together.

    >>> balanced(np.array([1, 0, 0, 0, 1]), most=4, seed=0).tolist()
    [0, 1, 2, 4]
    """
    positive, negative = np.flatnonzero(labels == 1), np.flatnonzero(labels == 0)
    count = min(len(positive), len(negative), most // 2)
    if count == 0:
        raise errors.nothing_to_learn(len(positive), len(negative))
    random = np.random.default_rng(seed)
    chosen = [random.choice(rows, count, replace=False) for rows in (positive, negative)]
    return np.sort(np.concatenate(chosen))
