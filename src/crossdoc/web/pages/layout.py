"""What all pages have around them: the bar with where one can go, who is judging, light and dark; and error pages."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Literal
from urllib.parse import quote, unquote

from nicegui import ui

from crossdoc.web.parts.basics import empty, link, show_error, tag
from crossdoc.web.session import Session

__all__ = ["ask_who", "frame", "not_found", "on_new_version", "seen", "show_error", "who", "who_judges"]

NAVIGATION = (
    ("Search", "/"),
    ("Overview", "/overview"),
    ("Review", "/review"),
    ("Corrections", "/corrections"),
    ("Add", "/add"),
)
WRITING = ("Review", "Add")
"""Pages that are of no use where nothing may be changed."""
Place = Literal["Search", "Overview", "Review", "Corrections", "Add", ""]
WHO, THEME = "crossdoc-who", "crossdoc-theme"
"""Cookies: who is judging, and light or dark. Both are asked once and kept for a year."""
PATIENCE = 60.0
"""Seconds for a page whose head has to be read first; on a busy machine that takes a while."""
YEAR = 365 * 24 * 3600
TURN = f"""() => {{
  const dark = !Quasar.Dark.isActive;
  setDark(dark);
  document.cookie = "{THEME}=" + (dark ? "dark" : "light") + "; path=/; max-age={YEAR}; samesite=strict";
}}"""


@contextmanager
def frame(session: Session, title: str, here: Place = "", wide: bool = False) -> Iterator[ui.element]:
    """The page around its content: ``with frame(session, "Search", "Search"): …``"""
    client = ui.context.client
    ui.page_title(f"{title} · {session.path.stem} · crossdoc")
    _theme()
    client.storage["who"] = unquote(client.request.cookies.get(WHO, ""))
    content = tag("div", classes="x-main x-wide" if wide else "x-main", tabindex="-1")
    with client.layout:
        with tag("header", classes="x-top") as top:
            skip = link("Skip to content", f"#{content.html_id}", "x-skip")
            skip.on("click", js_handler=f"() => getHtmlElement({content.id}).focus()")
            link("crossdoc", "/", "x-brand")
            with tag("nav", classes="x-nav", aria_label="Pages"):
                for name, path in NAVIGATION:
                    if not (session.read_only and name in WRITING):
                        link(name, path).props.set_optional("aria-current", "page" if name == here else None)
            with tag("div", classes="x-tools"):
                if session.read_only:
                    tag("span", "Read only", "x-type x-other", title="Nothing can be changed: started with --read-only")
                else:
                    _person()
                turn = tag("button", "◐", "x-button x-quiet x-small", type="button", aria_label="Light or dark")
                turn.props["title"] = "Light or dark"
                turn.on("click", js_handler=TURN)
        top.move(target_index=0)
    with content:
        yield content


def _theme() -> None:
    chosen = ui.context.client.request.cookies.get(THEME)
    if chosen in ("light", "dark"):
        ui.dark_mode(chosen == "dark")
        # What is painted before scripts run must not flash in the other colours.
        nonce = ui.context.client.request.state.nonce
        ui.add_head_html(f'<style nonce="{nonce}">:root {{ color-scheme: {chosen}; }}</style>')


def _person() -> None:
    """Who is judging, as a button to change it."""
    button = tag("button", "", "x-button x-quiet x-small", type="button")
    ui.context.client.storage["who shown"] = button
    _show_person()
    button.on("click", ask_who)


def _show_person() -> None:
    storage = ui.context.client.storage
    button, who = storage.get("who shown"), storage["who"]
    if button is not None:
        button._text = who or "Who are you?"
        button.props["title"] = "Your name is stored with what you decide. Click to change it."
        button.props["aria-label"] = f"Judging as {who}; change" if who else "Say who is judging"
        button.update()


def who() -> str:
    """Whose name stands beside what is judged on this page; empty until it was asked."""
    return str(ui.context.client.storage.get("who", ""))


async def who_judges() -> str | None:
    """Who is judging; asks when that is not known yet. None: the question was left unanswered."""
    return who() or await ask_who()


async def ask_who() -> str | None:
    """Ask who is judging, and remember it in this browser."""
    client = ui.context.client
    # Quasar lets only a div be pressed in a dialog.
    with (
        ui.dialog().props('aria-label="Who is judging?"') as dialog,
        tag("div", classes="x-dialog"),
        tag("form", classes="x-stack") as form,
    ):
        tag("h2", "Who is judging?", "x-heading")
        tag(
            "p",
            "Your name is stored with every decision, so that others can ask you about it. You are asked only once.",
            "x-soft",
        )
        with tag("label", "Your name", "x-field"):
            field = tag("input", type="text", autocomplete="name", maxlength=80, required=True, autofocus=True)
            field.props["^value"] = who()
        with tag("div", classes="x-dialog-foot"):
            tag("button", "Not now", "x-button", type="button").on("click", lambda: dialog.submit(None))
            tag("button", "Continue", "x-button x-primary", type="submit")
    form.on(
        "submit",
        lambda event: dialog.submit(str(event.args).strip() or None),
        js_handler=f"(e) => {{ e.preventDefault(); emit(getHtmlElement({field.id}).value); }}",
    )
    name = await dialog
    dialog.delete()
    if name is None:
        return None
    with client:
        client.storage["who"] = name
        _show_person()
        ui.run_javascript(f'document.cookie = "{WHO}={quote(name, safe="")}; path=/; max-age={YEAR}; samesite=strict"')
    return name


def on_new_version(session: Session, refresh: Callable[[], Awaitable[None]] | None = None) -> None:
    """When the answer is changed, here or elsewhere: call `refresh`, or else offer to load the page again."""
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
                tag("button", "Reload", "x-button x-small", type="button").on("click", ui.navigate.reload)

    ui.timer(1.5, look)


def seen(session: Session) -> None:
    """This page knows of the latest change, since it made it."""
    ui.context.client.storage["version"] = session.reader.version


def not_found(session: Session, what: str, hint: str) -> None:
    """A page for what is not there."""
    ui.context.client.status_code = 404
    with frame(session, "Not found"), empty(what, hint):
        link("Search", "/", "x-button x-primary")
