"""Word lists as data: `words.toml` in the folder of a language has a table for each part of its `Language`.

A list is a text of words separated by spaces. `&part.field` in it stands for another list or for the words of another
table, and `!` before a word or a list removes it, as in "&roles.roles !&roles.offices". Patterns stay in Python.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from importlib.resources import files
from typing import Any

from crossdoc.lang.language import Language, Row, Words, row

INVERTED = frozenset({"demonyms", "first_names"})
"""Fields whose tables have a value before all words that have it."""


@cache
def tables(code: str) -> dict[str, dict[str, Any]]:
    """The tables of a language by name."""
    return tomllib.loads((files("crossdoc.lang") / code / "words.toml").read_text("utf-8"))


def word_list(code: str, text: str) -> Words:
    """The words of a list.

    >>> sorted(word_list("en", "&nominals.countries !nation realm"))
    ['country', 'realm']
    """
    if "&" not in text:
        return frozenset(text.split())
    found: set[str] = set()
    for token in text.split():
        name = token.removeprefix("!")
        part, _, field = name.removeprefix("&").partition(".")
        listed = _words_of(code, tables(code)[part][field]) if name.startswith("&") else {name}
        if token.startswith("!"):
            found -= listed
        else:
            found |= listed
    return frozenset(found)


def _words_of(code: str, value: str | Mapping[str, str]) -> Words:
    return word_list(code, value if isinstance(value, str) else " ".join(value.values()))


def by_word(table: Mapping[str, str]) -> dict[str, str]:
    """The value of each word of a table that has words by value.

    >>> by_word({"FR": "French Frenchman", "DE": "German"})
    {'French': 'FR', 'Frenchman': 'FR', 'German': 'DE'}
    """
    return {word: value for value, listed in table.items() for word in listed.split()}


def read_language(code: str, **patterns: Mapping[str, Any]) -> Language:
    """A language from its tables, with fields of its parts that are not words: patterns, weights."""
    parts, empty = {}, Language(code)
    for part in fields(Language)[1:]:
        kind = type(getattr(empty, part.name))
        kinds = {each.name: str(each.type) for each in fields(kind)}
        given = tables(code).get(part.name, {})
        values = {name: _value(code, name, kinds[name], value) for name, value in given.items()}
        parts[part.name] = kind(**{**values, **patterns.get(part.name, {})})
    return Language(code, **parts)


def _value(code: str, name: str, kind: str, value: Any) -> Any:
    if name in INVERTED:
        return {word: float(given) if "float" in kind else given for word, given in by_word(value).items()}
    if kind == "Words":
        return word_list(code, value)
    if kind == "tuple[str, ...]":
        return tuple(value.split())
    if kind == "tuple[Row, ...]":
        return tuple(_row(code, *cells) for cells in value)
    if kind == "Mapping[str, frozenset[str]]":
        return {key: frozenset(listed.split()) for key, listed in value.items()}
    if kind == "Mapping[str, tuple[str, str, str]]":
        return {key: tuple(listed) for key, listed in value.items()}
    return value


def _row(code: str, type: str, predicates: str, *rest: str) -> Row:
    return row(type, word_list(code, predicates), *rest)
