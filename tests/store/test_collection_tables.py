"""What was read comes back, as far as it is asked for."""

from __future__ import annotations

import pyarrow as pa
import pytest

from crossdoc.store import Store
from crossdoc.store.collection_tables import FirstNameTotals


def test_known_ids(result):
    with Store.open(result) as store:
        assert store.known("documents", ["d1", "d9", "empty", "d1"]) == {"d1", "empty"}
        assert store.known("profiles", iter(["it's", "d2", "d2:0:15"])) == {"it's", "d2:0:15"}
        assert store.known("profiles", []) == set()
    memory = Store.memory()
    assert memory.known("documents", ["d1"]) == set()


def test_duplicates(result, made):
    with Store.begin(result, "two") as store:
        for _ in range(2):
            with store.batch():
                store.add(made.documents.take([0, 2]))
        assert store.duplicates("documents") == ["d1", "empty"]
        assert store.duplicates("profiles") == []


def words(**counts: int) -> dict[str, pa.Table]:
    return {"word_counts": pa.table({"word": list(counts), "n": list(counts.values())})}


def bearers(*rows: tuple[str, str, str, int]) -> dict[str, pa.Table]:
    return {"bearers": pa.table(list(map(list, zip(*rows, strict=True))), names=["type", "last", "first", "n"])}


def spellings(*rows: tuple[str, str, str, int]) -> pa.Table:
    return pa.table(list(map(list, zip(*rows, strict=True))), names=["type", "name", "keys", "n"])


def readings(*rows: tuple[str, int, str, str, int]) -> pa.Table:
    return pa.table(list(map(list, zip(*rows, strict=True))), names=["type", "topic", "name", "reading", "n"])


def tuples(table: pa.Table) -> list[tuple[object, ...]]:
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


@pytest.fixture
def store(made):
    with Store.memory() as store:
        made.write(store)
        related = pa.table({"type": ["person"], "field": ["beside"], "unit": [""], "n": [4]})
        names = bearers(("person", "lee", "ann", 2), ("person", "lee", "bo", 1), ("person", "kim", "ann", 1),
                        ("", "fox", "dee", 1))  # fmt: skip
        store.save_statistics({**words(engine=3, poem=1), **names, "related_counts": related})
        store.add_statistics({**words(poem=-1), **bearers(("person", "kim", "ann", -1))})
        yield store


def test_what_is_subtracted_is_not_there(store):
    assert store.word_frequencies(None) == store.word_frequencies(["engine", "poem"]) == {"engine": 3}
    assert store.word_frequencies(["poem"]) == {}
    people = [("person", "lee", "ann", 2), ("person", "lee", "bo", 1)]
    assert tuples(store.bearers(["kim", "lee"])) == people
    assert tuples(store.bearers(None)) == [("", "fox", "dee", 1), *people]


def test_totals_are_those_of_each_type(store):
    assert tuples(store.related_counts(["", "fox"])) == [("person", "beside", "", 4)]
    totals = store.name_totals(["ann", "dee", "zed"])
    assert totals["person"] == FirstNameTotals({"ann": 1}, 2, 3)
    assert totals[""] == FirstNameTotals({"dee": 1}, 1, 1)
    assert "place" not in totals
    assert store.untyped_first_names() == ["dee"]


def test_new_statistics_replace_all_but_how_words_are_written(store):
    store.save_table("capitals", pa.table({"slot": [7], "form": [1], "n": [2]}))
    topics = pa.table({"document": ["d1", "d2"], "topic": [5, 6], "n": [1, 1]})
    store.save_table("document_topics", topics, topics_cut="0.125")
    assert store.topics() == ({"d1": 5, "d2": 6}, 0.125)
    assert store.topics(["d2"]) == ({"d2": 6}, 0.125)
    store.add_statistics({"document_topics": pa.table({"document": ["d2"], "topic": [6], "n": [-1]})})
    assert store.topics() == ({"d1": 5}, 0.125)
    store.save_statistics(words(ode=1))
    assert store.word_frequencies(None) == {"ode": 1}
    assert store.capital_counts(None) == store.capital_counts([7]) == [(7, 1, 2)]
    assert store.capital_counts([8]) == []
    assert store.topics() == ({}, 0)
    assert store.meta("counted") == "3"


def test_names_are_found_by_any_of_their_keys_and_of_their_type(store):
    kept = ("person", "Al Lee", "+al .lee", 1), ("person", "Bo Kim", "+bo .kim", 2), ("place", "Lee", ".lee", 1)
    store.save_table("spellings", spellings(*kept), called="all")
    assert store.meta("called") == "all"
    assert store.names_like("person", [".lee", "+bo", ".kim"]) == {"Al Lee": 1, "Bo Kim": 2}
    assert store.names_like("person", [".le", "lee", ""]) == {}
    assert store.names_like("place", [".lee"]) == {"Lee": 1}
    assert store.names_like("person", [".lee", *map(str, range(1_000))]) == {"Al Lee": 1}
    # Another version may have kept a name under other keys.
    other = spellings(("person", "Al Lee", "+al", -1), ("person", "Bo Kim", ".kim =kim", -1))
    store.add_statistics({"spellings": other})
    assert store.names_like("person", [".lee", "+bo", "=kim"]) == {"Bo Kim": 1}
    (bo, lee) = store.spellings().to_pylist()
    assert (bo["type"], bo["name"], bo["n"]) == ("person", "Bo Kim", 1)
    assert set(bo["keys"].split()) == {"+bo", ".kim", "=kim"}
    assert lee == {"type": "place", "name": "Lee", "keys": ".lee", "n": 1}


def test_readings_are_found_again_with_the_statistics(store):
    assert store.readings("person") == {}
    read = readings(("person", 3, "Reagn", "Reagan", 1), ("", 4, "AP", "A", 1))
    store.save_table("readings", read, readings="all")
    store.add_statistics({"readings": readings(("", 4, "AP", "A", -1))})
    assert store.readings("person") == store.readings("person", [3]) == {(3, "Reagn"): "Reagan"}
    assert store.readings("person", [4]) == store.readings("") == {}
    assert store.readings_of("person", ["Reagn"]) == {"Reagan"}
    store.save_statistics(words(ode=1))
    assert store.readings("person") == {}


def test_connected_names_are_those_of_the_type(store):
    rows = {"type": ["place", "place", "organisation"], "name": ["Oz", "Ur", "Oz"], "label": ["Oz", "Oz", "Fiat"]}
    store.add_statistics({"linked_names": pa.table({**rows, "n": [1, 1, 1]})})
    store.add_statistics({"linked_names": pa.table({"type": ["place"], "name": ["Ur"], "label": ["Oz"], "n": [-1]})})
    assert store.linked_names("place") == {"Oz": "Oz"}
