"""What fields are worth, and the thresholds of linkage: on WePS-1 training pages, ArnetMiner and John Smith.

    CROSSDOC_DATA=… python experiments/learn_threshold.py [--only weps arnetminer john-smith]

Every name by itself, measured against the people of other names in its documents, as under `--name` (documents are not
parsed, so that relations are those of ArnetMiner alone). For the shipped curves and for each with another intercept or
slope: extended B³ of mean-max linkage, macro-averaged over the names of a set, at some thresholds. Then the best
threshold of each linkage; the figure for WePS-1 leaves one name out at a time, the figure for John Smith uses the
threshold of WePS-1 (honest) or its own best (oracle).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from common import data, table
from corpora import arnetminer, john_smith, weps

from crossdoc.cluster.hierarchical import LinkageClustering
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.memory_collection import MemoryCollection, compare
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.extract import NameExtractor
from crossdoc.model import Document, Documents, Profile, Profiles, Relation, Relations
from crossdoc.names import parse_person
from crossdoc.names.evidence_types import relation_type
from crossdoc.run.stages import compare_profiles, extract_profiles
from crossdoc.scoring import Assignment, align, b_cubed_extended
from crossdoc.settings import Settings

THRESHOLDS = np.round(np.arange(0.025, 0.99, 0.025), 3)
SHOWN = (0.4, 0.5, 0.6, 0.7, 0.8)
INTERCEPTS, SLOPES = (-0.4, 0.4), (0.7, 1.4)
"""Added, and multiplied."""
LINKAGES = ("mean-max", "average", "single", "complete")
Matrix = npt.NDArray[np.float32]
Task = tuple[MemoryCollection, Assignment]
Scored = tuple[Relations, list[str], Assignment]


def cosines(documents: Sequence[Document], name: str, vectoriser: ContextVectoriser) -> Matrix:
    _, profiles = NameExtractor(name, Settings().window).extract(Documents.of(documents))
    return vectoriser.transform(profiles).cosine()


def weps_pages(documents: Sequence[Document]) -> Iterator[tuple[str, list[Document], Assignment]]:
    """Each training name with its labelled pages and its gold."""
    folder = data("weps1", "train")
    truth = weps.gold(folder).to_pylist()
    for name in weps.names(folder):
        gold: dict[str, set[str]] = {}
        for row in truth:
            if row["group"] == name:
                gold.setdefault(row["id"], set()).add(row["entity"])
        yield name.replace("_", " "), [page for page in documents if page.id in gold], Assignment.of(gold)


def weps_names(
    documents: Sequence[Document], vectoriser: ContextVectoriser
) -> Iterable[tuple[Matrix, list[str], Assignment]]:
    """Cosines, ids and gold of each training name; only labelled pages are clustered, all count words."""
    for name, pages, gold in weps_pages(documents):
        yield cosines(pages, name, vectoriser), [page.id for page in pages], gold


def under_a_name(documents: Sequence[Document], name: str, gold: Assignment) -> Task:
    given = Documents.of(documents)
    found = extract_profiles(given, name=name, describe=False)
    return compare_profiles(found.profiles, given, one_name=True, others=found.others), gold


def weps_tasks() -> Iterator[Task]:
    for name, pages, gold in weps_pages(list(weps.documents(data("weps1", "train")))):
        yield under_a_name(pages, name, gold)


def john_smith_tasks() -> Iterator[Task]:
    folder = data("john_smith")
    yield under_a_name(list(john_smith.documents(folder)), "John Smith", Assignment.from_table(john_smith.gold(folder)))


def with_related_people(profiles: Profiles) -> Profiles:
    """Add a profile for each person that some profiles name and that has none: co-authors, people listed together.

    Such a person gets the context of the profile, and is related to all others named there.
    """
    added = []
    for profile in profiles:
        beside = [
            r
            for r in profile.relations
            if relation_type(r.type) == "list" and r.profile is None and parse_person(r.name).first
        ]
        for relation in beside:
            others = (Relation("list", profile.name), *(other for other in beside if other is not relation))
            added.append(
                Profile(
                    f"{profile.id}~{relation.name}",
                    profile.document,
                    relation.name,
                    "person",
                    profile.context,
                    profile.language,
                    relations=others,
                )
            )
    return Profiles(pa.concat_tables([profiles.arrow, Profiles.of(added).arrow])) if added else profiles


def arnetminer_tasks() -> Iterator[Task]:
    """Each name's papers; people of other names are the co-authors."""
    gold = {row["id"]: row["entity"] for row in arnetminer.gold(data("arnetminer")).to_pylist()}
    by_name: dict[str, list[int]] = {}
    everybody = Profiles.of(arnetminer.profiles(data("arnetminer")))
    for row, id in enumerate(everybody.ids):
        by_name.setdefault(str(id).split("/")[0], []).append(row)
    for rows in by_name.values():
        profiles = everybody.take(rows)
        others = with_related_people(profiles)
        beside = others.take(range(len(profiles), len(others)))
        truth = Assignment.of({str(id): gold[id] for id in profiles.ids})
        yield compare(profiles, one_name=True, others=beside), truth


