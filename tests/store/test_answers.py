"""Who is who as the rows that others read."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from crossdoc import errors
from crossdoc.model import Identity, KnownEntry, Partition, Profile, Profiles
from crossdoc.store import Store
from crossdoc.store.answers import settled


def test_answer_is_profiles_or_mentions_with_their_identities(result):
    with Store.open(result) as store:
        profiles = [row for batch in store.answer("profile", soft=True) for row in batch.to_pylist()]
        hard = [row for batch in store.answer("profile") for row in batch.to_pylist()]
        mentions = [row for batch in store.answer("mention") for row in batch.to_pylist()]
        soft_mentions = [row for batch in store.answer("mention", soft=True) for row in batch.to_pylist()]
        with pytest.raises(errors.UsageError, match="no level 'name'"):
            store.answer("name")
    assert [(r["id"], r["entity"], r["membership"]) for r in profiles] == [
        ("d1:0:10", "d1:0:10", 1.0),
        ("d2:0:15", "d2:0:15", 0.75),
        ("d2:0:15", "d1:0:10", 0.25),
        ("it's", "d2:0:15", 1.0),
    ]
    assert hard == [row for row in profiles if row["membership"] > 0.5]
    assert [(r["id"], r["entity"], r["text"]) for r in mentions] == [
        ("d1:0:10", "d1:0:10", "John Smith"),
        ("d1:5:10", "d1:0:10", "Smith"),
        ("d2:0:15", "d2:0:15", "Élodie Ångström"),
    ]
    assert [(r["id"], r["membership"]) for r in soft_mentions[2:]] == [("d2:0:15", 0.75), ("d2:0:15", 0.25)]


def test_who_stands_where_and_with_whom(result):
    with Store.open(result, write=True) as store:
        with store.batch():
            store._db.execute("INSERT INTO profiles (id, document, name) VALUES ('x', 'd1', 'Elle'), ('y', 'd2', 'E.')")
            store._db.execute("INSERT INTO memberships VALUES ('x', 'd2:0:15', 1, 1), ('y', 'd2:0:15', 1, 1)")
        found = [(said.entity, said.document, said.names) for said in store.appearances()]
        assert found == [
            ("d1:0:10", "d1", ["John Smith"]),
            ("d2:0:15", "d1", ["Elle"]),
            ("d2:0:15", "d2", ["E.", "Élodie Ångström"]),
            ("d2:0:15", "empty", ["\n'\"; DROP TABLE profiles; --"]),
        ]
        assert list(store.shared_documents()) == [("d1:0:10", "d2:0:15", 1)]
        assert next(store.document_facts()) == {"id": "d1", "title": "A title", "date": "1996-01"}


def test_of_equally_strong_identities_the_answer_has_the_one_that_the_partition_has(tmp_path, made):
    partition = Partition(made.profiles.ids, [[0.5, 0.5, 0.5], [0.2, 0.4, 0.4], [0.0, 0.0, 1.0]])
    with Store.begin(tmp_path / "x.crossdoc", "f") as store:
        with store.batch():
            store.add(made.profiles)
        store.save_partition("person", partition, 0.1)
        found = {row["id"]: row["entity"] for batch in store.answer("profile") for row in batch.to_pylist()}
        assert found == {
            id: partition.entities[label] for id, label in zip(partition.ids, partition.labels, strict=True)
        }
        ranks = store.query("SELECT rank FROM memberships ORDER BY rowid").column("rank").to_pylist()
        assert ranks == [1, 2, 3, 1, 2, 3, 1]


def test_members_strongest_first(result):
    with Store.open(result) as store:
        assert [(m["profile"], m["membership"]) for m in store.members("d2:0:15")] == [("it's", 1.0), ("d2:0:15", 0.75)]
        assert [m["profile"] for m in store.members("d2:0:15", top=1)] == ["it's"]


@pytest.mark.parametrize(
    ("words", "found"),
    [("smith", ["d1:0:10"]), ("JOHN  smith", ["d1:0:10"]), ("elodie", ["d2:0:15"]), ("smit", []), ("ohn smith", [])],
)
def test_identities_are_found_by_whole_words_of_a_name(result, words, found):
    with Store.open(result) as store:
        assert [identity.id for identity in store.identities(find=words)] == found


def test_memberships_in_what_is_not_looked_at_again_stay_and_those_in_what_is_gone_go():
    held = {"p": {"a": 0.7, "b": 0.3}, "q": {"b": 1.0}, "r": {"c": 0.6, "a": 0.25, "b": 0.15}, "s": {"a": 1.0}}
    ids, entities = list(held), ["a", "b", "c"]
    with Store.memory() as store:
        shares = [[own.get(entity, 0.0) for entity in entities] for own in held.values()]
        store.add_memberships(Partition(ids, shares, entities))
        assert store.holding(store.entity_of(["s"]).values()) == {"p", "r", "s"}
        assert store.companions(["s"]) == {"p", "s"}
        store.exchange_memberships([Partition(["p", "s"], [[1.0, 0.0], [0.0, 1.0]], ["p", "s"])], {"a"})
        rows = store.query("SELECT id, entity, membership, rank FROM memberships ORDER BY id, rank").to_pylist()
    now = {id: [(row["entity"], round(row["membership"], 4)) for row in rows if row["id"] == id] for id in ids}
    assert now == {"p": [("p", 0.7), ("b", 0.3)], "q": [("b", 1.0)], "r": [("c", 0.8), ("b", 0.2)], "s": [("s", 1.0)]}
    assert all(row["rank"] == 1 + now[row["id"]].index((row["entity"], round(row["membership"], 4))) for row in rows)


def test_an_identity_that_keeps_its_id_keeps_who_else_may_be_of_it():
    with Store.memory() as store:
        store.add_memberships(Partition(["p", "q"], [[1.0, 0.0], [0.4, 0.6]], ["a", "b"]))
        store.exchange_memberships([Partition(["p"], [[1.0]], ["a"])], {"a"})
        assert store.entity_of() == {"p": "a", "q": "b"}
        assert store.holding(store.entity_of(["p"]).values()) == {"p", "q"}


def test_what_is_stronger_elsewhere_is_left_out():
    rows, loose = [("p", "a", 0.5), ("p", "b", 0.5)], [("p", "c", 0.45)]
    assert [row["entity"] for row in settled(rows, loose, {"a", "b", "c"})] == ["a", "b"]
    assert [row["entity"] for row in settled(rows, loose, {"a", "c"})] == ["a", "c"]
    assert [row["membership"] for row in settled(rows, loose, {"a", "b"})] == [0.5, 0.5]


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
            store.add(Profiles.of(Profile(id, id, "Ann", "person") for id in "abcd"))
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
