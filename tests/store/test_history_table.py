"""What happened to identities is told in order, and former ids find who they are now."""

from __future__ import annotations

import pytest

from crossdoc.model.lineage import Event
from crossdoc.store import Store


@pytest.fixture
def store(made):
    with Store.memory() as store:
        made.write(store)
        store.add_events([Event("old", "merged", "older", 2), Event("gone", "vanished")], "entry 1: merge")
        store.add_events(
            [Event("older", "merged", "d2:0:15", 3), Event("d2:0:15", "split", "d1:0:10", 1)], "entry 12: x"
        )
        yield store


def test_events_are_in_order_and_of_one_those_in_which_it_has_a_part(store):
    assert [event.id for event in store.events()] == ["old", "gone", "older", "d2:0:15"]
    assert [event.id for event in store.events("older")] == ["old", "older"]
    assert {event.cause for event in store.events("old")} == {"entry 1: merge"}


def test_successors_go_on_to_who_is_there_now(store):
    assert store.successors("old") == ["d2:0:15"]
    assert store.successors("d1:0:10") == ["d1:0:10"]
    assert store.successors("gone") == store.successors("never") == []


def test_the_age_is_that_of_the_first_appearance(store):
    store.add_events([Event("d2:0:15", "appeared", None, 1)], "later")
    assert store.ages() == {"d2:0:15": 4}


def test_who_an_entry_moved_is_who_is_in_those_identities_now(store):
    assert store.moved_by("entry 1:") == {"d2:0:15", "it's"}
    assert store.moved_by("entry 12:") == {"d1:0:10", "d2:0:15", "it's"}
    assert store.moved_by("entry 2:") == set()


def test_an_entry_keeps_the_ids_of_all_identities_that_it_changed(store):
    before = {"p": "x", "q": "y", "r": "y", "s": "z"}
    store.add_id_changes(1, before, merged := {"p": "y", "q": "y", "r": "y", "s": "z"})
    store.add_id_changes(2, merged, {"p": "z", "q": "y", "r": "y", "s": "z", "new": "new"})
    store.add_id_changes(3, before, before)
    assert store.id_changes(1, 1) == {"p": ("x", "y"), "q": ("y", "y"), "r": ("y", "y")}
    assert store.id_changes(1, 3) == {"p": ("x", "z"), "q": ("y", "y"), "r": ("y", "y"), "s": ("z", "z")}
    assert store.id_changes(3, 9) == {}
