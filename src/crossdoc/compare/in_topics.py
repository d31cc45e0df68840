"""Mentions compared within one topic only: descriptions that share a head, names in two forms, typing errors.

"The suspect" is another person in every story, so descriptions are paired inside an automatic topic (`stories.py`) or
not at all. Such a pair has a prior, to which contexts and all other evidence are added as to that of names. In a topic
that has both, "AP" is read as "Associated Press", even if they are given as people, and "Reagn" as "Reagan".
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field

from crossdoc.lang import pack
from crossdoc.model import Profiles
from crossdoc.names import Grade, parse_person, relate
from crossdoc.names.heads import (
    Kin,
    descriptions,
    ends_of,
    form_keys,
    has_small_head,
    head_of,
    kinship,
    misspells,
    one_form,
)

OFTENER = 3
"""Ratio. A surname at least this many times as frequent in a topic as a misspelling of it replaces the misspelling."""
AS_PEOPLE = ("person", None)
ENGLISH = ("en", None)
"""Languages that capitalise every name: a mention in small letters is a description."""

_KNOWN = pack("en").pronouns
_SMALL = _KNOWN.personal | _KNOWN.thing | _KNOWN.plural | _KNOWN.relative | _KNOWN.speakers
PRONOUNS = frozenset(_SMALL | {word.capitalize() for word in _SMALL})

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Readings = Mapping[tuple[int, str], str]
"""Reading of a name, by topic and name."""


class TopicPrior(BaseModel):
    """Log odds that two mentions of one topic are one, as learned on labelled data."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    head: float = Field(description="That share a head, one of them a description.")
    same: float = Field(description="That have one description.")
    story: float = Field(ge=0, description="The most that documents that tell one story say for one name.")


class InTopics:
    """Topic evidence for the rows of one type.

    It holds which rows are descriptions, the pairs of rows that share one (sorted codes a·n + b, with the log odds of
    each), and the name as which each row is read. For some rows of a collection, `small` and `readings` are those of
    all rows.
    """

    def __init__(
        self,
        profiles: Profiles,
        topic: Ints,
        sizes: TopicPrior,
        small: Set[str] | None = None,
        readings: Readings | None = None,
    ) -> None:
        self.n = len(profiles)
        own = [name or "" for name in profiles.column("name").to_pylist()]
        english, silent = spoken(profiles, own)
        small = small_names(profiles) if small is None else small
        self.described: Bools = silent | (english & np.array([name in small for name in own], dtype=bool))
        self.topic, self.own, self.names = topic, own, list(own)
        for row in np.flatnonzero(~self.described).tolist() if readings else ():
            self.names[row] = (readings or {}).get((int(topic[row]), own[row]), own[row])
        self.code, self.odds = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32)
        document = np.unique(profiles.column("document").to_numpy(), return_inverse=True)[1]
        worth = {Kin.HEAD: sizes.head, Kin.SAME: sizes.same}
        code, odds = [self.code], [self.odds]
        entity_type = next(iter(profiles.column("type").to_pylist()), None)
        for rows in _groups(topic, ~silent):
            here = _Topic(rows, own, self.described, english, entity_type)
            if entity_type in AS_PEOPLE and readings is None:
                for row, name in here.readings():
                    self.names[row] = name
            for left, right, kin in here.pairs():
                apart = document[left] != document[right]
                code.append((np.minimum(left, right) * self.n + np.maximum(left, right))[apart])
                odds.append(np.full(int(apart.sum()), worth[kin], dtype=np.float32))
        whole = np.concatenate(code)
        order = np.argsort(whole, kind="stable")
        self.code, self.odds = whole[order], np.concatenate(odds)[order]

    @property
    def readings(self) -> Readings:
        """Names that are read as other names."""
        pairs = enumerate(zip(self.own, self.names, strict=True))
        return {(int(self.topic[row]), own): read for row, (own, read) in pairs if own != read}

    def among(self, rows: Ints) -> tuple[npt.NDArray[np.int32], Floats]:
        """Return the pairs among some rows, numbered within these, and the log odds of each."""
        first, last = np.searchsorted(self.code, [rows * self.n, (rows + 1) * self.n])
        count = last - first
        at = np.repeat(first - np.concatenate([[0], np.cumsum(count)[:-1]]), count) + np.arange(count.sum())
        order = np.argsort(rows, kind="stable")
        other = self.code[at] % max(self.n, 1)
        place = order[np.minimum(np.searchsorted(rows, other, sorter=order), len(rows) - 1)]
        inside = rows[place] == other
        pairs = np.column_stack([np.repeat(np.arange(len(rows)), count), place])[inside].astype(np.int32)
        return pairs, self.odds[at[inside]]


