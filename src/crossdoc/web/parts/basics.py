"""HTML elements by their names, and the small pieces of the visual language (look.css) that every page uses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from nicegui import ui

from crossdoc.errors import CrossdocError
from crossdoc.web.look import counted, how_sure, kind, sureness


def tag(name: str, /, text: str = "", classes: str = "", **attributes: str | int | float | bool | None) -> ui.element:
    """An HTML or SVG element. Its text is text: whatever stands in it, the browser shows it as it is.

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
    """A part of a page with its heading; screen readers find it by that."""
    with tag("section", classes=f"{classes} x-stack", aria_label=title) as box:
        with tag("div"):
            tag("h2", title, "x-heading")
            if note:
                tag("p", note, "x-soft x-small").style("margin: .15rem 0 0")
        yield box


def type_word(entity_type: str | None) -> str:
    """A type as it is shown.

    >>> type_word("person"), type_word("ship"), type_word(None)
    ('Person', 'Ship', 'Other')
    """
    return (entity_type or "other").capitalize()


def type_chip(entity_type: str | None) -> None:
    tag("span", type_word(entity_type), f"x-type {kind(entity_type)}")


def sure_word(certainty: float) -> None:
    """How sure, in a word; the number is there for whoever rests the pointer on it."""
    tag("span", how_sure(certainty), f"x-sure-{sureness(certainty)}", title=f"{certainty:.0%} certain")


def bar(share: float, label: str, certainty: float | None = None) -> None:
    """A share of 1 as a bar, in the colour of a certainty where one is given."""
    colour = "" if certainty is None else f" x-sure-{sureness(certainty)}"
    with tag("span", classes=f"x-bar{colour}", role="img", aria_label=label, title=label):
        tag("i").style(f"width: {max(0.0, min(1.0, share)):.1%}")


def figure(number: int, one: str, many: str = "") -> None:
    """A large number with its noun below."""
    with tag("div", classes="x-figure"):
        tag("b", f"{number:,}")
        tag("span", counted(number, one, many).split(" ", 1)[1])


@contextmanager
def empty(title: str, what: str) -> Iterator[None]:
    """Nothing to show: says why, and holds what to do about it."""
    with tag("div", classes="x-empty"):
        tag("h2", title)
        tag("p", what)
        yield


def link(text: str, href: str, classes: str = "") -> ui.element:
    return tag("a", text, classes, href=href)


def show_error(error: CrossdocError) -> None:
    """What is wrong and what to do, where the content would stand."""
    with tag("div", classes="x-error", role="alert"):
        tag("p", error.what).style("margin: 0; white-space: pre-line")
        if error.hint:
            tag("p", error.hint, "x-soft").style("margin: .3rem 0 0; white-space: pre-line")
