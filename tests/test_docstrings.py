"""The docstrings of the public names are in numpydoc's form, and say what the signatures say."""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest

import crossdoc
from crossdoc.settings import Settings

HOMES = {
    **dict.fromkeys([*crossdoc.__all__, "open"], "crossdoc"),
    **dict.fromkeys(crossdoc.cluster.__all__, "crossdoc.cluster"),
    **dict.fromkeys(["ArticleGroup", "LinkDetector", "link_groups"], "crossdoc.crosslingual"),
    **dict.fromkeys(["Constraints", "Member", "Relation", "Relations", "Vectors"], "crossdoc.model"),
    **dict.fromkeys(["Assignment", "Scores"], "crossdoc.scoring"),
    "cluster_contexts_of": "crossdoc.run.one_name",
    "candidates": "crossdoc.compare.blocking",
    "context_neighbours": "crossdoc.compare.neighbours",
    "attribute_rows": "crossdoc.compare.specialists.base",
}
NAMES = sorted(HOMES.keys() - {"__version__"})
NOT_MADE_BY_HAND = {"Evidence", "Extractor", "Resolution", "Settings", "Specialist"}
"""Protocols, bases, what other functions give, and what says of each field what it is."""
ORDER = ["Parameters", "Returns", "Raises", "Attributes", "Notes", "References", "Examples"]


def named(name: str) -> Any:
    return getattr(import_module(HOMES[name]), name)


def sections(name: str) -> dict[str, str]:
    """Heading → content; what comes first is under ""."""
    doc = inspect.getdoc(named(name)) or ""
    first, *rest = re.split(r"^(\w+)\n-{3,}\n", doc, flags=re.MULTILINE)
    return {"": first.strip(), **dict(zip(rest[::2], rest[1::2], strict=True))}


def entries(text: str) -> Iterator[tuple[str, str]]:
    """(name, type) of each entry, which is followed by lines that are indented; one entry may have several names."""
    for names, type_, told in re.findall(r"^([\w*]+(?:, \w+)*) : (.+)\n((?:    .*\n?)*)", text, re.MULTILINE):
        assert told.strip(), names
        yield from ((name, type_) for name in names.split(", "))


def parameters(name: str) -> dict[str, inspect.Parameter]:
    given = inspect.signature(named(name)).parameters.values()
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return {stars.get(each.kind, "") + each.name: each for each in given}


@pytest.mark.parametrize("name", NAMES)
def test_sections_are_there_and_in_order(name):
    found = sections(name)
    assert found[""], "a summary"
    assert [each for each in found if each] == [each for each in ORDER if each in found]
    assert ">>>" in found["Examples"]


@pytest.mark.parametrize("name", [name for name in NAMES if name not in NOT_MADE_BY_HAND and parameters(name)])
def test_parameters_are_those_of_the_signature(name):
    signature = parameters(name)
    told = dict(entries(sections(name)["Parameters"]))
    assert list(told) == list(signature)
    for each, type_ in told.items():
        default = re.search(r"(?:^|, )default (.+)$", type_)
        assert (default[1] if default else None) == said(signature[each].default), each


def said(default: Any) -> str | None:
    """How a default is written; one that is made anew, or a function, is only optional."""
    made = type(default).__name__ == "_HAS_DEFAULT_FACTORY_CLASS"
    if default is inspect.Parameter.empty or made or callable(default) or isinstance(default, types.MappingProxyType):
        return None
    if isinstance(default, str):
        return f'"{default}"'
    return repr(default).replace("'", '"')


@pytest.mark.parametrize("name", [name for name in NAMES if not inspect.isclass(named(name))])
def test_functions_say_what_they_return(name):
    returned = sections(name)["Returns"].splitlines()
    assert returned[0].strip() == inspect.signature(named(name)).return_annotation
    assert returned[1].startswith("    ")


def test_every_setting_is_described():
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []
