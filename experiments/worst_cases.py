"""The entities that cost an answer most: in how many clusters each is, and whom it shares them with.

    CROSSDOC_DATA=… python experiments/worst_cases.py SET … [--part build] [--column default] [--most 20]

What an entity costs is Σ (1 − P) + (1 − R) over its profiles (or mentions), P and R as in B³; the sum over all entities
is what keeps B³ below 1.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from common import table
from defaults import COLUMNS, DEFAULT
from labelled import PARTS, Labelled, Part, load
from labelled_sets import SOURCES


@dataclass(frozen=True)
class Case:
    """One entity: what it costs, how many it has, in which clusters they are, and who else is there how often."""

    entity: str
    cost: float
    size: int
    clusters: list[int]
    strangers: Counter[str]
    names: list[str]


def cases(labelled: Labelled, answer: Mapping[str, str]) -> Iterator[Case]:
    """All entities of the part's gold that cost something, those that cost most first.

    >>> gold = {"a": {"x"}, "b": {"x"}, "c": {"y"}}
    >>> given = Labelled("t", "open", "build", (), gold)
    >>> [(case.entity, round(case.cost, 2)) for case in cases(given, {"a": "1", "b": "2", "c": "2"})]
    [('x', 1.5), ('y', 0.5)]
    """
    gold = labelled.gold if labelled.mention_gold is None else labelled.mention_gold
    homes = {id: answer.get(labelled.profile_of.get(id, id), f"alone/{id}") for id in gold}
    members: dict[str, list[str]] = {}
    entities: dict[str, list[str]] = {}
    for id, own in gold.items():
        members.setdefault(homes[id], []).append(id)
        for entity in own:
            entities.setdefault(entity, []).append(id)
    name_of = {profile.id: profile.name for collection in labelled.collections for profile in collection.profiles}
    found = []
    for entity, ids in entities.items():
        sizes = Counter(homes[id] for id in ids)
        cost = sum(n * (1 - n / len(members[home]) + 1 - n / len(ids)) for home, n in sizes.items())
        strangers = Counter(
            other for home in sizes for id in members[home] if entity not in gold[id] for other in gold[id]
        )
        names = Counter(name_of.get(labelled.profile_of.get(id, id), "(not found)") for id in ids)
        listed = [f"{name} ({n})" for name, n in names.most_common(3)]
        found.append(Case(entity, cost, len(ids), sorted(sizes.values(), reverse=True), strangers, listed))
    yield from sorted((case for case in found if case.cost > 0), key=lambda case: (-case.cost, case.entity))


def shown(labelled: Labelled, answer: Mapping[str, str], most: int) -> str:
    found = list(cases(labelled, answer))
    total = sum(case.cost for case in found)
    rows = [
        [
            case.entity,
            case.size,
            f"{case.cost / total:.1%}",
            f"{len(case.clusters)}: "
            + ", ".join(map(str, case.clusters[:6]))
            + (" …" if len(case.clusters) > 6 else ""),
            ", ".join(f"{other} ({n})" for other, n in case.strangers.most_common(3)),
            ", ".join(case.names),
        ]
        for case in found[:most]
    ]
    return table(["entity", "scored", "of all cost", "clusters", "together with", "names"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", metavar="SET")
    parser.add_argument("--part", choices=list(PARTS), default="build")
    parser.add_argument("--column", choices=list(COLUMNS), default=DEFAULT)
    parser.add_argument("--most", type=int, default=20)
    options = parser.parse_args()
    if unknown := [name for name in options.sets if name not in SOURCES]:
        parser.error(f"there is no set {unknown[0]}; there are {', '.join(SOURCES)}")
    for name in options.sets:
        labelled = load(name, cast("Part", options.part))
        answer = COLUMNS[options.column](labelled)
        print(f"\n### {name}, {options.part}, {options.column}: B³ {labelled.b3(answer):.3f}\n")
        print(shown(labelled, answer, options.most), flush=True)


if __name__ == "__main__":
    main()
