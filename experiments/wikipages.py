"""Pages with blocks and links, from HTML files, WARC archives and MediaWiki dumps.

A dump is XML of `Special:Export` or one of the monthly dumps, read one page at a time; for a page with a history the
last revision counts.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple
from xml.parsers import expat

from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType
from resiliparse.parse.encoding import map_encoding_to_html5
from wikitext import NAMESPACES, Block, blocks, html_blocks, is_disambiguation, page_title

from crossdoc import errors
from crossdoc.progress import Progress, Quiet
from crossdoc.read.clean_text import NotText, decode, printable
from crossdoc.read.sources import READ_ERRORS, check_file, decompress, ending_of, reason

Kind = Literal["html", "warc", "dump"]
PAGE_ENDINGS: dict[str, Kind] = {".html": "html", ".htm": "html", ".xhtml": "html", ".warc": "warc", ".xml": "dump"}
LARGEST_PAGE = 32 * 1024 * 1024
"""Bytes. Larger pages are left out."""
MEGABYTE = 1 << 20
_PAGE_TYPES = frozenset({"text/html", "application/xhtml+xml"})
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
            raise errors.broken_line(
                self.path, error.lineno, f"it is not well-formed XML ({expat.ErrorString(error.code)})"
            ) from error
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
                raise errors.InputError(
                    f"{self.path} is XML of another kind: its first element is <{name}>, not <mediawiki>.",
                    "Give a dump of pages as MediaWiki exports them, such as NAME-pages-articles.xml.bz2.",
                )
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


class LinkedPage(NamedTuple):
    """The blocks of a page; in a dump it may also be a redirect, or a list of the meanings of a name."""

    id: str
    blocks: Sequence[Block]
    redirect: str | None = None
    disambiguation: bool = False


class WebFile(NamedTuple):
    path: Path
    id: str
    kind: Kind


def find_files(paths: Iterable[str | os.PathLike[str]]) -> list[WebFile]:
    """Return the files below the given paths, in a fixed order."""
    found: list[WebFile] = []
    for given in paths:
        path = Path(given)
        if not path.is_dir():
            check_file(path)
            kind = kind_of(path)
            if kind is None:
                raise errors.unknown_format(path, list(PAGE_ENDINGS))
            found.append(WebFile(path, printable(path.name), kind))
            continue
        inside = [(p, kind_of(p)) for p in sorted(path.rglob("*")) if p.is_file()]
        known = [WebFile(p, printable(p.relative_to(path).as_posix()), kind) for p, kind in inside if kind]
        if not known:
            raise errors.nothing_to_read(path, list(PAGE_ENDINGS))
        found.extend(known)
    return found


def kind_of(path: Path) -> Kind | None:
    """
    >>> kind_of(Path("enwiki-pages-articles.xml.bz2")), kind_of(Path("CC-MAIN.warc.gz")), kind_of(Path("notes.txt"))
    ('dump', 'warc', None)
    """
    return PAGE_ENDINGS.get(ending_of(path))


@dataclass
class PageReader:
    """Reads pages from files, one after another.

    Parameters
    ----------
    language : language of the Wikipedia whose links count on web pages; in a dump, links to its own articles count.
    partial : use the part before the end of a truncated file instead of raising an error.

    `counts` has the number of pages, and of those that were left out, by reason.
    """

    language: str = "en"
    partial: bool = False
    progress: Progress = field(default_factory=Quiet)
    counts: Counter[str] = field(default_factory=Counter)

    def pages(self, files: Sequence[WebFile]) -> Iterator[LinkedPage]:
        seen: dict[Kind, set[bytes]] = {"html": set(), "warc": set(), "dump": set()}
        self.progress.start("reading pages (MB)", -(-sum(file.path.stat().st_size for file in files) // MEGABYTE))
        self._read, self._shown = 0, 0
        for file in files:
            before = self.counts["pages"]
            try:
                for page in self._read_file(file):
                    if self._is_repeated(page.id, seen[file.kind], file):
                        continue
                    self.counts["pages"] += page.redirect is None
                    yield page
            except CutOff as cut:
                if not self.partial:
                    pages = self.counts["pages"] - before
                    raise errors.InputError(
                        f"{file.path} ends in the middle, at {cut.where}, after {pages:,} complete pages.",
                        "Download it again, or add --partial to use what is there.",
                    ) from None
                self.progress.note(f"{file.path} is truncated at {cut.where}; the part before that is used")
            self._read += file.path.stat().st_size
            self._show(0)

    def _is_repeated(self, id: str, seen: set[bytes], file: WebFile) -> bool:
        """Return whether a page was read before. Crawled pages may repeat; two files with one id are an error."""
        key = blake2b(id.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        if key not in seen:
            seen.add(key)
            return False
        if file.kind == "html":
            raise errors.duplicate_ids(file.path, [id])
        self.counts["pages that came before"] += 1
        return True

    def _show(self, position: int) -> None:
        done = (self._read + position) // MEGABYTE
        if done > self._shown:
            self.progress.advance(done - self._shown)
            self._shown = done

    def _read_file(self, file: WebFile) -> Iterator[LinkedPage]:
        if file.kind == "html":
            return self._html(file)
        return self._warc(file) if file.kind == "warc" else self._dump(file)

    def _html(self, file: WebFile) -> Iterator[LinkedPage]:
        try:
            with file.path.open("rb") as raw, decompress(raw, file.path) as stream:
                content = stream.read(LARGEST_PAGE + 1)
        except EOFError:
            raise CutOff("the end of its compressed data") from None
        except READ_ERRORS as error:
            raise errors.unreadable(file.path, reason(error)) from error
        page = self._web_page(content, file.id)
        if page is not None:
            yield page

    def _web_page(self, content: bytes, id: str, address: str = "", charset: str = "") -> LinkedPage | None:
        if len(content) > LARGEST_PAGE:
            self.counts["pages too large"] += 1
            return None
        try:
            text = content.decode(charset, "replace") if charset else decode(content, html=True)
        except NotText:
            self.counts["pages that are not text"] += 1
            return None
        return LinkedPage(id, list(html_blocks(printable(text), address, self.language)))

    def _warc(self, file: WebFile) -> Iterator[LinkedPage]:
        unpacked = file.path.suffix.lower() in (".bz2", ".xz")
        try:
            with file.path.open("rb") as raw:
                stream = decompress(raw, file.path) if unpacked else raw
                for record in ArchiveIterator(stream, record_types=WarcRecordType.response, parse_http=False):
                    self._show(raw.tell())
                    page = self._record(record)
                    if page is not None:
                        yield page
        except EOFError:
            raise CutOff("the end of its compressed data") from None
        except READ_ERRORS as error:
            raise errors.unreadable(file.path, reason(error)) from error

    def _record(self, record: WarcRecord) -> LinkedPage | None:
        declared = record.headers.get("Content-Length") or ""
        address = record.headers.get("WARC-Target-URI")
        if not declared.isdecimal() or address is None:
            raise CutOff(f"the record at byte {record.stream_pos:,}")
        if int(declared) > LARGEST_PAGE:
            self.counts["pages too large"] += 1
            return None
        record.freeze()
        if record.content_length < int(declared):
            raise CutOff(f"the record at byte {record.stream_pos:,}")
        if record.is_http:
            record.parse_http(auto_decode="all")
        if record.http_content_type not in _PAGE_TYPES:
            return None
        charset = map_encoding_to_html5(record.http_charset, fallback_utf8=False) if record.http_charset else None
        address = printable(address.strip("<>"))
        return self._web_page(record.reader.read(), address, address, charset or "")

    def _dump(self, file: WebFile) -> Iterator[LinkedPage]:
        with file.path.open("rb") as raw, decompress(raw, file.path) as stream:
            reader = DumpReader(stream, file.path)
            for page in reader:
                self._show(raw.tell())
                if page.namespace != "0":
                    continue
                namespaces = NAMESPACES | reader.namespaces
                title = page_title(page.title, namespaces) or page.title
                if page.redirect is not None:
                    target = page_title(page.redirect, namespaces)
                    if target is not None:
                        yield LinkedPage(title, (), redirect=target)
                elif is_disambiguation(page.source):
                    yield LinkedPage(title, (), disambiguation=True)
                else:
                    yield LinkedPage(title, list(blocks(printable(page.source), namespaces)))
