"""Text of PDF, DOCX, RTF, ODT, EPUB and e-mails, in a separate process that `office.py` starts.

It imports nothing of crossdoc, so that it starts quickly. For each file it reads a line of JSON (`ending`, `size`) and
the bytes from standard input, and answers with a line of JSON (`text`, `pages` of HTML … or `problem`). A crafted file
can only harm this process, which has little memory and may not write.
"""

from __future__ import annotations

import html
import io
import json
import re
import resource
import sys
import zipfile
from collections.abc import Iterator
from email import message_from_bytes, policy
from email.utils import parsedate_to_datetime
from typing import Any
from xml.parsers import expat

MEMORY = 3 << 30
MOST_XML_BYTES = 1 << 28
"""Bytes of XML in one file, decompressed."""
_TITLE = re.compile(r"<dc:title(?:\s[^>]{0,500})?>([^<]{1,1000})</dc:title>")
_ROOT_FILE = re.compile(r"""<rootfile\s[^>]{0,1000}?full-path=["']([^"']{1,1000})["']""")
_ITEM = re.compile(r"<item\s([^>]{1,2000})>")
_ATTRIBUTE = re.compile(r"""([\w:-]{1,40})=["']([^"']{0,1000})["']""")
_ITEM_REFERENCE = re.compile(r"""<itemref\s[^>]{0,1000}?idref=["']([^"']{1,1000})["']""")


class OfficeProblem(Exception):
    """A fault of a file, as a message."""


def from_pdf(content: bytes) -> dict[str, Any]:
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        locked = "password" in str(error).lower()
        raise OfficeProblem("it is locked by a password" if locked else "it is not a whole PDF") from error
    pages = [document[at].get_textpage().get_text_range() for at in range(len(document))]
    # U+FFFE marks a hyphen that divides a word at the end of a line.
    text = "\n\n".join(re.sub("\ufffe\r?\n?", "", page) for page in pages)
    if not text.strip():
        raise OfficeProblem(f"its {len(pages):,} pages hold no text; scanned pages need OCR first")
    return {"text": text, "title": document.get_metadata_dict().get("Title") or None}


def from_docx(content: bytes) -> dict[str, Any]:
    import mammoth

    archive = _open_zip(content)
    try:
        text = mammoth.extract_raw_text(io.BytesIO(content)).value
    except (KeyError, ValueError, expat.ExpatError) as error:
        raise OfficeProblem(f"it is not a whole DOCX ({type(error).__name__})") from error
    return {"text": text, "title": _title(archive, "docProps/core.xml")}


def from_rtf(content: bytes) -> dict[str, Any]:
    from striprtf.striprtf import rtf_to_text

    if not content.lstrip().startswith(b"{\\rtf"):
        raise OfficeProblem("it is not RTF")
    return {"text": rtf_to_text(content.decode("latin-1"), errors="ignore")}


def from_odt(content: bytes) -> dict[str, Any]:
    archive = _open_zip(content)
    return {"text": _odt_text(_part(archive, "content.xml")), "title": _title(archive, "meta.xml")}


def _odt_text(content: bytes) -> str:
    """Return the paragraphs of the body, without comments and deleted text."""
    pieces: list[str] = []
    body, hidden = 0, 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal body, hidden
        body += tag == "office:body"
        hidden += tag in ("office:annotation", "text:tracked-changes")
        if tag == "text:s":
            count = attributes.get("text:c", "1")
            pieces.append(" " * (min(int(count), 1000) if count.isdecimal() else 1))
        pieces.append({"text:tab": "\t", "text:line-break": "\n"}.get(tag, ""))

    def end(tag: str) -> None:
        nonlocal hidden
        hidden -= tag in ("office:annotation", "text:tracked-changes")
        if tag in ("text:p", "text:h"):
            pieces.append("\n\n" if tag == "text:h" else "\n")

    def characters(text: str) -> None:
        if body and not hidden:
            pieces.append(text)

    _parse(content, start, end, characters)
    return "".join(pieces)


def from_epub(content: bytes) -> dict[str, Any]:
    archive = _open_zip(content)
    found = _ROOT_FILE.search(_read_text_part(archive, "META-INF/container.xml"))
    if found is None:
        raise OfficeProblem("it does not say where its contents are listed")
    listing = html.unescape(found[1])
    package = _read_text_part(archive, listing)
    folder = listing.rpartition("/")[0]
    items = [dict(_ATTRIBUTE.findall(item)) for item in _ITEM.findall(package)]
    places = {item.get("id"): item.get("href", "") for item in items}
    chapters = []
    for reference in _ITEM_REFERENCE.findall(package):
        name = f"{folder}/{html.unescape(places.get(reference) or '')}".lstrip("/")
        if name in archive.namelist():
            chapters.append(_read_text_part(archive, name))
    title = _TITLE.search(package)
    return {"text": "", "pages": chapters, "title": html.unescape(title[1]).strip() if title else None}


