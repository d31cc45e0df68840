"""HTML elements by name, the small elements of the visual language (look.css) that every page uses, and parts of a page
that are loaded in parallel: fast parts are in the page, slow ones are added later.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from nicegui import background_tasks, ui

from crossdoc.errors import CrossdocError, page_failed
from crossdoc.store.views import Line, MemberLine, ProfileView, Span
from crossdoc.web.changes import Refusal
from crossdoc.web.look import counted, how_sure, kind, sureness, years
from crossdoc.web.look import pieces as cut_at
from crossdoc.web.session import identity_url

Row = TypeVar("Row")
Attribute = str | int | float | bool | None
log = logging.getLogger(__name__)
LOADING_PATIENCE = 0.5
"""Seconds that a page waits for its parts before it is shown without the missing ones."""
EMIT_CHECKED = "(e) => emit(e.target.checked)"
EMIT_VALUE = "(e) => emit(e.target.value)"
EMIT_FORM = "(e) => { e.preventDefault(); emit(Object.fromEntries(new FormData(e.target))); }"


def tag(name: str, /, text: str = "", classes: str = "", **attributes: Attribute) -> ui.element:
    """Create an HTML or SVG element. Its text is escaped: the browser shows it literally.

    ``tag("a", "more", "x-button", href="/", aria_label="more of it")``
    """
    element = ui.element(name)
    if classes:
        element.classes(classes)
    if text:
        element._text = text
    for key, value in attributes.items():
        if value is not None and value is not False:
            element.props[key.rstrip("_").replace("_", "-")] = "" if value is True else value
    return element


@contextmanager
def section(title: str, classes: str = "x-card", note: str = "") -> Iterator[ui.element]:
    """Show a part of a page with its heading, which screen readers list."""
    with tag("section", classes=f"{classes} x-stack", aria_label=title) as box:
        with tag("div"):
            tag("h2", title, "x-heading")
            if note:
                tag("p", note, "x-soft x-small").style("margin: .15rem 0 0")
        yield box


def type_word(entity_type: str | None) -> str:
    """Return an entity type as it is shown.

    >>> type_word("person"), type_word("ship"), type_word(None)
    ('Person', 'Ship', 'Other')
    """
    return (entity_type or "other").capitalize()


def type_chip(entity_type: str | None) -> None:
    tag("span", type_word(entity_type), f"x-type {kind(entity_type)}")


def sure_word(certainty: float) -> None:
    """Show a certainty in a word; the number is its tooltip."""
    tag("span", how_sure(certainty), f"x-sure-{sureness(certainty)}", title=f"{certainty:.0%} certain")


def bar(share: float, label: str, certainty: float | None = None) -> None:
    """Show a share of 1 as a bar, in the colour of a certainty if one is given."""
    colour = "" if certainty is None else f" x-sure-{sureness(certainty)}"
    with tag("span", classes=f"x-bar{colour}", role="img", aria_label=label, title=label):
        tag("i").style(f"width: {max(0.0, min(1.0, share)):.1%}")


def progress(label: str, share: float | None) -> None:
    """Show how much of some work is done; None is an unknown share."""
    with tag("div", classes="x-progress", role="progressbar", aria_label=label) as box:
        if share is None:
            box.classes("x-unknown")
            tag("i")
        else:
            box.props["aria-valuenow"] = round(share * 100)
            tag("i").style(f"width: {share:.1%}")


def waiting(words: str) -> None:
    with tag("div", classes="x-line", role="status"):
        tag("span", classes="x-spin", aria_hidden="true")
        tag("span", words)


def figure(number: int, one: str, many: str = "") -> None:
    """Show a card with a large number and its noun below."""
    with tag("div", classes="x-card"), tag("div", classes="x-figure"):
        tag("b", f"{number:,}")
        tag("span", counted(number, one, many).split(" ", 1)[1])


@contextmanager
def empty(title: str, what: str) -> Iterator[None]:
    """Show why there is nothing, with actions in the block."""
    with tag("div", classes="x-empty"):
        tag("h2", title)
        tag("p", what)
        yield


def named_in(view: ProfileView | MemberLine) -> str:
    """Return a name with the document that it is in."""
    return f"{view.name} in {view.title or view.document}"


def link(text: str, href: str, classes: str = "", **attributes: Attribute) -> ui.element:
    return tag("a", text, classes, href=href, **attributes)


def button(text: str, do: Callable[..., Any], classes: str = "x-button", **attributes: Attribute) -> ui.element:
    return tag("button", text, classes, type="button", **attributes).on("click", do)


def field(label: str, value: str = "", kind: str = "text", **attributes: Attribute) -> ui.element:
    """Show an input below its label; it has `value` at first."""
    with tag("label", label, "x-field"):
        element = tag("input", "", "", type=kind, **attributes)
    element.props["^value"] = value
    return element


def check(label: str, do: Callable[[bool], Any], note: str = "", type: str = "checkbox", **more: Attribute) -> None:
    """Show a checkbox (or radio button) with its label; `do` is called with its new state."""
    with tag("label", classes="x-check"):
        box = tag("input", "", "", type=type, **more)
        box.on("change", lambda event: do(bool(event.args)), js_handler=EMIT_CHECKED)
        tag("span", label)
        if note:
            tag("small", note)


def form(do: Callable[[dict[str, str]], Any]) -> ui.element:
    """Create a form; `do` is called with its fields by name when it is submitted."""
    element = tag("form", classes="x-stack")

    def submitted(event: Any) -> Any:
        return do({name: str(value).strip() for name, value in event.args.items()})

    return element.on("submit", submitted, js_handler=EMIT_FORM)


@contextmanager
def dialog_box(title: str) -> Iterator[ui.dialog]:
    """Create a dialog with the content of the block; it is deleted when it has closed."""
    with ui.context.client.content, ui.dialog() as dialog, tag("div", classes="x-dialog"):
        dialog.props["aria-label"] = title
        dialog.on("hide", dialog.delete)
        yield dialog


def cleared(element: ui.element) -> ui.element:
    """Remove what is in an element: ``with cleared(element): …``"""
    element.clear()
    return element


def remark(text: str, classes: str = "x-soft") -> ui.element:
    return tag("p", text, classes).style("margin: 0")


def joined(*parts: str | None) -> str:
    """Join the parts that are not empty.

    >>> joined("3 documents", "", None, "1996")
    '3 documents · 1996'
    """
    return " · ".join(filter(None, parts))


def time_of(stamp: str) -> str:
    """Return date and time of an ISO timestamp, to the minute.

    >>> time_of("2024-01-02T10:20:30+00:00")
    '2024-01-02 10:20'
    """
    return stamp[:16].replace("T", " ")


def listed(rows: Iterable[Row], show: Callable[[Row], Any], nothing: str = "", classes: str = "x-rows") -> None:
    """Show rows as a list, and the text `nothing` if there are none."""
    shown = list(rows)
    if nothing and not shown:
        remark(nothing)
    with tag("ul", classes=classes):
        for row in shown:
            with tag("li"):
                show(row)


def folded(rows: Iterable[Row], show: Callable[[Row], Any], summary: str) -> None:
    """Show a list that opens with a click on its summary."""
    with tag("details", classes="x-more"):
        tag("summary", summary)
        listed(rows, show)


def show_error(error: CrossdocError | Refusal) -> None:
    with tag("div", classes="x-error", role="alert"):
        tag("p", error.what).style("margin: 0; white-space: pre-line")
        if error.hint:
            tag("p", error.hint, "x-soft").style("margin: .3rem 0 0; white-space: pre-line")


in_thread = asyncio.to_thread
"""Runs a function in a thread, so that other pages are served meanwhile."""


class Later:
    """The parts of a page: ``later.put(load, show)`` for each, then ``await later.shown()``."""

    def __init__(self) -> None:
        self._tasks: list[asyncio.Task[None]] = []
        self._is_late = False

    def put(self, load: Callable[[], Any], show: Callable[[Any], None], height: str = "6rem") -> None:
        """Load a part in a thread and show it here; meanwhile a skeleton is shown."""
        with tag("div", classes="x-stack") as place, tag("div", role="status", aria_label="Loading …"):
            tag("div", classes="x-skeleton").style(f"height: {height}")
        self.add(self._fill(place, load, show))

    def add(self, work: Coroutine[Any, Any, None]) -> None:
        """Add other work that the page waits for."""
        self._tasks.append(background_tasks.create(work, name="part of a page"))

    async def shown(self) -> None:
        if self._tasks:
            self._is_late = bool((await asyncio.wait(self._tasks, timeout=LOADING_PATIENCE))[1])

    async def _fill(self, place: ui.element, load: Callable[[], Any], show: Callable[[Any], None]) -> None:
        failed: CrossdocError | None = None
        found = None
        try:
            found = await in_thread(load)
        except CrossdocError as error:
            failed = error
        except Exception as error:  # The other parts of the page are still useful.
            log.exception("a part of a page failed")
            failed = page_failed(f"{type(error).__name__}: {error}")
        if self._is_late:
            # The page has been sent; its parts are needed only if a browser shows it.
            await place.client.connected()
        if place.is_deleted:
            return
        place.clear()
        with place:
            if failed is None:
                show(found)
            else:
                show_error(failed)


class Lines(ui.element, component="crossdoc_lines.js"):
    """A table of identities. If `sort` is given, its header is clickable; the event `sort` has the column."""

    def __init__(self, rows: Sequence[Line], label: str, sort: str = "", descending: bool = True) -> None:
        super().__init__()
        self.props["label"] = label
        self.show(rows, sort, descending)

    def show(self, rows: Sequence[Line], sort: str = "", descending: bool = True) -> None:
        self.props.update(rows=[shown(row) for row in rows], sort=sort, descending=descending)


def shown(line: Line) -> dict[str, Any]:
    """Return the cells of an identity as text."""
    return {
        "id": line.id,
        "href": identity_url(line.id),
        "name": line.name,
        "descriptor": line.descriptor,
        "known": line.known,
        "snippet": line.snippet,
        "type": type_word(line.type),
        "kind": kind(line.type),
        "documents": f"{line.documents:,}",
        "mentions": f"{line.mentions:,}",
        "years": years(line.first_year, line.last_year),
        "sure": f"x-sure-{sureness(line.certainty)}",
        "word": how_sure(line.certainty),
        "certain": f"{line.certainty:.0%} certain",
    }


class Text(ui.element, component="crossdoc_text.js"):
    """A text in pieces (see :func:`pieces` and :func:`marked`)."""

    def __init__(self, parts: Sequence[dict[str, Any]], inline: bool = False) -> None:
        super().__init__()
        self.props.update(pieces=list(parts), inline=inline)


def pieces(text: str, spans: Iterable[Span], identity: str = "") -> list[dict[str, Any]]:
    """Cut a text at its mentions. If mentions overlap, those of `identity` are preferred, then the longest.

    >>> spans = [Span(0, 9, "a", "Ann Smith", "person", "name", "p"), Span(4, 9, "b", "Smith", "person", "name", "q")]
    >>> [(piece["text"], piece.get("href", "")) for piece in pieces("Ann Smith left.", spans)]
    [('Ann Smith', '/identity?id=a'), (' left.', '')]
    >>> [(piece["text"], piece["class"]) for piece in pieces("Ann Smith left.", spans, "b") if "class" in piece]
    [('Smith', 'x-mention x-this')]
    """
    ranked = sorted(spans, key=lambda span: (span.identity != identity, span.start - span.end, span.start))
    taken: list[Span] = []
    covered = bytearray(len(text))
    for span in ranked:
        if 0 <= span.start < span.end <= len(text) and not any(covered[span.start : span.end]):
            covered[span.start : span.end] = b"\1" * (span.end - span.start)
            taken.append(span)
    numbered = [
        (span.start, span.end, (number, span)) for number, span in enumerate(sorted(taken, key=lambda span: span.start))
    ]
    return [_piece(part, mention, identity) for part, mention in cut_at(text, numbered)]


def _piece(text: str, mention: tuple[int, Span] | None, identity: str) -> dict[str, Any]:
    number, span = mention or (0, None)
    if span is None or span.identity is None:
        return {"text": text}
    piece = {"text": text, "title": span.name, "id": f"mention-{number}"}
    if span.identity == identity:
        return {**piece, "class": "x-mention x-this"}
    return {**piece, "class": f"x-mention {kind(span.type)}", "href": identity_url(span.identity)}


def marked(text: str, places: Iterable[tuple[int, int]]) -> list[dict[str, Any]]:
    """Cut a text at some spans, which are highlighted.

    >>> marked("Ann left.", [(0, 3)])
    [{'text': 'Ann', 'class': 'x-mention x-this'}, {'text': ' left.'}]
    """
    cut = cut_at(text, [(start, end, {"class": "x-mention x-this"}) for start, end in places])
    return [{"text": part, **(style or {})} for part, style in cut]
