"""Corrections: merge, split off, same, different, rename, undo, each with a reason; the changes are shown.

A correction that contradicts earlier judgements is not written. The chain of these judgements is shown with their
authors, and each can be undone from there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from nicegui import ui

from crossdoc import errors
from crossdoc.model import Verdict
from crossdoc.model.partition import Event
from crossdoc.run.revise import Change
from crossdoc.store.views import Line, Maybe
from crossdoc.web.changes import Act, ChainStep, Order, Refusal
from crossdoc.web.look import counted
from crossdoc.web.pages.layout import seen, who_judges
from crossdoc.web.parts import basics
from crossdoc.web.parts.basics import button, cleared, dialog_box, in_thread, joined, named_in, remark, show_error, tag
from crossdoc.web.session import Session, identity_url

MERGE_CHOICES = 8
"""Identities that are offered for a merge."""
MOST_CHANGES_SHOWN = 12
"""Sentences about changes."""
NO_CHANGE = "It counts from now on. The identities did not change."
VERDICTS: dict[Verdict, str] = {"same": "They are the same", "different": "They are different"}
Sentence = list[tuple[str, str]]
"""Pieces of text, each with an address or an empty string."""
NamedStep = tuple[ChainStep, str, str]
"""A judgement of a contradiction, with the names of its profiles."""


async def judge(session: Session, a: str, b: str, verdict: Verdict, then: str = "") -> None:
    left, right = await in_thread(lambda: (session.reader.profile(a), session.reader.profile(b)))
    what = f"{named_in(left)}, and {named_in(right)}."
    await Correction(session, VERDICTS[verdict], what, "judge", (a, b, verdict), then).ask()


async def separate(session: Session, line: Line, maybe: Maybe) -> None:
    """Judge two identities to be different, by their doubtful profiles or else by their most certain ones."""

    def surest(id: str) -> str:
        return session.reader.members(id, 0, 1)[0].profile

    a, b = await in_thread(lambda: (maybe.a or surest(line.id), maybe.b or surest(maybe.line.id)))
    await judge(session, a, b, "different")


async def merge_two(session: Session, line: Line, other: Line) -> None:
    what = f"{_quoted(line)} and {_quoted(other)} become one: all their passages are about the same."
    await Correction(session, VERDICTS["same"], what, "merge", (line.id, other.id)).ask()


async def merge(session: Session, line: Line) -> None:
    """Choose another identity and merge the two."""
    other = await _choose(session, line)
    if other is not None:
        await merge_two(session, line, other)


async def split_off(session: Session, line: Line, profiles: list[str], name: str = "") -> None:
    if not profiles:
        with dialog_box("Which ones?") as dialog:
            tag("h2", "Which ones?", "x-heading")
            remark("Under “Where it is found”, tick the passages that are somebody else, then press this again.", "")
            with tag("div", classes="x-dialog-foot"):
                button("OK", dialog.close, "x-button x-primary", autofocus=True)
        dialog.open()
        return
    who_is = f"“{name}”" if name else counted(len(profiles), "chosen passage")
    what = f"{who_is} {'is' if len(profiles) == 1 else 'are'} not {_quoted(line)}, but somebody else."
    await Correction(session, "Split off", what, "split", (line.id, profiles)).ask()


async def rename(session: Session, line: Line) -> None:
    what = f"{_quoted(line)} gets another name."
    await Correction(session, "Rename", what, "rename", (line.id,), present_name=line.name).ask()


async def undo(session: Session, number: int, what: str) -> None:
    await Correction(session, "Undo", what, "undo", (number,)).ask()


def _quoted(line: Line) -> str:
    return f"“{line.name}”" + (f" ({line.descriptor})" if line.descriptor else "")


@dataclass
class Correction:
    """A dialog that asks for the reason, carries out the order and shows its outcome."""

    session: Session
    title: str
    what: str
    act: Act
    arguments: tuple[Any, ...]
    then: str = ""
    """The page to show afterwards; if empty, the page is reloaded."""
    present_name: str | None = None
    """For an order whose last argument is a new name."""
    why: str = ""
    before: list[Sentence] = field(default_factory=list)
    """Changes by an undo that this correction needed."""

    async def ask(self) -> None:
        who = await who_judges()
        if who is None:
            return
        self.who = who
        self.client = ui.context.client
        with dialog_box(self.title) as self.dialog:
            self.box = tag("div", classes="x-stack")
        self.dialog.props("no-backdrop-dismiss")
        with self.box, basics.form(self._submitted):
            tag("h2", self.title, "x-heading")
            remark(self.what, "x-name")
            if self.present_name is not None:
                name = basics.field("Name", self.present_name, name="name", maxlength=300, required=True)
                name.props.update({"autocomplete": "off", "autofocus": ""})
            hint = "For others, and for you in a year"
            why = basics.field("Why?", name="why", maxlength=1000, placeholder=hint, autocomplete="off")
            why.props.set_bool("autofocus", self.present_name is None)
            with tag("div", classes="x-dialog-foot"):
                button("Cancel", self.dialog.close)
                tag("button", self.title, "x-button x-primary", type="submit")
        self.dialog.open()

    async def _submitted(self, given: dict[str, str]) -> None:
        self.why = given.get("why", "")
        if self.present_name is not None:
            self.arguments = (*self.arguments, given.get("name", ""))
        await self._carry_out()

    async def _carry_out(self) -> None:
        order = await self._ordered(self.act, *self.arguments, why=self.why)
        if order is not None:
            await self._done(order)

    async def _ordered(self, act: Act, *arguments: Any, why: str) -> Order | None:
        """Return a change that was carried out; show why it was refused, and return None."""
        with cleared(self.box):
            basics.waiting("One moment …")
        self.client.storage["correcting"] = True
        try:
            order = await finished(self.session.writable().order(act, *arguments, who=self.who, why=why))
            refusal = order.refusal
        except errors.CrossdocError as error:
            refusal = Refusal(error.what, error.hint)
        finally:
            # If the dialog was closed meanwhile, the page itself reports the change.
            if not self.dialog.is_deleted:
                with self.client:
                    seen(self.session)
            self.client.storage["correcting"] = False
        if refusal is not None:
            await self._refused(refusal)
        return None if refusal is not None or self.dialog.is_deleted else order

    async def _done(self, order: Order) -> None:
        assert order.change is not None
        lines = self.before + await in_thread(event_sentences, self.session, order.change.events)
        with cleared(self.box):
            tag("h2", "Done", "x-heading")
            with tag("div", classes="x-good", role="status"):
                if order.act == "rename":
                    remark(f"It is now called “{self.arguments[-1]}”.", "x-name")
                show_changes(lines)
            show_notes(order.change)
            with tag("div", classes="x-dialog-foot"):
                if order.change.entry is not None and order.act != "undo":
                    button("Undo", partial(self._undo, order.change.entry))
                button("Continue", self._leave, "x-button x-primary", autofocus=True)

    async def _undo(self, entry: int) -> None:
        self.before = []
        self.act, self.arguments, self.why = "undo", (entry,), "undone at once"
        await self._carry_out()

    async def _refused(self, refusal: Refusal) -> None:
        if self.dialog.is_deleted:
            return
        steps = await in_thread(named_steps, self.session, refusal.chain)
        with cleared(self.box):
            tag("h2", "This is a contradiction" if steps else "This was not done", "x-heading")
            show_error(replace(refusal, hint="Nothing was written. " + refusal.hint))
            if steps:
                show_chain(steps, self._take_back)
            with tag("div", classes="x-dialog-foot"):
                button("Close", self.dialog.close)

    async def _take_back(self, number: int) -> None:
        """Undo an earlier entry, and repeat this correction."""
        why = f"instead: {self.why}" if self.why else "contradicted"
        order = await self._ordered("undo", number, why=why)
        if order is not None:
            self.before += await in_thread(event_sentences, self.session, (order.change or Change()).events)
            await self._carry_out()

    def _leave(self) -> None:
        self.dialog.close()
        if self.then:
            ui.navigate.to(self.then)
        else:
            ui.navigate.reload()


async def finished(order: Order) -> Order:
    """Wait for an order without blocking the page."""
    return await asyncio.wrap_future(order.finished)


async def _choose(session: Session, line: Line) -> Line | None:
    """Let the reviewer search for another identity by name."""
    # Other forms of the name usually have the same last word.
    begin = (line.name.split() or [""])[-1]
    with dialog_box("Who else is it?") as dialog:
        tag("h2", "Who else is it?", "x-heading")
        remark(f"{_quoted(line)} is the same as:")
        box = tag("input", classes="x-input", type="search", aria_label="A name", placeholder="A name", autofocus=True)
        box.props["^value"] = begin
        found = tag("ul", classes="x-list", aria_live="polite").style("max-height: 50vh; overflow: auto")
        with tag("div", classes="x-dialog-foot"):
            button("Cancel", lambda: dialog.submit(None))

    async def look(text: str) -> None:
        page = await in_thread(session.reader.search, text, limit=MERGE_CHOICES + 1)
        rows = [row for row in page.rows if row.id != line.id][:MERGE_CHOICES]
        with cleared(found):
            for row in rows:
                with tag("li"), button("", partial(dialog.submit, row), "x-item x-choice"):
                    with tag("span", classes="x-line"):
                        tag("strong", row.name, "x-name")
                        basics.type_chip(row.type)
                    tag("span", joined(row.descriptor, counted(row.documents, "document")), "x-soft x-small")
            if not rows:
                tag("li", "Nobody has this name. Try a part of it.", "x-item x-soft")

    box.on("input", lambda event: look(str(event.args)), throttle=0.15, js_handler=basics.EMIT_VALUE)
    await look(begin)
    chosen: Line | None = await dialog
    return chosen


def event_sentences(session: Session, events: Sequence[Event]) -> list[Sentence]:
    ids = {id for event in events for id in (event.id, event.other) if id}
    names = {id: line.name for id, line in session.reader.lines(sorted(ids)).items()}
    present = set(names)
    for id in ids - present:
        # The id of a removed identity is the id of one of its profiles.
        with suppress(errors.CrossdocError):
            names[id] = session.reader.profile(id).name
    return [_sentence(event, names, present) for event in events]


def _sentence(event: Event, names: dict[str, str], present: set[str]) -> Sentence:
    def named(id: str | None) -> tuple[str, str]:
        return names.get(id or "", id or ""), identity_url(id) if id in present else ""

    it, other, some = named(event.id), named(event.other), counted(event.profiles, "passage")
    sentences: dict[str, Sentence] = {
        "appeared": [it, (f" appeared ({some})", "")],
        "split": [it, (f" ({some}) was split off from ", ""), other],
        "moved": [(f"{some} moved from ", ""), it, (" to ", ""), other],
        "merged": [it, (f" ({some}) was merged into ", ""), other],
        "vanished": [it, (" no longer exists", "")],
    }
    return sentences[event.what]


def events_with_sentences(session: Session, events: Sequence[Event]) -> list[tuple[Event, Sentence]]:
    return list(zip(events, event_sentences(session, events), strict=True))


def show_event(row: tuple[Event, Sentence]) -> None:
    event, sentence = row
    with tag("div"):
        show_sentence(sentence)
    tag("div", joined(basics.time_of(event.when), event.cause), "x-soft x-small x-name")


def show_changes(lines: list[Sentence], nothing: str = NO_CHANGE) -> None:
    if not lines:
        remark(nothing, "")
    with tag("ul", classes="x-plain-list"):
        for line in lines[:MOST_CHANGES_SHOWN]:
            with tag("li"):
                show_sentence(line)
        if len(lines) > MOST_CHANGES_SHOWN:
            tag("li", f"and {len(lines) - MOST_CHANGES_SHOWN:,} more", "x-soft")


def show_sentence(line: Sentence) -> None:
    for text, href in line:
        if href:
            basics.link(text, href, "x-name")
        else:
            tag("span", text, "x-name")


def show_notes(change: Change) -> None:
    for note in change.notes:
        remark(note[:1].upper() + note[1:], "x-soft x-small")


def named_steps(session: Session, chain: tuple[ChainStep, ...]) -> list[NamedStep]:
    def place(id: str) -> str:
        try:
            return named_in(session.reader.profile(id))
        except errors.CrossdocError:
            return id

    return [(step, place(step.a), place(step.b)) for step in chain]


def show_chain(steps: list[NamedStep], take_back: Callable[[int], Awaitable[None]] | None = None) -> None:
    """Show the judgements of a contradiction with their authors, the new one last."""
    offered: set[int] = set()
    with tag("ol", classes="x-chain", aria_label="Earlier judgements"):
        for step, a, b in steps:
            who = step.who or "somebody"
            with tag("li", classes="" if step.number else "x-now"):
                with tag("div"):
                    tag("strong", a, "x-name")
                    tag("span", " is the same as " if step.verdict == "same" else " is not the same as ")
                    tag("strong", b, "x-name")
                with tag("div", classes="x-line x-soft x-small"):
                    reason = f": “{step.why}”" if step.why else ""
                    by = f"{who} on {step.when[:10]}{reason}" if step.number else "your new judgement"
                    tag("span", by, "x-name" if step.number else "")
                    if take_back is not None and step.number is not None and step.number not in offered:
                        offered.add(step.number)
                        label = f"Undo entry {step.number} of {who} and continue"
                        undo = partial(take_back, step.number)
                        button("Undo this and continue", undo, "x-button x-small", aria_label=label)
