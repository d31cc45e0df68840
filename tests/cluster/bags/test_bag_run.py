"""Rounds of the bag model: which bags are joined, which entities are proposed, when a run ends."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from tests.cluster.sampling.common import f1

from crossdoc.cluster.bags import BagClustering, bag_run
from crossdoc.cluster.bags.bag_run import BEGINNING, CYCLE, BagRun
from crossdoc.cluster.bags.bags import BagMentions
from crossdoc.cluster.sampling.pair_run import Round
from crossdoc.model.evidence_protocol import Constraints
from crossdoc.progress import Quiet

from .common import NAMES, ROWS, links


@pytest.mark.parametrize("joining", [0.0, 1.0])
def test_after_a_join_of_few_bags_none_are_joined_until_mentions_move(monkeypatch, joining):
    monkeypatch.setattr(bag_run, "JOINING", joining)
    rounds = len(BEGINNING) + len(CYCLE)
    told = BagClustering(threads=1, max_iter=rounds).fit(ROWS, names=NAMES).history_[:rounds]
    later = [told[at].accepted for at in (1, 2)]
    # A bag is joined with one other at most, so that fewer than all are.
    assert (later == [0, 0]) == (joining == 1.0)
    assert told[0].accepted > 0
    assert told[len(BEGINNING)].accepted > 0


def test_names_that_more_hold_than_propose_are_found_without_contexts(monkeypatch):
    monkeypatch.setattr(bag_run, "MOST_NAMED", 5)
    monkeypatch.setattr(bag_run, "HEAVIEST_NAMED", 2)
    names = np.repeat([f"n{k}" for k in range(50)], 12)
    found = BagClustering().fit(sparse.csr_matrix((600, 5), dtype=np.float32), names=names).labels_
    assert f1(found, np.repeat(np.arange(50), 12)) == 1


@pytest.mark.parametrize("heaviest", [0, 2])
def test_large_entities_whose_words_and_names_many_hold_find_their_own(monkeypatch, heaviest):
    few = {"MOST_HOLDERS": 2, "MOST_NAMED": 5, "HEAVIEST_WORDS": heaviest, "HEAVIEST_NAMED": heaviest}
    for name, value in few.items():
        monkeypatch.setattr(bag_run, name, value)
    rows, names, entity = links(3000, 8, own_share=0.2, shared=0.0, seed=4)
    found = BagClustering(threads=1, max_iter=13).fit(rows, names=names).labels_
    assert (f1(found, entity) > 0.9) == (heaviest > 0)


def test_after_the_first_join_only_bags_that_wished_to_look_for_another(monkeypatch):
    looked: list[int] = []
    found = bag_run.kernels.best_partners

    def counted(which, *rest):
        looked.append(len(which[rest[-2] : rest[-1]]))
        found(which, *rest)

    monkeypatch.setattr(bag_run.kernels, "best_partners", counted)
    told = BagClustering(threads=1, max_iter=len(BEGINNING)).fit(ROWS[:600], names=NAMES[:600])
    whole = looked[-3:]
    assert whole[0] == 600 > whole[1] > whole[2] > 0
    assert whole[1] >= told.history_[0].accepted, "those that were joined look on"


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
    mentions = BagMentions.of(ROWS[:5], NAMES[:5], Constraints.none(5))
    alone = np.arange(5, dtype=np.int32)
    run = BagRun(mentions, alone, alone, Quiet(), False, tolerance, rounds=len(told), history=told)
    assert run._converged() == over
