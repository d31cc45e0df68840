"""Languages: `pack("en")` is all that crossdoc knows of English. A language is a folder here, or comes with a package.

A package names its :class:`Language` under the entry point `crossdoc.languages`, by the language's code; it takes the
place of crossdoc's own. docs/extending/language.md has an example.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from crossdoc import errors
from crossdoc.lang.language import (
    Affiliations,
    Dates,
    FunctionWords,
    Kinship,
    Language,
    Models,
    NameWords,
    Nominals,
    Pronouns,
    RelationWords,
    Roles,
    Row,
    Statements,
    Titles,
    row,
    words,
)

__all__ = [
    "Affiliations",
    "Dates",
    "FunctionWords",
    "Kinship",
    "Language",
    "Models",
    "NameWords",
    "Nominals",
    "Pronouns",
    "RelationWords",
    "Roles",
    "Row",
    "Statements",
    "Titles",
    "languages",
    "pack",
    "row",
    "words",
]

GROUP = "crossdoc.languages"
DEFAULT = "en"
EMPTY = Language("")
"""A language of which nothing is known."""
OWN = frozenset(path.parent.name for path in Path(__file__).parent.glob("*/__init__.py"))
"""Languages of which crossdoc itself has a pack."""


def languages() -> frozenset[str]:
    """The codes of all languages that have a pack, of crossdoc or of another package.

    >>> languages() >= {"en", "fr", "de"}
    True
    """
    return OWN | {point.name for point in entry_points(group=GROUP)}


@lru_cache(maxsize=256)
def pack(code: str) -> Language:
    """The pack of a language; an unknown one has no parts. A parse without a language is taken for English.

    >>> pack("en").missing, pack("tlh").code, pack("").code
    ((), 'tlh', 'en')
    """
    code = code or DEFAULT
    added = {point.name: point for point in entry_points(group=GROUP)}
    if code in added:
        return _added(code, added[code].value, added[code])
    if code in OWN:
        return import_module(f"crossdoc.lang.{code}").LANGUAGE
    return Language(code)


def _added(code: str, where: str, point: Any) -> Language:
    try:
        given = point.load()
    except Exception as error:
        # A failure in code of another package is reported as its own, not as a bug of crossdoc.
        raise errors.language_failed(code, where, f"{type(error).__name__}: {error}") from error
    if not isinstance(given, Language):
        raise errors.language_failed(code, where, f"it is a {type(given).__name__} and no crossdoc Language")
    if given.code != code:
        raise errors.language_failed(code, where, f"its code is {given.code!r}")
    return given
