"""The frame of all pages: navigation, the name of the reviewer, light and dark; and error pages."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Literal
from urllib.parse import quote, unquote

from nicegui import ui

from crossdoc.web.parts.basics import button, dialog_box, empty, field, form, link, tag
from crossdoc.web.session import Session

NAVIGATION = {
    "Search": "/", "Overview": "/overview", "Review": "/review", "Corrections": "/corrections", "Add": "/add"
}  # fmt: skip
WRITING = ("Review", "Add")
"""Pages that are left out under --read-only."""
Place = Literal["Search", "Overview", "Review", "Corrections", "Add", ""]
WHO = "crossdoc-who"
"""Cookie with the name of the reviewer, which is kept for a year."""
PAGE_PATIENCE = 60.0
"""Seconds that NiceGUI waits for the first content of a page."""
YEAR = 365 * 24 * 3600


@contextmanager
def frame(session: Session, title: str, here: Place = "", wide: bool = False) -> Iterator[ui.element]:
    """Show the frame of a page: ``with frame(session, "Search", "Search"): …``"""
    client = ui.context.client
    ui.page_title(f"{title} · {session.path.stem} · crossdoc")
    client.storage["who"] = unquote(client.request.cookies.get(WHO, ""))
    content = tag("div", classes="x-main x-wide" if wide else "x-main", tabindex="-1")
    with client.layout:
        with tag("header", classes="x-top") as top:
            skip = link("Skip to content", f"#{content.html_id}", "x-skip")
            skip.on("click", js_handler=f"() => getHtmlElement({content.id}).focus()")
            link("crossdoc", "/", "x-brand")
            with tag("nav", classes="x-nav", aria_label="Pages"):
                for name, path in NAVIGATION.items():
                    if not (session.read_only and name in WRITING):
                        link(name, path).props.set_optional("aria-current", "page" if name == here else None)
            with tag("div", classes="x-tools"):
                if session.read_only:
                    tag("span", "Read only", "x-type x-other", title="Nothing can be changed: started with --read-only")
                else:
                    _person()
        top.move(target_index=0)
    with content:
        yield content


def _person() -> None:
    ui.context.client.storage["who shown"] = button("", ask_who, "x-button x-quiet x-small")
    _show_person()


def _show_person() -> None:
    storage = ui.context.client.storage
    shown, who = storage.get("who shown"), storage["who"]
    if shown is not None:
        shown._text = who or "Who are you?"
        shown.props["title"] = "Your name is stored with what you decide. Click to change it."
        shown.props["aria-label"] = f"Judging as {who}; change" if who else "Say who is judging"
        shown.update()


def who() -> str:
    """Return the name of the reviewer, or an empty string if it is unknown."""
    return str(ui.context.client.storage.get("who", ""))


async def who_judges() -> str | None:
    """Return the name of the reviewer, which is requested if it is unknown; None if it was not given."""
    return who() or await ask_who()


async def ask_who() -> str | None:
    """Request the name of the reviewer, and store it in this browser."""
    client = ui.context.client
    about = "Your name is stored with every decision, so that others can ask you about it. You are asked only once."
    # In a dialog, Quasar passes clicks only to a div.
    with dialog_box("Who is judging?") as dialog, form(lambda given: dialog.submit(given["who"] or None)):
        tag("h2", "Who is judging?", "x-heading")
        tag("p", about, "x-soft")
        field("Your name", who(), name="who", autocomplete="name", maxlength=80, required=True, autofocus=True)
        with tag("div", classes="x-dialog-foot"):
            button("Not now", lambda: dialog.submit(None))
            tag("button", "Continue", "x-button x-primary", type="submit")
    name: str | None = await dialog
    if name is None:
        return None
    with client:
        client.storage["who"] = name
        _show_person()
        ui.run_javascript(f'document.cookie = "{WHO}={quote(name, safe="")}; path=/; max-age={YEAR}; samesite=strict"')
    return name


def on_new_version(session: Session, refresh: Callable[[], Awaitable[None]] | None = None) -> None:
    """After a change of the answer, call `refresh`, or offer to reload the page."""
    storage = ui.context.client.storage
    storage["version"] = session.reader.version
    place = tag("div")

    async def look() -> None:
        if session.reader.version == storage["version"] or storage.get("correcting"):
            return
        storage["version"] = session.reader.version
        if refresh is not None:
            await refresh()
        elif not place.default_slot.children:
            with place, tag("div", classes="x-toast x-line x-apart", role="status"):
                tag("span", "The answer has changed since you opened this page.")
                button("Reload", ui.navigate.reload, "x-button x-small")

    ui.timer(1.5, look)


def seen(session: Session) -> None:
    """Mark the latest change as shown on this page."""
    ui.context.client.storage["version"] = session.reader.version


def show_read_only() -> None:
    with empty("Nothing can be changed here", "The explorer was started with --read-only."):
        link("Search", "/", "x-button x-primary")


def empty_collection(session: Session) -> None:
    with empty("This collection is empty.", "Add documents, and everyone they mention will be listed here."):
        if not session.read_only:
            link("Add documents", "/add", "x-button x-primary")


def not_found(session: Session, what: str, hint: str) -> None:
    """Show a page with status 404."""
    ui.context.client.status_code = 404
    with frame(session, "Not found"), empty(what, hint):
        link("Search", "/", "x-button x-primary")
