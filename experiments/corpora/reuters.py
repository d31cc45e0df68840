"""Reuters-21578 (Lewis 1997): newswire of 1987 as SGML, a thousand stories per file. It has no gold of who is who.

The files are not valid SGML: control characters are written as `&#3;`, one byte is no ASCII, some stories have no body.
`UNKNOWN` (the routing of the wire) and the sign-off "Reuter" are left out.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from corpora.annotations import corpus_files
from crossdoc import errors
from crossdoc.model import Document
from crossdoc.read.clean_text import tidy
from crossdoc.read.sources import open_binary

# References to control characters are line noise of the wire; `html` would turn some into other characters.
_NOISE = re.compile(r"&#(?:\d|[12]\d|3[01]|12[7-9]|1[345]\d);")
_STORY = re.compile(r"<REUTERS\b([^>]*)>(.*?)</REUTERS>", re.DOTALL)
_SIGN_OFF = re.compile(r"\s+reuter[s ]*\W*$", re.IGNORECASE)


def documents(folder: Path) -> Iterator[Document]:
    """Yield all stories in file order: dateline and body, or the headline of a story without a body."""
    for path in corpus_files(folder, "reut2-*.sgm*", "reut2-000.sgm"):
        with open_binary(path) as stream:
            content = stream.read().decode("latin-1")
        for story in _STORY.finditer(content):
            yield _document(path, story[1], story[2])


def _document(path: Path, head: str, story: str) -> Document:
    number = re.search(r'NEWID="(\d+)"', head)
    if number is None:
        raise errors.unreadable(path, "a story in it has no NEWID")
    title = " ".join((_element(story, "TITLE") or "").split())
    body = _element(story, "BODY")
    dateline = " ".join((_element(story, "DATELINE") or "").split())
    if body is None and re.search(r'<TEXT\b[^>]*"UNPROC"', story):
        body, title = _element(story, "TEXT"), ""
    text = " ".join(filter(None, [dateline, _SIGN_OFF.sub("", body or "").strip()])) if body else title
    return Document(number[1], text, title or None, "en", _date(_element(story, "DATE") or ""), "Reuters")


def _element(story: str, name: str) -> str | None:
    found = re.search(rf"<{name}\b[^>]*>(.*?)</{name}>", story, re.DOTALL)
    return None if found is None else tidy(html.unescape(_NOISE.sub("", found[1])))


def _date(stamp: str) -> str | None:
    found = re.search(r"\d{1,2}-[A-Z]{3}-\d{4}", stamp)
    return None if found is None else datetime.strptime(found[0], "%d-%b-%Y").date().isoformat()
