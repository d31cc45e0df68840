"""What a user gets who chooses nothing, on every labelled set, beside simpler tools, the papers' methods and an oracle.

    CROSSDOC_DATA=… python experiments/defaults.py [--sets SET …] [--columns COLUMN …] [--parts build choose]
                                                   [--limit SECONDS] [--json FILE] [--pages]

Each column of each set is a process of its own, so that its memory can be told and its time limited; figures are added
to the JSON file. *Ten lines*: TF-IDF of contexts, average or single linkage among profiles of one name, whichever is
better for the other names or sets, cut where that is best for them. *As printed*: each paper's method; *mended*: as
crossdoc has it; all on the default's evidence. *Oracle*: average linkage on the default's strengths, cut where it is
best for the part that is scored.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from labelled import PARTS, Collection, Labelled, Part, code_state, load, names_of_sets
from labelled_sets import SOURCES, cache_folder
from result_pages import DOCS, Pages, Rows, Value, page_table, told
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.feature_extraction.text import TfidfVectorizer

from crossdoc.compare.evidence import ProfileEvidence
from crossdoc.errors import UsageError
from crossdoc.model import ENTITY_TYPES
from crossdoc.names import fold
from crossdoc.run.stages import cluster_evidence

FIGURES = DOCS / "defaults.json"
CHANGED = "+"
"""After a commit: the code was not as it is there."""
RESAMPLES = 1_000
CUTS = np.round(np.append(np.arange(0.5, 1, 0.02), 1.01), 3)
"""Distances at which the ten lines cut their trees; beyond 1 the same name is one entity."""
LINKAGES = ("average", "single")
WAYS = [(kind, float(at)) for kind in LINKAGES for at in CUTS]
STRENGTHS = np.round(np.arange(0.05, 1, 0.05), 2)
SECONDS = 900
CHUNKING_SECONDS = 20.0
"""For each component: the paper's way to solve its linear program takes hours for some hundred rows."""
BY_TYPE = ("sample", "aida-train", "aida-testa")
"""Sets whose figures the page has by type, too."""
Answer = dict[str, str]
Answers = Callable[[Labelled], Answer]


# -- answers -----------------------------------------------------------------------------------------------------------


def clustered(labelled: Labelled, method: str | None = None, **parameters: Any) -> Answer:
    """Profile → cluster by the public stages; by the default method unless another is named."""
    return solved(tasks(labelled), method, **parameters)


def tasks(labelled: Labelled) -> Iterator[ProfileEvidence]:
    """What is to be clustered by itself: the profiles of a type, or of an asked-for name."""
    return (evidence for collection in labelled.collections for evidence in collection.evidence())


def sampled(labelled: Labelled) -> Answer:
    """Profile → cluster: by sampling if the comparison has learned a bias, else by bags, as for links without types."""
    answer: Answer = {}
    for number, evidence in enumerate(tasks(labelled)):
        labels = cluster_evidence(evidence, "bags" if evidence.even is None else "sampling").partition.labels
        answer |= _named(str(number), evidence.ids, labels)
    return answer


def solved(given: Iterable[ProfileEvidence], method: str | None = None, **parameters: Any) -> Answer:
    chosen = () if method is None else (method,)
    answer: Answer = {}
    for number, evidence in enumerate(given):
        labels = cluster_evidence(evidence, *chosen, **parameters).partition.labels
        answer |= _named(str(number), evidence.ids, labels)
    return answer


def _named(prefix: str, ids: Iterable[str], labels: Iterable[int]) -> Answer:
    return {id: f"{prefix}/{label}" for id, label in zip(ids, labels, strict=True)}


def by_name(labelled: Labelled, spelt: Callable[[str], str]) -> Answer:
    """The same name, or the same of it that counts, and the same type: one entity."""
    return {
        profile.id: f"{number}/{profile.type}/{spelt(profile.name)}"
        for number, collection in enumerate(labelled.collections)
        for profile in collection.profiles
    }


def head(name: str) -> str:
    """The last word, in lower case.

    >>> head("the San Diego Chargers'")
    'chargers'
    """
    return (re.findall(r"\w+", name) or [name])[-1].lower()


