"""Nouns as frames of pandas and Polars, and what is said where those are missing."""

from __future__ import annotations

import sys

import pytest

from crossdoc import errors
from crossdoc.model import Document, Documents, Mention, Mentions, Partition, Profile, Profiles, Relation


@pytest.mark.parametrize(
    "noun",
    [
        Documents.of([Document("d", "text", mentions=(Mention("m", "d", 0, 4, "text"),)), Document("e", "")]),
        Mentions.of([Mention("m", "d", 0, 4, "text")]),
        Profiles.of([Profile("p", "d", "Ann", attributes={"role": ["chair"]}, relations=(Relation("kin", "Bo"),))]),
        Partition(["a", "b"], [[0.4, 0.6], [1.0, 0.0]]),
    ],
    ids=lambda noun: type(noun).__name__,
)
def test_frames(noun):
    arrow = noun.to_arrow()
    assert len(arrow) == len(noun)
    pandas, polars = noun.to_pandas(), noun.to_polars()
    assert type(pandas).__module__.startswith("pandas")
    assert type(polars).__module__.startswith("polars")
    for frame in (pandas, polars):
        assert list(frame.columns) == arrow.column_names
        assert list(frame["id"]) == arrow.column("id").to_pylist()


@pytest.mark.parametrize("package", ["pandas", "polars"])
def test_a_frame_needs_its_package(package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(errors.UsageError, match=f"pip install {package}"):
        getattr(Partition(["a"], [[1.0]]), f"to_{package}")()
