"""The background of a mention is its topic's: what entities of one topic share says nothing of who is who.

Bags are put into topics by spherical k-means (Dhillon & Modha 2001, doi:10.1023/A:1007612920971) over their words. A
word's share of a topic is its mean share of the words of the entities there, other than the one in question, and the
background is a mixture of it and the collection's, in the proportion that makes the words most likely. Centres keep
their main words alone, and shares are counted topic by topic, so that no table of words by topics is held.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from crossdoc.cluster.bags.bags import EntityBags
from crossdoc.cluster.sampling.factor_graph import in_pieces, members_of, taken

BAGS_IN_A_TOPIC = 25
"""On average: enough that the words of one entity are rare in it, and few enough that topics are not mixed."""
MOST_TOPICS = 1_024
MAIN_WORDS = 1_000
"""Words that a centre keeps."""
BAGS_PER_CENTRE = 50
"""Bags for each topic by which its centre is found, where there are more."""
IN_FULL = 1 / 8
"""The share of the centres from which on a word has a weight for each of them, most of them 0."""
FEWEST_HOLDERS = 3
CENTRE_ROUNDS, MIXTURE_STEPS = 6, 8
SAMPLED_TOPICS = 4
"""Topics from which mentions are taken where not all are looked at."""
CELLS = 1_000_000
"""Words on which the proportion is fitted."""


class Centres(NamedTuple):
    """For each word the topics whose centres have it (ends[f]:ends[f + 1]), and its weight there."""

    ends: npt.NDArray[np.int64]
    topic: npt.NDArray[np.int32]
    value: npt.NDArray[np.float32]

    def nearest(
        self, rows: npt.NDArray[np.int64], start: npt.NDArray[np.int64], feature: npt.NDArray[np.int32], topics: int,
        topic: npt.NDArray[np.int64], threads: int = 1,
    ) -> None:  # fmt: skip
        """Put the number of the nearest centre of some rows into `topic`, by the row."""
        args = rows, start, feature, *self, *self._in_full(topics), topics, topic
        in_pieces(nearest_centres, len(rows), threads, *args)

    def _in_full(self, topics: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
        """The words that many centres have: the row of each, or −1, and rows with their weight in every centre.

        Weights of one word that lie side by side are added several at a time.
        """
        many = np.diff(self.ends)
        words = np.flatnonzero(many > IN_FULL * topics)
        place = np.full(len(many), -1, dtype=np.int32)
        place[words] = np.arange(len(words))
        row = np.repeat(place, many)
        full = np.zeros((len(words), topics), dtype=np.float32)
        full[row[row >= 0], self.topic[row >= 0]] = self.value[row >= 0]
        return place, full


def topic_odds(bags: EntityBags, seed: int, threads: int = 1) -> npt.NDArray[np.float32] | None:
    """1 / the share of the background, of each word of each mention; None if there are too few bags for two topics.

    A mention is of the topic that its own words are nearest to.
    """
    several = bags.mass > 1
    topics = min(MOST_TOPICS, int(several.sum()) // BAGS_IN_A_TOPIC)
    if topics < 2:
        return None
    start, feature, times, _, size = bags.words.rows()
    centres, topic = topics_of(start, feature, np.diff(bags.words.ends), several, topics, seed, threads)
    mentions, labels = bags.mentions, bags.labels
    words = mentions.words
    of_mention = np.empty(mentions.n, dtype=np.int64)
    centres.nearest(np.arange(mentions.n), words.start, words.feature, topics, of_mention, threads)
    own = np.where((topic[labels] == of_mention) & several[labels], labels, -1)
    # Every bag counts alike, however large it is.
    others = np.bincount(topic[several], minlength=topics)[of_mention] - (own >= 0)
    share = np.empty(len(words.feature), dtype=np.float32)
    by_bag = np.lexsort((own, of_mention))
    bounds = np.searchsorted(of_mention[by_bag], np.arange(topics + 1))
    args = (start, feature, times, 1 / np.maximum(size, 1), *_by_topic(topic, topics), words.start, words.feature,
            by_bag, bounds, own, np.maximum(others, 1.0), len(mentions.share), share)  # fmt: skip
    in_pieces(shares_of_topics, topics, threads, *args)
    _, *some = taken((words.start, share, words.feature), _some(bags, seed))
    part = topic_part(some[0].astype(np.float64), mentions.share[some[1]])
    mixed = (1 - part) * mentions.share[words.feature]
    mixed += part * share.astype(np.float64)
    return (1 / mixed).astype(np.float32)


def topic_part(of_topic: npt.NDArray[np.float64], background: npt.NDArray[np.float64]) -> float:
    """The topics' part of the mixture with which words are likeliest, by expectation and maximisation."""
    part = 0.5
    for _ in range(MIXTURE_STEPS):
        mixed = part * of_topic
        part = float((mixed / (mixed + (1 - part) * background)).sum()) / max(len(mixed), 1)
    return part


