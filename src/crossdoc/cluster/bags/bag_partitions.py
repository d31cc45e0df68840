"""Preparation of bag rounds over partitions: passages, shares of words, topics, and the choice of informative words.

All steps are tasks on any engine; the driver holds references. Mentions are assigned by name first, so that bags of
names are complete, and then by topic.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from crossdoc.cluster.bags import passages
from crossdoc.cluster.bags.bag_run import BEGINNING, CYCLE
from crossdoc.cluster.bags.bag_shards import (
    BagBackground,
    BagWork,
    bag_shard,
    labels_by_name,
    mentions_of,
    spoken,
)
from crossdoc.cluster.bags.bags import EntityBags, EntityCounts
from crossdoc.cluster.bags.informative_words import (
    SAMPLED_MENTIONS,
    WordChoice,
    choosing,
    telling_words,
    without_words_of_others,
)
from crossdoc.cluster.bags.passages import Owners
from crossdoc.cluster.bags.topics import FINE, MOST_OF_A_NAME, SAMPLED_TOPICS, TopicModel, found_topics
from crossdoc.cluster.sampling.rounds import Ints, Shard, hashed, own
from crossdoc.engine import Engine, Ref

IN_A_PARTITION = 300_000
"""Mentions, in some 1.2 GB."""
TOPIC_SAMPLE = 250_000
"""Mentions from which topics are found."""
SUMMED_AT_ONCE = 8
"""Counts that one task adds up."""


def bag_partitions_for(n: int, in_one_task: int) -> int:
    """How many partitions the bags of n mentions are dealt to: one while a task holds them.

    >>> [bag_partitions_for(n, 2_000_000) for n in (200_000, 2_000_001, 40_000_000)]
    [1, 7, 134]
    """
    return 1 if n <= in_one_task else -(-n // IN_A_PARTITION)


class JudgedPairs(NamedTuple):
    """Judged pairs of nodes and the weights of the judgements (−inf: never one)."""

    pairs: Ints
    weight: npt.NDArray[np.float64]


@dataclass(frozen=True)
class BagRounds:
    """Input of rounds: the work of partitions, the values they share, and the first nodes."""

    work: BagWork
    shared: tuple[Ref, Ref]
    shards: Callable[[], list[Ref]]
    telling: WordChoice
    """The words that tell who is who."""


def prepare(
    engine: Engine, contexts: Sequence[Ref], owners: Owners, judged: Ref, sizes: tuple[int, int, int], parts: int,
    levels: int, seed: int, from_names: bool, given: WordChoice | None = None,
) -> BagRounds:  # fmt: skip
    """From the contexts of each part of the input; the last are apart: those that were `judged` (`Judgements`).

    `sizes` are the numbers of nodes, of words and of names, `levels` that of rounds that one process would do at most.
    The words that count are measured unless they are `given`.
    """
    n, words, names = sizes
    marks = _marks(engine, contexts, engine.put(owners), owners.parts, parts)
    read = [list(each) for each in zip(contexts, marks, strict=True)]
    shares = engine.map(_shares, [_summed(engine, engine.map(_counts, read, words, names))])[0]

    def by_names() -> list[Ref]:
        limits = [None] * (len(read) - 1) + [judged]
        made = engine.map(_shard, [[*each, own] for each, own in zip(read, limits, strict=True)], shares)
        pieces, _ = engine.shuffle(_deal_by_name, made, parts, shares, n, parts, seed)
        return engine.map(Shard.united, pieces)

    kept = [by_names()]
    some = engine.map(_sample, kept[0], shares, n, parts, seed)
    topics = engine.map(_topics, [some], shares, seed)[0]
    background = engine.map(_background, [[topics, shares, *engine.map(_masses, kept[0], shares, topics)]])[0]
    telling: WordChoice = given or "all"
    if given is None and 1 < names < n - 1:
        near = engine.map(_near, kept[0], background, n, seed)
        telling = engine.get(engine.map(_telling, [near], background, seed)[0])

    def shards() -> list[Ref]:
        made = kept.pop() if kept else by_names()
        if telling != "some":
            return made
        near, _ = engine.shuffle(_deal_by_topic, made, parts, background, parts, seed)
        pieces, _ = engine.shuffle(_speaking, near, parts, background, n, parts, seed)
        return engine.map(Shard.united, pieces)

    known = engine.map(_known_names, [background], n)[0]
    cycles = 1 + max(0, -(-(levels - len(BEGINNING)) // (len(CYCLE) + 1)))
    work = BagWork(parts, n, cycles, seed, telling != "none", from_names)
    return BagRounds(work, (background, known), shards, telling)


def _summed(engine: Engine, counts: list[Ref]) -> Ref:
    """A few at a time: each is as long as all words."""
    while len(counts) > 1:
        counts = engine.map(_added, [counts[at : at + SUMMED_AT_ONCE] for at in range(0, len(counts), SUMMED_AT_ONCE)])
    return counts[0]


def _marks(engine: Engine, contexts: Sequence[Ref], owners: Ref, pieces: int, parts: int) -> list[Ref]:
    """For each part of the input the passages that its rows are of."""
    keys, _ = engine.shuffle(passages.dealt_keys, contexts, parts, parts)
    pairs, _ = engine.shuffle(passages.candidates, keys, pieces, owners)
    with_pairs = [[own, *some] for own, some in zip(contexts, pairs, strict=True)]
    sent, _ = engine.shuffle(passages.sent_rows, with_pairs, pieces, owners)
    alike = engine.map(passages.alike_pairs, [[own, *some] for own, some in zip(contexts, sent, strict=True)])
    marks, _ = engine.shuffle(passages.marked, [alike], pieces, owners)
    return [each[0] for each in marks]


# -- tasks -----------------------------------------------------------------------------------------------------------

Shares = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]
"""Share of each word in all words (0 if only one mention has it), and mentions of each name."""


def _counts(held: Sequence[Any], words: int, names: int) -> tuple[Ints, Ints]:
    """In how many rows each word is, and each name."""
    code = held[0].code
    return np.bincount(spoken(*held)[1], minlength=words), np.bincount(code[code >= 0], minlength=names)


def _added(held: Sequence[tuple[npt.NDArray[Any], ...]]) -> tuple[npt.NDArray[Any], ...]:
    return tuple(np.sum(each, axis=0) for each in zip(*held, strict=True))


def _shares(counts: tuple[Ints, Ints]) -> Shares:
    rows, named = counts
    return np.where(rows > 1, rows, 0) / max(rows.sum(), 1), named.astype(np.float64)


def _shard(held: Sequence[Any], shares: Shares) -> Shard:
    contexts, marks, judged = held
    none = JudgedPairs(np.zeros((0, 2), dtype=np.int64), np.zeros(0))
    return bag_shard(contexts, marks, shares[0], *(judged or none))


def _name_keys(shard: Shard, shares: Shares, n: int, parts: int) -> Ints:
    """A number for each node: that of its name, or, if it has none or one that is too common, its own."""
    start, name, _ = shard.ragged["names"]
    key = len(shares[1]) + shard.flat["node"]
    some = np.flatnonzero(np.diff(start))
    first = name[start[some]]
    rare = shares[1][first] <= MOST_OF_A_NAME * n / parts
    key[some[rare]] = first[rare]
    return key


def _deal_by_name(shard: Shard, shares: Shares, n: int, parts: int, seed: int) -> tuple[list[Shard], int]:
    return shard.split(hashed(_name_keys(shard, shares, n, parts), seed, parts), parts), shard.n


def _sample(shard: Shard, shares: Shares, n: int, parts: int, seed: int) -> Shard:
    """All mentions of some names."""
    drawn = hashed(_name_keys(shard, shares, n, parts), seed + 1, FINE) < FINE * TOPIC_SAMPLE / n
    return shard.take(np.flatnonzero(drawn))


def _by_names(shard: Shard, shares: Shares) -> EntityBags:
    shard = Shard.united([shard])
    return EntityBags.of(mentions_of(shard, shares[0], len(shares[1])), labels_by_name(shard))


def _topics(held: Sequence[Shard], shares: Shares, seed: int) -> TopicModel:
    return found_topics(_by_names(Shard.united(held), shares), seed)


def _masses(shard: Shard, shares: Shares, topics: TopicModel) -> npt.NDArray[np.float64]:
    start, word = own(shard.ragged["words"][:2])
    topic = topics.nearest(start, word)
    return np.bincount(topic[topic >= 0], shard.flat["weight"][topic >= 0], topics.many).astype(np.float64)


def _background(held: Sequence[Any]) -> BagBackground:
    topics, (share, named), *masses = held
    return BagBackground(share, topics._replace(mass=np.sum(masses, axis=0)), named)


def _near(shard: Shard, background: BagBackground, n: int, seed: int) -> Shard:
    """The mentions of names of a few topics that have about as many together as are looked at."""
    topics = background.topics
    if n <= SAMPLED_MENTIONS or topics.many < 2:
        return shard.take(np.flatnonzero(hashed(shard.flat["node"], seed, FINE) < FINE * SAMPLED_MENTIONS / n))
    bags = _by_names(shard, (background.share, background.named))
    words, _ = bags.rows()
    place = topics.groups(int(SAMPLED_TOPICS * n / SAMPLED_MENTIONS) + 1, seed)
    topic = topics.nearest(words.start, words.feature)
    near = (bags.mass > 1) & (topic >= 0) & (place[topic] < SAMPLED_TOPICS)
    return shard.take(np.flatnonzero(near[bags.labels]))


def _choosing(shard: Shard, seed: int) -> npt.NDArray[np.bool_]:
    """Whether the name of each node is one that chooses words; those without a name have nothing to choose."""
    start, name, _ = shard.ragged["names"]
    named = np.diff(start) > 0
    chosen = np.zeros(shard.n, dtype=np.bool_)
    chosen[named] = choosing(name[start[:-1][named]], seed)
    return chosen


def _telling(held: Sequence[Shard], background: BagBackground, seed: int) -> WordChoice:
    shard = Shard.united(held)
    mentions = mentions_of(shard, background.share, len(background.named))
    return telling_words(mentions, labels_by_name(shard), _choosing(shard, seed), seed, 1)


def _deal_by_topic(shard: Shard, background: BagBackground, parts: int, seed: int) -> tuple[list[Shard], int]:
    """Each mention for itself: those of one article are near each other, whatever their names are."""
    topics = background.topics
    start, word = own(shard.ragged["words"][:2])
    goes_to = hashed(shard.flat["node"], seed, parts)
    if topics.many:
        topic = topics.nearest(start, word)
        goes_to = np.where(topic >= 0, topics.groups(parts, seed)[topic], goes_to)
    return shard.split(goes_to, parts), shard.n


def _speaking(
    held: Sequence[Shard], background: BagBackground, n: int, parts: int, seed: int
) -> tuple[list[Shard], int]:
    """Nodes without the words that do not tell who is who, dealt by name; contexts are as long as they were."""
    shard = Shard.united(held)
    if shard.n:
        mentions = mentions_of(shard, background.share, len(background.named))
        words = without_words_of_others(mentions, labels_by_name(shard), seed, 1).words
        shard = shard._replace(ragged={**shard.ragged, "words": words[:3]})
    return _deal_by_name(shard, (background.share, background.named), n, parts, seed)


def _known_names(background: BagBackground, n: int) -> EntityCounts:
    """Before any entity is known, each name is one, and so is each mention without one."""
    there = background.named > 0
    return EntityCounts(int(there.sum() + max(n - background.named.sum(), 0)), there.astype(np.float64))
