"""XML as people write it: HTML entities, bare ampersands and control characters are mended before parsing."""

from __future__ import annotations

import html
import re
import xml.etree.ElementTree as ET
from pathlib import Path

from crossdoc import errors
from crossdoc.read.clean_text import decode, tidy

_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[\da-fA-F]+);)(\w+;)?")


def parse_xml(path: Path) -> ET.Element:
    """The root of an XML file; what cannot be mended is an error that names the line."""
    if not path.exists():
        raise errors.no_such_path(path)
    try:
        return ET.fromstring(mend(decode(path.read_bytes())))
    except ET.ParseError as error:
        raise errors.unreadable(path, f"it is not XML: {error}") from error


def mend(text: str) -> str:
    """The text of an XML file, so that a strict parser takes it; lines stay where they are."""
    return _ENTITY.sub(_mended, re.sub(r"^\s*<\?xml[^>]*\?>", "", tidy(text)))


def _mended(match: re.Match[str]) -> str:
    """The character of an HTML entity, or the ampersand itself.

    >>> _ENTITY.sub(_mended, "M&uuml;ller & Co &amp; S&P;")
    'Müller &amp; Co &amp; S&amp;P;'
    """
    character = html.unescape(match[0]) if match[1] else match[0]
    return character if character != match[0] else "&amp;" + match[0][1:]
