import numpy as np
import pyarrow as pa
import pytest

from crossdoc.scoring import Alignment, Assignment, ScoreError, align


def entities_by_id(assignment):
    ids, entities = assignment.ids.to_pylist(), assignment.entities.to_pylist()
    pairs = zip(assignment.item, assignment.entity, strict=True)
    return sorted((ids[i], entities[e]) for i, e in pairs)


def test_every_way_to_build_gives_the_same_rows():
    wanted = [("a", "x"), ("b", "x"), ("b", "y")]
    assert entities_by_id(Assignment.of({"a": "x", "b": ["x", "y"]})) == wanted
    assert entities_by_id(Assignment.from_rows(np.array(["a", "b", "b"]), ["x", "x", "y"])) == wanted
    table = pa.table({"id": ["a", "b", "b"], "entity": ["x", "x", "y"], "membership": [1.0, 0.5, 0.5]})
    assert entities_by_id(Assignment.from_table(table)) == wanted
    chunked = pa.concat_tables([table.slice(0, 1), table.slice(1)])
    assert entities_by_id(Assignment.from_table(chunked)) == wanted


def test_ids_read_as_numbers_meet_ids_read_as_text():
    numbers = Assignment.from_table(pa.table({"id": [1, 2], "entity": [7, 7]}))
    both = align(numbers, Assignment.of({"1": "x", "2": "x"}))
    assert (both.missing_from_answer, both.missing_from_gold) == (0, 0)


def test_missing_ids_are_singletons_or_left_out_and_counted():
    both = align(Assignment.of({"a": "1", "b": "1", "q": "1", "r": "2"}), Assignment.of(dict.fromkeys("abcd", "x")))
    assert (both.missing_from_answer, both.missing_from_gold) == (2, 2)
    assert sorted(both.predicted_sizes[both.predicted_sizes > 0].tolist()) == [1, 1, 2]


def test_a_repeated_row_counts_once():
    both = align(Assignment.from_rows(["a", "a"], ["1", "1"]), Assignment.of({"a": "x"}))
    assert not both.overlapping
    assert both.predicted_sizes.tolist() == [1]


def test_above_keeps_the_stronger_memberships_and_at_least_the_best():
    soft = Assignment.from_rows(["a", "a", "b"], ["x", "y", "x"], [0.7, 0.3, 0.2], ["g", "g", "h"])
    kept = soft.above(0.25)
    assert entities_by_id(kept) == [("a", "x"), ("a", "y"), ("b", "x")]
    assert kept.groups.to_pylist() == ["g", "h"]


def test_strongest_keeps_one_entity_of_each_id():
    soft = Assignment.from_rows(["a", "a", "b", "b"], ["x", "y", "x", "y"], [0.3, 0.7, 0.5, 0.5])
    assert entities_by_id(soft.strongest()) == [("a", "y"), ("b", "x")]


def test_labels_and_names_align_alike():
    by_label = Alignment.from_labels([5, 5, -1], [0, 2, 2])
    by_name = align(Assignment.of({"a": "5", "b": "5", "c": "-1"}), Assignment.of({"a": "0", "b": "2", "c": "2"}))
    assert sorted(zip(*by_label.overlaps, strict=True))[0][2] == 1
    assert sorted(by_label.overlaps[2]) == sorted(by_name.overlaps[2])


def test_split_by_group_cuts_entities_at_the_borders():
    gold = Assignment.of({"a": "0", "b": "0", "c": "0"}, groups={"a": "g", "b": "g", "c": "h"})
    split = align(Assignment.of({"a": "1", "b": "1", "c": "1"}), gold).split_by_group()
    assert split.gold_sizes.tolist() == [2, 1]
    assert split.predicted_sizes.tolist() == [2, 1]
    assert [split.groups[g] for g in split.entity_group] == ["g", "h"]


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: Assignment.from_table(pa.table({"id": ["a"]})), "no column entity"),
        (lambda: Assignment.from_rows(["a", None], ["x", "y"]), "1 empty values"),
        (lambda: Assignment.from_rows(["a", "b"], ["x"]), "differ in length"),
        (lambda: Assignment.from_rows(["a", "a"], ["x", "y"], group=["g", "h"]), "two groups"),
        (lambda: Assignment.of({"a": "x"}).above(0.5), "needs a column membership"),
        (lambda: align(Assignment.of({"a": "x"}), Assignment.of({"b": "x"})), "no id in common"),
        (lambda: align(Assignment.of({"a": "x"}), Assignment.of({})), "no id in common"),
        (lambda: Alignment.from_labels([1, 2], [1]), "differ in shape"),
        (lambda: align(Assignment.of({"a": "x"}), Assignment.of({"a": "x"})).split_by_group(), "needs a column group"),
    ],
)
def test_what_cannot_be_scored_says_why(build, says):
    with pytest.raises(ScoreError, match=says):
        build()
