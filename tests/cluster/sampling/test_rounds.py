"""Rounds over partitions: nothing is lost, sums, temperatures, judgements, and every engine finds the same."""

import time
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

import crossdoc
from crossdoc import errors
from crossdoc.cluster.sampling import rounds as module
from crossdoc.cluster.sampling.factor_graph import FactorGraph
from crossdoc.cluster.sampling.pair_run import Plan, Schedule
from crossdoc.cluster.sampling.rounds import PairWork, Rounds, Shard, global_labels, hashed, pair_shards
from crossdoc.engine import LocalEngine, Lost
from crossdoc.model import Judgement, Profile
from crossdoc.model.evidence_protocol import Constraints
from crossdoc.progress import Quiet
from crossdoc.scoring import Alignment, b_cubed

from .common import pair_work

PLAN = Plan(0.3, sub_bias=0.9, falling=True)


def grouped(groups=12, each=9, seed=0):
    """Rows of a few groups with words of their own, and the group of each."""
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(groups), each)
    dense = rng.random((len(group), 6 * groups)) * (rng.random((len(group), 6 * groups)) < 0.05)
    for row, at in enumerate(group):
        dense[row, 6 * at : 6 * at + 6] += rng.random(6) + 0.5
    dense /= np.linalg.norm(dense, axis=1, keepdims=True)
    return sparse.csr_matrix(dense.astype(np.float32)), group


def run_of(graph, engine, parts=3, file=None, meeting="canopies", plan=PLAN, cycles=1):
    def shards(labels):
        cut = pair_shards(graph, np.arange(graph.n) if labels is None else labels, parts)
        return [engine.put(shard) for shard in cut]

    return Rounds(engine, shards, pair_work(graph, plan, meeting, parts, cycles), graph.n, Quiet(), file)


def labels_of(engine, pieces, n):
    labels = np.full(n, -1)
    for _, *held in pieces:
        shard = Shard.united([engine.get(ref) for ref in held])
        assert (labels[shard.flat["node"]] == -1).all()
        labels[shard.flat["node"]] = shard.flat["label"]
    assert (labels >= 0).all()
    return np.unique(labels, return_inverse=True)[1]


def test_a_run_goes_on_from_what_it_kept(local, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "SECONDS_BETWEEN", 0.0)
    # Entities whose nodes lie in several shards when a run is begun again.
    graph = FactorGraph.of(grouped()[0][np.random.default_rng(1).permutation(108)])
    whole, _ = run_of(graph, local).go(4)
    run_of(graph, local, file=tmp_path / "kept").go(2)
    resumed = run_of(graph, local, file=tmp_path / "kept")
    again, _ = resumed.go(4, resume=True)
    assert [cycle.number for cycle in resumed.history] == [1, 2, 3, 4]
    assert labels_of(local, again, graph.n).tolist() == labels_of(local, whole, graph.n).tolist()
    dealt = [
        [sorted(n for ref in part[1:] for n in local.get(ref).flat["node"]) for part in run] for run in (again, whole)
    ]
    assert dealt[0] == dealt[1]


class Forgetful(LocalEngine):
    """An engine that loses what a round made, once."""

    lost = 0

    def shuffle(self, work, parts, into, *shared):
        self.lost += 1
        if self.lost == 4:
            raise Lost("a node is gone")
        return super().shuffle(work, parts, into, *shared)


def test_what_is_lost_is_made_again_from_what_was_kept(local, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "SECONDS_BETWEEN", 0.0)
    graph = FactorGraph.of(grouped()[0])
    whole, _ = run_of(graph, local).go(4)
    with Forgetful(2) as engine:
        run = run_of(graph, engine, file=tmp_path / "kept")
        pieces, _ = run.go(4)
        assert len(run.history) == 4
        assert run.losses == 1
        assert labels_of(engine, pieces, graph.n).tolist() == labels_of(local, whole, graph.n).tolist()


def test_a_node_that_is_lost_is_noticed(local, monkeypatch):
    graph = FactorGraph.of(grouped()[0])
    kept = PairWork.cycle

    def losing(self, held, number, deadline):
        pieces, told = kept(self, held, number, deadline)
        return pieces, told._replace(nodes=told.nodes - 1)

    monkeypatch.setattr(PairWork, "cycle", losing)
    with pytest.raises(errors.CrossdocError, match="108 mentions before a round, but 105 after it"):
        run_of(graph, local).go(2)


def test_a_kept_run_of_another_corpus_is_refused(local, tmp_path):
    run_of(FactorGraph.of(grouped()[0]), local, file=tmp_path / "kept").go(1)
    with pytest.raises(errors.UsageError, match="another corpus"):
        run_of(FactorGraph.of(grouped(5)[0]), local, file=tmp_path / "kept").go(2, resume=True)


