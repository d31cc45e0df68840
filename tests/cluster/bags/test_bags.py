"""Bags against the formulas written out, on small random collections."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from crossdoc.cluster.bags import bag_kernels as kernels
from crossdoc.cluster.bags import bag_run
from crossdoc.cluster.bags.bag_run import BagRun
from crossdoc.cluster.bags.bags import (
    DISCOUNT,
    UNSEEN_NAMESAKES,
    BagMentions,
    EntityBags,
    Strengths,
    are_words,
    fitted,
)
from crossdoc.errors import CrossdocError
from crossdoc.model.evidence_protocol import Constraints
from crossdoc.progress import Quiet

STRENGTHS = Strengths((0.3, 7.0), (0.1, 2.0), 1.7)


def small(seed=0, n=24, width=120, entities=5):
    rng = np.random.default_rng(seed)
    matrix = sparse.csr_matrix((rng.random((n, width)) < 0.1).astype(np.float32))
    names = [f"n{code}" if code else "" for code in rng.integers(0, 6, n)]
    labels = np.unique(rng.integers(0, entities, n), return_inverse=True)[1].astype(np.int32)
    return matrix, names, labels


def log_odds(words, length, held, size, share, floor, weight):
    """Σ log(β + (1 − β)(n_w / p_w + μ) / (N + μ)) word for word, those that no bag holds included."""
    total = 0.0
    for word in words:
        n = held.get(word, 0)
        total += math.log(floor + (1 - floor) * (n / share[word] + weight) / (size + weight))
    absent = math.log(floor + (1 - floor) * weight / (size + weight))
    return total + (length - len(words)) * absent


def evidence(matrix, names, labels, i, entity, strengths=STRENGTHS):
    """The words and the name of row i against the other rows of an entity."""
    dense = matrix.toarray() > 0
    frequency = dense.sum(axis=0)
    share = frequency / frequency.sum()
    others = [j for j in range(len(labels)) if labels[j] == entity and j != i]
    held = {w: int(dense[others, w].sum()) for w in range(dense.shape[1])}
    words = [w for w in np.flatnonzero(dense[i]) if frequency[w] > 1]
    said = log_odds(words, dense[i].sum(), held, dense[others].sum(), share, *strengths.words)
    if not names[i]:
        return said
    named = [names[j] for j in others if names[j]]
    known = [name for name in names if name]
    share = {name: known.count(name) / len(known) for name in known}
    times = {names[i]: named.count(names[i])}
    return said + log_odds([names[i]], 1, times, len(named), share, *strengths.names)


@pytest.mark.parametrize("longest", [0, 2, 100])
@pytest.mark.parametrize("heaviest", [0, 1, 3])
@pytest.mark.parametrize("seed", range(4))
def test_a_mention_against_a_bag(seed, longest, heaviest, monkeypatch):
    for name, value in (("MOST_HOLDERS", longest), ("MOST_NAMED", longest)):
        monkeypatch.setattr(bag_run, name, value)
    monkeypatch.setattr(bag_run, "HEAVIEST_WORDS", heaviest)
    monkeypatch.setattr(bag_run, "HEAVIEST_NAMED", heaviest)
    matrix, names, labels = small(seed)
    mentions = BagMentions.of(matrix, names, Constraints.none(len(labels)))
    run = BagRun(mentions, labels, labels, Quiet(), False)
    run.strengths = STRENGTHS
    who, value = run.best_entities(np.arange(len(labels)), 6)
    mass = np.bincount(labels)
    for i in range(len(labels)):
        found = {e: v for e, v in zip(who[i], value[i], strict=True) if e > -2}
        assert set(found) <= {*range(len(mass)), -1}
        assert len(found) > 2 or longest + heaviest == 0
        assert (-1 in found) == (mass[labels[i]] > 1)
        for e, v in found.items():
            there = mass[e] - (labels[i] == e) if e >= 0 else 0
            if there:
                expected = evidence(matrix, names, labels, i, e) + math.log(there - DISCOUNT)
            else:
                expected = STRENGTHS.new
            assert v == pytest.approx(expected, rel=1e-5, abs=1e-5)


def within(matrix, names, labels, members, strengths=STRENGTHS):
    """Evidence of the members of a bag with the rest of it, each left out in turn and bags counted by their mean."""
    dense = matrix.toarray()[members] > 0
    frequency = (matrix.toarray() > 0).sum(axis=0)
    n = len(members)
    total = 0.0
    known = [name for name in names if name]
    named = [names[j] for j in members if names[j]]
    for share, held, size, (floor, weight) in (
        ({w: f / frequency.sum() for w, f in enumerate(frequency)},
         {w: int(dense[:, w].sum()) for w in range(dense.shape[1])}, dense.sum(), strengths.words),
        ({name: known.count(name) / len(known) for name in known},
         {name: named.count(name) for name in named}, len(named), strengths.names),
    ):  # fmt: skip
        room = size * (1 - 1 / n) + weight
        for feature, times in held.items():
            if times:
                rest = (times - 1) / share[feature]
                total += times * math.log(floor + (1 - floor) * (rest + weight) / room)
    return total * (1 - 1 / n)


@pytest.mark.parametrize("seed", range(4))
def test_a_bag_against_a_bag(seed):
    matrix, names, labels = small(seed)
    mentions = BagMentions.of(matrix, names, Constraints.none(len(labels)))
    bags = EntityBags.of(mentions, labels)
    words, named = bags.words.rows(), bags.names.rows()
    members = [np.flatnonzero(labels == e) for e in range(len(bags.mass))]
    for a in range(len(members)):
        for b in range(a):
            held = words, named, STRENGTHS.words, STRENGTHS.names, bags.mass, DISCOUNT, STRENGTHS.new, a, b, np.zeros(3)
            x, y = len(members[a]), len(members[b])
            prior = sum(sign * math.lgamma(n - DISCOUNT) for sign, n in ((1, x + y), (-1, x), (-1, y), (1, 1)))
            both = within(matrix, names, labels, np.concatenate([members[a], members[b]]))
            apart = within(matrix, names, labels, members[a]) + within(matrix, names, labels, members[b])
            assert kernels.joined_gain(*held) == pytest.approx(both - apart + prior - STRENGTHS.new, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("larger", [kernels.MOST_TIMES_LARGER, kernels.MOST_TIMES_LARGER + 1])
def test_a_bag_is_not_joined_with_one_that_is_far_larger(larger):
    labels = np.minimum(np.arange(1 + larger), 1).astype(np.int32)
    matrix = sparse.csr_matrix(np.ones((len(labels), 1), dtype=np.float32))
    bags = EntityBags.of(BagMentions.of(matrix, ["Ann"] * len(labels), Constraints.none(len(labels))), labels)
    partner, gain = np.empty(2, dtype=np.int64), np.empty(2)
    heavy = [kernels.heaviest(*holders[:3], 100, 2) for holders in (bags.words, bags.names)]
    held = bags.words.rows(), bags.names.rows(), bags.words, bags.names, *heavy, np.zeros(2, dtype=np.int32)
    how = STRENGTHS.words, STRENGTHS.names, bags.mass, DISCOUNT, -50.0, 100, 100, 1
    kernels.best_partners(np.arange(2), *held, *how, partner, gain, 0, 2)
    assert partner.tolist() == ([1, 0] if larger == kernels.MOST_TIMES_LARGER else [-1, 0])


def test_the_partner_gains_most():
    matrix, names, labels = small(1, n=40, entities=12)
    bags = EntityBags.of(BagMentions.of(matrix, names, Constraints.none(40)), labels)
    words, named = bags.words.rows(), bags.names.rows()
    k = len(bags.mass)
    how = STRENGTHS.words, STRENGTHS.names, bags.mass, DISCOUNT, -50.0
    partner, gain = np.empty(k, dtype=np.int64), np.empty(k)
    within = np.zeros(k, dtype=np.int32)
    heavy = [kernels.heaviest(*holders[:3], 100, 2) for holders in (bags.words, bags.names)]
    held = words, named, bags.words, bags.names, *heavy, within
    kernels.best_partners(np.arange(k), *held, *how, 100, 100, k, partner, gain, 0, k)
    for a in range(k):
        gains = [-np.inf if a == b else kernels.joined_gain(words, named, *how, a, b, np.zeros(3)) for b in range(k)]
        assert gain[a] == pytest.approx(max(gains))
        assert partner[a] == np.argmax(gains)


@pytest.mark.parametrize("longest", [0, 3])
def test_the_heaviest_holders_of_what_many_hold(longest):
    matrix, names, labels = small(1, n=60, entities=9)
    ends, entity, times, _, _ = EntityBags.of(BagMentions.of(matrix, names, Constraints.none(60)), labels).words
    begins, places = kernels.heaviest(ends, entity, times, longest, 3)
    for f in range(len(ends) - 1):
        holders = range(ends[f], ends[f + 1])
        expected = sorted(holders, key=lambda k: (-times[k], k))[:3] if len(holders) > max(longest, 3) else []
        assert places[begins[f] : begins[f + 1]].tolist() == expected


def test_a_word_that_too_many_hold_finds_those_that_hold_it_most():
    """Ten bags hold the one word, one of them three times: only that one is looked at by who is alone with it."""
    matrix = sparse.csr_matrix(np.ones((13, 1), dtype=np.float32))
    labels = np.array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 10], dtype=np.int32)
    run = BagRun(BagMentions.of(matrix, None, Constraints.none(13)), labels, labels, Quiet(), False)
    run.strengths = STRENGTHS
    run.mentions = replace(run.mentions, stands_for=np.arange(13))
    who, value = run.best_entities(np.array([12]), 4)
    assert who[0, 2] == 9
    assert value[0, 2] == pytest.approx(math.log(3 - DISCOUNT) + math.log(0.3 + 0.7 * (3 + 7.0) / (3 + 7.0)))


def test_holders_and_rows_are_the_counts_of_each_entity():
    matrix, names, labels = small(3)
    mentions = BagMentions.of(matrix, names, Constraints.none(len(labels)))
    bags = EntityBags.of(mentions, labels)
    counts = np.zeros((len(bags.mass), matrix.shape[1]), dtype=int)
    np.add.at(counts, labels, matrix.toarray().astype(int))
    words = bags.words.rows()
    kept = np.flatnonzero((matrix.toarray() > 0).sum(axis=0) > 1)
    for e in range(len(bags.mass)):
        row = slice(words.start[e], words.start[e + 1])
        assert dict(zip(kept[words.feature[row]], words.times[row], strict=True)) == {
            w: counts[e, w] for w in kept if counts[e, w]
        }
        for f, w in enumerate(kept):
            assert kernels.held(*bags.words[:3], f, e) == counts[e, w]
    assert bags.words.size.tolist() == counts.sum(axis=1).tolist()


def test_log_odds_that_are_no_number_stop_the_run():
    matrix, names, labels = small()
    run = BagRun(BagMentions.of(matrix, names, Constraints.none(len(labels))), labels, labels, Quiet(), False)
    run.strengths = STRENGTHS._replace(words=(0.3, float("nan")))
    with pytest.raises(CrossdocError, match="not a number"):
        run.energy()


@pytest.mark.parametrize("seed", range(4))
def test_log_odds_of_all_are_those_of_each_with_the_rest_of_its_bag(seed):
    matrix, names, labels = small(seed)
    matrix = sparse.vstack([matrix, matrix[:1]]).tocsr()
    names, labels = [*names, names[0]], np.append(labels, labels[1]).astype(np.int32)
    group = np.arange(len(labels), dtype=np.int32)
    group[3] = 2
    labels[3] = labels[2]
    mentions = BagMentions.of(matrix, names, Constraints(len(labels), group))
    run = BagRun(mentions, np.delete(labels, 3), np.delete(labels, 3), Quiet(), False, threads=2)
    run.strengths = STRENGTHS
    own = run.best_entities(np.arange(mentions.n), 1)[1][:, 0]
    assert run.energy() == pytest.approx((own - STRENGTHS.new).sum())


def test_words_propose_from_the_rarest_on_while_few_hold_them():
    start, ends = np.array([0, 4]), np.cumsum([0, 70, 10, 300, 80])
    feature = np.arange(4, dtype=np.int32)
    for most, far in ((159 / 4, 70), (160 / 4, 80), (459 / 4, 80), (460 / 4, 300), (0.0, 50)):
        assert kernels.reach(start, feature, ends, 0, 50, most) == far


def test_a_name_is_worth_less_the_more_entities_go_by_it():
    rows = sparse.csr_matrix((8, 3), dtype=np.float32)
    mentions = BagMentions.of(rows, ["a"] * 4 + ["b"] * 3 + [""], Constraints.none(8))
    odds = EntityBags.of(mentions, np.array([0, 0, 1, 1, 2, 2, 2, 3], dtype=np.int32)).name_odds()
    assert odds[:4] == pytest.approx((2 + 1) / (2 - 1 + UNSEEN_NAMESAKES))
    assert odds[4:] == pytest.approx((2 + 1) / UNSEEN_NAMESAKES)


def test_strengths_are_those_with_which_mentions_are_likeliest():
    matrix, names, labels = small(5, n=60, entities=6)
    bags = EntityBags.of(BagMentions.of(matrix, names, Constraints.none(60)), labels)
    found = fitted(bags, STRENGTHS, 0.9)

    def likelihood(strengths):
        total = 0.0
        for i in range(60):
            said = evidence(matrix, [""] * 60, labels, i, labels[i], strengths)
            total += np.logaddexp(math.log(0.9) + said, math.log(0.1))
        return total

    best = likelihood(found)
    mean = matrix.nnz / 60
    for floor in (0.02, 0.3, 0.6, 0.9):
        for weight in (0.1, 1.0, 10.0, 100.0):
            assert likelihood(found._replace(words=(floor, weight * mean))) <= best + 1e-6
    assert found.new == pytest.approx(math.log(1 + DISCOUNT * len(bags.mass)))


def test_rows_that_must_be_one_are_one_node_with_all_their_words_and_names():
    matrix, names, _ = small(2)
    group = np.arange(24, dtype=np.int32)
    group[[3, 4, 5]] = 3
    mentions = BagMentions.of(matrix, names, Constraints(24, np.unique(group, return_inverse=True)[1].astype(np.int32)))
    assert mentions.n == 22
    assert mentions.weight[3] == 3
    assert mentions.words.length[3] == matrix[3:6].nnz
    assert mentions.names.length[3] == sum(bool(name) for name in names[3:6])
    row = slice(mentions.words.start[3], mentions.words.start[4])
    often = (matrix.toarray() > 0).sum(axis=0) > 1
    assert mentions.words.times[row].sum() == (matrix[3:6].toarray()[:, often] > 0).sum()


def test_only_rows_like_words_make_bags():
    assert are_words(sparse.identity(4, format="csr"))
    assert not are_words(-sparse.identity(4, format="csr"))
    assert not are_words(sparse.csr_matrix(np.ones((3, 3))))


def test_bags_that_share_all_their_names_are_one_entity_and_those_that_share_one_are_not():
    """Bags 0 and 1 go by a and b, and bag 2 by a and c."""
    rows = sparse.csr_matrix((24, 3), dtype=np.float32)
    names = [*"aaaabbbb", *"aabbbbbb", *"aaaacccc"]
    labels = np.repeat(np.arange(3, dtype=np.int32), 8)
    mentions = BagMentions.of(rows, names, Constraints.none(24))
    bags = EntityBags.of(replace(mentions, names=mentions.names._replace(odds=np.full(24, 20, np.float32))), labels)
    held = bags.names.rows()
    said = kernels.names_after(*held, 0.1, 0, 1)
    assert said == pytest.approx(2 * math.log(0.1 + 0.9 * 0.5 * 20), rel=1e-6)
    assert kernels.names_after(*held, 0.1, 0, 2) == pytest.approx(
        math.log(0.1 + 0.9 * 0.5 * 20) + math.log(0.1), rel=1e-6
    )
    for new, best in ((3.0, [1, 0, -1]), (5.0, [-1, -1, -1])):
        partner, gain = np.empty(3, dtype=np.int64), np.empty(3)
        kernels.partners_by_name(*held, *bags.names[:2], 0.1, bags.mass, new, 100, partner, gain)
        assert partner.tolist() == best
        expected = kernels.names_after(*held, 0.1, 1, 0)
        assert gain[0] == pytest.approx(max(min(said, expected) - new, 0))


def test_two_that_would_each_go_to_the_other_do_not_both_go():
    nodes, labels = np.array([0, 1, 2]), np.array([0, 1, 2])
    who = np.array([[0, -1, 1], [1, -1, 0], [2, -1, -2]], dtype=np.int32)
    value = np.array([[1.0, 1.0, 4.0], [1.0, 1.0, 4.0], [1.0, -20.0, -np.inf]])
    limits = BagMentions.of(*small(1, n=3, entities=3)[:2], Constraints.none(3)).limits
    settled = np.zeros(3, dtype=np.bool_)
    assert kernels.take_moves(nodes, who, value, labels, limits, 3, 10.0, settled) == 1
    assert labels.tolist() == [1, 1, 2]
    assert settled.tolist() == [False, False, True]


def mentions(n: int, seed: int) -> BagMentions:
    rng = np.random.default_rng(seed)
    matrix = sparse.random(n, 30, density=0.2, format="csr", random_state=seed)
    return BagMentions.of(matrix, [f"n{k}" for k in rng.integers(0, 9, n)], Constraints.none(n))


@pytest.mark.parametrize("n", [1, 2, 7, 200])
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_holders_and_rows_are_those_of_the_sums(n: int, threads: int) -> None:
    some = mentions(n, n)
    labels = np.unique(np.random.default_rng(n).integers(0, max(n // 4, 1), n), return_inverse=True)[1].astype(np.int32)
    bags = EntityBags.of(some, labels)
    words = some.words
    cells = sparse.csr_matrix((words.times, words.feature, words.start), shape=(n, len(some.share)))
    held = cells.multiply(some.holds[:, None]).tocsr()
    into = sparse.csr_matrix((np.ones(n, dtype=np.int32), (labels, np.arange(n))), shape=(labels.max() + 1, n))
    expected = sparse.csr_matrix(into @ held)
    expected.eliminate_zeros()
    expected.sort_indices()
    rows = bags.words.rows()
    np.testing.assert_array_equal(rows.start, expected.indptr)
    np.testing.assert_array_equal(rows.feature, expected.indices)
    np.testing.assert_array_equal(rows.times, expected.data)
    by_word = expected.tocsc()
    by_word.sort_indices()
    np.testing.assert_array_equal(bags.words.ends, by_word.indptr)
    np.testing.assert_array_equal(bags.words.entity, by_word.indices)
    np.testing.assert_array_equal(bags.words.times, by_word.data)


def test_odds_are_the_least_of_the_members() -> None:
    some = mentions(60, 1)
    odds = np.random.default_rng(2).random(len(some.words.feature)).astype(np.float32)
    some = BagMentions(
        some.words._replace(odds=odds), *(getattr(some, name) for name in list(some.__dataclass_fields__)[1:])
    )
    labels = np.sort(np.random.default_rng(3).integers(0, 9, 60))
    labels = np.unique(labels, return_inverse=True)[1].astype(np.int32)
    words = EntityBags.of(some, labels).words
    for f in range(len(words.ends) - 1):
        for k in range(words.ends[f], words.ends[f + 1]):
            members = np.flatnonzero((labels == words.entity[k]) & some.holds)
            own = [
                odds[c]
                for i in members
                for c in range(some.words.start[i], some.words.start[i + 1])
                if some.words.feature[c] == f
            ]
            assert words.odds[k] == min(own)
