"""Files of three kinds → pages of blocks and links: HTML files, WARC archives, MediaWiki dumps."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple

import pyarrow as pa
from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType
from resiliparse.parse.encoding import map_encoding_to_html5

from crossdoc import errors
from crossdoc.corpora.wikidump import CutOff, DumpReader
from crossdoc.corpora.wikihtml import html_blocks
from crossdoc.corpora.wikitext import NAMESPACES, Block, blocks, is_disambiguation, page_title
from crossdoc.progress import Progress, Quiet
from crossdoc.read.sources import READ_ERRORS, check_file, reason
from crossdoc.read.text import NotText, decode, printable

Kind = Literal["html", "warc", "dump"]
ENDINGS: dict[str, Kind] = {".html": "html", ".htm": "html", ".xhtml": "html", ".warc": "warc", ".xml": "dump"}
COMPRESSIONS = (".gz", ".bz2", ".xz", ".zst")
LARGEST_PAGE = 32 * 1024 * 1024
"""Bytes; what is larger is no page that anybody reads."""
MEGABYTE = 1 << 20
_PAGE_TYPES = frozenset({"text/html", "application/xhtml+xml"})


class LinkedPage(NamedTuple):
    """A page's blocks; or, of a dump, that its title leads on to another, or only lists what a name can mean."""

    id: str
    blocks: Sequence[Block]
    redirect: str | None = None
    disambiguation: bool = False


class WebFile(NamedTuple):
    path: Path
    id: str
    kind: Kind


def find_files(paths: Iterable[str | os.PathLike[str]]) -> list[WebFile]:
    """The files below the given paths, in a fixed order."""
    found: list[WebFile] = []
    for given in paths:
        path = Path(given)
        if not path.is_dir():
            check_file(path)
            kind = kind_of(path)
            if kind is None:
                raise errors.unknown_format(path, list(ENDINGS))
            found.append(WebFile(path, printable(path.name), kind))
            continue
        inside = [(p, kind_of(p)) for p in sorted(path.rglob("*")) if p.is_file()]
        known = [WebFile(p, printable(p.relative_to(path).as_posix()), kind) for p, kind in inside if kind]
        if not known:
            raise errors.nothing_to_read(path, list(ENDINGS))
        found.extend(known)
    return found


def kind_of(path: Path) -> Kind | None:
    """
    >>> kind_of(Path("enwiki-pages-articles.xml.bz2")), kind_of(Path("CC-MAIN.warc.gz")), kind_of(Path("notes.txt"))
    ('dump', 'warc', None)
    """
    name, ending = os.path.splitext(path.name.lower())
    return ENDINGS.get(os.path.splitext(name)[1] if ending in COMPRESSIONS else ending)


@dataclass
class PageReader:
    """Reads pages from files, one after another.

    Parameters
    ----------
    language : of the Wikipedia whose links count on web pages; in a dump those to its own articles do.
    partial : make do with what comes before the place where a file is cut off, instead of an error.

    `counts` says afterwards how many pages there were and how many were left out, and why.
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
                for page in self._of(file):
                    if self._repeated(page.id, seen[file.kind], file):
                        continue
                    self.counts["pages"] += page.redirect is None
                    yield page
            except CutOff as cut:
                if not self.partial:
                    raise errors.cut_off(file.path, cut.where, self.counts["pages"] - before) from None
                self.progress.note(f"{file.path} is truncated at {cut.where}; the part before that is used")
            self._read += file.path.stat().st_size
            self._show(0)

    def _repeated(self, id: str, seen: set[bytes], file: WebFile) -> bool:
        """A page may be crawled twice, and the first time counts; two files may not have one name."""
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

    def _of(self, file: WebFile) -> Iterator[LinkedPage]:
        if file.kind == "html":
            return self._html(file)
        return self._warc(file) if file.kind == "warc" else self._dump(file)

    def _html(self, file: WebFile) -> Iterator[LinkedPage]:
        try:
            with file.path.open("rb") as raw, _decompressed(raw, file.path) as stream:
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
                stream = _decompressed(raw, file.path) if unpacked else raw
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
        with file.path.open("rb") as raw, _decompressed(raw, file.path) as stream:
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


def _decompressed(raw: BinaryIO, path: Path) -> BinaryIO:
    """What a file holds, by its ending; `raw` tells how far reading has come."""
    ending = path.suffix.lower()
    if ending == ".gz":
        return gzip.open(raw)  # type: ignore[return-value]
    if ending == ".bz2":
        return bz2.open(raw)  # type: ignore[return-value]
    if ending == ".xz":
        return lzma.open(raw)  # type: ignore[return-value]
    if ending == ".zst":
        return io.BufferedReader(pa.CompressedInputStream(raw, "zstd"))  # type: ignore[arg-type]
    return raw
