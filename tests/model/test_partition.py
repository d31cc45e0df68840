"""Soft partitions, and what is read off them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from crossdoc import errors
from crossdoc.model import (
    Partition,
    Profile,
    Profiles,
)
from crossdoc.model.partition import Event, FormerIds, carried, events, labels_of

texts = st.text(st.characters(codec="utf-8"), max_size=12)


@st.composite
def partitions(draw):
    shape = draw(st.tuples(st.integers(0, 8), st.integers(0, 5)))
    steps = draw(hnp.arrays(np.int64, shape, elements=st.integers(0, 4)))
    names = draw(st.lists(texts, min_size=shape[0], max_size=shape[0], unique=True))
    return Partition(names, steps / 4)


@pytest.mark.parametrize("bad", [np.nan, -0.1, 1.1, np.inf])
def test_a_partition_refuses_what_is_no_membership(bad):
    for matrix in (np.array([[1.0], [bad]]), sparse.csr_matrix([[1.0], [bad]])):
        with pytest.raises(errors.InputError, match="between 0 and 1"):
            Partition(["a", "b"], matrix)


@given(partitions())
@settings(deadline=None)
def test_labels_are_the_first_best_cluster(partition):
    for row, label in zip(partition.membership.toarray(), partition.labels, strict=True):
        assert label == (int(np.argmax(row)) if row.any() else -1)


@given(partitions(), st.sampled_from([0.0, 0.25, 0.3, 0.5, 1.0]), st.booleans())
@settings(deadline=None)
def test_threshold(partition, theta, drop):
    cut = partition.threshold(theta, drop=drop).membership.toarray()
    for row, kept, label in zip(partition.membership.toarray(), cut, partition.labels, strict=True):
        expected = np.where(row > theta, row, 0)
        if not expected.any() and not drop and label >= 0:
            expected[label] = row[label]
        assert kept.tolist() == expected.tolist()


@given(partitions())
@settings(deadline=None)
def test_harden(partition):
    hard = partition.harden()
    for row in range(len(partition)):
        for other in range(len(partition)):
            together = partition.labels[row] == partition.labels[other] and partition.labels[row] >= 0
            assert together == (hard.labels[row] == hard.labels[other] and hard.labels[row] >= 0)
    assert set(hard.membership.data) <= {1.0}
    assert hard.n_clusters == len(set(partition.labels) - {-1})


@given(partitions())
@settings(deadline=None)
def test_ranking(partition):
    dense = partition.membership.toarray()
    for cluster in range(partition.n_clusters):
        rows, values = partition.ranking(cluster)
        expected = sorted(np.flatnonzero(dense[:, cluster]), key=lambda r: (-dense[r, cluster], r))
        assert rows.tolist() == expected
        assert values.tolist() == dense[expected, cluster].tolist()


@given(partitions())
@settings(deadline=None)
def test_entities_are_the_smallest_id_of_the_hard_members(partition):
    for cluster, entity in enumerate(partition.entities):
        inside = [id for id, label in zip(partition.ids, partition.labels, strict=True) if label == cluster]
        if inside:
            assert entity == min(inside)
        else:
            assert entity.startswith("~")
    assert len(set(partition.entities)) == partition.n_clusters


@given(partitions(), st.randoms())
@settings(deadline=None)
def test_entities_survive_a_permutation_of_rows(partition, random):
    order = random.sample(range(len(partition)), len(partition))
    permuted = Partition(partition.ids[order], partition.membership[order])
    assert permuted.entities == partition.entities


def test_clusters_that_are_nobodys_best_have_names_of_their_own():
    partition = Partition(["b", "~b", "a"], [[0.4, 0.3, 0.2, 0.0], [0.5, 0.1, 0.2, 0.0], [0.5, 0.3, 0.1, 0.0]])
    assert partition.entities == ["a", "~a", "~b", "~3"]
    assert Partition(["x", "~x"], [[0.6, 0.2, 0.2, 0], [0.0, 0, 0, 1]]).entities == ["x", "~~x", "~~~x", "~x"]


@given(partitions())
@settings(deadline=None)
def test_table_and_back(partition):
    table = partition.table(soft=True)
    back = Partition.from_table(partition.ids, table)
    met = [partition.entities.index(entity) for entity in dict.fromkeys(table.column("entity").to_pylist())]
    assert back.membership.toarray().tolist() == partition.membership.toarray()[:, met].tolist()
    assert back.ids.tolist() == partition.ids.tolist()
    dense = partition.membership.toarray()
    column = {entity: k for k, entity in enumerate(partition.entities)}
    assert table.num_rows == np.count_nonzero(dense)
    row = {id: k for k, id in enumerate(partition.ids)}
    previous = (-1, 0.0)
    for cells in table.to_pylist():
        here = row[cells["id"]], -cells["membership"]
        assert dense[here[0], column[cells["entity"]]] == cells["membership"]
        assert here >= previous
        previous = here


@given(partitions())
@settings(deadline=None)
def test_a_table_has_one_row_an_id_unless_it_is_soft(partition):
    table = partition.table().to_pylist()
    dense = partition.membership.toarray()
    held = [row for row in range(len(partition)) if partition.labels[row] >= 0]
    assert [cells["id"] for cells in table] == [partition.ids[row] for row in held]
    assert [cells["entity"] for cells in table] == [partition.entities[partition.labels[row]] for row in held]
    assert [cells["membership"] for cells in table] == [dense[row].max() for row in held]


def test_from_table_refuses_ids_that_are_not_there():
    table = pa.table({"id": ["a", "z"], "entity": ["a", "a"], "membership": [1.0, 1.0]})
    with pytest.raises(ValueError, match="'z'"):
        Partition.from_table(["a", "b"], table)
    empty = Partition.from_table(["a", "b"], table.slice(0, 0))
    assert (len(empty), empty.n_clusters, empty.labels.tolist()) == (2, 0, [-1, -1])


def test_from_table_takes_tables_in_chunks():
    whole = Partition.from_labels([f"p{i}" for i in range(100)], np.arange(100) % 7).table()
    chunks = pa.concat_tables([whole.slice(i, 9) for i in range(0, 100, 9)])
    assert Partition.from_table([f"p{i}" for i in range(100)], chunks).table() == whole


def test_from_labels_leaves_out_negative_ones():
    partition = Partition.from_labels(["a", "b", "c", "d"], [5, -1, 2, 5])
    assert partition.labels.tolist() == [1, -1, 0, 1]
    assert partition.entities == ["c", "a"]
    assert partition.membership.toarray().tolist() == [[0, 1], [0, 0], [1, 0], [0, 1]]
    assert Partition.from_labels(["a"], [-1]).n_clusters == 0
    assert Partition.from_labels([], []).entities == []


def test_uncertainty_is_entropy():
    rows = [[1, 0, 0, 0], [0.3, 0, 0, 0], [0.25, 0.25, 0.25, 0.25], [0.1, 0.1, 0, 0], [0, 0, 0, 0], [0.9, 0.1, 0, 0]]
    found = Partition(list("abcdef"), rows).uncertainty
    assert found[:2].tolist() == [0, 0]
    assert found[2:] == pytest.approx([np.log(4), np.log(2), 0, -0.9 * np.log(0.9) - 0.1 * np.log(0.1)])


def test_a_partition_leaves_the_callers_matrix_alone():
    given_matrix = sparse.csr_matrix(([1.0, 0.0], ([0, 1], [0, 0])), shape=(2, 1))
    Partition(["a", "b"], given_matrix)
    assert given_matrix.nnz == 2


def test_a_partition_needs_a_row_for_each_id():
    with pytest.raises(ValueError, match="2 ids but 1 rows"):
        Partition(["a", "b"], [[1.0]])


def test_many_rows_there_and_back():
    n = 150_000
    rng = np.random.default_rng(0)
    ids = np.array([f"2001/{i % 70_000}:{i}" for i in rng.permutation(n)], dtype=object)
    columns = np.concatenate([rng.integers(0, 400_000, n), rng.integers(0, 400_000, n)])
    weights = np.concatenate([np.full(n, 0.7), np.full(n, 0.2)])
    memberships = sparse.csr_matrix((weights, (np.tile(np.arange(n), 2), columns)), shape=(n, 400_000))
    partition = Partition(ids, memberships)
    back = Partition.from_table(ids, partition.table(soft=True))
    assert len(back.labels) == n
    first = np.flatnonzero(partition.labels == partition.labels[0])
    assert partition.entities[partition.labels[0]] == min(ids[first])


@given(partitions())
@settings(deadline=None)
def test_a_table_has_the_strongest_cluster_of_each_unless_soft(partition):
    strongest = {}
    for row in partition.table(soft=True).to_pylist():
        strongest.setdefault(row["id"], row)
    assert partition.table().to_pylist() == list(strongest.values())


def kept_ids(partition: Partition, before: dict[str, str], age=None, **options) -> Partition:
    return FormerIds(before, {"another", *before.values()}, age or {}, **options).keep(partition)


def named(clusters: list[str], before: dict[str, str], **options) -> dict[str, str]:
    """Clusters as words, a letter a profile → by cluster its id."""
    ids = [profile for cluster in clusters for profile in cluster]
    labels = [number for number, cluster in enumerate(clusters) for _ in cluster]
    partition = kept_ids(Partition.from_labels(ids, labels), before, **options)
    now = labels_of(partition)
    return {cluster: now[cluster[0]] for cluster in clusters}


def test_the_larger_part_keeps_the_id_and_the_smaller_one_is_new():
    before = dict.fromkeys("abcd", "a")
    assert named(["a", "bcd"], before) == {"bcd": "a", "a": "a~2"}
    assert named(["bcd", "a"], before, used={"a~2"})["a"] == "a~3"
    assert named(["abc", "d"], before) == {"abc": "a", "d": "d"}


def test_of_two_that_merge_the_one_with_more_profiles_keeps_its_id():
    assert named(["abcde"], {"a": "a", "b": "a", "c": "c", "d": "c", "e": "c"}) == {"abcde": "c"}


def test_ties_go_to_the_older_one_then_to_the_smaller_id():
    before = {"a": "a", "b": "b"}
    assert named(["ab"], before) == {"ab": "a"}
    assert named(["ab"], before, age={"a": 7, "b": 3}) == {"ab": "b"}
    assert named(["ab"], before, age={"a": 7}) == {"ab": "b"}


def test_a_late_profile_gives_its_id_only_to_a_cluster_that_no_other_does():
    before = {"a": "x", "b": "x", "c": "y"}
    assert named(["ac", "b"], before) == {"ac": "x", "b": "b"}
    assert named(["ac", "b"], before, late={"a"}) == {"ac": "y", "b": "x"}
    assert named(["a", "c"], before, late={"a"}) == {"a": "x", "c": "y"}


def test_no_id_is_given_twice_or_to_somebody_else():
    assert named(["xy"], {}, used={"x"}) == {"xy": "y"}
    assert named(["x"], {}, used={"x"}) == {"x": "x~2"}
    # Profiles of one identity among those of two others: each takes the one it shares most with.
    before = {**dict.fromkeys("abc", "A"), **dict.fromkeys("def", "D")}
    assert named(["abd", "cef"], before) == {"abd": "A", "cef": "D"}


def test_what_is_nobodys_best_is_no_identity():
    partition = Partition(["a", "b"], np.array([[0.7, 0.3], [0.6, 0.4]]))
    assert kept_ids(partition, {"a": "z"}).entities == ["z", "~b"]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12))
def test_every_cluster_has_an_id_of_its_own_and_an_unchanged_one_keeps_it(pairs):
    ids = [f"p{row}" for row in range(len(pairs))]
    old = {id: f"o{a}" for id, (a, _) in zip(ids, pairs, strict=True)}
    partition = Partition.from_labels(ids, [b for _, b in pairs])
    now = labels_of(kept_ids(partition, old))
    assert len(set(now.values())) == partition.n_clusters
    members: dict[str, set[str]] = {}
    for id, entity in now.items():
        members.setdefault(entity, set()).add(id)
    for entity in set(old.values()):
        was = {id for id in ids if old[id] == entity}
        if was in members.values():
            assert members[entity] == was
        # A cluster without an old id shares no profile with an old identity that is left without a cluster.
        if entity not in members:
            assert all(now[id] in set(old.values()) for id in was)


def test_events_of_each_kind():
    before = {"a": "A", "b": "A", "c": "C", "d": "D", "e": "E", "f": "E", "g": "G", "h": "G"}
    now = {"a": "A", "b": "b", "c": "A", "e": "E", "f": "G", "g": "G", "h": "G", "n": "n"}
    told = events(before, now, gone=["X"])
    assert told == [
        Event("b", "split", "A", 1),
        Event("C", "merged", "A", 1),
        Event("E", "moved", "G", 1),
        Event("n", "appeared", None, 1),
        Event("D", "vanished"),
        Event("X", "vanished"),
    ]
    assert [str(event) for event in told][:3] == [
        "b split from A, 1 profile", "C merged into A, 1 profile", "1 profile moved from E to G"
    ]  # fmt: skip
    assert events(before, before) == []


@pytest.mark.parametrize(
    ("new", "wanted"),
    [
        (Profile("d:0", "d", "Ann Lee"), {"d:0": "A"}),
        (Profile("d:7", "d", "ANN LEE"), {"d:7": "A"}),
        (Profile("d:0", "d", "Bo Li"), {}),
        (Profile("e:0", "e", "Ann Lee"), {}),
    ],
)
def test_a_profile_takes_over_from_the_one_of_its_document_and_name(new, wanted):
    assert carried({"d:0": "A"}, Profiles.of([Profile("d:0", "d", "Ann Lee")]), Profiles.of([new])) == wanted


def test_two_of_one_name_take_over_in_their_order():
    old = Profiles.of(Profile(f"d:{at}", "d", "Ann Lee") for at in (0, 9))
    new = Profiles.of(Profile(f"d:{at}", "d", "Ann Lee") for at in (5, 14, 30))
    assert carried({"d:0": "A", "d:9": "B"}, old, new) == {"d:5": "A", "d:14": "B"}
