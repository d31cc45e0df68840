"""The background of a mention is its topic's: what entities of one topic share says nothing of who is who.

Bags are put into topics by spherical k-means (Dhillon & Modha 2001, doi:10.1023/A:1007612920971) over their words. A
word's share of a topic is the share of the entities there, other than the one in question, that hold it, and the
background is a mixture of it and the collection's, in the proportion that makes the words most likely.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from crossdoc.cluster.sampling.bag_kernels import rows_of
from crossdoc.cluster.sampling.bags import Bags
from crossdoc.cluster.sampling.threads import in_pieces

BAGS_IN_A_TOPIC = 40
"""On average: enough that the words of one entity are rare in it, and few enough that topics are not mixed."""
MOST_TOPICS = 256
FEWEST_HOLDERS = 3
ROUNDS, STEPS = 6, 8
PLACES = 4
"""Topics from which mentions are taken where not all are looked at."""
CELLS = 1_000_000
"""Words on which the proportion is fitted."""


def topic_odds(bags: Bags, seed: int, threads: int = 1) -> npt.NDArray[np.float32] | None:
    """1 / the share of the background, of each word of each mention; None if there are too few bags for two topics.

    A mention is of the topic that its own words are nearest to.
    """
    several = bags.mass > 1
    topics = min(MOST_TOPICS, int(several.sum()) // BAGS_IN_A_TOPIC)
    if topics < 2:
        return None
    start, feature, *_ = rows_of(*bags.words[:4], len(bags.mass))
    centres, weight, topic = topics_of(start, feature, np.diff(bags.words.ends), several, topics, seed, threads)
    mentions, labels = bags.mentions, bags.labels
    words = mentions.words
    of_mention = np.empty(mentions.n, dtype=np.int64)
    near = words.start, words.feature, weight, centres, of_mention
    in_pieces(lambda first, last: nearest_centres(*near, first, last), mentions.n, threads)
    holding = np.zeros((len(bags.words.ends) - 1, topics), dtype=np.float32)
    count_holders(start, feature, topic, several, holding)
    kinds = np.where(several, np.diff(start), 0)
    at_home = (topic[labels] == of_mention) & several[labels]
    counted = (at_home & mentions.holds).astype(np.float32)
    others = np.bincount(topic[several], kinds[several], topics)[of_mention] - np.where(at_home, kinds[labels], 0)
    held = words.start, words.feature, of_mention, counted, np.maximum(others, 1.0), holding, mentions.share
    part = fit_part(*held, _some(bags, seed))
    odds = np.empty(len(words.feature), dtype=np.float32)
    in_pieces(lambda first, last: fill_odds(*held, part, odds, first, last), mentions.n, threads)
    return odds


def bags_near_each_other(bags: Bags, mentions: int, seed: int, threads: int = 1) -> npt.NDArray[np.bool_]:
    """Which bags are of a few topics that have about so many mentions together."""
    several = bags.mass > 1
    topics = min(MOST_TOPICS, int(PLACES * bags.mass.sum() / mentions) + 1, int(several.sum()))
    if topics < 2:
        return several
    start, feature, *_ = rows_of(*bags.words[:4], len(bags.mass))
    topic = topics_of(start, feature, np.diff(bags.words.ends), several, topics, seed, threads)[2]
    size = np.bincount(topic[several], bags.mass[several], topics)
    order = np.random.default_rng(seed).permutation(topics)
    taken = np.zeros(topics, dtype=np.bool_)
    taken[order[: np.searchsorted(np.cumsum(size[order]), mentions) + 1]] = True
    return several & taken[topic]


def _some(bags: Bags, seed: int) -> npt.NDArray[np.int64]:
    """Enough mentions to fit a proportion on."""
    n = bags.mentions.n
    wanted = min(n, int(CELLS / max(bags.mentions.words.length.mean(), 1.0)) + 1)
    return np.sort(np.random.default_rng(seed).choice(n, wanted, replace=False))


def topics_of(
    start: npt.NDArray[np.int64],
    feature: npt.NDArray[np.int32],
    holders: npt.NDArray[np.int64],
    several: npt.NDArray[np.bool_],
    topics: int,
    seed: int,
    threads: int = 1,
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32], npt.NDArray[np.int64]]:
    """Centres, the weights of features, and the topic of each bag of several mentions, from bags drawn at random."""
    weight = np.log(len(several) / np.maximum(holders, 1.0)).astype(np.float32)
    weight[holders < FEWEST_HOLDERS] = 0
    centres = np.zeros((len(holders), topics), dtype=np.float32)
    drawn = np.random.default_rng(seed).choice(np.flatnonzero(several), topics, replace=False)
    topic = np.full(len(several), -1)
    topic[drawn] = np.arange(topics)
    held = start, feature, weight, centres, topic
    for _ in range(ROUNDS):
        move_centres(start, feature, weight, topic, centres)
        in_pieces(lambda first, last: nearest_centres(*held, first, last), len(several), threads)
        topic[~several] = -1
    return centres, weight, topic


@njit(cache=True, nogil=True)
def move_centres(start, feature, weight, topic, centres):  # type: ignore[no-untyped-def]
    """Each centre the mean of its bags' rows of unit length, itself of unit length."""
    centres[:] = 0
    for e in range(len(topic)):
        if topic[e] < 0:
            continue
        total = 0.0
        for c in range(start[e], start[e + 1]):
            total += weight[feature[c]] ** 2
        for c in range(start[e], start[e + 1]):
            if weight[feature[c]] > 0:
                centres[feature[c], topic[e]] += weight[feature[c]] / np.sqrt(total)
    length = np.zeros(centres.shape[1])
    for f in range(len(centres)):
        for t in range(centres.shape[1]):
            length[t] += centres[f, t] ** 2
    for f in range(len(centres)):
        for t in range(centres.shape[1]):
            if length[t] > 0:
                centres[f, t] /= np.sqrt(length[t])


