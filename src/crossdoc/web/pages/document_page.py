"""The page of a document: its text with mentions as links, and a list of the mentioned identities."""

from __future__ import annotations

from collections import Counter

from nicegui import ui

from crossdoc.errors import CrossdocError
from crossdoc.store.views import DocumentView
from crossdoc.web.look import counted, kind
from crossdoc.web.pages.layout import PAGE_PATIENCE, frame, not_found, on_new_version
from crossdoc.web.parts.basics import in_thread, joined, link, tag, type_word
from crossdoc.web.parts.marked_text import Text, pieces
from crossdoc.web.session import Session, document_url, identity_url


def register(session: Session) -> None:
    @ui.page("/document", response_timeout=PAGE_PATIENCE)
    async def document(id: str = "", identity: str = "") -> None:
        try:
            view = await in_thread(session.reader.document, id)
        except CrossdocError as error:
            not_found(session, "There is no such document.", error.what)
            return
        with frame(session, view.title or view.id, wide=True):
            _show(view, identity)
        on_new_version(session)


def _show(view: DocumentView, identity: str) -> None:
    with tag("div").style("margin-bottom: 1.5rem"):
        tag("p", "Document", "x-kicker")
        tag("h1", view.title or view.id, "x-title x-name")
        tag("p", joined(view.date, view.source, view.language and f"language {view.language}"), "x-lede")
        if view.title:
            tag("p", view.id, "x-id").style("margin: .2rem 0 0")
    with tag("div", classes="x-columns x-beside"):
        with tag("article", classes="x-card", aria_label="Text"):
            if view.text:
                Text(pieces(view.text, view.spans, identity))
            else:
                tag("p", "Its text is not stored: this answer was made from profiles, not from documents.", "x-soft")
        with tag("aside", aria_label="Who is in it"):
            _everybody(view, identity)


def _everybody(view: DocumentView, identity: str) -> None:
    mentions = Counter(span.identity for span in view.spans if span.identity)
    known = {span.identity: span for span in reversed(view.spans) if span.identity}
    tag("h2", f"Who is in it ({len(mentions)})", "x-heading").style("margin-bottom: .6rem")
    if not mentions:
        tag("p", "Nobody was found in this text.", "x-soft")
        return
    with tag("ul", classes="x-list"):
        for id, n in mentions.most_common():
            span = known[id]
            with tag("li", classes="x-item x-tight" + (" x-chosen" if id == identity else "")):
                with tag("div", classes="x-line x-apart"):
                    link(span.name, identity_url(id or ""), "x-name")
                    tag("span", type_word(span.type), f"x-type {kind(span.type)}")
                with tag("div", classes="x-line x-apart x-small"):
                    tag("span", counted(n, "mention"), "x-soft")
                    if id != identity:
                        label = f"Highlight {span.name} in the text"
                        link("highlight", document_url(view.id, id or ""), "x-small", aria_label=label)
