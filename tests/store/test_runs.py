"""Runs are listed in their order, with the scores that were kept of the last one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crossdoc import errors
from crossdoc.store import Store


def test_scores_are_those_of_the_last_run(result, made):
    with Store.open(result, write=True) as store:
        store.keep_score("gold.csv", {"b3": 0.87654})
        store.save_run(replace(made.run, started="2025-01-01"))
        store.keep_score("gold.csv", {"b3": 0.9})
        assert [run.started for run in store.runs()] == ["2024-01-01", "2025-01-01"]
        assert [(score.run, score.f1) for score in store.scores()] == [
            ("2024-01-01", {"b3": 0.8765}),
            ("2025-01-01", {"b3": 0.9}),
        ]


@pytest.mark.parametrize("settings", ["[]", "no json", None])
def test_settings_that_are_none_are_told(made, settings):
    with pytest.raises(errors.StoreError):
        replace(made.run, settings=settings).parsed_settings()
    assert replace(made.run, settings='{"a": 1}').parsed_settings() == {"a": 1}
