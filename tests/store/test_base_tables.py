"""A transaction is kept wholly or not at all."""

from __future__ import annotations

import pytest

from crossdoc.store import Store, base_tables


def test_a_failed_batch_leaves_nothing(tmp_path, made):
    with Store.begin(tmp_path / "x.crossdoc", "f") as store:

        def half_done() -> None:
            with store.batch():
                store.add_documents(made.documents)
                raise KeyError

        with pytest.raises(KeyError):
            half_done()
        assert store.count("documents") == 0
        with store.batch():
            store.add_documents(made.documents)
        assert store.count("documents") == 3


def test_what_a_change_says_of_the_answer_is_read_at_once(result):
    with Store.open(result) as store, store.changing():
        assert store.meta("k") is None
        store.set_meta("k", "1")
        assert store.meta("k") == "1"
        store.set_meta("k", "2")
        assert store.meta("k") == "2"
        store.drop("meta", ["k"], "key")
        assert store.meta("k") is None


def test_few_ids_and_many_are_asked_for_alike(result, monkeypatch):
    with Store.open(result) as store:
        asked = ["it's", "nobody", "d1:0:10"]
        few = store.profiles(ids=asked), store.entity_of(asked), store.known("profiles", asked)
        monkeypatch.setattr(base_tables, "AS_PARAMETER", 0)
        many = store.profiles(ids=asked), store.entity_of(asked), store.known("profiles", asked)
    assert few[0].arrow == many[0].arrow
    assert few[1:] == many[1:] == ({"it's": "d2:0:15", "d1:0:10": "d1:0:10"}, {"it's", "d1:0:10"})
