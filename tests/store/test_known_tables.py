"""Which identity is which entry: the sum of the store against one by hand."""

import numpy as np
import pyarrow as pa
import pytest

from crossdoc.model import Identity, KnownEntry, Partition, Profile, Profiles
from crossdoc.store import Store

ENTRIES = [
    KnownEntry("k1", "Ann Lee", ("A. Lee",), "person", "a pilot", {"born": ["1960", "1961"]}),
    KnownEntry("k2", "Ann Lee"),
    KnownEntry("k3", "Bo"),
]
ODDS = [("a", "k1", 2.0), ("a", "k2", 1.0), ("b", "k1", 1.0), ("c", "k2", -1.0), ("d", "k1", 3.0)]
CLASH = 3.0


@pytest.fixture
def store():
    with Store.memory() as store:
        with store.batch():
            store.add_profiles(Profiles.of(Profile(id, id, "Ann", "person") for id in "abcd"))
        store.save_partition("person", Partition.from_labels(list("abcd"), [0, 0, 0, 1]), 0.0)
        store.save_identities(
            [Identity(id, "Ann", "person", "", {"Ann": n}, n, n, None, None, 1.0) for id, n in (("a", 3), ("d", 1))]
        )
        columns = (pa.array(list(column)) for column in zip(*ODDS, strict=True))
        store.save_known(ENTRIES, pa.table(dict(zip(("id", "known", "odds"), columns, strict=True))), CLASH, 0.05)
        yield store


def test_the_list_comes_back(store):
    assert store.has_known
    assert store.known_entries() == ENTRIES


def test_the_mean_of_the_odds_against_none(store):
    first = np.exp((2.0 + 1.0 - CLASH) / 3)
    second = np.exp((1.0 - 1.0 - CLASH) / 3)
    alone = np.exp(3.0)
    wanted = [("a", "k1", first / (1 + first + second)), ("d", "k1", alone / (1 + alone))]
    found = [tuple(row.values()) for row in store.known_links(0.0).to_pylist()]
    assert [row[:2] for row in found] == [row[:2] for row in wanted]
    assert [row[2] for row in found] == pytest.approx([row[2] for row in wanted])
    assert store.known_links(0.9).column("entity").to_pylist() == ["d"]
    assert store.known_links(0.99).num_rows == 0


def test_identities_and_answers_have_the_entry(store):
    assert [(i.id, i.known, round(i.known_probability, 2)) for i in store.identities()] == [
        ("a", "k1", 0.42),
        ("d", "k1", 0.95),
    ]
    rows = [row for batch in store.answer("profile") for row in batch.to_pylist()]
    assert [row["known"] for row in rows] == ["k1"] * 4
    assert list(rows[0]) == store.answer_schema("profile").names
    assert store.identity_table().column_names[-2:] == ["known", "known_probability"]


def test_links_follow_the_identities(store):
    """Nothing has to be kept in step: another partition is another answer."""
    with store.batch():
        store._db.execute("UPDATE memberships SET entity = 'c' WHERE id = 'c'")
    found = {row["entity"]: row for row in store.known_links(0.0).to_pylist()}
    assert found["c"]["known"] == "k2"
    assert found["a"]["probability"] > 0.7


def test_without_a_list():
    with Store.memory() as store:
        assert (store.has_known, store.known_entries(), store.known_links().num_rows) == (False, [], 0)
        assert "known" not in store.answer_schema("profile").names
