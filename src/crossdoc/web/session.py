"""What all pages of one explorer share: the answer that is looked at, whoever reads it and whoever changes it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from crossdoc.web.changes import Changes
    from crossdoc.web.reading import Reader


@dataclass(slots=True)
class Session:
    """One .crossdoc file, open in the explorer."""

    path: Path
    reader: Reader
    changes: Changes | None
    """All that is written goes through it; None under --read-only."""

    @property
    def read_only(self) -> bool:
        return self.changes is None

    def close(self) -> None:
        if self.changes is not None:
            self.changes.close()
        self.reader.close()


def identity_url(id: str) -> str:
    """The address of an identity; ids hold slashes and colons, since documents' ids do.

    >>> identity_url("news/1996.txt:0:10")
    '/identity?id=news%2F1996.txt%3A0%3A10'
    """
    return f"/identity?id={quote(id, safe='')}"


def document_url(id: str, identity: str = "") -> str:
    """The address of a document, with an identity whose mentions stand out."""
    return f"/document?id={quote(id, safe='')}" + (f"&identity={quote(identity, safe='')}" if identity else "")


def why_url(a: str, b: str) -> str:
    """The address of why two profiles are one or not."""
    return f"/why?a={quote(a, safe='')}&b={quote(b, safe='')}"


def why_identity_url(profile: str, identity: str) -> str:
    """The address of why a profile is an identity, or not; ids of identities are those of profiles, too."""
    return f"/why?a={quote(profile, safe='')}&identity={quote(identity, safe='')}"
