"""Assignment of entities to partitions, by topic and by name in turn.

Topics are the super-entities of the bag model (`hierarchy.py`): bags of one entity under several names share words, and
therefore a topic. Centres are found once, from the bags of some names. In each round, similar topics are grouped again
from another start, so that the borders differ. Entities that topics have separated meet by their name.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crossdoc.cluster.bags.bag_kernels import MAIN_NAME
from crossdoc.cluster.bags.bags import EntityBags, Features
from crossdoc.cluster.bags.topics import (
    BAGS_IN_A_TOPIC,
    MOST_TOPICS,
    Centres,
    centres_of,
    topics_of,
)
from crossdoc.cluster.sampling.rounds import Ints, hashed, own

REFINED = 2
"""Times that centres are found again from single mentions: names of several topics tell them apart no further."""
MOST_OF_A_NAME = 0.5
"""Names with more mentions than this part of a partition's are dealt by topic, too."""


FINE = 2**20
SharedTrait = Literal["topic", "name", "any name"]
"""Trait that entities of one partition share: the topic, the main name, or one of their frequent names."""


class TopicModel(NamedTuple):
    """Centres, how much each is like each other, and how many mentions are nearest to each."""

    centres: Centres
    alike: npt.NDArray[np.float32]
    mass: npt.NDArray[np.float64]

    @property
    def many(self) -> int:
        return len(self.mass)

    def nearest(self, start: Ints, feature: npt.NDArray[np.int32]) -> Ints:
        """The topic of each row of words; −1 of those without any that a centre has."""
        if not self.many:
            return np.full(len(start) - 1, -1)
        topic = np.empty(len(start) - 1, dtype=np.int64)
        Centres(*own(self.centres)).nearest(np.arange(len(topic)), start, feature, self.many, topic)
        known = np.diff(self.centres.ends)[feature] > 0
        found = np.concatenate([[0], np.cumsum(known)])
        return np.where(found[start[1:]] > found[start[:-1]], topic, -1)

    def groups(self, parts: int, seed: int) -> Ints:
        """A partition for each topic, of about as many mentions each: one drawn at random, and what is most like it."""
        rng = np.random.default_rng(seed)
        group = np.full(self.many, -1)
        for part in range(parts):
            left = group < 0
            wanted, load = self.mass[left].sum() / (parts - part), 0.0
            nearness = rng.random(self.many) * 1e-6
            while left.any():
                best = int(np.argmax(np.where(left, nearness, -1.0)))
                if load and load + self.mass[best] / 2 > wanted and part < parts - 1:
                    break
                group[best], left[best] = part, False
                nearness += self.alike[best]
                load += self.mass[best]
        return group


def found_topics(by_name: EntityBags, seed: int) -> TopicModel:
    """Find centres from bags of names, then from the mentions nearest to each; their masses are 0.

    If there are too few names, each mention is a bag of its own.
    """
    words, width = by_name.mentions.words, len(by_name.words.ends) - 1
    several = by_name.mass > 1
    start, feature, *_ = by_name.words.rows()
    if several.sum() < 2 * BAGS_IN_A_TOPIC:
        start, feature, several = words.start, words.feature, np.diff(words.start) > 0
    many = min(MOST_TOPICS, int(several.sum()) // BAGS_IN_A_TOPIC)
    if many < 2:
        none = Centres(np.zeros(width + 1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.float32))
        return TopicModel(none, np.zeros((0, 0), np.float32), np.zeros(0))
    holders = np.bincount(feature, minlength=width)
    centres, _ = topics_of(start, feature, holders, several, many, seed)
    for _ in range(REFINED):
        topic = TopicModel(centres, np.zeros((0, 0), np.float32), np.zeros(many)).nearest(words.start, words.feature)
        centres = centres_of(words.start, words.feature, holders, len(several), topic, many)
    held = centres.value, centres.topic, centres.ends[: width + 1]
    matrix = sparse.csr_matrix(held, shape=(width, many)).astype(np.float32)
    length = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=0)).ravel())
    alike = (matrix.T @ matrix).toarray() / np.maximum(np.outer(length, length), 1e-12)
    return TopicModel(centres, alike.astype(np.float32), np.zeros(many))


def main_names(names: Features, seed: int | None = None) -> npt.NDArray[np.int32]:
    """Return the most frequent name of each entity, the first among equals; −1 without a name.

    With a seed, draw one of its frequent names instead; entities with the same frequent names draw the same one.
    """
    entity = np.repeat(np.arange(len(names.start) - 1), np.diff(names.start))
    rank = -names.times.astype(np.int64)
    if seed is not None:
        rare = names.times < MAIN_NAME * names.length[entity]
        rank = np.where(rare, FINE, hashed(names.feature, seed, FINE))
    order = np.lexsort((names.feature, rank, entity))
    found = np.full(len(names.start) - 1, -1, dtype=np.int32)
    which, first = np.unique(entity, return_index=True)
    found[which] = names.feature[order][first]
    return found


def usual_topics(name: npt.NDArray[np.int32], topic: Ints) -> Ints:
    """Return the topic of most entities of each name, the first among equals; −1 without a topic.

    The last entry, one past the names, is −1.

    >>> usual_topics(np.array([0, 0, 0, 1, -1]), np.array([7, 3, 7, -1, 2])).tolist()
    [7, -1, -1]
    """
    both = np.flatnonzero((topic >= 0) & (name >= 0))
    pairs, many = np.unique(np.stack([name[both], topic[both]]), axis=1, return_counts=True)
    order = np.lexsort((-many, pairs[0]))
    named, first = np.unique(pairs[0][order], return_index=True)
    usual = np.full(int(name.max(initial=-1)) + 2, -1)
    usual[named] = pairs[1][order][first]
    return usual
