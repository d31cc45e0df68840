"""Grades in their order."""

from __future__ import annotations

from crossdoc.names import Grade


def test_from_clash_to_equal() -> None:
    assert [str(grade) for grade in Grade] == ["clash", "similar", "part", "variant", "equal"]
    assert sorted(Grade) == list(Grade)
    assert not Grade.CLASH