Forest = list[tuple[list[str], dict[str, npt.NDArray[np.float64]]]]


def grown(labelled: Labelled) -> Forest:
    """The ids of each name and type, and their trees by linkage; no tree for one profile."""
    return [each for collection in labelled.collections for each in trees(collection)]


def trees(collection: Collection) -> Forest:
    profiles = collection.profiles
    contexts = [context or "" for context in profiles.column("context").to_pylist()]
    vectors = TfidfVectorizer(stop_words="english", sublinear_tf=True).fit_transform(contexts)
    rows: dict[tuple[str, str], list[int]] = {}
    for row, (name, type) in enumerate(zip(*(profiles.column(c).to_pylist() for c in ("name", "type")), strict=True)):
        rows.setdefault((fold(name), type or ""), []).append(row)
    found: Forest = []
    for own in rows.values():
        kinds = {}
        if len(own) > 1:
            near = vectors[own]
            distances = np.clip(1 - (near @ near.T).toarray(), 0, None)[np.triu_indices(len(own), 1)]
            kinds = {kind: linkage(distances, kind) for kind in LINKAGES}
        found.append(([str(profiles.ids[row]) for row in own], kinds))
    return found


def cut(forest: Forest, kind: str, at: float) -> Answer:
    answer: Answer = {}
    for number, (ids, kinds) in enumerate(forest):
        if kinds:
            answer |= _named(str(number), ids, fcluster(kinds[kind], at, "distance"))
        else:
            answer[ids[0]] = str(number)
    return answer


# -- ten lines, honestly -----------------------------------------------------------------------------------------------


def curves(name: str) -> dict[str, list[float]]:
    """B³ of the ten lines in each way on all of a set: by name where it has several, else one curve."""
    path = cache_folder() / f"ten-lines-{len(WAYS)}-{name}.json"
    if path.exists():
        return json.loads(path.read_text())
    labelled = load(name, "all")
    several = {name: labelled} if labelled.groups is None else by_group(labelled)
    found = {}
    for which, part in several.items():
        forest = grown(part)
        found[which] = [part.b3(cut(forest, *way)) for way in WAYS]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found))
    return found


def by_group(labelled: Labelled) -> dict[str, Labelled]:
    """A set of several names as one set a name."""
    assert labelled.groups is not None
    found = {}
    for group in sorted(set(labelled.groups.values())):
        gold = {id: own for id, own in labelled.gold.items() if labelled.groups[id] == group}
        mine = [
            Collection(c.profiles.take(np.flatnonzero([id in gold for id in c.profiles.ids])), c.documents, c.name)
            for c in labelled.collections
        ]
        kept = tuple(collection for collection in mine if len(collection.profiles))
        found[group] = Labelled(labelled.name, labelled.kind, labelled.part, kept, gold)
    return found


def relatives(name: str) -> list[str]:
    """The other sets whose cuts are worth knowing: of the same kind of task, from other data."""
    own = SOURCES[name]
    return [
        other
        for other in names_of_sets("all")
        if (SOURCES[other].needs or other) != (own.needs or name)
        and (SOURCES[other].kind == "one-name") == (own.kind == "one-name")
        and other.startswith("links-") == name.startswith("links-")
        and not SOURCES[other].alone
        and not other.endswith("-mentions")
    ]


def ten_lines(labelled: Labelled) -> Answer:
    """Each name in the way that is best for the others of its set; a set without names in that of the other sets."""
    if labelled.groups is None:
        means = [np.mean(list(curves(other).values()), axis=0) for other in relatives(labelled.name)]
        return cut(grown(labelled), *best(means))
    known = curves(labelled.name)
    answer: Answer = {}
    for group, part in by_group(labelled).items():
        way = best([curve for other, curve in known.items() if other != group])
        answer |= {id: f"{group}/{cluster}" for id, cluster in cut(grown(part), *way).items()}
    return answer


def best(known: Sequence[Any]) -> tuple[str, float]:
    if not known:
        sys.exit("There is no other name or set to choose the cut of the ten lines on.")
    return WAYS[int(np.mean(known, axis=0).argmax())]


