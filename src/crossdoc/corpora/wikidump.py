"""Pages of a MediaWiki dump: XML of `Special:Export` or of the monthly dumps, read one page at a time.

For a page with a history the last revision counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple
from xml.parsers import expat

from crossdoc import errors
from crossdoc.read.sources import READ_ERRORS, reason

PIECE_BYTES = 1 << 18
_ENDS_EARLY = frozenset(
    expat.errors.codes[message]
    for message in (
        expat.errors.XML_ERROR_NO_ELEMENTS,
        expat.errors.XML_ERROR_UNCLOSED_TOKEN,
        expat.errors.XML_ERROR_PARTIAL_CHAR,
        expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION,
    )
)
_WANTED = frozenset({"title", "ns", "text", "namespace"})


class CutOff(Exception):
    """The input ends in the middle, after all complete pages were yielded."""

    def __init__(self, where: str) -> None:
        super().__init__(where)
        self.where = where


class WikiPage(NamedTuple):
    title: str
    namespace: str
    redirect: str | None
    source: str


class DumpReader:
    """Iterates over the pages of a dump; `namespaces` are those that the dump has named so far, in small letters.

    Raises :class:`CutOff` where the dump ends before its last element, and an error that names the line for XML that
    is malformed.
    """

    def __init__(self, stream: BinaryIO, path: Path) -> None:
        self.stream, self.path = stream, path
        self.namespaces: set[str] = set()
        self._pages: list[WikiPage] = []
        self._text: list[str] | None = None
        self._started = False
        self._new_page()
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters

    def __iter__(self) -> Iterator[WikiPage]:
        while True:
            try:
                piece = self.stream.read(PIECE_BYTES)
            except EOFError:
                yield from self._pop_pages()
                raise CutOff(f"line {self._parser.CurrentLineNumber:,}") from None
            except READ_ERRORS as error:
                raise errors.unreadable(self.path, reason(error)) from error
            cut = self._parse(piece)
            yield from self._pop_pages()
            if cut is not None:
                raise CutOff(f"line {cut:,}")
            if not piece:
                return

    def _parse(self, piece: bytes) -> int | None:
        """Return the line at which the dump is cut off, or None."""
        try:
            self._parser.Parse(piece, not piece)
        except expat.ExpatError as error:
            if not piece and self._started and error.code in _ENDS_EARLY:
                return error.lineno
            raise errors.not_xml(self.path, error.lineno, expat.ErrorString(error.code)) from error
        return None

    def _pop_pages(self) -> list[WikiPage]:
        pages, self._pages = self._pages, []
        return pages

    def _new_page(self) -> None:
        self._fields: dict[str, str] = {}
        self._redirect: str | None = None

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if not self._started:
            self._started = True
            if name != "mediawiki":
                raise errors.not_a_dump(self.path, name)
        if name == "page":
            self._new_page()
        elif name == "redirect":
            self._redirect = attributes.get("title")
        elif name in _WANTED:
            self._text = []

    def _characters(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)

    def _end(self, name: str) -> None:
        if name in _WANTED and self._text is not None:
            self._fields[name] = "".join(self._text)
            self._text = None
        if name == "namespace" and self._fields[name].strip():
            self.namespaces.add(self._fields[name].strip().lower())
        elif name == "page":
            field = self._fields.get
            title = field("title", "").strip()
            if title:
                self._pages.append(WikiPage(title, field("ns", "0").strip(), self._redirect, field("text", "")))
            self._new_page()
