"""The model of bags as a user meets it: answers, starts, judgements, seeds, checkpoints, what it refuses."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from crossdoc import errors
from crossdoc.cluster.hierarchical import renumber
from crossdoc.cluster.sampling import SamplingClustering, bag_run
from crossdoc.cluster.sampling.bag_run import BEGINNING, CYCLE, BagRun
from crossdoc.cluster.sampling.bags import Mentions
from crossdoc.cluster.sampling.run import Round
from crossdoc.constraints import Constraints
from crossdoc.progress import Quiet

from .common import f1, random_rows


def links(n=3000, entities=90, topics=5, own_share=0.35, shared=0.3, seed=0, length=14):
    """Contexts of an entity's words, its topic's and others; a part of the names are shared by several entities."""
    rng = np.random.default_rng(seed)
    entity = rng.permutation(np.arange(n) % entities)
    own, topical = rng.integers(0, 8000, (entities, 25)), rng.integers(0, 8000, (topics, 60))
    kind = rng.random((n, length))
    words = np.where(kind < own_share, own[entity[:, None], rng.integers(0, 25, (n, length))],
                     topical[(entity % topics)[:, None], rng.integers(0, 60, (n, length))])  # fmt: skip
    words = np.where(kind > 0.7, rng.integers(0, 8000, (n, length)), words)
    rows = sparse.csr_matrix((np.ones(words.size, np.float32), (np.repeat(np.arange(n), length), words.ravel())))
    which = rng.integers(0, 2, n)
    pooled = rng.random((entities, 2)) < shared
    names = np.where(pooled, rng.integers(0, 20, (entities, 2)), 100 + np.arange(2 * entities).reshape(entities, 2))
    return rows, np.array([f"n{name}" for name in names[entity, which]]), entity


ROWS, NAMES, ENTITY = links()


def test_finds_entities_beyond_their_topics_and_names():
    found = SamplingClustering(threads=2).fit(ROWS, names=NAMES)
    assert f1(found.labels_, ENTITY) > 0.9 > f1(np.unique(NAMES, return_inverse=True)[1], ENTITY) + 0.2
    assert found.stopped_ == "converged"
    assert (found.partition_.labels == found.labels_).all()
    assert found.partition_.membership.sum(axis=1) == pytest.approx(1.0)
    levels = [told.level for told in found.history_]
    assert levels[: len(BEGINNING)] == list(BEGINNING)
    assert levels[len(BEGINNING) : len(BEGINNING) + len(CYCLE)] == list(CYCLE)
    assert found.energy_ > 0
    assert np.isnan(found.bias_)


@pytest.mark.parametrize("joining", [0.0, 1.0])
def test_after_a_join_of_few_bags_none_are_joined_until_mentions_move(monkeypatch, joining):
    monkeypatch.setattr(bag_run, "JOINING", joining)
    rounds = len(BEGINNING) + len(CYCLE)
    told = SamplingClustering(threads=1, max_iter=rounds).fit(ROWS, names=NAMES).history_[:rounds]
    later = [told[at].accepted for at in (1, 2)]
    # A bag is joined with one other at most, so that fewer than all are.
    assert (later == [0, 0]) == (joining == 1.0)
    assert told[0].accepted > 0
    assert told[len(BEGINNING)].accepted > 0


def test_where_all_share_a_name_contexts_tell():
    rows, _, entity = links(1500, 40, own_share=0.5, seed=2)
    assert f1(SamplingClustering().fit(rows, names=["Smith"] * 1500).labels_, entity) > 0.9
    assert f1(SamplingClustering().fit(rows).labels_, entity) > 0.9


def test_where_contexts_are_empty_entities_are_names():
    names = np.repeat([f"n{k}" for k in range(50)], 6)
    found = SamplingClustering().fit(sparse.csr_matrix((300, 5), dtype=np.float32), names=names).labels_
    assert f1(found, np.repeat(np.arange(50), 6)) == 1


def test_names_that_more_hold_than_propose_are_found_without_contexts(monkeypatch):
    monkeypatch.setattr(bag_run, "MOST_NAMED", 5)
    monkeypatch.setattr(bag_run, "HEAVIEST_NAMED", 2)
    names = np.repeat([f"n{k}" for k in range(50)], 12)
    found = SamplingClustering().fit(sparse.csr_matrix((600, 5), dtype=np.float32), names=names).labels_
    assert f1(found, np.repeat(np.arange(50), 12)) == 1


@pytest.mark.parametrize("heaviest", [0, 2])
def test_large_entities_whose_words_and_names_many_hold_find_their_own(monkeypatch, heaviest):
    for name, value in (("LONGEST", 2), ("MOST_NAMED", 5), ("HEAVIEST_WORDS", heaviest), ("HEAVIEST_NAMED", heaviest)):
        monkeypatch.setattr(bag_run, name, value)
    rows, names, entity = links(3000, 8, own_share=0.2, shared=0.0, seed=4)
    found = SamplingClustering(threads=1, max_iter=13).fit(rows, names=names).labels_
    assert (f1(found, entity) > 0.9) == (heaviest > 0)


def test_after_the_first_join_only_bags_that_wished_to_look_for_another(monkeypatch):
    looked: list[int] = []
    found = bag_run.kernels.best_partners

    def counted(which, *rest):
        looked.append(len(which[rest[-2] : rest[-1]]))
        found(which, *rest)

    monkeypatch.setattr(bag_run.kernels, "best_partners", counted)
    told = SamplingClustering(threads=1, max_iter=len(BEGINNING)).fit(ROWS[:600], names=NAMES[:600])
    whole = looked[-3:]
    assert whole[0] == 600 > whole[1] > whole[2] > 0
    assert whole[1] >= told.history_[0].accepted, "those that were joined look on"


def test_starts_from_names_and_from_the_answer_end_alike():
    alone, names, gold = (
        SamplingClustering(start=start).fit(ROWS, names=NAMES) for start in ("singletons", "names", ENTITY)
    )
    assert names.energy_ == pytest.approx(gold.energy_, rel=0.01)
    assert alone.energy_ == pytest.approx(gold.energy_, rel=0.01)
    assert abs(f1(names.labels_, ENTITY) - f1(gold.labels_, ENTITY)) < 0.01


def test_a_start_that_is_mixed_is_split():
    mixed = SamplingClustering(start=ENTITY // 3).fit(ROWS, names=NAMES)
    assert f1(mixed.labels_, ENTITY) > f1(SamplingClustering().fit(ROWS, names=NAMES).labels_, ENTITY) - 0.02
    kept = SamplingClustering(start=ENTITY // 3, max_iter=0).fit(ROWS, names=NAMES)
    assert (kept.labels_ == renumber(ENTITY // 3)).all()


@pytest.mark.parametrize("model", ["bags", "pairs"])
def test_the_order_of_rows_and_the_number_of_threads_make_no_difference(model):
    rng = np.random.default_rng(5)
    n = 900
    rows, names = ROWS[:n], NAMES[:n]
    group = np.arange(n, dtype=np.int32)
    group[[3, 700]] = 3
    limits = Constraints(n, group, np.array([[5, 17]], dtype=np.int32))
    order = rng.permutation(n)
    how = {"model": model, "max_iter": 9, "partitions": None if model == "bags" else 2}
    start = np.arange(n) // 4
    one = SamplingClustering(**how, threads=1, start=start).fit(rows, names=names, constraints=limits)
    two = SamplingClustering(**how, threads=2, start=start[order])
    two.fit(rows[order], names=names[order], constraints=limits.restrict(order))
    assert (renumber(one.labels_[order]) == two.labels_).all()
    assert one.energy_ == two.energy_
    assert one.partition_.membership[order].max(axis=1).toarray() == pytest.approx(
        two.partition_.membership.max(axis=1).toarray()
    )


@pytest.mark.parametrize(
    ("energies", "moved", "tolerance", "over"),
    [((5.0, 9.0, 8.0), 900, 1e-4, True), ((5.0, 8.0, 9.0), 900, 1e-4, False), ((5.0, 8.0, 9.0), 3, 1e-4, True),
     ((5.0, 9.0, 8.0), 900, 0.0, False), ((9.0, 8.0), 900, 1e-4, False)],
)  # fmt: skip
def test_a_cycle_that_ends_no_higher_or_moves_next_to_nothing_is_the_last(energies, moved, tolerance, over):
    """The energies are those after the beginning and after each cycle."""
    levels = [*BEGINNING, *CYCLE * (len(energies) - 1)]
    ends = [len(BEGINNING) - 1 + len(CYCLE) * k for k in range(len(energies))]
    told = [Round(k + 1, level, 0.0, 0.0, 10, 1000, 1000, moved, 0.0) for k, level in enumerate(levels)]
    for end, energy in zip(ends, energies, strict=True):
        told[end] = replace(told[end], energy=energy)
    mentions = Mentions.of(ROWS[:5], NAMES[:5], Constraints.none(5))
    alone = np.arange(5, dtype=np.int32)
    run = BagRun(mentions, alone, alone, Quiet(), False, tolerance, rounds=len(told), history=told)
    assert run._converged() == over


def test_more_rounds_are_no_worse():
    found = SamplingClustering().fit(ROWS, names=NAMES)
    longer = SamplingClustering(tol=0, max_iter=3 * found.n_iter_).fit(ROWS, names=NAMES)
    assert longer.n_iter_ >= found.n_iter_
    assert f1(longer.labels_, ENTITY) > f1(found.labels_, ENTITY) - 0.01


def test_the_same_seed_gives_the_same_answer_on_any_number_of_threads():
    one, two, other = (
        SamplingClustering(threads=t, random_state=s, max_iter=8).fit(ROWS, names=NAMES)
        for t, s in ((1, 0), (3, 0), (1, 1))
    )
    assert (one.labels_ == two.labels_).all()
    assert one.energy_ == pytest.approx(two.energy_)
    assert (one.labels_ != other.labels_).any()


@given(seed=st.integers(0, 2**32 - 1), must=st.integers(0, 20), no=st.integers(0, 60))
@settings(max_examples=15, deadline=None)
def test_never_violates_a_hard_constraint(seed, must, no):
    rng = np.random.default_rng(seed)
    n = 80
    group = np.arange(n)
    for a, b in rng.integers(0, n, (must, 2)):
        group[group == group[a]] = group[b]
    group = np.unique(group, return_inverse=True)[1].astype(np.int32)
    cannot = rng.integers(0, n, (no, 2)).astype(np.int32)
    limits = Constraints(n, group, cannot[group[cannot[:, 0]] != group[cannot[:, 1]]])
    names = [f"n{k}" for k in rng.integers(0, 9, n)]
    start = ["singletons", "names", rng.integers(0, 5, n)][seed % 3]
    found = SamplingClustering(max_iter=9, threads=2, start=start)
    found.fit(random_rows(rng, n, 30, 0.2), names=names, constraints=limits)
    assert limits.violated_by(found.labels_) == 0
    assert (found.partition_.labels == found.labels_).all()


@pytest.mark.parametrize(("weight", "together"), [(3.0, True), (-3.0, False)])
def test_a_soft_judgement_leans(weight, together):
    rows = sparse.csr_matrix(np.repeat(np.eye(12, dtype=np.float32), 5, axis=1))
    pairs = np.array([[0, 1]], dtype=np.int32)
    limits = Constraints(12, np.arange(12, dtype=np.int32), soft=pairs, soft_weight=np.array([weight]))
    names = ["a", "b" if together else "a", *"cdefghijkl"]
    found = SamplingClustering().fit(rows, names=names, constraints=limits).labels_
    assert (found[0] == found[1]) == together
    assert len(set(found[2:])) == 10


def test_a_run_goes_on_from_its_checkpoint(tmp_path):
    how = {"tol": 0, "checkpoint": tmp_path / "run"}
    cycle = len(BEGINNING) + len(CYCLE)
    whole = SamplingClustering(tol=0, max_iter=cycle + len(CYCLE)).fit(ROWS, names=NAMES)
    for first in (cycle, cycle + 1):
        SamplingClustering(**how, max_iter=first).fit(ROWS, names=NAMES)
        rest = SamplingClustering(**how, max_iter=cycle + len(CYCLE), resume=True).fit(ROWS, names=NAMES)
        assert (rest.labels_ == whole.labels_).all()
        assert [told.energy for told in rest.history_] == [told.energy for told in whole.history_]
    with pytest.raises(errors.UsageError, match="another corpus"):
        SamplingClustering(**how, resume=True).fit(ROWS[:-1], names=NAMES[:-1])
    with pytest.raises(errors.UsageError, match="other settings"):
        SamplingClustering(**how, resume=True, random_state=1).fit(ROWS, names=NAMES)


def test_time_ends_a_run():
    found = SamplingClustering(time_limit=1e-9).fit(ROWS[:200], names=NAMES[:200])
    assert (found.stopped_, found.n_iter_) == ("time", 0)
    assert len(set(found.labels_)) == 200


@pytest.mark.parametrize(
    "asked", [{"bias": 0.1}, {"temperature": 0.5}, {"samples": 2}, {"clash_weight": 1.0}, {"hierarchy": "flat"}]
)
def test_what_only_pairs_have_is_refused_by_bags(asked):
    with pytest.raises(errors.UsageError, match=f"no {next(iter(asked))}"):
        SamplingClustering(model="bags", **asked).fit(ROWS)


def test_what_bags_do_not_take_goes_to_pairs_unless_bags_are_asked_for():
    dense = np.abs(np.random.default_rng(0).normal(size=(20, 4)))
    assert np.isfinite(SamplingClustering().fit(dense).bias_)
    assert np.isfinite(SamplingClustering().fit(ROWS[:50], sample_weight=np.full(50, 2)).bias_)
    with pytest.raises(errors.InputError, match="bags are of words"):
        SamplingClustering(model="bags").fit(dense)
    with pytest.raises(errors.UsageError, match="sample_weight"):
        SamplingClustering(model="bags").fit(ROWS[:50], sample_weight=np.full(50, 2))
    with pytest.raises(errors.UsageError, match="model"):
        SamplingClustering(model="words").fit(ROWS)


@pytest.mark.parametrize("how", [{}, {"tol": 0, "max_iter": len(BEGINNING) + len(CYCLE)}])
def test_an_entity_of_two_sorts_of_contexts_is_one_by_its_names(how):
    rng = np.random.default_rng(4)
    rows, _, half = links(2400, 80, own_share=0.5, seed=4)
    entity = half // 2
    names = np.array([f"n{e}-{k}" for e, k in zip(entity, rng.integers(0, 2, 2400), strict=True)])
    found = SamplingClustering(**how).fit(rows, names=names)
    assert found.stopped_ == ("rounds" if how else "converged")
    assert f1(found.labels_, entity) > 0.95
    assert [told.level for told in found.history_][-1] == "sub-entities"
