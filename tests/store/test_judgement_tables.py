"""How the log of judgements grows."""

from __future__ import annotations

import pytest

from crossdoc import errors
from crossdoc.model import Judgement
from crossdoc.store import Store

SAME = Judgement("d1:0:10", "d2:0:15", "same", who="ann", why="seen both", when="2024-05-06T07:08:09+00:00")
DIFFERENT = Judgement("d1:0:10", "it's", "different", hard=False, weight=0.5, when="2024-05-06T07:08:10+00:00")


def test_judgements_are_carried_over_and_numbered_on(result, made):
    with Store.open(result, write=True) as store:
        store.judge([SAME, DIFFERENT])
        store.undo(1, who="bob", why="a mistake")
    with Store.begin(result, "two") as store:
        made.write(store)
        store.stage_judgements([DIFFERENT])
        store.stage_judgements([SAME])
        store.finish()
        assert store.judgements() == [(2, DIFFERENT), (4, SAME)]
    with Store.open(result, write=True) as store:
        store.judge([DIFFERENT])
        store.undo(4)
        assert store.judgements() == [(2, DIFFERENT), (5, DIFFERENT)]
        assert store.judgements(standing=False) == [(1, SAME), (2, DIFFERENT), (4, SAME), (5, DIFFERENT)]
        assert store.count("judgements") == 6
        assert len(store.runs()) == 2


def test_what_a_staged_judgement_takes_back_moves_with_it(result, made):
    with Store.open(result, write=True) as store:
        store.judge([SAME])
    with Store.begin(result, "two") as store:
        store.stage_judgements([DIFFERENT, SAME])
        store.undo(1)
        store.finish()
        assert store.judgements() == [(1, SAME), (3, SAME)]


@pytest.mark.parametrize("number", [0, 2, 3])
def test_only_a_judgement_can_be_taken_back(result, number):
    with Store.open(result, write=True) as store:
        store.judge([SAME])
        store.undo(1)
        with pytest.raises(errors.UsageError, match=f"no judgement number {number}"):
            store.undo(number)
        assert store.count("judgements") == 2


def test_a_judgement_without_a_time_gets_one(result):
    with Store.open(result, write=True) as store:
        store.judge([Judgement("d1:0:10", "it's", "same")])
        assert store.judgements()[0][1].when.startswith("20")


def test_many_judgements_take_little_time(result):
    with Store.open(result, write=True) as store:
        store.judge(Judgement(f"a{i}", f"b{i}", "same") for i in range(50_000))
        assert store.judgements()[-1] == (50_000, store.judgements()[-1][1])


def test_an_entry_of_several_pairs_is_one(result):
    with Store.open(result, write=True) as store:
        store.record("merge", judgements=(SAME, Judgement("d2:0:15", "it's", "same")))
        assert store.count("judgements") == 2
        assert store.sizes()["judgements"] == 1