def bags_near_each_other(bags: EntityBags, mentions: int, seed: int, threads: int = 1) -> npt.NDArray[np.bool_]:
    """Which bags are of a few topics that have about so many mentions together."""
    several = bags.mass > 1
    topics = min(MOST_TOPICS, int(SAMPLED_TOPICS * bags.mass.sum() / mentions) + 1, int(several.sum()))
    if topics < 2:
        return several
    start, feature, *_ = bags.words.rows()
    topic = topics_of(start, feature, np.diff(bags.words.ends), several, topics, seed, threads)[1]
    size = np.bincount(topic[several], bags.mass[several], topics)
    order = np.random.default_rng(seed).permutation(topics)
    taken = np.zeros(topics, dtype=np.bool_)
    taken[order[: np.searchsorted(np.cumsum(size[order]), mentions) + 1]] = True
    return several & taken[topic]


def _some(bags: EntityBags, seed: int) -> npt.NDArray[np.int64]:
    """Enough mentions to fit a proportion on."""
    n = bags.mentions.n
    wanted = min(n, int(CELLS / max(bags.mentions.words.length.mean(), 1.0)) + 1)
    return np.sort(np.random.default_rng(seed).choice(n, wanted, replace=False))


def _by_topic(topic: npt.NDArray[np.int64], topics: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Rows in the order of their topics, those without one (−1) last, and where each topic begins and ends."""
    return members_of(np.where(topic < 0, topics, topic).astype(np.int32), topics + 1)


def topics_of(
    start: npt.NDArray[np.int64],
    feature: npt.NDArray[np.int32],
    holders: npt.NDArray[np.int64],
    several: npt.NDArray[np.bool_],
    topics: int,
    seed: int,
    threads: int = 1,
) -> tuple[Centres, npt.NDArray[np.int64]]:
    """Centres, and the topic of each bag of several mentions (−1 of others), from bags drawn at random."""
    weight = _weights(holders, len(several))
    candidates, rng = np.flatnonzero(several), np.random.default_rng(seed)
    drawn = rng.choice(candidates, topics, replace=False)
    some = candidates
    if len(candidates) > BAGS_PER_CENTRE * topics:
        some = np.union1d(drawn, rng.choice(candidates, BAGS_PER_CENTRE * topics, replace=False))
    topic = np.full(len(several), -1)
    topic[drawn] = np.arange(topics)
    for number in range(CENTRE_ROUNDS):
        centres = _centres(start, feature, weight, topic, topics, threads)
        rows = some if number < CENTRE_ROUNDS - 1 else candidates
        centres.nearest(rows, start, feature, topics, topic, threads)
    return centres, topic


def _weights(holders: npt.NDArray[np.int64], bags: int) -> npt.NDArray[np.float32]:
    weight = np.log(bags / np.maximum(holders, 1.0)).astype(np.float32)
    weight[holders < FEWEST_HOLDERS] = 0
    return weight


def _centres(
    start: npt.NDArray[np.int64],
    feature: npt.NDArray[np.int32],
    weight: npt.NDArray[np.float32],
    topic: npt.NDArray[np.int64],
    topics: int,
    threads: int,
) -> Centres:
    main = np.full((topics, MAIN_WORDS), -1, dtype=np.int32)
    value = np.zeros((topics, MAIN_WORDS), dtype=np.float32)
    in_pieces(main_words, topics, threads, start, feature, weight, *_by_topic(topic, topics), main, value)
    valid = main >= 0
    of_topic, word = np.nonzero(valid)[0], main[valid]
    order, ends = members_of(word, len(weight))
    # Word weights are symmetric, so both are applied in the centres.
    return Centres(ends, of_topic[order].astype(np.int32), (value[valid] * weight[word])[order])


@njit(cache=True, nogil=True)
def main_words(start, feature, weight, order, bounds, main, value, first, last):  # type: ignore[no-untyped-def]
    """Each centre the mean of its bags' rows of unit length, by its heaviest words, itself of unit length."""
    width = main.shape[1]
    total = np.zeros(len(weight), dtype=np.float32)
    touched = np.empty(len(weight), dtype=np.int32)
    for t in range(first, last):
        many = 0
        for e in order[bounds[t] : bounds[t + 1]]:
            length = 0.0
            for c in range(start[e], start[e + 1]):
                length += weight[feature[c]] ** 2
            for c in range(start[e], start[e + 1]):
                f = feature[c]
                if weight[f] > 0:
                    if total[f] == 0:
                        touched[many] = f
                        many += 1
                    total[f] += weight[f] / np.sqrt(length)
        values = total[touched[:many]]
        least = np.partition(values, many - width)[many - width] if many > width else np.float32(0)
        kept, length = 0, 0.0
        for k in range(many):
            f = touched[k]
            if total[f] >= least and kept < width:
                main[t, kept] = f
                value[t, kept] = total[f]
                length += total[f] ** 2
                kept += 1
            total[f] = 0
        for k in range(kept):
            value[t, k] /= np.sqrt(length)


@njit(cache=True, nogil=True)
def nearest_centres(rows, start, feature, ends, of_topic, value, place, full, topics, topic, first, last):  # type: ignore[no-untyped-def]
    alike = np.empty(topics, dtype=np.float32)
    for e in rows[first:last]:
        alike[:] = 0
        for c in range(start[e], start[e + 1]):
            f = feature[c]
            if place[f] >= 0:
                weights = full[place[f]]
                for t in range(topics):
                    alike[t] += weights[t]
            else:
                for k in range(ends[f], ends[f + 1]):
                    alike[of_topic[k]] += value[k]
        topic[e] = np.argmax(alike)


@njit(cache=True, nogil=True)
def shares_of_topics(  # type: ignore[no-untyped-def]
    bag_start, bag_feature, bag_times, each, bags, bag_bounds, start, feature, mentions, bounds, own, others, width,
    share, first, last,
):  # fmt: skip
    """Compute the share of each word of a mention in the bags of its topic, without its `own` bag.

    A time in bag e counts each[e]. The mentions of a topic come bag by bag.
    """
    held = np.zeros(width)
    for t in range(first, last):
        for e in bags[bag_bounds[t] : bag_bounds[t + 1]]:
            add_words(bag_start, bag_feature, bag_times, e, each[e], held)
        mine = -1
        for i in mentions[bounds[t] : bounds[t + 1]]:
            if own[i] != mine:
                if mine >= 0:
                    add_words(bag_start, bag_feature, bag_times, mine, each[mine], held)
                mine = own[i]
                if mine >= 0:
                    add_words(bag_start, bag_feature, bag_times, mine, -each[mine], held)
            for c in range(start[i], start[i + 1]):
                share[c] = max(held[feature[c]], 0.0) / others[i]
        for e in bags[bag_bounds[t] : bag_bounds[t + 1]]:
            for c in range(bag_start[e], bag_start[e + 1]):
                held[bag_feature[c]] = 0


@njit(cache=True, nogil=True, inline="always")
def add_words(start, feature, times, e, each, held):  # type: ignore[no-untyped-def]
    for c in range(start[e], start[e + 1]):
        held[feature[c]] += times[c] * each
