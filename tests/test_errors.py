"""Every message: of the class that it says, with something said, in whole sentences."""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Callable, Sequence

import pytest

from crossdoc import errors

PLAUSIBLE = {
    str: "something",
    int: 7,
    float: 0.5,
    object: "value",
    errors.AnyPath: "folder/file.csv",
    Sequence[str]: ["one", "two"],
    Sequence[object]: ["one", "two"],
    Sequence[int]: [2, 3],
}

MESSAGES = [
    function
    for name, function in inspect.getmembers(errors, inspect.isfunction)
    if function.__module__ == errors.__name__ and not name.startswith("_")
]


@pytest.mark.parametrize("message", MESSAGES, ids=lambda function: function.__name__)
def test_every_message(message: Callable[..., errors.CrossdocError]):
    kinds = typing.get_type_hints(message)
    promised = kinds.pop("return")
    assert all(kind in PLAUSIBLE for kind in kinds.values()), (
        f"a kind of argument that this test does not know: {kinds}"
    )
    made = message(**{name: PLAUSIBLE[kind] for name, kind in kinds.items()})
    assert type(made) is promised
    # A whole sentence, or a list that a colon announces.
    assert re.search(r"[^.]\.$|:\n( {2}(- |\d+\. ).+(\n|$))+$", made.what), made.what
    assert made.hint
    assert str(made) == f"{made.what}\n{made.hint}"
    for name, kind in kinds.items():
        if kind in (str, errors.AnyPath):
            assert PLAUSIBLE[kind] in str(made), f"{name} is not told"


def test_there_are_messages():
    assert len(MESSAGES) > 100


def test_mistakes_of_callers_are_value_errors():
    for kind in (errors.UsageError, errors.InputError, errors.ScoreError):
        assert issubclass(kind, ValueError)
        assert issubclass(kind, errors.CrossdocError)
    for kind in (errors.StoreError, errors.ConstraintError):
        assert not issubclass(kind, ValueError)


def test_codes():
    assert errors.no_inputs().exit_code == errors.empty_name().exit_code == 2
    assert errors.empty_id("profile").exit_code == 1


def test_lists_are_cut():
    told = errors.bad_settings("crossdoc.toml", [f"problem {i}" for i in range(1000)]).what
    assert told.count("\n") == 21
    assert told.endswith("  - … and 980 more")


def test_an_empty_name_says_what_to_do():
    assert "--name is empty" in errors.empty_name().what
    assert "leave --name out" in errors.empty_name().hint
