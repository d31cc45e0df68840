"""What ten lines of scikit-learn reach on one ambiguous name, to measure crossdoc against: TF-IDF, linkage of cosines.

    CROSSDOC_DATA=… python experiments/ten_lines.py

John Smith: windows of 300 characters either side of the surname, or whole articles; the best threshold for the test
data (oracle). WePS-1 training pages: whole, each name at the threshold that is best for the other 48. Extended B³ F1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from common import data, table
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.feature_extraction.text import TfidfVectorizer

from crossdoc.read.corpora import john_smith, weps
from crossdoc.score import Assignment, align, b_cubed_extended

THRESHOLDS = np.arange(0.5, 1, 0.005)
WINDOW = 300
LINKAGES = ("average", "single")


def curve(texts: Mapping[str, str], gold: Assignment, kind: str) -> npt.NDArray[np.float64]:
    """B³ at each distance at which the tree is cut."""
    vectors = TfidfVectorizer(stop_words="english", sublinear_tf=True).fit_transform(texts.values())
    distances = np.clip(1 - (vectors @ vectors.T).toarray(), 0, None)
    tree = linkage(distances[np.triu_indices(len(texts), 1)], kind)
    cuts = (fcluster(tree, cut, "distance") for cut in THRESHOLDS)
    return np.array([b_cubed_extended(align(Assignment.from_rows(list(texts), cut), gold)).f1 for cut in cuts])


def windows(text: str, surname: str) -> str:
    found = [text[max(0, at.start() - WINDOW) : at.end() + WINDOW] for at in re.finditer(surname, text)]
    return " ".join(found) or text


def weps_tasks() -> Iterator[tuple[dict[str, str], Assignment]]:
    folder = data("weps1", "train")
    truth = weps.gold(folder).to_pylist()
    for name in weps.names(folder):
        gold: dict[str, set[str]] = {}
        for row in truth:
            if row["group"] == name:
                gold.setdefault(row["id"], set()).add(row["entity"])
        pages = {page.id: page.text for page in weps.documents(folder, name) if page.id in gold}
        yield pages, Assignment.of(gold)


def left_out(curves: npt.NDArray[np.float64]) -> Sequence[float]:
    """Each name at the threshold that is best for the others."""
    return [float(curves[i][np.delete(curves, i, axis=0).mean(axis=0).argmax()]) for i in range(len(curves))]


def rows() -> Iterator[tuple[str, float, float]]:
    """Data; B³ of average and of single linkage."""
    articles = {article.id: article.text for article in john_smith.documents(data("john_smith"))}
    gold = Assignment.from_table(john_smith.gold(data("john_smith")))
    near = {id: windows(text, "Smith") for id, text in articles.items()}
    for told, texts in (("John Smith, windows", near), ("John Smith, articles", articles)):
        average, single = (float(curve(texts, gold, kind).max()) for kind in LINKAGES)
        yield told, average, single
    tasks = list(weps_tasks())
    average, single = (float(np.mean(left_out(np.array([curve(*task, kind) for task in tasks])))) for kind in LINKAGES)
    yield "WePS-1, pages", average, single


def main() -> None:
    print(table(["data", *LINKAGES], list(rows())))


if __name__ == "__main__":
    main()
