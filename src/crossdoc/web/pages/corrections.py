"""Correcting: merge, split off, same, different, rename, undo. Each is a click and a reason, and what changed is shown.

What contradicts earlier judgements is not written; the chain of those is shown, with who said them, and each can be
taken back from there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from nicegui import ui

from crossdoc import errors
from crossdoc.lineage import Event
from crossdoc.model import Verdict
from crossdoc.revision import Change
from crossdoc.store.views import Line, Maybe, MemberLine
from crossdoc.web.changes import ChainStep, Changes, Order, Refusal
from crossdoc.web.look import counted
from crossdoc.web.pages.layout import seen, who_judges
from crossdoc.web.parts.basics import link, show_error, tag, type_chip
from crossdoc.web.parts.later import in_thread
from crossdoc.web.session import Session, identity_url

CHOICES = 8
"""Identities that are offered to be merged with."""
MOST_SHOWN = 12
"""Lines on what changed."""
NOTHING = "It counts from now on. The identities did not change."
Say = Callable[[str, str], Order]
"""Who and why → the order."""


# -- what other pages put beside what they show ---------------------------------------------------------------------


def identity_actions(session: Session, line: Line, ticked: Callable[[], list[str]]) -> None:
    """Buttons for a whole identity; `ticked` gives the profiles that are chosen in its list."""
    _changes(session).get_ready()
    _button("Merge with …", partial(merge, session, line))
    _button("Split off …", lambda: split_off(session, line, ticked()))
    _button("Rename …", partial(rename, session, line))


def member_actions(session: Session, line: Line, member: MemberLine) -> None:
    """For one profile of an identity."""
    name = f"{member.name} in {member.title or member.document} is somebody else"
    button = _button("Somebody else …", partial(split_off, session, line, [member.profile], member.name), "x-link")
    button.props["aria-label"] = name


def maybe_actions(session: Session, line: Line, maybe: Maybe) -> None:
    """For another identity that this one may be."""
    other = maybe.line
    same = _button("Same …", partial(merge_two, session, line, other), "x-link")
    same.props["aria-label"] = f"{other.name} is the same"
    different = _button("Different …", partial(tell_apart, session, line, maybe), "x-link")
    different.props["aria-label"] = f"{other.name} is somebody else"


def _button(text: str, do: Callable[[], Any], classes: str = "x-button x-small") -> ui.element:
    return tag("button", text, classes, type="button").on("click", do)


# -- the corrections ------------------------------------------------------------------------------------------------


async def judge(session: Session, a: str, b: str, verdict: Verdict, then: str = "") -> None:
    """Two profiles are the same, or different ones."""
    title = {"same": "They are the same", "different": "They are different"}[verdict]
    left, right = await in_thread(lambda: (session.reader.profile(a), session.reader.profile(b)))
    what = f"{left.name} in {left.title or left.document}, and {right.name} in {right.title or right.document}."
    say: Say = lambda who, why: _changes(session).judge(a, b, verdict, who=who, why=why)  # noqa: E731
    await Correction(session, title, what, say, then).ask()


async def tell_apart(session: Session, line: Line, maybe: Maybe) -> None:
    """Two identities are different: their surest profiles stand for them, where it is not said which are doubtful."""

    def surest(id: str) -> str:
        return session.reader.members(id, 0, 1)[0].profile

    a, b = await in_thread(lambda: (maybe.a or surest(line.id), maybe.b or surest(maybe.line.id)))
    await judge(session, a, b, "different")


async def merge_two(session: Session, line: Line, other: Line) -> None:
    what = f"{_quoted(line)} and {_quoted(other)} become one: all their passages are about the same."
    say: Say = lambda who, why: _changes(session).merge(line.id, other.id, who=who, why=why)  # noqa: E731
    await Correction(session, "They are the same", what, say).ask()


async def merge(session: Session, line: Line) -> None:
    """Choose who else an identity is."""
    other = await _choose(session, line)
    if other is not None:
        await merge_two(session, line, other)


async def split_off(session: Session, line: Line, profiles: list[str], name: str = "") -> None:
    """Some profiles of an identity are somebody else."""
    if not profiles:
        await _tell(
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
    """An entry of the log no longer holds."""
    await Correction(session, "Undo", what, lambda who, why: _changes(session).undo(number, who=who, why=why)).ask()


def _changes(session: Session) -> Changes:
    if session.changes is None:
        raise errors.only_looking()
    return session.changes


def _quoted(line: Line) -> str:
    return f"“{line.name}”" + (f" ({line.descriptor})" if line.descriptor else "")


# -- the dialog -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Sentence:
    """Something that happened: words, and identities by name and address, in turn."""

    pieces: tuple[tuple[str, str], ...]


@dataclass
class Correction:
    """A dialog that asks for the reason, carries out the order and shows what became of it."""

    session: Session
    title: str
    what: str
    say: Say | None = None
    then: str = ""
    """The page to show afterwards; the same one again where it is empty."""
    named: str | None = None
    """Of a new name: the one so far."""
    name: str = ""
    why: str = ""
    before: list[Sentence] = field(default_factory=list)
    """What has changed already, where something was taken back for this."""
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
            tag("p", self.what, "x-name").style("margin: 0")
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
                _button("Cancel", self.dialog.close, "x-button")
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
            # Who has closed the dialog meanwhile is told by the page that the answer has changed.
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
                    tag("p", f"It is now called “{self.name}”.", "x-name").style("margin: 0")
                show_changes(lines)
            show_notes(order.change)
            with tag("div", classes="x-dialog-foot"):
                if order.change.entry is not None and order.act != "undo":
                    _button("Undo", partial(self._undo, order.change.entry), "x-button")
                _button("Continue", self._leave, "x-button x-primary").props["autofocus"] = True

    async def _undo(self, entry: int) -> None:
        self.before = []
        self.say = lambda who, why: _changes(self.session).undo(entry, who=who, why="undone at once")
        await self.carry_out()

    async def _refused(self, refusal: Refusal) -> None:
        steps = await in_thread(named_steps, self.session, refusal.chain)
        with self._cleared():
            tag("h2", "This is a contradiction" if steps else "This was not done", "x-heading")
            with tag("div", classes="x-error", role="alert"):
                tag("p", refusal.what).style("margin: 0; white-space: pre-line")
                tag("p", "Nothing was written. " + refusal.hint, "x-soft").style("margin: .3rem 0 0")
            if steps:
                show_chain(steps, self._take_back)
            self._foot()

    async def _take_back(self, number: int) -> None:
        """Take an earlier entry back, and say this again."""
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
            _button("Close", self.dialog.close, "x-button")

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
    """Wait for an order without keeping the page from anything else."""
    return await asyncio.wrap_future(order.finished)


async def _tell(title: str, what: str) -> None:
    with ui.context.client.content, ui.dialog() as dialog, tag("div", classes="x-dialog"):
        dialog.props["aria-label"] = title
        tag("h2", title, "x-heading")
        tag("p", what).style("margin: 0")
        with tag("div", classes="x-dialog-foot"):
            _button("OK", dialog.close, "x-button x-primary").props["autofocus"] = True
    dialog.on("hide", dialog.delete)
    dialog.open()


async def _choose(session: Session, line: Line) -> Line | None:
    """Look for another identity by its name."""
    with ui.context.client.content, ui.dialog() as dialog, tag("div", classes="x-dialog"):
        dialog.props["aria-label"] = "Who else is it?"
        tag("h2", "Who else is it?", "x-heading")
        tag("p", f"{_quoted(line)} is the same as:", "x-soft").style("margin: 0")
        box = tag("input", classes="x-input", type="search", aria_label="A name", placeholder="A name", autofocus=True)
        # Another form of the name has most likely the same last word.
        begin = line.name.split()[-1] if line.name.split() else ""
        box.props["^value"] = begin
        found = tag("ul", classes="x-list", aria_live="polite").style("max-height: 50vh; overflow: auto")
        with tag("div", classes="x-dialog-foot"):
            _button("Cancel", lambda: dialog.submit(None), "x-button")

    async def look(text: str) -> None:
        page = await in_thread(session.reader.search, text, limit=CHOICES + 1)
        rows = [row for row in page.rows if row.id != line.id][:CHOICES]
        found.clear()
        with found:
            for row in rows:
                with tag("li"), tag("button", classes="x-item x-choice", type="button") as button:
                    with tag("span", classes="x-line"):
                        tag("strong", row.name, "x-name")
                        type_chip(row.type)
                    summary = [row.descriptor, counted(row.documents, "document")]
                    tag("span", " · ".join(filter(None, summary)), "x-soft x-small")
                button.on("click", partial(dialog.submit, row))
            if not rows:
                tag("li", "Nobody has this name. Try a part of it.", "x-item x-soft")

    box.on("input", lambda event: look(str(event.args)), throttle=0.15, js_handler="(e) => emit(e.target.value)")
    await look(begin)
    chosen: Line | None = await dialog
    dialog.delete()
    return chosen


# -- what changed, and what stands against it -----------------------------------------------------------------------


def what_changed(session: Session, change: Change) -> list[Sentence]:
    return event_sentences(session, change.events)


def event_sentences(session: Session, events: Sequence[Event]) -> list[Sentence]:
    """What happened to identities, as sentences."""
    ids = {id for event in events for id in (event.id, event.other) if id}
    names = dict(session.reader.names(sorted(ids)))
    present = set(names)
    for id in ids - present:
        # An identity that no longer exists was called by the id of one of its profiles.
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


def show_changes(lines: list[Sentence], nothing: str = NOTHING) -> None:
    if not lines:
        tag("p", nothing).style("margin: 0")
    with tag("ul", classes="x-plain-list"):
        for line in lines[:MOST_SHOWN]:
            with tag("li"):
                show_sentence(line)
        if len(lines) > MOST_SHOWN:
            tag("li", f"and {len(lines) - MOST_SHOWN:,} more", "x-soft")


def show_sentence(line: Sentence) -> None:
    for text, href in line.pieces:
        if href:
            link(text, href, "x-name")
        else:
            tag("span", text, "x-name")


def show_notes(change: Change) -> None:
    for note in change.notes:
        tag("p", note[:1].upper() + note[1:], "x-soft x-small").style("margin: 0")


@dataclass(frozen=True, slots=True)
class NamedStep:
    """A judgement of a contradiction, with what its profiles are called."""

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
    """Earlier judgements that contradict, with who said them, and last your new judgement."""
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
                        button = _button("Undo this and continue", partial(take_back, number), "x-button x-small")
                        button.props["aria-label"] = f"Undo entry {number} of {step.who or 'somebody'} and continue"
