"""Whether words tell who is who, and which: against counts by hand, and on links that are made by articles."""

import numpy as np
import pytest
from scipy import sparse

from crossdoc.cluster.hierarchical import renumber
from crossdoc.cluster.sampling import SamplingClustering, telling
from crossdoc.cluster.sampling.bags import Bags, Mentions
from crossdoc.cluster.sampling.telling import Agreement, Shared, choosing, mentions_that_tell, telling_words
from crossdoc.constraints import Constraints

from .common import f1
from .test_bag_run import links


def in_articles(n=1200, entities=60, articles=40, own_share=0.0, aliases=1, seed=0, places=5):
    """Names are entities', and most words articles': each entity is in five of them, each of which has others."""
    rng = np.random.default_rng(seed)
    entity = rng.integers(0, entities, n)
    article = (7 * entity + rng.integers(0, places, n)) % articles
    of_article, own = rng.integers(0, 4000, (articles, 60)), 4000 + rng.integers(0, 4000, (entities, 20))
    words = of_article[article[:, None], rng.integers(0, 60, (n, 12))]
    owned = rng.random(words.shape) < own_share
    words = np.where(owned, own[entity[:, None], rng.integers(0, 20, words.shape)], words)
    rows = sparse.csr_matrix((np.ones(words.size, np.float32), (np.repeat(np.arange(n), 12), words.ravel())))
    return rows, np.array([f"n{e}-{k}" for e, k in zip(entity, rng.integers(0, aliases, n), strict=True)]), entity


def by_name(names):
    return renumber(np.unique(names, return_inverse=True)[1])


def test_where_words_tell_something_else_entities_are_names(monkeypatch):
    rows, names, entity = in_articles()
    found = SamplingClustering().fit(rows, names=names)
    assert f1(found.labels_, entity) == 1
    assert found.weights_origin_ == "names only: words do not distinguish entities"
    monkeypatch.setattr(Agreement, "tells", lambda self, least=0.0: True)
    assert "bags of words and names: β" in SamplingClustering().fit(rows, names=names).weights_origin_


def test_where_most_words_are_the_articles_those_count_that_are_the_entities(monkeypatch):
    rows, names, entity = in_articles(3000, 100, 300, own_share=0.35, aliases=3, places=300)
    found = SamplingClustering().fit(rows, names=names)
    assert f1(found.labels_, entity) > 0.95 > f1(by_name(names), entity) + 0.3
    assert "of the words: those that agree with names): β" in found.weights_origin_
    kept = mentions_that_tell(Mentions.of(rows, names, Constraints.none(3000)), by_name(names), 0, 1)
    word = np.flatnonzero(np.bincount(rows.indices, minlength=rows.shape[1]) > 1)[kept.words.feature]
    assert (word >= 4000).mean() > (rows.indices >= 4000).mean() + 0.05
    monkeypatch.setattr(telling, "LEAST_CHANCES", ())
    assert "names only" in SamplingClustering().fit(rows, names=names).weights_origin_