def small_names(profiles: Profiles) -> Set[str]:
    """Return the names of profiles of one type that are descriptions."""
    names = [name or "" for name in profiles.column("name").to_pylist()]
    english, silent = spoken(profiles, names)
    return descriptions([name for name, kept in zip(names, english & ~silent, strict=True) if kept])


def spoken(profiles: Profiles, names: Sequence[str]) -> tuple[Bools, Bools]:
    """Return which rows are in a language that capitalises names, and which of these are pronouns."""
    english = np.array([code in ENGLISH for code in profiles.column("language").to_pylist()], dtype=bool)
    return english, english & np.array([name in PRONOUNS for name in names], dtype=bool)


class _Topic:
    """Mentions of one topic by their text: descriptions and names."""

    def __init__(
        self, rows: Ints, names: Sequence[str], described: Bools, english: Bools, entity_type: str | None
    ) -> None:
        self.descriptions: dict[str, list[int]] = defaultdict(list)
        self.named: dict[str, list[int]] = defaultdict(list)
        for row in rows.tolist():
            (self.descriptions if described[row] else self.named)[names[row]].append(row)
        self.phrases = sorted(
            {names[row] for row in rows if english[row] and has_small_head(names[row])} - self.descriptions.keys()
        )
        """Phrases that describe by their head though they contain a name: "a Paris store"."""
        self.entity_type = entity_type

    def pairs(self) -> Iterator[tuple[Ints, Ints, Kin]]:
        """Yield left rows, right rows, and why they are paired: descriptions, and phrases that clash as names."""
        by_head: dict[str, list[str]] = defaultdict(list)
        for name in self.named if self.descriptions else ():
            for word in ends_of(name):
                by_head[word].append(name)
        for description in sorted(self.descriptions):
            own = np.array(self.descriptions[description], dtype=np.int64)
            one, other = np.triu_indices(len(own), 1)
            yield own[one], own[other], Kin.SAME
            for name in by_head[head_of(description)]:
                met = (self.descriptions if name in self.descriptions else self.named)[name]
                yield (
                    *_each_with_each(self.descriptions[description], met),
                    kinship(description, name, name in self.descriptions),
                )
            by_head[head_of(description)].append(description)
        alike: dict[str, list[str]] = defaultdict(list)
        for phrase in self.phrases:
            for like in alike[head_of(phrase)]:
                if relate(phrase, like, self.entity_type) == Grade.CLASH:
                    yield *_each_with_each(self.named[phrase], self.named[like]), Kin.HEAD
            alike[head_of(phrase)].append(phrase)

    def readings(self) -> Iterator[tuple[int, str]]:
        """Yield rows whose name is another form of a more frequent name in the topic, with that name."""
        by_key: dict[str, set[str]] = defaultdict(set)
        surnames: Counter[str] = Counter()
        for name, rows in self.named.items():
            surnames[parse_person(name).last] += len(rows)
            for key in form_keys(name):
                by_key[key].add(name)
        for name in sorted(self.named):
            near = set().union(*(by_key[key] for key in form_keys(name))) - {name}
            often = {other: (surnames[parse_person(other).last], len(self.named[other]), other) for other in near}
            own = (OFTENER * surnames[parse_person(name).last], len(self.named[name]), name)
            for other in sorted(near, key=lambda other: often[other], reverse=True):
                rarer = own <= often[other] if misspells(name, other) else own[1:] < often[other][1:]
                if rarer and one_form(name, other):
                    yield from ((row, other) for row in self.named[name])
                    break


def _each_with_each(left: list[int], right: list[int]) -> tuple[Ints, Ints]:
    return np.repeat(np.array(left, dtype=np.int64), len(right)), np.tile(np.array(right, dtype=np.int64), len(left))


def _groups(topic: Ints, named: Bools) -> Iterator[Ints]:
    """Yield the rows of each topic with several, without pronouns."""
    rows = np.flatnonzero(named)
    order = rows[np.argsort(topic[rows], kind="stable")]
    for group in np.split(order, np.flatnonzero(np.diff(topic[order])) + 1):
        if len(group) > 1:
            yield group
