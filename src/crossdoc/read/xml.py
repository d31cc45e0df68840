"""XML with repair of common faults (HTML entities, bare ampersands), or with lines and without entities.

Also the lines and bytes of annotated files, within limits.
"""

from __future__ import annotations

import html
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.parsers import expat

from crossdoc import errors
from crossdoc.read.clean_text import NotText, decode, tidy
from crossdoc.read.sources import READ_ERRORS, Source, open_binary, reading, reason

MOST_ANNOTATED_BYTES = 1 << 28
"""Bytes of one XML or JSON file, decompressed; a larger one is refused."""
_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[\da-fA-F]+);)(\w+;)?")


def parse_xml(path: Path) -> ET.Element:
    """Return the root of an XML file, compressed or not; errors name the line."""
    if not path.exists():
        raise errors.no_such_path(path)
    try:
        with open_binary(path) as stream:
            return ET.fromstring(mend(decode(stream.read())))
    except ET.ParseError as error:
        raise errors.not_xml(path, error.position[0], str(error)) from error
    except (*READ_ERRORS, NotText) as error:
        raise errors.unreadable(path, reason(error)) from error


def mend(text: str) -> str:
    """Repair the text of an XML file for a strict parser; line numbers do not change."""
    return _ENTITY.sub(_repair_entity, re.sub(r"^\s*<\?xml[^>]*\?>", "", tidy(text)))


def _repair_entity(match: re.Match[str]) -> str:
    """Return the character of an HTML entity, or an escaped ampersand.

    >>> _ENTITY.sub(_repair_entity, "M&uuml;ller & Co &amp; S&P;")
    'Müller &amp; Co &amp; S&amp;P;'
    """
    character = html.unescape(match[0]) if match[1] else match[0]
    return character if character != match[0] else "&amp;" + match[0][1:]


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
