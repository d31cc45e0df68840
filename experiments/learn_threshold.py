"""The thresholds of the linkage methods: learned on WePS-1 training pages, tried on John Smith.

    CROSSDOC_DATA=… python experiments/learn_threshold.py

For each method the threshold with the best extended B³, macro-averaged over the 49 names; the figure for WePS-1 leaves
one name out at a time, the figure for John Smith uses the threshold of WePS-1 (honest) or its own best (oracle).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
from common import data, table

from crossdoc.cluster.hierarchical import LinkageClustering
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.extract.extractor import NameExtractor
from crossdoc.model import Document, Documents
from crossdoc.read.corpora import john_smith, weps
from crossdoc.score import Assignment, align, b_cubed_extended
from crossdoc.settings import Settings

THRESHOLDS = np.concatenate([np.arange(0.0025, 0.1, 0.0025), np.arange(0.1, 0.41, 0.02)])
LINKAGES = ("average", "single", "complete")
Matrix = npt.NDArray[np.float32]


def cosines(documents: Sequence[Document], name: str, vectoriser: ContextVectoriser) -> Matrix:
    _, profiles = NameExtractor(name, Settings().window).extract(Documents.of(documents))
    return vectoriser.transform(profiles).cosine()


def curve(linkage: str, matrix: Matrix, ids: Sequence[str], gold: Assignment) -> list[float]:
    """Extended B³ at each threshold."""
    return [
        b_cubed_extended(
            align(
                Assignment.from_rows(
                    ids,
                    LinkageClustering(linkage, float(threshold)).fit(matrix).labels_,  # type: ignore[arg-type]
                ),
                gold,
            )
        ).f1
        for threshold in THRESHOLDS
    ]


def weps_names() -> Iterable[tuple[Matrix, list[str], Assignment]]:
    """Similarities, ids and gold of each training name; only labelled pages are clustered, all count words."""
    folder = data("weps1", "train")
    documents = list(weps.documents(folder))
    vectoriser = ContextVectoriser().fit([[document.text for document in documents]])
    truth = weps.gold(folder).to_pylist()
    for name in weps.names(folder):
        gold: dict[str, set[str]] = {}
        for row in truth:
            if row["group"] == name:
                gold.setdefault(row["id"], set()).add(row["entity"])
        chosen = [document for document in documents if document.id in gold]
        matrix = cosines(chosen, name.replace("_", " "), vectoriser)
        yield matrix, [document.id for document in chosen], Assignment.of(gold)


def main() -> None:
    names = list(weps_names())
    articles = list(john_smith.documents(data("john_smith")))
    smith = cosines(articles, "John Smith", ContextVectoriser().fit([[article.text for article in articles]]))
    smith_gold = Assignment.from_table(john_smith.gold(data("john_smith")))
    rows = []
    for linkage in LINKAGES:
        curves = np.array([curve(linkage, *name) for name in names])
        left_out = [curves[i][np.delete(curves, i, axis=0).mean(axis=0).argmax()] for i in range(len(curves))]
        best = int(curves.mean(axis=0).argmax())
        on_smith = np.array(curve(linkage, smith, [article.id for article in articles], smith_gold))
        error = np.std(left_out, ddof=1) / np.sqrt(len(left_out))
        rows.append(
            (
                f"{linkage}-linkage",
                float(THRESHOLDS[best]),
                f"{np.mean(left_out):.3f} ± {error:.3f}",
                float(on_smith[best]),
                float(on_smith.max()),
            )
        )
    header = ["method", "threshold", "WePS-1, one name left out", "John Smith honest", "John Smith oracle"]
    print("Extended B³ F1\n" + table(header, rows))


if __name__ == "__main__":
    main()
