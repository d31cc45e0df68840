"""What happened to identities is told in order, and former ids find who they are now."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crossdoc import errors
from crossdoc.model import Partition
from crossdoc.model.partition import Event
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


@pytest.fixture
def written(made):
    with Store.memory() as written:
        made.write(written)
        yield written


def rows(written: Store) -> tuple[list[tuple[object, ...]], list[str]]:
    found = written.query("SELECT id, rank, entity, membership FROM memberships ORDER BY id, rank")
    return list(zip(*(column.to_pylist() for column in found.columns), strict=True)), sorted(
        identity.id for identity in written.identities()
    )


def merge(written: Store, entry: int, into: str) -> None:
    """Put all profiles into one identity."""
    held = written.entity_of()
    before = written.snapshot(held, set(held.values()))
    (identity,) = [each for each in written.identities() if each.id == into]
    written.exchange_memberships([Partition(sorted(held), [[1.0]] * len(held), [into])], set(held.values()))
    written.drop("identities", set(held.values()))
    written.add_identities([identity])
    written.keep_former(entry, before)


def test_what_several_entries_replaced_is_put_back_at_once(written):
    first, (one, *_) = rows(written), sorted(set(written.entity_of().values()))
    merge(written, 1, one)
    second = rows(written)
    assert second != first
    merge(written, 2, one)
    assert written.keeps_former(1)
    assert not written.keeps_former(2)
    written.put_back(written.former(1, 2))
    assert rows(written) == first


def test_an_entry_that_changed_nothing_is_kept_if_asked(written):
    held = written.entity_of()
    (profile, *_) = held
    written.keep_former(1, written.snapshot(held, ()), [profile])
    assert written.former(1, 1).profiles == {profile}
    before = rows(written)
    written.put_back(written.former(1, 1))
    assert rows(written) == before


def test_an_identity_that_the_entries_made_does_not_come_back(written):
    held = written.entity_of()
    (profile, *_) = held
    first = rows(written)
    before = written.snapshot([profile], [held[profile]])
    written.exchange_memberships([Partition([profile], [[1.0]], ["new"])], set())
    (identity, *_) = written.identities(held[profile])
    written.add_identities([type(identity)(**{**as_dict(identity), "id": "new"})])
    written.keep_former(1, before)
    made = written.snapshot([], ["new"])
    written.rename("new", "Other")
    written.keep_former(2, made)
    assert written.former(2, 2).entities == {"new"}
    written.put_back(written.former(1, 2))
    assert "new" not in rows(written)[1]
    assert rows(written)[0] == first[0]


def as_dict(identity: object) -> dict[str, object]:
    return {name: getattr(identity, name) for name in type(identity).__dataclass_fields__}


def test_kept_rows_are_forgotten(written):
    merge(written, 1, sorted(set(written.entity_of().values()))[0])
    written.forget_former()
    assert not written.keeps_former(1)
    assert written.former(1, 9).profiles == written.former(1, 9).entities == set()


@pytest.mark.parametrize("settings", ["[]", "no json", None])
def test_settings_that_are_none_are_told(made, settings):
    with pytest.raises(errors.StoreError):
        replace(made.run, settings=settings).parsed_settings()
    assert replace(made.run, settings='{"a": 1}').parsed_settings() == {"a": 1}
