"""Evidence from the documents of an open collection: profiles that meet in a topic, and names in one story.

Two profiles of one name are likelier one entity if their documents tell one story. Compared are the documents without
the name itself. The log odds are bounded and never negative.

Mentions compared within one topic only: descriptions that share a head, names in two forms, typing errors.

"The suspect" is another person in every story, so descriptions are paired inside an automatic topic (`stories.py`) or
not at all. Such a pair has a prior, to which contexts and all other evidence are added as to that of names. In a topic
that has both, "AP" is read as "Associated Press", even if they are given as people, and "Reagn" as "Reagan".
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field
from scipy import sparse
from scipy.special import expit
from sklearn.preprocessing import normalize

from crossdoc.compare.curve import Curve
from crossdoc.compare.ensemble import Opinion
from crossdoc.compare.fields import DOCUMENT, shared_features
from crossdoc.compare.specialists import kernels
from crossdoc.compare.specialists.base import Pairs, SparseRows, sparse_rows
from crossdoc.compare.stories import Stories
from crossdoc.compare.vectors import without_words
from crossdoc.lang import pack
from crossdoc.model import Profiles, Vectors
from crossdoc.names import Grade, fold, parse_person, relate
from crossdoc.names.heads import (
    Kin,
    descriptions,
    ends_of,
    form_keys,
    has_article,
    has_small_head,
    head_of,
    kinship,
    misspells,
    one_form,
)

OFTENER = 3
"""Ratio. A surname at least this many times as frequent in a topic as a misspelling of it replaces the misspelling."""
MOST_STORY_WORDS = 4
"""Maximum number of words shown that two documents share."""
AS_PEOPLE = ("person", None)
ENGLISH = ("en", None)
"""Languages that capitalise every name: a mention in small letters is a description."""

_KNOWN = pack("en").pronouns
_SMALL = _KNOWN.personal | _KNOWN.thing | _KNOWN.plural | _KNOWN.relative | _KNOWN.speakers
PRONOUNS = frozenset(_SMALL | {word.capitalize() for word in _SMALL})

Bools = npt.NDArray[np.bool_]
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


Floats = npt.NDArray[np.float32]


class NamesInTopics(NamedTuple):
    """Names of some rows as topics have them."""

    read: list[str]
    """The names as they are read in their topics."""
    described: Bools
    """Which rows are descriptions."""
    pairs: Pairs
    """The pairs brought together by their topic whatever their names."""
    odds: Floats
    """The log odds of each of these pairs."""


class NoStories:
    """A collection without topics: records, profiles of one asked-for name, or evidence of an ensemble.

    Parameters
    ----------
    names : of records the names of all rows. A description ("the company") means nothing beyond its record.
    """

    readings: Readings = MappingProxyType({})

    def __init__(self, names: Sequence[str] = ()) -> None:
        self._described = np.array([has_article(name) for name in names], dtype=bool)

    def names_of(self, rows: npt.NDArray[np.int64], own: list[str]) -> NamesInTopics:
        """Return what topics make of the names of rows."""
        described = self._described[rows] if len(self._described) else np.zeros(len(rows), dtype=bool)
        return NamesInTopics(own, described, np.zeros((0, 2), dtype=np.int32), np.zeros(0, dtype=np.float32))

    def compare_all(self, rows: npt.NDArray[np.int64]) -> Floats | float:
        """Return the log odds of all pairs of rows from their documents."""
        return 0.0

    def compare(self, pairs: Pairs) -> Floats:
        """Return the log odds of pairs of rows from their documents."""
        return np.zeros(len(pairs), dtype=np.float32)

    def opinions(self, pair: npt.NDArray[np.int64]) -> list[Opinion]:
        """Explain the log odds of two rows from their documents."""
        return []


class StoryEvidence(NoStories):
    """Topics of profiles, and their documents as rows without their own names, found when they are first needed.

    Parameters
    ----------
    stories : finds the documents of the profiles and their topics.
    in_topics : finds what topics make of the profiles, from the topic of each.
    """

    def __init__(
        self,
        stories: Callable[[], Stories],
        profiles: Profiles,
        sizes: TopicPrior,
        document: Curve | None,
        in_topics: Callable[[npt.NDArray[np.int64]], InTopics],
    ) -> None:
        self._find, self._profiles, self._meet = stories, profiles, in_topics
        # A profile has the words of its document for its own, so a story is evidence for one name, never against.
        self._curve = document and document.model_copy(update={"low": 0.0, "high": sizes.story})

    @cached_property
    def _documents(self) -> tuple[Stories, npt.NDArray[np.int64]]:
        """The documents, and the row of each profile among them."""
        stories = self._find()
        return stories, stories.of_profiles(self._profiles)

    @cached_property
    def topic(self) -> npt.NDArray[np.int64]:
        stories, at = self._documents
        return stories.topic[at]

    @cached_property
    def in_topics(self) -> InTopics:
        return self._meet(self.topic)

    @cached_property
    def rows(self) -> Vectors:
        """The row of each profile's document. It is empty if no other profile has the name: it is never compared."""
        stories, at = self._documents
        return _without_names(stories, self._profiles, at, _shared(self._name))

    @cached_property
    def _encoded(self) -> SparseRows:
        return sparse_rows(self.rows)

    @cached_property
    def _name(self) -> npt.NDArray[np.int64]:
        """The number of each row's name; each description has one of its own."""
        spelt = np.unique([fold(name) for name in self.in_topics.names], return_inverse=True)[1].astype(np.int64)
        return np.where(self.in_topics.described, -1 - np.arange(len(self._profiles)), spelt)

    @property
    def readings(self) -> Readings:  # type: ignore[override]
        return self.in_topics.readings

    def names_of(self, rows: npt.NDArray[np.int64], own: list[str]) -> NamesInTopics:
        found = self.in_topics
        return NamesInTopics([found.names[row] for row in rows.tolist()], found.described[rows], *found.among(rows))

    def compare_all(self, rows: npt.NDArray[np.int64]) -> Floats | float:
        same = self._name[rows][:, None] == self._name[rows][None, :]
        if self._curve is None or same.sum() == len(rows):
            return 0.0
        return np.where(same, self._curve(Vectors(self.rows.matrix[rows]).cosine()), np.float32(0.0))

    def compare(self, pairs: Pairs) -> Floats:
        odds = np.zeros(len(pairs), dtype=np.float32)
        same = np.flatnonzero(self._name[pairs[:, 0]] == self._name[pairs[:, 1]])
        if self._curve is not None and len(same):
            asked = np.ascontiguousarray(pairs[same], dtype=np.int32)
            odds[same] = self._curve(np.nan_to_num(kernels.sparse_cosine(*self._encoded, asked)))
        return odds

    def opinions(self, pair: npt.NDArray[np.int64]) -> list[Opinion]:
        odds = float(self.compare(pair[None, :].astype(np.int32))[0])
        if not odds:
            return []
        both, topics = Vectors(self.rows.matrix[pair], self.rows.features), self.topic[pair]
        words = f"{'one topic' if topics[0] == topics[1] else 'two topics'}: {shared_features(both, MOST_STORY_WORDS)}"
        return [Opinion(DOCUMENT, float(both.cosine()[0, 1]), float(expit(odds)), odds, words)]


def _shared(numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Mark the numbers that occur more than once."""
    _, number, count = np.unique(numbers, return_inverse=True, return_counts=True)
    return count[number] > 1


def _without_names(
    stories: Stories, profiles: Profiles, at: npt.NDArray[np.int64], kept: npt.NDArray[np.bool_]
) -> Vectors:
    """The document of each profile that is `kept`, as a row of unit length without the words of the profile's name.

    One long document with thousands of profiles would otherwise be copied thousands of times.
    """
    own = stories.rows[at[kept]]
    lengths = np.zeros(len(at) + 1, dtype=own.indptr.dtype)
    lengths[1:][kept] = np.diff(own.indptr)
    matrix = sparse.csr_matrix((own.data, own.indices, np.cumsum(lengths)), shape=(len(at), own.shape[1]))
    if stories.features is None:
        return Vectors(matrix)
    matrix.sort_indices()
    column = {word: code for code, word in enumerate(stories.features)}
    matrix = without_words(matrix, column, profiles)
    return Vectors(normalize(matrix, copy=False) if matrix.nnz else matrix, stories.features)