# -- columns -----------------------------------------------------------------------------------------------------------

DEFAULT, ORACLE = "default", "oracle"
COLUMNS: dict[str, Answers] = {
    "string match": partial(by_name, spelt=fold),
    "head match": partial(by_name, spelt=head),
    "ten lines": ten_lines,
    "KARC as printed": partial(clustered, method="karc", variant="paper"),
    "KARC mended": partial(clustered, method="karc"),
    "correlation as printed": partial(clustered, method="correlation", solver="chunking", time_limit=CHUNKING_SECONDS),
    "correlation mended": partial(clustered, method="correlation"),
    "contexts as printed": partial(clustered, method="contexts", stop="pk3"),
    "contexts mended": partial(clustered, method="contexts"),
    "sampling as printed": partial(clustered, method="sampling", proposals="flat", temperature=(1.0, 0.01)),
    "sampling mended": sampled,
    DEFAULT: clustered,
}
ALL_COLUMNS = (*COLUMNS, ORACLE)
MEASURED_ALWAYS = ("string match", "head match", "ten lines", DEFAULT)
"""Columns of `make results`; the papers' methods and the oracle are measured when they change (`--columns`)."""


@dataclass(frozen=True)
class Why:
    """Why a figure is not there."""

    reason: str


def not_for(name: str, column: str) -> Why | None:
    """Why a column does not apply to a set."""
    kind = SOURCES[name].kind
    if column == "head match" and kind in ("one-name", "records"):
        return Why("all have one name" if kind == "one-name" else "records have full names")
    return None


def cell(name: str, column: str, parts: Sequence[Part]) -> dict[str, Any]:
    """The figures of a column on each part of a set; an answer is the same for all parts, but an oracle's."""
    whole = load(name, parts[0] if len(parts) == 1 else "all")
    begun = time.perf_counter()
    if column == ORACLE:
        given = list(tasks(whole))
        tried = [solved(given, "average-linkage", threshold=float(at)) for at in STRENGTHS]
    else:
        tried = [COLUMNS[column](whole)]
    seconds = (time.perf_counter() - begun) / len(tried)
    found: dict[str, Any] = {}
    for part in parts:
        labelled = load(name, part)
        if labelled.gold or labelled.mention_gold:
            answer = max(tried, key=labelled.b3) if len(tried) > 1 else tried[0]
            found[part] = {**figures(labelled, answer), "seconds": seconds}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {part: {**row, "MB": round(peak)} for part, row in found.items()}


def figures(labelled: Labelled, answer: Mapping[str, str]) -> dict[str, Any]:
    scores = labelled.scored(answer, bootstrap=RESAMPLES)
    b3 = "b3" if "b3" in scores.values else "b3_extended"
    found: dict[str, Any] = {
        "B³": scores.values[b3]["f1"],
        "P": scores.values[b3]["precision"],
        "R": scores.values[b3]["recall"],
        "95%": list(scores.intervals[b3]["f1"]),
        "CoNLL": scores.values["conll"]["f1"] if "conll" in scores.values else None,
        "purity F": scores.values["purity"]["f0.5"],
        "scored": scores.counts["items"],
        "entities": scores.counts["gold_entities"],
    }
    types = sorted(
        {labelled.type_of[entity] for own in labelled.gold.values() for entity in own & labelled.type_of.keys()}
    )
    if len(types) > 1:
        found["types"] = {type: labelled.b3(answer, type=type) for type in types}
    return found


# -- the whole table ---------------------------------------------------------------------------------------------------


def run(sets: Sequence[str], columns: Sequence[str], parts: Sequence[Part], limit: float, path: Path) -> dict[str, Any]:
    """Every cell in a process of its own; what is known is kept after each, and of this very commit not done again."""
    known, now = read(path), code_state()
    for name in sets:
        there = [part for part in parts if name in names_of_sets(part)]
        for column in columns:
            cells = [known.setdefault(part, {}).setdefault(name, {}) for part in there]
            if all(cell.get(column, {}).get("commit") == now for cell in cells) and not now.endswith(CHANGED):
                continue
            found = not_for(name, column) or _in_process(name, column, there, limit)
            for part, cell in zip(there, cells, strict=True):
                cell[column] = {"why": found.reason} if isinstance(found, Why) else found[part]
                shown = found.reason if isinstance(found, Why) else f"{found[part]['B³']:.3f}"
                cell[column]["commit"] = now
                print(f"{name}, {part}, {column}: {shown}", file=sys.stderr, flush=True)
            path.write_text(json.dumps(rounded(known), indent=1, ensure_ascii=False, sort_keys=True) + "\n")
    return rounded(known)


