"""The log page: all judgements with authors and reasons, newest first, with undo; and the events of identities."""

from __future__ import annotations

from functools import partial

from nicegui import ui

from crossdoc.store.judgement_log import Entry
from crossdoc.store.views import LogLine
from crossdoc.web.look import counted
from crossdoc.web.pages import correction_dialogs as corrections
from crossdoc.web.pages.layout import PAGE_PATIENCE, frame, on_new_version
from crossdoc.web.parts import basics
from crossdoc.web.parts.basics import button, cleared, in_thread, joined, link, tag
from crossdoc.web.session import Session

ENTRIES_AT_ONCE = 50
ACTS = {"judge": "Judged", "merge": "Merged", "split": "Split off", "rename": "Renamed", "undo": "Undone"}


def register(session: Session) -> None:
    @ui.page("/corrections", response_timeout=PAGE_PATIENCE)
    async def log() -> None:
        with frame(session, "Corrections", "Corrections"):
            await _Log(session).show()


def entry_in_words(entry: Entry) -> str:
    """Return an entry in words.

    >>> from crossdoc.model import Judgement
    >>> from crossdoc.store.judgement_log import ProfilePlace
    >>> places = {"a": ProfilePlace("d1", "Ann Lee"), "b": ProfilePlace("d2", "A. Lee")}
    >>> entry_in_words(Entry(1, "judge", "Ada", "", "", (Judgement("a", "b", "different"),), places=places))
    'Ann Lee in d1 and A. Lee in d2 are different'
    >>> entry_in_words(Entry(2, "rename", "Ada", "", "", profile="a", name="Ann L. Lee", places=places))
    'Ann Lee in d1 is called “Ann L. Lee”'
    """

    def place(id: str) -> str:
        return str(entry.places[id]) if id in entry.places else id

    if entry.act == "rename":
        return f"{place(entry.profile or '')} is called “{entry.name}”"
    if entry.act == "undo":
        return f"Entry {entry.undoes} no longer holds"
    if len(entry.judgements) == 1:
        judgement = entry.judgements[0]
        verdict = "the same" if judgement.verdict == "same" else "different"
        return f"{place(judgement.a)} and {place(judgement.b)} are {verdict}"
    if entry.act == "split":
        apart = [judgement.b for judgement in entry.judgements if judgement.verdict == "same"]
        first = entry.judgements[0].a
        rest = sum(judgement.verdict == "different" for judgement in entry.judgements)
        more = f" and {counted(len(apart), 'other passage')}" if apart else ""
        return f"{place(first)}{more} split off from {counted(rest, 'passage')}"
    places = sorted(entry.about, key=lambda id: id != (entry.judgements[0].a if entry.judgements else ""))
    shown = ", ".join(place(id) for id in places[:3])
    return f"{counted(len(places), 'passage')} are one: {shown}" + (" …" if len(places) > 3 else "")


class _Log:
    def __init__(self, session: Session) -> None:
        self.session = session
        self.shown = ENTRIES_AT_ONCE
        self.all = False

    async def show(self) -> None:
        tag("h1", "Corrections", "x-title")
        tag("p", "What people decided, and why. Nothing is lost: undone entries stay here.", "x-lede")
        self.body = tag("div", classes="x-stack").style("margin-top: 1.5rem")
        self.history = tag("div").style("margin-top: 1.5rem")
        await self.refresh()
        on_new_version(self.session, self.refresh)

    async def refresh(self) -> None:
        await self._happened()
        lines: list[LogLine] = await in_thread(self.session.reader.log)
        undone = {line.entry.undoes: line.entry for line in lines if line.entry.undoes is not None}
        acts = [line for line in lines if line.entry.act != "undo" and (self.all or line.standing)]
        with cleared(self.body):
            if not lines:
                hint = "Open an identity to merge, split or rename it, or answer some questions."
                with basics.empty("Nothing has been corrected yet", hint):
                    if not self.session.read_only:
                        link("Answer questions", "/review", "x-button x-primary")
                return
            if undone:
                basics.check(f"Also show what was undone ({len(undone):,})", self._switch, checked=self.all)
            with tag("ol", classes="x-list", aria_label="Corrections"):
                for line in acts[: self.shown]:
                    self._entry(line, undone.get(line.entry.number))
            if len(acts) > self.shown:
                button("Show more", self._more)

    def _entry(self, line: LogLine, taken_back: Entry | None) -> None:
        entry = line.entry
        with tag("li", classes="x-item x-line x-apart x-top-aligned"):
            with tag("div", classes="x-grow"):
                with tag("div", classes="x-line"):
                    tag("span", ACTS[entry.act], "x-type x-other")
                    tag("span", entry_in_words(entry), "x-name" + ("" if line.standing else " x-struck"))
                if entry.why:
                    tag("div", f"“{entry.why}”", "x-name")
                author = joined(entry.who or "somebody", basics.time_of(entry.when), f"entry {entry.number}")
                tag("div", author, "x-soft x-small x-name")
                if taken_back is not None:
                    why = f": “{taken_back.why}”" if taken_back.why else ""
                    by = f"Undone by {taken_back.who or 'somebody'}, {taken_back.when[:10]}{why}"
                    tag("div", by, "x-small x-sure-1 x-name")
            if line.standing and not self.session.read_only:
                undo = partial(
                    corrections.undo, self.session, entry.number, f"{entry_in_words(entry)}: this will no longer hold."
                )
                button("Undo …", undo, "x-button x-small x-no-print", aria_label=f"Undo entry {entry.number}")

    async def _happened(self) -> None:
        events = (await in_thread(self.session.reader.history))[-ENTRIES_AT_ONCE:][::-1]
        lines = await in_thread(corrections.events_with_sentences, self.session, events)
        with cleared(self.history):
            if events:
                with basics.section("What happened", note="Latest first."):
                    basics.listed(lines, corrections.show_event)

    async def _switch(self, on: bool) -> None:
        self.all = on
        await self.refresh()

    async def _more(self) -> None:
        self.shown += ENTRIES_AT_ONCE
        await self.refresh()
