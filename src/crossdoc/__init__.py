"""crossdoc: who is who across documents.

The public names, each imported when it is first used, so that `crossdoc --help` need not wait for spaCy and numba.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from crossdoc.errors import CrossdocError
    from crossdoc.model import (
        Document,
        Identity,
        Judgement,
        Member,
        Mention,
        Partition,
        Profile,
        Relation,
        Relations,
        Vectors,
    )
    from crossdoc.pipeline import Resolver, resolve
    from crossdoc.resolution import Resolution
    from crossdoc.settings import Settings
    from crossdoc.version import __version__

    open = Resolution.open

__all__ = [
    "CrossdocError",
    "Document",
    "Identity",
    "Judgement",
    "Member",
    "Mention",
    "Partition",
    "Profile",
    "Relation",
    "Relations",
    "Resolution",
    "Resolver",
    "Settings",
    "Vectors",
    "__version__",
    "open",
    "resolve",
]

_HOMES = {
    "CrossdocError": "errors",
    "Resolution": "resolution",
    "Resolver": "pipeline",
    "Settings": "settings",
    "__version__": "version",
    "resolve": "pipeline",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'crossdoc' has no attribute {name!r}")
    if name == "open":
        value = import_module("crossdoc.resolution").Resolution.open
    else:
        value = getattr(import_module(f"crossdoc.{_HOMES.get(name, 'model')}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
