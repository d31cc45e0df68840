"""Baselines from the real data that tie our definitions to the organisers'.

WePS-1 test: P, IP, F0.5 and extended B-cubed are the output of the WePS scorer, quoted in the data's README. They come
out of the official annotation (neither annotator's own), over the pages that it assigns (not the discarded ones), with
a page about several people in all of their entities, averaged over the 30 names, F included.
"""

import pytest

from crossdoc.scoring import Assignment, score_assignments

WEPS = {
    "one-in-one": {"purity": 1.00, "inverse_purity": 0.47, "f0.5": 0.61, "f0.2": 0.52, "b3": (1.00, 0.43, 0.57)},
    "all-in-one": {"purity": 0.29, "inverse_purity": 1.00, "f0.5": 0.40, "f0.2": 0.58, "b3": (0.18, 0.98, 0.25)},
}


def baseline(gold, name):
    ids = gold.ids.to_pylist()
    return Assignment.from_rows(ids, ids if name == "one-in-one" else ["everyone"] * len(ids))


@pytest.mark.parametrize("name", WEPS)
def test_weps_baselines(weps_gold, name):
    scores = score_assignments(baseline(weps_gold, name), weps_gold, by="group")
    assert (scores.counts["groups"], scores.counts["missing_from_answer"]) == (30, 0)
    found = {figure: round(value, 2) for figure, value in scores.values["purity"].items()}
    found["b3"] = tuple(round(value, 2) for value in scores.values["b3_extended"].values())
    assert found == WEPS[name]


def test_john_smith_baselines(john_smith_gold):
    together = score_assignments(baseline(john_smith_gold, "all-in-one"), john_smith_gold)
    apart = score_assignments(baseline(john_smith_gold, "one-in-one"), john_smith_gold)
    assert (together.counts["items"], together.counts["gold_entities"]) == (197, 35)
    assert round(together.values["b3"]["precision"], 4) == 0.2326
    assert round(apart.values["b3"]["recall"], 3) == 0.178