def test_time_is_up(local):
    pieces, why = run_of(FactorGraph.of(grouped()[0]), local).go(5, time_limit=0.0)
    assert why == "time"
    assert sum(local.get(ref).n for part in pieces for ref in part[1:]) == 108


class TestShard:
    def test_united_pieces_are_the_whole(self):
        graph = FactorGraph.of(grouped()[0])
        (whole,) = pair_shards(graph, np.arange(graph.n), 1)
        pieces = whole.split(np.arange(whole.n) % 4, 4)
        again = Shard.united(pieces[::-1])
        for name, column in whole.flat.items():
            assert (again.flat[name] == column).all()
        for name, columns in whole.ragged.items():
            assert all((a == b).all() for a, b in zip(again.ragged[name], columns, strict=True))
        assert again.flat["node"].flags.writeable

    def test_labels_are_numbers_of_nodes_that_nobody_else_has(self):
        shard = Shard({"node": np.array([4, 7, 9])}, {})
        assert global_labels(shard, np.array([1, 0, 1])).tolist() == [4, 7, 4]

    def test_keys_are_spread_evenly_and_otherwise_with_another_seed(self):
        many = np.bincount(hashed(np.arange(10_000), 5, 10), minlength=10)
        assert many.min() > 850
        assert (hashed(np.arange(100), 5, 10) != hashed(np.arange(100), 6, 10)).any()


def test_partitions_find_the_groups_and_their_sums_are_the_corpus_s(local):
    rows, group = grouped()
    graph = FactorGraph.of(rows)
    run = run_of(graph, local)
    pieces, why = run.go(12)
    labels = labels_of(local, pieces, graph.n)
    assert why == "converged"
    assert len(set(zip(labels, group, strict=True))) == len(set(group)) == len(set(labels))
    assert run.history[-1].energy == pytest.approx(graph.energy(labels, 0.3))
    assert run.history[-1].entities == len(set(labels))


@pytest.mark.parametrize("hierarchy", ["combined", "flat"])
def test_a_run_that_anneals_ends_cold_and_not_where_its_energy_falls_while_it_is_hot(local, hierarchy):
    rows, group = grouped()
    graph = FactorGraph.of(rows)
    plan = Plan(0.3, hierarchy, sub_bias=0.9, temperature=Schedule((10.0, 0.01)))
    cycles = 20 if hierarchy == "combined" else 150
    run = run_of(graph, local, 4, plan=plan, cycles=cycles)
    pieces, why = run.go(cycles)
    assert why == "rounds"
    assert len(run.history) == cycles
    labels = labels_of(local, pieces, graph.n)
    # Hot labels have an energy below 0.
    assert graph.energy(labels, 0.3) > 0.7 * graph.energy(group.astype(np.int32), 0.3)


def test_flat_proposals_gain_at_random_and_do_not_converge():
    plan, idle = Plan(0.3, "flat"), [5.0] * 20
    assert plan.converged(idle, 3, temperature=0.0)
    assert not replace(plan, informed=False).converged(idle, 3, temperature=0.0)
    assert not plan.converged(idle, 3, temperature=0.01)


def test_a_bias_that_falls_is_no_gain_yet():
    plan = Plan(0.3, "flat", falling=True)
    assert not plan.converged([5.0] * 9, 3, temperature=0.0)
    assert plan.converged([5.0] * 10, 3, temperature=0.0)
    assert plan.converged([5.0] * 5, 3, temperature=0.0, levels=6)


def test_a_temperature_falls_with_the_time_that_is_left(local):
    graph = FactorGraph.of(grouped()[0])
    plan = Plan(0.3, sub_bias=0.9, temperature=Schedule((1.0, 0.01)))
    work = pair_work(graph, plan, "canopies", 1, 100_000, time_limit=1e6)
    (shard,) = pair_shards(graph, np.arange(graph.n), 1)
    hot, _ = work.cycle([0, shard], 0, time.time() + 1e6)
    cold, _ = work.cycle([0, shard], 0, time.time())
    assert graph.energy(cold[0].local_labels(), 0.3) > graph.energy(hot[0].local_labels(), 0.3) + 1


def test_entities_that_a_run_starts_from_may_be_scattered_over_shards(local):
    rows, group = grouped()
    graph = FactorGraph.of(rows)
    scattered = np.random.default_rng(2).permutation(graph.n)
    graph, group = FactorGraph.of(rows[scattered]), group[scattered]
    first = [local.put(shard) for shard in pair_shards(graph, group, 3)]
    work = pair_work(graph, PLAN, "canopies", 3)
    run = Rounds(local, lambda labels: first, work, graph.n, Quiet(), scattered=True)
    pieces = run.begin(resume=False)
    labels = labels_of(local, pieces, graph.n)
    assert len(set(zip(labels, group, strict=True))) == len(set(group)) == len(set(labels))
    held = [{int(n) for ref in part[1:] for n in local.get(ref).flat["label"]} for part in pieces]
    assert not (held[0] & held[1] | held[0] & held[2] | held[1] & held[2])


