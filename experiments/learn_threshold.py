"""What contexts are worth, and the thresholds of the linkage methods: on WePS-1 training pages and John Smith.

    CROSSDOC_DATA=… python experiments/learn_threshold.py

The strength of a cosine is learned without labels, on each collection itself (compare/self_training.py), and once more
on the other collection, which is what a fixed curve would do. For each method the threshold with the best extended B³,
macro-averaged over the 49 names; the figure for WePS-1 leaves one name out at a time, the figure for John Smith uses
the threshold of WePS-1 (honest) or its own best (oracle).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from common import data, table

from crossdoc.cluster.hierarchical import LinkageClustering
from crossdoc.compare.context_strength import ContextStrength
from crossdoc.compare.self_training import PRIOR_NAMES, conflated_pairs, fitted
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.extract.extractor import MASKED, NameExtractor
from crossdoc.extract.full_names import recurring_people
from crossdoc.model import Document, Documents, Profiles
from crossdoc.read.corpora import john_smith, weps
from crossdoc.score import Assignment, align, b_cubed_extended
from crossdoc.settings import Settings

THRESHOLDS = np.round(np.arange(0.025, 0.99, 0.025), 3)
LINKAGES = ("average", "single", "complete")
Matrix = npt.NDArray[np.float32]
Task = tuple[Matrix, list[str], Assignment]


def cosines(documents: Sequence[Document], name: str, vectoriser: ContextVectoriser) -> Matrix:
    _, profiles = NameExtractor(name, Settings().window).extract(Documents.of(documents))
    return vectoriser.transform(profiles).cosine()


def curve(linkage: str, task: Task) -> list[float]:
    """Extended B³ at each threshold."""
    matrix, ids, gold = task
    clusterers = (LinkageClustering(linkage, float(threshold)) for threshold in THRESHOLDS)  # type: ignore[arg-type]
    answers = (Assignment.from_rows(ids, clusterer.fit(matrix).labels_) for clusterer in clusterers)
    return [b_cubed_extended(align(answer, gold)).f1 for answer in answers]


def learned(documents: Sequence[Document], avoided: str, vectoriser: ContextVectoriser) -> tuple[ContextStrength, int]:
    """The curve of a collection, from its own names alone, and of how many names."""
    by_id = {document.id: document for document in documents}

    def fetch(ids: Sequence[str]) -> Documents:
        return Documents.of(by_id[id] for id in ids)

    people = Profiles.of(recurring_people(documents, fetch, avoided, Settings().window, MASKED))
    found = conflated_pairs(people, lambda ids: {id: by_id[id].text for id in ids}, vectoriser)
    assert found is not None
    return fitted(people, found, vectoriser), found.names


def weps_names(documents: Sequence[Document], vectoriser: ContextVectoriser) -> Iterable[Task]:
    """Similarities, ids and gold of each training name; only labelled pages are clustered, all count words."""
    folder = data("weps1", "train")
    truth = weps.gold(folder).to_pylist()
    for name in weps.names(folder):
        gold: dict[str, set[str]] = {}
        for row in truth:
            if row["group"] == name:
                gold.setdefault(row["id"], set()).add(row["entity"])
        chosen = [document for document in documents if document.id in gold]
        matrix = cosines(chosen, name.replace("_", " "), vectoriser)
        yield matrix, [document.id for document in chosen], Assignment.of(gold)


@dataclass
class Material:
    """Both collections with their gold, and the curve that each has of its own names."""

    names: list[Task]
    smith: Task
    of_pages: ContextStrength
    of_articles: ContextStrength
    blended: ContextStrength
    """John Smith's, with that of WePS-1 as its prior."""
    counts: tuple[int, int]
    """Of how many names each was learned."""


def material() -> Material:
    pages = list(weps.documents(data("weps1", "train")))
    words_of_pages = ContextVectoriser().fit([[page.text for page in pages]])
    names = list(weps_names(pages, words_of_pages))
    articles = list(john_smith.documents(data("john_smith")))
    words_of_articles = ContextVectoriser().fit([[article.text for article in articles]])
    gold = Assignment.from_table(john_smith.gold(data("john_smith")))
    smith = cosines(articles, "John Smith", words_of_articles), [article.id for article in articles], gold
    of_pages, page_names = learned(pages, "", words_of_pages)
    of_articles, article_names = learned(articles, "John Smith", words_of_articles)
    blended = of_articles.blend(of_pages, article_names / (article_names + PRIOR_NAMES))
    return Material(names, smith, of_pages, of_articles, blended, (page_names, article_names))


def main() -> None:
    given = material()
    names, smith, blended = given.names, given.smith, given.blended
    of_pages, of_articles = given.of_pages, given.of_articles
    print(f"WePS-1 pages: {of_pages!r}, ½ at {of_pages.even:.4f}, {given.counts[0]} names")
    own = f"{of_articles!r}, ½ at {of_articles.even:.4f}, {given.counts[1]} names"
    print(f"John Smith: {own}; with the prior: {blended!r}")

    header = ["method", "threshold", "WePS-1, one name left out", "±", "John Smith honest", "John Smith oracle"]
    for told, on_pages, on_articles in (
        ("each collection's own curve, with the prior of WePS-1 for John Smith", of_pages, blended),
        ("the other collection's curve", of_articles, of_pages),
    ):
        rows = [thresholds(linkage, names, smith, on_pages, on_articles) for linkage in LINKAGES]
        print(f"\nExtended B³ F1, {told}\n" + table(header, rows))
    for told, on_pages, on_articles in (
        ("own curve", of_pages, blended),
        ("the other's curve", of_articles, of_pages),
    ):
        at_half = int(np.flatnonzero(THRESHOLDS == 0.5)[0])
        weps_f1 = float(np.mean([curve("average", (on_pages(m), ids, g))[at_half] for m, ids, g in names]))
        smith_f1 = curve("average", (on_articles(smith[0]), *smith[1:]))[at_half]
        print(f"\naverage linkage at strength ½, {told}: WePS-1 {weps_f1:.3f}, John Smith {smith_f1:.3f}")


def thresholds(
    linkage: str, names: Sequence[Task], smith: Task, on_pages: ContextStrength, on_articles: ContextStrength
) -> tuple[str, float, float, float, float, float]:
    """Method and best threshold; WePS-1 and its standard error; John Smith honest and oracle."""
    curves = np.array([curve(linkage, (on_pages(matrix), ids, gold)) for matrix, ids, gold in names])
    left_out = [curves[i][np.delete(curves, i, axis=0).mean(axis=0).argmax()] for i in range(len(curves))]
    best = int(curves.mean(axis=0).argmax())
    on_smith = np.array(curve(linkage, (on_articles(smith[0]), *smith[1:])))
    error = np.std(left_out, ddof=1) / np.sqrt(len(left_out))
    on_weps = float(np.mean(left_out)), float(error)
    return f"{linkage}-linkage", float(THRESHOLDS[best]), *on_weps, float(on_smith[best]), float(on_smith.max())


if __name__ == "__main__":
    main()
