"""How many pairs blocking leaves to compare, and which it loses."""

from itertools import combinations

import blocking
import numpy as np
import pytest
from blocking import blocking_report
from hypothesis import given, settings
from hypothesis import strategies as st

from crossdoc.compare.training import entity_lists
from crossdoc.model import Profile, Profiles


def people(names):
    return Profiles.of(Profile(str(i), f"d{i}", name, "person") for i, name in enumerate(names))


def test_report_counts_what_is_lost():
    gold = {"0": {"bush"}, "1": {"bush"}, "2": {"jeb"}, "3": {"bush"}}
    report = blocking_report(people(["George W. Bush", "President Bush", "Jeb Bush", "Dubya"]), gold)
    assert report.completeness == pytest.approx(1 / 3)
    assert report.pairs == 2
    assert report.reduction == pytest.approx(1 - 2 / 6)
    assert (report.blocks, report.largest[0][0]) == (2, 3)
    assert blocking_report(people(["Bush"])).completeness is None


@settings(deadline=None, max_examples=50)
@given(st.lists(st.sets(st.sampled_from("abc")), max_size=8))
def test_completeness_with_profiles_of_several_entities(entities):
    """All have one name, so that every wanted pair is found, if it is counted right."""
    gold = {str(i): held for i, held in enumerate(entities)}
    assert blocking_report(people(["Ann Lee"] * len(entities)), gold).completeness == 1.0
    met = {(a, b) for a, b in combinations(range(len(entities)), 2) if entities[a] & entities[b]}
    assert blocking.pairs_that_meet(entity_lists(people(["Ann Lee"] * len(entities)), gold)) == len(met)


def test_the_largest_blocks_are_named_by_their_commonest_name():
    report = blocking_report(people(["Ann Lee", "Bo Lee", "Bo Lee", "Cy Orr", "Cy Orr", "Di Fox"]), most=2)
    assert report.largest == [(3, "Bo Lee"), (2, "Cy Orr")]
    assert (report.profiles, report.blocks, report.pairs) == (6, 3, 2)
    assert report.reduction == pytest.approx(1 - 2 / 15)
    further = blocking_report(people(["Ann Lee", "Cy Orr"]), {"0": {"x"}, "1": {"x"}}, more=np.array([[0, 1]]))
    assert (further.pairs, further.completeness, further.reduction) == (1, 1.0, 0.0)
    none = blocking_report(people(["Ann Lee"]), {})
    assert (none.completeness, none.reduction) == (1.0, 1.0)


def test_similar_contexts_bring_different_names_together(write, capsys):
    names = ["George W. Bush", "President Bush", "Jeb Bush", "Dubya"]
    rows = [{"id": str(i), "document": f"d{i}", "name": name, "type": "person", "context": "a ranch in Texas"}
            for i, name in enumerate(names)]  # fmt: skip
    told, gold = write("people.jsonl", rows), write("gold.csv", [{"id": i, "entity": "bush"} for i in "013"])
    blocking.main([str(told), "--gold", str(gold)])
    assert "4 profiles, 2 candidate pairs" in (shown := capsys.readouterr().out)
    assert "pair completeness  0.3333" in shown
    blocking.main([str(told), "--gold", str(gold), "--neighbours", "3"])
    assert "pair completeness  1.0000" in capsys.readouterr().out
