"""crossdoc: who is who across documents."""

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
