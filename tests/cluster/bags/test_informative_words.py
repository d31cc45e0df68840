"""Whether words tell who is who, and which: against counts by hand, and on links that are made by articles."""

import numpy as np
import pytest
from scipy import sparse
from tests.cluster.sampling.common import f1

from crossdoc import errors
from crossdoc.cluster.bags import BagClustering, informative_words
from crossdoc.cluster.bags.bags import BagMentions
from crossdoc.cluster.bags.informative_words import (
    IN_COMMON,
    LEAST_OWN_CONTEXTS,
    SURE_GAIN,
    Agreement,
    BagFit,
    fit_of_bags,
    hashed,
    mentions_that_tell,
    which_words_tell,
    words_of_one,
)
from crossdoc.cluster.hierarchical import renumber
from crossdoc.model.evidence_protocol import Constraints

from .common import links


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
    found = BagClustering().fit(rows, names=names)
    assert f1(found.labels_, entity) == 1
    assert found.weights_origin_ == "names only: words do not distinguish entities"
    monkeypatch.setattr(Agreement, "tells", lambda self, least=0.0: True)
    assert "bags of words and names: β" in BagClustering().fit(rows, names=names).weights_origin_


def test_where_most_words_are_the_articles_those_count_that_are_the_entities(monkeypatch):
    rows, names, entity = in_articles(3000, 100, 300, own_share=0.35, aliases=3, places=300)
    found = BagClustering().fit(rows, names=names)
    assert f1(found.labels_, entity) > 0.95 > f1(by_name(names), entity) + 0.3
    assert "without the words that contexts of different names have in common" in found.weights_origin_
    kept, which = mentions_that_tell(BagMentions.of(rows, names, Constraints.none(3000)), by_name(names), 0, 1)
    assert which == "some"
    word = np.flatnonzero(np.bincount(rows.indices, minlength=rows.shape[1]) > 1)[kept.words.feature]
    assert (word >= 4000).mean() > (rows.indices >= 4000).mean() + 0.05
    monkeypatch.setattr(informative_words, "IN_COMMON", 0.0)
    assert "names only" in BagClustering().fit(rows, names=names).weights_origin_