@njit(cache=True, nogil=True, fastmath=True)
def nearest_centres(start, feature, weight, centres, topic, first, last):  # type: ignore[no-untyped-def]
    topics = centres.shape[1]
    alike = np.empty(topics, dtype=np.float32)
    for e in range(first, last):
        alike[:] = 0
        for c in range(start[e], start[e + 1]):
            f = feature[c]
            w = weight[f]
            if w > 0:
                for t in range(topics):
                    alike[t] += w * centres[f, t]
        topic[e] = np.argmax(alike)


@njit(cache=True, nogil=True)
def count_holders(start, feature, topic, several, holding):  # type: ignore[no-untyped-def]
    """How many bags of each topic hold each feature."""
    for e in range(len(topic)):
        if several[e]:
            for c in range(start[e], start[e + 1]):
                holding[feature[c], topic[e]] += 1


@njit(cache=True, nogil=True)
def fit_part(start, feature, topic, counted, others, holding, share, rows):  # type: ignore[no-untyped-def]
    """The topics' part of the background, by expectation and maximisation."""
    part = 0.5
    for _ in range(STEPS):
        total, cells = 0.0, 0
        for i in rows:
            for c in range(start[i], start[i + 1]):
                from_topic = part * max(holding[feature[c], topic[i]] - counted[i], 0.0) / others[i]
                total += from_topic / (from_topic + (1 - part) * share[feature[c]])
                cells += 1
        part = total / max(cells, 1)
    return part


@njit(cache=True, nogil=True)
def fill_odds(start, feature, topic, counted, others, holding, share, part, odds, first, last):  # type: ignore[no-untyped-def]
    for i in range(first, last):
        for c in range(start[i], start[i + 1]):
            f = feature[c]
            from_topic = max(holding[f, topic[i]] - counted[i], 0.0) / others[i]
            odds[c] = 1 / (part * from_topic + (1 - part) * share[f])
