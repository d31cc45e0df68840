"""The page for adding documents: files are dropped on it and added in the background, with their progress."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any
from urllib.parse import unquote

from fastapi import Request, UploadFile
from fastapi.responses import JSONResponse
from nicegui import app, ui
from starlette.datastructures import UploadFile as Sent

from crossdoc import errors
from crossdoc.read.sources import ENDINGS, kind_of
from crossdoc.web.changes import Changes, Order
from crossdoc.web.look import counted
from crossdoc.web.pages.correction_dialogs import event_sentences, show_changes, show_notes
from crossdoc.web.pages.layout import PAGE_PATIENCE, WHO, frame, show_read_only
from crossdoc.web.parts.basics import cleared, in_thread, progress, remark, section, show_error, tag
from crossdoc.web.session import Session

MOST_FILES = 1_000
MOST_BYTES_ADDED = 400_000_000
"""Bytes of all files that are sent at once."""
STAGES = {
    "counting capitals": "Getting to know the texts",
    "reading documents": "Reading",
    "reading profiles": "Reading",
    "getting ready": "Getting ready",
}
"""Stages in plain words; stages of clustering share one."""


class Drop(ui.element, component="../parts/crossdoc_drop.js"):
    """An area to drop files on; the event `sent` follows an upload."""

    def __init__(self, title: str, hint: str, address: str) -> None:
        super().__init__()
        self.props.update({
            "title": title, "hint": hint, "address": address, "accept": ",".join(ENDINGS),
            "most-files": MOST_FILES, "most-bytes": MOST_BYTES_ADDED,
        })  # fmt: skip


def register(session: Session) -> None:
    @ui.page("/add", response_timeout=PAGE_PATIENCE)
    def add() -> None:
        with frame(session, "Add", "Add"):
            if session.changes is None:
                show_read_only()
                return
            _Add(session, session.changes).show()

    @app.post("/add/files")
    async def take(request: Request) -> JSONResponse:
        if session.changes is None:
            return JSONResponse({"problems": [errors.only_looking().what]}, 403)
        async with request.form(max_files=MOST_FILES, max_fields=10) as form:
            files = [each for each in form.getlist("files") if isinstance(each, Sent)]
            order, problems = await in_thread(received, session.changes, files, unquote(request.cookies.get(WHO, "")))
        return JSONResponse({"order": None if order is None else order.number, "problems": problems})


def received(changes: Changes, files: Sequence[UploadFile | Sent], who: str = "") -> tuple[Order | None, list[str]]:
    """Store uploaded files in a temporary folder and order their addition; return the order and the problems."""
    kept: list[Path] = []
    problems: list[str] = []
    with ExitStack() as unless_ordered:
        folder = Path(tempfile.mkdtemp(prefix="crossdoc-add-"))
        unless_ordered.callback(shutil.rmtree, folder, ignore_errors=True)
        for file in files:
            path = folder / safe_name(file.filename or "", {each.name for each in kept})
            if kind_of(path) is None:
                problems.append(errors.unknown_format(path.name, list(ENDINGS)).what)
                continue
            with path.open("wb") as stream:
                shutil.copyfileobj(file.file, stream)
            kept.append(path)
        if not kept:
            return None, problems or ["No file was sent."]
        names = ", ".join(path.name for path in kept[:3]) + (" …" if len(kept) > 3 else "")
        summary = f"{counted(len(kept), 'file')}: {names}"
        order = changes.order("add", *kept, who=who, summary=summary)
        clean = unless_ordered.pop_all()
    order.finished.add_done_callback(lambda _: clean.close())
    return order, problems


def safe_name(name: str, taken: set[str] | frozenset[str] = frozenset()) -> str:
    """Return the last part of a file name, without path separators and leading dots.

    >>> safe_name("../../etc/passwd.txt"), safe_name("C:\\\\a\\\\b.txt"), safe_name(".."), safe_name("a.txt", {"a.txt"})
    ('passwd.txt', 'b.txt', 'file', 'a-2.txt')
    """
    last = PureWindowsPath(PurePosixPath(name.replace("\0", "")).name).name
    last = re.sub(r"[\x00-\x1f\x7f/\\]", "", last).lstrip(".").strip()
    stem, dot, ending = last.rpartition(".")
    stem, ending = (stem, dot + ending[:20]) if dot else (last, "")
    stem = stem.encode()[:180].decode(errors="ignore") or "file"
    found, number = stem + ending, 1
    while found in taken:
        number += 1
        found = f"{stem}-{number}{ending}"
    return found


class _Add:
    def __init__(self, session: Session, changes: Changes) -> None:
        self.session, self.changes = session, changes
        self.shown: list[tuple[Any, ...]] = []

    def show(self) -> None:
        tag("h1", "Add documents", "x-title")
        lede = tag("p", "Only new documents are read. You can keep working on any page in the meantime.", "x-lede")
        lede.style("margin-bottom: 1.5rem")
        hint = "Text, web pages, tables of documents and annotated texts; a document that already exists is replaced."
        drop = Drop("Drop files here", hint, "/add/files")
        drop.on("sent", lambda: self.refresh())
        self.list = tag("div", classes="x-stack").style("margin-top: 1.5rem")
        self.refresh()
        ui.timer(0.5, self.refresh)

    def refresh(self) -> None:
        orders = [order for order in list(self.changes.orders) if order.act in ("add", "remove")][::-1]
        state = [(order.number, order.state, order.stage, order.done) for order in orders]
        if state == self.shown:
            return
        self.shown = state
        with cleared(self.list):
            for order in orders:
                _show_order(self.session, order)


def _show_order(session: Session, order: Order) -> None:
    with section(order.summary or "Documents removed"):
        if order.state in ("waiting", "working"):
            words = "Waiting for its turn" if order.state == "waiting" else stage(order)
            progress("Progress", order.share)
            tag("span", words, "x-soft x-small", role="status")
        elif order.refusal is not None:
            show_error(order.refusal)
        elif order.change is not None:
            change = order.change
            numbers = {"added": change.added, "replaced": change.replaced, "removed": change.removed}
            parts = [f"{counted(number, 'document')} {words}" for words, number in numbers.items() if number]
            with tag("div", classes="x-good", role="status"):
                remark((", ".join(parts) or "Nothing was new") + ".", "x-strong")
                if parts:
                    show_changes(event_sentences(session, change.events), "Everyone they mention was already known.")
            show_notes(change)


def stage(order: Order) -> str:
    """Return the present stage of an order in words.

    >>> stage(Order(1, "add", "", "", stage="reading documents", done=3, total=10))
    'Reading: 3 of 10'
    >>> stage(Order(1, "add", "", "", stage="clustering persons"))
    'Finding out who is who …'
    """
    known = STAGES.get(order.stage)
    words = known or ("Finding out who is who" if order.stage.startswith("clustering") else order.stage.capitalize())
    return f"{words}: {order.done:,} of {order.total:,}" if order.total else f"{words} …"
