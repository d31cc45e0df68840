"""File formats of other packages, under the entry point `crossdoc.formats`.

The name of an entry point is an ending without the dot. It refers to a function from a source to its documents, such
as :func:`crossdoc.read.docbin.read_docbin`; docs/extending/format.md has an example.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from crossdoc import errors
from crossdoc.model import Document
from crossdoc.read.clean_text import printable
from crossdoc.read.sources import READ_ERRORS, Source, added_formats, ending_of, reason


def read_added(source: Source, most_characters: int) -> Iterator[Document]:
    """Yield the documents of a package's reader; errors name the file and the format."""
    ending = ending_of(source.path)
    given = _load_documents(source, ending)
    for number, document in enumerate(given, 1):
        problem = _problem(document)
        if problem is not None:
            raise errors.format_failed(source.path, ending, f"what it gave as number {number:,} {problem}")
        if len(document.text) > most_characters:
            raise errors.too_large(f"{source.path}, document {number:,}", most_characters)
        yield replace(document, id=printable(document.id), text=printable(document.text))


def _load_documents(source: Source, ending: str) -> Iterator[Any]:
    try:
        yield from added_formats()[ending].load()(source)
    except errors.InputError as error:
        raise errors.format_failed(source.path, ending, error.what.removesuffix(".")) from error
    except READ_ERRORS as error:
        raise errors.unreadable(source.path, reason(error)) from error
    except Exception as error:
        # A failure in another package's code is reported as such, not as a bug of crossdoc.
        raise errors.format_failed(source.path, ending, f"{type(error).__name__}: {error}") from error


def _problem(given: Any) -> str | None:
    if not isinstance(given, Document):
        return f"is a {type(given).__name__} and no crossdoc Document"
    for what in ("id", "text"):
        if not isinstance(getattr(given, what), str):
            return f"has a {type(getattr(given, what)).__name__} for its {what}"
    for mention in given.mentions or ():
        if mention.document != given.id or mention.end > len(given.text):
            return f"has the mention {mention.id!r}, which does not lie within its text"
    return None
