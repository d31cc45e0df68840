"""Office documents and e-mails: PDF, DOCX, RTF, ODT, EPUB, EML and MBOX.

A separate process (`office_worker.py`) reads them, and is ended if it takes too long, so that a crafted file cannot
harm this process.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from crossdoc import errors
from crossdoc.model import Document
from crossdoc.read import office_worker
from crossdoc.read.clean_text import html_to_text, printable, tidy
from crossdoc.read.sources import Source, ending_of, reading

OFFICE_SECONDS = 60.0
"""Seconds per file; a thousand pages of PDF take five."""
MOST_OFFICE_BYTES = 1 << 29


def read_office(source: Source, most_characters: int, notes: Counter[str]) -> Iterator[Document]:
    """Yield the document of a file, or the messages of a mailbox."""
    ending = ending_of(source.path)
    with reading(source.path):
        if ending != ".mbox":
            with source.open() as stream:
                content = stream.read(MOST_OFFICE_BYTES + 1)
            yield _document(source, source.id, ending, content, most_characters, notes)
            return
        with source.open() as stream:
            for number, message in enumerate(_messages(stream), 1):
                id = f"{source.id}/{number}"
                try:
                    yield _document(source, id, ".eml", message, most_characters, notes)
                except errors.InputError:
                    notes["messages that cannot be read"] += 1


def _messages(stream: Any) -> Iterator[bytes]:
    """Yield the messages of a mailbox: each begins with a line "From …" after an empty one."""
    lines: list[bytes] = []
    empty, begun, size = True, False, 0
    while line := stream.readline(1 << 20):
        if empty and line.startswith(b"From "):
            if begun:
                yield b"".join(lines)
            lines, begun, size = [], True, 0
        elif size <= MOST_OFFICE_BYTES:
            lines.append(line[1:] if line.startswith(b">From ") else line)
            size += len(line)
        empty = not line.strip()
    if begun:
        yield b"".join(lines)


def _document(source: Source, id: str, ending: str, content: bytes, most: int, notes: Counter[str]) -> Document:
    if len(content) > MOST_OFFICE_BYTES:
        raise errors.unreadable(source.path, f"it holds more than {MOST_OFFICE_BYTES >> 20} MB")
    reply = _Worker.ask(source.path, ending, content, most)
    if "missing" in reply:
        raise errors.needs_package(f"Reading {ending} files", reply["missing"])
    if "too_large" in reply:
        raise errors.too_large(source.path, most)
    if "problem" in reply:
        raise errors.unreadable(source.path, reply["problem"])
    notes.update(reply.get("notes") or {})
    text = "\n\n".join([reply["text"], *(html_to_text(page)[0] for page in reply.get("pages", ()))])
    title = " ".join((reply.get("title") or "").split())[:300]
    return Document(id, printable(tidy(text).strip()), title or None, date=reply.get("date"))


class _Worker:
    """The reading process: started on first use, and again after it was ended."""

    running: subprocess.Popen[bytes] | None = None
    owner = 0

    @classmethod
    def ask(cls, path: Path, ending: str, content: bytes, most: int) -> dict[str, Any]:
        process = cls._process()
        assert process.stdin is not None
        assert process.stdout is not None
        head = json.dumps({"ending": ending, "size": len(content), "most": most}).encode() + b"\n"
        until = time.monotonic() + OFFICE_SECONDS
        try:
            process.stdin.write(head + content)
            process.stdin.flush()
            return json.loads(_line(process.stdout.fileno(), until))
        except TimeoutError:
            cls.end()
            raise errors.unreadable(path, f"reading it took more than {OFFICE_SECONDS:.0f} seconds") from None
        except (OSError, ValueError):
            cls.end()
            raise errors.unreadable(path, "it ended the process that read it") from None
        except BaseException:
            # After Ctrl-C the next request must not get the answer of this one.
            cls.end()
            raise

    @classmethod
    def _process(cls) -> subprocess.Popen[bytes]:
        if cls.running is None or cls.owner != os.getpid() or cls.running.poll() is not None:
            cls.running = subprocess.Popen(
                [sys.executable, "-I", office_worker.__file__],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip
            cls.owner = os.getpid()
            atexit.register(cls.end)
        return cls.running

    @classmethod
    def end(cls) -> None:
        process, cls.running = cls.running, None
        if process is not None and cls.owner == os.getpid():
            process.kill()
            process.communicate()


def _line(descriptor: int, until: float) -> bytes:
    pieces: list[bytes] = []
    while not pieces or not pieces[-1].endswith(b"\n"):
        if not select.select([descriptor], [], [], max(0.0, until - time.monotonic()))[0]:
            raise TimeoutError
        piece = os.read(descriptor, 1 << 20)
        if not piece:
            raise ValueError("no complete answer")
        pieces.append(piece)
    return b"".join(pieces)