def from_mail(content: bytes) -> dict[str, Any]:
    """Return an e-mail with its sender and receivers before the body."""
    mail = message_from_bytes(content, policy=policy.default)
    headers = {name: str(mail[name] or "") for name in ("From", "To", "Cc", "Subject", "Date")}
    try:
        body = mail.get_body(("plain", "html"))
        text = "" if body is None else str(body.get_content())
        pages = []
        if body is not None and body.get_content_subtype() == "html":
            text, pages = "", [text]
        attached = sum(1 for _ in mail.iter_attachments()) if mail.is_multipart() else 0
    except (LookupError, KeyError, AttributeError, UnicodeError) as error:
        raise OfficeProblem(f"its body cannot be read ({type(error).__name__})") from error
    if not any(headers.values()):
        raise OfficeProblem("it has no sender, receiver, subject or date, as e-mails have")
    try:
        date = parsedate_to_datetime(headers["Date"]).date().isoformat() if headers["Date"] else None
    except ValueError:
        date = None
    lines = [f"{name}: {headers[name]}" for name in ("From", "To", "Cc", "Subject") if headers[name]]
    return {
        "text": "\n".join([*lines, "", text]), "pages": pages, "title": headers["Subject"] or None, "date": date,
        "notes": {"attachments of e-mails (not read)": attached} if attached else {},
    }  # fmt: skip


OFFICE_READERS = {
    ".pdf": from_pdf, ".docx": from_docx, ".rtf": from_rtf, ".odt": from_odt, ".epub": from_epub, ".eml": from_mail,
}  # fmt: skip


def _open_zip(content: bytes) -> zipfile.ZipFile:
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise OfficeProblem(f"it is not a whole file of its kind ({error})") from error
    written = sum(part.file_size for part in archive.infolist() if part.filename.endswith((".xml", ".rels", "html")))
    if written > MOST_XML_BYTES:
        raise OfficeProblem(f"it unpacks to {written >> 20:,} MB")
    return archive


def _part(archive: zipfile.ZipFile, name: str) -> bytes:
    try:
        return archive.read(name)
    except (KeyError, RuntimeError, zipfile.BadZipFile, NotImplementedError, EOFError, OSError, ValueError) as error:
        raise OfficeProblem(f"its part {name} cannot be read") from error


def _read_text_part(archive: zipfile.ZipFile, name: str) -> str:
    return _part(archive, name).decode("utf-8-sig", errors="replace")


def _title(archive: zipfile.ZipFile, name: str) -> str | None:
    found = _TITLE.search(_read_text_part(archive, name)) if name in archive.namelist() else None
    return html.unescape(found[1]).strip() or None if found else None


def _parse(content: bytes, start: Any, end: Any, characters: Any) -> None:
    """Parse XML; refuse a document type, which could declare entities."""

    def doctype(*_: Any) -> None:
        raise OfficeProblem("a document type (<!DOCTYPE) is not read")

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = characters, doctype
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        raise OfficeProblem(f"it is not XML inside ({error})") from error


def answers(stream: Any) -> Iterator[dict[str, Any]]:
    while head := stream.readline(1000):
        asked = json.loads(head)
        content = stream.read(asked["size"])
        try:
            reply = OFFICE_READERS[asked["ending"]](content)
            if len(reply["text"]) + sum(map(len, reply.get("pages", ()))) > asked["most"]:
                reply = {"too_large": True}
        except OfficeProblem as error:
            reply = {"problem": str(error)}
        except ImportError as error:
            reply = {"missing": error.name}
        except MemoryError:
            reply = {"problem": "it needs too much memory"}
        except RecursionError:
            reply = {"problem": "it is nested too deeply"}
        except Exception as error:  # noqa: BLE001 - the libraries check little, so broken files fail in any way
            reply = {"problem": f"it is not a whole file of its kind ({type(error).__name__})"}
        yield reply


def main() -> None:
    for what, most in ((resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_CORE, 0)):
        resource.setrlimit(what, (most, most))
    # Libraries print warnings, which must not come between the answers.
    answered, sys.stdout = sys.stdout, sys.stderr
    for reply in answers(sys.stdin.buffer):
        answered.write(json.dumps(reply) + "\n")
        answered.flush()


if __name__ == "__main__":
    main()
