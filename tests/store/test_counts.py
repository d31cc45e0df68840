"""Counts add up over what was added and taken off, by type and for all types at once."""

from __future__ import annotations

import pyarrow as pa
import pytest

from crossdoc.compare.kept import COUNTS
from crossdoc.store import Store


def counts(*rows: tuple[str, str, str, str, int]) -> pa.Table:
    return pa.table(list(map(list, zip(*rows, strict=True))), schema=COUNTS)


def _tuples(table: pa.Table) -> list[tuple[object, ...]]:
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


@pytest.fixture
def store(made):
    with Store.memory() as store:
        made.write(store)
        store.save_counts(
            counts(
                ("word", "", "engine", "", 3), ("word", "", "poem", "", 1), ("name", "person", "lee", "ann", 2),
                ("name", "person", "lee", "bo", 1), ("name", "person", "kim", "ann", 1),
                ("beside", "person", "", "", 4), ("name", "", "fox", "dee", 1),
            )
        )  # fmt: skip
        store.add_counts(counts(("word", "", "poem", "", -1), ("name", "person", "kim", "ann", -1)))
        yield store


def test_what_is_taken_off_is_not_there(store):
    assert store.counted("word", "", None) == [("engine", "", 3)]
    assert store.numbers("word", None) == store.numbers("word", ["engine", "poem"]) == {"engine": 3}
    assert store.counted("name", "person", ["kim", "lee"]) == [("lee", "ann", 2), ("lee", "bo", 1)]


def test_all_types_at_once_are_as_each_by_itself(store):
    assert _tuples(store.counted_together(["name", "beside"], ["lee", "", "fox"])) == [
        ("beside", "person", "", "", 4),
        ("name", "", "fox", "dee", 1),
        ("name", "person", "lee", "ann", 2),
        ("name", "person", "lee", "bo", 1),
    ]
    assert store.counted_names("person", ["ann", "zed"]) == ({"ann": 1}, 2, 1, 1)
    assert store.counted_names("", ["dee"]) == ({"dee": 1}, 1, 2, 2)
    assert store.counted_names("place", ["dee"]) == ({}, 0, 0, 0)


def test_new_counts_take_the_place_of_all_but_how_words_are_written(store):
    store.save_cases(counts(("case", "", "7", "1", 2)))
    store.save_topics(counts(("topic", "", "d1", "5", 1), ("topic", "", "d2", "6", 1)), 0.125)
    assert store.topics() == ({"d1": 5, "d2": 6}, 0.125)
    assert store.topics(["d2"]) == ({"d2": 6}, 0.125)
    store.save_counts(counts(("word", "", "ode", "", 1)))
    assert store.counted("word", "", None) == [("ode", "", 1)]
    assert store.counted("case", "", None) == [("7", "1", 2)]
    assert store.topics() is None
    assert store.meta("counted") == "3"


def test_names_are_found_by_any_of_their_keys_and_of_their_type(store):
    assert store.meta("called") is None
    called = counts(("called", "person", "Al Lee", "+al .lee", 1), ("called", "person", "Bo Kim", "+bo .kim", 2))
    store.save_called(pa.concat_tables([called, counts(("called", "place", "Lee", ".lee", 1))]))
    assert store.meta("called") == "all"
    assert store.called_like("person", [".lee", "+bo", ".kim"]) == {"Al Lee": 1, "Bo Kim": 2}
    assert store.called_like("person", [".le", "lee", ""]) == {}
    assert store.called_like("place", [".lee"]) == {"Lee": 1}
    assert store.called_like("person", [".lee", *map(str, range(1_000))]) == {"Al Lee": 1}
    # Another version may have kept a name under other keys.
    store.add_counts(counts(("called", "person", "Al Lee", "+al", -1), ("called", "person", "Bo Kim", ".kim =kim", -1)))
    assert store.called_like("person", [".lee", "+bo", "=kim"]) == {"Bo Kim": 1}
    (bo, lee) = store.called().to_pylist()
    assert (bo["type"], bo["name"], set(bo["keys"].split()), bo["n"]) == (
        "person",
        "Bo Kim",
        {"+bo", ".kim", "=kim"},
        1,
    )
    assert lee == {"type": "place", "name": "Lee", "keys": ".lee", "n": 1}


def test_readings_are_those_that_were_not_taken_off_and_all_are_found_anew_with_the_counts(store):
    assert store.readings() is None
    store.save_readings(counts(("reading", "person", "3", "Reagn\x1fReagan", 1), ("reading", "", "4", "AP\x1fA", 1)))
    store.add_counts(counts(("reading", "", "4", "AP\x1fA", -1)))
    assert _tuples(store.readings()) == [("person", "3", "Reagn\x1fReagan")]
    store.save_counts(counts(("word", "", "ode", "", 1)))
    assert store.readings() is None
    assert store.meta("called") is None
