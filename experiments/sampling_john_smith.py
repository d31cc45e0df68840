"""John Smith by sampling (Singh et al. 2011, section 4.1): 197 articles, 35 people, one name.

    CROSSDOC_DATA=… python experiments/sampling_john_smith.py

Contexts are windows round the name, as `crossdoc resolve --name "John Smith"` takes them. The paper sets the bias to
give 35 entities, which needs the number of people (*oracle*); *honest* biases are the one found without any label and
the one learned on WePS-1 training names. Each line is the mean of five seeds.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from common import data, table
from corpora import john_smith, weps

from crossdoc.cluster.sampling import SamplingClustering, unsupervised
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.model import Documents, Vectors
from crossdoc.run.reading import extractor_for
from crossdoc.scoring import Alignment, b_cubed
from crossdoc.settings import Settings

PEOPLE = 35
SEEDS = range(5)
BIASES = tuple(float(b) for b in np.geomspace(0.005, 0.2, 30))


def windows(documents: Documents, name: str, counted: ContextVectoriser | None = None) -> Vectors:
    profiles = extractor_for(Settings(processes=1), name, b"experiment", describe=False).extract(documents)[1]
    vectoriser = counted or ContextVectoriser().fit([documents.column("text").to_pylist()])
    return vectoriser.transform(profiles)


def run(vectors: Vectors, bias: float | None, seed: int) -> npt.NDArray[np.int32]:
    return SamplingClustering(bias, random_state=seed, threads=1).fit(vectors).labels_


def mean_scores(vectors: Vectors, gold: npt.NDArray[np.int64], bias: float | None) -> tuple[float, float, float, float]:
    """Precision, recall, F1 and the number of entities."""
    scores = []
    for seed in SEEDS:
        labels = run(vectors, bias, seed)
        found = b_cubed(Alignment.from_labels(labels, gold))
        scores.append((found.precision, found.recall, found.f1, float(labels.max() + 1)))
    p, r, f, k = np.mean(scores, axis=0)
    return float(p), float(r), float(f), float(k)


def learned_on_weps(names: Sequence[str]) -> float:
    """The bias of the best mean B³ over WePS-1 training names; an article of several people counts for the first."""
    folder = data("weps1", "train")
    gold = weps.gold(folder)
    entity_of: dict[str, str] = {}
    for id, entity in zip(gold.column("id").to_pylist(), gold.column("entity").to_pylist(), strict=True):
        entity_of.setdefault(id, entity)
    sets = []
    collection = {name: list(weps.documents(folder, name)) for name in names}
    counted = ContextVectoriser().fit([[d.text for d in documents] for documents in collection.values()])
    for name, documents in collection.items():
        labelled = Documents.of(d for d in documents if d.id in entity_of)
        vectors = windows(labelled, name.replace("_", " "), counted)
        sets.append((vectors, np.unique([entity_of[id] for id in labelled.ids], return_inverse=True)[1]))
    score = {
        bias: np.mean([b_cubed(Alignment.from_labels(run(v, bias, 0), gold)).f1 for v, gold in sets]) for bias in BIASES
    }
    return max(score, key=lambda bias: score[bias])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weps-names", type=int, default=49, help="WePS-1 training names to learn on; 0: none")
    options = parser.parse_args()
    documents = Documents.of(john_smith.documents(data("john_smith")))
    answer = john_smith.gold(data("john_smith"))
    entity = dict(zip(answer.column("id").to_pylist(), answer.column("entity").to_pylist(), strict=True))
    gold = np.unique([entity[id] for id in documents.ids], return_inverse=True)[1]
    vectors = windows(documents, "John Smith")
    scores = {bias: mean_scores(vectors, gold, bias) for bias in BIASES}
    fine = [float(b) for b in np.linspace(0.02, 0.06, 81)]
    nearest = min(fine, key=lambda bias: abs(int(run(vectors, bias, 0).max()) + 1 - PEOPLE))
    best = max(BIASES, key=lambda bias: scores[bias][2])
    unlabelled = unsupervised(vectors.matrix).bias
    rows: list[list[object]] = [
        ["Singh et al. 2011: bias set to give 35", "oracle", "", "", "", 0.664, ""],
        ["bias set to give 35", "oracle", f"{nearest:.4f}", *mean_scores(vectors, gold, nearest)],
        ["the best bias", "oracle", f"{best:.4f}", *scores[best]],
        ["no labels: the mean cosine", "honest", f"{unlabelled:.4f}", *mean_scores(vectors, gold, unlabelled)],
    ]
    if options.weps_names:
        learned = learned_on_weps(weps.names(data("weps1", "train"))[: options.weps_names])
        rows.append(["learned on WePS-1", "honest", f"{learned:.4f}", *mean_scores(vectors, gold, learned)])
    print(table(["bias", "", "b", "B³ P", "B³ R", "B³ F1", "entities"], rows))


if __name__ == "__main__":
    main()
