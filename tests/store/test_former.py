"""The rows that entries of the log replace are kept, and put back as they were."""

from __future__ import annotations

import pytest

from crossdoc.model import Partition
from crossdoc.store import Store


@pytest.fixture
def store(made):
    with Store.memory() as store:
        made.write(store)
        yield store


def rows(store: Store) -> tuple[list[tuple[object, ...]], list[str]]:
    found = store._query("SELECT id, rank, entity, membership FROM memberships ORDER BY id, rank")
    return list(zip(*(column.to_pylist() for column in found.columns), strict=True)), sorted(
        identity.id for identity in store.identities()
    )


def merge(store: Store, entry: int, into: str) -> None:
    """Put all profiles into one identity."""
    held = store.entity_of()
    before = store.snapshot(held, set(held.values()))
    (identity,) = [each for each in store.identities() if each.id == into]
    store.exchange_memberships([Partition(sorted(held), [[1.0]] * len(held), [into])], set(held.values()))
    store.drop("identities", set(held.values()))
    store.add_identities([identity])
    store.keep_former(entry, before)


def test_what_several_entries_replaced_is_put_back_at_once(store):
    first, (one, *_) = rows(store), sorted(set(store.entity_of().values()))
    merge(store, 1, one)
    second = rows(store)
    assert second != first
    merge(store, 2, one)
    assert store.keeps_former(1)
    assert not store.keeps_former(2)
    store.put_back(store.former(1, 2))
    assert rows(store) == first


def test_an_entry_that_changed_nothing_is_kept_if_asked(store):
    held = store.entity_of()
    (profile, *_) = held
    store.keep_former(1, store.snapshot(held, ()), [profile])
    assert store.former(1, 1).profiles == {profile}
    before = rows(store)
    store.put_back(store.former(1, 1))
    assert rows(store) == before


def test_an_identity_that_the_entries_made_does_not_come_back(store):
    held = store.entity_of()
    (profile, *_) = held
    first = rows(store)
    before = store.snapshot([profile], [held[profile]])
    store.exchange_memberships([Partition([profile], [[1.0]], ["new"])], set())
    (identity, *_) = store.identities(held[profile])
    store.add_identities([type(identity)(**{**as_dict(identity), "id": "new"})])
    store.keep_former(1, before)
    made = store.snapshot([], ["new"])
    store.rename("new", "Other")
    store.keep_former(2, made)
    assert store.former(2, 2).entities == {"new"}
    store.put_back(store.former(1, 2))
    assert "new" not in rows(store)[1]
    assert rows(store)[0] == first[0]


def as_dict(identity: object) -> dict[str, object]:
    return {name: getattr(identity, name) for name in type(identity).__dataclass_fields__}


def test_kept_rows_are_forgotten(store):
    merge(store, 1, sorted(set(store.entity_of().values()))[0])
    store.forget_former()
    assert not store.keeps_former(1)
    assert store.former(1, 9).profiles == store.former(1, 9).entities == set()