def _in_process(name: str, column: str, parts: Sequence[Part], limit: float) -> dict[str, Any] | Why:
    call = [sys.executable, __file__, "--cell", "--sets", name, "--columns", column, "--parts", *parts]
    try:
        done = subprocess.run(call, stdout=subprocess.PIPE, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return Why(f"more than {limit:.0f} s")
    if done.returncode:
        return Why(f"failed with exit code {done.returncode}")
    found = json.loads(done.stdout.splitlines()[-1])
    return Why(found) if isinstance(found, str) else found


def rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    if isinstance(value, list):
        return [rounded(each) for each in value]
    return round(value, 4) if isinstance(value, float) else value


def read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def page_rows(known: Mapping[str, Any], part: str) -> Rows:
    """A row a set: B³ of each column that the part has, further figures of the default, and the oracle last."""
    rows: Rows = {}
    there = {column for found in known.get(part, {}).values() for column in found}
    columns = [column for column in COLUMNS if column in there]
    last = [ORACLE] if ORACLE in there else []
    for name, found in sorted(known.get(part, {}).items(), key=lambda each: list(SOURCES).index(each[0])):
        row: dict[str, Value] = {column: found.get(column, {}).get("B³", "–") for column in columns}
        own = found.get(DEFAULT, {})
        if "95%" in own:
            row["95%"] = "–".join(told(bound) for bound in own["95%"])
            row |= {
                what: own[what] if own[what] is not None else "–" for what in ("CoNLL", "purity F", "seconds", "MB")
            }
        rows[name] = row | {column: found.get(column, {}).get("B³", "–") for column in last}
        for type in ENTITY_TYPES if name in BY_TYPE else ():
            rows[f"{name}, {type}s"] = {
                column: found.get(column, {}).get("types", {}).get(type, "–") for column in (*columns, *last)
            }
    return rows


def sets_of_parts(parts: Iterable[Part]) -> list[str]:
    """The sets whose data is there and that have something in one of the parts."""
    there = {name for part in parts for name in names_of_sets(part)}
    return [name for name in SOURCES if name in there]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", metavar="SET")
    parser.add_argument("--columns", nargs="*", choices=ALL_COLUMNS, default=list(ALL_COLUMNS), metavar="COLUMN")
    parser.add_argument(
        "--pages", action="store_true", help="write docs/results.md and README's table from all figures"
    )
    parser.add_argument("--parts", nargs="+", choices=list(PARTS), default=["build", "choose"])
    parser.add_argument("--limit", type=float, default=SECONDS, help="seconds for each column of a set")
    parser.add_argument("--json", type=Path, default=FIGURES)
    parser.add_argument("--cell", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    parts = cast("list[Part]", options.parts)
    sets = options.sets or sets_of_parts(parts)
    if unknown := [name for name in sets if name not in SOURCES]:
        parser.error(f"there is no set {unknown[0]}; there are {', '.join(SOURCES)}")
    if options.cell:
        try:
            print(json.dumps(cell(sets[0], options.columns[0], parts)))
        except UsageError as error:
            print(json.dumps(str(error).splitlines()[0]))
        return
    begun = time.perf_counter()
    known = run(sets, options.columns, parts, options.limit, options.json)
    for part in parts:
        rows = page_rows(known, part)
        print(f"\n{page_table(part, rows)}")
        if options.pages:
            from results import PARTS as TABLES
            from results import README_LINES

            Pages(DOCS / "results.json").add(part, TABLES[part], rows, time.perf_counter() - begun, README_LINES)


if __name__ == "__main__":
    main()
