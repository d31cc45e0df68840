"""Lines and bytes of annotated files, within limits, and XML elements with their lines and without entities."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import Any
from xml.parsers import expat

from crossdoc import errors
from crossdoc.read.sources import Source, reading

MOST_ANNOTATED_BYTES = 1 << 28
"""Bytes of one XML or JSON file, decompressed; a larger one is refused."""


def lines_of(source: Source) -> Iterator[tuple[int, str]]:
    """Yield number and content of each line of a file in UTF-8."""
    with reading(source.path), source.open() as stream:
        for number, raw in enumerate(iter(lambda: stream.readline(MOST_ANNOTATED_BYTES), b""), 1):
            try:
                yield number, raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
            except UnicodeDecodeError as error:
                why = f"not UTF-8 ({error.reason} at byte {error.start})"
                raise errors.broken_line(source.path, number, why) from error


def bytes_of(source: Source) -> bytes:
    """Return the content of a file of limited size."""
    with reading(source.path), source.open() as stream:
        content = stream.read(MOST_ANNOTATED_BYTES + 1)
    if len(content) > MOST_ANNOTATED_BYTES:
        raise errors.unreadable(
            source.path, f"it holds more than {MOST_ANNOTATED_BYTES >> 20} MB, and is read as a whole"
        )
    return content


class Element(ET.Element):
    """An XML element with its line."""

    line = 0


def parse_safely(source: Source, content: bytes) -> Element:
    """Return the root of an XML file. A document type is refused: it can declare entities and fetch files."""
    builder = ET.TreeBuilder(element_factory=Element)
    parser = expat.ParserCreate()

    def start(tag: str, attributes: dict[str, str]) -> None:
        builder.start(tag, attributes).line = parser.CurrentLineNumber  # type: ignore[attr-defined]

    def doctype(*_: Any) -> None:
        raise errors.broken_line(source.path, parser.CurrentLineNumber, "a document type (<!DOCTYPE) is not read")

    parser.StartElementHandler = start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = doctype
    parser.buffer_text = True
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        why = f"it is not XML ({expat.errors.messages[error.code]})"
        raise errors.broken_line(source.path, error.lineno, why) from error
    except (LookupError, ValueError) as error:
        # The encoding is unknown.
        if isinstance(error, errors.CrossdocError):
            raise
        raise errors.broken_line(source.path, 1, str(error)) from error
    return builder.close()  # type: ignore[return-value]
