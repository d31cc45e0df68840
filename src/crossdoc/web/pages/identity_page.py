"""The page of one identity: names, facts, members, documents, related identities, candidates, history."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from urllib.parse import quote

from fastapi import Request
from fastapi.responses import StreamingResponse
from nicegui import app, ui

from crossdoc import errors
from crossdoc.model.partition import Event
from crossdoc.store.views import (
    Card,
    DocumentLine,
    DocumentView,
    FactLine,
    Line,
    Maybe,
    MemberLine,
    Related,
    RelationLine,
)
from crossdoc.web.downloads import MOST_EXPORTED, as_csv, downloaded
from crossdoc.web.look import counted, how_sure, sureness, years
from crossdoc.web.pages import correction_dialogs as corrections
from crossdoc.web.pages.layout import PAGE_PATIENCE, frame, not_found, on_new_version
from crossdoc.web.parts.basics import (
    Later,
    Lines,
    bar,
    button,
    folded,
    in_thread,
    joined,
    link,
    listed,
    remark,
    section,
    sure_word,
    tag,
    type_chip,
)  # fmt: skip
from crossdoc.web.parts.evidence_bars import in_order, kind_word, relation_word
from crossdoc.web.parts.marked_text import Text, marked, pieces
from crossdoc.web.parts.network_graph import AROUND, NetworkGraph, star, timeline
from crossdoc.web.session import Session, document_url, identity_url, why_identity_url, why_url

ROWS_AT_ONCE = 25
MEMBER_CSV = ("profile", "document", "title", "date", "name", "membership", "snippet")
FEW_ROWS = 6
FEW_FACTS = 3
STAR_SIZE = (840, 380)
"""Pixels; width and height."""


def register(session: Session) -> None:
    @ui.page("/identity", response_timeout=PAGE_PATIENCE)
    async def identity(request: Request, id: str = "") -> None:
        try:
            card = await in_thread(session.reader.identity, id)
        except errors.CrossdocError as error:
            await _gone(session, id, error)
            return
        with frame(session, card.line.name, wide=True):
            await _Identity(session, card).show()
        on_new_version(session)

    @app.get("/identity.csv")
    def identity_table(id: str) -> StreamingResponse:
        card = session.reader.identity(id)
        rows = session.reader.members(card.line.id, 0, MOST_EXPORTED)
        return downloaded(as_csv(rows, MEMBER_CSV), f"{card.line.name}.csv")


async def _gone(session: Session, id: str, error: errors.CrossdocError) -> None:
    """Show the identities that replaced an id, or that there are none."""
    now = [] if not id else await in_thread(session.reader.successors, id)
    if not now:
        not_found(session, "There is no such identity.", error.what)
        return
    lines = await in_thread(session.reader.catalogue.lines, now)
    with frame(session, "Split"):
        tag("h1", "This identity was split", "x-title")
        tag("p", "Choose one of the identities that it became.", "x-lede").style("margin-bottom: 1.5rem")
        Lines([lines[each] for each in now if each in lines], "What it became")


class _Identity:
    def __init__(self, session: Session, card: Card) -> None:
        self.session, self.card, self.line = session, card, card.line
        self.chosen: dict[str, bool] = {}
        """Profiles that are selected in the list of members."""
        self.later = Later()

    async def show(self) -> None:
        reader, id = self.session.reader, self.line.id
        self._head()
        with tag("div", classes="x-columns x-beside"):
            with tag("div", classes="x-stack"):
                self._show_facts()
                with section("Where it is found", note="Most certain first."):
                    self.later.put(partial(reader.members, id, 0, ROWS_AT_ONCE + 1), partial(self._members, 0), "20rem")
                self.later.put(partial(reader.related, id, AROUND), self._related, "20rem")
                with section("Documents", note="Earliest first. Open one to read it with every mention highlighted."):
                    self.later.put(
                        partial(reader.documents_of, id, 0, ROWS_AT_ONCE + 1), partial(self._documents, 0), "10rem"
                    )
            with tag("aside", classes="x-stack x-flow", aria_label="More about it"):
                self.later.put(partial(reader.maybe, id), self._maybe)
                self.later.put(partial(reader.timeline, id), self._timeline)
                self.later.put(partial(reader.history, id), self._history)
        await self.later.shown()

    def _head(self) -> None:
        line = self.line
        with tag("div", classes="x-stack").style("margin-bottom: 1.5rem; gap: .6rem"):
            if self.card.asked:
                remark(f"{self.card.asked} is now part of this identity.", "x-note")
            with tag("div", classes="x-line"):
                type_chip(line.type)
                sure_word(line.certainty)
                if self.card.known is not None:
                    tag("span", "in the known list", "x-known", title=self.card.known.id)
            with tag("div"):
                tag("h1", line.name, "x-title x-name")
                if line.descriptor:
                    tag("p", line.descriptor, "x-lede")
            sizes = counted(line.documents, "document"), counted(line.mentions, "mention")
            remark(joined(*sizes, years(line.first_year, line.last_year)), "x-soft x-number")
            with tag("div", classes="x-line x-no-print"):
                if not self.session.read_only:
                    corrections.identity_actions(self.session, line, self._ticked)
                address = f"/identity.csv?id={quote(line.id, safe='')}"
                link("Download as a table", address, "x-button x-small", download=True)
                tag("button", "Print", "x-button x-small", type="button").on("click", js_handler="() => window.print()")

    def _ticked(self) -> list[str]:
        return [profile for profile, on in self.chosen.items() if on]

    def _show_facts(self) -> None:
        card = self.card
        with section("Goes by"), tag("div", classes="x-line"):
            for name, n in card.variants[: 4 * FEW_ROWS]:
                with tag("span", classes="x-chip"):
                    tag("span", name, "x-name")
                    tag("small", f"{n:,}", title=counted(n, "time"))
            if len(card.variants) > 4 * FEW_ROWS:
                tag("span", f"and {len(card.variants) - 4 * FEW_ROWS} more", "x-soft x-small")
        if card.known is not None:
            with section("In the known list"):
                remark(card.known.name, "x-name").style("font-weight: 600")
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
            folded(rows[few:], show, f"{len(rows) - few} more")

    def _fact(self, fact: FactLine) -> None:
        with tag("div", classes="x-line"):
            tag("span", fact.value, "x-name").style("font-weight: 600")
            self._times(fact.count)
        self._quote(fact.sentence, fact.document, fact.value)

    def _relation(self, relation: RelationLine) -> None:
        with tag("div", classes="x-line"):
            tag("span", relation_word(relation.type), "x-soft")
            if relation.identity:
                link(relation.name, identity_url(relation.identity), "x-name").style("font-weight: 600")
            else:
                tag("span", relation.name, "x-name").style("font-weight: 600")
            self._times(relation.count)
        self._quote(relation.evidence, relation.document, relation.name)

    def _times(self, count: int) -> None:
        if count > 1:
            tag("span", counted(count, "time"), "x-soft x-small")

    def _quote(self, sentence: str, document: str | None, word: str) -> None:
        with tag("p", classes="x-quote"):
            at = sentence.casefold().find(word.casefold())
            if sentence:
                Text(marked(sentence, [(at, at + len(word))] if at >= 0 else []), inline=True)
                tag("span", " ")
            if document:
                link(document, document_url(document, self.line.id), "x-small")

    def _members(self, offset: int, members: list[MemberLine]) -> None:
        others = [member for member in members[:ROWS_AT_ONCE] if not member.first]
        listed((member for member in members[:ROWS_AT_ONCE] if member.first), self._member)
        if others:
            summary = f"{counted(len(others), 'passage')} that may mean it, but more likely somebody else"
            folded(others, self._member, summary)
        self._more(members, self.session.reader.members, self._members, offset)

    def _member(self, member: MemberLine) -> None:
        writable = not self.session.read_only
        with tag("div", classes="x-member" + ("" if writable else " x-plain")):
            if writable:
                tick = tag(
                    "input", type="checkbox", aria_label=f"Choose {member.name} in {member.title or member.document}"
                )
                tick.on("change", partial(self._tick, member.profile), js_handler="(e) => emit(e.target.checked)")
            with tag("div", classes="x-certain"):
                word = how_sure(member.membership)
                tag("span", word, f"x-sure-{sureness(member.membership)}", title=f"{member.membership:.0%} likely")
                bar(member.membership, f"{word}, {member.membership:.0%}", member.membership)
            with tag("div"):
                with tag("div"):
                    Text(marked(member.snippet, [member.marked] if member.marked else []), inline=True)
                with tag("div", classes="x-line x-small"):
                    link(member.title or member.document, document_url(member.document, self.line.id), "x-name")
                    if member.date:
                        tag("span", member.date, "x-soft x-number")
                    label = f"Why {member.name} in {member.document}?"
                    link("Why?", why_identity_url(member.profile, self.line.id), aria_label=label)
                    if writable:
                        corrections.member_actions(self.session, self.line, member)

    def _tick(self, profile: str, event: Any) -> None:
        self.chosen[profile] = bool(event.args)

    def _documents(self, offset: int, documents: list[DocumentLine]) -> None:
        listed(documents[:ROWS_AT_ONCE], self._document, "The documents are not stored.", "x-rows x-close")
        self._more(documents, self.session.reader.documents_of, self._documents, offset)

    def _document(self, document: DocumentLine) -> None:
        with tag("details", classes="x-folding") as box:
            with tag("summary"):
                tag("span", document.title or document.id, "x-name").style("font-weight: 600")
                names = counted(document.mentions, "mention"), ", ".join(document.names[:3])
                tag("span", joined(document.date, document.source, *names), "x-soft x-small x-number")
            inside = tag("div").style("padding: .25rem 0 1rem 1.2rem")
        opened = False

        async def unfold() -> None:
            nonlocal opened
            if opened:
                return
            opened = True
            with inside:
                later = Later()
                later.put(partial(self.session.reader.document, document.id), self._text, "12rem")
                await later.shown()

        box.on("toggle", unfold)

    def _text(self, view: DocumentView) -> None:
        Text(pieces(view.text, view.spans, self.line.id))
        link("Open on its own", document_url(view.id, self.line.id), "x-small")

    def _more(
        self, rows: Sequence[Any], load: Callable[[str, int, int], Any], show: Callable[[int, Any], None], offset: int
    ) -> None:
        """Offer the rows after `offset` and the shown ones, if there are more."""
        after = offset + ROWS_AT_ONCE
        if len(rows) <= ROWS_AT_ONCE:
            return
        place = tag("div", classes="x-stack")

        async def go_on() -> None:
            place.clear()
            with place:
                later = Later()
                later.put(partial(load, self.line.id, after, ROWS_AT_ONCE + 1), partial(show, after))
                await later.shown()

        with place:
            button("Show more", go_on)

    def _timeline(self, periods: list[tuple[str, int]]) -> None:
        if periods:
            with section("Over time", note="Documents that mention it."):
                timeline(periods)

    def _maybe(self, found: list[Maybe]) -> None:
        with section("May also be"):
            listed(found[:FEW_ROWS], self._may_be, "There are no other candidates.")

    def _may_be(self, each: Maybe) -> None:
        line = each.line
        with tag("div", classes="x-line"):
            link(line.name, identity_url(line.id), "x-name").style("font-weight: 600")
            if line.descriptor:
                tag("span", line.descriptor, "x-descriptor x-small")
        doubtful = f"{counted(each.profiles, 'passage')} may belong to either"
        reason = doubtful if each.reason == "shared" else "has the same name"
        summary = joined(reason, counted(line.documents, "document"), years(line.first_year, line.last_year))
        tag("p", summary, "x-soft x-small").style("margin: .1rem 0 .3rem")
        with tag("div", classes="x-line x-small"):
            if each.a:
                address = why_url(each.a, each.b) if each.b else why_identity_url(each.a, line.id)
                link("Why?", address, aria_label=f"Why is {line.name} somebody else?")
            if not self.session.read_only:
                corrections.maybe_actions(self.session, self.line, each)

    def _related(self, found: list[Related]) -> None:
        with section("Seen with", note="Click a dot to go there; thicker lines mean more shared documents."):
            if not found:
                remark("Its documents mention nobody else.")
                return
            trail = tag("div", classes="x-trail")
            with tag("div", classes="x-pan"):
                graph = NetworkGraph(f"Who is seen with {self.line.name}", *STAR_SIZE, walkable=True)
            _GraphWalk(self.session, trail, graph, self.line, found)

    def _history(self, events: list[Event]) -> None:
        def show(event: Event) -> None:
            tag("div", event_in_words(event, self.line.id)).style("font-weight: 550")
            tag("div", joined(event.when[:10], event.cause), "x-soft x-small")

        with section("History"):
            listed(events[: -2 * FEW_ROWS - 1 : -1], show, "Nothing has changed since it first appeared.")


class _GraphWalk:
    """A graph of related identities that can be walked through, with the trail of visited ones."""

    def __init__(
        self, session: Session, trail: ui.element, graph: NetworkGraph, line: Line, found: list[Related]
    ) -> None:
        self.session, self.trail, self.graph = session, trail, graph
        self.been = [line]
        graph.on("walk", lambda event: self._to(str(event.args)))
        self._show(line, found)

    async def _to(self, id: str) -> None:
        lines = await in_thread(self.session.reader.catalogue.lines, [id])
        found = await in_thread(self.session.reader.related, id, AROUND)
        if id not in lines:
            return
        ids = [line.id for line in self.been]
        self.been = self.been[: ids.index(id)] if id in ids else self.been
        self.been.append(lines[id])
        self._show(lines[id], found)

    def _show(self, line: Line, found: list[Related]) -> None:
        self.graph.show(*star(line, found, *STAR_SIZE))
        self.trail.clear()
        with self.trail:
            for at, each in enumerate(self.been):
                if at:
                    tag("span", "›", "x-soft", aria_hidden="true")
                if at < len(self.been) - 1:
                    button(each.name, partial(self._to, each.id), "x-chip")
                else:
                    tag("strong", each.name, "x-name")
            if len(self.been) > 1:
                link("open", identity_url(line.id), aria_label=f"Open {line.name}")


def event_in_words(event: Event, id: str) -> str:
    """Return an event as a sentence about the identity `id`.

    >>> event_in_words(Event("b", "merged", "a", 3), "a"), event_in_words(Event("b", "merged", "a", 3), "b")
    ('b was merged into this one (3 passages)', 'It was merged into a (3 passages)')
    """
    some = f" ({counted(event.profiles, 'passage')})" if event.profiles else ""
    own, other = event.id == id, "this one" if event.other == id else event.other
    subject = "It" if own else event.id
    words = {
        "appeared": f"{subject} appeared",
        "split": f"{subject} was split off from {other}",
        "moved": f"{counted(event.profiles, 'passage')} moved from {'here' if own else event.id} to {other}",
        "merged": f"{subject} was merged into {other}",
        "vanished": f"{subject} vanished",
    }
    return words[event.what] + ("" if event.what == "moved" else some)
