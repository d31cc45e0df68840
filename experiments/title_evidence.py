"""Count how often contradicting titles are of one person and of two: the worth of the fact `title`.

Usage: CROSSDOC_DATA=… python experiments/title_evidence.py [SET …]

Three contradictions are counted over pairs of labelled people. Offices of two countries: among pairs that both state
one. A monarch and another office: among pairs that both have either. A monarch's only name that is the other's surname:
among pairs of a bare name and a full name that ends in it. Each cell has the contradicting pairs of all such pairs; the
last column is log(share among pairs of one person / share among pairs of two), with half a pair added to each.
FRUS volumes are tables of mentions with 300 characters on each side, the other sets the parts `build`.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from common import table
from labelled import load
from referee import FRUS, frus, rows_of

from crossdoc.compare.specialists import kernels
from crossdoc.compare.specialists.base import all_pairs
from crossdoc.compare.specialists.offices import EncodedTitles, TitleContradictions
from crossdoc.model import Profile, Profiles
from crossdoc.names import parse_person

SETS = (*(f"frus-{volume}" for volume in FRUS), "aida-train", "sample", "reuters-people")
KINDS = ("two countries", "monarch and office", "monarch's name and surname")
Pairs = npt.NDArray[np.int32]


def labelled_people(name: str) -> Iterator[tuple[Profiles, list[str]]]:
    """Profiles of people, and the entity of each ('' if unknown)."""
    if name.startswith("frus-"):
        material = frus(name.removeprefix("frus-"))
        rows = (Profile(row.id, row.document or "", row.name, row.type, row.context) for row in rows_of(material))
        tables, gold = [Profiles.of(rows)], material.gold
    else:
        labelled = load(name, "build")
        tables, gold = [collection.profiles for collection in labelled.collections], labelled.gold
    for profiles in tables:
        types = profiles.column("type").to_pylist()
        entity = [min(gold.get(id, {""})) for id in profiles.ids]
        yield profiles, [own if type == "person" else "" for own, type in zip(entity, types, strict=True)]


def contradicting(
    kind: str, profiles: Profiles, encoded: EncodedTitles, known: npt.NDArray[np.bool_]
) -> Iterator[tuple[Pairs, npt.NDArray[np.bool_]]]:
    """Pairs that could contradict each other in this way, and which of them do."""
    if kind == "two countries":
        pairs = all_pairs([np.flatnonzero(known & (np.diff(encoded.countries.start) > 0))]).astype(np.int32)
        yield pairs, kernels.shared(encoded.countries, pairs, 0.0, 1.0) == 1.0
    elif kind == "monarch and office":
        pairs = all_pairs([np.flatnonzero(known & (encoded.reigns | encoded.governs))]).astype(np.int32)
        yield pairs, encoded.reigns[pairs].sum(axis=1) == 1
    else:
        names = [parse_person(name or "") for name in profiles.column("name").to_pylist()]
        for last in {name.last for name in names} - {""}:
            own = [row for row, name in enumerate(names) if known[row] and name.last == last]
            bare, full = ([row for row in own if bool(names[row].first) == has_first] for has_first in (False, True))
            pairs = np.array([(a, b) for a in bare for b in full], dtype=np.int32).reshape(-1, 2)
            yield pairs, (encoded.regnal[pairs[:, 0]] > 0) & (encoded.surname[pairs[:, 1]] > 0)


def counted(name: str, kind: str) -> npt.NDArray[np.int64]:
    """Contradicting and all pairs (columns) of one person and of two (rows)."""
    found = np.zeros((2, 2), dtype=np.int64)
    for profiles, entities in labelled_people(name):
        entity = np.array(entities, dtype=object)
        for pairs, apart in contradicting(kind, profiles, TitleContradictions().encode(profiles), entity != ""):
            same = entity[pairs[:, 0]] == entity[pairs[:, 1]]
            found += [[(apart & same).sum(), same.sum()], [(apart & ~same).sum(), (~same).sum()]]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=SETS)
    options = parser.parse_args()
    rows: list[list[object]] = []
    for kind in KINDS:
        by_set = {name: counted(name, kind) for name in options.sets}
        for name, counts in {**by_set, "all": sum(by_set.values(), np.zeros((2, 2), dtype=np.int64))}.items():
            if counts.any():
                share = (counts[:, 0] + 0.5) / (counts[:, 1] + 1)
                cells = [f"{apart} of {every}" for apart, every in counts]
                rows.append([kind, name, *cells, f"{np.log(share[0] / share[1]):+.1f}"])
    print(table(["contradiction", "set", "one person", "two people", "log odds"], rows))


if __name__ == "__main__":
    main()