def test_names_that_only_words_would_take_apart_stay_whole():
    rows, _, part = links(2400, 240, own_share=0.5, seed=6)
    names = np.array([f"n{entity}" for entity in part // 6])
    assert f1(SamplingClustering().fit(rows, names=names).labels_, part // 6) == 1
    others = np.array(
        [f"n{e}-{k}" for e, k in zip(part // 6, np.random.default_rng(0).integers(0, 2, 2400), strict=True)]
    )
    assert "bags of words" in SamplingClustering().fit(rows, names=others).weights_origin_


@pytest.mark.parametrize("most", [20_000, 600])
def test_words_are_held_against_names_on_some_mentions(monkeypatch, most):
    monkeypatch.setattr(telling, "LOOKED_AT", most)
    for (rows, names, _), tells in ((links(), True), (in_articles(2400), False)):
        mentions = Mentions.of(rows, names, Constraints.none(len(names)))
        found = mentions_that_tell(mentions, by_name(names), 0, 2)
        assert (found is mentions) == tells
        assert (len(found.words.feature) > 0) == tells
        assert (found.words.length > 0).any() == tells


def test_pairs_that_share_a_word_and_a_name():
    rows = sparse.csr_matrix(np.array([[1, 1, 0], [1, 0, 0], [1, 1, 0], [0, 1, 1], [1, 0, 1]]))
    names = np.array(["a", "a", "b", "a", "b"])
    bags = Bags.of(Mentions.of(rows, names, Constraints.none(5)), by_name(names))
    shared = Shared.of(bags.words, np.array([True, True]))
    assert shared.mentions.tolist() == [4, 3, 2]
    # The first word is in a, a, b, b; the second in a, b, a; the third in a, b.
    assert shared.pairs.tolist() == [4, 2, 0]
    by_one = Shared.of(bags.words, bags.labels[names == "b"][0] == np.arange(2))
    assert (by_one.mentions.tolist(), by_one.pairs.tolist()) == ([2, 1, 1], [2, 0, 0])


def test_chances_part_words_of_entities_from_others():
    """Words of one entity with three names of a third each, and words whose holders have nothing in common."""
    rng = np.random.default_rng(0)
    trials = rng.integers(2, 12, 4000)
    telling_one = np.arange(4000) < 1500
    share = np.where(telling_one, 1 / 3, 0.01)
    shared = Shared(trials + 1.0, rng.binomial(trials, share) * (trials + 1.0))
    chance = shared.chances()
    many = trials >= 8
    assert chance[many & telling_one].mean() > 0.9 > 0.1 > chance[many & ~telling_one].mean()
    # As many as there are, on the whole: chances are calibrated.
    assert chance.sum() == pytest.approx(1500, rel=0.1)
    assert Shared(np.array([1.0, 0.0]), np.zeros(2)).chances().tolist() == [0, 0]


def test_words_of_no_entity_have_no_second_kind():
    rng = np.random.default_rng(1)
    trials = rng.integers(2, 30, 5000)
    rare = Shared(trials + 1.0, rng.binomial(trials, 0.05) * (trials + 1.0)).chances()
    assert (rare > 0.5).mean() < 0.01


@pytest.mark.parametrize(
    ("found", "tells", "clearly", "splits"),
    [
        (Agreement(100, 100, 34, 100), True, False, False),
        (Agreement(100, 200, 41, 200), True, True, False),
        (Agreement(200, 100, 41, 200), True, True, False),
        (Agreement(100, 100, 30, 100), False, False, False),
        (Agreement(100, 500, 75, 500), False, False, True),
        (Agreement(0, 0, 0, 0), True, True, False),
        (Agreement(0, 50, 0, 50), False, False, False),
    ],
)
def test_bags_have_to_do_with_names(found, tells, clearly, splits):
    assert (found.tells(), found.tells(telling.CLEAR), found.splits) == (tells, clearly, splits)


def test_agreement_counts_names_without_words_too():
    assert Agreement(50, 40, 30, 70).f1 == pytest.approx(0.5)


@pytest.mark.parametrize(("whole", "better", "splitting", "kept"), [
    (Agreement(100, 100, 45, 100), 60, False, "all"),    # Clear by all words.
    (Agreement(100, 100, 36, 100), 50, False, "some"),   # 1.39 times as good.
    (Agreement(100, 100, 36, 100), 40, False, "all"),    # 1.11 times.
    (Agreement(100, 100, 20, 100), 40, False, "some"),   # By all words nothing agrees.
    (Agreement(100, 100, 20, 100), 80, False, "some"),   # The more the better: those are few names of each bag.
    (Agreement(100, 100, 20, 100), 30, False, "none"),   # By none of them.
    (Agreement(100, 100, 20, 100), 40, True, "none"),    # Some of the words only take names apart.
    (Agreement(100, 900, 80, 900), 400, False, "none"),  # So do all of them.
])  # fmt: skip
def test_which_words_count(monkeypatch, whole, better, splitting, kept):
    """The second threshold is the first with which names that did not choose agree `better`."""
    rows, names, _ = in_articles(300, own_share=0.3, aliases=2)
    mentions, labels = Mentions.of(rows, names, Constraints.none(300)), by_name(names)
    chosen = choosing(np.arange(labels.max() + 1), 0)
    words = Bags.of(mentions, labels).words
    by_some, by_all = Shared.of(words, chosen), Shared.of(words, np.ones_like(chosen))
    judging, tried = ~chosen[labels], []

    def bags_by_words(some, *_):
        tried.append(len(some.words.feature))
        return np.ones(300, dtype=bool), np.full(300, len(tried))

    def agreement(bag, name, worded, counted):
        assert (name == labels).all()
        assert worded.all()
        assert counted.all() or (counted == judging).all()
        if bag[0] > 1 and counted.all():
            return Agreement(100, 300, 80 if splitting else 20, 300)
        return whole if bag[0] == 1 else Agreement(100, 300, better if bag[0] >= 3 else 10, 100)

    monkeypatch.setattr(telling, "bags_by_words", bags_by_words)
    monkeypatch.setattr(Agreement, "of", agreement)
    found = telling_words(mentions, labels, judging, by_some, by_all, 0, 1)
    assert tried[1:] == sorted(tried[1:], reverse=True)
    assert ("all" if found.all() else "some" if found.any() else "none") == kept
    if kept == "some":
        assert (found == (by_all.chances() >= telling.LEAST_CHANCES[1])).all()
        assert tried[2] == (by_some.chances() >= telling.LEAST_CHANCES[1])[mentions.words.feature].sum()


def test_names_that_chose_words_do_not_judge_them():
    """Every word is in two mentions of one name and in no others: it has been chosen by coincidence alone."""
    rng = np.random.default_rng(0)
    names = np.repeat(np.arange(150), 2)
    article = rng.permutation(300) // 6
    words = np.concatenate([100 + 40 * article[:, None] + rng.integers(0, 40, (300, 12)), names[:, None] % 50], axis=1)
    rows = sparse.csr_matrix((np.ones(words.size), (np.repeat(np.arange(300), 13), words.ravel())))
    found = SamplingClustering().fit(rows, names=names.astype(str))
    assert "names only" in found.weights_origin_


def test_agreement_is_counted_among_some():
    bag, name = np.array([0, 0, 1, 1, 1]), np.array([0, 0, 0, 1, 1])
    every = np.ones(5, dtype=bool)
    assert Agreement.of(bag, name, every, every) == (8, 8, 4, 8)
    assert Agreement.of(bag, name, every, np.array([1, 1, 1, 0, 0], dtype=bool)) == (2, 6, 2, 6)
    assert Agreement.of(bag, name, np.array([1, 0, 1, 1, 1], dtype=bool), every) == (6, 4, 2, 8)
