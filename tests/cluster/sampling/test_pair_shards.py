"""The pairwise model over partitions: sums, temperatures, judgements, and where entities are."""

import time
from dataclasses import replace

import numpy as np
import pytest

from crossdoc.cluster.sampling.factor_graph import FactorGraph
from crossdoc.cluster.sampling.pair_run import Plan, Schedule
from crossdoc.cluster.sampling.pair_shards import pair_shards, pair_work
from crossdoc.cluster.sampling.rounds import Rounds
from crossdoc.engine import LocalEngine
from crossdoc.model import Judgement
from crossdoc.model.evidence_protocol import Constraints
from crossdoc.progress import Quiet

from .test_rounds import PLAN, grouped, labels_of, run_of


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
    work = replace(pair_work(graph, plan, "canopies", 1, 100_000), time_limit=1e6)
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
    run = Rounds(local, lambda: first, work, graph.n, Quiet(), scattered=True)
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
