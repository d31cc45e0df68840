"""The page of one identity: names, facts, members, documents, related identities, candidates, history."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from urllib.parse import quote

from fastapi import Response
from nicegui import app, ui

from crossdoc import errors
from crossdoc.model.partition import Event
from crossdoc.store import views
from crossdoc.web.downloads import MOST_EXPORTED, downloaded
from crossdoc.web.look import counted, how_sure, sureness, years
from crossdoc.web.pages import correction_dialogs as corrections
from crossdoc.web.pages.layout import PAGE_PATIENCE, frame, not_found, on_new_version
from crossdoc.web.parts import basics
from crossdoc.web.parts.basics import Later, button, in_thread, joined, link, listed, remark, section, tag
from crossdoc.web.parts.evidence_bars import in_order, kind_word, relation_word
from crossdoc.web.parts.network_graph import AROUND, NetworkGraph, star, timeline
from crossdoc.web.session import Session, identity_url, page_url

ROWS_AT_ONCE = 25
MEMBER_CSV = ("profile", "document", "title", "date", "name", "membership", "snippet")
FEW_ROWS = 6
FEW_FACTS = 3
MOST_NAMES = 24
MOST_EVENTS = 12
STAR_SIZE = (840, 380)
"""Pixels; width and height."""


def register(session: Session) -> None:
    @ui.page("/identity", response_timeout=PAGE_PATIENCE)
    async def identity(id: str = "") -> None:
        try:
            card = await in_thread(session.reader.identity, id)
        except errors.CrossdocError as error:
            await _gone(session, id, error)
            return
        with frame(session, card.line.name, wide=True):
            await _Identity(session, card).show()
        on_new_version(session)

    @app.get("/identity.csv")
    def identity_table(id: str) -> Response:
        card = session.reader.identity(id)
        rows = session.reader.members(card.line.id, 0, MOST_EXPORTED)
        return downloaded(rows, MEMBER_CSV, f"{card.line.name}.csv")


async def _gone(session: Session, id: str, error: errors.CrossdocError) -> None:
    """Show the identities that replaced an id, or that there are none."""
    now = [] if not id else await in_thread(session.reader.successors, id)
    if not now:
        not_found(session, "There is no such identity.", error.what)
        return
    lines = await in_thread(session.reader.lines, now)
    with frame(session, "Split"):
        tag("h1", "This identity was split", "x-title")
        tag("p", "Choose one of the identities that it became.", "x-lede").style("margin-bottom: 1.5rem")
        basics.Lines([lines[each] for each in now if each in lines], "What it became")


class _Identity:
    def __init__(self, session: Session, card: views.Card) -> None:
        self.session, self.card, self.line = session, card, card.line
        self.chosen: dict[str, bool] = {}
        """Profiles that are selected in the list of members."""

    async def show(self) -> None:
        reader, id, later = self.session.reader, self.line.id, Later()
        self._head()
        with tag("div", classes="x-columns x-beside"):
            with tag("div", classes="x-stack"):
                self._show_facts()
                with section("Where it is found", note="Most certain first."):
                    self._put_rows(later, reader.members, self._members, "20rem")
                later.put(partial(reader.related, id, AROUND), self._related, "20rem")
                with section("Documents", note="Earliest first. Open one to read it with every mention highlighted."):
                    self._put_rows(later, reader.documents_of, self._documents, "10rem")
            with tag("aside", classes="x-stack x-flow", aria_label="More about it"):
                later.put(partial(reader.maybe, id), self._maybe)
                later.put(partial(reader.timeline, id), self._timeline)
                later.put(self._read_history, self._history)
        await later.shown()

    def _head(self) -> None:
        line, card = self.line, self.card
        with tag("div", classes="x-stack").style("margin-bottom: 1.5rem; gap: .6rem"):
            if card.asked:
                remark(f"{card.asked} is now part of this identity.", "x-note")
            with tag("div", classes="x-line"):
                basics.type_chip(line.type)
                basics.sure_word(line.certainty)
                if card.known is not None:
                    tag("span", "in the known list", "x-known", title=card.known.id)
            with tag("div"):
                tag("h1", line.name, "x-title x-name")
                if line.descriptor:
                    tag("p", line.descriptor, "x-lede")
            sizes = counted(line.documents, "document"), counted(line.mentions, "mention")
            remark(joined(*sizes, years(line.first_year, line.last_year)), "x-soft x-number")
            with tag("div", classes="x-line x-no-print"):
                if not self.session.read_only:
                    self._corrections()
                address = f"/identity.csv?id={quote(line.id, safe='')}"
                link("Download as a table", address, "x-button x-small", download=True)
                tag("button", "Print", "x-button x-small", type="button").on("click", js_handler="() => window.print()")

    def _corrections(self) -> None:
        session, line = self.session, self.line
        session.writable().get_ready()
        button("Merge with …", partial(corrections.merge, session, line), "x-button x-small")
        split = lambda: corrections.split_off(session, line, [id for id, on in self.chosen.items() if on])  # noqa: E731
        button("Split off …", split, "x-button x-small")
        button("Rename …", partial(corrections.rename, session, line), "x-button x-small")

    def _show_facts(self) -> None:
        card = self.card
        with section("Goes by"), tag("div", classes="x-line"):
            for name, n in card.variants[:MOST_NAMES]:
                with tag("span", classes="x-chip"):
                    tag("span", name, "x-name")
                    tag("small", f"{n:,}", title=counted(n, "time"))
            if len(card.variants) > MOST_NAMES:
                tag("span", f"and {len(card.variants) - MOST_NAMES} more", "x-soft x-small")
        if card.known is not None:
            with section("In the known list"):
                remark(card.known.name, "x-name x-strong")
                remark(card.known.description)
                sure = f"{how_sure(card.known.probability)} that it is this entry"
                remark(joined(sure, card.known.id), "x-small x-soft")
        if card.facts:
            with section("What is said about it", note="With the sentence that states it."):
                for kind, facts in in_order(card.facts):
                    with tag("div", classes="x-fact"):
                        tag("h3", kind_word(kind), "x-kicker")
                        with tag("div"):
                            self._few(facts, self._fact, FEW_FACTS)
        stated = [relation for relation in card.relations if relation.type != "list"]
        if stated:
            with section("Relations", note="With the sentence that states it."):
                self._few(stated, self._relation, FEW_ROWS)

    def _few(self, rows: Sequence[Any], show: Callable[[Any], None], few: int) -> None:
        """Show the first rows, and the others in a folded list."""
        listed(rows[:few], show)
        if len(rows) > few:
            basics.folded(rows[few:], show, f"{len(rows) - few} more")

    def _fact(self, fact: views.FactLine) -> None:
        with tag("div", classes="x-line"):
            tag("span", fact.value, "x-name x-strong")
            self._times(fact.count)
        self._quote(fact.sentence, fact.document, fact.value)

    def _relation(self, relation: views.RelationLine) -> None:
        with tag("div", classes="x-line"):
            tag("span", relation_word(relation.type), "x-soft")
            if relation.identity:
                link(relation.name, identity_url(relation.identity), "x-name x-strong")
            else:
                tag("span", relation.name, "x-name x-strong")
            self._times(relation.count)
        self._quote(relation.evidence, relation.document, relation.name)

    def _times(self, count: int) -> None:
        if count > 1:
            tag("span", counted(count, "time"), "x-soft x-small")

    def _quote(self, sentence: str, document: str | None, word: str) -> None:
        with tag("p", classes="x-quote"):
            at = sentence.casefold().find(word.casefold())
            if sentence:
                basics.Text(basics.marked(sentence, [(at, at + len(word))] if at >= 0 else []), inline=True)
                tag("span", " ")
            if document:
                link(document, page_url("document", id=document, identity=self.line.id), "x-small")

    def _put_rows(
        self,
        later: Later,
        load: Callable[[str, int, int], Sequence[Any]],
        show: Callable[[Sequence[Any]], None],
        height: str = "6rem",
        offset: int = 0,
    ) -> None:
        """Load the rows from `offset` on, and show them with a button for more."""
        after = offset + ROWS_AT_ONCE

        def show_rows(rows: Sequence[Any]) -> None:
            show(rows[:ROWS_AT_ONCE])
            if len(rows) > ROWS_AT_ONCE:
                with tag("div", classes="x-stack") as place:
                    button("Show more", partial(go_on, place))

        async def go_on(place: ui.element) -> None:
            more = Later()
            with basics.cleared(place):
                self._put_rows(more, load, show, offset=after)
            await more.shown()

        later.put(partial(load, self.line.id, offset, ROWS_AT_ONCE + 1), show_rows, height)

    def _members(self, members: Sequence[views.MemberLine]) -> None:
        listed((member for member in members if member.first), self._member)
        if others := [member for member in members if not member.first]:
            summary = f"{counted(len(others), 'passage')} that may mean it, but more likely somebody else"
            basics.folded(others, self._member, summary)

    def _member(self, member: views.MemberLine) -> None:
        writable = not self.session.read_only
        with tag("div", classes="x-member" + ("" if writable else " x-plain")):
            if writable:
                tick = tag("input", type="checkbox", aria_label=f"Choose {basics.named_in(member)}")
                choose = lambda event: self.chosen.update({member.profile: bool(event.args)})  # noqa: E731
                tick.on("change", choose, js_handler=basics.EMIT_CHECKED)
            with tag("div", classes="x-certain"):
                word = how_sure(member.membership)
                tag("span", word, f"x-sure-{sureness(member.membership)}", title=f"{member.membership:.0%} likely")
                basics.bar(member.membership, f"{word}, {member.membership:.0%}", member.membership)
            with tag("div"):
                with tag("div"):
                    basics.Text(basics.marked(member.snippet, [member.marked] if member.marked else []), inline=True)
                with tag("div", classes="x-line x-small"):
                    read = page_url("document", id=member.document, identity=self.line.id)
                    link(member.title or member.document, read, "x-name")
                    if member.date:
                        tag("span", member.date, "x-soft x-number")
                    label = f"Why {member.name} in {member.document}?"
                    link("Why?", page_url("why", a=member.profile, identity=self.line.id), aria_label=label)
                    if writable:
                        split = partial(corrections.split_off, self.session, self.line, [member.profile], member.name)
                        label = f"{basics.named_in(member)} is somebody else"
                        button("Somebody else …", split, "x-link", aria_label=label)

    def _documents(self, documents: Sequence[views.DocumentLine]) -> None:
        listed(documents, self._document, "The documents are not stored.", "x-rows x-close")

    def _document(self, document: views.DocumentLine) -> None:
        with tag("details", classes="x-folding") as box:
            with tag("summary"):
                tag("span", document.title or document.id, "x-name x-strong")
                names = counted(document.mentions, "mention"), ", ".join(document.names[:3])
                tag("span", joined(document.date, document.source, *names), "x-soft x-small x-number")
            inside = tag("div").style("padding: .25rem 0 1rem 1.2rem")

        async def unfold() -> None:
            if not inside.default_slot.children:
                later = Later()
                with inside:
                    later.put(partial(self.session.reader.document, document.id), self._text, "12rem")
                await later.shown()

        box.on("toggle", unfold)

    def _text(self, view: views.DocumentView) -> None:
        basics.Text(basics.pieces(view.text, view.spans, self.line.id))
        link("Open on its own", page_url("document", id=view.id, identity=self.line.id), "x-small")

    def _timeline(self, periods: list[tuple[str, int]]) -> None:
        if periods:
            with section("Over time", note="Documents that mention it."):
                timeline(periods)

    def _maybe(self, found: list[views.Maybe]) -> None:
        with section("May also be"):
            listed(found[:FEW_ROWS], self._may_be, "There are no other candidates.")

    def _may_be(self, each: views.Maybe) -> None:
        line = each.line
        with tag("div", classes="x-line"):
            link(line.name, identity_url(line.id), "x-name x-strong")
            if line.descriptor:
                tag("span", line.descriptor, "x-descriptor x-small")
        doubtful = f"{counted(each.profiles, 'passage')} may belong to either"
        reason = doubtful if each.reason == "shared" else "has the same name"
        summary = joined(reason, counted(line.documents, "document"), years(line.first_year, line.last_year))
        tag("p", summary, "x-soft x-small").style("margin: .1rem 0 .3rem")
        with tag("div", classes="x-line x-small"):
            if each.a:
                address = page_url("why", a=each.a, b=each.b, identity=None if each.b else line.id)
                link("Why?", address, aria_label=f"Why is {line.name} somebody else?")
            if not self.session.read_only:
                same = partial(corrections.merge_two, self.session, self.line, line)
                button("Same …", same, "x-link", aria_label=f"{line.name} is the same")
                different = partial(corrections.separate, self.session, self.line, each)
                button("Different …", different, "x-link", aria_label=f"{line.name} is somebody else")

    def _related(self, found: list[views.Related]) -> None:
        with section("Seen with", note="Click a dot to open it; thicker lines mean more shared documents."):
            if found:
                with tag("div", classes="x-pan"):
                    NetworkGraph(f"Who is seen with {self.line.name}", STAR_SIZE, *star(self.line, found, *STAR_SIZE))
            else:
                remark("Its documents mention nobody else.")

    def _read_history(self) -> list[tuple[Event, corrections.Sentence]]:
        latest = self.session.reader.history(self.line.id)[: -MOST_EVENTS - 1 : -1]
        return corrections.events_with_sentences(self.session, latest)

    def _history(self, events: list[tuple[Event, corrections.Sentence]]) -> None:
        with section("History"):
            listed(events, corrections.show_event, "Nothing has changed since it first appeared.")
