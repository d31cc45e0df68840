"""XML with repair of common faults: HTML entities, bare ampersands and control characters."""

from __future__ import annotations

import html
import re
import xml.etree.ElementTree as ET
from pathlib import Path

from crossdoc import errors
from crossdoc.read.clean_text import NotText, decode, tidy
from crossdoc.read.sources import READ_ERRORS, open_binary, reason

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
