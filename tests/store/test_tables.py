"""A transaction is kept wholly or not at all."""

from __future__ import annotations

import pytest

from crossdoc.store import Store


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
