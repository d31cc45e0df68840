"""HTML elements by name, and the small elements of the visual language (look.css) that every page uses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

from nicegui import ui

from crossdoc.web.look import counted, how_sure, kind, sureness

Row = TypeVar("Row")
Attribute = str | int | float | bool | None


class ErrorText(Protocol):
    """An error or refusal."""

    @property
    def what(self) -> str: ...
    @property
    def hint(self) -> str: ...


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


def figure(number: int, one: str, many: str = "") -> None:
    """Show a large number with its noun below."""
    with tag("div", classes="x-figure"):
        tag("b", f"{number:,}")
        tag("span", counted(number, one, many).split(" ", 1)[1])


@contextmanager
def empty(title: str, what: str) -> Iterator[None]:
    """Show why there is nothing, with actions in the block."""
    with tag("div", classes="x-empty"):
        tag("h2", title)
        tag("p", what)
        yield


def link(text: str, href: str, classes: str = "", **attributes: Attribute) -> ui.element:
    return tag("a", text, classes, href=href, **attributes)


def button(text: str, do: Callable[..., Any], classes: str = "x-button", **attributes: Attribute) -> ui.element:
    return tag("button", text, classes, type="button", **attributes).on("click", do)


def remark(text: str, classes: str = "x-soft") -> ui.element:
    """Show a paragraph without margins."""
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


def show_error(error: ErrorText) -> None:
    """Show what is wrong and what to do."""
    with tag("div", classes="x-error", role="alert"):
        tag("p", error.what).style("margin: 0; white-space: pre-line")
        if error.hint:
            tag("p", error.hint, "x-soft").style("margin: .3rem 0 0; white-space: pre-line")
