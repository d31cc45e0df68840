"""Tables whose contexts or names say little: the answer is that of string match."""

import random

import pytest

import crossdoc

SURNAMES = "Lee Kim Orr Ruiz Kovacs Chen Okafor Baker Stone Hale".split()
FULL = [f"{first} {last}" for first in ("Ann", "Bo", "Carl", "Dora") for last in ("Lee", "Kovacs", "Orr", "Ruiz")]
NUMBERS = ["1", "2", "77", "3.5", "1999", "3 4"]
NOTHING = ["nan", "None", "null", "inf", "-inf", "unknown"]


def clusters_of_names(names, contexts, entity_type, n=120):
    """Return how many identities each name is divided into, and how many there are."""
    choose = random.Random(3).choice
    kind = {} if entity_type is None else {"type": entity_type}
    rows = [{"id": f"r{at}", "name": choose(names), "context": choose(contexts), **kind} for at in range(n)]
    with crossdoc.resolve(rows, processes=1) as answer:
        identity = dict(zip(answer.partition.ids.tolist(), answer.partition.labels.tolist(), strict=True))
    divided = {name: {identity[row["id"]] for row in rows if row["name"] == name} for name in names}
    return {len(own) for own in divided.values() if own}, len(set(identity.values()))


@pytest.mark.parametrize("entity_type", ["person", "organisation", None])
@pytest.mark.parametrize("contexts", [["the same words here"], ["red", "blue", "green"]], ids=["equal", "one-word"])
@pytest.mark.parametrize("names", [FULL, SURNAMES, NUMBERS, NOTHING], ids=["full", "bare", "numbers", "nothing"])
def test_contexts_that_say_nothing_leave_string_match(names, contexts, entity_type):
    assert clusters_of_names(names, contexts, entity_type)[0] == {1}


def test_a_thousand_identical_rows_are_one_identity():
    assert clusters_of_names(["Ann Lee"], ["the same words here"], "person", 1_000) == ({1}, 1)


def test_one_row_is_one_identity():
    assert clusters_of_names(["Ann Lee"], ["words"], "person", 1) == ({1}, 1)
