"""The page of a document (its text with mentions as links, and who is in it), and the page with the evidence for two
profiles, or for a profile and an identity, next to their texts.
"""

from __future__ import annotations

from collections import Counter
from functools import partial

from nicegui import ui

from crossdoc.errors import CrossdocError
from crossdoc.store.views import DocumentView, LogLine, ProfileView
from crossdoc.web.look import counted, how_sure
from crossdoc.web.pages import correction_dialogs as corrections
from crossdoc.web.pages.layout import PAGE_PATIENCE, frame, not_found, on_new_version
from crossdoc.web.pages.log_page import entry_in_words
from crossdoc.web.parts import basics
from crossdoc.web.parts.basics import Text, button, in_thread, joined, link, named_in, pieces, section, tag
from crossdoc.web.parts.evidence_bars import evidence, profile_card
from crossdoc.web.reader import WhyIdentity
from crossdoc.web.session import Session, identity_url, page_url

HOW_TO_READ = "Bars to the right are evidence for one, bars to the left for two. Hover over a bar for the numbers."


def register(session: Session) -> None:
    @ui.page("/document", response_timeout=PAGE_PATIENCE)
    async def document(id: str = "", identity: str = "") -> None:
        try:
            view = await in_thread(session.reader.document, id)
        except CrossdocError as error:
            not_found(session, "There is no such document.", error.what)
            return
        with frame(session, view.title or view.id, wide=True):
            _show_document(view, identity)
        on_new_version(session)

    @ui.page("/why", response_timeout=PAGE_PATIENCE)
    async def why(a: str = "", b: str = "", identity: str = "") -> None:
        try:
            left = await in_thread(session.reader.profile, a)
            right = None if identity else await in_thread(session.reader.profile, b)
        except CrossdocError as error:
            not_found(session, "There is no such passage.", error.what)
            return
        later = basics.Later()
        with frame(session, "Why", wide=True):
            tag("p", "Why", "x-kicker")
            if right is None:
                with tag("div", classes="x-stack"):
                    later.put(partial(session.reader.why_identity, left.id, identity), _identity, "24rem")
            else:
                _show_pair(session, left, right, later)
            await later.shown()
        on_new_version(session)


def _show_document(view: DocumentView, identity: str) -> None:
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
                    basics.type_chip(span.type)
                with tag("div", classes="x-line x-apart x-small"):
                    tag("span", counted(n, "mention"), "x-soft")
                    if id != identity:
                        label = f"Highlight {span.name} in the text"
                        link("highlight", page_url("document", id=view.id, identity=id), "x-small", aria_label=label)


def _show_pair(session: Session, a: ProfileView, b: ProfileView, later: basics.Later) -> None:
    one = a.identity is not None and a.identity == b.identity
    tag("h1", "Treated as one" if one else "Treated as two", "x-title")
    tag("p", f"{named_in(a)}, and {named_in(b)}", "x-lede x-name")
    if session.changes is not None:
        session.changes.get_ready()
        here = page_url("why", a=a.id, b=b.id)
        with tag("div", classes="x-line x-no-print").style("margin: 1rem 0 0"):
            for verdict, words in corrections.VERDICTS.items():
                button(f"{words} …", partial(corrections.judge, session, a.id, b.id, verdict, here))
    with tag("div", classes="x-stack").style("margin-top: 1.5rem"):
        later.put(partial(_judged, session, a.id, b.id), _show_judged, "0")
        with section("The evidence", note=HOW_TO_READ):
            later.put(partial(session.reader.why, a.id, b.id), evidence, "14rem")
        with tag("div", classes="x-pair"):
            profile_card(a)
            profile_card(b)


def _judged(session: Session, a: str, b: str) -> list[LogLine]:
    """Return the judgements in force about the two profiles."""
    return [line for line in session.reader.log() if line.standing and {a, b} <= line.entry.about]


def _show_judged(lines: list[LogLine]) -> None:
    for line in lines:
        entry = line.entry
        with tag("div", classes="x-note"):
            tag("div", f"{entry.who or 'Somebody'} has decided: {entry_in_words(entry)}", "x-name x-strong")
            reason = f"“{entry.why}”" if entry.why else ""
            tag("div", joined(reason, entry.when[:10], f"entry {entry.number}"), "x-soft x-small x-name")


def _identity(found: WhyIdentity) -> None:
    profile, line = found.profile, found.line
    is_it = profile.identity == line.id
    with tag("div"):
        tag("h1", f"{'Assigned to' if is_it else 'Not assigned to'} {line.name}", "x-title x-name")
        with tag("p", classes="x-lede"):
            tag("span", f"{named_in(profile)}, compared with ", "x-name")
            link(line.name, identity_url(line.id), "x-name")
            if line.descriptor:
                tag("span", f", {line.descriptor}", "x-name")
    with tag("div", classes="x-line"):
        if found.membership is not None:
            basics.sure_word(found.membership)
            tag("span", f"{found.membership:.0%} of this passage belongs to it", "x-soft x-small")
        for id, name, much in [
            (profile.identity or "", profile.identity_name or "", profile.membership or 0),
            *profile.others,
        ]:
            if id and id != line.id:
                with tag("span", classes="x-chip"):
                    tag("span", f"{how_sure(much)}:")
                    link(name, identity_url(id), "x-name")
    profile_card(profile, title="The passage in question")
    if not found.pairs:
        tag("p", "It has no other passages to compare with.", "x-note")
    for pair in found.pairs:
        with section(f"Compared with {named_in(pair.b)}", note=HOW_TO_READ):
            evidence(pair)
            with tag("details", classes="x-more"):
                tag("summary", "Read it")
                profile_card(pair.b)
            link("Only these two", page_url("why", a=profile.id, b=pair.b.id), "x-small")
