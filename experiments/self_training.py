"""Learning without labels: how much of the gap to the oracle it closes, on four collections.

    CROSSDOC_DATA=… python experiments/self_training.py [--only john-smith weps aida arnetminer] [--profiles FOLDER]

Average linkage, extended B³ F1 (AIDA: B³ over profiles of each type). *Shipped*: what contexts are worth as it comes
with crossdoc, from WePS-1 (for WePS-1 itself from John Smith). *Self*: learned on the collection itself, the shipped
curve counting as 30 names. *Oracle*: the best threshold for the test data. *Ensemble*: specialists trained by
`crossdoc train --self` on profiles of the whole collection (`crossdoc extract`), which --profiles names:
john-smith.parquet and weps.parquet, beside what experiments/specialists.py --cache keeps there.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow.parquet as pq
from common import data, table
from learn_threshold import THRESHOLDS, Task, cosines, curve, learned, weps_names
from name_evidence import profiles_and_gold
from specialists import Data, load_arnetminer, load_john_smith, load_weps

from crossdoc.cluster.registry import clusterer
from crossdoc.cluster.stage import cluster
from crossdoc.compare.ensemble import Ensemble
from crossdoc.compare.evidence import ProfileEvidence
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.self_training import PRIOR_NAMES, adapted, joined_contexts
from crossdoc.compare.specialists import default_specialists
from crossdoc.compare.training import THRESHOLDS as STRENGTHS
from crossdoc.compare.training import LearnerName, threshold_curves, train_on_itself
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.extract.extractor import GivenExtractor
from crossdoc.model import ENTITY_TYPES, Profiles
from crossdoc.read.corpora import john_smith, weps
from crossdoc.score import Assignment, align, b_cubed
from crossdoc.settings import Settings

HALF = 0.5
LEARNERS: tuple[LearnerName, ...] = ("seg", "boosted")
Row = tuple[object, ...]


def outcome(name: str, names: object, tasks: Sequence[Task], shipped: object, own: object) -> Row:
    """Names learned from; B³ at strength ½ under the shipped curve and the own one; the best of any threshold."""
    means = [
        np.mean([curve("average", (strength(matrix), ids, gold)) for matrix, ids, gold in tasks], axis=0)  # type: ignore[operator]
        for strength in (shipped, own)
    ]
    at = int(np.flatnonzero(THRESHOLDS == HALF)[0])
    before, after, best = float(means[0][at]), float(means[1][at]), float(max(map(np.max, means)))
    return name, names, before, after, best, closed(before, after, best)


def closed(before: float, after: float, best: float) -> str:
    return f"{(after - before) / (best - before):.0%}" if best > before and after >= before else "–"


def one_name_collections(wanted: Sequence[str]) -> list[Row]:
    pages = list(weps.documents(data("weps1", "train")))
    page_words = ContextVectoriser().fit([[page.text for page in pages]])
    articles = list(john_smith.documents(data("john_smith")))
    article_words = ContextVectoriser().fit([[article.text for article in articles]])
    of_articles, article_names = learned(articles, "John Smith", article_words)
    shipped = LearnedModel.default().contexts
    assert shipped is not None
    rows = []
    if "john-smith" in wanted:
        matrix = cosines(articles, "John Smith", article_words)
        gold = Assignment.from_table(john_smith.gold(data("john_smith")))
        own = of_articles.blend(shipped, article_names / (article_names + PRIOR_NAMES))
        rows.append(outcome("John Smith", article_names, [(matrix, [a.id for a in articles], gold)], shipped, own))
    if "weps" in wanted:
        of_pages, page_names = learned(pages, "", page_words)
        own = of_pages.blend(of_articles, page_names / (page_names + PRIOR_NAMES))
        rows.append(outcome("WePS-1", page_names, list(weps_names(pages, page_words)), of_articles, own))
    return rows


def arnetminer_contexts() -> Row:
    given = load_arnetminer(None)
    words = ContextVectoriser().fit([given.profiles.column("context").to_pylist()])
    shipped = LearnedModel.default()
    own = adapted(shipped, given.profiles, joined_contexts(given.profiles), words)
    matrices = words.transform(given.profiles)
    tasks = []
    for rows in given.groups:
        ids = [str(given.profiles.ids[row]) for row in rows]
        tasks.append((matrices.cosine(rows), ids, Assignment.of({id: given.gold[id] for id in ids})))
    return outcome("ArnetMiner", names_told(own), tasks, shipped.contexts, own.contexts)


def names_told(model: LearnedModel) -> str:
    return model.learned_on["contexts"].split(" full")[0]


def aida_rows() -> list[Row]:
    """Gold mentions and chains, all articles of testa; each type under the shipped curve and its own."""
    documents, gold = profiles_and_gold(data("aida"), "testa")
    profiles = GivenExtractor(Settings().window).extract(documents)[1]
    texts = {document.id: document.text for document in documents}
    words = ContextVectoriser().fit([texts.values()])
    shipped = LearnedModel.default()
    own = adapted(shipped, profiles, lambda ids: {id: texts[id] for id in ids}, words)
    rows: list[Row] = []
    for entity_type in ENTITY_TYPES:
        chosen = profiles.take(np.flatnonzero(np.array(profiles.column("type").to_pylist()) == entity_type))
        truth = Assignment.of({str(id): gold[str(id)] for id in chosen.ids})
        scores = {}
        for which, model in (("shipped", shipped), ("own", own)):
            for threshold in (HALF, *THRESHOLDS[3::4]):
                answer = _linked(chosen, model, words, float(threshold))
                scores[which, float(threshold)] = b_cubed(align(answer, truth)).f1
        before, after = scores["shipped", HALF], scores["own", HALF]
        best = max(scores.values())
        rows.append((f"AIDA testa, {entity_type}", names_told(own), before, after, best, closed(before, after, best)))
    return rows


def _linked(profiles: Profiles, model: LearnedModel, words: ContextVectoriser, threshold: float) -> Assignment:
    partition = cluster(ProfileEvidence(model, words, profiles), clusterer(threshold=threshold)).partition
    return Assignment.from_rows([str(id) for id in profiles.ids], partition.labels)


def ensembles(folder: Path, wanted: Sequence[str]) -> list[Row]:
    loaders = {"john-smith": load_john_smith, "weps": load_weps, "arnetminer": load_arnetminer}
    rows: list[Row] = []
    for name in (name for name in loaders if name in wanted):
        given = loaders[name](folder)
        whole = given.profiles if name == "arnetminer" else Profiles(pq.read_table(folder / f"{name}-all.parquet"))
        for learner in LEARNERS:
            model = train_on_itself(whole, default_specialists(), learner=learner)
            assert model.ensemble is not None
            ensemble = Ensemble.from_file(model.ensemble, default_specialists())
            rows.append((name, learner, *_scores(ensemble, given, model.threshold)))
    return rows


def _scores(ensemble: Ensemble, given: Data, thresholds: dict[str, float]) -> list[float]:
    """For average and single linkage: at the model's threshold, and at the best."""
    found = [threshold_curves(ensemble, given.profiles, rows, given.gold) for rows in given.groups]
    told = []
    for name in ("average-linkage", "single-linkage"):
        mean: npt.NDArray[np.float64] = np.mean([curves[name] for curves in found if curves], axis=0)
        told += [float(mean[np.abs(STRENGTHS - thresholds[name]).argmin()]), float(mean.max())]
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    choices = ["john-smith", "weps", "aida", "arnetminer"]
    parser.add_argument("--only", nargs="+", choices=choices, default=choices)
    parser.add_argument("--profiles", type=Path, help="also train ensembles, on the profiles in this folder")
    options = parser.parse_args()
    rows = one_name_collections(options.only) if {"john-smith", "weps"} & set(options.only) else []
    rows += [arnetminer_contexts()] if "arnetminer" in options.only else []
    rows += aida_rows() if "aida" in options.only else []
    print("Contexts alone, average linkage at strength ½\n")
    print(table(["collection", "names", "shipped", "self", "oracle", "of the gap"], rows))
    if options.profiles:
        header = ["collection", "learner", "average", "(oracle)", "single", "(oracle)"]
        print("\nEnsembles trained without labels\n\n" + table(header, ensembles(options.profiles, options.only)))


if __name__ == "__main__":
    main()
