"""Rounds over partitions: nothing is lost, sums, temperatures, judgements, and every engine finds the same."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

import crossdoc
from crossdoc import errors
from crossdoc.cluster.sampling import rounds as module
from crossdoc.cluster.sampling.factor_graph import FactorGraph
from crossdoc.cluster.sampling.pair_run import CYCLES, Plan, Schedule, Workers
from crossdoc.cluster.sampling.rounds import EngineRun, EngineSampling
from crossdoc.engine import LocalEngine, Lost
from crossdoc.model import Judgement, Profile
from crossdoc.model.evidence_protocol import Constraints
from crossdoc.progress import Quiet
from crossdoc.scoring import Alignment, b_cubed

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


def run_of(graph, engine, parts=3, plan=PLAN, labels=None):
    labels = np.arange(graph.n) if labels is None else labels
    run = EngineRun(graph, plan, labels.astype(np.int32), Quiet())
    run.engine, run.parts = engine, parts
    return run


def went(run, cycles, meeting="canopies", time_limit=None):
    """Labels after so many cycles, and why they ended."""
    with Workers(meeting=meeting) as workers:
        why = run.go(workers, cycles * len(CYCLES[run.plan.hierarchy]), time_limit)
    return run.labels.tolist(), why


def estimator(engine, **how):
    found = EngineSampling(0.3, partitions=3, **how)
    found.engine = engine
    return found


def test_a_run_goes_on_from_its_checkpoint(local, tmp_path):
    # Entities whose nodes lie in several pieces when a run is begun again.
    rows = grouped()[0][np.random.default_rng(1).permutation(108)]
    whole = estimator(local, max_iter=24).fit(rows)
    estimator(local, max_iter=12, checkpoint=tmp_path / "run").fit(rows)
    again = estimator(local, max_iter=24, checkpoint=tmp_path / "run", resume=True).fit(rows)
    assert [(each.number, each.level) for each in again.history_] == [(at, "cycle") for at in (1, 2, 3, 4)]
    assert [each.energy for each in again.history_] == [each.energy for each in whole.history_]
    assert again.labels_.tolist() == whole.labels_.tolist()
    assert again.energy_ == pytest.approx(again.history_[-1].energy)
    for how in ({"partitions": 2}, {"partitions": 1}):
        with pytest.raises(errors.UsageError, match="other settings"):
            estimator(local, checkpoint=tmp_path / "run", resume=True).set_params(**how).fit(rows)


class Forgetful(LocalEngine):
    """An engine that loses what a round made, once."""

    lost = 0

    def map(self, work, parts, *shared, apart=False):
        self.lost += 1
        if self.lost == 3:
            raise Lost("a node is gone")
        return super().map(work, parts, *shared, apart=apart)


def test_what_is_lost_is_made_again_from_the_labels_of_the_last_round(local):
    graph = FactorGraph.of(grouped()[0])
    with Forgetful(2) as engine:
        run = run_of(graph, engine)
        assert went(run, 4) == went(run_of(graph, local), 4)
        assert (len(run.history), run.losses) == (4, 1)


def test_time_is_up(local):
    assert went(run_of(FactorGraph.of(grouped()[0]), local), 5, time_limit=0.0) == ([*range(108)], "time")


def test_partitions_find_the_groups_and_their_sums_are_the_corpus_s(local):
    rows, group = grouped()
    graph = FactorGraph.of(rows)
    run = run_of(graph, local)
    labels, why = went(run, 12)
    assert why == "converged"
    assert len(set(zip(labels, group, strict=True))) == len(set(group)) == len(set(labels))
    assert run.history[-1].energy == pytest.approx(graph.energy(run.labels, 0.3))
    assert run.history[-1].entities == len(set(labels))


@pytest.mark.parametrize("hierarchy", ["combined", "flat"])
def test_a_run_that_anneals_ends_cold_and_not_where_its_energy_falls_while_it_is_hot(local, hierarchy):
    rows, group = grouped()
    graph = FactorGraph.of(rows)
    run = run_of(graph, local, 4, Plan(0.3, hierarchy, sub_bias=0.9, temperature=Schedule((10.0, 0.01))))
    cycles = 20 if hierarchy == "combined" else 150
    assert went(run, cycles)[1] == "rounds"
    assert len(run.history) == cycles
    # Hot labels have an energy below 0.
    assert graph.energy(run.labels, 0.3) > 0.7 * graph.energy(group.astype(np.int32), 0.3)


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
    plan = Plan(0.3, sub_bias=0.9, temperature=Schedule((1.0, 0.01)))
    run = run_of(FactorGraph.of(grouped()[0]), local, 2, plan)
    assert went(run, 100_000, time_limit=2.0)[1] == "time"
    temperatures = [each.temperature for each in run.history]
    assert temperatures == sorted(temperatures, reverse=True)
    assert temperatures[0] > 2 * temperatures[-1]


def test_judgements_hold_across_partitions(local):
    rows, group = grouped()
    said = [Judgement("0", "1", "different"), Judgement("0", "100", "same")]
    limits = Constraints.compile(said, {str(i): i for i in range(len(group))}, len(group))
    labels = estimator(local, max_iter=36).fit(rows, constraints=limits).labels_
    assert labels[0] != labels[1]
    assert labels[0] == labels[100]


def test_the_same_on_any_number_of_workers_and_another_with_another_number_of_partitions():
    graph = FactorGraph.of(grouped(20, 5, 3)[0])
    found = []
    for workers, parts in ((1, 3), (2, 3), (2, 5)):
        with LocalEngine(workers) as engine:
            found.append(went(run_of(graph, engine, parts), 1)[0])
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


def test_ctrl_c_ends_the_rounds(monkeypatch):
    def stopped(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr(module.EngineRun, "_record", stopped)
    with LocalEngine(1) as engine, pytest.raises(KeyboardInterrupt):
        sampled(engine)