def test_names_that_only_words_would_take_apart_stay_whole():
    rows, _, part = links(2400, 240, own_share=0.5, seed=6)
    names = np.array([f"n{entity}" for entity in part // 6])
    assert f1(BagClustering().fit(rows, names=names).labels_, part // 6) == 1
    others = np.array(
        [f"n{e}-{k}" for e, k in zip(part // 6, np.random.default_rng(0).integers(0, 2, 2400), strict=True)]
    )
    assert "bags of words" in BagClustering().fit(rows, names=others).weights_origin_


@pytest.mark.parametrize(
    ("words", "said"),
    [("all", "bags of words and names: β"), ("some", "names, without the words"), ("none", "names only")],
)
def test_words_that_are_given_are_not_measured(words, said):
    rows, names, entity = in_articles()
    found = BagClustering(words=words).fit(rows, names=names)
    assert said in found.weights_origin_
    assert (f1(found.labels_, entity) == 1) == (words == "none")
    assert said in BagClustering(words=words).fit(rows).weights_origin_


def test_words_are_all_some_or_none():
    with pytest.raises(errors.CrossdocError, match="words"):
        BagClustering(words="many").fit(in_articles()[0])


@pytest.mark.parametrize("most", [20_000, 600])
def test_words_are_held_against_names_on_some_mentions(monkeypatch, most):
    monkeypatch.setattr(informative_words, "SAMPLED_MENTIONS", most)
    for (rows, names, _), tells in ((links(), True), (in_articles(2400), False)):
        mentions = BagMentions.of(rows, names, Constraints.none(len(names)))
        found, which = mentions_that_tell(mentions, by_name(names), 0, 2)
        assert which == ("all" if tells else "none")
        assert (found is mentions) == tells
        assert (len(found.words.feature) > 0) == tells
        assert (found.words.length > 0).any() == tells


def test_what_a_bag_shares_between_names_is_left_out_there():
    """Against the pairs of each bag and word, counted one by one; passages count once."""
    rng = np.random.default_rng(0)
    rows = sparse.csr_matrix((rng.random((400, 60)) < 0.2).astype(np.float32))
    rows = sparse.vstack([rows, rows[:20]]).tocsr()
    names = rng.choice(list("abcdef"), 400)
    names = np.concatenate([names, names[:20]])
    mentions = BagMentions.of(rows, names, Constraints.none(420))
    labels, bag = by_name(names), np.concatenate([rng.integers(0, 12, 400), rng.integers(0, 12, 20)]).astype(np.int32)
    for chosen in (np.ones(420, dtype=bool), np.isin(names, ["a", "b", "c"])):
        found = words_of_one(mentions, bag, labels, chosen)
        first = mentions.stands_for == np.arange(420)
        assert first.sum() < 410
        holds = sparse.csr_matrix(
            (np.ones(len(mentions.words.feature)), mentions.words.feature, mentions.words.start)
        ).toarray().astype(bool)  # fmt: skip
        for i in range(420):
            for cell in range(mentions.words.start[i], mentions.words.start[i + 1]):
                of = bag[mentions.stands_for[i]]
                here = holds[:, mentions.words.feature[cell]] & (bag == of) & first
                share = np.flatnonzero(here & chosen)
                pairs = [(x, y) for x in share for y in share if x != y]
                same = sum(names[x] == names[y] for x, y in pairs)
                # A passage may have words that its first mention lacks.
                unknown = not (here & (names == names[mentions.stands_for[i]])).any()
                assert found[cell] == (unknown or not pairs or same >= IN_COMMON * len(pairs))
        assert 0.05 < found.mean() < 0.95


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
    assert (found.tells(), found.tells(informative_words.CLEAR_AGREEMENT), found.splits) == (tells, clearly, splits)


def test_agreement_counts_names_without_words_too():
    assert Agreement(50, 40, 30, 70).f1 == pytest.approx(0.5)


@pytest.mark.parametrize(("whole", "left", "judged", "kept"), [
    (Agreement(100, 100, 45, 100), None, None, "all"),                                           # Clear by all words.
    (Agreement(100, 100, 36, 100), Agreement(100, 100, 50, 100), 26, "some"),  # 1.3 times as good.
    (Agreement(100, 100, 36, 100), Agreement(100, 100, 50, 100), 24, "all"),   # 1.2 times.
    (Agreement(100, 100, 20, 100), Agreement(100, 100, 26, 100), 17, "some"),  # 1.3 times by all names, .85 by others.
    (Agreement(100, 100, 20, 100), Agreement(100, 100, 26, 100), 15, "none"),  # By the others .75 times.
    (Agreement(100, 100, 20, 100), Agreement(100, 100, 24, 100), 40, "none"),  # 1.2 times by all.
    (Agreement(100, 100, 20, 100), Agreement(100, 300, 71, 300), 26, "none"),  # The rest only takes names apart.
    (Agreement(100, 900, 80, 900), None, None, "none"),                        # So do all words.
])  # fmt: skip
def test_which_words_count(monkeypatch, whole, left, judged, kept):
    """Before, names that judge agree with bags in 20 of 100 pairs."""
    rows, names, _ = in_articles(300, own_share=0.3, aliases=2)
    mentions, labels = BagMentions.of(rows, names, Constraints.none(300)), by_name(names)
    chosen, tried = hashed(labels, 0, 4) > 0, []
    first = np.arange(300, dtype=np.int32) // 6

    def bags_by_words(some, *_):
        tried.append(len(some.words.feature))
        return np.ones(300, dtype=bool), first + len(tried) - 1

    def agreement(bag, name, worded, counted):
        assert (name == labels).all()
        assert worded.all()
        assert counted.all() or (counted == ~chosen).all()
        if bag[0] == 0:
            return whole if counted.all() else Agreement(100, 100, 20, 100)
        if bag[0] == 1:
            assert counted.all()
            return left
        assert not counted.all()
        return Agreement(100, 300, judged, 100)

    monkeypatch.setattr(informative_words, "bags_by_words", bags_by_words)
    monkeypatch.setattr(Agreement, "of", agreement)
    assert which_words_tell(mentions, labels, 0, 1) == kept
    every = np.ones(300, dtype=bool)
    wanted = [len(mentions.words.feature)]
    wanted += [words_of_one(mentions, first, labels, some).sum() for some in (every, chosen)]
    assert tried == wanted[: len(tried)]
    assert len(set(wanted)) == 3
    assert len(tried) == (1 if left is None else 3)


def test_a_word_may_be_an_entitys_in_one_place_and_an_articles_in_another():
    """Words of entities of one topic are words of articles of the others: no word is telling everywhere."""
    rng = np.random.default_rng(0)
    n, topics, each, articles = 6000, 3, 40, 400
    topic = rng.integers(0, topics, n)
    entity = topic * each + rng.integers(0, each, n)
    article = topic * articles + rng.integers(0, articles, n)
    own = entity[:, None] * 20 + rng.integers(0, 20, (n, 14))
    stock = topics * each * 20
    of_article = rng.integers(0, stock, (topics * articles, 30))[article[:, None], rng.integers(0, 30, (n, 14))]
    usual = stock + topic[:, None] * 30 + rng.integers(0, 30, (n, 5))
    words = np.concatenate([np.where(rng.random((n, 14)) < 0.35, own, of_article), usual], axis=1)
    rows = sparse.csr_matrix((np.ones(words.size), (np.repeat(np.arange(n), 19), words.ravel())))
    names = np.array([f"n{e}-{k}" for e, k in zip(entity, rng.integers(0, 3, n), strict=True)])
    found = BagClustering().fit(rows, names=names)
    assert f1(found.labels_, entity) > 0.9


@pytest.mark.parametrize("seed", range(4))
def test_words_that_names_share_by_coincidence_alone_do_not_tell(seed):
    """What is left of the words of articles is in two mentions of one name here and there."""
    rng = np.random.default_rng(seed)
    names, article = np.repeat(np.arange(100), 3), rng.permutation(300) // 6
    words = 40 * article[:, None] + rng.integers(0, 40, (300, 12))
    rows = sparse.csr_matrix((np.ones(words.size), (np.repeat(np.arange(300), 12), words.ravel())))
    found = BagClustering().fit(rows, names=names.astype(str))
    assert "names only" in found.weights_origin_


def test_agreement_is_counted_among_some():
    bag, name = np.array([0, 0, 1, 1, 1]), np.array([0, 0, 0, 1, 1])
    every = np.ones(5, dtype=bool)
    assert Agreement.of(bag, name, every, every) == (8, 8, 4, 8)
    assert Agreement.of(bag, name, every, np.array([1, 1, 1, 0, 0], dtype=bool)) == (2, 6, 2, 6)
    assert Agreement.of(bag, name, np.array([1, 0, 1, 1, 1], dtype=bool), every) == (6, 4, 2, 8)


def mentions(kind, n=400, entities=20, seed=0):
    """Entities of two names each; a context has words of its entity, or of a group that chance puts it into."""
    rng = np.random.default_rng(seed)
    entity = rng.integers(0, entities, n)
    names = np.array([f"n{e}-{k}" for e, k in zip(entity, rng.integers(0, 2, n), strict=True)], dtype=object)
    group = {"entities": entity, "chance": rng.integers(0, entities, n)}[kind]
    words = 30 * group[:, None] + rng.integers(0, 30, (n, 12))
    chance = 30 * entities + rng.integers(0, 400, (n, 6))
    columns = np.concatenate([words, chance], axis=1).ravel()
    rows = np.repeat(np.arange(n), 18)
    matrix = sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(n, 30 * entities + 400))
    return matrix.astype(bool).tocsr(), names


@pytest.mark.parametrize(("kind", "better"), [("entities", True), ("chance", False)])
def test_words_of_entities_make_bags_better(kind, better):
    fit = fit_of_bags(*mentions(kind))
    assert fit.is_better == better
    assert fit.own > 0.9
    assert (fit.gain > SURE_GAIN * fit.error > 0) == better


def test_contexts_that_names_share_are_not_their_own():
    matrix, names = mentions("entities")
    shared = np.repeat(np.arange(0, 400, 4), 4)
    fit = fit_of_bags(matrix[shared], names)
    assert fit.own < LEAST_OWN_CONTEXTS
    assert not fit.is_better


def test_the_share_of_own_contexts_and_the_gain_decide():
    assert BagFit(0.9, "all", 2.0, 0.5).is_better
    assert not BagFit(0.9, "all", 2.0, 2.0 / SURE_GAIN).is_better
    assert not BagFit(0.9, "all", -2.0, 0.1).is_better
    assert not BagFit(LEAST_OWN_CONTEXTS, "all", 2.0, 0.5).is_better
    assert BagFit(0.9, "some").is_better
    assert not BagFit(0.9, "none").is_better


@pytest.mark.parametrize("names", [["a"] * 3, ["a", "b", "c"], []])
def test_one_name_or_names_that_occur_once_say_nothing_of_bags(names):
    matrix = sparse.csr_matrix(np.ones((len(names), 4), dtype=bool))
    assert fit_of_bags(matrix, np.array(names, dtype=object)) == BagFit(
        fit_of_bags(matrix, np.array(names)).own, "none"
    )


def test_threads_and_order_do_not_matter():
    matrix, names = mentions("entities")
    assert fit_of_bags(matrix, names, threads=2) == fit_of_bags(matrix, names)


def test_keys_are_spread_evenly_and_otherwise_with_another_seed():
    many = np.bincount(hashed(np.arange(10_000), 5, 10), minlength=10)
    assert many.min() > 850
    assert (hashed(np.arange(100), 5, 10) != hashed(np.arange(100), 6, 10)).any()
