"""Statistics add up: those of two collections together are the sum, and subtracting gives back the former ones."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from crossdoc.compare.name_prior import NameCounts
from crossdoc.compare.statistics import Lookup, Statistics, capital_rows, reading_rows, topic_rows
from crossdoc.model import Profile, Profiles, Relation

NAMES = st.sampled_from(["Ann Lee", "A. Lee", "Lee", "Bo Kim", "Velox Ltd", "Oz", ""])
TYPES = st.sampled_from(["person", "organisation", "place", None])
WORDS = st.lists(st.sampled_from(["red", "car", "race", "poem", "verse"]), max_size=4).map(" ".join)
RELATIONS = st.lists(
    st.tuples(st.sampled_from(["list", "employment", "family"]), st.sampled_from(["Cy Ode", "MIT", "Ann Lee"])),
    max_size=2,
)
ROWS = st.lists(st.tuples(NAMES, TYPES, WORDS, RELATIONS), max_size=8)


def profiles(rows, first: int = 0) -> Profiles:
    return Profiles.of(
        Profile(f"p{at}", f"d{at // 2}", name, kind, text, relations=tuple(Relation(*each) for each in related))
        for at, (name, kind, text, related) in enumerate(rows, first)
    )


def counted(table: Profiles) -> Statistics:
    return Statistics.of(table, [table.column("context").to_pylist()])


@settings(max_examples=60, deadline=None)
@given(ROWS, ROWS)
def test_statistics_of_two_collections_add_up(left, right):
    a, b = profiles(left), profiles(right, len(left))
    both = counted(Profiles(pa.concat_tables([a.arrow, b.arrow])))
    assert counted(a) + counted(b) == both
    assert both - counted(b) == counted(a) + Statistics()
    assert (both - counted(a) - counted(b)) == Statistics()


@settings(max_examples=40, deadline=None)
@given(ROWS)
def test_counts_of_names_are_those_of_all_profiles(rows):
    table = profiles([(name, "person", text, related) for name, _, text, related in rows])
    own = [name for name in table.column("name").to_pylist() if name]
    beside = [name for *_, related in rows for kind, name in related if kind in ("list", "family")]
    expected = NameCounts(own, beside)
    found = counted(table).type_counts({"person": Lookup.of(table)})["person"].names
    assert found.bearers == expected.bearers
    assert (found.firsts, found.people) == (expected.firsts, expected.people)
    assert found.personal == expected.personal


def test_rows_for_the_store_can_be_subtracted():
    one = counted(profiles([("Ann Lee", "person", "red car", [("list", "Bo Kim")])]))
    added, taken = one.tables(), one.tables(-1)
    assert {name: len(rows) for name, rows in added.items()} == {
        "word_counts": 2, "bearers": 2, "spellings": 1, "related_counts": 2,
    }  # fmt: skip
    for name, rows in added.items():
        assert rows.drop_columns("n") == taken[name].drop_columns("n")
        assert rows.column("n").to_pylist() == [-n for n in taken[name].column("n").to_pylist()]
    assert capital_rows([(7, 1, 3)], -1).to_pylist() == [{"slot": 7, "form": 1, "n": -3}]
    assert topic_rows({"d": 5}, -1).to_pylist() == [{"document": "d", "topic": 5, "n": -1}]
    assert reading_rows({(5, "Le"): "Lee"}, "person").to_pylist() == [
        {"type": "person", "topic": 5, "name": "Le", "reading": "Lee", "n": 1}
    ]


def test_keys_to_look_up_are_those_of_names_contexts_and_texts():
    table = profiles([("Ann Lee", "person", "red car", [("list", "Bo Kim")])])
    found = Lookup.of(table, ["a race"], ["Cy Orr"])
    assert found.words == {"red", "car", "race"}
    assert (found.lasts, found.firsts) == ({"lee", "orr"}, {"ann", "cy"})
    assert found.related["beside"] == {"", "bo kim"}
    assert Lookup.of(table, None).words is None
    assert Lookup.of(table.take(np.zeros(200, dtype=np.int64))).words is None