def test_an_entity_is_never_in_two_partitions(local):
    graph = FactorGraph.of(grouped()[0])
    pieces, _ = run_of(graph, local).go(2)
    held = [set(local.get(ref).flat["label"]) for part in pieces for ref in part[1:]]
    of_part = [set().union(*held[at : at + 3]) for at in range(0, 9, 3)]
    assert not (of_part[0] & of_part[1] | of_part[0] & of_part[2] | of_part[1] & of_part[2])


def test_judgements_hold_across_partitions(local):
    rows, group = grouped()
    said = [Judgement("0", "1", "different"), Judgement("0", "100", "same")]
    limits = Constraints.compile(said, {str(i): i for i in range(len(group))}, len(group))
    graph = FactorGraph.of(rows, None, limits)
    node = np.unique(limits.group, return_inverse=True)[1]
    pieces, _ = run_of(graph, local).go(6)
    labels = labels_of(local, pieces, graph.n)[node]
    assert labels[0] != labels[1]
    assert labels[0] == labels[100]


def test_the_same_on_any_number_of_workers_and_another_with_another_number_of_partitions():
    graph = FactorGraph.of(grouped(20, 5, 3)[0])
    found = []
    for workers, parts in ((1, 3), (2, 3), (2, 5)):
        with LocalEngine(workers) as engine:
            pieces, _ = run_of(graph, engine, parts).go(1)
            found.append(labels_of(engine, pieces, graph.n).tolist())
    assert found[0] == found[1]
    assert found[0] != found[2]


# -- a run on an engine: ----------

NAMES = ["Ann Lee", "Bob Lee", "A. Lee", "Cid Ray", "Dora May", "Eve Orr", "Fay Poe", "Gus Roe"]
RNG = np.random.default_rng(0)
WHO = RNG.integers(0, 12, 90)
PEOPLE = [
    Profile(f"p{37 * n % 90:03}", f"d{n // 2}", NAMES[who % 8], "person",
            " ".join([*(f"w{10 * who + at}" for at in RNG.integers(0, 10, 6)),
                      *(f"w{at}" for at in RNG.integers(120, 200, 3))]), "en")
    for n, who in enumerate(WHO)
]  # fmt: skip
SAID = [Judgement("p000", "p001", "different"), Judgement("p002", "p080", "same")]


def sampled(engine, *, constraints=SAID, **sampling):
    how = {"method": "sampling", "parameters": {"sampling": {"partitions": 3, **sampling}}}
    return crossdoc.resolve(PEOPLE, engine=engine, constraints=constraints, **how)


def test_each_engine_finds_the_same(engine):
    with LocalEngine(1) as other:
        first = sampled(other).store.entity_of()
    second = sampled(engine)
    assert second.store.entity_of() == first
    assert first["p000"] != first["p001"]
    assert first["p002"] == first["p080"]
    assert any("rounds over 3 partitions, energy" in note for note in second.notes)


def test_partitions_find_who_is_who():
    with LocalEngine(2) as engine:
        found = sampled(engine, constraints=()).store.entity_of()
    alone = crossdoc.resolve(PEOPLE, method="sampling").store.entity_of()

    def right(entity):
        labels = np.unique([entity[each.id] for each in PEOPLE], return_inverse=True)[1]
        return b_cubed(Alignment.from_labels(labels, WHO)).f1

    assert right(found) > 0.9 * right(alone)


def test_a_run_starts_from_names_if_asked():
    """With no rounds to move in, the entities are the names, and those that were judged are apart or one."""
    name = {each.id: each.name for each in PEOPLE}
    same_name = [id for id in name if name[id] == "Ann Lee"]
    said = [
        Judgement(same_name[0], same_name[-1], "different"),
        Judgement("p002", next(id for id in name if name[id] != name["p002"]), "same"),
    ]
    with LocalEngine(1) as engine:
        how = {"start": "names", "bias": 0.2, "name_weight": 0.2, "time_limit": 1e-9}
        of = sampled(engine, constraints=said, **how).store.entity_of()
    assert of[said[0].a] != of[said[0].b]
    assert of[said[1].a] == of[said[1].b]
    judged = {id for each in said for id in (each.a, each.b)}
    free = [id for id in name if id not in judged]
    assert len({(name[id], of[id]) for id in free}) == len({name[id] for id in free}) == len({of[id] for id in free})


def test_samples_are_drawn_after_rounds_over_partitions():
    with LocalEngine(1) as engine, sampled(engine, samples=3) as answer:
        assert answer.partition.n_clusters < 90


def test_ctrl_c_ends_the_rounds(monkeypatch):
    def stopped(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr("crossdoc.cluster.sampling.rounds.Rounds.round", stopped)
    with LocalEngine(1) as engine, pytest.raises(KeyboardInterrupt):
        sampled(engine)
