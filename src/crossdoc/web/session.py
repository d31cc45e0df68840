"""The answer that an explorer shows, and the addresses of its pages."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from crossdoc import errors

if TYPE_CHECKING:
    from crossdoc.web.changes import Changes
    from crossdoc.web.reader import Reader


@dataclass(slots=True)
class Session:
    """One .crossdoc file, open in the explorer."""

    path: Path
    reader: Reader
    changes: Changes | None
    """Carries out changes; None under --read-only."""

    @property
    def read_only(self) -> bool:
        return self.changes is None

    def writable(self) -> Changes:
        """Return the changes; under --read-only, this is an error."""
        if self.changes is None:
            raise errors.only_looking()
        return self.changes

    def close(self) -> None:
        if self.changes is not None:
            self.changes.close()
        self.reader.close()


def identity_url(id: str) -> str:
    """Return the address of an identity; ids may contain slashes and colons.

    >>> identity_url("news/1996.txt:0:10")
    '/identity?id=news%2F1996.txt%3A0%3A10'
    """
    return f"/identity?id={quote(id, safe='')}"


def document_url(id: str, identity: str = "") -> str:
    """Return the address of a document, with an identity whose mentions are highlighted."""
    return f"/document?id={quote(id, safe='')}" + (f"&identity={quote(identity, safe='')}" if identity else "")


def why_url(a: str, b: str) -> str:
    """Return the address of the evidence for two profiles."""
    return f"/why?a={quote(a, safe='')}&b={quote(b, safe='')}"


def why_identity_url(profile: str, identity: str) -> str:
    """Return the address of the evidence for a profile and an identity."""
    return f"/why?a={quote(profile, safe='')}&identity={quote(identity, safe='')}"
