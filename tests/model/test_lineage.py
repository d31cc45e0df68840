"""Which identity keeps its id, and what is told of the others."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossdoc.model import Partition, Profile, Profiles
from crossdoc.model.lineage import Event, carried, events, kept_ids, labels_of


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
