"""The answer that an explorer shows, and the addresses of its pages."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

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


def page_url(page: str, **parameters: str | None) -> str:
    """Return the address of a page; ids may contain slashes and colons.

    >>> page_url("identity", id="news/1996.txt:0:10"), page_url("why", a="a b", b="")
    ('/identity?id=news%2F1996.txt%3A0%3A10', '/why?a=a%20b')
    """
    given = {name: value for name, value in parameters.items() if value}
    return f"/{page}?{urlencode(given, safe='', quote_via=quote)}"


def identity_url(id: str) -> str:
    return page_url("identity", id=id)
