"""Count how often two mentions of a bare surname are one person, by how many people bear it with a first name.

    CROSSDOC_DATA=… python experiments/bare_surnames.py

Each surname with two or more bare mentions counts once. The last column has surnames with ten or more. The prior of
bare surnames (`compare/name_prior.py`) follows these shares.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

import numpy as np
from common import table
from referee import FRUS, SETS, Material, rows_of

from crossdoc.compare.name_prior import group_first_names
from crossdoc.names import parse_person

COLLECTIONS = (*(f"frus-{volume}" for volume in FRUS), "schnitzler", "aida-testa")
MANY = 10
"""Bare mentions."""
MOST_BEARERS = 3


def surnames(material: Material) -> Iterator[tuple[int, int, float]]:
    """Yield for each bare surname its named bearers, its bare mentions, and the share of their pairs that are one."""
    gold = {id: next(iter(entities)) for id, entities in material.gold.items()}
    firsts: dict[str, Counter[str]] = defaultdict(Counter)
    bare: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows_of(material):
        name = parse_person(row.name)
        if row.type != "person" or not name.last:
            continue
        if name.first:
            firsts[name.last][name.first] += 1
        elif row.id in gold:
            bare[name.last][gold[row.id]] += 1
    for last, people in bare.items():
        n = people.total()
        if n > 1:
            one = sum(k * (k - 1) for k in people.values()) / (n * (n - 1))
            yield len(set(group_first_names(firsts[last]).values())), n, one


def main() -> None:
    found = [each for name in COLLECTIONS for each in surnames(SETS[name][0]())]
    rows = []
    for bearers in range(MOST_BEARERS + 1):
        own = [(n, one) for k, n, one in found if min(k, MOST_BEARERS) == bearers]
        frequent = [one for n, one in own if n >= MANY]
        known = f"{bearers} or more" if bearers == MOST_BEARERS else bearers
        rows.append([known, len(own), float(np.mean([one for _, one in own])), float(np.mean(frequent))])
    print(table(["named bearers", "surnames", "pairs that are one person", f"with {MANY} or more mentions"], rows))


if __name__ == "__main__":
    main()
