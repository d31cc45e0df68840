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
from crossdoc.store.views import Line, Maybe, MemberLine
from crossdoc.web.changes import ChainStep, Changes, Order, Refusal
from crossdoc.web.look import counted
from crossdoc.web.pages.layout import seen, who_judges
from crossdoc.web.parts.basics import button, in_thread, joined, link, remark, show_error, tag, type_chip
from crossdoc.web.session import Session, identity_url

MERGE_CHOICES = 8
"""Identities that are offered for a merge."""
MOST_CHANGES_SHOWN = 12
"""Sentences about changes."""
NO_CHANGE = "It counts from now on. The identities did not change."
Say = Callable[[str, str], Order]
"""Takes the name of the reviewer and the reason, and returns the order."""


def identity_actions(session: Session, line: Line, ticked: Callable[[], list[str]]) -> None:
    """Show buttons for an identity; `ticked` returns the selected profiles."""
    _changes(session).get_ready()
    button("Merge with …", partial(merge, session, line), "x-button x-small")
    button("Split off …", lambda: split_off(session, line, ticked()), "x-button x-small")
    button("Rename …", partial(rename, session, line), "x-button x-small")


def member_actions(session: Session, line: Line, member: MemberLine) -> None:
    """Show buttons for one profile of an identity."""
    label = f"{member.name} in {member.title or member.document} is somebody else"
    split = partial(split_off, session, line, [member.profile], member.name)
    button("Somebody else …", split, "x-link", aria_label=label)


def maybe_actions(session: Session, line: Line, maybe: Maybe) -> None:
    """Show buttons for a candidate identity."""
    name = maybe.line.name
    button("Same …", partial(merge_two, session, line, maybe.line), "x-link", aria_label=f"{name} is the same")
    button("Different …", partial(separate, session, line, maybe), "x-link", aria_label=f"{name} is somebody else")


async def judge(session: Session, a: str, b: str, verdict: Verdict, then: str = "") -> None:
    """Judge two profiles to be the same or different."""
    title = {"same": "They are the same", "different": "They are different"}[verdict]
    left, right = await in_thread(lambda: (session.reader.profile(a), session.reader.profile(b)))
    what = f"{left.name} in {left.title or left.document}, and {right.name} in {right.title or right.document}."
    say: Say = lambda who, why: _changes(session).judge(a, b, verdict, who=who, why=why)  # noqa: E731
    await Correction(session, title, what, say, then).ask()


async def separate(session: Session, line: Line, maybe: Maybe) -> None:
    """Judge two identities to be different, by their doubtful profiles or else by their most certain ones."""

    def surest(id: str) -> str:
        return session.reader.members(id, 0, 1)[0].profile

    a, b = await in_thread(lambda: (maybe.a or surest(line.id), maybe.b or surest(maybe.line.id)))
    await judge(session, a, b, "different")


async def merge_two(session: Session, line: Line, other: Line) -> None:
    what = f"{_quoted(line)} and {_quoted(other)} become one: all their passages are about the same."
    say: Say = lambda who, why: _changes(session).merge(line.id, other.id, who=who, why=why)  # noqa: E731
    await Correction(session, "They are the same", what, say).ask()


async def merge(session: Session, line: Line) -> None:
    """Choose another identity and merge the two."""
    other = await _choose(session, line)
    if other is not None:
        await merge_two(session, line, other)


async def split_off(session: Session, line: Line, profiles: list[str], name: str = "") -> None:
    """Split profiles off an identity."""
    if not profiles:
        _inform(
            "Which ones?", "Under “Where it is found”, tick the passages that are somebody else, then press this again."
        )
        return
    who_is = f"“{name}”" if name else counted(len(profiles), "chosen passage")
    what = f"{who_is} {'is' if len(profiles) == 1 else 'are'} not {_quoted(line)}, but somebody else."
    await Correction(
        session, "Split off", what, lambda who, why: _changes(session).split(line.id, profiles, who=who, why=why)
    ).ask()


async def rename(session: Session, line: Line) -> None:
    asked = Correction(session, "Rename", f"{_quoted(line)} gets another name.", named=line.name)
    asked.say = lambda who, why: _changes(session).rename(line.id, asked.name, who=who, why=why)
    await asked.ask()


async def undo(session: Session, number: int, what: str) -> None:
    """Revoke an entry of the log."""
    await Correction(session, "Undo", what, lambda who, why: _changes(session).undo(number, who=who, why=why)).ask()


def _changes(session: Session) -> Changes:
    if session.changes is None:
        raise errors.only_looking()
    return session.changes


