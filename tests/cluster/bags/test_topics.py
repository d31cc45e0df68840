"""Topics found in bags, and the background that they give, against the formula."""

import numpy as np
import pytest
from scipy import sparse

from crossdoc.cluster.bags import topics
from crossdoc.cluster.bags.bags import BagMentions, EntityBags
from crossdoc.cluster.bags.topics import (
    BAGS_IN_A_TOPIC,
    Centres,
    shares_of_topics,
    topic_odds,
    topic_part,
    topics_of,
)
from crossdoc.model.evidence_protocol import Constraints

from .common import links


def test_bags_of_one_topic_come_together():
    rows, _, entity = links(4000, 200, topics=4, own_share=0.2)
    bags = EntityBags.of(BagMentions.of(rows, None, Constraints.none(4000)), entity.astype(np.int32))
    words = bags.words.rows()
    several = np.ones(200, dtype=np.bool_)
    topic = topics_of(words.start, words.feature, np.diff(bags.words.ends), several, 8, 0)[1]
    right = sum(np.bincount(np.arange(200)[topic == t] % 4).max() for t in range(8) if (topic == t).any())
    assert right > 180


def test_words_of_the_topic_have_lower_odds_and_own_words_keep_theirs():
    rows, _, entity = links(4000, 200, topics=4, own_share=0.2)
    mentions = BagMentions.of(rows, None, Constraints.none(4000))
    bags = EntityBags.of(mentions, entity.astype(np.int32))
    odds = topic_odds(bags, 0)
    times = odds / mentions.words.odds
    held = np.diff(bags.words.ends)[mentions.words.feature]
    assert times[held > 30].mean() < 0.75
    assert times[held < 4].mean() > 1


def test_few_bags_have_no_topics():
    rows, _, entity = links(1000, 2 * BAGS_IN_A_TOPIC - 1)
    assert (
        topic_odds(EntityBags.of(BagMentions.of(rows, None, Constraints.none(1000)), entity.astype(np.int32)), 0)
        is None
    )


def test_the_share_of_a_topic_is_the_mean_of_its_other_bags():
    """Every word of every mention against a loop over the bags of its topic."""
    rows, _, entity = links(1000, 2 * BAGS_IN_A_TOPIC, topics=2)
    mentions = BagMentions.of(rows, None, Constraints.none(1000))
    bags = EntityBags.of(mentions, entity.astype(np.int32))
    words, shares = mentions.words, []
    start, feature, times, _, size = bags.words.rows()
    centres, topic = topics_of(start, feature, np.diff(bags.words.ends), bags.mass > 1, 2, 0)
    of_mention = np.empty(1000, dtype=np.int64)
    centres.nearest(np.arange(1000), words.start, words.feature, 2, of_mention)
    assert (topic[entity] != of_mention).any()
    table = np.zeros((len(size), len(mentions.share)))
    table[np.repeat(np.arange(len(size)), np.diff(start)), feature] = times
    for i in range(1000):
        others = [e for e in np.flatnonzero((topic == of_mention[i]) & (bags.mass > 1)) if e != entity[i]]
        mean = (table[others] / size[others, None]).mean(axis=0)
        shares.append(mean[words.feature[words.start[i] : words.start[i + 1]]])
    mixed, background = np.concatenate(shares), mentions.share[words.feature]
    part = topic_part(mixed, background)
    assert topic_odds(bags, 0, threads=2) == pytest.approx(1 / (part * mixed + (1 - part) * background), rel=1e-4)


def test_large_bags_of_a_topic_do_not_hide_how_usual_its_words_are():
    """Every bag holds the topic's word; where bags are large, so do most of many other words, each of them seldom."""
    rng = np.random.default_rng(0)
    entity = np.repeat(np.arange(2 * BAGS_IN_A_TOPIC), 40)
    topical, others = entity % 2, 2 + rng.integers(0, 200, (len(entity), 20))
    filled = sparse.lil_matrix((len(entity), 202))
    filled[np.arange(len(entity)), topical] = 1
    filled[np.arange(len(entity))[:, None], others] = 1
    mentions = BagMentions.of(filled.tocsr(), None, Constraints.none(len(entity)))
    odds = topic_odds(EntityBags.of(mentions, entity.astype(np.int32)), 0)
    length = np.diff(filled.tocsr().indptr).mean()
    assert np.median(odds[mentions.words.feature < 2]) == pytest.approx(length, rel=0.35)


def test_the_background_is_the_mixture_that_makes_words_likeliest():
    """Two topics, three features: their shares of the other bags, mixed with the collection's."""
    start, feature = np.array([0, 2, 4]), np.array([0, 1, 1, 2], dtype=np.int32)
    own, others = np.array([0, -1]), np.array([8.0, 10.0])
    bags, times = [[0, 1], [0], [0], [1, 2], [1], [1, 2]], np.array([1, 2, 1, 2, 3, 1, 1, 1, 1], dtype=np.int32)
    each = np.array([1.0, 1.0, 2.0, 1.0, 2.0, 1.0])
    bag_start = np.cumsum([0, *map(len, bags)])
    bag_feature = np.concatenate(bags).astype(np.int32)
    share, from_topic = np.array([0.2, 0.3, 0.1]), np.empty(4, dtype=np.float32)
    held = bag_start, bag_feature, times, each, np.arange(6), np.array([0, 3, 6])
    shares_of_topics(*held, start, feature, np.arange(2), np.arange(3), own, others, 3, from_topic, 0, 2)
    assert from_topic == pytest.approx([5 / 8, 0, 6 / 10, 2 / 10])
    mixed, background = from_topic.astype(np.float64), share[feature]

    def likelihood(part):
        return np.log(part * mixed + (1 - part) * background).sum()

    part = topic_part(mixed, background)
    assert likelihood(part) > max(likelihood(part - 0.2), likelihood(part + 0.2))


@pytest.mark.parametrize("share", [0.0, 1 / 8, 1.0])
def test_the_nearest_centre_is_the_one_with_the_greatest_product(monkeypatch, share):
    """Whichever words have a weight for every centre."""
    monkeypatch.setattr(topics, "IN_FULL", share)
    rng = np.random.default_rng(0)
    weight = np.where(rng.random((30, 9)) < 0.3, rng.random((30, 9)), 0).astype(np.float32)
    weight[:5] = rng.random((5, 9))
    word, topic = np.nonzero(weight)
    ends = np.searchsorted(word, np.arange(31))
    centres = Centres(ends, topic.astype(np.int32), weight[word, topic])
    rows = sparse.random(40, 30, 0.3, "csr", random_state=0)
    found = np.full(40, -1)
    some = np.arange(0, 40, 2)
    centres.nearest(some, rows.indptr.astype(np.int64), rows.indices, 9, found, 2)
    assert (found[some] == ((rows != 0) @ weight).argmax(axis=1)[some]).all()
    assert (found[1::2] == -1).all()
    assert len(centres._in_full(9)[1]) == ((weight > 0).sum(axis=1) > 9 * share).sum()
