"""What was read comes back, as far as it is asked for."""

from __future__ import annotations

from crossdoc.store import Store


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
                store.add_documents(made.documents.take([0, 2]))
        assert store.duplicates("documents") == ["d1", "empty"]
        assert store.duplicates("documents", most=1) == ["d1"]
        assert store.duplicates("profiles") == []