SETS: dict[str, Callable[[], Iterator[Task]]] = {
    "weps": weps_tasks,
    "arnetminer": arnetminer_tasks,
    "john-smith": john_smith_tasks,
}


def changed(model: LearnedModel, field: str, intercept: float, slope: float) -> LearnedModel:
    curve = model.fields[field]
    other = curve.model_copy(update={"intercept": curve.intercept + intercept, "slope": curve.slope * slope})
    return model.model_copy(update={"fields": {**model.fields, field: other}})


def scored(task: Task, field: str = "context", intercept: float = 0.0, slope: float = 1.0) -> Scored:
    """The strengths of a name's profiles, as shipped or with another curve of one field."""
    compared, gold = task
    tried = copy(compared)
    tried.model = changed(compared.model, field, intercept, slope)
    (evidence,) = tried.values()
    return evidence.relations(), [str(id) for id in evidence.ids], gold


def curve(linkage: str, task: Scored, thresholds: Sequence[float] = tuple(THRESHOLDS.tolist())) -> list[float]:
    """Extended B³ at each threshold."""
    relations, ids, gold = task
    found = []
    for at in thresholds:
        clusterer = LinkageClustering(linkage, at)  # type: ignore[arg-type]
        answer = Assignment.from_rows(ids, clusterer.fit(relations).labels_)
        found.append(b_cubed_extended(align(answer, gold)).f1)
    return found


def grid(tasks: Sequence[Task]) -> Iterator[list[object]]:
    """What was changed, and B³ at each of the thresholds shown."""
    tried = [("as shipped", "context", 0.0, 1.0)]
    for field in LearnedModel.default().fields:
        tried += [(f"{field}, intercept {by:+g}", field, by, 1.0) for by in INTERCEPTS]
        tried += [(f"{field}, slope × {by:g}", field, 0.0, by) for by in SLOPES]
    for name, *change in tried:
        figures = np.mean([curve("mean-max", scored(task, *change), SHOWN) for task in tasks], axis=0)  # type: ignore[arg-type]
        yield [name, *figures.tolist()]


def thresholds(linkage: str, names: Sequence[Scored], smith: Scored) -> tuple[str, float, float, float, float, float]:
    """Method and best threshold; WePS-1 and its standard error; John Smith honest and oracle."""
    curves = np.array([curve(linkage, task) for task in names])
    left_out = [curves[i][np.delete(curves, i, axis=0).mean(axis=0).argmax()] for i in range(len(curves))]
    best = int(curves.mean(axis=0).argmax())
    on_smith = np.array(curve(linkage, smith))
    error = np.std(left_out, ddof=1) / np.sqrt(len(left_out))
    on_weps = float(np.mean(left_out)), float(error)
    return f"{linkage}-linkage", float(THRESHOLDS[best]), *on_weps, float(on_smith[best]), float(on_smith.max())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=list(SETS), default=list(SETS))
    tasks = {name: list(SETS[name]()) for name in parser.parse_args().only}
    for name, given in tasks.items():
        header = ["curves", *(f"at {at:g}" for at in SHOWN)]
        print(f"\n{name}: extended B³ F1 of mean-max linkage\n" + table(header, list(grid(given))), flush=True)
    if {"weps", "john-smith"} <= set(tasks):
        names, (smith,) = ([scored(task) for task in tasks[name]] for name in ("weps", "john-smith"))
        header = ["method", "threshold", "WePS-1, one name left out", "±", "John Smith honest", "John Smith oracle"]
        print("\n" + table(header, [thresholds(linkage, names, smith) for linkage in LINKAGES]))


if __name__ == "__main__":
    main()
