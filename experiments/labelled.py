"""One door to every labelled set in CROSSDOC_DATA: what a run of crossdoc gets, its gold, and the gold's two parts.

    CROSSDOC_DATA=… [CROSSDOC_CACHE=FOLDER] python experiments/labelled.py [SET …] [--cache FOLDER]

prints what each set has and fills the cache, where extracted profiles are kept by the state of `crossdoc.extract` and
`crossdoc.lang`. *build* has the names on which rules and curves were made, *choose* all other names. Both have been
looked at many times: held-out figures come from leaving a collection out (`fit.py`).
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from common import table
from labelled_sets import SOURCES, Kind, Source, Tables, kept

from crossdoc.compare.evidence import ProfileEvidence
from crossdoc.compare.memory_collection import MemoryCollection
from crossdoc.model import Documents, Profiles
from crossdoc.names import fold
from crossdoc.run.stages import compare_profiles
from crossdoc.scoring import Assignment, Scores, align, b_cubed_extended, f_alpha, score_assignments

Part = Literal["build", "choose", "all"]
PARTS: dict[str, tuple[str, ...]] = {"build": ("build",), "choose": ("choose",), "all": ("build", "choose")}
CHOOSE_SHARE = 0.62
"""Share of the names of a set that are in `choose`; at least a third of them are, whatever their hashes are."""
ROOT = Path(__file__).parents[1]
Gold = dict[str, set[str]]


@dataclass(frozen=True)
class Collection:
    """What one run of crossdoc gets: profiles and the documents that they are from."""

    profiles: Profiles
    documents: Documents | None = None
    name: str | None = None
    """The one asked-for name, if all profiles answer to it."""
    others: Profiles | None = None
    """Under one name: other people in the documents, as `extract_profiles` gives them."""
    apart: tuple[npt.NDArray[np.int64], ...] = ()
    """Rows of several asked-for names in one collection, each a task of its own."""

    @property
    def one_name(self) -> bool:
        return self.name is not None or bool(self.apart)

    def compared(self, **options: Any) -> MemoryCollection:
        """The evidence by type, as `resolve` would have it."""
        return compare_profiles(self.profiles, self.documents, one_name=self.one_name, others=self.others, **options)

    def evidence(self, **options: Any) -> Iterator[ProfileEvidence]:
        """Of each type, or of each asked-for name, what is to be clustered by itself."""
        comparison = self.compared(**options)
        for type in comparison:
            found = comparison[type]
            yield from map(found.part, self.apart) if self.apart else [found]


@dataclass(frozen=True)
class Labelled:
    """A set with the gold of one of its parts; all profiles are there, whatever part is asked for."""

    name: str
    kind: Kind
    part: Part
    collections: tuple[Collection, ...]
    """One, but where each asked-for name has documents of its own: then these are the names of the part."""
    gold: Gold
    """Of profiles: several entities where a page is about several people; most sets have profiles without gold."""
    groups: dict[str, str] | None = None
    """Of profiles with gold: the ambiguous name, where the figure is a mean over names."""
    mention_gold: Gold | None = None
    """Where mentions are scored, not profiles: their gold, also of mentions that extraction missed."""
    profile_of: dict[str, str] = field(default_factory=dict)
    """Mention → profile, where mentions are scored."""
    type_of: dict[str, str] = field(default_factory=dict)
    """Of gold entities: person, organisation or place, where that is known."""

    @cached_property
    def profiles(self) -> Profiles:
        return Profiles(pa.concat_tables([collection.profiles.arrow for collection in self.collections]))

    def scored(self, answer: Mapping[str, str], *, type: str | None = None, bootstrap: int = 0) -> Scores:
        """An answer by profile against the gold, by mention where that is what is scored; all types or one."""
        found, gold = self._both(answer, type)
        return score_assignments(found, gold, by=None if gold.groups is None else "group", bootstrap=bootstrap)

    def b3(self, answer: Mapping[str, str], *, type: str | None = None) -> float:
        """B³ F1 alone, extended where pages are about several people, the mean over names where there are groups.

        The same as in `scored`, and far quicker.
        """
        aligned = align(*self._both(answer, type))
        if aligned.group is None:
            return float(b_cubed_extended(aligned).f1)
        split = aligned.split_by_group()
        assert split.entity_group is not None
        sums = [np.bincount(split.entity_group, row) for row in b_cubed_extended(split).parts]
        precision, recall = sums[0] / sums[1], sums[2] / sums[3]
        return float(np.mean(f_alpha(precision, recall, 0.5)))

    def _both(self, answer: Mapping[str, str], type: str | None) -> tuple[Assignment, Assignment]:
        gold: Mapping[str, set[str]] = self.gold
        if self.mention_gold is not None:
            gold = self.mention_gold
            answer = {mention: answer[profile] for mention, profile in self.profile_of.items() if profile in answer}
        if type is not None:
            gold = {id: own for id, own in gold.items() if any(self.type_of.get(entity) == type for entity in own)}
        groups = None if self.groups is None else {id: self.groups[id] for id in gold}
        return Assignment.from_rows(list(answer), list(answer.values())), Assignment.of(dict(gold), groups)


# -- parts -------------------------------------------------------------------------------------------------------------


def key(name: str, type: str | None = "person") -> str:
    """What related names share: the surname of people, the first telling word of all others.

    >>> key("Howard H. Baker Jr."), key("The Bank of England", "organisation"), key("St. Louis", "place")
    ('baker', 'bank', 'louis')
    """
    words = [fold(word) for word in re.findall(r"\w+", name)]
    telling = [word for word in words if len(word) > 2 and word not in ("the", "der", "die", "das", "les", "jnr")]
    ordered = telling or words or [name]
    return ordered[-1] if type == "person" else ordered[0]


def blocks(names: Iterable[tuple[str, str]]) -> dict[str, str]:
    """(entity, key) → the block of each entity, by its first key; entities that share a key are in one block.

    >>> blocks([("hb", "baker"), ("jb", "baker"), ("rr", "reagan"), ("jb", "jim")])
    {'hb': 'baker', 'jb': 'baker', 'rr': 'reagan'}
    """
    home: dict[str, str] = {}

    def root(node: str) -> str:
        while home.setdefault(node, node) != node:
            node = home[node]
        return node

    first: dict[str, str] = {}
    for entity, word in names:
        a, b = root(first.setdefault(entity, word)), root(word)
        home[max(a, b)] = min(a, b)
    return {entity: root(word) for entity, word in first.items()}


def parts(names: Iterable[str]) -> dict[str, str]:
    """The part of each name by its hash alone: the same in every set, except that `choose` has a third at least."""
    order = sorted(set(names), key=_share)
    third = -(-len(order) // 3)
    return {
        name: "choose" if rank < third or _share(name) < CHOOSE_SHARE else "build" for rank, name in enumerate(order)
    }


def _share(name: str) -> float:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") / 2**64


# -- loading -----------------------------------------------------------------------------------------------------------


def names_of_sets(part: Part = "build") -> list[str]:
    """The sets whose data is there and that have something in a part."""
    wanted = ("names", *PARTS[part])
    return [name for name, source in SOURCES.items() if source.there() and source.split in wanted]


def load(name: str, part: Part = "build") -> Labelled:
    """A set with the gold of a part."""
    if name not in SOURCES:
        sys.exit(f"There is no set {name}; there are {', '.join(SOURCES)}.")
    source, tables, part_of = SOURCES[name], kept(name), entity_parts(name)
    gold = _in_part(_gold_of(tables["gold"]), part_of, part)
    group_of = dict(zip(*(tables["gold"][c].to_pylist() for c in ("id", "group")), strict=True))
    groups = {id: group_of[id] for id in gold} if any(group_of.values()) else None
    mention_gold, profile_of = None, {}
    if "mentions" in tables:
        mention_gold = _in_part(_gold_of(tables["mention_gold"]), part_of, part)
        profile_of = dict(zip(*(tables["mentions"][c].to_pylist() for c in ("id", "chain")), strict=True))
    collections = tuple(_collections(source, tables, groups))
    type_of = {row["entity"]: row["type"] for row in tables["names"].to_pylist() if row["type"]}
    return Labelled(name, source.kind, part, collections, gold, groups, mention_gold, profile_of, type_of)


def entity_parts(name: str) -> dict[str, str]:
    """The part of each gold entity of a set."""
    split, names = SOURCES[name].split, kept(name)["names"].to_pylist()
    if split != "names":
        return {row["entity"]: split for row in names}
    block_of = blocks((row["entity"], key(row["name"], row["type"])) for row in names)
    of_block = parts(block_of.values())
    return {entity: of_block[block] for entity, block in block_of.items()}


def code_state() -> str:
    """The commit, and + where the code is not as it is there."""
    git = ["git", "-C", str(ROOT)]
    changed = _output([*git, "status", "--porcelain", "-uno", "src", "experiments", "benchmarks"])
    return _output([*git, "rev-parse", "--short", "HEAD"]) + ("+" if changed else "")


def _output(command: Sequence[str]) -> str:
    return subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout.strip()


def _gold_of(rows: pa.Table) -> Gold:
    found: Gold = {}
    for id, entity in zip(rows["id"].to_pylist(), rows["entity"].to_pylist(), strict=True):
        found.setdefault(id, set()).add(entity)
    return found


def _in_part(gold: Gold, part_of: Mapping[str, str], part: Part) -> Gold:
    wanted = PARTS[part]
    kept = {id: {entity for entity in own if part_of[entity] in wanted} for id, own in gold.items()}
    return {id: own for id, own in kept.items() if own}


def _collections(source: Source, tables: Tables, groups: Mapping[str, str] | None) -> Iterable[Collection]:
    profiles = Profiles(tables["profiles"])
    documents = Documents(tables["documents"]) if "documents" in tables else None
    if source.kind != "one-name":
        yield Collection(profiles, documents)
        return
    if groups is None:
        yield Collection(profiles, documents, profiles[0].name, Profiles(tables["others"]))
        return
    group_of = np.array([id.split("/")[0] for id in profiles.ids])
    names = sorted(set(groups.values()))
    if source.alone:
        for group in names:
            mine = profiles.take(np.flatnonzero(group_of == group))
            own, others = (
                tables[which].filter(pc.equal(tables[which]["group"], group)) for which in ("documents", "others")
            )
            yield Collection(mine, Documents(own), mine[0].name, Profiles(others))
        return
    mine = profiles.take(np.flatnonzero(np.isin(group_of, names)))
    group_of = group_of[np.isin(group_of, names)]
    # Whoever has an asked-for surname may be one of the asked-for people.
    asked = {key(profile.name) for profile in profiles}
    far = [key(name) not in asked for name in tables["everyone"]["name"].to_pylist()]
    others = Profiles(tables["everyone"].filter(pa.array(far)))
    yield Collection(mine, documents, None, others, tuple(np.flatnonzero(group_of == group) for group in names))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=[])
    parser.add_argument("--cache", type=Path, help="the folder for extracted profiles, in place of CROSSDOC_CACHE")
    options = parser.parse_args()
    if options.cache:
        os.environ["CROSSDOC_CACHE"] = str(options.cache)
    wanted = options.sets or [name for name, source in SOURCES.items() if source.there()]
    if unknown := [name for name in wanted if name not in SOURCES]:
        parser.error(f"there is no set {unknown[0]}; there are {', '.join(SOURCES)}")
    rows: list[list[object]] = []
    for name in wanted:
        tables, part_of = kept(name), entity_parts(name)
        gold = tables.get("mention_gold", tables["gold"])
        counts = [Counter(part_of.values())[part] for part in PARTS["all"]]
        items = Counter(part_of[entity] for entity in gold["entity"].to_pylist())
        scored = [items[part] for part in PARTS["all"]]
        documents = len(tables["documents"]) if "documents" in tables else "–"
        rows.append([name, SOURCES[name].kind, documents, len(tables["profiles"]), *scored, *counts])
        print(table(["…"] * len(rows[-1]), rows[-1:]).splitlines()[-1], file=sys.stderr, flush=True)
    header = ["set", "kind", "documents", "profiles"]
    header += [f"{what}: {part}" for what in ("scored", "entities") for part in PARTS["all"]]
    print(table(header, rows))


if __name__ == "__main__":
    main()
