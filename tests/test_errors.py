"""Every message: of the class that it says, with something said, in whole sentences."""

from __future__ import annotations

import ast
import inspect
import re
import string
import typing
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from crossdoc import errors
from crossdoc.errors import Message

PLAUSIBLE = {
    str: "something",
    int: 7,
    float: 0.5,
    errors.AnyPath: "folder/file.csv",
    Sequence[str]: ["one", "two"],
    Sequence[object]: ["one", "two"],
}
OF_FORMAT = {"": "something", "clause": "something", ",": 7, "g": 0.5, ".0f": 0.5, "minutes": 120, "GB": 7e9}

MESSAGES = {name: value for name, value in vars(errors).items() if isinstance(value, Message)}
FUNCTIONS = {
    name: value
    for name, value in inspect.getmembers(errors, inspect.isfunction)
    if value.__module__ == errors.__name__ and not name.startswith("_")
}
TREES = [ast.parse(file.read_text("utf-8")) for file in sorted(Path(errors.__file__).parent.rglob("*.py"))]


def is_reference(node: ast.AST) -> typing.TypeGuard[ast.Attribute]:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "errors"


def check_text(error: errors.CrossdocError) -> None:
    # A whole sentence, or a list that a colon announces.
    assert re.search(r"[^.]\.$|:\n( {2}(- |\d+\. ).+(\n|$))+$", error.what), error.what
    assert error.hint
    assert str(error) == f"{error.what}\n{error.hint}"


@pytest.mark.parametrize("name", MESSAGES)
def test_every_message(name: str):
    message: Message[errors.CrossdocError] = MESSAGES[name]
    parsed = list(string.Formatter().parse(message.what + message.hint))
    formats = {field: spec or "" for _, field, spec, _ in parsed if field}
    assert set(formats) == set(message.fields)
    assert set(formats.values()) <= {*OF_FORMAT, *errors.FORMATS}
    values = [OF_FORMAT.get(formats[field], ["one", "two"]) for field in message.fields]
    error = message(*values)
    assert type(error) is message.kind
    check_text(error)
    for field, value in zip(message.fields, values, strict=True):
        assert not isinstance(value, str) or value in str(error), f"{field} is not shown"
    with pytest.raises(ValueError, match="argument"):
        message(*values, "one too many")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_message_that_depends_on_its_arguments(name: str):
    kinds = typing.get_type_hints(FUNCTIONS[name])
    promised = kinds.pop("return")
    error = FUNCTIONS[name](**{field: PLAUSIBLE[kind] for field, kind in kinds.items()})
    assert type(error) is promised
    check_text(error)
    for field, kind in kinds.items():
        assert kind not in (str, errors.AnyPath) or PLAUSIBLE[kind] in str(error), f"{field} is not shown"


def test_every_call_gives_a_value_for_each_field():
    called = [
        node for tree in TREES for node in ast.walk(tree) if isinstance(node, ast.Call) and is_reference(node.func)
    ]
    wrong = [
        ast.unparse(call)
        for call in called
        if isinstance(call.func, ast.Attribute)
        and (message := MESSAGES.get(call.func.attr)) is not None
        and (
            call.keywords
            or len(call.args) != len(message.fields)
            or any(isinstance(given, ast.Starred) for given in call.args)
        )
    ]
    assert len(called) > 300
    assert not wrong, wrong


def test_every_message_is_used_and_handed_over_only_with_one_field():
    nodes = [node for tree in TREES for node in ast.walk(tree)]
    referred = Counter(node.attr for node in nodes if is_reference(node))
    called = Counter(node.func.attr for node in nodes if isinstance(node, ast.Call) and is_reference(node.func))
    imported = {alias.name for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert {*MESSAGES, *FUNCTIONS} <= {*referred, *imported}
    for name in referred - called:
        assert name not in MESSAGES or len(MESSAGES[name].fields) == 1, name


def test_a_value_of_another_kind_is_shown_as_it_is():
    assert errors.partition_of_others("many", None).what.startswith("The partition has many profiles")
    assert errors.unknown_choice("method", "best", "karc").hint == "Choose one of: karc."


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