def _quoted(line: Line) -> str:
    return f"“{line.name}”" + (f" ({line.descriptor})" if line.descriptor else "")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence about an event: pieces of text, each with an address or an empty string."""

    pieces: tuple[tuple[str, str], ...]


@dataclass
class Correction:
    """A dialog that asks for the reason, carries out the order and shows its outcome."""

    session: Session
    title: str
    what: str
    say: Say | None = None
    then: str = ""
    """The page to show afterwards; if empty, the page is reloaded."""
    named: str | None = None
    """For a new name: the present one."""
    name: str = ""
    why: str = ""
    before: list[Sentence] = field(default_factory=list)
    """Changes by an undo that this correction needed."""
    dialog: ui.dialog = field(init=False)
    box: ui.element = field(init=False)

    async def ask(self) -> None:
        who = await who_judges()
        if who is None:
            return
        self.who = who
        self.client = ui.context.client
        with self.client.content, ui.dialog().props("no-backdrop-dismiss") as self.dialog:
            self.box = tag("div", classes="x-dialog")
        self.dialog.props["aria-label"] = self.title
        self.dialog.on("hide", self.dialog.delete)
        self._form()
        self.dialog.open()

    def _form(self) -> None:
        with self._cleared(), tag("form", classes="x-stack") as form:
            tag("h2", self.title, "x-heading")
            remark(self.what, "x-name")
            if self.named is not None:
                with tag("label", "Name", "x-field"):
                    name = tag("input", type="text", name="name", maxlength=300, required=True, autocomplete="off")
                    name.props["^value"] = self.named
            with tag("label", "Why?", "x-field"):
                hint = "For others, and for you in a year"
                why = tag("input", type="text", name="why", maxlength=1000, autocomplete="off", placeholder=hint)
                why.props["^value"] = self.why
            (name if self.named is not None else why).props["autofocus"] = True
            with tag("div", classes="x-dialog-foot"):
                button("Cancel", self.dialog.close)
                tag("button", self.title, "x-button x-primary", type="submit")
        js = "(e) => { e.preventDefault(); emit(Object.fromEntries(new FormData(e.target))); }"
        form.on("submit", self._submitted, js_handler=js)

    async def _submitted(self, event: Any) -> None:
        given = event.args if isinstance(event.args, dict) else {}
        self.why, self.name = str(given.get("why", "")).strip(), str(given.get("name", "")).strip()
        await self.carry_out()

    async def carry_out(self) -> None:
        assert self.say is not None
        order = await self._wait_for(partial(self.say, self.who, self.why))
        if order is None or self.dialog.is_deleted:
            return
        if order.refusal is not None:
            await self._refused(order.refusal)
        else:
            await self._done(order)

    async def _wait_for(self, say: Callable[[], Order]) -> Order | None:
        with self._cleared(), tag("div", classes="x-line", role="status"):
            tag("span", classes="x-spin", aria_hidden="true")
            tag("span", "One moment …")
        self.client.storage["correcting"] = True
        try:
            return await finished(say())
        except errors.CrossdocError as error:
            with self._cleared():
                show_error(error)
                self._foot()
            return None
        finally:
            # If the dialog was closed meanwhile, the page itself reports the change.
            if not self.dialog.is_deleted:
                with self.client:
                    seen(self.session)
            self.client.storage["correcting"] = False

    async def _done(self, order: Order) -> None:
        assert order.change is not None
        lines = self.before + await in_thread(what_changed, self.session, order.change)
        with self._cleared():
            tag("h2", "Done", "x-heading")
            with tag("div", classes="x-good", role="status"):
                if order.act == "rename":
                    remark(f"It is now called “{self.name}”.", "x-name")
                show_changes(lines)
            show_notes(order.change)
            with tag("div", classes="x-dialog-foot"):
                if order.change.entry is not None and order.act != "undo":
                    button("Undo", partial(self._undo, order.change.entry))
                button("Continue", self._leave, "x-button x-primary", autofocus=True)

    async def _undo(self, entry: int) -> None:
        self.before = []
        self.say = lambda who, why: _changes(self.session).undo(entry, who=who, why="undone at once")
        await self.carry_out()

    async def _refused(self, refusal: Refusal) -> None:
        steps = await in_thread(named_steps, self.session, refusal.chain)
        with self._cleared():
            tag("h2", "This is a contradiction" if steps else "This was not done", "x-heading")
            show_error(replace(refusal, hint="Nothing was written. " + refusal.hint))
            if steps:
                show_chain(steps, self._take_back)
            self._foot()

    async def _take_back(self, number: int) -> None:
        """Undo an earlier entry, and repeat this correction."""
        again = self.say
        why = f"instead: {self.why}" if self.why else "contradicted"
        order = await self._wait_for(lambda: _changes(self.session).undo(number, who=self.who, why=why))
        self.say = again
        if order is None or self.dialog.is_deleted:
            return
        if order.refusal is not None:
            await self._refused(order.refusal)
        else:
            self.before += await in_thread(what_changed, self.session, order.change or Change())
            await self.carry_out()

    def _foot(self) -> None:
        with tag("div", classes="x-dialog-foot"):
            button("Close", self.dialog.close)

    def _leave(self) -> None:
        self.dialog.close()
        if self.then:
            ui.navigate.to(self.then)
        else:
            ui.navigate.reload()

    def _cleared(self) -> ui.element:
        self.box.clear()
        return self.box


async def finished(order: Order) -> Order:
    """Wait for an order without blocking the page."""
    return await asyncio.wrap_future(order.finished)


def _inform(title: str, what: str) -> None:
    with ui.context.client.content, ui.dialog() as dialog, tag("div", classes="x-dialog"):
        dialog.props["aria-label"] = title
        tag("h2", title, "x-heading")
        remark(what, "")
        with tag("div", classes="x-dialog-foot"):
            button("OK", dialog.close, "x-button x-primary", autofocus=True)
    dialog.on("hide", dialog.delete)
    dialog.open()


async def _choose(session: Session, line: Line) -> Line | None:
    """Let the reviewer search for another identity by name."""
    with ui.context.client.content, ui.dialog() as dialog, tag("div", classes="x-dialog"):
        dialog.props["aria-label"] = "Who else is it?"
        tag("h2", "Who else is it?", "x-heading")
        remark(f"{_quoted(line)} is the same as:")
        box = tag("input", classes="x-input", type="search", aria_label="A name", placeholder="A name", autofocus=True)
        # Other forms of the name usually have the same last word.
        begin = line.name.split()[-1] if line.name.split() else ""
        box.props["^value"] = begin
        found = tag("ul", classes="x-list", aria_live="polite").style("max-height: 50vh; overflow: auto")
        with tag("div", classes="x-dialog-foot"):
            button("Cancel", lambda: dialog.submit(None))

    async def look(text: str) -> None:
        page = await in_thread(session.reader.search, text, limit=MERGE_CHOICES + 1)
        rows = [row for row in page.rows if row.id != line.id][:MERGE_CHOICES]
        found.clear()
        with found:
            for row in rows:
                with tag("li"), button("", partial(dialog.submit, row), "x-item x-choice"):
                    with tag("span", classes="x-line"):
                        tag("strong", row.name, "x-name")
                        type_chip(row.type)
                    tag("span", joined(row.descriptor, counted(row.documents, "document")), "x-soft x-small")
            if not rows:
                tag("li", "Nobody has this name. Try a part of it.", "x-item x-soft")

    box.on("input", lambda event: look(str(event.args)), throttle=0.15, js_handler="(e) => emit(e.target.value)")
    await look(begin)
    chosen: Line | None = await dialog
    dialog.delete()
    return chosen


def what_changed(session: Session, change: Change) -> list[Sentence]:
    return event_sentences(session, change.events)


def event_sentences(session: Session, events: Sequence[Event]) -> list[Sentence]:
    """Return events of identities as sentences."""
    ids = {id for event in events for id in (event.id, event.other) if id}
    names = dict(session.reader.names(sorted(ids)))
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
    sentences = {
        "appeared": (it, (f" appeared ({some})", "")),
        "split": (it, (f" ({some}) was split off from ", ""), other),
        "moved": ((f"{some} moved from ", ""), it, (" to ", ""), other),
        "merged": (it, (f" ({some}) was merged into ", ""), other),
        "vanished": (it, (" no longer exists", "")),
    }
    return Sentence(sentences[event.what])


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
    for text, href in line.pieces:
        if href:
            link(text, href, "x-name")
        else:
            tag("span", text, "x-name")


def show_notes(change: Change) -> None:
    for note in change.notes:
        remark(note[:1].upper() + note[1:], "x-soft x-small")


@dataclass(frozen=True, slots=True)
class NamedStep:
    """A judgement of a contradiction, with the names of its profiles."""

    step: ChainStep
    a: str
    b: str


def named_steps(session: Session, chain: tuple[ChainStep, ...]) -> list[NamedStep]:
    def place(id: str) -> str:
        try:
            view = session.reader.profile(id)
        except errors.CrossdocError:
            return id
        return f"{view.name} in {view.title or view.document}"

    return [NamedStep(step, place(step.a), place(step.b)) for step in chain]


def show_chain(steps: list[NamedStep], take_back: Callable[[int], Awaitable[None]] | None = None) -> None:
    """Show the judgements of a contradiction with their authors, the new one last."""
    with tag("ol", classes="x-chain", aria_label="Earlier judgements"):
        offered: set[int] = set()
        for each in steps:
            step = each.step
            with tag("li", classes="" if step.number else "x-now"):
                verb = "is the same as" if step.verdict == "same" else "is not the same as"
                with tag("div"):
                    tag("strong", each.a, "x-name")
                    tag("span", f" {verb} ")
                    tag("strong", each.b, "x-name")
                with tag("div", classes="x-line x-soft x-small"):
                    if step.number is None:
                        tag("span", "your new judgement")
                        continue
                    reason = f": “{step.why}”" if step.why else ""
                    tag("span", f"{step.who or 'somebody'} on {step.when[:10]}{reason}", "x-name")
                    if take_back is not None and step.number not in offered:
                        offered.add(step.number)
                        number = step.number
                        label = f"Undo entry {number} of {step.who or 'somebody'} and continue"
                        undo = partial(take_back, number)
                        button("Undo this and continue", undo, "x-button x-small", aria_label=label)
